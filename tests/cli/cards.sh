#!/usr/bin/env bash
# The card and --versus of rates and times: each number is computed again from the document, by code of this test's own.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

fb run fpr -d nori,leveldb,sbbf-256,bloom-double,fuse-8 -b 12,10 -n 500,20k --filters 4 --probes 4096 -o "it's.json" >rates.txt \
    2>/dev/null || fail "rates"
fb run fpr -d nori,leveldb,sbbf-256 --fpr 0.01 -n 1k --filters 4 --probes 4096 -o sizes.json >sizes.txt 2>/dev/null || fail "sizes"
fb run fpr -d nori -b 10 -n 1k --filters 4 --probes 4096 --format json >one.json 2>/dev/null || fail "one design"
fb run kernels --quick -d sbbf-256,nori,fuse-8 --footprints L1,L2 --budget 2 -o times.json >times.txt 2>/dev/null || fail "times"
fb show one.json >one.txt
for name in "it's" times; do
    fb show "$name.json" --versus nori >"$name.versus" || fail "$name --versus"
done
fb show sizes.json --versus leveldb >sizes.versus || fail "sizes --versus"
next=$(sed -n 's/^Next: //p' rates.txt)
eval "fb ${next#filterbench }" >next.txt || fail "the command that comes next: $next"
grep -q '^>' next.txt || fail "next: $(cat next.txt)"
python3 - <<'PYTHON' || fail "numbers"
import json, math, re, statistics
def card(name):
    lines = open(name + ".txt").read().split("\n\n")[0].split("\n")
    assert 1 < len(lines) <= 5 and all(len(l) <= 80 for l in lines), lines
    for sentence in re.split(r"(?<=[.:]) ", " ".join(l for l in lines if not l.startswith("Next: "))):
        assert len(sentence.split()) <= 20, sentence
    return lines
def load(name):
    return json.load(open(name + ".json"))
def say(x, r):
    """With as many decimals as tell the ends of the interval of r apart, and each number of r from 1."""
    alike = lambda d: r[1] is not None and r[1] < r[2] and f"{r[1]:.{d}f}" == f"{r[2]:.{d}f}" or any(
        y is not None and y != 1 and float(f"{y:.{d}f}") == 1 for y in r)
    return f"{x:.{next((d for d in range(2, 5) if not alike(d)), 5)}f}" if x < 10 else f"{x:.3g}"
g3 = lambda x: f"{x:.3g}"
def ends(f):
    i = f["t95"] or f["wilson95"]
    return i["low"], i["high"]
def ratio(a, b):
    x, (al, ah), (bl, bh) = a["estimate"] / b["estimate"], ends(a), ends(b)
    if not al > 0 or not bl > 0:
        return x, None, None
    down = math.hypot(math.log(a["estimate"] / al), math.log(bh / b["estimate"]))
    up = math.hypot(math.log(ah / a["estimate"]), math.log(b["estimate"] / bl))
    return x, x * math.exp(-down), x * math.exp(up)
def text(r):
    return say(r[0], r) + (f" ({say(r[1], r)} to {say(r[2], r)})" if r[1] is not None else "")

# Rates: the card is of 20,000 keys and 12 bits, the first of those.
cells, lines = load("it's")["cells"], card("rates")
fair = lambda bits, n: {c["design"]: c["fpr"] for c in cells
                        if c["params"]["bits_per_key"] == bits and c["n"] == n and abs(c["fpr"]["bits_per_key"] / bits - 1) <= 0.05}
there = fair(12, 20000)
order = sorted(there, key=lambda d: there[d]["estimate"])
best = order[0]
assert lines[0] == f"At 12 bits per key and 20k keys, {best} has the lowest FPR: {g3(100 * there[best]['estimate'])} %.", lines
r = ratio(there[order[1]], there[best])
assert lines[1].startswith(f"{order[1]} has {say(r[0], r)} times that rate"), lines
for d in re.findall(r"(?:^|, )([a-z0-9-]+) (?:has )?[\d.]+", lines[1]):
    r = ratio(there[d], there[best])
    assert f"{d} has {say(r[0], r)} times that rate ({say(r[1], r)} to {say(r[2], r)})" in lines[1] or f"{d} {text(r)}" in lines[1], lines
alike = [d for d in order[1:] if ratio(there[d], there[best])[1] <= 1 <= ratio(there[d], there[best])[2]]
sure = " ".join(lines)
assert (f"it from {alike[0]}:" if len(alike) == 1 else f"{len(alike)} of {len(order) - 1} others" if alike else "Sure:") in sure, (alike, lines)
beaten = [(b, n) for n in (20000, 500) for b in (12, 10)
          if any((r := ratio(f, fair(b, n)[best]))[2] is not None and r[2] < 1 for d, f in fair(b, n).items() if d != best)]
assert (f"beaten in {len(beaten)} of 4 tables" if beaten else "in any of 4 tables") in sure, (beaten, lines)
assert lines[-1] == f"Next: filterbench show 'it'\\''s.json' --versus {best}", lines

rows = [l.split() for l in open("it's.versus") if re.match(r"[> ] [a-z]", l)]
shown = {}
for block in open("it's.versus").read().split("\n\n")[1:]:
    if m := re.match(r"at (\d+) bits per key and (\S+) keys: FPR %\n", block):
        for l in block.split("\n")[2:]:
            parts = l[2:].split()
            shown[m[1], m[2], parts[0]] = parts[1:]
