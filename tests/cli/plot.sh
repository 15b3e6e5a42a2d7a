# Figures from result documents: drawn whole, or one line and nothing left behind.
command -v gnuplot >/dev/null || exit 77
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# draws WORDS FOLDER FILE...: plot succeeds, and neither it nor gnuplot says anything on stderr.
draws() {
    local words=$1 folder=$2
    shift 2
    LC_ALL=C fb plot "$@" -o "$folder" >drawn.txt 2>said || fail "$words: $(cat said)"
    [ ! -s said ] || fail "$words: $(cat said)"
}

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

# A user's own keys before others, and which they are is said.
seq -f 'key %g' 600 >own.txt
check "own keys" -- small fpr --keys own.txt --set n=1000 --set 'bits_per_key=[8,10,12]' -d nori -o own.json
check "own rates" -- small fpr --keys own.txt --set n=1000 --set 'fpr=[0.2,0.1,0.05]' -d leveldb -o own-rates.json
check "own, one size" -- small fpr --keys own.txt --set 'n=[100,200,300]' --set bits_per_key=10 -d nori --set keys=random,file -o own-n.json
draws "own keys" own own.json own-rates.json own-n.json
[ "$(cut -f2,3 own/fpr-bits.dat | tail -n +2 | sort -u)" = "file	300" ] || fail "own: $(cat own/fpr-bits.dat)"
[ "$(cut -f2,6,7 own/overhead.dat | grep measured | sort -u)" = "measured	file	300" ] || fail "own: overhead.dat"
[ "$(cut -f2,3 own/fpr-n.dat | tail -n +2 | tr '\t\n' ' ,')" = "random 100,random 200,random 300," ] ||
    fail "own: $(cat own/fpr-n.dat)"
words() { tr '\t\n' '  ' <"$1" | sed 's/<[^>]*>/ /g' | tr -s ' '; }
for figure in fpr-bits overhead; do
    words own/$figure.svg | grep -q "Keys in a filter: 300 of the user's file\." || fail "$figure.svg does not tell its keys"
done
words drawn/fpr-bits.svg | grep -q 'Keys in a filter: 100 random\.' || fail "fpr-bits.svg does not tell its keys"
words own/fpr-n.svg | grep -q 'Keys in a filter: 100 to 300 random\.' || fail "fpr-n.svg does not tell its keys"

check "kernels" -- fb run kernels --quick -d sbbf-256,nori --footprints L1,L2 --budget 1s \
    --set min_processes=2 --set max_processes=2 --set rounds=1 --set cpu=none -o kernels.json \
    >/dev/null 2>&1
check "sizes" -- fb run kernels --quick -d sbbf-256 --footprints L1,L2 --budget 1s -b 8,16 --operations \
    batch,chain --histograms --set threads=[1,2] --set min_processes=2 --set max_processes=2 \
    --set rounds=1 --set cpu=none -o sizes.json >/dev/null 2>&1
draws "more times" more sizes.json
for figure in throughput chain cost-fpr scaling latency; do
    tail -c 8 "more/$figure.svg" | grep -q '</svg>' || fail "$figure.svg is not whole"
done
awk -F'\t' '$1 == "sbbf-256" && $2 == "design" {n++; low += $11 < 0.002; high += $11 > 0.02}
    END {exit !(n == 4 && low == 2 && high == 2)}' more/cost-fpr.dat || fail "rates of sizes"
awk -F'\t' '$1 == "sbbf-256" {n++; x += $4 > 0 && $5 <= $4 && $4 <= $6} END {exit !(n == 8 && x == 8)}' \
    more/scaling.dat || fail "scaling.dat"
awk -F'\t' 'NR > 1 && !($5 >= 0 && $5 < 1 && $4 > 0) {bad++} $3 == "timer_empty" {n++}
    END {exit bad || !n}' more/latency.dat || fail "latency.dat"
# Designs at equal rates, their builds beside: 8 bits that deliver 0.39 % stand at that.
check "families" -- fb run families --quick -d sbbf-256,fuse-8,rocksdb-fastlocal --footprints L1 \
    --budget 1s --set min_processes=2 --set max_processes=2 --set rounds=1 \
    --set cpu=none -o families.json --verbose >families.txt 2>&1
