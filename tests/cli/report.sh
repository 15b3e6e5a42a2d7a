# Reports: one file that is whole, safe and needs nothing else; or one line and no file.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
kernels=$source_folder/results/reference/kernels.json
rates=$folder/fpr-smoke.json
fb run fpr-smoke -o "$rates" >/dev/null 2>&1 || fail "fpr-smoke"

# Reads a report as XML, and finds what no report may have. Other checks follow as Python.
cat >page.py <<'PYTHON'
import json, re, subprocess, sys, xml.etree.ElementTree as tree
text = open(sys.argv[1], encoding="utf-8").read()
page = tree.fromstring(text)
name = lambda e: e.tag.split("}")[1]
parts = lambda tag, of=page: [e for e in of.iter() if name(e) == tag]
told = lambda e: "".join(e.itertext())
ids = [e.get("id") for e in page.iter() if e.get("id")]
assert text.startswith("<!DOCTYPE html>") and len(text) < 3e6, len(text)
assert len(ids) == len(set(ids)), "an id stands twice"
allowed = {"html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "h4", "p", "nav", "ol", "ul",
    "li", "a", "span", "main", "section", "article", "b", "div", "table", "caption", "thead", "tbody", "tr", "th", "td",
    "figure", "figcaption", "details", "summary", "code", "pre", "footer", "script", "svg", "g", "defs", "path",
    "circle", "rect", "polygon", "polyline", "line", "use", "text", "tspan", "pattern", "clipPath", "filter",
    "feFlood", "feComposite"}
for e in page.iter():
    assert name(e) in allowed, name(e)
    for key, value in e.attrib.items():
        assert not key.startswith("on") and key not in ("src", "style", "action"), (name(e), key)
        assert "://" not in value, (name(e), key, value)
        if key.endswith("href"):
            assert value[0] == "#" and value[1:] in ids, value
style, script = told(parts("style")[0]), told(parts("script")[0])
assert "url(" not in style and "@import" not in style and len(parts("script")) == 1 and len(parts("style")) == 1
assert "fetch" not in script and "http" not in script and "innerHTML" not in script
policy = next(m.get("content") for m in parts("meta") if m.get("http-equiv"))
nonce = parts("script")[0].get("nonce")
assert policy == "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-%s'; base-uri 'none'; form-action 'none'" % nonce, policy
for table in parts("table"):  # every row has as many cells as there are columns
    width = lambda row: sum(int(c.get("colspan", 1)) for c in row)
    widths = {width(r) for r in table.iter() if name(r) == "tr" and not any(c.get("rowspan") for c in r)}
    if not any(c.get("rowspan") for c in table.iter()):
        assert len(widths) == 1, widths
rows = lambda table: [[told(c) for c in r] for r in parts("tbody", table)[0] if r.get("class") != "note"]
PYTHON
page() { # WORDS FILE [CHECK]: the checks above, and those
    { cat page.py; printf '%s\n' "${3:-}"; } >check.py
    python3 check.py "$2" 2>wrong || fail "$1: $(tail -2 wrong)"
    command -v tidy >/dev/null || return 0
    tidy -errors -quiet --drop-empty-elements no "$2" 2>&1 | grep -v '"nonce"' >wrong
    [ ! -s wrong ] || fail "$1: tidy: $(head -3 wrong)"
}

# What the preset says of itself is not said of another experiment.
fb run fpr-smoke -n 300 -d nori -b 9 --filters 2 -o other.json >/dev/null 2>&1
fb run other.json -b 9 --filters 2 -o same.json >/dev/null 2>&1
fb run ./other.json --seed 3 --set source=mine -o more.json >/dev/null 2>&1
said() { python3 -c 'import json, sys; e = json.load(open(sys.argv[1]))["experiment"]; print(e["summary"], e["source"], e["runtime"], sep="|")' $1; }
like="Like fpr-smoke, but these fields are changed: designs, bits_per_key, fpr, n, filters"
[ "$(said other.json)" = "$like||" ] || fail "summary: $(said other.json)"
[ "$(said same.json)" = "$like||" ] || fail "summary, not changed again: $(said same.json)"
[ "$(said more.json)" = "$like, seed|mine|" ] || fail "summary, changed again: $(said more.json)"
fb report other.json -o other.html 2>/dev/null
grep -q "<p class=\"asked\">$like<" other.html || fail "a report of the preset: $(grep asked other.html)"
fb run fpr-smoke --show-experiment >asked.as
grep -q '^runtime = "[a-z]' asked.as || fail "the preset's own words: $(cat asked.as)"

mkdir empty
plain() { (PATH=$folder/empty && fb report "$@"); } # no gnuplot
pictures=svg
command -v gnuplot >/dev/null || pictures=
# Both kinds: every table of `show` row by row, every figure of `plot` with its data.
check "report" -- fb report "$rates" "$kernels" -o both.html 2>said
[ -z "$pictures" ] || [ ! -s said ] || fail "report: $(cat said)"
for result in rates kernels; do
    fb show "${!result}" >$result.txt
    [ -z "$pictures" ] || fb plot "${!result}" -o $result.plots --format json >$result.json || fail "plot"
