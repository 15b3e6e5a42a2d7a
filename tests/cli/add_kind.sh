#!/usr/bin/env bash
# A kind of experiments is one folder and one line: takes the example of harness/README.md at its word,
# in a copy of the tree.
source "$(dirname "${BASH_SOURCE[0]}")/copy.bash" || exit 1
# block LANGUAGE: the first such block of the section.
block() {
    awk -v fence="\`\`\`$1" '/^## /{here = /Adding a kind/} code && /^```$/{exit} code{print} here && $0 == fence{code = 1}' \
        "$source/harness/README.md"
}
mkdir "$tree/harness/kind/coin"
block c >"$tree/harness/kind/coin/kind.c"
block text >"$tree/harness/kind/coin/members.txt"
sed -i 's/^set(FB_KINDS /&coin /' "$tree/CMakeLists.txt"
sed -i 's/^set(FB_KINDS coin fpr/set(FB_KINDS fpr coin/' "$tree/CMakeLists.txt" # fpr stays the first

configure
build filterbench
cd "$tree"

fail() { echo "FAILED: $*"; exit 1; }
fb() { FILTERBENCH_DATA=$tree "$built/filterbench" "$@"; }
fb list kinds >list
grep -qw '^coin' list || fail "not listed: $(cat list)"
echo '{"kind": "coin", "throws": 100, "seed": "0x5eed"}' >coin.json
fb run ./coin.json --dry-run >plan
grep -q '^coin ' plan || fail "plan: $(cat plan)"
fb run ./coin.json -o result.json >table 2>/dev/null || fail "run"
grep -Eq '^ *heads +%$' table || fail "table: $(cat table)"
fb validate result.json >/dev/null || fail "validate"
fb export result.json --to csv >csv
[ "$(head -1 csv)" = id,heads,share ] || fail "CSV: $(cat csv)"
fb export result.json --to counts >counts
grep -q '"heads":' counts || fail "counts: $(cat counts)"
fb compare counts result.json >/dev/null || fail "compare"

# What the driver promises every kind: a changed number, a cell too many and one too few are found.
edited() {
    python3 - "$1" <<'PYTHON'
import json, sys
document = json.load(open("result.json"))
cells = document["cells"]
exec(sys.argv[1])
json.dump(document, open("edited.json", "w"))
PYTHON
    ! fb validate edited.json 2>why || fail "not found: $1"
    grep -Eq "$2" why || fail "$1: $(cat why)"
}
edited 'cells[0]["share"] += 0.01' 'coin: share is not what the facts give'
edited 'cells.append(cells[0])' 'coin: it is there twice'
edited 'cells.append({**cells[0], "id": "edge"})' 'edge: the experiment has no such cell'
edited 'cells.clear()' 'coin: the cell is missing'