fb validate families.json >/dev/null || fail "families.json is not valid"
grep -Eq 'fuse-8 .* 0\.391 %, 1\.[1-4]' families.txt || fail "fuse-8 does not stand at its own rate"
grep -Eq 'rocksdb-fastlocal .*build-keys .* 8\.0( |$)' families.txt || fail "digests that wait are not held"
sed -E 's/"attempts": [0-9]+/"attempts": 300/' families.json >tried.json
! fb validate tried.json >/dev/null 2>said || fail "300 attempts"
grep -q 'build' said || fail "300 attempts: $(cat said)"
for held in 0 1000000000000000000; do # a digest of 8 bytes a key waits at least
    sed -E '/"attempts"/{N;s/("temporary_bytes": )[1-9][0-9]*/\1'$held'/}' families.json >tried.json
    ! fb validate tried.json >/dev/null 2>said || fail "$held bytes held"
    grep -Eq 'build(: no build|.temporary_bytes)' said || fail "$held bytes held: $(cat said)"
done
grep -q ' 0.4 % ns  *ratio ' families.txt || fail "titles: $(head -3 families.txt)"
draws "families" families families.json
awk -F'\t' '$2 == "design" {n++; x += $11 > 1 && $11 < 2 && $8 > 0} $2 == "front" {f++}
    END {exit !(n == 5 && x == 5 && f)}' families/pareto.dat || fail "pareto.dat"
awk -F'\t' '$2 == "design" {n++; x += $11 == ($1 == "sbbf-256" ? 0 : 8) || ($1 == "fuse-8" && $11 > 20);
    a += $12 >= 1} END {exit !(n == 5 && x == 5 && a == 5)}' families/build-cost.dat || fail "build-cost.dat"
for figure in pareto build-cost; do
    tail -c 8 "families/$figure.svg" | grep -q '</svg>' || fail "$figure.svg is not whole"
done
check "loads" -- fb run dynamic -d cuckoo-12,counting --footprints L2 --budget 1s --set most_bytes=400000 --set min_processes=2 \
    --set max_processes=2 --set rounds=1 --set cpu=none --set loads=[0.5,0.9] -o loads.json >/dev/null 2>&1
draws "loads" loads loads.json
[ "$(find loads -type f -size +0 | wc -l)" = 3 ] || fail "other files: $(ls -a loads)"
awk -F'\t' 'NR > 1 {n++; x += $5 > 0 && ($4 == 0.5 || $4 == 0.9)} END {exit !(n == 16 && x == 16)}' \
    loads/load.dat || fail "load.dat"
draws "times" times kernels.json
[ "$(find times -type f -size +0 | wc -l)" = 6 ] || fail "other files: $(ls -a times)"
# Footprints that were not measured take no room.
grep -q '>L2<' times/throughput.svg && ! grep -Eq '>(L3|DRAM)<' times/throughput.svg || fail "room for no data"
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
draws "trees" trees absent.json splits.json caches.json
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

# No figure is drawn otherwise beside others; names of one are not in another.
draws "together" together kernels.json absent.json
for picture in times/*.svg; do
    cmp -s "$picture" "together/${picture##*/}" || fail "$picture differs when drawn with others"
done
grep -q '</svg>' together/lsm-cost.svg || fail "no lsm-cost beside throughput"

check "single queries" -- fb run tree.json --set absent=0.5 --set timed=true --set 'lookups=["shared-digest"]' --histograms \
    --set rounds=1 --set min_processes=1 --set max_processes=1 --set cpu=none -o single.json >/dev/null 2>&1
draws "latency" single single.json
tail -c 8 single/lsm-latency.svg | grep -q '</svg>' || fail "lsm-latency.svg is not whole"
# Half the queries read a block: 100 us more than the walk.
awk -F'\t' '$1 == "nori" && $2 == "query_total" {n++; at[$3 > 0.4] += $4 < 100000; bad += $3 < 0.4 && $4 < 100000}
    $2 == "query_cpu" {cpu++} $2 == "timer_empty" {empty++} END {exit !(n && cpu && empty && at[1] && !bad)}' \
    single/lsm-latency.dat || fail "lsm-latency.dat"
check "hgrm" -- fb export single.json --to hgrm -o hgrm 2>/dev/null
[ "$(find hgrm -name '*_shared-digest.query_total.hgrm' -size +0 | wc -l)" = 3 ] || fail "hgrm: $(ls hgrm)"
check "valid" -- fb validate single.json >/dev/null

# Every design has a colour and mark of its own, also beside those that the table of styles lacks.
fb list designs --format json | grep -o '"name": "[^"]*"' | cut -d'"' -f4 |
    grep -Evx 'null|always|exact|touch-32|touch-64|fetch' >names
