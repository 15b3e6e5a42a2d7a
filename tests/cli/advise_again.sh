# advise --again: the same evidence, other inputs; and the numbers of each answer, computed without any code of it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

fb advise -n 20k --tree leveled,L=2,l0=1 --absent 0.2..0.6 --engine rocksdb --all-designs -d rocksdb-fastlocal,sbbf-256,rocksdb-ribbon \
    --from rocksdb-fastlocal,14 --io 50us --queries 20k --budget 0.2 -o today.json >/dev/null 2>stderr || fail "today: $(cat stderr)"
python3 - <<'PYTHON' || fail "today"
import json
today = json.load(open("today.json"))["answer"]
# RocksDB has no sbbf-256 and no bits for each level: they are compared, and not picked.
assert {r["offered"] for r in today["evidence"] if r["design"] == "sbbf-256" or r["allocation"] == "optimal"} == {False}
assert [r["bits_per_key"] for r in today["ranking"] if r["present"]] == [14]
assert all(e["engine"] == "rocksdb" for e in today["engines"]) and today["engines"][0]["more"] == 0
PYTHON

# Other inputs, and back: the answer is that of the first time. A flip holds 2 % on either side.
again() { fb advise --again "$@" 2>stderr || fail "again $*: $(cat stderr)"; }
again today.json --io 5us -o again-fast.json >again-fast.table
again again-fast.json --absent 0.95 --memory 40Ki -o again-both.json >/dev/null
again today.json --memory-price 0.05 -o again-priced.json >/dev/null
again again-both.json --io 50us --absent 0.4:0.2..0.6 -b 0 --format json >again-back.json
python3 - <<'PYTHON' || fail "asked again"
import json
first, back = (json.load(open(name + ".json")) for name in ("today", "again-back"))
def alike(a, b):  # numbers as they are stored, in 15 digits
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(alike, a, b))
    return a == b or isinstance(a, float) and abs(a - b) <= 1e-9 * abs(a)
assert alike(first["answer"], back["answer"]) and set(back["inputs"]) > {"device", "absent"}, back["inputs"]
with open("flips", "w") as file:
    for flip in first["answer"]["flips"]:
        names = {"read_ns": "--io %.6fns", "absent": "--absent %.9f"}
        for factor in 0.98, 1.02:
            after = (factor > 1) == (flip["side"] == "above")
            pick = flip["after" if after else "before"]
            at = factor * flip["at"] if flip["input"] == "read_ns" else min(1, factor * flip["at"])
            print(names[flip["input"]] % at, pick["bits_per_key"], pick["name"], file=file)
PYTHON
[ "$(wc -l <flips)" -ge 4 ] || fail "few flips: $(cat flips)"
while read -r option value bits name; do
    again today.json "$option" "$value" --format json >flipped.json </dev/null
    python3 - "$bits" "$name" <<'PYTHON' || fail "at $option $value not $name at $bits"
import json, sys
pick = next(r for r in json.load(open("flipped.json"))["answer"]["ranking"] if r["pick"])
assert [str(pick["bits_per_key"]), pick["name"]] == sys.argv[1:], pick
PYTHON
done <flips
check "valid when asked again" -- fb validate again-both.json >valid
check "numbers" -- python3 "$source_folder/tests/cli/advise_numbers.py" {today,again-fast,again-both,again-priced}.json
refuses 2 'inputs: engine: what was measured depends on it; ask anew' advise --again today.json --engine leveldb
refuses 2 'nothing is measured again; give a time, 50us' advise --again today.json --io measured:.
refuses 2 'leave --db, --keys, -n, --sst-sizes and --tree out' advise --again today.json -n 5
refuses 2 'foo: unknown field' advise --again today.json --set foo=1
refuses 2 'from: sbbf-512 was not measured; ask anew' advise --again today.json --from sbbf-512,10
refuses 2 'runs nothing; leave --dry-run' advise --again today.json --dry-run
refuses 2 'it would be read and written' advise --again today.json --io 5us -o today.json
refuses 2 'it has no answer to ask again' advise --again "$source_folder/tests/fuzz/results/ab.json"
finish
