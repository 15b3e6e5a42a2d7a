# Cards and --versus of trees, instructions, attacks and engines: every number that a card prints is worked out anew from the
# document, a card has at most five lines of 80 columns and sentences of 20 words, and what `show --versus` prints is
# a ratio of two numbers of the document.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder TMPDIR=$PWD/databases
mkdir databases

run() { fb "${@:2}" -o "$1.json" >"$1.run" 2>log || fail "$*: $(cat log)"; }
tree=(run smoke --set keys=dec6,random --queries 20k)
run lsm "${tree[@]}" -d sbbf-512,leveldb,fuse-8,always -b 8,10
run splits run monkey --ci --set levels=4 -d bloom-independent,rocksdb-fastlocal
run unranked run fjall-leveled --ci
run timed "${tree[@]}" -d nori,leveldb --set timed=true --set rounds=1 --set min_processes=6 --set max_processes=6 \
    --set budget=1 --set cpu=none --set keys=dec6 --absent 0.5
run icount run icount -d fuse-8,sbbf-256,leveldb,null -n 1000,500 -b 8,10
run attack run adversary --quick -d leveldb,fuse-8
run known run adversary --quick -d leveldb,counting --set attacks=degenerate --set hash=null
run secret run adversary --quick -d leveldb --set attacks=flood --set hash=siphash-2-4
kinds="lsm splits unranked timed icount attack known secret"
if [ -e "$(dirname "$executable")/filterbench_engine_leveldb.so" ]; then
    run engine engine fjall-leveled -d leveldb,sbbf-256 -b 10 -n 3k --queries 2k
    kinds+=" engine"
fi

# No crash and no word too many where cells are missing, or all of them are.
python3 - $kinds <<'PYTHON'
import json, sys
for name in sys.argv[1:]:
    document = json.load(open(name + ".json"))
    document["cells"] = document["cells"][:1]
    json.dump(document, open(name + "-one.json", "w"))
    document["cells"] = []
    json.dump(document, open(name + "-none.json", "w"))
if "engine" in sys.argv: # a block that was not predicted, in one of five
    document = json.load(open("engine.json"))
    absent = document["cells"][-1]["rates"]["absent"]
    absent["observed"]["reads"] = 1.2 * absent["predicted"]["reads"]
    absent["verdict"] = "differs"
    json.dump(document, open("engine-off.json", "w"))
