#!/usr/bin/env bash
# A member of a cell is one line of a table and the code that computes it: adds one to kind fpr, in a
# copy of the tree, and finds it wherever a member must be.
source "$(dirname "${BASH_SOURCE[0]}")/copy.bash" || exit 1
kind=$tree/harness/kind/fpr
sed -i '/^fpr, derived/,/^$/{/^  probes /a\
  true_negatives  count in keys  absent keys that got "no", of all filters
}' "$kind/members.txt"
sed -i '/"probes", fb_json_int(s.probes)/a\
    json_object_set_new(j, "true_negatives", fb_json_int(s.probes - s.events));' "$kind/cell.c"

configure
build filterbench
cd "$tree"

fail() { echo "FAILED: $*"; exit 1; }
fb() { FILTERBENCH_DATA=$tree "$built/filterbench" "$@"; }
fb run fpr-smoke -d leveldb,nori -n 1000 --filters 2 --probes 1000 -o result.json >table 2>/dev/null || fail "run"
python3 - <<'PYTHON' || fail "run: the document"
import json
for cell in json.load(open("result.json"))["cells"]:
    assert cell["fpr"]["true_negatives"] == cell["fpr"]["probes"] - cell["fpr"]["events"] > 0, cell["id"]
PYTHON
fb list schema | python3 -c '
import json, sys
fpr = json.load(sys.stdin)["$defs"]["fpr"]
member = fpr["properties"]["true_negatives"]
assert member["minimum"] == 0 and member["x-unit"] == "keys" and member["x-nature"] == "derived", member
assert "true_negatives" in fpr["required"]' || fail "list schema"
fb export result.json --to csv >csv || fail "export"
head -1 csv | tr , '\n' | grep -qx fpr.true_negatives || fail "CSV: $(head -1 csv)"
for name in true_negatives fpr.true_negatives; do
    fb describe "$name" >told || fail "describe $name"
    grep -q 'count in keys *keys *derived *absent keys that got "no"' told || fail "describe $name: $(cat told)"
done
fb list members >list || fail "list members"
grep -Eq '^fpr  *true_negatives  *count in keys  *derived  *absent keys that got "no"' list || fail "list members"
fb list members --format md >page || fail "list members --format md"
awk '/^#/{here = /^### fpr$/} here' page | grep -Fqx '| `true_negatives` | `count in keys` | derived | absent keys that got "no", of all filters |' ||
    fail "page of members: $(grep true_negatives page)"

# validate holds the document to the line: there, inside its limits, and what the counts give. The
# hash is made anew where it is what is complained of.
fb validate result.json >/dev/null || fail "validate"
refused() { # WHY EDIT
    python3 - "$2" <<'PYTHON'
import json, sys
document = json.load(open("result.json"))
fpr = document["cells"][0]["fpr"]
exec(sys.argv[1])
json.dump(document, open("edited.json", "w"))
PYTHON
    ! fb validate edited.json 2>why || fail "not refused: $2"
    if grep -q content_xxh3_128 why; then
        sed -i "s/\"content_xxh3_128\": *\"[0-9a-f]*\"/\"content_xxh3_128\": \"$(grep -Eo '[0-9a-f]{32}' why)\"/" edited.json
        ! fb validate edited.json 2>why || fail "not refused with its hash made anew: $2"
    fi
    grep -Eq "$1" why || fail "$2: $(cat why)"
}
refused 'fpr: true_negatives is missing' 'del fpr["true_negatives"]'
refused 'fpr.true_negatives: -1 is below 0' 'fpr["true_negatives"] = -1'
refused 'fpr.true_negatives: it is not an integer' 'fpr["true_negatives"] = "many"'
refused 'true_negatives is not what the facts give' 'fpr["true_negatives"] += 1'

# A column of it needs no words of its own: --explain has those of the table of members.
sed -i '/^    {"FPR %", "fpr.estimate"/i\
    {"denied", "fpr.true_negatives", .format = "%.0f"},' "$kind/table.c"
build filterbench
fb show result.json --explain >explained || fail "show --explain"
grep -A 1 '^denied$' explained | grep -qx '    fpr.true_negatives (keys): absent keys that got "no", of all filters' ||
    fail "show --explain: $(grep -A 2 denied explained)"