assert len(shown) == 4 * 4 + 2, shown  # fuse-8 has one size for each number of keys
for (bits, n, design), said in shown.items():
    f = {c["design"]: c["fpr"] for c in cells if c["n"] == {"20k": 20000, "500": 500}[n] and c["params"]["bits_per_key"] in (float(bits), None)}
    assert said[0] == f"{100 * f[design]['estimate']:.4g}", (design, said)
    if design == "nori":
        continue
    r = x, low, high = ratio(f[design], f["nori"])
    assert said[1] == say(x, r) and (low is None or said[2:5] == [say(low, r), "..", say(high, r)]), (bits, n, design, said, x)
    verdict = "no interval" if low is None else "more" if low > 1 else "less" if high < 1 else "cannot tell"
    assert " ".join(said[5 if low is not None else 2:]) == verdict, (said, verdict)

# Sizes of one rate: exact.
cells = {c["design"]: c["fpr"]["bits_per_key"] for c in load("sizes")["cells"]}
lines = card("sizes")
best = min(cells, key=cells.get)
assert f"{best} takes the least memory: {g3(cells[best])} bits per key." in lines[0], lines
versus = open("sizes.versus").read()
for d in cells.keys() - {"leveldb"}:
    assert re.search(rf"^  {d} +{cells[d]:.4g} +{say(x := cells[d] / cells['leveldb'], (x, x, x))} ", versus, re.M), (d, versus)

# One design: no contest.
lines, cell = card("one"), load("one")["cells"][0]
low, high = ends(cell["fpr"])
assert lines[0] == f"At 10 bits per key and 1k keys, nori has an FPR of {g3(100 * cell['fpr']['estimate'])} % ({g3(100 * low)} to {g3(100 * high)}).", lines

# Times: pairs of the same process.
cells, lines = {c["id"]: c for c in load("times")["cells"]}, card("times")
clock = "samples_cpu_ns" if load("times")["timing"]["clock"] == "thread_cpu" else "samples_ns"  # beside other work
logs = lambda c: [math.log(p[0]) for p in c["time"][clock]]  # --quick: one round
at = lambda d: next(c for c in cells.values() if c["design"] == d and c["footprint"] == "L2" and c["operation"] == "batch")
def hodges_lehmann(d):
    return statistics.median((d[i] + d[j]) / 2 for i in range(len(d)) for j in range(i + 1))
def times(a, b):  # over eight blocks of processes, or fewer
    d = [x - y for x, y in zip(logs(at(a)), logs(at(b)))]
    n = min(len(d), 8)
    return math.exp(hodges_lehmann([hodges_lehmann(d[i * len(d) // n:(i + 1) * len(d) // n]) for i in range(n)]))
best = min(("sbbf-256", "nori", "fuse-8"), key=lambda d: at(d)["time"]["median"])
for _ in range(3):  # where pairs say that another is faster, it is
    second = min({"sbbf-256", "nori", "fuse-8"} - {best}, key=lambda d: times(d, best))
    best = second if times(second, best) < 1 else best
assert lines[0] == f"In L2, a batch lookup is fastest in {best}: {g3(at(best)['time']['median'])} ns.", lines
second = min({"sbbf-256", "nori", "fuse-8"} - {best}, key=lambda d: times(d, best))
near = lambda said, x: said == (f"{x:.{len(said.partition('.')[2])}f}" if x < 10 else f"{x:.3g}")
said = re.match(rf"{second} takes ([\d.]+) times as long \(", lines[1])
assert said and near(said[1], times(second, best)), (lines, times(second, best))
versus = open("times.versus").read()
for d in ("sbbf-256", "fuse-8"):
    said = re.search(rf"^  {d} .*? ([\d.]+)  [\d.]+ \.\. [\d.]+ ", versus.split("in L2, a batch lookup: ns")[1], re.M)
    assert said and near(said[1], times(d, "nori")), (versus, times(d, "nori"))
PYTHON

# In pictures and on pages.
if command -v gnuplot >/dev/null; then
    fb plot times.json --versus nori -o pictures >/dev/null 2>&1 || fail "plot --versus"
    [ -s pictures/versus.svg ] || fail "no picture: $(ls pictures)"
    [ "$(ls pictures | grep -vc '^versus\.')" = 0 ] || fail "other pictures: $(ls pictures)"
fi
fb report times.json --versus nori -o r.html 2>/dev/null || fail "report --versus"
grep -q 'data-figure="versus"' r.html || fail "no figure on the page"
grep -q '<ul class="card">' r.html || fail "no card on the page"

# What nobody measured is said before anything is.
refuses 2 '--versus leveldb: that design is not among those to be measured; add it to -d' run fpr -d nori -b 10 -n 100 --versus leveldb
refuses 2 "times.json: --versus leveldb: nothing here was measured of that design" show times.json --versus leveldb
refuses 2 "filterbench show 'it'.*s[.]json'. lists the designs" show "it's.json" --versus quotient
refuses 2 "times.json: --versus leveldb: nothing here was measured of that design" plot times.json --versus leveldb
refuses 2 "times.json: --versus leveldb: nothing here was measured of that design" report times.json --versus leveldb -o no.html
[ ! -e no.html ] || fail "a page of nothing"
fb run fpr -d nori,leveldb -b 10 -n 1k --filters 2 --probes 1000 --versus nori -o v.json 2>/dev/null | grep -q "multiple of nori's (>)" || fail "run --versus"
finish
