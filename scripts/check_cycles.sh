#!/usr/bin/env bash
# usage: scripts/check_cycles.sh BUILD_FOLDER [TREE]
# Asks the object files of a build which file needs a symbol of which other, and fails where files
# of filters/, workloads/ or harness/ need each other, naming the files of each circle.
# A file that includes a list which CMake generates (*.def) names every entry of it. The entries are
# data: that it names them is no need. What it calls is.
set -euo pipefail
case ${1-} in -h | --help) sed -n '2,/^[^#]/s/^# //p' "$0"; exit 0 ;; esac
build=$(realpath "$1")
cd "${2:-$(dirname "$0")/..}"

objects=()
while read -r object; do
    source=${object##*.dir/}
    [ ! -e "${source%.o}" ] || objects+=("$object") # a source that is gone may have left its object
done < <(find "$build" -name '*.c.o' | grep -E '\.dir/(filters|workloads|harness)/' | sort)
[ ${#objects[@]} -gt 0 ] || { echo "$build: no object files" >&2; exit 2; }
lists=$(grep -rlE '^[[:space:]]*#[[:space:]]*include "[^"/]*\.def"' --include='*.c' filters workloads harness 2>/dev/null || true)

nm -A -P -g "${objects[@]}" | awk -v lists="$lists" '
BEGIN { n = split(lists, name, "\n"); for (i = 1; i <= n; i++) listed[name[i]] = 1 }
{
    file = $1; sub(/:$/, "", file); sub(/\.o$/, "", file); sub(/.*\.dir\//, "", file)
    if ($3 == "U") { user[++needs] = file; needed[needs] = $2 }
    else { home[$2] = file; data[$2] = $3 ~ /^[BDR]$/ }
}
END {
    for (i = 1; i <= needs; i++) {
        symbol = needed[i]
        if (symbol in home && home[symbol] != user[i] && !(user[i] in listed && data[symbol]))
            print user[i], home[symbol]
    }
}' | sort -u | { tsort 2>&1 >/dev/null || true; } |
    sed -e 's/^tsort: -: input contains a loop:$/these need each other:/' -e 's/^tsort: /  /' |
    { ! grep .; }
