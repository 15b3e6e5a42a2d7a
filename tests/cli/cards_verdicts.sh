# Cards of reproduce, compare, study, ab and advise: every number in them, computed again from the result by code of
# this test. At most five lines of 80 columns and sentences of 20 words. The command that is to come next works.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder
plugins=$(dirname "$executable")/tests/plugins
cp "$plugins/revision_same.so" base.so
cp "$plugins/revision_slow.so" head.so
short=(--set first=2 --set second=8 --set rounds=3 --set plain=2 --set 'footprints=["L1"]' --set operations=batch --set designs=sbbf-256)
small=(fpr-smoke -d nori,sbbf-256 -b 10 --fpr 0.01 -n 300 --filters 2 --probes 500)

check "claims" -- fb reproduce 'nori.tune.*' nori.check.and --quick -o claims.json >claims.txt 2>/dev/null
check "computed" -- fb reproduce 'abloom.t1.1.*' --quick -o computed.json >computed.txt 2>/dev/null
check "time" -- fb reproduce nori.check.and --quick -o time.json >time.txt 2>/dev/null
fb ab base.so head.so "${short[@]}" -o slower.json >slower.txt 2>/dev/null
fb ab base.so base.so "${short[@]}" -o same.json >same.txt 2>/dev/null
fb ab base.so head.so --exact -o exact.json >exact.txt 2>/dev/null
check "advise" -- fb advise -n 2k -d nori,sbbf-256 -b 10 --queries 200 --budget 0.02 -o advised.json >advised.txt 2>/dev/null
check "advise --from" -- fb advise -n 2k -d nori --from leveldb,10 -b 12 --queries 200 --budget 0.02 --io 50us -o today.json >today.txt 2>/dev/null
check "run" -- fb run "${small[@]}" -o one.json >/dev/null 2>&1
check "run" -- fb run "${small[@]}" -o two.json >/dev/null 2>&1
fb export one.json --to counts >one.counts
python3 - <<'PYTHON'
import json
document = json.load(open("one.counts"))
document["cells"][1]["counts"]["checksum"] = "0x0000000000000000"
json.dump(document, open("two.counts", "w"))
del document["cells"][0]
json.dump(document, open("few.counts", "w"))
PYTHON
check "equal" -- fb compare one.json two.json >equal.txt
check "itself" -- fb compare one.json one.json >itself.txt
fb compare one.counts two.counts >differ.txt 2>/dev/null
fb compare one.counts few.counts >few.txt 2>/dev/null
fb compare few.counts two.counts >more.txt 2>/dev/null
check "new" -- fb study new st --shards 2 -- run "${small[@]}" 2>/dev/null
status() { # exit code 1: a shard has failed
    { fb study status st >"$1.txt" || [ $? = 1 ]; } && { fb study status st --format json >"$1.json" || [ $? = 1 ]; }
}
status begun
fb study shard st 2 2>/dev/null && printf '{"kind' >st/shard-1.json.journal
status half
fb study shard st 1 2>/dev/null
status whole
check "merge" -- fb study merge st >merged.txt 2>/dev/null
status merged

cat >cards.py <<'PYTHON'
import json, math, re, sys

def load(name):
    return json.load(open(name + ".json"))

def card_of(name):
    lines = open(name + ".txt").read().split("\n\n")[0].split("\n")
    while lines and lines[0].startswith(("merged: ", "INCOMPLETE")):
        del lines[0]
    assert 1 <= len(lines) <= 5, (name, lines)
    assert all(0 < len(line) <= 80 for line in lines), (name, lines)
    told = " ".join(line for line in lines if not line.startswith("Next: "))
    for sentence in re.split(r"(?<=[.;:?]) ", told):
        assert len(sentence.split()) <= 20, (name, sentence)
    commands = [line[6:] for line in lines if line.startswith("Next: ")]
    assert len(commands) <= 1 and (not commands or lines[-1] == "Next: " + commands[0]), (name, lines)
    return told, (commands or [None])[0]

def expect(name, told, next_command):
    found = card_of(name)
    assert found == (" ".join(told), next_command), f"{name}: {found}\nand not {(' '.join(told), next_command)}"

