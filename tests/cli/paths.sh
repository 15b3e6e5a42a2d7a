# Every string path in the C code is a path of the tables of members: a misspelt one compiles, and
# reads nothing. Names of other JSON (ledgers, reports, profiles) are those that something writes.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
fb list schema >schema.json || fail "list schema"
cat >paths.py <<'PYTHON'
import collections, glob, json, re, sys
root, planted = sys.argv[1], sys.argv[2:]
schema = json.load(open("schema.json"))
inner, open_ended = collections.defaultdict(list), set()

def records(type):
    """The records that a type holds, at any depth."""
    if "$ref" in type:
        yield from records(schema["$defs"][type["$ref"].split("/")[-1]])
    if "properties" in type:
        yield type
    for part in [*type.get("anyOf", ()), type.get("items"), type.get("additionalProperties")]:
        if isinstance(part, dict):
            yield from records(part)

def enter(record):
    for name, type in record["properties"].items():
        found = [r for r in records(type) if r not in inner[name]]
        inner[name] += found
        if type.get("x-type", "").startswith(("object", "{")):
            open_ended.add(name)
        for r in found:
            enter(r)
enter(schema)
for record in schema["$defs"].values():
    if "properties" in record:
        enter(record)

sources = {f: open(f).read() for f in glob.glob(root + "/harness/**/*.[ch]", recursive=True)}
sources.update((name, open(name).read()) for name in planted)
ledgers = "".join(open(f).read() for f in glob.glob(root + "/results/**/*.json", recursive=True))
written = collections.Counter(re.findall(r'"(\w+)"', "".join(sources.values())))
written += collections.Counter({name: 2 for name in re.findall(r'"(\w+)":', ledgers)})
calls = re.compile(r'\b(?:fb_json_(?:num|str|uint|at)|json_object_get)\s*\('
                   r'\s*(?:[^()"]|\((?:[^()]|\([^()]*\))*\))*?,\s*"([\w.$]+)"')

ROWS = {"cell", "rates", "line", "device", "uniform", "lookup", "absent", "present"} # rows of tables, with members inside

def is_known(path):
    """Whether each name is a member of the record before."""
    first, *names = [n for n in path.split(".") if not n.isdigit()]
    if not names:
        return first in inner or first.startswith("$") or written[first] >= 2
    if first in ROWS and is_known(".".join(names)):
        return True
    at, before = inner.get(first, []), first
    for name in names:
        if before in open_ended:
            return True
        hits = [r for r in at if name in r["properties"]]
        if not hits:
            return False
        at, before = [s for r in hits for s in records(r["properties"][name])], name
    return True

paths = [(f, path) for f, text in sources.items() for path in calls.findall(text)]
# The columns of tables: {"FPR %", "fpr.estimate", ...}.
tables = re.compile(r'struct fb_column \w+\[\w*\] = \{(.*?)\n\s*\};', re.S)
column = re.compile(r'\{"(?:[^"\\]|\\.)*",\s*"([\w.]+)"')
columns = [(f, path) for f, text in sources.items() for block in tables.findall(text) for path in column.findall(block)]
columns += [(f, path) for f, text in sources.items() for path in re.findall(r'\.member = "([\w.]+)"', text)]
assert len(columns) > 60, len(columns)
paths += columns
assert len(paths) > 1500, len(paths)
for file, path in paths:
    if not is_known(path):
        print(f"{file}: no record has '{path}'")
PYTHON
python3 paths.py "$source_folder" >unknown || fail "paths.py"
[ ! -s unknown ] || fail "$(cat unknown)"
# And it finds one that is misspelt: a member, a member of a member, a member of another record.
echo 'void f(void) { fb_json_num(cell, "fpr.modell.value"); json_object_get(cell, "n_keyes");
    fb_json_str(document, "run.sharding"); fb_json_num(cell, "counts.estimate"); }' >planted.c
python3 paths.py "$source_folder" planted.c >unknown
[ "$(wc -l <unknown)" = 4 ] || fail "planted: $(cat unknown)"
finish