PYTHON
for name in $kinds $(ls ./*-one.json ./*-none.json ./*-off.json 2>/dev/null | xargs -n1 basename -s .json); do
    fb show --unchecked "$name.json" 2>/dev/null | sed '/^warning: this result was not checked/d' >"$name.shown"
    [ -s "$name.shown" ] || fail "show $name"
    fb export --unchecked "$name.json" --to md 2>/dev/null | grep -E '^Next: ' && fail "a card in Markdown: $name"
    [ ! -e "$name.run" ] || sed '/^$/q' "$name.run" | diff - <(sed '/^$/q' "$name.shown") || fail "card of run and show: $name"
done
for name in lsm splits unranked timed icount engine; do
    [ ! -e $name.json ] || for design in leveldb sbbf-256 rocksdb-fastlocal sbbf-512; do
        fb show $name.json --versus $design >$name.versus.$design 2>/dev/null || rm $name.versus.$design
    done
done
refuses 2 "does not hold designs against each other" show attack.json --versus leveldb
refuses 2 "nothing here was measured of that design" show icount.json --versus nori

python3 - $kinds <<'PYTHON' || fail "cards"
import glob, itertools, json, math, os, re, sys
wrong = []
def claim(name, what, said, is_so):
    if not is_so:
        wrong.append(f"{name}: {what}: {said!r}")
def same(text, x):
    return text == "%.3g" % x
def card_of(name):
    lines = open(name + ".shown").read().split("\n\n")[0].split("\n")
    lines = [l for l in lines if not l.startswith("INCOMPLETE")]
    if not lines[-1].startswith("Next: "):
        return []
    claim(name, "lines", lines, len(lines) <= 5)
    claim(name, "columns", lines, all(len(l) <= 80 for l in lines))
    for sentence in re.split(r"(?<=[.])\s+(?=[A-Za-z0-9])", " ".join(lines[:-1])):
        claim(name, "words", sentence, len(sentence.split()) <= 20)
    return lines
def controls(design):
    return design in ("always", "null", "exact")
def short(n):
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n == unit or n >= 10 * unit and n * 10 % unit == 0:
            return "%.10g%s" % (n / unit, name)
    return "%d" % n

# ---- What is compared: rows (place, doing, quantity, design, value, low, high, may be best) ----
def lsm_rows(document):
    device = document["devices"][0]["name"]
    tables = {}
    for cell in document["cells"]:
        p = cell["params"]
        key = json.dumps([cell["keys"], cell["n"], cell["tree"], p["absent"], p["absent_kind"], p["cache_bytes"], p["filter_residency"]])
        tables.setdefault(key, []).append(cell)
    for cells in tables.values():
        lines = [(c, l) for c in cells for l in c.get("lookups") or [None]]
        cost = lambda l: ((l[1] or l[0])["costs"])[device]
        ranked = lambda l: l[0]["per_filter"]["ranked"]
        lines.sort(key=lambda l: (not ranked(l), cost(l)["cost_ns"], l[0]["filter"]["bytes"]))
        size = lambda c: ("%.4g bits" % c["params"]["bits_per_key"] if c["params"]["bits_per_key"] else
                          "FPR %.4g %%" % (100 * c["params"]["fpr"]) if c["params"]["fpr"] else "") + (
                          " (%s)" % c["params"]["allocation"] if c["params"]["allocation"] not in (None, "uniform") else "")
        sizes = [s for s in dict.fromkeys(size(l[0]) for l in lines) if s] or [""]
        for s in sizes:
            for quantity in "us/query", "reads per query", "MB of filters", "ns/key":
                for cell, lookup in lines:
                    if size(cell) not in ("", s) or quantity != "us/query" and lookup and lookup is not cell["lookups"][0]:
                        continue
                    absent = cell["params"]["absent"]
                    place = f"on {device.replace('default', 'disk')}, {short(cell['n'])} {cell['keys']} keys ({cell['tree']['style']}), " + (
                        "all absent" if absent == 1 else "all present" if absent == 0 else "%.4g %% absent" % (100 * absent))
                    place += ", " + s if s else ""
                    if quantity == "us/query":
                        c = cost((cell, lookup))
                        x = c["cost_ns"], c["low"], c["high"]
                    elif quantity == "reads per query":
                        i = cell["reads"]["io_ci95"]
                        x = cell["reads"]["io"], i["low"], i["high"]
                    elif quantity == "MB of filters":
                        x = (cell["filter"]["bytes"],) * 3
                    else:
                        time = (cell["build"]["levels"][-1:] or [{}])[0].get("time")
                        if not time:
                            continue
                        i = time["ci95"] or {"low": None, "high": None}
                        x = time["median"], i["low"], i["high"]
                    yield place, "a build" if quantity == "ns/key" else "", quantity, cell["design"], *x, ranked((cell, lookup)) and not controls(cell["design"]) and (
                        not s or size(cell) == s)

def icount_rows(document):
    bits = next((c["bits_per_key"] for c in document["cells"] if c["bits_per_key"]), None)
    for c in document["cells"]:
        bits = c["bits_per_key"] or bits
        doing = {"batch": "a batch lookup", "insert": "an insert"}[c["operation"]]
        doing += {0: " of absent keys", 1: " of present keys", None: ""}[c["hit_ratio"]]
        if c["instructions"] is not None:
            x = c["instructions"] / c["operations"]
            yield (f"with {short(c['filter']['n_keys'])} keys" + (" of %.6g bits" % bits if bits else ""), doing, "instructions",
                   c["design"], x, x, x, not controls(c["design"]) and (not bits or bool(c["bits_per_key"])))

def engine_rows(document):
    for quantity in "blocks read", "us":
        for stream in "absent", "present", "mixed":
            for c in document["cells"]:
                rates = c["rates"][stream]
                if quantity == "us":
                    x = rates["ns"]["value"], rates["ns"]["low"], rates["ns"]["high"]
                elif stream == "mixed":
                    continue
                else:
                    i = rates["observed"]["reads_interval"]
                    x = rates["observed"]["reads"], i["low"], i["high"]
                yield (f"in {document['engine']['name']}, %.4g bits" % c["bits_per_key"], f"a{'n' if stream == 'absent' else ''} {stream} Get",
                       quantity, c["design"], *x, True)
rows_of = {"lsm": lsm_rows, "icount": icount_rows, "engine": engine_rows}
scale = {"us/query": 1e-3, "MB of filters": 1e-6, "us": 1e-3}
group = lambda row: row[:3]
def ratio(kind, a, b):
    """x, low, high of row a to row b; ends None where they are not known."""
    (x, xl, xh), (y, yl, yh) = a[4:7], b[4:7]
    if not y:
        return None, None, None
    if None in (xl, xh, yl, yh) or not yl or not yh or kind != "lsm" and not (x and xl):
        return x / y, None, None
    if kind == "lsm":
        return x / y, xl / yh, xh / yl
    down, up = math.hypot(math.log(x / xl), math.log(yh / y)), math.hypot(math.log(xh / x), math.log(y / yl))
    return x / y, x / y * math.exp(-down), x / y * math.exp(up)
def times(x, r):
    """With as many decimals as tell the ends of the interval of r apart, and each number of r from 1."""
    alike = lambda d: r[1] is not None and r[1] < r[2] and f"{r[1]:.{d}f}" == f"{r[2]:.{d}f}" or any(
        y is not None and y != 1 and float(f"{y:.{d}f}") == 1 for y in r)
    return f"{x:.{next((d for d in range(2, 5) if not alike(d)), 5)}f}" if abs(x) < 10 else "%.3g" % x
def told(kind, low, high):
    return low is not None and (low > 1 or high < 1)

# ---- The card of what is compared ----
def check_best(name, document, kind, text, command):
    rows = list(rows_of[kind](document))
    first = next((r for r in rows if r[7]), None)
    if not first:
        return None
    beside = [r for r in rows if group(r) == group(first)]
    best = min((r for r in beside if r[7]), key=lambda r: r[4])
    value = "%.3g" % (scale.get(first[2], 1) * best[4])
    place = first[0][0].upper() + first[0][1:]
    claim(name, "place", text, place + ", " in text)
    claim(name, "doing", text, first[1] in text)
    claim(name, "best", text, re.search(rf"\b{re.escape(best[3])}\b", text) and re.search(rf"(?<![0-9.]){re.escape(value)} ", text))
    others = [r for r in beside if r[7] and r[3] != best[3]]
    if not others:
        if kind == "icount" or kind == "engine" or best[5] == best[6]:
            return best
        ends = ["%.3g" % (scale.get(first[2], 1) * x) for x in best[5:7]]
        claim(name, "interval", text, "(%s to %s)" % tuple(ends) in text)
        return best
    least_of = lambda design: min((r for r in beside if r[3] == design and r[7]), key=lambda r: r[4])
    second = min(others, key=lambda r: r[4])
    r = x, low, high = ratio(kind, second, best)
    claim(name, "second", text, f"{second[3]} " in text and f" {times(x, r)} times" in text)
    if kind != "icount" and low is not None:
        claim(name, "its interval", text, f"({times(low, r)} to {times(high, r)})" in text)
    known = [ratio(kind, r, best) for r in others]
    alike = sum(low is not None and not told(kind, low, high) for _, low, high in known)
    unknown = sum(low is None for _, low, _ in known)
    if kind != "icount" and "ure" in text.replace("measured", ""):
        claim(name, "sure", text, "Sure: the whole" in text and not alike and not unknown)
    cannot = re.search(r"Cannot tell it from (\d+) of (\d+) others", text)
    if cannot:
        claim(name, "alike", text, (int(cannot[1]), int(cannot[2])) == (alike, len(others)))
    claim(name, "command", command, command == f"filterbench show {name}.json --versus {best[3]}")
    groups = {}
    for r in rows:
        if r[7] and r[2] == best[2]:
            groups.setdefault(group(r), []).append(r)
    n = beaten = 0
    for inside in groups.values():
        own = [r for r in inside if r[3] == best[3]]
        other = [r for r in inside if r[3] != best[3]]
        if own and other:
            to = min(own, key=lambda r: r[4])
            n += 1
            beaten += any(told(kind, *ratio(kind, r, to)[1:]) and ratio(kind, r, to)[0] < 1 for r in other)
    said = re.search(r"beaten in (\d+) of (\d+) tables", text)
    if said:
        claim(name, "beaten", text, (int(said[1]), int(said[2])) == (beaten, n))
    said = re.search(r"in any of (\d+) tables", text)
    if said:
        claim(name, "never beaten", text, (int(said[1]), beaten) == (n, 0))
    return best

def check_lsm(name, document, text, command):
    best = check_best(name, document, "lsm", text, command)
    cells = document["cells"]
    if not best:
        out = next(c for c in cells if not c["per_filter"]["ranked"])
        claim(name, "unranked", text, text.startswith("No filter is best here") and
              f"A filter of {out['design']} holds {short(round(out['per_filter']['keys']))} keys here, "
              f"and {short(round(out['per_filter']['unscaled_keys']))} at scale 1." in text)
    second = re.search(r"Second is (.*): ([0-9.e+]+) us/query", text)
    if second:
        device = document["devices"][0]["name"]
        costs = sorted((cost[device]["cost_ns"], cost[device]["low"], cost[device]["high"]) for c in cells
                       for cost in [l["costs"] for l in c.get("lookups") or [c]] if c["per_filter"]["ranked"] and not controls(c["design"])
                       and (c["params"]["absent"], c["keys"]) == (cells[0]["params"]["absent"], cells[0]["keys"]))
        claim(name, "second", text, same(second[2], costs[1][0] / 1e3))
        claim(name, "cannot tell", text, ("Cannot tell" in text) == (costs[1][1] <= costs[0][2]))

def check_attack(name, document, text, command):
    sides = [[c for c in document["cells"] if (c["hash"] is not None) == secret] for secret in (False, True)]
    designs = [sorted({c["design"] for c in side}) for side in sides]
    fallen = [sorted({c["design"] for c in side if c["verdict"] == "falls"}) for side in sides]
    undecided = [sum(c["verdict"] == "undecided" for c in side) for side in sides]
    if sides[0]:
        claim(name, "answer", text, f"{len(fallen[0])} of {len(designs[0])} designs fall to an attacker who knows the hash" in text)
        for named, of in re.findall(r"hash(: |, not )([^.]*)\.", text):
            claim(name, "names", text, sorted(of.split(", ")) == (fallen[0] if named == ": " else sorted(set(designs[0]) - set(fallen[0]))))
        rate = lambda c, what: sum(c["counts"][what.replace("asked", "passed")]) / sum(c["counts"][what])
        gains = [(rate(c, "asked") / rate(c, "random_asked"), c) for c in sides[0] if c["verdict"] == "falls" and rate(c, "random_asked")]
        claim(name, "any worst", text, bool(gains) == ("Worst: " in text))
        if gains:
            gain, c = max(gains, key=lambda g: g[0])
            claim(name, "worst", text, "Worst: %s passes %.3g %% of the keys found, %.0f times the random rate." % (
                c["design"], 100 * rate(c, "asked"), gain) in text)
        claim(name, "undecided", text, f"{undecided[0]} of {len(sides[0])} such attacks" in text)
    if sides[1] and fallen[1]:
        claim(name, "secret", text, f"With a secret seed {len(fallen[1])} of {len(designs[1])} still fall." in text)
    elif sides[1]:
        claim(name, "secret", text, f"With a secret seed none of {len(designs[1])} falls. {undecided[1]} of {len(sides[1])} attacks" in text)
    else:
        claim(name, "no secret", text, "Hashes with a secret seed were not attacked." in text)
    more = f"run {name}.json --filters {min(1024, 16 * document['experiment']['filters'])}" if sum(undecided) else f"show {name}.json --explain"
    claim(name, "command", command, command == "filterbench " + more)

def check_engine(name, document, text, command):
    check_best(name, document, "engine", text, command)
    cells, engine = document["cells"], document["engine"]["name"]
    verdicts = [{c["rates"][s]["verdict"] for s in ("absent", "present")} for c in cells]
    if all(v == {"equal"} for v in verdicts):
        claim(name, "equal", text, text.startswith(f"{engine} read just the predicted blocks in every Get, with each of {len(cells)} filters."))
    else:
        claim(name, "as predicted", text, text.startswith(
            f"{engine} read as predicted with {sum('differs' not in v for v in verdicts)} of {len(cells)} filters."))
    off = [(abs(c["rates"][s]["observed"]["reads"] / c["rates"][s]["predicted"]["reads"] - 1), c) for c in cells for s in ("absent", "present")
           if c["rates"][s]["predicted"]["reads"]]
    most, c = max(off, key=lambda o: o[0])
    claim(name, "off", text, ("Most off is %s: %.3g %%." % (c["filter"], 100 * most) in text) == (most > 0))

checks = {"lsm": check_lsm, "attack": check_attack, "engine": check_engine,
          "icount": lambda name, document, text, command: check_best(name, document, "icount", text, command)}
names = [n[:-6] for n in glob.glob("*.shown")]
for name in names:
    document, lines = json.load(open(name + ".json")), card_of(name)
    if not document["cells"]:
        claim(name, "a card of nothing", lines, not lines)
    elif lines:
        checks[document["kind"]](name, document, " ".join(lines[:-1]), lines[-1][6:])
    else:
        claim(name, "no card", lines, document["kind"] == "lsm" and all(controls(c["design"]) for c in document["cells"]))
    claim(name, "what was measured has a card", lines, lines or name not in sys.argv)

# ---- What a table marks with = is what the verdict does not tell apart ----
n_marked = 0
for name in "lsm", "timed", "splits":
    rows = [r for r in lsm_rows(json.load(open(name + ".json"))) if r[2] == "us/query"]
    for block in open(name + ".shown").read().split("\n\n"):
        heading, *lines = block.split("\n")
        ranked = [l for l in lines if re.match(r"=? +[0-9]+ ", l)]
        if "a read takes" not in heading or not ranked:
            continue
        keys, absent = re.search(r"\((\S+)\)", heading)[1], re.search(r"([0-9.]+) % absent", heading)[1]
        place = "all absent" if absent == "100" else "all present" if absent == "0" else absent + " % absent"
        costs = sorted(set(r[4:7] for r in rows if f" {keys} keys (" in r[0] and place in r[0]))
        # By the cost as the table prints it, which several rows may share.
        printed = lambda us: f"{us:.{0 if us >= 1000 else 1 if us >= 100 else 2 if us >= 10 else 3}f}"
        shown = [(printed(x[0] / 1e3), not told("lsm", *ratio("lsm", (0,) * 4 + x, (0,) * 4 + costs[0])[1:])) for x in costs]
        for line in ranked[1:]:
            mark = [like for value, like in shown if value in line.split()[3:]]
            n_marked += 1
            claim(name, "=", line, (line[0] == "=") in mark)
claim("=", "rows", n_marked, n_marked > 10)

# ---- show --versus: the rows of each table, in some order ----
n_told = 0
for path in glob.glob("*.versus.*"):
    name, design = path.split(".versus.")
    document = json.load(open(name + ".json"))
    kind, text = document["kind"], open(path).read()
    rows = [r for r in rows_of[kind](document)]
    for (place, doing, quantity), inside in itertools.groupby(sorted(rows, key=group), key=group):
        inside = list(inside)
        heading = place + (", " + doing if doing else "") + ": " + quantity + "\n"
        own = [r for r in inside if r[3] == design]
        claim(path, "heading", heading, (heading in text) == bool(own))
        if not own or heading not in text:
            continue
        to = min(own, key=lambda r: r[4])
        table = text[text.index(heading):].split("\n\n")[0].split("\n")[2:]
        printed = sorted(re.sub(r"  +", "  ", re.sub(r"^[> ] ", "", line).strip()).split("  ") for line in table)
        claim(path, "rows", heading, len(printed) == len(inside))
        for row in inside:
            value = "%.4g" % (scale.get(quantity, 1) * row[4])
            mine = [p for p in printed if p[0] == row[3] and any(value == part.split()[0] for part in p[1:])]
            claim(path, heading + row[3], value, mine)
            if row[3] == design or not mine:
                continue
            r = x, low, high = ratio(kind, row, to)
            if x is None:
                continue
            exact = quantity in ("instructions", "MB of filters")
            verdict = "no interval" if low is None else ("more" if x > 1 else "less") if told(kind, low, high) else (
                "the same" if exact else "cannot tell")
            ends = None if low is None or exact else f"{times(low, r)} .. {times(high, r)}"
            claim(path, heading + row[3], mine, any(times(x, r) in p and p[-1] == verdict and (ends is None or ends in p) for p in mine))
            n_told += 1
claim("versus", "ratios", n_told, n_told > 50)
print("\n".join(wrong[:12]))
print(f"{len(names)} cards, {n_told} ratios")
sys.exit(bool(wrong))
PYTHON

finish
