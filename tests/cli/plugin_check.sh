# The contract asked of plugins: of right ones, whose codes are equal everywhere, and of designs that
# break one part each; a crash is told as one.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
plugins=$(dirname "$executable")/tests/plugins

refuses 2 "plugin: which action" plugin
refuses 2 "there is no action 'chek', did you mean 'check'" plugin chek x.so
refuses 2 "plugin check: give a file" plugin check
refuses 7 "none.so: No such file" plugin check none.so
refuses 7 "wrong_major.so: its interface is 2.2" plugin check "$plugins/wrong_major.so"
refuses 7 "wrong_no_kernel.so: design 'yes': no kernel" plugin check "$plugins/wrong_no_kernel.so"
code=0
fb plugin check "$plugins/wrong_crash.so" >table 2>errors || code=$?
[ $code = 7 ] || fail "a plugin that crashes while it is loaded: exit $code"
grep -q "wrong_crash.so: while it was loaded, it " errors || fail "a crash: $(cat errors)"
code=0
fb plugin check --limit 0.5s "$plugins/wrong_endless.so" >table 2>errors || code=$?
[ $code = 7 ] || fail "a plugin that loops: exit $code"
grep -q "wrong_endless.so: while it was loaded, it came to no end in 0.5 s of processor time" errors ||
    fail "a loop: $(cat errors)"
for verb in "plugin check" "list designs --plugin"; do
    code=0
    fb $verb "$plugins/wrong_leaves.so" >table 2>errors || code=$?
    [ $code = 7 ] || fail "$verb: a plugin that ends the process: exit $code"
    grep -Eq "wrong_leaves.so: .*ended the process" errors || fail "$verb: an end: $(cat errors)"
done

# Right ones, with every instruction set and without.
fb plugin check "$plugins/toys_plugin.so" >toys 2>errors || fail "toys: $(cat errors)"
[ "$(grep -c ' \([0-9]*\) of \1 ' toys)" = 3 ] || fail "not all of three toys: $(cat toys)"
FB_DISABLE_ISA=all fb plugin check "$plugins/toys_plugin.so" >scalar || fail "toys, scalar"
cmp toys scalar || fail "another code without instruction sets"
# On every machine, with every compiler.
grep -qx "verification code 0x2b9e35e99917b707" toys || fail "toys: $(tail -1 toys)"
designs=$(dirname "$executable")/filterbench_designs.so
fb plugin check "$designs" >table 2>errors || fail "built-in designs: $(cat errors)"
FB_DISABLE_ISA=all fb plugin check "$designs" >scalar || fail "built-in designs, scalar"
cmp table scalar || fail "built-in designs: another code without instruction sets"

# One fault each.
code=0
fb plugin check "$plugins/faulty.so" >table 2>errors || code=$?
[ $code = 7 ] || fail "faulty designs: exit $code"
grep -qx "verification code none: it breaks the contract" table || fail "a code, though it breaks it"
while read -r design wrong; do
    grep -Eq "^$design +[0-9]+ of [0-9]+ .* $wrong *$" table ||
        fail "$design: not '$wrong': $(grep "^$design " table)"
done <<'TABLE'
faultless 0x[0-9a-f]{16}
denying answers, kernels, blocks, full, never full, single keys, more keys
disagreeing kernels
late answers, kernels, blocks
misread blocks
trustful hostile blocks
hopeful rate
flattering rate
mute answers
TABLE
while read -r line; do
    grep -Eq "faulty.so: design $line" errors || fail "no line '$line': $(cat errors)"
done <<'LINES'
'denying': answers: a key that is in is denied; seq, 63 keys
'disagreeing': kernels: kernel scalar early-exit: a batch is answered otherwise
'late': answers: a batch answers otherwise than one by one
'misread': blocks: read: num_bits needs more bytes than the block has; seq, 0 keys
'trustful': hostile blocks: it (crashed: signal 6|ended the process)
'hopeful': rate: the rate is not the predicted one; 2000 keys, 10 bits per key, measured
'flattering': rate: the rate is not the predicted one; 20000 keys, 1 bits per key, measured
'mute': answers: a build is refused without a reason; seq, 0 keys
LINES
json "plugin check --format json" -- fb plugin check "$plugins/toys_plugin.so" --format json

# A formula that lies at 1 bit per key is left out of an advice, which is then the one without it.
ask=(advise -n 300k -b 2 --io 1us --queries 20k --budget 1)
check "with the liar" -- fb "${ask[@]}" --plugin "$plugins/faulty.so" -d rocksdb-fastlocal,flattering -o liar.json >/dev/null 2>errors
check "without it" -- fb "${ask[@]}" -d rocksdb-fastlocal -o honest.json >/dev/null 2>errors
check "the advice" -- fb validate liar.json --plugin "$plugins/faulty.so" >/dev/null
python3 - <<'PYTHON' || fail "the liar is believed"
import json
liar, honest = (json.load(open(name + ".json")) for name in ("liar", "honest"))
out = {c["design"]: c["left_out"] for c in liar["cells"]}
assert out["rocksdb-fastlocal"] is None
assert out["flattering"].startswith("at 1 bits per key its formula gives a rate of "), out
pick = lambda d: next((r["name"], r["bits_per_key"]) for r in d["answer"]["ranking"] if r["pick"])
assert pick(liar) == pick(honest), (pick(liar), pick(honest))
PYTHON
finish
