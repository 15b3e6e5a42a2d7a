# What a terminal shows: at 60, 80 and 200 columns no line is wider, and no word is broken.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder TERM=dumb # dumb: no bar of progress
terminal=$(dirname "$executable")/tests/on_terminal
plugins=$(dirname "$executable")/tests/plugins
reference=$source_folder/results/reference

# ---- Results, of every kind ----
seq 100000 110000 >keys
check "fpr" -- fb run fpr -d bloom-independent,leveldb,sbbf-512,always -b 10 -n 1000 --filters 2 \
    --probes 2000 --keys keys -o fpr.json >/dev/null 2>&1
check "lsm" -- fb run fjall-leveled --ci -o lsm.json >/dev/null 2>&1
check "timed" -- fb run smoke --ci --set keys=dec6 --set timed=true --set rounds=1 --set min_processes=2 \
    --set max_processes=2 --set budget=1 --set cpu=none -o timed.json >/dev/null 2>&1
check "scans" -- fb run course-prefix --ci -o scans.json >/dev/null 2>&1
check "icount" -- fb run icount -d sbbf-256,null -n 1000 -o icount.json >/dev/null 2>&1
check "ab" -- fb ab "$plugins/revision_same.so" "$plugins/revision_same.so" --set first=2 \
    --set second=2 --set again=all --set rounds=1 --set 'footprints=["L1"]' --set operations=batch -o ab.json >/dev/null 2>&1
check "claims" -- fb reproduce 'nori.fpr.results.*' 'course.fpr.*' nori.size.125000 --quick \
    -o claims.json >/dev/null 2>&1
check "advise" -- fb advise -n 20k -d sbbf-256,nori,leveldb -b 10 --queries 2k --budget 0.1 -o advise.json >/dev/null 2>&1

# ---- Each on screens of several widths ----
# shows NAME CODE ARGUMENTS...: filterbench ends with that code on all of them.
shows() {
    local name=$1 code=$2 got columns
    shift 2
    fb "$@" >"$name.full" 2>&1 </dev/null
    for columns in 60 80 200; do
        got=0
        "$terminal" $columns "${command[@]}" "$@" >"$name.$columns" </dev/null || got=$?
        [ $got = "$code" ] || fail "$name: exit code $got at $columns: $(tail -2 "$name.$columns")"
    done
}
shows list 0 list
shows list-claims 0 list claims
shows design 0 describe rocksdb-fastlocal
shows preset 0 describe fjall-leveled
shows field 0 describe precision
shows plan 0 run fjall-leveled --dry-run
shows plan-fpr 0 run fpr --dry-run -d nori,leveldb
for document in fpr lsm timed scans icount ab claims advise; do
    shows $document 0 show $document.json
    shows "validate-$document" 0 validate $document.json
done
shows kernels 0 show "$reference/kernels.json" --verbose
shows times 0 compare "$reference/kernels.json" "$reference/kernels.json"
shows counts 0 compare icount.json icount.json
fb export fpr.json --to counts -o fpr.counts
sed 's/"probes_each":2000/"probes_each":1000/g' fpr.counts >other.counts
shows compare 5 compare fpr.counts other.counts
shows doctor 0 doctor --budget 0
shows check 0 doctor --check
shows plugin 0 plugin check "$plugins/revision_same.so"
shows refused 2 run fpr -d "no-such-design" --set "bits_per_key=-1" -n 1000
# Colours: on a terminal only, of verdicts and of the best, and nothing moves for them.
escape=$(printf '\033')
coloured() { TERM=xterm "$terminal" 80 env "$@" </dev/null; }
for document in fpr lsm timed scans icount ab claims advise; do
    coloured "${command[@]}" show $document.json >coloured
    sed "s/$escape\[[0-9]*m//g" coloured >plain
    cmp plain $document.80 || fail "$document: colours move something"
    for without in NO_COLOR=1 TERM=dumb "TERM=xterm NO_COLOR=yes"; do
        # shellcheck disable=SC2086
        coloured $without "${command[@]}" show $document.json | grep -q "$escape" && fail "$document: colours with $without"
    done
    TERM=xterm fb show $document.json | grep -q "$escape" && fail "$document: colours in a pipe"
    coloured "${command[@]}" export $document.json --to md | grep -q "$escape" && fail "$document: colours in Markdown"
    coloured "${command[@]}" export $document.json --to csv | grep -q "$escape" && fail "$document: colours in CSV"
