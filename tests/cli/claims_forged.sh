# validate of claims: whatever a row says beside its facts is found when it is changed, by what
# follows from the facts, the ledger and the experiment; so it is, too, where whoever changed it
# hashed the content anew. Facts that are changed change what follows, or cannot have been counted.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# A rate, a position, a size, a test that is replayed; and where no emulator makes it slow a source's row, a number of
# an experiment, times of kernels.
rows=(ldbrdb.fpr.20bpk nori.pos.0 ldbrdb.ldb.size nori.fpr.results.12bpk.measured)
[ ${#command[@]} = 1 ] && rows+=(fjall.share.version ldbrdb.ex.one_read nori.hash.ratio_murmur)
for row in "${rows[@]}"; do
    fb reproduce "$row" --quick -o "$row" >/dev/null 2>&1 || fail "reproduce $row"
done
fb reproduce nori.pos.0 --full -o full >/dev/null 2>&1 || fail "reproduce --full"
for file in "${rows[@]}" full; do
    check "$file" -- fb validate "$file" >/dev/null
done

# Files, and "FILE<tab>EXIT CODES<tab>PATTERN" of each in `forged`.
python3 - full "${rows[@]}" >forged <<'PYTHON' || fail "forgeries"
import copy, json, sys

def leaves(value, path=()):
    if isinstance(value, (dict, list)):
        # Of a list, the last: samples are many.
        items = value.items() if isinstance(value, dict) else list(enumerate(value))[-1:]
        for name, member in items:
            yield from leaves(member, path + (name,))
    elif not str(path[-1]).endswith("_reason"): # words, which nothing decides
        yield path, value

def changed(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 1.001 if value else 0.001
    return 1 if value is None else value + " not"

n = 0
def write(pattern, change):
    """A copy of the document, changed."""
    global n
    n += 1
    document = copy.deepcopy(original)
    change(document, document["cells"])
    json.dump(document, open(f"forged.{n}", "w"))
    print(f"forged.{n}", pattern, sep="\t")

def put(at, path, value):
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value

# What only the hash of the content tells.
silent = "content_xxh3_128 is not"
# Rows whose words are changed as well, and whose members are all taken away.
words = "nori.pos.0", "ldbrdb.fpr.20bpk", "ldbrdb.ldb.size"
for name in sys.argv[1:]:
    original = json.load(open(name))
    row = original["cells"][0]
    id = row["id"]
    for path, value in leaves(row):
        if path == ("id",) or (isinstance(value, str) and name not in words):
            continue
        pattern = f"{id}: {path[0]}[a-z_.]*(: | is not what the facts give)"
        if "facts" in path:
            pattern = f"{id}: |{silent}"
        write(pattern,
              lambda document, cells: put(cells[0], path, changed(value)))
    for member in row.keys() - {"id"} if name in words else ["measured", "verdict"]:
        write(f"{id}: .*({'' if member == 'facts' else member}|is missing)",
              lambda document, cells: cells[0].pop(member))
    for member, value in {"p_value": 0.5, "interval_level": 0.95, "processes": 8, "wide": True,
                          "exact_within": 1, "facts": [{"events": 1}], "events": 5,
                          "interval": {"low": 1, "high": 2}, "repeat": {"facts": []},
                          "clock": "wall", "note": "no"}.items():
        if member not in row and name in words:
            write(f"{id}: ({member}|repeat|facts|.* is missing)",
                  lambda document, cells: cells[0].update({member: value}))
    write(f"{id}: the cell is missing", lambda document, cells: cells.clear())
    write(f"{id}: it is there twice", lambda document, cells: cells.append(row))
    write(f"{id}_: the experiment has no such cell",
          lambda document, cells: cells.append(dict(row, id=id + "_")))
    for path, value in leaves(original.get("times", [])):
        # Estimates are of one clock; a flag more says nothing new of a sample that has one.
        sample = any(str(step).startswith("sample") for step in path)
        write(f": (times|{id}: {'|' + silent if sample else ''})",
              lambda document, cells: put(document["times"], path, changed(value)))
    if "times" in original:
        few = "times: not those that the rows ask for"
        write(few, lambda document, cells: document["times"][0].append(document["times"][0][0]))
        write(few, lambda document, cells: document.pop("times"))
        write(": times is not what the facts give",
              lambda document, cells: document["times"].append(document["times"][0]))

# A rate as another, with all that looks as if it followed.
original = json.load(open("ldbrdb.fpr.20bpk"))
row = original["cells"][0]
id = row["id"]
set_bits = row["facts"][0]["bits_set"]
write(f"{id}: (measured|interval|p_value)[a-z_.]* is not what the facts give",
      lambda document, cells: cells[0]["facts"][0].update(bits_set=[b + 10 for b in set_bits]))
write(f"{id}: facts: 2 records, where 1 are counted",
      lambda document, cells: cells[0]["facts"].append(row["facts"][0]))
write(f"{id}: facts: record 0 lacks 'bits_set'",
      lambda document, cells: cells[0]["facts"][0].update(bits_set=set_bits[:-1]))
write(f"{id}: facts: record 0 says more than was counted",
      lambda document, cells: cells[0]["facts"][0].update(more=1))
write("warnings: one that follows", lambda document, cells: document.update(warnings=[]))
if "ldbrdb.ex.one_read" in sys.argv:
    original = json.load(open("ldbrdb.ex.one_read"))
    at = "results.ldbrdb.ex.one_read: .*"
    result = lambda document: document["results"]["ldbrdb.ex.one_read"]
    counts = lambda document: result(document)["cells"][0]["counts"]
    for name in "asked", "data_false", "read_found", "any_false":
        write(at, lambda document, cells: counts(document).update({name: counts(document)[name] + 7}))
    write(at, lambda document, cells: result(document)["cells"].clear())
    write("its part is of another experiment|" + at,
          lambda document, cells: result(document)["experiment"].update(queries=3))
    write("the part that it rests on is missing", lambda document, cells: document["results"].clear())
original = json.load(open("full"))
write("nori.pos.0: repeat: it is missing", lambda document, cells: cells[0].pop("repeat"))
PYTHON
n=0
while IFS=$'\t' read -r file pattern; do
    n=$((n + 1))
    refuses 5 "$pattern" validate "$file"
done <forged
[ $n -gt 100 ] || fail "only $n forgeries"
finish
