# Scaled trees: what they rank, trees at scale 1 rank alike. Counts and reads only.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder

scattered=bloom-independent,bloom-double,bloom-double-32,nori,nori-disk,nori-pow2,fjall-1,fjall-2,fjall-3,leveldb,course
blocks=rocksdb-fastlocal,sbbf-256,sbbf-512,sbbf-512-pow2,sbbf-512-lanes

# Sixteen filters on three key formats: files of 240,000 keys, and 8 and 30 times smaller ones.
rank() {
    fb run fjall-leveled -d "$scattered,$blocks" -b 10 --set 'keys=["pad40","user","norad"]' --set key_bytes=40 \
        --set segment_bytes=$((148 * 240000)) --set levels=2 --set l0=1 --set holder=proportional \
        --absent 1 --set timed=false --queries 200000 "$@" 2>notes || fail "$*: $(cat notes)"
}
rank --scale 1 --verbose -o whole.json >whole || fail "scale 1"
rank -o eighth.json >eighth || fail "scale 8"
rank --scale 30 --verbose -o thirtieth.json >thirtieth || fail "scale 30"
for file in whole eighth thirtieth; do
    fb validate $file.json >/dev/null || fail "validate $file"
done
python3 - <<'PYTHON' || fail "rankings"
import json
def cells(name):
    return {(c["keys"], c["design"]): c for c in json.load(open(name + ".json"))["cells"]}
def below(a, b):
    return a["costs"]["default"]["high"] < b["costs"]["default"]["low"]
def rate(cell):
    return sum(cell["counts"]["run_false"]) / sum(cell["counts"]["run_asked"])
whole = cells("whole")
assert len(whole) == 48 and all(c["per_filter"]["ranked"] for c in whole.values())
reversed_without = 0
for name, keys in ("eighth", 30000), ("thirtieth", 8000):
    scaled = cells(name)
    assert scaled.keys() == whole.keys()
    for (format, design), cell in scaled.items():
        per = cell["per_filter"]
        assert per["keys"] == keys and per["unscaled_keys"] == 240000
        assert per["ranked"] == ("ranked_reason" not in per)
        if design == "leveldb":
            assert not per["ranked"], (name, format)
            actual = rate(whole[format, design])
            assert abs(per["unscaled_rate"] / actual - 1) < 0.1, (name, format, per, actual)
            assert abs(per["rate"] / rate(cell) - 1) < 0.1, (name, format, per, rate(cell))
        for (also, other), against in scaled.items():
            if also == format and below(cell, against) and \
                    below(whole[format, other], whole[format, design]):
                both = per["ranked"] and against["per_filter"]["ranked"]
                assert not both, f"{name}, {format}: {design} before {other}, at scale 1 behind"
                reversed_without += 1
assert reversed_without, "no ranking would be reversed: nothing is tested"
def edited(name, change):
    document = json.load(open("thirtieth.json"))
    del document["content_xxh3_128"]
    change([c for c in document["cells"] if c["design"] == "leveldb"][0])
    json.dump(document, open(name + "-edited.json", "w"))
edited("false", lambda c: c["unscaled"][0]["unscaled"].update(false=10**9))
edited("keys", lambda c: c["unscaled"][0]["scaled"].update(keys=1))
edited("formula", lambda c: c["unscaled"].__setitem__(0, None))
edited("whole", lambda c: c["runs"][0].update(unscaled_unit_keys=8000))
edited("ranked", lambda c: c["per_filter"].update(ranked=True))
edited("rate", lambda c: c["unscaled"][1]["unscaled"].update(false=1))
PYTHON
refuses 5 "unscaled: it breaks the rule 'false <= asked'" validate false-edited.json
for name in keys formula whole; do
    refuses 5 ' (unscaled|runs.unscaled_unit_keys) does not fit' validate $name-edited.json
done
for name in ranked rate; do
    refuses 5 'per_filter.* is not what the facts give' validate $name-edited.json
done

# Rows, in every form.
row='^   - +leveldb +10 .* 8000 +[01]\.[0-9]+ +[1-9]\.[0-9]+ '
[ "$(grep -Ec "$row" thirtieth)" = 3 ] || fail "rows: $(grep leveldb thirtieth)"
[ "$(grep -c '^-: not ranked, .* with 8000, as here; at scale 1 %: with 240000$' thirtieth)" = 3 ] ||
    fail "no line of what is left out"