done
coloured NO_COLOR= "${command[@]}" show claims.json >coloured
grep -Eq "$escape\[32mreproduced$escape\[0m" coloured || fail "reproduced has no colour"
grep -Eq "$escape\[31mnot reproduced$escape\[0m|$escape\[33mundecided$escape\[0m" coloured || fail "no other verdict has a colour"
# has_colour NAME PATTERN ARGUMENTS...: a line of what it prints there, escapes written as <32m, matches the pattern.
has_colour() {
    local name=$1 pattern=$2
    shift 2
    coloured "${command[@]}" "$@" | sed "s/$escape\[/</g" >coloured
    grep -Eq -- "$pattern" coloured || fail "$name: no colours: $(cat coloured)"
}
has_colour advise '<(32mHIGH|33mMEDIUM|31mLOW)<0m' show advise.json
has_colour advise-best '^[>*= ] *[a-z]+.* <32m[0-9.]+<0m' show advise.json
has_colour icount '^sbbf-256 .*<32m[0-9.]+<0m' show icount.json
has_colour ab '<3[123]m(slower in|faster in|cannot tell|none seen|machine now)<0m' show ab.json
has_colour compare '^BASE and HEAD are <32mequal<0m in the exact facts of [0-9]+ cells' compare icount.json icount.json
has_colour compare-differ '^BASE and HEAD <31mdiffer<0m in ' compare fpr.counts other.counts
has_colour validate '^<32mvalid<0m: ' validate fpr.json

sed 's/"complete": *true/"complete":false/' advise.json >ended.json
has_colour incomplete '^<31mINCOMPLETE<0m: this run did not finish' show --unchecked ended.json
[ "$(fb show --unchecked ended.json | head -c 10)" = INCOMPLETE ] || fail "an answer of an interrupted run does not say so first"
python3 - <<'PYTHON'
import json
document = json.load(open("fpr.json"))
for cell in document["cells"]: # made: sbbf-512 alone has the least rate, of the others two are equal
    own = cell["keys"] == "file"
    cell["fpr"]["estimate"] = 0.001 if cell["design"] in ("always", "leveldb") else 0.01 if own or cell["design"] != "sbbf-512" else 0.005
    cell["fpr"]["wasted"] = None
json.dump(document, open("best.json", "w"))
PYTHON
coloured "${command[@]}" show --unchecked best.json | grep "$escape" | sed "s/$escape\[/</g" >best
[ "$(grep -c '<32m0.1<0m' best)" = 1 ] && ! grep -Ev '^leveldb .*<32m0.1<0m' best || fail "the best rates: $(cat best)"

# Of several sizes each stands on a narrow screen too, and no sentence is cut.
check "sizes" -- fb run kernels -d sbbf-256 -b 6,8,10,12,14,16,18,20,22,24,26,28 --footprints L1 --budget 1s \
    --operations batch --set rounds=1 --set min_processes=2 --set max_processes=2 --set cpu=none -o sizes.json >/dev/null 2>&1
shows sizes 0 show sizes.json
shows operations 0 describe operations
for columns in full 60 80 200; do
    for size in 6 8 10 12 14 16 18 20 22 24 26 28; do
        grep -q " $size bits/key ns" sizes.$columns || fail "sizes at $columns columns: no $size"
    done
    tr -s ' \n' ' ' <operations.$columns | grep -q 'must not beat the yardsticks; all: all but plain' ||
        fail "operations: cut at $columns columns"
done
python3 - <<'PYTHON' || fail "screens"
import glob, re, sys
bad = 0
joint = re.compile(r"(?<=[/,])|(?<=[A-Za-z][._])(?=[A-Za-z])")
own = "left out: --wide shows them columns note more (without a title)".split()
for full in sorted(glob.glob("*.full")):
    words = set(re.findall(r"\S+", open(full).read())) | set(own)
    for word in list(words):
        parts = [p for p in joint.split(word) if p]
        words |= {"".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)}
    words |= {word.rstrip(".;,") for word in words}
    for columns in 60, 80, 200:
        for line in open(full[:-4] + str(columns)):
            line = line.rstrip("\n")
            if line != line.rstrip():
                bad += 1
                print(f"{full[:-5]}: blanks at the end of: {line}")
            # What is to be pasted, indented by four, is never wrapped.
            pasted = re.match(r"    \S*[A-Za-z]", line) and line in open(full).read().split("\n")
            if len(line) > columns and not pasted:
                bad += 1
                print(f"{full[:-5]}: {len(line)} of {columns} columns: {line}")
            for word in re.findall(r"\S+", line):
                if not {word, word.rstrip(".;,")} & words and not re.fullmatch(r"[-+<=.0-9]+|(s|min|h),?", word):
                    bad += 1
                    print(f"{full[:-5]}: broken at {columns} columns: {word}")
