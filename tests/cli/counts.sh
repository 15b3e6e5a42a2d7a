# Exact counts: the committed reference, counted again by this build, on this architecture.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
reference=$source_folder/results/reference/fpr-smoke.counts.json
fb run "$reference" -o here.json >/dev/null 2>stderr || fail "run: $(cat stderr)"
fb compare "$reference" here.json >table 2>stderr || fail "compare: $(cat table stderr)"
finish
