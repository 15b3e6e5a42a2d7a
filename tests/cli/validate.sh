# validate: every member of a cell, changed, is found by what stands beside it; the rest, which is
# named here, by the hash of the content.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# Bits of filters that nobody kept; probes of the first of a run's filters, whose keys nobody counted.
fpr_alone=$'counts.block_checksum\ncounts.checksum'
lsm_alone=$'filter.checksum\nruns.6.probes'

fb run fpr-smoke -d nori -b 10 -n 500 --filters 2 --probes 500 -o fpr.json >/dev/null 2>&1 || fail "fpr"
fb run fjall-leveled --ci -d fjall-1 -o lsm.json >/dev/null 2>&1 || fail "lsm"

# flip KIND: a file for each member of the first cell, named by its path, that has it changed.
flip() {
    python3 - "$1" <<'PYTHON' || fail "changes of $1"
import json, os, sys
kind = sys.argv[1]
document = json.load(open(kind + ".json"))

def leaves(value, path=()):
    if isinstance(value, (dict, list)):
        # Of a list, the last: samples and runs are many.
        items = value.items() if isinstance(value, dict) else list(enumerate(value))[-1:]
        for name, member in items:
            yield from leaves(member, path + (name,))
    elif not str(path[-1]).endswith("_reason"): # words, which nothing decides
        yield path, value

def changed(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str) and value.startswith("0x"):
        return "0x%016x" % (int(value, 16) ^ 1)
    return 1 if value is None else "none"

os.mkdir(kind)
for path, value in leaves(document["cells"][0]):
    at = document["cells"][0]
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = changed(value)
    json.dump(document, open(f"{kind}/{'.'.join(map(str, path))}", "w"))
    at[path[-1]] = value
PYTHON
}

python3 -c 'import json; d = json.load(open("fpr.json")); d["run"]["seed_root"] = "0x0000000000000007"
json.dump(d, open("seed.json", "w"))'
refuses 5 'run.seed_root' validate seed.json

# A warning that follows from the counts cannot be left out.
fb run fpr-smoke -d bloom-double -b 10 -n 500 --hash identity --filters 2 --probes 500 -o warned.json >/dev/null 2>&1
check "warned" -- fb validate warned.json >/dev/null
python3 -c 'import json; d = json.load(open("warned.json")); d["warnings"] = d["warnings"][1:]
json.dump(d, open("silent.json", "w"))'
refuses 5 'warnings: one that follows' validate silent.json

for kind in fpr lsm; do
    check "$kind" -- fb validate $kind.json >/dev/null
    id=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["cells"][0]["id"])' $kind.json)
    flip $kind
    n=0
    alone=${kind}_alone
    for file in "$kind"/*; do
        member=${file#*/}
        n=$((n + 1))
        if grep -Fqx "$member" <<<"${!alone}"; then
            refuses 5 'content_xxh3_128 is not' validate "$file"
        elif [ "$member" = id ]; then
            refuses 5 'none: (the experiment has no such|no cell)' validate "$file"
        else
            refuses 5 ": $id: " validate "$file"
        fi
    done
    [ $n -gt 40 ] || fail "$n members of $kind"
done
finish
