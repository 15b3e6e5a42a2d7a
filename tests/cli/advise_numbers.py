"""Computes every number of an answer of `advise` again from the parts of its document, without any code of it."""
import json, math, random, statistics, sys


def near(a, b, error=1e-6):
    return a == b or abs(a - b) <= error * max(abs(a), abs(b))


class Question:
    """The evidence of an answer, and the inputs that it was asked with."""

    def __init__(self, document):
        self.document, self.answer = document, document["answer"]
        self.asked = dict(document["experiment"], **document.get("inputs", {}))
        self.rows = self.answer["evidence"]
        self.absent, self.read = self.answer["absent"], self.answer["read_ns"]

    def cpu(self, row, absent):
        asked = absent * row["asked_absent"] + (1 - absent) * row["asked_present"]
        return row["cpu_scale"] * (row["walk_ns"] + row["check_ns"] * asked)

    def reads(self, row, absent):
        return row["reads_scale"] * (absent * row["reads_absent"] + (1 - absent) * row["reads_present"])

    def price(self, read):
        a = self.asked
        if a["query_rate"]:
            month = 365.25 / 12 * 86400
            return a["memory_dollars"] * 1e-9 / (a["query_rate"] * month) / (a["read_dollars"] / read)
        return a["memory_price"]

    def time(self, row, absent, read, cpu_off=0, reads_off=0):
        return (self.cpu(row, absent) + cpu_off * row["cpu_error_ns"]
                + read * self.reads(row, absent) * max(0, 1 + reads_off * row["reads_error"]))

    def cost(self, row, absent, read, *off):
        return self.time(row, absent, read, *off) + self.price(read) * row["bytes"]

    def fits(self, row):
        most = self.answer["most_bytes"]
        return row["offered"] and (most is None or row["bytes"] <= most)

    def choose(self, absent, read):
        """The rule as its help says it."""
        cost = [self.cost(r, absent, read) for r in self.rows]
        can = [i for i, r in enumerate(self.rows) if self.fits(r)]
        least = min(cost[i] for i in can)
        good = [i for i in can if cost[i] <= 1.05 * least]
        priced = self.price(read) > 0
        if priced:
            pick = min(can, key=lambda i: cost[i])
        else:
            pick = min(good, key=lambda i: (self.rows[i]["bytes"], cost[i]))
        today = [i for i, r in enumerate(self.rows) if r["present"]]
        stay = [i for i in good if priced or self.rows[i]["bytes"] <= 1.02 * self.rows[pick]["bytes"]]
        if today and today[0] in stay:
            return self.rows[today[0]]
        same = [i for i in stay if today and self.rows[i]["name"] == self.rows[today[0]]["name"]]
        if same:
            return self.rows[min(same, key=lambda i: cost[i] if priced else (self.rows[i]["bytes"], cost[i]))]
        return self.rows[pick]


def same(a, b):
    return all(a[k] == b[k] for k in ("design", "allocation", "bits_per_key"))


def find(rows, wanted):
    return next(r for r in rows if same(r, wanted))


def check_evidence(q):
    """What was measured of a row is in it: medians of all rounds, reads that were counted."""
    d, measured = q.document, 0
    for cell in d["parts"]["final"]["cells"]:
        wanted = {"design": cell["design"], "allocation": cell["params"]["allocation"],
                  "bits_per_key": cell["params"]["bits_per_key"]}
        row = next((r for r in q.rows if same(r, wanted)), None)
        if row is None:
            continue
        measured += 1
        time = cell["lookups"][0]["time"]
        asked = d["experiment"]["absent"]
        checks = {c["design"]: c["ns"] for c in q.asked["engine_checks"]}
        if not checks:
            rounds = [x for process in time["samples_cpu_ns" if time["clock"] == "thread_cpu" else "samples_ns"] for x in process]
            assert near(statistics.median(rounds), q.cpu(row, asked), 1e-3), (row["name"], statistics.median(rounds), q.cpu(row, asked))
        if q.answer["measured"] == q.answer["n"]:
            assert near(cell["reads"]["io"], q.reads(row, asked), 1e-9), (row["name"], cell["reads"])
        low, high = time["ci95"]["low"], time["ci95"]["high"]
        error = (time["median"] - low) / 1.96 if low < time["median"] else (high - low) / 3.92
        if not checks:  # the engine may take as long again for a check
            mix = asked * row["asked_absent"] + (1 - asked) * row["asked_present"]
            error = math.hypot(error, row["cpu_scale"] * row["check_ns"] * mix)
        assert near(row["cpu_error_ns"], error, 1e-9)
    assert measured, "nothing of the final part is in the evidence"


