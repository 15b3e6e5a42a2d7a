# What reads results checks them first; show prints what run printed.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

small=(-d nori,leveldb -b 10 -n 1000 --filters 2 --probes 1000)
check "run" -- fb run fpr-smoke "${small[@]}" -o rates.json >table 2>/dev/null
check "show" -- fb show rates.json >shown
cmp table shown || fail "show prints another table than run"
check "reproduce" -- fb reproduce nori.size.125000 'nori.fpr.results.*' --quick -o claims.json \
    >table 2>/dev/null
check "show claims" -- fb show claims.json >shown
cmp table shown || fail "show prints another table than reproduce"
refuses 2 'which result' show
refuses 2 'none.json: .*No such file' show none.json

# A rate that the counts do not give, a count that no run gave, and a rate of less than none.
python3 - <<'PYTHON'
import json
def thousandfold(counts):
    if isinstance(counts, dict):
        return {name: thousandfold(value) for name, value in counts.items()}
    return [thousandfold(x) for x in counts] if isinstance(counts, list) else 1000 * counts
for name, change in {
    "rate": lambda cell: cell["fpr"].update(estimate=-1.5),
    "count": lambda cell: cell["counts"]["events"].__setitem__(0, cell["counts"]["events"][0] + 1),
    "thousand": lambda cell: cell.update(counts=thousandfold(cell["counts"])),
    "false": lambda cell: cell["counts"].update(false_negatives=1)}.items():
    document = json.load(open("rates.json"))
    change(document["cells"][0])
    json.dump(document, open(name + ".json", "w"))
PYTHON
for name in rate count false thousand; do
    refuses 5 "$name.json: (.*nori|content_xxh3_128 is not)" show $name.json
    refuses 5 "$name.json: " compare $name.json $name.json
    refuses 5 "$name.json: (.*nori|content_xxh3_128 is not)" plot $name.json -o drawn
    for form in counts csv md gbench hgrm; do
        refuses 5 "$name.json: (.*nori|content_xxh3_128 is not)" export $name.json --to $form -o out-$form
        absent out-$form
    done
    absent drawn
done
# What was hashed anew is shown, as readers take derived numbers as they stand; its limits hold all the same.
for name in count false; do
    cp $name.json anew.json
    fb show anew.json 2>&1 >/dev/null | grep -o '([0-9a-f]\{32\})' | tr -d '()' >hash
    sed -i "s/\"content_xxh3_128\": *\"[0-9a-f]*\"/\"content_xxh3_128\": \"$(cat hash)\"/" anew.json
    check "show $name" -- fb show anew.json >/dev/null
    refuses 5 'anew.json: .*nori' validate anew.json
done
check "show --unchecked" -- fb show rate.json --unchecked >shown 2>note
grep -q -- '-150' shown && grep -q 'rate.json: it was not checked, as --unchecked asks' note || fail "--unchecked: $(cat note)"
grep -q 'not checked (--unchecked)' shown || fail "the table does not say that nothing was checked"
check "export --unchecked" -- fb export rate.json --to md --unchecked >md 2>/dev/null
grep -q 'not checked' md || fail "export --unchecked does not say so"
# Damaged documents that once went wrong: a cell without what its line of the table is told by.
for damaged in icount-no-filter attack-no-n; do
    timeout 60 "${command[@]}" show --unchecked "$source_folder/tests/fuzz/results/$damaged.json" \
        >damaged 2>/dev/null && [ -s damaged ] || fail "show --unchecked of $damaged"
done
# --explain prints the same tables, and below them each column once: what the word means, and the member that it shows.
check "show --explain" -- fb show rates.json --explain >explained
fb show rates.json | diff - <(sed '/^Columns, and/,$d' explained | sed '$d') >/dev/null || fail "--explain: other tables"
for line in '^FPR %$' '^    The false-positive rate: ' '^    fpr.estimate (rate): measured false-positive rate; null' \
    '^    fpr.t95 (interval): 95 % interval' '^    fpr.bits_per_key (bits per key): '; do
    [ "$(grep -c -- "$line" explained)" = 1 ] || fail "--explain: not once: $line"
done
fb show rates.json | awk '/^ *design/{print; exit}' | sed 's/^ *//; s/   */\n/g' >titles
grep -A 100 '^Columns, and' explained | grep -v '^ ' | sed '1d; /^$/d; s/  */ /g' | diff titles - >/dev/null || fail "--explain: titles"
fb show "$source_folder/results/reference/kernels.json" --explain | grep -qx 'L1  L2  L3' || fail "--explain: columns that mean the same"
fb show claims.json --explain | grep -q '^    id (text): id of the claim' || fail "--explain of claims"
refuses 2 "did you mean '--explain'" show rates.json --explian
check "compare --unchecked" -- fb compare rate.json rate.json --unchecked >compared 2>note
grep -q '^warning: neither was checked' compared || fail "compare --unchecked: $(cat compared)"
json "compare --unchecked --format json" -- fb compare rate.json rate.json --unchecked --format json 2>/dev/null
finish
