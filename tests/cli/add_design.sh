#!/usr/bin/env bash
# A design is one file and one line: takes the example of filters/README.md at its word, in a copy
# of the tree.
source "$(dirname "${BASH_SOURCE[0]}")/copy.bash" || exit 1
awk '/^## /{here = /Adding a design/} here && /^```$/{exit} code{print} here && /^```c$/{code = 1}' \
    "$source/filters/README.md" >"$tree/filters/bloom_mixed.c"
sed -i 's/^set(FB_DESIGNS$/&\n    bloom-mixed/' "$tree/CMakeLists.txt"

configure
build filterbench test_conformance

# Files, not pipes: grep -q stops reading early, and pipefail would take that for a failure.
filterbench=$built/filterbench
"$filterbench" list designs >"$tree/list"
grep -qw bloom-mixed "$tree/list"
"$filterbench" run fpr-smoke --set designs=bloom-mixed -o "$tree/result.json" >/dev/null
grep -q '"design": *"bloom-mixed"' "$tree/result.json"

# The self-check has no answers of it, says so, and lets the others be judged; once its answers are
# written, it asks it.
export FILTERBENCH_DATA=$tree
"$filterbench" doctor --check >"$tree/parts"
grep -Eq '^kernels of bloom-mixed .* unchecked' "$tree/parts"
"$filterbench" reproduce nori.fpr.expected_1M >"$tree/log" 2>"$tree/notes"
grep -q 'self-check: design bloom-mixed has no known answers' "$tree/notes"
sed -nE 's/^(.*[^ ]) +(0x[0-9a-f]+) +unchecked.*/KNOWN("\1", \2)/p' "$tree/parts" \
    >>"$tree/harness/check/known.def"
build filterbench
"$filterbench" doctor --check >"$tree/parts"
if grep -Eq 'unchecked|wrong' "$tree/parts"; then
    cat "$tree/parts"
    exit 1
fi

# The conformance run accepts it, and asks it: told apart by breaking it.
conformance=$built/tests/test_conformance
"$conformance" >"$tree/log" 2>&1 || { cat "$tree/log"; exit 1; }
sed -i 's/i < f->geom.probes; i++)/i + 1 < f->geom.probes; i++)/' "$tree/filters/bloom_mixed.c"
build test_conformance
if "$conformance" >"$tree/log" 2>&1; then
    echo "the conformance run does not ask bloom-mixed"
    exit 1
fi
grep -qw bloom-mixed "$tree/log"

# So does the self-check, and nothing is judged.
build filterbench
code=0
"$filterbench" reproduce nori.fpr.expected_1M >"$tree/log" 2>"$tree/notes" || code=$?
[ "$code" = 6 ]
grep -Eq 'self-check: (design|sizes of|kernels of) bloom-mixed: other answers' "$tree/notes"