def check_proof(q, proof):
    """Gains as the engine's own cells have them."""
    part, absent = q.document["parts"]["proof"], q.absent
    def cell(row):
        return next(c for c in part["cells"] if c["own"] and (c["design"], c["bits_per_key"]) == (row["design"], row["bits_per_key"]))
    def mean(c, by, what):
        return absent * c["rates"]["absent"][by][what] + (1 - absent) * c["rates"]["present"][by][what]
    observed = {}
    for row in proof["settings"]:
        c = cell(row)
        ns = c["rates"]["mixed"]["ns"]["value"]
        reads = mean(c, "observed", "reads")
        assert near(row["reads"], reads), row
        if "foretold" in c:
            assert near(row["predicted_ns"]["value"], c["foretold"]["mixed"]["value"])
        else:
            e = find(q.rows, row)
            assert near(row["predicted_ns"]["value"], e["cpu_scale"] * (e["walk_ns"] + e["check_ns"] * mean(c, "predicted", "checks"))
                        + q.read * mean(c, "predicted", "reads"))
            ns += reads * (q.read - (c["costs"]["read"] or {"value": 0})["value"])
        assert near(row["observed_ns"]["value"], ns, 1e-6), row
        pick = proof["settings"][0]
        if row is not pick:
            for by in "predicted", "observed":
                assert abs(row[by + "_gain_ns"]["value"] - row[by + "_ns"]["value"] + pick[by + "_ns"]["value"]) < 1e-3
    verdicts = [r["verdict"] for r in proof["settings"][1:]]
    worst = next((v for v in ("refuted", "not told apart") if v in verdicts), "proved") if verdicts else "not told apart"
    assert proof["verdict"] == worst, (proof["verdict"], verdicts)


