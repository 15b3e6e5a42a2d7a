# The schema that comes from the tables of members, asked by a validator that shares nothing with us
# (python3-jsonschema): it takes a document of every kind, and of documents with one member changed,
# taken away or added it refuses those that filterbench refuses.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
python3 -c 'import jsonschema' 2>/dev/null || { echo "SKIPPED: no python3-jsonschema"; exit 77; }

fb list schema >schema.json || fail "list schema"
mkdir documents
short=(-n 300 --filters 2 --probes 300)
make() { # NAME ARGUMENTS...
    fb "${@:2}" -o "documents/$1.json" >/dev/null 2>stderr || fail "$1: $(tail -1 stderr)"
}
tiny=(run kernels --budget 1 --footprints L1 --set min_processes=2 --set max_processes=2 --set rounds=1)
make fpr run fpr-smoke -d filters -b 10 "${short[@]}"
make smoke run fpr-smoke
make shard run fpr-smoke -d nori -b 10 "${short[@]}" --shard 1/2
make kernels "${tiny[@]}" -d cuckoo-12 -b 15 --histograms --operations each,mixed,build --set 'threads=[1,2]'
make icount run icount -d sbbf-256
mkdir disk
make lsm run smoke --ci --device measured:disk
make timed run smoke --ci -d sbbf-256 --set timed=true --set rounds=1 --set keys=pad40
make attack run adversary --quick -d bloom-double --set attacks=degenerate --set tries=512
make claims reproduce 'nori.k.*' 'nori.pos.*' --quick
make advise advise -n 20k -d sbbf-256 -b 10 --queries 2k --budget 0.1
fb engine smoke -d leveldb -n 2k --queries 500 -o documents/engine.json >/dev/null 2>&1 || [ $? = 2 ] || fail engine
cp "$source_folder"/tests/fuzz/results/ab.json "$source_folder"/results/reference/kernels.json documents/

cat >ask.py <<'PYTHON'
import copy, glob, json, random, re, subprocess, sys
from jsonschema import Draft202012Validator
schema = json.load(open("schema.json"))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
fb, draw, told = sys.argv[1:], random.Random(0x5eed), {True: 0, False: 0}

def references(part):
    if isinstance(part, dict):
        for name, member in part.get("properties", {}).items():
            assert re.fullmatch(r"\$?[a-z0-9_]+", name), name
            assert name.endswith("_reason") or "x-type" not in member or member["description"], name
        assert "$ref" not in part or part["$ref"].split("/")[-1] in schema["$defs"], part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        references(inner)

def ours(document):
    """Whether the shape passes: all that is wrong then is the hash, or what the kind makes of it."""
    json.dump(document, open("asked.json", "w"))
    run = subprocess.run(fb + ["show", "asked.json"], capture_output=True, text=True)
    return run.returncode == 0 or "content_xxh3_128 is not" in run.stderr, run.stderr.strip()

def change(document):
    """Changes one member, anywhere but in the experiment and in parts."""
    at, path = document, []
    while True:
        names = list(at) if isinstance(at, dict) else range(len(at))
        if at is document:
            names = [n for n in names if n not in ("experiment", "parts", "content_xxh3_128", "$schema", "schema", "kind", "experiment_hash")]
        name = draw.choice(list(names))
        path.append(name)
        if not isinstance(at[name], (dict, list)) or not at[name] or draw.random() < 0.15:
            break
        at = at[name]
    how = draw.choice(["-1", "text", "gone", "more", "half", "large", "list"])
    if how == "gone" and isinstance(at, dict):
        del at[name]
    elif how == "more" and isinstance(at, dict):
        at["surplus"] = 1
    else:
        at[name] = {"-1": -1, "text": "x", "half": 0.5, "large": 1e30, "list": []}.get(how, {})
    return path + [how]

references(schema)
for name in sorted(glob.glob("documents/*.json")):
    document = json.load(open(name))
    errors = [e.json_path + ": " + e.message[:200] for e in validator.iter_errors(document)]
    assert not errors, (name, errors[:3])
    assert ours(document)[0], (name, ours(document)[1])
    for _ in range(int(40)):
        forged = copy.deepcopy(document)
        path = change(forged)
        theirs, (mine, why) = validator.is_valid(forged), ours(forged)
        told[theirs] += 1
        # What may be null has its reason, and records have rules: the schema cannot say so.
        assert theirs == mine or "does not say why" in why or "it breaks the rule" in why, (name, path, theirs, why)
assert told[True] > 20 and told[False] > 100, told
PYTHON
python3 ask.py "${command[@]}" || fail "the two disagree"
finish
