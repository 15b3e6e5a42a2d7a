# describe knows each word that a table prints, and each claim.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

# Titles of columns: from the sources of the tables, and from the tables themselves.
python3 - "$source_folder" >words <<'PYTHON' || fail "titles"
import glob, re, sys
titles = set()
for path in glob.glob(sys.argv[1] + "/harness/**/*.c", recursive=True):
    text = open(path).read()
    if "struct fb_column" in text:
        for table in re.findall(r"struct fb_column \w+\[[^]]*\] = \{(.*?)\{0\}", text, re.S):
            titles.update(re.findall(r'(?:\{|READS\()"([^"]+)",', table))
    for names in re.findall(r"(?:plan_columns|columns)\[\] = \{([^{}]*)\}", text):
        titles.update(name.strip("?!") for name in re.findall(r'"([^"]+)"', names))
    for member in re.findall(r'^ +\{"[a-z]+", \w+, \{("[^}]*)\}\},$', text, re.M):
        titles.update(name.strip("?!") for name in re.findall(r'"([^"]+)"', member))
golden = open(sys.argv[1] + "/tests/golden/tables.txt").read()
for column in "bits", "rate, over", "ratio", "held", "what", "speedup", "2 threads", "L1", "design", "kernel":
    if column not in golden:
        sys.exit(f"tables.txt has no column '{column}'")
    titles.add(column.replace("2 threads", "threads"))
if len(titles) < 120:
    sys.exit(f"only {len(titles)} titles")
print("\n".join(sorted(titles)))
PYTHON
# Verdicts, and words that issues and pages use.
printf '%s\n' reproduced 'not reproduced' undecided documentary 'not judged' pending confirmed failed computed \
    regressed improved unchanged inconclusive slower faster holds falls 'none found' equal within differs \
    wasted worst z yardstick share knee front digest cell footprint theory 'WASTED %' \
    HIGH MEDIUM LOW INCOMPLETE valid differ missing new keys_format lines len32 u64 typed csv:COLUMN >>words
# And what small runs of each verb print.
python3 "$source_folder/tests/cli/printed_words.py" "$source_folder" "${command[@]}" >printed || fail "printed words: $(tail -3 printed)"
[ "$(wc -l <printed)" -gt 200 ] || fail "few printed words: $(wc -l <printed)"
cat printed >>words
while IFS= read -r word; do
    fb describe "$word" >told 2>&1 </dev/null || fail "describe '$word': $(cat told)"
    grep -Eq '^(meaning|in tables|design|summary|format|attack|absent|allocation|kind|key file)' told || fail "describe '$word': $(cat told)"
done < <(sort -u words)
for word in ratio absent reads; do # words of an experiment too
    fb describe "$word" | grep -q '^meaning .*[.]$' || fail "$word: only a field"
done
json "a word" -- fb describe 'FPR %' --format json
refuses 2 "did you mean 'wasted %'" describe 'wastd %'

# The page of members has every member that the list has, in a section for each record.
fb list members --format md >page || fail "list members --format md"
fb list members --format json >members.json || fail "list members --format json"
python3 - <<'PYTHON' || fail "page of members"
import json, re
page, section = [], None
for line in open("page"):
    if line.startswith("#"):
        section = line.lstrip("#").strip()
    if member := re.match(r"\| `(\S+)`", line):
        cells = re.split(r"(?<!\\) \| ", line.strip("| \n"))
        page.append((section, member[1], cells[2], cells[3].replace("\\|", "|")))
rows = [(r["record"], r["member"], r["nature"], r["meaning"]) for r in json.load(open("members.json"))["members"]]
assert len(rows) > 900 and sorted(page) == sorted(rows), (len(page), len(rows), set(page) ^ set(rows))
PYTHON
refuses 2 "only members are printed as md" list designs --format md
refuses 2 "there is no format 'csv' \(give table, json or md\)" list members --format csv

# Each claim: where it is printed, what it says, how to judge it. Of all ids every twentieth.
for ledger in claim beyond; do
    awk 'NR % 20 == 1' "$source_folder/tests/golden/$ledger-ids.txt" >ids
    [ "$(wc -l <ids)" -gt 5 ] || fail "few ids: $ledger"
    while IFS= read -r id; do
        fb describe "$id" >told 2>&1 </dev/null || fail "describe $id: $(cat told)"
        grep -q '^kind  *retired' told && continue # a claim that left the ledger, and why
        for member in "id  *$id\$" 'document  *[^ ]' 'claim  *[^ ]' "to judge it  *filterbench reproduce .*$id\$"; do
            grep -q "^$member" told || fail "describe $id: no '$member'"
        done
    done <ids
done
fb describe nori.pos.0 | grep -q '^  procedure  *[a-z]' || fail "nori.pos.0: no procedure"
fb describe nori.fpr.formula | grep -q '^  take  *fpr.estimate' || fail "nori.fpr.formula: no number"
json "a claim" -- fb describe nori.fpr.formula --format json
refuses 2 "there is no design, .*claim" describe nori.fpr.no-such-claim
finish