done
page "both" both.html "
import os
sections = {s.get('id'): s for s in parts('section')}
assert list(sections) == ['summary', 'r1', 'r2'], list(sections)
for id, result in ('r1', 'rates'), ('r2', 'kernels'):
    found = [r for t in parts('table', sections[id]) for r in rows(t)]
    shown = {' '.join(' '.join(r).split()) for r in found}
    lines = [' '.join(l.split()) for l in open(result + '.txt')]
    cells = [l for l in lines if l.split()[0:1] and l.split()[0] in {r[0] for r in found}]
    assert len(cells) >= 20, len(cells)
    for l in cells:
        assert l in shown or l in ' '.join(told(sections['summary']).split()), l
    if os.path.exists(result + '.json'):
        figures = {f.get('data-figure'): f for f in parts('figure', sections[id])}
        drawn = json.load(open(result + '.json'))
        assert {d['figure'] for d in drawn} == set(figures), set(figures)
        for d in drawn:
            figure = figures[d['figure']]
            assert len(parts('svg', figure)) == 1 and len(parts('text', figure)) > 10
            data = [l.split('\t') for l in open(d['dat']).read().splitlines()]
            assert data[1:][:1000] == [r for r in rows(parts('table', figure)[0])], d['figure']
            assert d['see'] in told(sections['summary']), d['see']
    document = json.load(open({'r1': '$rates', 'r2': '$kernels'}[id]))
    for fact in document['content_xxh3_128'], document['machine']['cpu_model'], document['build']['compiler'], \
            document['tool']['git'], document['run']['started'], document['run']['seed_root'], document['experiment_hash']:
        assert fact in told(sections[id]), fact
    for left in document['skipped']:
        assert left['id'] in told(sections[id]) and left['why'] in told(sections[id]), left
    for warning in document['warnings']:
        assert warning['detail'] in told(sections[id]), warning
"

# Letters that mean something to HTML, in every text of a result and in the file's name; where gnuplot
# draws, those that may stand in a name.
evil="<b>&'\".json"
python3 - "$rates" "$evil" drawn.json <<'PYTHON'
import json, sys
def taint(value, bad, key=""):
    if isinstance(value, dict):
        return {k: taint(v, bad, k) for k, v in value.items()}
    if isinstance(value, list):
        return [taint(v, bad, key) for v in value]
    return value + bad if isinstance(value, str) and key not in ("kind", "experiment_hash", "seed", "started") else value
bad = "</style></script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'{\"columns\":[]}"
for path, bad in (sys.argv[2], bad), (sys.argv[3], "<script>alert(1)</script>&amp;\"'"):
    document = json.load(open(sys.argv[1]))
    for part in "machine", "tool", "build", "run", "cells", "skipped", "experiment":
        document[part] = taint(document[part], bad)
    document["experiment"].update(summary=bad, source=bad, name=bad)
    document["warnings"] = [{"code": "x", "cell": bad, "detail": bad}]
    document["run"]["complete"] = False
    json.dump(document, open(path, "w"))
PYTHON
check "forged" -- plain "$evil" --unchecked -o forged.html 2>said
page "forged" forged.html "
assert '<script>alert(1)</script><img src=x onerror=alert(2)>' in told(parts('main')[0])
assert 'alert(1)' in told(parts('title')[0]) and '<b>&\'\".json' in told(parts('main')[0])
assert 'Not complete' in told(parts('main')[0]) and 'did not finish' in told(parts('main')[0])
"
check "forged, drawn" -- fb report drawn.json --unchecked -o drawn.html 2>said
page "forged, drawn" drawn.html "
assert '<script>alert(1)</script>&amp;' in told(parts('main')[0])
assert not '$pictures' or any('&amp;' in told(t) for t in parts('text', parts('svg')[0]))
"
# What no text may have is refused, whatever else is not looked at.
for bad in 001b 0001 000a 009b 202e fffe; do
    sed "s|\"run\": {|&\n    \"more\": \"\\\\u$bad\",|" "$rates" >unfit.json
    refuses 2 "unfit\.json: 'more' has a character that is not printable" report unfit.json --unchecked -o a.html
done
plain "$evil" -o no.html >/dev/null 2>&1 && fail "a forged result is shown without --unchecked"

