# A report in a real browser, where one is installed (scripts/setup browser).
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
command -v gnuplot >/dev/null || exit 77
check "report" -- fb report "$source_folder/results/reference/fpr-smoke.json" \
    "$source_folder/results/reference/kernels.json" -o report.html
# How fast it opens is for a machine that does nothing else.
FB_REPORT_READY_MS=60000 "$source_folder/scripts/report_check" report.html >said 2>&1
code=$?
[ $code != 77 ] || exit 77
[ $code = 0 ] || fail "$(cat said)"
[ "$(grep -c '^width .* figures 3 ' said)" = 2 ] || fail "figures: $(cat said)"
finish
