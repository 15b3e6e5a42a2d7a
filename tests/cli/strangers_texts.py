"""Texts and numbers of documents, one after the other replaced by what harms: python3 strangers_texts.py SOURCE SECONDS COMMAND...

A document of each kind is made. Every text in it gets payloads, and every verb that reads documents gets the
document: no signal, no hang, no control character, no file elsewhere, pages and pictures that parse. What there is
no time for is left out, in an order that the number of the day does not change: FB_STRANGERS_SECONDS=100000 has all.
"""
import concurrent.futures, copy, csv, hashlib, html.parser, io, itertools, json, os, re, shutil, subprocess, sys, time
import xml.etree.ElementTree

source, seconds, command = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
designs = os.path.join(os.path.dirname(command[-1]), "filterbench_designs.so")

PAYLOADS = ["\x1b]0;x\x07\x1b[31m", "\x9b31m", "\u202eevil", "a\nb", "a\tb", "\x00", "../../../up", "/tmp/strangers-up", ".",
            "a\"b'c", "</script><script>alert(1)</script><img src=x onerror=alert(2)>", "]]>", "=cmd|'/c'!A1", "@SUM(1)", "+1+1",
            "a|b", "`touch up`$(touch up)", "%s%n%99999d", "^a_b{/Bold c}", "M" * 4_000_000, "[x](http://x.y) www.x.y", "-o", "",
            "\\033[31m \\342\\200\\256", "\\135\\135\\076", "<{}img src=x>w{}ww.x.y http:{}//x.y", "x;touch${IFS}up;#", ";=cmd",
            "\u00e9" * 300, "x" + "\u4e2d" * 300, "\U0001f600" * 200]
NUMBERS = [0, -1, -(2**63), 2**63 - 1]  # what cannot be divided by, or into
UNFIT = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def run(words, folder, limit=60):
    return subprocess.run([*command, *words], cwd=folder, capture_output=True, timeout=limit, stdin=subprocess.DEVNULL)


def documents():
    """The path of a document of each kind."""
    keys = "\n".join(f"key{i}" for i in range(2000))
    open("some.keys", "w").write(keys)
    made = {
        "fpr": "run fpr -d nori,leveldb -b 8,10,12 -n 500 --filters 4 --probes 500",
        "lsm": "run nori-90-absent -d nori,leveldb -n 2000 --set timed=false",
        "attack": "run adversary --quick -d leveldb,nori -n 500",
        "claims": "reproduce nori.fpr.* --quick",
        "icount": "run icount -d nori -n 1000 --set operations=batch",
        "engine": "engine fjall-leveled -n 2000 --set queries=1000",
        "advise": "advise --keys some.keys --budget 1 --absent 0.7",
        "ab": f"ab {designs} {designs} --exact --set designs=nori"}
    def make(kind):
        run([*made[kind].split(), "-o", f"{kind}.json"], ".", 300)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(make, made))
    shutil.copy("times.json", "kernels.json")
    for kind in [*made, "kernels"]:
        if not os.path.exists(f"{kind}.json"):
            assert kind in ("icount", "engine"), kind  # without valgrind, without an engine
            continue
        document = json.load(open(f"{kind}.json"))
        document["cells"] = document["cells"][:4]
        for part in document["cells"] + document.get("devices", []):
            part.pop("histograms", None)
        yield kind, document


def texts(value, path=(), of=str):
    """The paths of all texts, or of numbers; of lists the first two entries."""
    if isinstance(value, of) and not isinstance(value, bool):
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, member in entries:
        yield from texts(member, path + (key,), of)


def replaced(document, paths, payload):
    document = copy.deepcopy(document)
    for path in paths:
        at = document
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = payload
    return document


VERBS = {"show": ["show", "--unchecked", "--verbose", "d.json"], "explain": ["show", "--unchecked", "--explain", "d.json"],
         "versus": ["show", "--unchecked", "d.json", "--versus", "nori"], "json": ["show", "--unchecked", "--format", "json", "d.json"],
         "validate": ["validate", "d.json"], "compare": ["compare", "d.json", "same.json"], "merge": ["merge", "d.json", "same.json"],
         "csv": ["export", "--unchecked", "d.json", "--to", "csv"], "md": ["export", "--unchecked", "d.json", "--to", "md"],
         "hgrm": ["export", "--unchecked", "d.json", "--to", "hgrm", "-o", "out"],
         "gbench": ["export", "--unchecked", "d.json", "--to", "gbench"]}
DRAWN = {"plot": ["plot", "--unchecked", "d.json", "-o", "out"], "report": ["report", "--unchecked", "d.json", "-o", "out.html"]}


def is_formula(cell):
    try:
        float(cell)
    except ValueError:
        return cell[:1] in ("=", "+", "-", "@") and len(cell) > 1
    return False


class Page(html.parser.HTMLParser):
    """Counts what a browser would obey."""
    scripts, handlers = 0, 0

    def handle_starttag(self, tag, attributes):
        self.scripts += tag == "script"
        self.handlers += sum(name.startswith("on") for name, _ in attributes)