gnuplot -e "load '$source_folder/plots/style.gp'; do for [name in '$(tr '\n' ' ' <names)'] {
    if (!place(name)) { print 'no style: '.name }; print colour_of(name), point_of(name) };
    do for [i=1:24] { print colour_of('mine'.i), point_of('mine'.i), dash_of('mine'.i) }" >styles 2>&1
[ "$(sort -u styles | wc -l)" = $(($(wc -l <names) + 24)) ] || fail "styles: $(sort styles | uniq -d)"
grep 'no style' styles && fail "a design without a style"

# lines PICTURE NAME: how many lines of the picture are in the colour of that design.
lines() {
    local rgb
    rgb=$(gnuplot -e "load '$source_folder/plots/style.gp'; c = colour_of('$2');
        print sprintf('rgb(%3d, %3d, %3d)', c / 65536, (c / 256) % 256, c % 256)" 2>&1)
    grep -c "<path stroke='$rgb'" "$1"
}
for figure in lsm-cost lsm-memory; do
    for design in sbbf-256 nori; do
        grep -q ">$design[ ,]" trees/$figure.svg || fail "$figure.svg does not name $design"
        [ "$(lines trees/$figure.svg $design)" -ge 3 ] || fail "$figure.svg: no line of $design"
    done
done
grep -q '>reads from the device, per query<' trees/lsm-memory.svg || fail "lsm-memory.svg: no name of its axis"
grep -Eq '>sbbf-256: [0-9., ]*16' more/cost-fpr.svg || fail "cost-fpr.svg does not name its front"

# A result that is no sweep: a row a cell. A rate of 0 and a name that is too long have their places.
long=a-filter-with-a-name-that-is-longer-than-any-picture-has-room-for-in-a-line
check "one cell" -- small fpr --set n=300 --set bits_per_key=10 -d nori -o one.json
check "few cells" -- small fpr --set n=300 --set 'bits_per_key=[10,60]' -d leveldb,sbbf-256,null -o few.json
check "one tree" -- fb run tree.json --set absent=1 -d sbbf-256,nori,leveldb -o onetree.json >/dev/null 2>&1
check "inserts" -- fb run kernels --quick -d nori --footprints L1 --operations insert --budget 1s \
    --set min_processes=2 --set max_processes=2 --set rounds=1 --set cpu=none -o inserts.json >/dev/null 2>&1
draws "one cell" cells-one one.json
draws "few cells" cells few.json onetree.json inserts.json
[ "$(find cells -name '*.png' -size +0 | wc -l)" = 3 ] || fail "cells: $(ls cells)"
[ "$(cut -f1,10 cells-one/fpr-cells.dat | tail -1)" = "nori	nori bpk=10 n=300 random" ] || fail "one: $(cat cells-one/*.dat)"
[ "$(cut -f1 cells/fpr-cells.dat | tail -n +2 | sort | tr '\n' ,)" = \
    "leveldb bpk=10,leveldb bpk=60,sbbf-256 bpk=10,sbbf-256 bpk=60," ] || fail "few: $(cat cells/fpr-cells.dat)"
awk -F'\t' '/bpk=60/ {zero += $3 == 0 && $4 == 0 && $5 > 0} END {exit !zero}' cells/fpr-cells.dat || fail "no rate of 0"
sed "s/sbbf-256/$long/g" onetree.json >long.json
sed "s/sbbf-256/$long/g" absent.json >long-absent.json
sed "s/sbbf-256/$long/g" splits.json >long-splits.json
sed "s/sbbf-256/$long/g; s/\"data_blocks\"/\"none\"/g; s/\"io\": [0-9.e-]*/\"io\": 0/" splits.json >zeros.json
for name in long long-absent long-splits zeros; do
    fb plot --unchecked $name.json -o $name >/dev/null 2>said || fail "$name: $(cat said)"
    [ "$(cat said)" = "filterbench: note: $name.json: it was not checked, as --unchecked asks" ] || fail "$name: $(cat said)"
done
# An attack: what its keys do beside what random keys do, and its verdict.
check "attack" -- fb run adversary --quick -d leveldb,sbbf-256 --set tries=512 -o attack.json >/dev/null 2>&1
draws "attack" attack attack.json
awk -F'\t' '$1 ~ /^leveldb .*(falls|undecided)/ {n++; bad += !($4 <= $3 && $3 <= $5 && $6 > 0.5 && $6 < 2)} END {exit bad || !n}' \
    attack/attack-cells.dat || fail "attack: $(cat attack/attack-cells.dat)"
schema=$(tr -d ' \n' <one.json | grep -o '"schema":{[^}]*}')
echo "{$schema"', "kind": "icount", "name": "counts", "cells": [{"id": "nori/bpk=10/batch", "design": "nori", "per_operation": 50.5},
    {"id": "nori/bpk=10/insert", "design": "nori", "per_operation": 80}]}' >counts.json