def check(q):
    a = q.answer
    check_evidence(q)
    sizes = [r["bytes"] for r in q.rows]
    assert sizes == sorted(sizes) and sizes[0] == 0 and q.rows[0]["design"] is None
    assert all(near(r["cost_ns"], q.time(r, q.absent, q.read)) for r in q.rows)
    pick = q.choose(q.absent, q.read)
    rows = a["ranking"]
    assert [r["pick"] for r in rows].count(True) == 1 and same(next(r for r in rows if r["pick"]), pick), pick
    cost = lambda r: q.time(r, q.absent, q.read)
    priced = [r["cost_ns"]["value"] + r["price_ns"] for r in rows]
    assert all(a <= b * (1 + 1e-12) for a, b in zip(priced, priced[1:])), priced
    today = next((r for r in q.rows if r["present"]), None)
    error = lambda e: math.hypot(e["cpu_error_ns"], q.read * e["reads_error"] * q.reads(e, q.absent))
    for row in rows:
        e = find(q.rows, row)
        assert near(row["bytes"], e["bytes"]) and near(row["memory_bits"], 8 * e["bytes"] / a["n"])
        assert near(row["cost_ns"]["value"], cost(e)) and near(row["cpu_ns"]["value"], q.cpu(e, q.absent))
        assert near(row["reads"]["value"], q.reads(e, q.absent)) and near(row["price_ns"], q.price(q.read) * e["bytes"])
        assert near(row["cost_ns"]["high"] - cost(e), 1.96 * error(e), 1e-4) or error(e) == 0, row
        assert (row["saves"] is None) == (today is None)
        assert today is None or abs(row["saves"] - (1 - cost(e) / cost(today))) < 1e-9
        like = not row["pick"] and e["bytes"] <= 1.02 * pick["bytes"] and \
            abs(cost(e) - cost(pick)) <= 1.96 * (error(e) + error(pick))
        assert row["like_pick"] == like, row
    assert near(a["without_ns"], cost(q.rows[0])) and near(a["price_ns_per_byte"], q.price(q.read))
    # What the next bit saves.
    best, front = math.inf, []
    for r in q.rows:
        if q.fits(r) and r["name"] == pick["name"] and cost(r) < best:
            front = [f for f in front if f["bytes"] != r["bytes"]] + [r]
            best = cost(r)
    assert len(front) == len(a["front"]) and all(same(f, g) and near(cost(f), g["cost_ns"]) for f, g in zip(front, a["front"]))
    for f, g in zip(a["front"], a["front"][1:]):
        assert near(g["saves_ns"], f["cost_ns"] - g["cost_ns"], 1e-3)
    # What the engine lacks.
    other = [e for e in q.rows if not e["offered"] and e["bytes"] <= max(pick["bytes"], 1) and cost(e) < cost(pick)]
    assert (a["beyond"] is None) == (not other)
    if other:
        best = min(other, key=cost)
        assert near(a["beyond"]["cost_ns"], cost(best)) and near(a["beyond"]["saves"], 1 - cost(best) / cost(pick), 1e-4)
    # Flips: the pick is another on either side, and the one that is told.
    for f in a["flips"]:
        beyond, step = (1.02, 0.98) if f["side"] == "above" else (0.98, 1.02)
        at = lambda x: q.choose(*((q.absent, x) if f["input"] == "read_ns" else (min(x, 1), q.read)))
        assert same(at(f["at"] * beyond), f["after"]), (f, at(f["at"] * beyond)["name"])
        assert same(at(f["at"] * (1 + (beyond - 1) * 1e-6)), f["next"]), (f, at(f["at"] * (1 + (beyond - 1) * 1e-6))["name"])
        assert same(at(f["at"] * step), f["before"]), (f, at(f["at"] * step)["name"])
        here = q.read if f["input"] == "read_ns" else q.absent
        assert (f["at"] < here) == (f["side"] == "below") and f["low"] <= f["at"] * 1.0001 and f["high"] >= f["at"] * 0.9999
    # How sure: resamples of our own.
    draw, good, n = random.Random(1), 0, 2000
    rivals = [e for e in q.rows if q.fits(e) and (e["bytes"] <= pick["bytes"] or not pick["bytes"])]
    for _ in range(n):
        u, z = draw.random(), draw.gauss(0, 1)
        absent = a["low"] + 2 * u * (q.absent - a["low"]) if u < 0.5 else q.absent + (2 * u - 1) * (a["high"] - q.absent)
        read = q.read + z / 1.96 * (q.read - a["read_low_ns"] if z < 0 else a["read_high_ns"] - q.read)
        off = {}
        def noisy(e):
            c, r = off.setdefault(e["name"], (draw.gauss(0, 1), draw.gauss(0, 1)))
            return q.cost(e, absent, max(read, q.read / 16), c, r)
        good += noisy(pick) <= 1.05 * min(map(noisy, rivals))
    assert abs(good / n - a["p"]) <= 0.05, (good / n, a["p"])
    proof = a["proof"]
    if proof:
        check_proof(q, proof)
    level = "HIGH" if a["p"] >= 0.95 else "MEDIUM" if a["p"] >= 0.8 else "LOW"
    refuted = proof and proof["verdict"] == "refuted"
    assert a["confidence"] == ("LOW" if refuted else level if not a["why"] else "MEDIUM"), a["confidence"]
    assert not a["why"] or level != "LOW" or proof
    # The card says these numbers.
    card = " ".join(a["card"])
    assert 1 < len(a["card"]) <= 5 and all(len(line) <= 80 for line in a["card"]), a["card"]
    assert card.startswith("No recommendation") == bool(refuted)
    if pick["design"]:
        assert "%s at %.4g bits per key" % (pick["design"], pick["bits_per_key"]) in card, card
    assert f"Confidence {a['confidence']}" in card, card
    capped = a["why"] and level == "HIGH" and not proof
    assert not capped or "MEDIUM, not HIGH: " + (a["why"][0].lower() + a["why"][1:]).split(",")[0].split(";")[0] + "." in card, card
    assert proof or capped or "in %.3g %% of 2000 resamples" % (100 * a["p"]) in card, card
    if today and not pick["present"]:
        for of, value in (" today", cost(pick) / cost(today)), (".", pick["bytes"] / today["bytes"]):
            percent = 100 * (value - 1)
            said = "as much" if abs(percent) < 0.5 else ("%.2g %% %s" if abs(percent) < 99.5 else "%.0f %% %s") % (abs(percent), "more" if percent > 0 else "less")
            joint = "" if of == "." else " as" if said == "as much" else " than"
            assert f", {said}{joint}{of}" in card, (card, said, of)
    return len(q.rows)


for path in sys.argv[1:]:
    try:
        n = check(Question(json.load(open(path))))
    except AssertionError as wrong:
        import traceback
        sys.exit(f"{path}: {wrong}\n{traceback.format_exc()}")
    print(f"{path}: {n} rows of evidence")
