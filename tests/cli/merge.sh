#!/usr/bin/env bash
# Shards of a run, merged: the counts of one run to the byte, in whatever order and grouping; and what
# cannot be merged.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

run=(run fpr-smoke -d nori,leveldb,cuckoo-12,null --filters 5 --probes 3000)
shards() { # N NAME RUN...: NAME1.json to NAMEn.json
    local n=$1 name=$2 i
    shift 2
    for ((i = 1; i <= n; i++)); do
        fb "$@" --shard $i/$n -o "$name$i.json" >/dev/null 2>&1 || fail "shard $i/$n: $*"
    done
}
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ: ${*:3}"; }
counts() { fb export "$1" --to counts; }
rehash() { # the hash of what a forger wrote
    local hash
    hash=$(fb validate "$1" 2>&1 | grep -o '([0-9a-f]\{32\})' | tr -d '()')
    [ -z "$hash" ] || python3 -c "import json; d = json.load(open('$1')); d['content_xxh3_128'] = '$hash'
json.dump(d, open('$1', 'w'))"
}
forge() { # FILE TO PYTHON: that on the document d
    python3 -c "import json; d = json.load(open('$1')); $3; json.dump(d, open('$2', 'w'))"
    rehash "$2"
}

fb "${run[@]}" -o whole.json >/dev/null 2>&1
counts whole.json >whole.counts
shards 3 s "${run[@]}"
for file in s1 s2 s3; do check "validate $file" -- fb validate $file.json >/dev/null; done
fb show s1.json | grep -q '^shard 1 of 3: .* its part of [0-9]* more' || fail "show: $(fb show s1.json | head -2)"

# ---- All of them; test_merge has every order and grouping, and the refusals ----
fb merge s3.json s1.json s2.json -o all.json 2>note
grep -qx '.*note: wrote all.json: 3 runs of 1 machine, 3 of 3 shards' note || fail "note: $(cat note)"
same <(counts all.json) whole.counts "counts"
check "validate all" -- fb validate all.json >/dev/null
fb merge s1.json s2.json -o 12.json 2>/dev/null
fb merge 12.json s3.json 2>/dev/null >left.json
same left.json all.json "(1 2) 3"
fb show all.json | head -1 | grep -qx 'merged: 3 runs of 1 machine; 3 of 3 shards' || fail "show all"
same <(fb show all.json | grep '^nori ') <(fb show whole.json | grep '^nori ') "tables"
# Some of them: no cell is whole.
check "validate 12" -- fb validate 12.json >/dev/null
fb show 12.json | head -1 | grep -q '; 2 of 3 shards; [1-9][0-9]* cells wait for the others$' || fail "$(fb show 12.json | head -1)"
python3 - <<'PYTHON' || fail "a part"
import json
part, whole = json.load(open("12.json")), json.load(open("all.json"))
assert not part["run"]["complete"] and whole["run"]["complete"]
assert part["merged"]["shards"] == {"of": 3, "there": [1, 2]}, part["merged"]
assert len(part["cells"]) < len(whole["cells"]) and len(whole["cells"]) == len(json.load(open("whole.json"))["cells"])
PYTHON

# Without -o, each to a file of its own.
fb "${run[@]}" --shard 2/3 2>&1 >/dev/null | grep -q 'wrote results/runs/fpr-smoke-2-of-3.json' || fail "the file of a shard"

# More shards than blocks, and one cell of one filter, by its probes.
shards 7 t run fpr-smoke -d nori -b 10 --set 'fpr=[]' --set keys=random -n 300 --filters 2
fb run fpr-smoke -d nori -b 10 --set 'fpr=[]' --set keys=random -n 300 --filters 2 -o few.json >/dev/null 2>&1
fb merge t?.json -o seven.json 2>/dev/null
same <(counts seven.json) <(counts few.json) "7 shards of 2 filters"
one=(run fpr-smoke -d sbbf-256 --fpr 0.001 --set keys=random -n 2000 --filters 1 --probes 5000000)
shards 3 u "${one[@]}"
fb "${one[@]}" -o one.json >/dev/null 2>&1
fb merge u?.json -o three.json 2>/dev/null
same <(counts three.json) <(counts one.json) "3 shards of one filter"
python3 - <<'PYTHON' || fail "probes of one filter"
import json
asked = [f["filters"][0] for i in (1, 2, 3) for f in json.load(open(f"u{i}.json"))["fragments"]]
asked = sorted((f["first"], f["end"]) for f in asked)
assert len(asked) == 3 and asked[0][0] == 0 and asked[-1][1] == 5000000, asked
assert all(a[1] == b[0] for a, b in zip(asked, asked[1:])), asked
PYTHON

# ---- What cannot be ----
refuses 2 'merge: which results' merge
refuses 2 'none.json' merge s1.json none.json
refuses 2 "'3/2' is not I/N; give 3/8" "${run[@]}" --shard 3/2
refuses 2 'with a precision the number of probes' "${run[@]}" --precision 0.1 --shard 1/2

# Two runs that have not counted the same: of a shard, of a filter that two shards share, of a cell.
forge s1.json forged.json 'd["fragments"][0]["filters"][0]["events"] += 1'
check "the forger's hash" -- fb validate forged.json >/dev/null
refuses 5 'merge: .*: two runs of shard 1 of 3 have not counted the same' merge s1.json forged.json
refuses 5 'its shards together have not counted what another run has' merge forged.json s2.json s3.json whole.json
for edit in '["checksum"] = "0x0000000000000001"' '["block_checksum"] = "0x0000000000000001"'; do
    forge u2.json forged.json 'd["fragments"][0]["filters"][0]'"$edit"
    refuses 5 'two shards have built one filter and not got the same' merge u1.json forged.json u3.json
done
forge whole.json forged.json 'd["machine"]["cpu_model"] = "another"; d["cells"][0]["counts"]["checksum"] = "0x0000000000000001"'
refuses 5 'merge: .*counts.checksum' merge whole.json forged.json
forge all.json forged.json 'd["cells"][0]["counts"]["n_keys"] += 1'
refuses 5 "forged.json: .*it breaks the rule 'counts.n_keys = n'" validate forged.json
forge s1.json forged.json 'd["fragments"].append({**d["fragments"][0], "id": "nori/x"})'
refuses 5 'forged.json: nori/x: the experiment has no such cell' validate forged.json
finish
