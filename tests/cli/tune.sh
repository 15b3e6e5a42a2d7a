# The tuning: rows by name, profiles that tune writes, what is refused, what documents say of it. No
# measured value is looked at.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export XDG_CACHE_HOME=$PWD/cache
small=(--class block-32 --reach half-L2)

# ---- Rows, and what is none ----
refuses 2 "no tuning 'amd-zen-0', did you mean 'amd-zen-[0-9]'\?, .* default, amd-zen-4" tune --compare amd-zen-0 default
refuses 2 'none.json: ' tune --compare ./none.json default
refuses 2 '--compare takes two tunings' tune --compare default
refuses 2 "unexpected operand 'default'" tune default
refuses 2 '--all-designs goes with --compare' tune --all-designs
refuses 2 "--class: there is no 'touch-32'; give one of block-32, line-64, scattered" tune --class touch-32
refuses 2 "--reach: there is no 'L1'; give one of half-L2, L2" tune --reach L1
FB_TUNING=amd-zen-0 refuses 2 "no tuning 'amd-zen-0'" list designs
FB_TUNING=./none.json refuses 2 'none.json' list designs
FB_TUNING=amd-zen-0 check "tune heeds no FB_TUNING" -- fb tune --dry-run >plan
[ "$(grep -c '^half-L2 .* none$' plan)" -ge 4 ] || fail "plan: $(cat plan)"
json "the plan" -- fb tune --dry-run --format json "${small[@]}"
FB_TUNING=amd-zen-4 fb doctor --budget 0 >doctor || fail "doctor"
grep -A1 '^tuning:' doctor | grep -q '  name  *amd-zen-4' || fail "doctor: $(cat doctor)"
fb tune --compare default default >same || fail "a row beside itself: $?"
grep -q 'the same' same && ! grep -Eq ' (differ|apart)$| 3 %$' same || fail "a row beside itself: $(cat same)"

fb tune --compare default default --all-designs >same || fail "every design: $?"
grep -q '^all entries are equal: nothing was measured$' same || fail "every design: $(tail -3 same)"
grep -Eq '^cuckoo-12  *100000000  *memory  *scattered  *query .* the same$' same && ! grep -q ' cuckoo-12 .* insert ' same &&
    grep -Eq '^leveldb  *1000000 .* insert ' same || fail "every design: $(cat same)"

# ---- A profile: measured, used, said ----
[ ${#command[@]} = 1 ] || finish # an emulator's processes are slow
check "tune" -- fb tune "${small[@]}" --budget 0 >table
profile=$(ls cache/filterbench/tuning-*.json) || fail "no profile: $(ls -R cache)"
grep -q "^to use it: export FB_TUNING=\"$PWD/$profile\"$" table || fail "table: $(cat table)"
[ "$(grep -c '^half-L2  *block-32  *\(query\|insert\) ' table)" = 2 ] || fail "table: $(cat table)"
json "tune" -- fb tune "${small[@]}" --budget 0 -o again.json --format json
cat >kernels.json <<'JSON'
{"name": "tuned", "kind": "kernels", "designs": ["sbbf-256"], "footprints": ["L1"], "most_bytes": 12500,
 "operations": ["batch"], "hit_ratios": [0], "rounds": 1, "min_processes": 6, "max_processes": 6,
 "budget": 1, "cpu": "none"}
JSON
python3 - "$profile" <<'PYTHON' || fail "the profile"
import json, sys
profile = json.load(open(sys.argv[1]))
assert profile["name"] == "measured" and len(profile["measured"]) == 2, profile
for row in profile["measured"]:
    assert profile["prefetch"][row["work"]][row["class"]][row["reach"]] == row["chosen"], row
    assert row["processes"] >= 6 and row["ns"] > 0 and row["row_ns"] > 0, row
def write(name, **other):
    json.dump({**profile, **other}, open(name + ".json", "w"))
write("other", key="0123456789abcdef", machine={**profile["machine"], "cpu_model": "Another One"})
write("wrong", prefetch={**profile["prefetch"], "query": {}})
far = json.loads(json.dumps(profile["prefetch"]))
far["query"]["block-32"]["half-L2"] = "T0 256"
write("far", prefetch=far)
PYTHON
FB_TUNING=$profile fb run kernels.json -o tuned.json >tuned.table 2>errors || fail "run: $(cat errors)"
grep -q "^tuning: measured ($profile)$" tuned.table || fail "run: $(cat tuned.table)"
FB_TUNING=force:other.json fb run kernels.json -o forced.json >forced.table 2>errors || fail "run: $(cat errors)"
tr -s ' \n' ' ' <forced.table | grep -q 'tuning: measured (other.json, of another machine, Another One)' ||
    fail "forced: $(cat forced.table)"
FB_TUNING=other.json refuses 4 'other.json: the tuning of another machine, Another One .another cpu_model.; force:other.json' run kernels.json
refuses 4 'other.json: the tuning of another machine' tune --compare default other.json
FB_TUNING=wrong.json refuses 2 "wrong.json: prefetch.query: it has no 'block-32'" list designs
FB_TUNING=kernels.json refuses 2 "kernels.json: no tuning, as .filterbench tune. writes it" list designs
for result in tuned forced; do
    fb validate $result.json >valid || fail "validate $result"
done
python3 - "$profile" <<'PYTHON' || fail "documents"
import json, sys
tuned, forced, profile = (json.load(open(n)) for n in ("tuned.json", "forced.json", sys.argv[1]))
told = tuned["timing"]["tuning"]
assert told["from"] == "file" and told["path"] == sys.argv[1] and "forced" not in told, told
for name in "name", "l2_bytes", "l3_bytes", "prefetch":
    assert told[name] == profile[name], name
assert forced["timing"]["tuning"]["forced"] == "Another One"
del forced["warnings"][[w["code"] for w in forced["warnings"]].index("tuning")]
json.dump(forced, open("silent.json", "w"))
PYTHON
refuses 5 'warnings: one that follows from the facts is not there' validate silent.json

# ---- Two of them: an exit code that says what the table says ----
got=0
fb tune --compare "$profile" far.json "${small[@]}" >compared || got=$?
grep -Eq '^half-L2  *block-32  *query .*(less than 3 %|not told apart|differ)$' compared || fail "$(cat compared)"
grep -Eq '^half-L2  *block-32  *insert .* the same$' compared || fail "$(cat compared)"
[ $got = "$(grep -c ' differ$' compared)" ] || fail "exit code $got: $(cat compared)"
got=0
l2=$(getconf LEVEL2_CACHE_SIZE) # a million keys take 1.25 MB
reach=$([ "$l2" -lt 700000 ] && echo quarter-L3 || { [ "$l2" -lt 1300000 ] && echo twice-L2 || echo L2; })
fb tune --compare intel-sapphire-rapids default --all-designs --class block-32 --reach $reach >compared || got=$?
[ $got -le 1 ] && grep -Eq "^sbbf-256  *[0-9]+  *$reach " compared && ! grep -q leveldb compared || fail "one class of every design: $(cat compared)"

# ---- Ctrl-C leaves nothing ----
python3 - "${command[@]}" <<'PYTHON' || fail "Ctrl-C"
import signal, subprocess, sys, time
process = subprocess.Popen([*sys.argv[1:], "tune", "-o", "half.json"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
time.sleep(1) # it measures for longer
process.send_signal(signal.SIGINT)
out, message = process.communicate(timeout=100)
assert process.returncode == 130, (process.returncode, message)
assert not out and message == b"filterbench: tune: interrupted; nothing written\n", message
PYTHON
absent half.json
finish