head -1 thirtieth | grep -Eq 'leveldb|sbbf-512-pow2' && fail "the best is left out"
grep -Eq '^ +#.* keys/filter ' whole || fail "no keys per filter"
grep -Eq '^-:| at scale 1 %' whole && fail "something is left out at scale 1"
fb export thirtieth.json --to md | grep -q '^| - | leveldb | .*| 8000 | ' || fail "md"
fb export thirtieth.json --to csv | head -1 | grep -q 'per_filter.keys.*per_filter.unscaled_rate' || fail "csv"
fb run fjall-leveled --dry-run | grep -q '^id  *keys  *filter keys ' || fail "plan"

# A user's keys: files are as large as the experiment says, levels follow.
seq -f 'user:%08.0f:profile' 0 399999 >keys
own() {
    fb run fjall-leveled -k keys -d leveldb,rocksdb-fastlocal --absent 1 --queries 100000 \
        --set timed=false --set segment_bytes=$((129 * 45000)) "$@" 2>notes || fail "$*: $(cat notes)"
}
own -o own.json >own || fail "own keys"
own --scale 1 --set levels=0 -o same.json >/dev/null || fail "own keys at scale 1"
fb compare own.json same.json >/dev/null || fail "the default is not scale 1"
grep -q '^leveled: 200000 keys (file), 2 levels, 5 runs, 5 segments;' own || fail "$(head -1 own)"
grep -Eq '^ +1 rocksdb-fastlocal +1 % .* 40000 ' own || fail "own keys: $(head -4 own)"
own --scale 45 --set levels=4 -o small.json >small || fail "own keys, scaled"
grep -Eq '^ +1 rocksdb-fastlocal |^   - +rocksdb-fastlocal' small && grep -Eq '^   - +leveldb' small ||
    fail "own keys, scaled: $(head -6 small)"
own --scale 8 --set segment_bytes=$((129 * 2000000)) -o one.json >one || fail "own keys in one file"
grep -q ' 1 segments;' one && grep -Eq '^ +2 leveldb ' one && grep -q ' costs$' one ||
    fail "own keys in one file: $(head -6 one)"
grep -q '^warning: all keys fit one file: ' one || fail "one file is taken for a tree"
grep -q 'all keys fit one file' own && fail "two levels are taken for one file"
grep -q 'at scale 1' one && fail "own keys in one file are scaled: $(head -6 one)"
own --scale 1 --set segment_bytes=$((129 * 2000000)) -o whole_one.json >/dev/null || fail "one file at scale 1"
python3 - <<'PYTHON' || fail "own keys in one file differ from those at scale 1"
import json
one, whole = ([(c["design"], c["counts"], c["per_filter"]) for c in json.load(open(name))["cells"]]
              for name in ("one.json", "whole_one.json"))
assert one == whole
PYTHON
fb validate one.json >/dev/null || fail "validate one.json"

# Levels that the keys do not fill; words of the preset that are not true of other keys.
own --set levels=4 -o sparse.json >sparse || fail "more levels than the keys fill"
grep -q '^the keys do not fill the levels that were asked for: ' sparse ||
    fail "levels that are not full: $(head -8 sparse)"
grep -q 'do not fill' small && fail "a scaled tree: its levels are said not to be full"
fb run fjall-leveled -k keys --show-experiment >shown
grep -Eq 'four levels|times smaller' shown && fail "own keys are told to be the preset's: $(grep levels shown)"

# Runs of a flat tree are as many as the experiment says, so that files are smaller: at scale 1 too.
flat() {
    fb run fjall-tiered-24 --ci -k keys -d leveldb,rocksdb-fastlocal --queries 20000 \
        --set timed=false "$@" 2>notes || fail "flat $*: $(cat notes)"
}
flat -o flat.json >flat || fail "flat"
flat --scale 1 -o flat1.json >/dev/null || fail "flat at scale 1"
fb compare flat.json flat1.json >/dev/null || fail "the default of a flat tree is not scale 1"
grep -Eq '^-:| at scale 1 %' flat && fail "a flat tree of own keys is scaled: $(head -6 flat)"
fb run url-frontier --ci -k keys --show-experiment | grep -q '^runs = \[0\]' ||
    fail "runs of a universal tree: $(fb run url-frontier --ci -k keys --show-experiment | grep runs)"
rm -f keys
finish
