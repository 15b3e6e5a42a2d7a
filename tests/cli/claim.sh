# claim: one sentence from options, measured and judged. Sizes and rates are recomputed here without any code of it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# says VERDICT MEASURED ARGUMENTS...: both stand in the answer, and the row can be pasted into a ledger.
says() {
    fb claim "${@:3}" --id "row$((++rows))" >out 2>log || fail "claim ${*:3}: exit code $?: $(tail -1 log)"
    grep -Eq "^$1: \"" out || fail "claim ${*:3}: not $1: $(head -1 out)"
    grep -Eq "^measured: $2" out || fail "claim ${*:3}: not measured $2: $(sed -n 2p out)"
    [ "$(wc -l <out)" -le 11 ] || fail "claim ${*:3}: $(wc -l <out) lines"
    sed -n '/^{"id"/,$p' out >"row.$rows"
}
rows=0
says "not reproduced" "1\.2[67][0-9]* %" -d sbbf-256 -b 10 -n 100k --fpr 0.9%
says reproduced "0\.8[0-9]+ %" -d nori -n 100k --fpr '<1%'
says reproduced "1\.7[0-9]+ x" -d leveldb --versus nori -n 100k --fpr "~1.8x"
says reproduced "9\.84 bits per key, exactly" -d xor-8 --takes 9.84
says "not reproduced" "9\.04[0-9]* bits per key, exactly" -d fuse-8 --takes 9.84
says reproduced "0\.7[0-9]+ x" -d rocksdb-ribbon --versus rocksdb-fastlocal --target 1% --takes 0.7x
says reproduced "1\.23 MB, exactly" -d xor-8 --size 1.23MB
says reproduced "125 kB, exactly" -d nori -n 100k --size '<=125kB'
says reproduced "0\.0[0-9]+ reads per query" -d nori -n 100k --reads '<0.1'
says "not reproduced" "1\.[0-9]+ reads per query" -d nori -n 100k --absent 0 --reads '<0.5'
says "[a-z ]+" "[0-9.]+ x" -d touch-32 --versus bloom-independent --times '>1.2' --at L2 --quick
says "[a-z ]+" "[0-9.]+ x" -d xor-8 --versus sbbf-256 --times '>1' --operation build --quick

# The rows are a ledger, and say the same there.
{ echo '{"claims": ['; for i in $(seq "$rows"); do [ "$i" = 1 ] || echo ,; cat "row.$i"; done; echo ']}'; } >rows.json
fb reproduce --ledger rows.json --quick 'row[1-9]' -o again.json >table 2>log || fail "reproduce: $(tail -1 log)"
check "the result of the rows" -- fb validate again.json >/dev/null
python3 - again.json <<'PYTHON' || fail "numbers"
import json, math, sys
document = json.load(open(sys.argv[1]))
cells = {cell["id"]: cell for cell in document["cells"]}
results = document["results"]
def counted(part, design):
    cell, = [c for c in results[part]["cells"] if c["design"] == design]
    return sum(cell["counts"]["events"]), cell["counts"]["filters"] * cell["counts"]["probes_each"], cell
def near(a, b): assert abs(a - b) <= 1e-9 * abs(b), (a, b)
events, probes, cell = counted("row1", "sbbf-256")
row = cells["row1"]
near(row["measured"], 100 * events / probes)
# 99.9 % of a normal variable lie within 3.29 of its standard errors; few filters take a little more.
half = 3.29 * math.sqrt(row["measured"] / 100 * (1 - row["measured"] / 100) / probes) * 100
for end in "low", "high":
    assert 0.9 < abs(row["interval"][end] - row["measured"]) / half < 1.6, (row["interval"], half)
a, b = counted("row3", "leveldb"), counted("row3", "nori")
near(cells["row3"]["measured"], a[0] / a[1] / (b[0] / b[1]))
half = 3.29 * math.sqrt(1 / a[0] + 1 / b[0])
low, high = (math.log(cells["row3"]["interval"][end] / cells["row3"]["measured"]) for end in ("low", "high"))
assert 0.9 < high / half < 1.6 and 0.9 < -low / half < 1.6, (low, high, half)
near(cells["row4"]["measured"], 3 * ((32 + math.floor(1.23 * 1000000)) // 3) * 8 / 1000000)  # the size rule of the paper
near(cells["row8"]["measured"], 100000 * 10 / 8 / 1000)
PYTHON

refuses 2 "'morton' cannot be judged, as filterbench has no such filter; the closest is cuckoo-12, which" claim -d morton --fpr 1%
refuses 2 "it cannot be judged: there is no design 'sbf-256', did you mean 'sbbf-256'" claim -d sbf-256 --fpr 1%
refuses 2 "'parquet' is called sbbf-256 here" claim -d parquet --fpr 1%
refuses 2 "it is the same design" claim -d nori --versus nori --fpr 1x
refuses 2 "a rate is at most 1" claim -d nori --fpr 1.27
refuses 2 "a share or a percentage" claim -d nori --fpr 0
refuses 2 "a share or a percentage" claim -d nori --fpr 0.9
refuses 2 "give the one number that is claimed" claim -d nori
refuses 2 "give the one number that is claimed" claim -d nori --fpr 1% --takes 10
refuses 2 "a ratio is to another design: give --versus" claim -d nori --times 2
refuses 2 "only a ratio is taken to another design" claim -d nori --versus leveldb --fpr 1%
for number in one '' '1 %%' '<' 1kB -1% 0,9%; do
    refuses 2 "." claim -d nori --fpr "$number"
done
refuses 2 "'1.2 XB' is no number that it can have" claim -d nori --size '1.2 XB'
refuses 2 "footprint" claim -d nori --versus leveldb --times 2 --at L9
refuses 2 "unknown field" claim -d nori --fpr 1% --set nothing=1
fb claim -d nori --ns 67 --quick >out 2>log || fail "claim --ns: $(tail -1 log)"
grep -q '^cannot be judged: ' out || fail "an absolute time: $(head -1 out)"
grep -q 'ask for a ratio' out || fail "no advice: $(cat out)"
json "claim --format json" -- fb claim -d xor-8 --takes 9.84 --format json
finish
