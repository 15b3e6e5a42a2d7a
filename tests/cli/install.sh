#!/usr/bin/env bash
# The tool that is installed stands alone, with its data; library.sh asks the library.
set -euo pipefail
build=$(dirname "$1")
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix" >/dev/null

# Moved, with none of its data from the source tree.
mkdir "$prefix/moved"
mv "$prefix/bin" "$prefix/share" "$prefix/moved"
unset FILTERBENCH_DATA
"$prefix/moved/bin/filterbench" list presets >"$prefix/presets"
grep -q fpr-smoke "$prefix/presets"
"$prefix/moved/bin/filterbench" list claims >"$prefix/claims"
grep -q abloom "$prefix/claims"
for file in filterbench/{plots/draw.gp,results/{result.schema.json,members.md},workloads/presets/fpr-smoke.json} \
    doc/filterbench/docs/README.md man/man1/filterbench.1 bash-completion/completions/filterbench zsh/site-functions/_filterbench; do
    [ -e "$prefix/moved/share/$file" ] || { echo "not installed: $file"; exit 1; }
done
