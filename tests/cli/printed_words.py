"""printed_words.py COMMAND...: the words that tables and cards print, one a line, of small runs in this folder.

Labels of cards and heads of rows are the members of their JSON. Heads of a result's tables are those
of `export --to md`. Of a vocabulary, a member with few values, each value is a word.
"""
import json, re, subprocess, sys

command = sys.argv[1:]
VOCABULARY = {"isa", "style", "sizes_by", "state", "kind", "verdict", "confidence", "operation", "attack", "lookup",
              "allocation", "format_block", "ledger", "own_words", "whose", "whole_key", "popularity", "bound_by", "reader"}
NOT_LABELS = {"measure", "key"}  # what they hold are fields and names
words = set()

def fb(*arguments):
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
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

def result(path):
    take(json.load(open(path)), "", False)
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
for path, run in {
        "fpr.json": ("run", "fpr", "-d", "leveldb,sbbf-256", "-b", "10", "-n", "1000", "--filters", "2", "--probes", "2000"),
        "icount.json": ("run", "icount", "-d", "sbbf-256", "-n", "1000"),
        "lsm.json": ("run", "fjall-leveled", "--ci"),
        "scans.json": ("run", "course-prefix", "--ci"),
        "attack.json": ("run", "adversary", "-d", "leveldb", "--set", "n=1000"),
        "advise.json": ("advise", "-n", "20k", "-d", "sbbf-256", "-b", "10", "--queries", "2k", "--budget", "0.1"),
        "claims.json": ("reproduce", "nori.size.*", "--quick")}.items():
    fb(*run, "-o", path)
    result(path)
print("\n".join(sorted(words)))
