#!/usr/bin/env bash
# What is installed stands alone: a program against the library of filters, and the tool with its
# data.
set -euo pipefail
build=$(dirname "$1")
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix" >/dev/null

cat >"$prefix/program.c" <<'C'
#include <filters/core/filter.h>
#include <stdio.h>

int main(void)
{
    const uint64_t offset[] = {0, 5, 9};
    const struct fb_keys keys = {.bytes = (const uint8_t *)"applepear", .offset = offset, .n = 2};
    const struct fb_keys other = {.bytes = (const uint8_t *)"plumscherry", .offset = offset, .n = 2};
    const struct fb_params params = {.bits_per_key = 64};
    const struct fb_design *design = fb_design_find("bloom-independent");
    struct fb_filter filter;
    const char *why = "";
    uint8_t maybe[2];
    size_t present, absent;
    if (!design || fb_filter_build(design, NULL, &params, &keys, &filter, &why) ||
        fb_filter_query_keys(&filter, &keys, maybe, &present) ||
        fb_filter_query_keys(&filter, &other, maybe, &absent))
        return puts(why), 1;
    printf("%zu %zu\n", present, absent);
    fb_filter_close(&filter);
}
C
pc=$(find "$prefix" -name filterbench-filters.pc)
export PKG_CONFIG_PATH=${pc%/*}
# shellcheck disable=SC2046
${CC:-cc} -std=c17 -Wall -Wextra -Werror "$prefix/program.c" -o "$prefix/program" \
    $(pkg-config --cflags --libs filterbench-filters)
[ "$("$prefix/program")" = "2 0" ]

# Moved, and with none of its data from the source tree.
mkdir "$prefix/moved"
mv "$prefix/bin" "$prefix/share" "$prefix/moved"
unset FILTERBENCH_DATA
"$prefix/moved/bin/filterbench" list presets >"$prefix/presets"
grep -q fpr-smoke "$prefix/presets"
"$prefix/moved/bin/filterbench" list claims >"$prefix/claims"
grep -q abloom "$prefix/claims"
for file in filterbench/{plots/all.gp,results/result.schema.json,workloads/presets/fpr-smoke.json} \
    man/man1/filterbench.1 bash-completion/completions/filterbench zsh/site-functions/_filterbench; do
    [ -e "$prefix/moved/share/$file" ] || { echo "not installed: $file"; exit 1; }
done