echo "{$schema"', "kind": "ab", "name": "changes", "cells": [{"id": "nori/L1/batch", "design": "nori", "change": {"ratio": 1.1,
    "interval": {"low": 1.05, "high": 1.2}, "verdict": "regressed"}}]}' >changes.json
fb plot --unchecked counts.json changes.json -o counted >/dev/null 2>said || fail "counts: $(cat said)"
[ "$(grep -vc ": it was not checked, as --unchecked asks$" said)" = 0 ] || fail "counts: $(cat said)"
grep -q '>+10 %<' counted/ab-cells.svg && grep -q '>50.5<' counted/icount-cells.svg || fail "counted: $(ls counted)"
grep -q ' (not checked)<' counted/ab-cells.svg && ! grep -rq '(not checked)<' cells || fail "what was not checked is said"
check "pictures" -- python3 "$source_folder/tests/cli/pictures.py" ./*/*.svg
check "named" -- fb plot bits.json -o named --only fpr-cells >/dev/null
[ "$(wc -l <named/fpr-cells.dat)" = 49 ] || fail "more rows than fit, or fewer"

# A design that is in no table has one colour in all figures of a call.
sed 's/"leveldb"/"theirs"/g' few.json >theirs.json
sed 's/"nori"/"mine"/g' absent.json >mine.json
fb plot --unchecked theirs.json mine.json -o coloured >/dev/null 2>&1 || fail "coloured"
[ "$(grep -lE "rgb\( *94, *60, *153\)" coloured/*.svg)" = coloured/lsm-cost.svg ] ||
    fail "colours: $(grep -lE "rgb\( *94, *60, *153\)" coloured/*.svg)"

# What gnuplot warns of is passed on.
mkdir data && cp -r "$source_folder/plots" data/
echo 'stats data skip 1 using (NaN) nooutput' >>data/plots/fpr-cells.gp
FILTERBENCH_DATA=$PWD/data fb plot one.json -o warned >/dev/null 2>said || fail "warned: $(cat said)"
grep -q '^filterbench: note: gnuplot: .*warning: No valid data' said || fail "no warning: $(cat said)"

# Nothing is left out without a word: other sizes, numbers of keys and results have pictures of their own.
draws "sizes" sizes-each sizes.json
for size in 8 16; do
    grep -q "throughput.*against footprint, bits_per_key=$size\$" drawn.txt || fail "size $size: $(cat drawn.txt)"
done
grep -q 'footprint of the filter, bits_per_key=8<' sizes-each/throughput.svg || fail "throughput.svg does not tell its size"
awk -F'\t' '$2 == "design" && ($7 < 15 || $7 > 17) {exit 1}' sizes-each/throughput-bits_per_key=16.dat || fail "16 bits"
check "two sweeps" -- small fpr-bits --set 'n=[100,200]' --set 'bits_per_key=[6,10,14]' -d nori -o two.json
draws "two results" results bits.json two.json
[ "$(ls results/*.svg | tr '\n' ' ')" = "results/fpr-bits-result-2-n=100.svg results/fpr-bits.svg " ] ||
    fail "two results: $(cat drawn.txt)"
check "one of three" -- small fpr-bits --set n=100 --set 'bits_per_key=[5,9,13]' -d nori -o other.json
sed 's/"absent": 0.5/"absent": 0.25/' absent.json >later.json
draws "two trees" forests absent.json
fb plot --unchecked absent.json later.json -o forests >drawn.txt 2>/dev/null
# Two results of one experiment are one picture: what is equal once, what differs once for each, under its letter.
[ "$(ls forests/*.svg)" = forests/lsm-cost.svg ] || fail "two trees: $(cat drawn.txt)"
[ "$(cut -f1,3 forests/lsm-cost.dat | tail -n +2 | sed -n '1,6p' | tr '\t\n' ' ,')" = \
    "nori(A) 0,nori(A) 0.5,nori(A) 1,nori(B) 0,nori(B) 0.25,nori(B) 1," ] || fail "two trees: $(cat forests/lsm-cost.dat)"
words forests/lsm-cost.svg | tr -s ' ' | grep -q 'A: absent.json. B: later.json. Without a letter: equal in all.' || fail "lsm-cost.svg: no files"
for design in 'nori(A),' 'nori(B),'; do grep -q ">$design" forests/lsm-cost.svg || fail "lsm-cost.svg does not name $design"; done
cp absent.json equal.json
draws "equal trees" equal absent.json equal.json
cmp -s equal/lsm-cost.dat trees/lsm-cost.dat || fail "equal trees: $(cat equal/lsm-cost.dat)"
sed 's/"cpu_model": "[^"]*"/"cpu_model": "Neoverse"/' few.json >arm.json
check "claims" -- fb reproduce 'abloom.t1.1.*' --quick -o claims.json >/dev/null 2>&1
fb plot --unchecked few.json arm.json claims.json claims.json -o machines >drawn.txt 2>/dev/null || fail "two machines: $(cat drawn.txt)"
[ "$(cut -f1 machines/fpr-cells.dat | sed -n '2,3p' | tr '\n' ,)" = "leveldb bpk=10 A,leveldb bpk=10 B," ] || fail "two machines: $(cat machines/fpr-cells.dat)"
[ "$(awk -F'\t' '$3 == "document" {print $2}' machines/claims.dat | tr '\n' ,)" = "abloom (A),abloom (B)," ] || fail "two ledgers: $(cat machines/claims.dat)"
words machines/fpr-cells.svg | grep -q 'B: arm.json, Neoverse' || fail "fpr-cells.svg does not tell its machines"
python3 - <<'PYTHON'
import json
document = json.load(open("counts.json"))
document["cells"] = [{"id": f"{d}/n={n}", "design": d, "per_operation": n} for d in ("nori", "leveldb") for n in range(1, 49)]
json.dump(document, open("many.json", "w"))
document = json.load(open("kernels.json"))
for cell in document["cells"]:
    if cell["design"] == "nori" and cell["footprint"] == "L2":
        cell["predicted_fpr"] = None
json.dump(document, open("no-rate.json", "w"))
PYTHON
fb plot --unchecked no-rate.json -o no-rate >drawn.txt 2>/dev/null || fail "no rate"
grep -q '^    Not in this picture: nori in L2\.$' drawn.txt || fail "no word of a design without a rate: $(cat drawn.txt)"
words no-rate/cost-fpr.svg | grep -q 'Not in this picture: nori in L2\.' || fail "cost-fpr.svg: no word of nori"

check "--only" -- fb plot bits.json n.json -o one --only fpr-n >/dev/null
[ "$(find one -type f | wc -l)" = 3 ] || fail "--only draws others: $(ls -a one)"
# Rows that had no room, and designs of results of another kind.
fb plot --unchecked many.json counts.json two.json -o many >drawn.txt 2>/dev/null || fail "many rows"
grep -q "^    Not in this picture: leveldb. It shows 48 of 98 rows. 'filterbench export RESULT --to csv' has all" drawn.txt &&
    words many/icount-cells.svg | grep -q 'The first 48 of 98 rows' && [ "$(grep -c '^    ' drawn.txt)" = 1 ] ||
    fail "rows without room: $(cat drawn.txt)"

refuses 2 'give the files' plot -o drawn
refuses 2 "did you mean 'fpr-bits'" plot bits.json --only fpr-bit -o none
refuses 2 'nothing to draw: claims needs a result of reproduce with a claim' plot n.json --only claims -o none
refuses 2 'nothing to draw: lsm-cost needs .*--absent' plot onetree.json --only lsm-cost -o none
refuses 2 'missing.json' plot missing.json -o none
refuses 74 'no/such/folder' plot n.json -o no/such/folder
refuses 74 'n.json' plot n.json -o n.json
mkdir bin
[ $# -lt 3 ] || ln -s "$(command -v "$3")" bin/
command=(env PATH="$folder/bin" "${command[@]}")
refuses 2 'gnuplot-nox' plot n.json -o none
[ ! -e none ] || fail "left behind: $(ls -a none)"
mkdir there && echo old >there/fpr-n.dat
refuses 2 'gnuplot-nox' plot n.json -o there
[ "$(cat there/*)" = old ] || fail "a failed call changed $(ls there)"
ln n.json there/fpr-n.svg
refuses 2 'there/fpr-n.svg' plot n.json -o there
[ "$(cat there/fpr-n.dat)" = old ] || fail "a refused call changed $(ls there)"
[ -z "$(find . -name '*.tmp*')" ] || fail "left behind: $(find . -name '*.tmp*')"
finish
