# run --memory: filters that do not fit are built and asked window by window, and counts are those of
# filters that stand, byte for byte.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

windows() { sed -n 's/.*"windows": *\([0-9]*\).*/\1/p' "$1.json"; }
same() { # NAME WINDOWS ARGUMENTS...: with --memory as without
    local name=$1 least=$2
    shift 2
    fb run "$@" -o "$name.json" >/dev/null 2>notes || fail "$name: $(cat notes)"
    fb run "$@" --memory 64k -o "$name-passed.json" >/dev/null 2>notes || fail "$name, passed: $(cat notes)"
    for file in "$name" "$name-passed"; do
        fb validate "$file.json" >/dev/null || fail "validate $file"
        fb export "$file.json" --to counts -o "$file.counts" || fail "counts of $file"
    done
    cmp "$name.counts" "$name-passed.counts" || fail "$name: other counts in windows"
    [ "$(windows "$name")" = 0 ] || fail "$name: windows without --memory"
    [ "$(windows "$name-passed")" -ge "$least" ] || fail "$name: $(windows "$name-passed") windows"
}
same ten-billion 30 ten-billion --ci
same streams 10 ten-billion --ci --set n=50000 --set 'absent=[0.5,1]' --cache 0,64Ki --set updates=0.2 --set warm=1000
same designs 30 ten-billion --ci --set n=50000 --queries 2000 -d bloom-double,cuckoo-12,fuse-8,null -b 12

# Shards ask their own queries of the same windows.
for i in 1 2 3; do
    fb run ten-billion --ci --memory 64k --shard $i/3 -o shard-$i.json >/dev/null 2>notes || fail "shard $i: $(cat notes)"
done
fb merge shard-1.json shard-2.json shard-3.json -o merged.json >/dev/null 2>notes || fail "merge: $(cat notes)"
fb export merged.json --to counts -o merged.counts || fail "counts of what is merged"
cmp ten-billion.counts merged.counts || fail "other counts of shards in windows"

# What is timed otherwise says so.
fb run smoke --ci --set timed=true --set rounds=1 --set max_processes=1 --set min_processes=1 --set budget=1 \
    --set cpu=none --memory 20k -o untimed.json >table 2>notes || fail "untimed: $(cat notes)"
grep -q 'not timed: the filters were built and asked in .* windows' table || fail "no warning"
fb validate untimed.json >/dev/null || fail "validate untimed"
fb export untimed.json --to csv >/dev/null || fail "csv of what is untimed"

# What cannot pass, and a size that is none.
refuses 2 '^filterbench: adversary-tree: .*--memory: filters take about .* GB at a time' run adversary-tree --ci --memory 1k
refuses 2 "filters take about .* GB at a time with their keys, 6.4e-05 GB are given; give more" \
    run ten-billion --ci --set prefixes=fixed:4 --memory 64k
refuses 2 "^filterbench: --memory: '0' is not a whole number" run ten-billion --ci --memory 0
refuses 2 'run: --memory is for experiments of kind lsm, and fpr-smoke is of kind fpr' run fpr-smoke --memory 1G
fb run ten-billion -n 1000G --dry-run >plan || fail "plan"
grep -q 'takes about .* fewer bits or --memory' plan || fail "plan of what does not fit: $(cat plan)"
fb run ten-billion --dry-run --memory 7G >plan || fail "plan"
grep -Eq '^leveled/n=10000000000/.* 12500894848 .* -$' plan || fail "plan: $(cat plan)"
finish
