#!/usr/bin/env bash
# scripts/seeds: verdicts of rows that are not about time do not turn with the seed, and one that does
# is told.
. "$(dirname "$0")/lib.bash" "$@"

# A reader that is gone before the first line ends a script without a word.
for script in seeds mutants; do
    { sleep 0.1; "$source_folder/scripts/$script" --help; } 2>err | true
    [ -s err ] && fail "$script --help | head: $(tail -1 err)"
done

[ ${#command[@]} = 1 ] || finish # under an emulator it would take minutes

FILTERBENCH=$executable "$source_folder/scripts/seeds" 3 --quick 'nori.fpr.*' 'nori.tune.*' 'course.path.*' >out 2>err ||
    fail "verdicts turn: $(cat out err)"
grep -q '^[0-9]* rows, 3 seeds: 0 turn, 0 models fail$' out || fail "no summary: $(cat out)"
grep -q '^nori.tune.10bpk.wasted: undecided under 3 of 3$' out || fail "undecided rows are not told: $(cat out)"

# A stand-in: nori.k.10 turns with the seed, the model of nori.k.clamp fails under one, a time is a time.
cat >stub <<'STUB'
#!/usr/bin/env python3
import json, sys
arguments = sys.argv
seed = int(arguments[arguments.index("--seed") + 1], 16)
cells = [{"id": "nori.k.10", "model": "confirmed", "verdict": "reproduced" if seed % 2 else "not reproduced", "why": ""},
         {"id": "nori.k.clamp", "model": "failed" if seed == 2 else "confirmed", "verdict": "reproduced", "why": "so"},
         {"id": "nori.x", "model": "none", "verdict": "reproduced" if seed % 2 else "not reproduced", "why": ""}]
json.dump({"cells": cells}, open(arguments[arguments.index("-o") + 1], "w"))
STUB
chmod +x stub
FILTERBENCH=$PWD/stub "$source_folder/scripts/seeds" 4 'nori.k.*' >out
[ $? = 1 ] || fail "a verdict that turns is not exit code 1"
grep -q '^nori.k.10: reproduced under 2, not reproduced under 2$' out || fail "the row is not named: $(cat out)"
grep -q '^nori.k.clamp under seed 0x2: its model failed: so$' out || fail "the model is not named: $(cat out)"
grep -q '^2 rows, 4 seeds: 1 turn, 1 models fail$' out || fail "the sum: $(cat out)"
finish
