"""printed_words.py SOURCE_FOLDER COMMAND...: the words that tables and cards print, one a line, of small runs in this
folder and of the results in the source tree. Fails where `show --explain` has a column that it does not explain.

Labels of cards and heads of rows are the members of their JSON. Heads of a result's tables are those
of `export --to md`. Of a vocabulary, a member with few values, each value is a word.
"""
import glob, json, re, subprocess, sys

source, *command = sys.argv[1:]
VOCABULARY = {"isa", "style", "sizes_by", "state", "kind", "verdict", "confidence", "operation", "attack", "lookup",
              "allocation", "format_block", "ledger", "own_words", "whose", "whole_key", "popularity", "bound_by", "reader"}
NOT_LABELS = {"measure", "key"}  # what they hold are fields and names
words = set()

def fb(*arguments, may_fail=()):
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode and done.returncode not in may_fail:
        sys.exit(f"{arguments}: {done.returncode}: {done.stderr}")
    return done.stdout

def take(value, name, labels):
    if isinstance(value, dict):
        for inner, held in value.items():
            if labels and inner:
                words.add(inner.removesuffix("_reason").replace("_", " "))
            take(held, inner, labels and inner not in NOT_LABELS)
    elif isinstance(value, list):
        for held in value:
            take(held, name, labels)
    elif isinstance(value, str) and name in VOCABULARY and re.fullmatch(r"[A-Za-z][-\w ]*", value):
        words.add(value)

def card(*arguments):
    take(json.loads(fb(*arguments, "--format", "json")), "", True)

def explained(path):
    """The titles of a result's tables. Each of them has an explanation, be it of the word or of the member."""
    told = fb("show", path, "--explain", "--wide", "--verbose", "--unchecked")
    blocks = told.split("\nColumns, and the members of the result that they show:\n\n")[1].strip("\n").split("\n\n")
    for titles, *meaning in (block.split("\n") for block in blocks):
        if not meaning or not all(line.startswith("    ") for line in meaning):
            sys.exit(f"{path}: no explanation: {titles} {meaning}")
        words.update(title for title in re.split("  +", titles) if title != "(without a title)")
    return len(blocks)

def result(path):
    take(json.load(open(path)), "", False)
    if explained(path) < 4:
        sys.exit(f"{path}: few columns")
    heads = re.findall(r"^(\|.*)\n\|:?-", fb("export", path, "--to", "md"), re.M)
    if not heads:
        sys.exit(f"{path}: no table")
    for head in heads:
        words.update(title.strip() for title in head.strip("|").split("|") if not re.search(r"[._]|^$", title.strip()))

listed = json.loads(fb("list", "--format", "json"))
for topic, rows in listed.items():
    take([{k: v for k, v in row.items() if k != "claim"} for row in rows], "", topic != "claims")
for topic in "designs", "formats", "popularities", "attacks", "lookups", "allocations", "devices":
    for row in listed[topic]:
        # len:A..B is an example, and of a preset of that name describe shows the fields.
        if not re.search("[A-Z]", row["name"]) and row["name"] not in [preset["name"] for preset in listed["presets"]]:
            card("describe", row["name"])
card("describe", "nori.fpr.formula")
card("describe", "FPR %")
card("doctor", "--budget", "0.05")
card("doctor", "--check")
open("keys", "w").write("".join(f"key {i}\n" for i in range(3000)))
card("build", "-d", "leveldb", "-b", "10", "-k", "keys", "-o", "block")
card("inspect", "-d", "leveldb", "-b", "block", "-n", "3000")
tiny = ("--budget", "1", "--footprints", "L1", *(f"--set={each}=2" for each in ("min_processes", "max_processes")), "--set=rounds=1")
for path, run in {
        "sizes.json": ("run", "kernels", *tiny, "-d", "cuckoo-12,sbbf-256", "--set=fpr=[0.01,0.001]", "--set=bits_per_key=[]",
                       "--operations", "batch,build"),
        "loads.json": ("run", "dynamic", *tiny, "-d", "cuckoo-12", "--histograms", "--operations", "insert,remove,mixed"),
        "hits.json": ("run", "kernels", *tiny, "-d", "sbbf-256", "--set=hit_ratios=[0,0.5,1]", "--set=threads=[1,2]",
                      "--set=runs=[8]", "--operations", "batch,walk"),
        "timed.json": ("run", "smoke", "--ci", "-d", "sbbf-256", "--set=timed=true", "--set=rounds=1"),
        "fpr.json": ("run", "fpr", "-d", "leveldb,sbbf-256", "-b", "10", "-n", "1000", "--filters", "2", "--probes", "2000"),
        "icount.json": ("run", "icount", "-d", "sbbf-256", "-n", "1000"),
        "lsm.json": ("run", "fjall-leveled", "--ci"),
        "scans.json": ("run", "course-prefix", "--ci"),
        "attack.json": ("run", "adversary", "-d", "leveldb", "--set", "n=1000"),
        "advise.json": ("advise", "-n", "20k", "-d", "sbbf-256", "-b", "10", "--queries", "2k", "--budget", "0.1"),
        "claims.json": ("reproduce", "nori.size.*", "--quick")}.items():
    fb(*run, "-o", path)
    result(path)
# An engine is asked where its library is; "ab" takes two plugins, and stands in the tree.
fb("engine", "smoke", "-d", "leveldb", "-n", "3k", "--queries", "500", "-o", "engine.json", may_fail=[2])
for path in glob.glob("engine.json") + glob.glob(source + "/tests/fuzz/results/*.json"):
    explained(path)
for path in source + "/results/reference/kernels.json", source + "/tests/fuzz/results/ab.json":
    result(path)
print("\n".join(sorted(words)))
