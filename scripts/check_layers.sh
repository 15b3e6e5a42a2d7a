#!/usr/bin/env bash
# usage: scripts/check_layers.sh [TREE]
# Reads every #include line and fails, with file:line, where one crosses the layers of the house:
# filters (1) know only filters, workloads (2) only what filters/core lends them, the harness (3)
# everything; no clock, file or printing below layer 3.
set -euo pipefail
case ${1-} in -h | --help) sed -n '2,/^[^#]/s/^# //p' "$0"; exit 0 ;; esac
cd "${1:-$(dirname "$0")/..}"

includes='^[[:space:]]*#[[:space:]]*include'
for layer in filters workloads harness; do
    grep -rnE "$includes" --include='*.[ch]' --include='*.cc' --include='*.inc' "$layer" || [ $? = 1 ]
done | awk '
function deny(why) { print file ":" line ": " what ": " why; bad = 1 }
# harness/kind/lsm/report/table.c stands in kind/lsm, harness/base/json.h in base, harness/main.c in main.
function room(path,    part) {
    split(path, part, "/")
    return path !~ /^harness\/.*\// ? "main" : part[2] == "kind" ? "kind/" part[3] : part[2]
}
# The rooms of harness/, each including only those before it; kinds stand side by side.
BEGIN {
    n = split("base stats measure filter store tree engine check work document kind report study verb main", rooms, " ")
    for (i = 1; i <= n; i++) rank[rooms[i]] = i
}
{
    split($0, part, ":")
    file = part[1]; line = part[2]
    what = $0; sub(/^[^:]*:[^:]*:[^"<]*/, "", what); sub(/[">][^">]*$/, "", what)
    own = substr(what, 1, 1) == "\""; name = substr(what, 2)
    what = own ? what "\"" : what ">"
    layer = file; sub(/\/.*/, "", layer)

    if (own && name !~ /\// && name !~ /^(designs\.def|hashes\.def|kinds\.def|build_info\.h)$/)
        deny("project includes start at the root of the tree")
    if (name ~ /\.c$/)
        deny("a source file is not for inclusion")
    if (own && name ~ /^filters\/[^\/]*$/)
        deny("a design is reached through the registry")
    if (layer == "filters") {
        if (own && name !~ /^filters\// && name !~ /^(designs|hashes)\.def$/)
            deny("filters/ includes only filters/")
        if (file ~ /^filters\/hash\// && own && name !~ /^filters\/(hash|core)\//)
            deny("a hash knows no filter")
    }
    if (layer != "filters" && own && name ~ /^filters\/.*\/internal\//)
        deny("internal to filters/")
    if (layer == "workloads" && own &&
        name !~ /^workloads\// && name !~ /^filters\/core\/(base|bits|math)\.h$/ &&
        name !~ /^filters\/hash\//)
        deny("workloads/ may use only filters/core/{base,bits,math}.h and filters/hash/")
    if (layer ~ /^(filters|workloads)$/ && !own &&
        name ~ /^(stdio|time|unistd|fcntl|threads|pthread|signal|sys\/(time|stat|times|resource))\.h$/)
        deny("no file, clock, thread or signal below layer 3")
    if (file ~ /^harness\/(stats|measure)\// && own &&
        name ~ /^filters\// && name !~ /^filters\/core\/(base|bits|math)\.h$/)
        deny("statistics and measuring know no filter")
    if (layer == "harness" && own && name ~ /^harness\//) {
        from = room(file); to = room(name)
        rank_from = rank[from ~ /^kind/ ? "kind" : from]; rank_to = rank[to ~ /^kind/ ? "kind" : to]
        if (!rank_from || !rank_to)
            deny("harness/ has no such room")
        else if (rank_to > rank_from)
            deny(from " stands before " to)
        if (from ~ /^kind\// && to ~ /^kind\// && from != to)
            deny("no kind includes another")
    }
}
END { exit bad }'
