# Figures from result documents: drawn whole, or one line and nothing left behind.
command -v gnuplot >/dev/null || exit 77
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

small() { fb run "$@" --set filters=2 --set probes=1000 --set precision=0 >/dev/null 2>&1; }
check "bits" -- small fpr-bits --set n=100 --set 'bits_per_key=[4,8,12]' -o bits.json
check "rates" -- small fpr-rates --set n=1000 --set 'fpr=[0.2,0.1,0.05]' -o rates.json
check "n" -- small fpr-n --set 'n=[100,200,300]' -o n.json

json "plot" -- fb plot bits.json rates.json n.json -o drawn --format json
for figure in fpr-bits overhead fpr-n; do
    tail -c 8 "drawn/$figure.svg" | grep -q '</svg>' || fail "$figure.svg is not whole"
    head -c 4 "drawn/$figure.png" | grep -aq PNG || fail "$figure.png is none"
    head -1 "drawn/$figure.dat" | grep -q '^design' || fail "$figure.dat has no header line"
done
[ "$(find drawn -type f | wc -l)" = 9 ] || fail "other files: $(ls -a drawn)"
# The points of every design but the controls.
cut -f1 drawn/fpr-bits.dat >points
grep -qx leveldb points || fail "no leveldb"
grep -qx exact points && fail "a control is drawn"
awk -F'\t' 'NR > 1 && $1 == "leveldb" && $4 == 8 && !($5 > 0 && $6 < $5 && $5 < $7) {exit 1}' \
    drawn/fpr-bits.dat || fail "the interval of leveldb does not hold its point"
# The middle of abloom's table: 1 %, 10.10 bits, 52 % over the bound.
awk -F'\t' '$1 == "sbbf-512" && $3 == 0.01 {found = $4 > 10.09 && $4 < 10.11 && $5 > 0.51 && $5 < 0.53}
    END {exit !found}' drawn/overhead.dat || fail "overhead of sbbf-512 at 1 %"

check "kernels" -- fb run kernels --quick -d sbbf-256,nori --footprints L1,L2 --budget 1s \
    --set min_processes=2 --set max_processes=2 --set rounds=1 --set cpu=none -o kernels.json \
    >/dev/null 2>&1
check "sizes" -- fb run kernels --quick -d sbbf-256 --footprints L1,L2 --budget 1s -b 8,16 --operations \
    batch,chain --histograms --set threads=[1,2] --set min_processes=2 --set max_processes=2 \
    --set rounds=1 --set cpu=none -o sizes.json >/dev/null 2>&1
check "more times" -- fb plot sizes.json -o more >/dev/null
for figure in throughput chain cost-fpr scaling latency; do
    tail -c 8 "more/$figure.svg" | grep -q '</svg>' || fail "$figure.svg is not whole"
done
awk -F'\t' '$1 == "sbbf-256" && $2 == "design" {n++; low += $11 < 0.002; high += $11 > 0.02}
    END {exit !(n == 4 && low == 2 && high == 2)}' more/cost-fpr.dat || fail "rates of sizes"
awk -F'\t' '$1 == "sbbf-256" {n++; x += $4 > 0 && $5 <= $4 && $4 <= $6} END {exit !(n == 8 && x == 8)}' \
    more/scaling.dat || fail "scaling.dat"
awk -F'\t' 'NR > 1 && !($5 >= 0 && $5 < 1 && $4 > 0) {bad++} $3 == "timer_empty" {n++}
    END {exit bad || !n}' more/latency.dat || fail "latency.dat"
check "times" -- fb plot kernels.json -o times >/dev/null
[ "$(find times -type f -size +0 | wc -l)" = 6 ] || fail "other files: $(ls -a times)"
awk -F'\t' '$1 == "sbbf-256" && $2 == "design" {n += $8 > 0} $1 == "touch-32" {y += $2 == "yardstick"}
    END {exit !(n == 2 && y == 2)}' times/throughput.dat || fail "throughput of sbbf-256"
# The best 7 probes at 10 bits a key: 0.82 %.
awk -F'\t' '$1 == "nori" && $2 == "design" {n += $11 > 0.0080 && $11 < 0.0085} END {exit n != 2}' \
    times/cost-fpr.dat || fail "predicted rate of nori"

echo '{"kind": "lsm", "name": "trees", "bits_per_key": 10, "levels": 3, "l0": 1, "ratio": 4, "keys": "random",
    "segment_bytes": 100000, "queries": 3000, "timed": false, "designs": ["sbbf-256", "nori", "always"]}' >tree.json
