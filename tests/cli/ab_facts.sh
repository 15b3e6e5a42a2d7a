# ab: exact facts, which are compared before anything is timed. What differs is named in one line: the
# design, the point of the grid and the fact.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder
plugins=$(dirname "$executable")/tests/plugins
base=$plugins/revision_same.so
cp "$base" copy.so
short=(--exact)

# differs BASE HEAD PATTERN
differs() {
    local got=0
    fb ab "$1" "$2" "${short[@]}" >stdout 2>stderr || got=$?
    [ "$got" = 5 ] || fail "$2: exit code $got, not 5: $(cat stderr)"
    [ "$(wc -l <stderr)" = 1 ] || fail "$2: not one line: $(cat stderr)"
    grep -Eq "^filterbench: ab: [0-9]+ cells of exact facts $3" stderr || fail "$2: $(cat stderr)"
}
differs "$base" "$plugins/revision_probes.so" 'differ, first sbbf-256/plan/bpk=1/n=1000: probes is 8 in BASE and 7 in HEAD$'
differs "$base" "$plugins/revision_twice.so" 'differ, first sbbf-256/plan/bpk=1/n=1000: filter_bytes is 128 in BASE and 256 in HEAD$'
differs "$base" "$plugins/revision_block.so" \
    'differ, first sbbf-256/filter/bpk=10/n=2000: raw is right in BASE and what is read back answers otherwise in HEAD$'
differs "$base" "$plugins/revision_forgets.so" \
    'differ, first sbbf-256/filter/bpk=10/n=2000: filter is right in BASE and kernel scalar [a-z-]+: a batch is answered otherwise in HEAD$'
differs "$base" "$plugins/revision_missing.so" 'of BASE are missing in HEAD, first nori/plan$'

# equal NAME BASE HEAD: nothing differs, and the document holds together.
equal() {
    local got=0
    fb ab "$2" "$3" "${short[@]}" -o "$1.json" >"$1" 2>stderr || got=$?
    [[ $got =~ ^[036]$ ]] || fail "$1: exit code $got: $(cat stderr)"
    fb validate "$1.json" >valid || fail "validate $1"
}
equal same "$base" copy.so
grep -q '^exact facts: 6 cells of the designs equal, 0 differ, 0 new$' same || fail "$(cat same)"
equal more "$plugins/revision_missing.so" "$base"
grep -q '^exact facts: 3 cells of the designs equal, 0 differ, 3 new$' more || fail "a new design: $(cat more)"
FB_DISABLE_ISA=all equal scalar "$base" copy.so
python3 - <<'PYTHON' || fail "documents"
import json
same, scalar = (json.load(open(name + ".json"))["exact"] for name in ("same", "scalar"))
assert same == scalar, "other facts without instruction sets"
rows = same["base"]["cells"]
assert [row["id"] for row in rows] == [f"{d}/{a}" for d in ("sbbf-256", "nori") for a in ("plan", "filter", "contract")]
assert len(json.dumps(same)) < 600 * len(rows), len(json.dumps(same))
forged = json.load(open("same.json"))
forged["exact"]["head"]["cells"][2]["checksum"] = rows[1]["checksum"]
json.dump(forged, open("forged.json", "w"))
PYTHON
refuses 5 'exact.* is not what the facts give' validate forged.json
finish