def many(n):
    return f"{n} cell" + "s" * (n != 1)

# ---- Claims ----

def number(value):
    return f"{value:.0f}" if 9999.5 <= abs(value) < 1e12 else f"{value:.4g}"

def claims(name, next_command=None):
    rows = load(name)["cells"]
    measured = [r for r in rows if r["model"] != "computed"]
    word = "measured" if any(r["verdict"] in ("reproduced", "not reproduced", "undecided") for r in measured) else "computed"
    if word == "computed":
        judged = [r for r in rows if r["model"] == "computed"]
    else:
        judged = measured
    by = {v: [r for r in judged if r["verdict"] == v] for v in ("reproduced", "not reproduced", "undecided")}
    yes, no, open_ = map(len, by.values())
    told = [f"{yes} of {yes + no + open_} {word} claim{'' if yes + no + open_ == 1 else 's'} {'holds' if yes == 1 else 'hold'} here, {no} {'does' if no == 1 else 'do'} not, "
            f"and {open_} {'is' if open_ == 1 else 'are'} undecided."]
    if no:
        worst = max(by["not reproduced"], key=lambda r: abs(math.log(r["measured"] / r["claimed"])))
        start = f"{worst['id']} is furthest off: {number(worst['measured'])}"
        end = f", not {worst['printed']}"
        times = f" ({worst['measured'] / worst['claimed']:.3g} times)"
        forms = [start + " " + worst["unit"] + end + times + ".", start + " " + worst["unit"] + end + "."]
        told.append(next((f for f in forms if len(f) <= 80), forms[-1]))
        next_command = f"filterbench describe {worst['id']}"
    elif open_:
        next_command = f"filterbench reproduce {by['undecided'][0]['id']} --full"
    if word == "measured":
        confirmed = sum(r["model"] == "confirmed" for r in rows)
        assert not any(r["model"] == "failed" for r in rows)
        told.append(f"Our models agree with {'the 1 measurement' if confirmed == 1 else f'all {confirmed} measurements'} they predict." if confirmed else
                    "No model of ours predicts what was measured here.")
    times = sum(r["verdict"] == "not judged" for r in rows)
    timed = f" Not judged: {times} of one machine's times." if times else ""
    told.append(f"--full may settle the {open_} undecided.{timed}" if open_ else
                "No claim is undecided." + (timed or " --full narrows the intervals."))
    expect(name, told, next_command)

claims("claims")
claims("computed", "filterbench plot computed.json")
expect("time", ["No claim here can be judged by measuring."], None)

# ---- Two revisions ----

def percent(ratio):
    return f"{100 * (ratio - 1):+.1f}"

def ab(name):
    d = load(name)
    verdict, cells = d["verdict"], d["cells"]
    kind = verdict["verdict"]
    count = lambda v: sum(c["change"]["verdict"] == v for c in cells)
    slower, faster, n = count("slower"), count("faster"), len(cells)
    also = f", and faster in {faster}" if faster else ""
    moved = sum(c["change"]["moved"] for c in d["controls"])
    told = [{"machine": f"Do not trust this machine now: of {len(d['controls'])} controls of equal code {moved} moved.",
             "slower": f"HEAD is slower in {slower} of {many(n)}{also}.",
             "faster": f"HEAD is faster in {faster} of {many(n)}, and nowhere slower.",
             "cannot tell": f"We cannot tell in {verdict['left_out'] + verdict['not_confirmed'] or verdict['coarse']} "
                            f"of {many(n + verdict['left_out'])} whether HEAD is slower{also}.",
             "none seen": f"Slowdowns of HEAD: none seen in {many(n)}."}[kind]]
    named = [c for c in cells if kind not in ("slower", "faster") or c["change"]["verdict"] == kind]
    most = (min if kind == "faster" else max)(named, key=lambda c: c["change"]["ratio"])
    ends = most["change"]["interval"]
    ends = f" ({percent(ends['low'])} to {percent(ends['high'])})" if ends else ""
    told.append(f"Largest change: {most['id']}, by {percent(most['change']['ratio'])} %{ends}.")
    told.append(f"90 % of slowdowns this large are found: L1 {100 * max(c['change']['finds'] for c in cells):.2g} %.")
    alpha, delta = (f"{100 * d['experiment'][m]:.3g}" for m in ("alpha", "delta"))
    coarse = sum(c["change"]["finds"] > d["experiment"]["delta"] for c in cells)
    open_ = count("not confirmed")
    layout = count("layout")
    told.append({"machine": "Try again when nothing else runs on this machine.",
                 "slower": f"The rule gives a false alarm in {alpha} % of runs." +
                           (f" By place in memory alone: {layout}." if layout else ""),
                 "cannot tell": f"There was no time for {many(open_)}: give --budget {2 * d['experiment']['budget']:.3g}." if open_ else
                                f"In {many(coarse)} {delta} % could be missed: try --delta {math.ceil(100 * verdict['finds'])}%."
                 }.get(kind, f"Smaller slowdowns than {delta} % need a smaller --delta."))
    then = "filterbench doctor" if kind == "machine" else f"filterbench show {name}.json --verbose"
    expect(name, told, then)