check "absent shares" -- fb run tree.json --set 'absent=[0,0.5,1]' -o absent.json >/dev/null 2>&1
check "splits" -- fb run tree.json --set absent=1 --set 'bits_per_key=[5,10]' --set 'allocations=["uniform","optimal"]' \
    -o splits.json >/dev/null 2>&1
check "caches" -- fb run tree.json --set absent=0 --set 'cache_bytes=[0,20000,80000,320000]' \
    --set cache_policy=lru --set 'filter_residency=["pinned","cached"]' -o caches.json >/dev/null 2>&1
check "trees" -- fb plot absent.json splits.json caches.json -o trees >/dev/null
for figure in lsm-cost lsm-memory lsm-cache; do
    tail -c 8 "trees/$figure.svg" | grep -q '</svg>' || fail "$figure.svg is not whole"
done
[ "$(find trees -type f -size +0 | wc -l)" = 9 ] || fail "other files: $(ls -a trees)"
cut -f1 trees/lsm-*.dat | grep -qx always && fail "a control is drawn"
# One read of data for each present key at 100 us; the parts add up to the whole.
awk -F'\t' 'NR > 1 {n++; bad += $5 < 97000 * (1 - $3) || $5 > 103000 * (1 - $3); d = $4 + $5 + $6 + $7 - $8
    bad += d > 1 || d < -1; bad += $3 > 0 && $6 == 0} END {exit bad || n != 6}' trees/lsm-cost.dat ||
    fail "lsm-cost.dat: $(cat trees/lsm-cost.dat)"
# At equal memory the optimal split reads less, by formula and by count.
awk -F'\t' '{io[$1, $2, $3 > 7] = $4; at[$1, $2, $3 > 7] = $7; n++}
    END {exit !(n == 9 && io["sbbf-256", "optimal", 1] < io["sbbf-256", "uniform", 1] &&
        at["sbbf-256", "optimal", 0] < at["sbbf-256", "uniform", 0] && io["nori", "uniform", 1] > 0)}' \
    trees/lsm-memory.dat || fail "lsm-memory.dat: $(cat trees/lsm-memory.dat)"
# More cache, more hits; filters hit only where they are cached.
awk -F'\t' 'NR > 1 {n++; bad += $1 == last && $2 == kind && $4 < hits; last = $1; kind = $2; hits = $4
    bad += ($5 == "nan") != ($2 == "pinned")} END {exit bad || n != 12}' trees/lsm-cache.dat ||
    fail "lsm-cache.dat: $(cat trees/lsm-cache.dat)"

check "single queries" -- fb run tree.json --set absent=0.5 --set timed=true --set 'lookups=["shared-digest"]' --histograms \
    --set rounds=1 --set min_processes=1 --set max_processes=1 --set cpu=none -o single.json >/dev/null 2>&1
check "latency" -- fb plot single.json -o single >/dev/null
tail -c 8 single/lsm-latency.svg | grep -q '</svg>' || fail "lsm-latency.svg is not whole"
# Half the queries read a block: 100 us more than the walk.
awk -F'\t' '$1 == "nori" && $2 == "query_total" {n++; at[$3 > 0.4] += $4 < 100000; bad += $3 < 0.4 && $4 < 100000}
    $2 == "query_cpu" {cpu++} $2 == "timer_empty" {empty++} END {exit !(n && cpu && empty && at[1] && !bad)}' \
    single/lsm-latency.dat || fail "lsm-latency.dat"
check "hgrm" -- fb export single.json --to hgrm -o hgrm 2>/dev/null
[ "$(find hgrm -name '*_shared-digest.query_total.hgrm' -size +0 | wc -l)" = 3 ] || fail "hgrm: $(ls hgrm)"
check "valid" -- fb validate single.json >/dev/null

check "--only" -- fb plot bits.json n.json -o one --only fpr-n >/dev/null
[ "$(find one -type f | wc -l)" = 3 ] || fail "--only draws others: $(ls -a one)"

refuses 2 'give the files' plot -o drawn
refuses 2 "did you mean 'fpr-bits'" plot bits.json --only fpr-bit -o none
refuses 2 'nothing to draw' plot n.json --only claims -o none
refuses 2 'missing.json' plot missing.json -o none
refuses 74 'no/such/folder' plot n.json -o no/such/folder
refuses 74 'n.json' plot n.json -o n.json
mkdir bin
[ $# -lt 3 ] || ln -s "$(command -v "$3")" bin/
command=(env PATH="$folder/bin" "${command[@]}")
refuses 2 'gnuplot-nox' plot n.json -o none
[ -z "$(find . -name '*.tmp*')" ] || fail "left behind: $(find . -name '*.tmp*')"
finish
