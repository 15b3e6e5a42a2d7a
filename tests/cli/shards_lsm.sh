# kind lsm in shards and from its journal: counts are those of one run. No clock value is looked at.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

for i in {1..900}; do
    echo "p key$((i * 7 % 600)) 100"
    echo "g key$((i * 11 % 900))"
done >ops

flat=(run course-50-sstables --ci --set style=flat --set runs=3 --set n=3000 --set timed=false
    --set 'designs=sbbf-512,bloom-double' --bits-per-key 10 --set lookups=batched
    --set 'absent=1,0.5' --cache 0)

# whole NAME ARGUMENTS...: the one run that the others are held against.
whole() {
    local name=$1
    shift
    fb "$@" -o "$name.json" >/dev/null 2>notes || fail "$name: $(cat notes)"
    fb export "$name.json" --to counts -o "$name.counts" || fail "$name: counts"
}

# shards NAME CELLS FRAGMENTS ARGUMENTS...: three shards have so many between them, and are one run.
shards() {
    local name=$1 cells=$2 fragments=$3 i
    shift 3
    whole "$name" "$@"
    for i in 1 2 3; do
        fb "$@" --shard $i/3 -o "$name.$i.json" >/dev/null 2>notes || fail "$name: $(cat notes)"
        fb validate "$name.$i.json" >/dev/null || fail "validate $name.$i"
        fb show "$name.$i.json" >/dev/null || fail "show $name.$i"
    done
    fb merge "$name".[312].json -o "$name.merged.json" >/dev/null 2>notes ||
        fail "merge $name: $(cat notes)"
    fb validate "$name.merged.json" >/dev/null || fail "validate $name.merged"
    fb show "$name.merged.json" >/dev/null || fail "show $name.merged"
    fb export "$name.merged.json" --to counts -o "$name.again" || fail "$name: merged counts"
    cmp "$name.counts" "$name.again" || fail "$name: shards count otherwise"
    python3 - "$cells" "$fragments" "$name".[123].json <<'PYTHON' || fail "$name: what shards have"
import json, sys
shards = [json.load(open(path)) for path in sys.argv[3:]]
for word, name in zip(sys.argv[1:3], ("cells", "fragments")):
    found = "+".join(str(len(shard[name])) for shard in shards)
    if found != word:
        sys.exit("%s: %s, not %s" % (name, found, word))
PYTHON
}

shards queries 0+0+0 4+4+4 "${flat[@]}"
shards few 0+0+0 2+3+3 "${flat[@]}" --set queries=2
shards cache 3+2+3 8+8+8 "${flat[@]}" --set cache_bytes=0,64Ki --set filter_residency=pinned,partitioned
shards scans 0+0+0 10+10+10 run course-prefix --ci --set timed=false --set runs=5 --set n=1000 \
    --set designs=sbbf-512
shards adversary 2+2+2 6+6+6 run adversary-tree --ci --set timed=false
shards trace 1+1+1 0+0+0 run fjall-leveled --set designs=sbbf-512 --bits-per-key 10,12,14 \
    --set style=leveled --set timed=false --trace ops --set trace_memtable_bytes=8000
for name in scans.2 cache.merged; do
    fb validate "$name.json" >/dev/null 2>stderr || fail "validate $name: $(cat stderr)"
done
fb "${flat[@]}" --set cache_bytes=64Ki --shard 1/3 -o note.json >/dev/null 2>notes
grep -q 'shards get whole cells: a block cache is warmed' notes || fail "no note: $(cat notes)"

# A fragment whose counts do not belong to its stretch, and one of a cell that stays whole.
python3 - <<'PYTHON'
import json
document = json.load(open("queries.1.json"))
document["fragments"][0]["end"] -= 1
json.dump(document, open("short.json", "w"))
document["fragments"][0]["end"] += 1
document["fragments"][0]["cell"]["counts"]["run_asked"].append(1)
json.dump(document, open("long.json", "w"))
PYTHON
refuses 5 "fragments.0.: it breaks the rule 'cell.counts.queries = end - first'" validate short.json
refuses 5 "it breaks the rule 'length.run_asked. = length.run_reached.'" validate long.json

# resumed NAME ARGUMENTS...: a run that ended after any step goes on to the same counts. The journal
# of a whole run is had by another name for its file, given once the run has begun it.
resumed() {
    local name=$1 n k
    shift
    whole "$name" "$@"
    { until [ -s run.json.journal ]; do :; done; ln run.json.journal "$name.all"; } 2>/dev/null &
    fb "$@" -o run.json >/dev/null 2>notes || fail "$name: $(cat notes)"
    wait $! || fail "$name: no journal"
    n=$(wc -l <"$name.all")
    rm -f run.json
    for k in $(seq 2 "$n"); do
        head -"$k" "$name.all" >run.json.journal
        tail -n +$((k + 1)) "$name.all" | head -c 100 >>run.json.journal
        fb "$@" --resume -o run.json >/dev/null 2>notes || fail "$name from $k: $(cat notes)"
        absent run.json.journal
        fb export run.json --to counts -o "$name.again" || fail "$name from $k: counts"
        cmp "$name.counts" "$name.again" || fail "$name from $k of $n: resumed otherwise"
        python3 - "$name.json" run.json "$k" "$n" <<'PYTHON' || fail "$name from $k of $n"
import json, sys
whole, resumed = (json.load(open(path)) for path in sys.argv[1:3])
for name in ("warnings", "skipped"):
    if whole[name] != resumed[name]:
        sys.exit("%s: %s, not %s" % (name, resumed[name], whole[name]))
if sys.argv[3] == sys.argv[4] and resumed["resources"]["keys_built"]:
    sys.exit("filters were built whose cells the journal has")
PYTHON
        rm -f run.json
    done
}
resumed adversary run adversary-tree --ci --set timed=false
resumed memtable run fjall-leveled --set designs=sbbf-512,bloom-double --bits-per-key 10 \
    --set style=leveled --set timed=false --cache 0,64Ki --trace ops
resumed timed "${flat[@]}" --set timed=true --set 'runs=2,3' --set n=500 --set rounds=1 \
    --set min_processes=1 --set max_processes=1 --set budget=0.5 --set cpu=none
finish