ab("slower")
ab("same")
exact = load("exact")["exact"]
assert exact["base"]["cells"] == exact["head"]["cells"]
expect("exact", [f"Nothing was timed. HEAD has the exact facts of BASE, in {many(len(exact['base']['cells']))}."],
       "filterbench calibrate")

# ---- Advice ----

def short(value, units, step=1e3):
    unit = 0
    while value >= step and unit < len(units) - 1:
        value, unit = value / step, unit + 1
    return f"{value:.3g} {units[unit]}"

def time(ns):
    return short(ns, ("ns", "us", "ms", "s"))

def memory(n):
    scale, unit = (1e9, "GB") if n >= 1e9 else (1e6, "MB") if n >= 1e6 else (1e3, "kB")
    return f"{n / scale:.3g} {unit}"

def more(to, base):
    change = 100 * (to / base - 1)
    if abs(change) < 0.5:
        return "as much"
    return (f"{abs(change):.2g}" if abs(change) < 99.5 else f"{abs(change):.0f}") + (" % more" if change > 0 else " % less")

def setting(row):
    split = {"optimal": ", split over the levels", "drop-last": ", none in the last level"}
    return f"{row['design']} at {row['bits_per_key']:.4g} bits per key{split.get(row['allocation'], '')}" if row["design"] else "no filter"

def advice(name):
    a = load(name)["answer"]
    pick = next(r for r in a["ranking"] if r["pick"])
    present = next((r for r in a["ranking"] if r["present"]), None)
    cost = pick["cost_ns"]["value"]
    told = [("Keep what you have: %s." if pick["present"] else "Use %s.") % setting(pick)]
    if present and present is not pick:
        than = more(cost, present["cost_ns"]["value"])
        told.append(f"A query takes {time(cost)}, {than} {'as' if than == 'as much' else 'than'} today. "
                    f"Filters take {memory(pick['bytes'])}, {more(pick['bytes'], present['bytes'])}.")
    elif pick["design"]:
        told.append(f"A query takes {time(cost)}, the filters of {a['n']} keys {memory(pick['bytes'])}. Without: {time(a['without_ns'])}.")
    else:
        told.append(f"A query takes {time(cost)}.")
    if a["why"] and a["p"] >= 0.95:
        told.append(f"Confidence MEDIUM, not HIGH: {(a['why'][0].lower() + a['why'][1:]).split(',')[0].split(';')[0]}.")
    else:
        told.append(f"Confidence {a['confidence']}: within 5 % of the best in {100 * a['p']:.3g} % of 2000 resamples.")
    then = f"filterbench advise --again {name}.json --io 5us"
    if a["flips"]:
        far = lambda f: abs(math.log(f["at"] / a[f["input"]]))
        flip = min(a["flips"], key=far)
        reads, below = flip["input"] == "read_ns", flip["side"] == "below"
        say = time if reads else lambda share: f"{100 * share:.3g} %"
        start = f"{'Below' if below else 'Above'} {say(flip['at'])} {'a read' if reads else 'absent keys'}"
        forms = [f"{start} ({say(flip['low'])} to {say(flip['high'])}), use {setting(flip['next'])}.",
                 f"{start}, use {setting(flip['next'])}.", f"{start}, use another setting (--verbose)."]
        told.append(next(f for f in forms if len(f) <= 80))
        end = flip["low"] if below else flip["high"]
        then = f"filterbench advise --again {name}.json " + (f"--io {end / 1e3:.3g}us" if reads else f"--absent {min(1, max(0, end)):.3g}")
    else:
        told.append("No read time and no share of absent keys changes the setting.")
    expect(name, told, then)
    stored = a["card"]
    assert stored[:-1] == open(name + ".txt").read().split("\n")[:len(stored) - 1], stored
    text = open(name + ".txt").read()
    assert text.count("Confidence ") == 1 and text.count(told[0]) == 1, text