sys.exit(bad > 0)
PYTHON

head -1 preset.200 | grep -q '^fjall-leveled: Leveled tree' || fail "describe PRESET: $(head -1 preset.200)"
[ "$(grep -c '^kinds ' field.full)" = 3 ] || fail "describe precision: $(cat field.full)"

# ---- What is to be pasted stands in one line, however narrow the screen is ----
for columns in 30 45 60 80; do
    for words in "run no-such-preset" "describe nothing-such" "build -d nothing-such" "describe designs" "run fpr -d zz*" \
        "advise -n 1M -d nori --dry-run" "describe nori.fpr.results.10bpk.expected"; do
        fb $words >pasted 2>&1
        "$terminal" $columns "${command[@]}" $words >narrow 2>&1
        grep -oE "['\`]filterbench [a-z ]+['\`]|--set '[^']+'|--(tree|io|absent) [^ ]*[0-9]|filterbench reproduce --.*" pasted | sort -u >commands
        [ -s commands ] || fail "$words: nothing to paste: $(cat pasted)"
        while read -r line; do
            grep -qF -- "$line" narrow || fail "$words: broken at $columns columns: $line: $(cat narrow)"
        done <commands
    done
done

# ---- A narrow table spares columns ----
python3 - <<'PYTHON' || fail "columns and ids"
import json, re
def wrong(condition, what):
    if condition:
        wrong.any = True
        print(what)
wrong.any = False
titles = [line for line in open("timed.60") if line.startswith("   # design")]
wrong(not titles or not all(" false" in line and " split" not in line for line in titles), f"timed.60: {titles}")

# Ids are copied, and an interval is one figure.
ids = [cell["id"] for cell in json.load(open("claims.json"))["cells"]]
for columns in 60, 80:
    text = open(f"claims.{columns}").read()
    listed = open(f"list-claims.{columns}").read().split()
    for name in ids:
        wrong(name not in text.split(), f"claims.{columns}: no {name}")
        wrong(name not in listed, f"list-claims.{columns}: no {name}")
    wrong(re.search(r"\[[-+0-9.e]+,\n", text), f"claims.{columns}: a broken interval")
raise SystemExit(wrong.any)
PYTHON
cat lsm.full timed.full >trees.full
for document in lsm timed; do fb show $document.json --verbose; done >verbose
for words in '^caches: L1 '; do
    grep -q "$words" trees.full && fail "not asked for: $words"
    grep -q "$words" verbose || fail "--verbose: no $words"
done

# ---- What is left out is said once, and --wide has it ----
tr '\n' ' ' <fpr.60 | grep -q ' columns left out: k, .*worst %, wasted %; --wide shows them' ||
    fail "nothing is said: $(tail -3 fpr.60)"
grep -q 'left out; --wide' fpr.200 fpr.full && fail "something is left out of a wide screen"
"$terminal" 60 "${command[@]}" show fpr.json --wide >wide
cmp -s <(grep wasted wide) <(grep wasted fpr.full) || fail "--wide: $(head -3 wide)"
cmp -s <("$terminal" 0 "${command[@]}" show fpr.json) fpr.80 || fail "not 80 columns where unknown"
grep -m1 ', n = ' fpr.60 | grep -q 'file keys$' || fail "a user's own keys come second: $(head fpr.60)"
[ "$(sed -n '/^$/,$p' kernels.full | wc -l)" -gt 5 ] || fail "--verbose tells nothing"
[ "$(fb show "$reference/kernels.json" | tac | sed '/^$/,$d' | wc -l)" -le 8 ] ||
    fail "more than eight lines below the tables of kernels"
finish