# Two machines: what differs stands side by side, what is equal once; a count that differs is told.
python3 - "$rates" <<'PYTHON'
import copy, json, sys
document = json.load(open(sys.argv[1]))
document["machine"].update(cpu_model="Neoverse", arch="aarch64")
json.dump(document, open("arm.json", "w"))
cell = document["cells"][5]
cell["counts"]["events"][0] += 1
cell["fpr"]["estimate"] = 0.25
json.dump(document, open("other.json", "w"))
open("differing", "w").write(cell["id"])
PYTHON
check "beside" -- plain "$rates" arm.json --unchecked -o beside.html 2>said
page "beside" beside.html "
section = parts('section')[1]
assert len(parts('section')) == 2 and 'Exact facts are equal in all' in told(section)
assert told(parts('ul', parts('section')[0])[0]).strip().startswith('A and B are equal in the exact facts of '), told(parts('ul')[0])
assert 'B: arm.json, Neoverse (aarch64)' in told(section) and not parts('th', parts('table', section)[0])[1].get('colspan')
"
check "other" -- plain "$rates" other.json --unchecked -o other.html 2>said
page "other" other.html "
section, table = parts('section')[1], None
summary = told(parts('section')[0])
assert summary.index('A and B differ in the exact facts of 1 of ') < summary.index('A: At 10 bits per key'), summary
assert 'Next: filterbench compare' in summary and 'other.json, ' in summary
assert open('differing').read() in [told(c) for c in parts('code', section)]
titles = [told(t) for t in parts('th', section) if t.get('colspan') == '2']
assert 'FPR %' in titles and 'bits/key' not in titles, titles
assert any('25' in r for t in parts('table', section) for r in rows(t))
"

# Two runs of one experiment with times: their largest change first, a table of all changes, one figure of both.
sed 's/"started": *"[^"]*"/"started": "2026-11-23T00:00:00Z"/; s/"elapsed_s": *[0-9.]*/"elapsed_s": 1/' "$kernels" >later.json
check "two runs" -- fb report "$kernels" later.json --unchecked -o runs.html 2>said
page "two runs" runs.html "
import os
first, section = parts('section')[0], parts('section')[1]
card = told(parts('ul', first)[0])
assert 'A and B are equal in the exact facts of ' in card and 'No time changed.' in card and 'filterbench ab' in card, card
table = parts('table', section)[0]
assert [told(c) for c in parts('th', table)][:4] == ['cell', 'base ns', 'head ns', 'head/base'] and len(rows(table)) > 20
assert {r[3] for r in rows(table)} == {'1.000'}
names = [f.get('data-figure') for f in parts('figure')]
assert len(names) == len(set(names)) and names, names
for f in parts('figure'):
    assert not '$pictures' or 'B: later.json.' in ' '.join(' '.join(told(t) for t in parts('text', f)).split())
"
python3 - later.json <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
for cell in document["cells"]:
    if cell["design"] == "nori" and "time" in cell:
        cell["time"]["median"] *= 2
json.dump(document, open("slower.json", "w"))
PYTHON
[ -z "$pictures" ] || { fb plot "$kernels" slower.json --unchecked -o slower >/dev/null 2>&1 || fail "plot of two runs"
    for name in 'nori(A)' 'nori(B)' leveldb; do cut -f1 slower/throughput.dat | grep -qxF "$name" || fail "throughput: no $name"; done
    ! cut -f1 slower/throughput.dat | grep -qF 'leveldb(' || fail "throughput: leveldb is equal in both"; }

# Without gnuplot: the data, and a line that says what to install.
plain "$rates" -o plain.html >said 2>&1 || fail "without gnuplot: $(cat said)"
if [ "$(wc -l <said)" = 1 ] && grep -q 'gnuplot-nox' said; then :; else fail "without gnuplot: $(cat said)"; fi
plain "$rates" 2>/dev/null | cmp -s - plain.html || fail "stdout is another page"
page "without gnuplot" plain.html "
assert 'gnuplot-nox' in told(parts('main')[0]) and not parts('svg')
assert parts('figure') and all(rows(parts('table', f)[0]) for f in parts('figure'))
"

# One line, the right code, no file.
cp "$rates" r.json
refuses 2 'which results\? give the files' report
refuses 2 'nowhere\.json' report nowhere.json -o a.html
echo '{' >broken.json && refuses 2 'not JSON' report broken.json -o a.html
echo '{"a": 1}' >none.json && refuses 2 'not a result' report none.json -o a.html
refuses 2 'r\.json: the same result as .*fpr-smoke\.json' report "$rates" r.json -o a.html
refuses 2 'r\.json' report r.json -o r.json
ln -s r.json link.json && refuses 2 'link\.json' report r.json -o link.json
cmp -s r.json "$rates" || fail "an input was overwritten"
refuses 74 'missing/a\.html' report "$rates" -o missing/a.html
refuses 2 'format' report "$rates" --format json
sed 's/"estimate": [0-9.]*/"estimate": 0.5/' r.json >wrong.json
refuses 5 'wrong\.json' report wrong.json -o a.html
[ ! -e /dev/full ] || { fb report "$rates" -o /dev/full 2>said && fail "a full disk"; [ "$(wc -l <said)" = 1 ] || fail "a full disk: $(cat said)"; }
absent a.html no.html missing
[ -z "$(find . -name '*.tmp-*')" ] || fail "left behind: $(find . -name '*.tmp-*')"
finish