advice("advised")
advice("today")

# ---- Two results ----

cells = len(load("one")["cells"])
sure = "Exact facts need no statistics: they change with the code alone."
expect("equal", [f"BASE and HEAD are equal in the exact facts of {many(cells)}.", sure],
       "filterbench report one.json two.json -o report.html")
expect("itself", [f"BASE and HEAD are equal in the exact facts of {many(cells)}.", sure], "filterbench show one.json")
expect("differ", [f"BASE and HEAD differ in the exact facts of 1 of {many(cells)}.", sure],
       "filterbench compare one.counts two.counts --format json")
expect("few", [f"BASE and HEAD differ in the exact facts of 1 of {many(cells - 1)}.",
               f"1 cell of BASE is missing in HEAD. Equal: {cells - 2}.", sure],
       "filterbench compare one.counts few.counts --format json")
expect("more", [f"BASE and HEAD are equal in the exact facts of {many(cells - 1)}; HEAD has 1 more.", sure], "filterbench compare few.counts two.counts --format json")

# ---- Shards ----

def study(name, table, then):
    s = load(name)
    states = [r["state"] for r in s["rows"]]
    left = "time left unknown" if s["left_s"] is None else f"{s['left_s']:.0f} s left"
    counts = ", ".join(f"{states.count(state)} {state}" for state in ("done", "running", "failed", "waiting"))
    told = [f"{len(states)} shards: {counts}; {left}"]
    numbers = lambda state: ", ".join(str(r["shard"]) for r in s["rows"] if r["state"] == state)
    if "waiting" in states:
        told.append(f"Waiting: {numbers('waiting')}.")
    if s["left_s"]:
        told.append(f"The time left assumes {max(1, states.count('running'))} at a time, as now.")
    if "failed" in states:
        told.append(f"Failed: {numbers('failed')}. Run one again, and it continues.")
    expect(table, told, then)

study("begun", "begun", "filterbench study shard st 1")
study("half", "half", "filterbench study shard st 1")
study("whole", "whole", "filterbench study merge st")
study("merged", "merged", "filterbench show st/result.json")
PYTHON
python3 cards.py || fail "cards: $(tail -n +1 time.txt exact.txt | head -20)"
# With another number in a card they are refused.
for name in claims slower advised differ half; do
    cp $name.txt kept
    sed -i '1s/[0-9]/7/; t; 2s/[0-9][0-9]*/77/' $name.txt
    cmp -s kept $name.txt && sed -i '1s/[0-9]/8/; t; 2s/[0-9][0-9]*/88/' $name.txt
    python3 cards.py >/dev/null 2>&1 && fail "$name: a wrong number in a card is not seen: $(head -2 $name.txt)"
    mv kept $name.txt
done
# What is to be typed next is a command that works.
for name in claims slower advised equal more merged; do
    next=$(sed -n 's/^Next: filterbench //p;/^$/q' $name.txt)
    eval "fb $next" >out 2>err </dev/null || fail "$name: $next: $(head -2 err)"
done
# A result that was not finished, and one without cells.
for name in claims slower advised; do
    python3 - $name <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1] + ".json"))
document["run"]["complete"] = False
document["cells"] = []
for member in "verdict", "answer":
    document.pop(member, None)
json.dump(document, open("none.json", "w"))
PYTHON
    check "none of $name" -- fb show none.json --unchecked >out 2>/dev/null
    ! grep -Eq 'nan|inf ' out || fail "none of $name: $(cat out)"
done
finish