def ask(case):
    """What is wrong with one case, or None."""
    number, kind, document, paths, payload, verb = case
    folder = os.path.abspath(f"case-{number}/a/b")
    os.makedirs(folder)
    try:
        text = json.dumps(replaced(document, paths, payload))
        for name in "d.json", "same.json":
            open(os.path.join(folder, name), "w").write(text)
        where = f"{kind} {'.'.join(map(str, paths[0]))}{' and all' if len(paths) > 1 else ''} {str(payload)[:40]!r} {verb}"
        try:
            done = run((VERBS | DRAWN)[verb], folder)
        except subprocess.TimeoutExpired:
            return f"{where}: no end"
        if done.returncode < 0 or done.returncode >= 128:
            return f"{where}: exit code {done.returncode}: {done.stderr[-300:]}"
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        if UNFIT.search(said) or "\ufffd" in said:
            return f"{where}: not printable: {UNFIT.findall(said)[:3]} in {said[:200]!r}"
        if UNFIT.search(str(payload)) and done.returncode == 0:
            return f"{where}: accepted"
        there = set(os.listdir(folder)) - {"d.json", "same.json", "out", "out.html"}
        if there or os.listdir(f"case-{number}") != ["a"] or os.listdir(f"case-{number}/a") != ["b"]:
            return f"{where}: a file elsewhere: {there}"
        if verb == "csv":
            csv.field_size_limit(10**8)
            bad = [cell for row in csv.reader(io.StringIO(done.stdout.decode())) for cell in row if is_formula(cell)]
            if bad:
                return f"{where}: a formula: {bad[0][:60]}"
        if verb == "md" and re.search(r"(?<!\\)<(img|script|/script)|(?<!\\)\[x\]|[^\\]://x|www\.x", done.stdout.decode()):
            return f"{where}: HTML or a link"
        for name in os.listdir(os.path.join(folder, "out")) if os.path.isdir(os.path.join(folder, "out")) else ():
            if name.startswith(".") or len(name) > 255 or UNFIT.search(name):
                return f"{where}: a file called {name}"
            if not name.endswith(".png") and UNFIT.search(re.sub("[\\n\\t]", "", open(os.path.join(folder, "out", name), encoding="utf-8", errors="replace").read())):
                return f"{where}: {name} has what is not printable"
            if name.endswith(".svg"):
                xml.etree.ElementTree.parse(os.path.join(folder, "out", name))
        if verb == "report" and done.returncode == 0:
            page = Page()
            page.feed(open(os.path.join(folder, "out.html")).read())
            if UNFIT.search(re.sub("[\\n\\t]", "", open(os.path.join(folder, "out.html")).read())):
                return f"{where}: a page with what is not printable"
            if page.handlers or page.scripts > 2 or "onerror=alert" in re.sub("&quot;|&lt;[^&]*&gt;", "", "".join(
                    re.findall("<img[^>]*>", open(os.path.join(folder, "out.html")).read()))):
                return f"{where}: a page that runs something: {page.scripts} scripts, {page.handlers} handlers"
        return None
    except (xml.etree.ElementTree.ParseError, UnicodeDecodeError) as error:
        return f"{where}: {error}"
    finally:
        shutil.rmtree(f"case-{number}")


def cases():
    """All of them; those that come first differ in everything."""
    single, whole = [], []
    for kind, document in documents():
        paths = list(texts(document))
        names = sorted({tuple(key if isinstance(key, str) else 0 for key in path): path for path in paths}.items())
        for (_, path), payload, verb in itertools.product(names, PAYLOADS, VERBS):
            if len(payload) < 10**6 or verb == "show":
                single.append((kind, document, [path], payload, verb))
        numbers = [path for path in texts(document, (), int) if path[0] != "schema"]
        single += [(kind, document, [path], number, verb) for path, number, verb in itertools.product(numbers, NUMBERS, VERBS)]
        whole += [(kind, document, numbers, number, verb) for number in NUMBERS for verb in [*DRAWN, *VERBS]]
        keep = {"kind", "design", "designs", "$schema"}  # a document of no kind is not drawn
        most = [path for path in paths if not keep & set(path)]
        for payload, verb in itertools.product(PAYLOADS, DRAWN):
            if len(payload) < 10**6:
                whole.append((kind, document, most, payload, verb))
    shuffle = lambda rows: sorted(rows, key=lambda c: hashlib.sha256(repr((c[0], c[2][0], str(c[3])[:50], c[4])).encode()).digest())
    single, whole = shuffle(single), shuffle(whole)
    n = 0
    while single or whole:  # twenty of the quick ones for each that draws
        for row in single[:20] + whole[:1]:
            n += 1
            yield (n, *row)
        single, whole = single[20:], whole[1:]


queue, wrong, asked = cases(), [], 0
end = None
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    waiting = set()
    for case in queue:
        end = end or time.monotonic() + seconds
        if time.monotonic() > end:
            break
        waiting.add(pool.submit(ask, case))
        if len(waiting) > 8:
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            asked += len(done)
            wrong += [d.result() for d in done if d.result()]
    wrong += [w.result() for w in waiting if w.result()]
    asked += len(waiting)
for line in wrong[:20]:
    print("FAILED:", line)
print(f"{asked} documents, {len(wrong)} wrong")
sys.exit(bool(wrong) or asked < 100)
