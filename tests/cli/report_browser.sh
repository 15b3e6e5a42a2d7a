# Reports of every kind in a real browser, where one is installed (scripts/setup browser).
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
command -v gnuplot >/dev/null || exit 77
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || exit 77
export FILTERBENCH_DATA=$source_folder
reference=$source_folder/results/reference
make() { # NAME ARGUMENTS...: a small result
    fb "${@:2}" -o "$1.json" >/dev/null 2>stderr || fail "$1: $(tail -1 stderr)"
}
small=(fpr-smoke -d nori,sbbf-256,leveldb -b 10 --fpr 0.01 -n 300 --filters 2 --probes 500)
make fpr run "${small[@]}"
make again run "${small[@]}"
cp "$reference/kernels.json" kernels.json
make icount run icount -d sbbf-256,nori
make lsm run smoke --ci
make attack run adversary --quick -d bloom-double,nori --set tries=512
make claims reproduce 'nori.k.*' 'nori.pos.*' --quick
make advise advise -n 20k -d sbbf-256,nori,leveldb -b 10 --queries 2k --budget 0.1
fb engine smoke -d leveldb -n 2k --queries 500 -o engine.json >/dev/null 2>&1 || [ $? = 2 ] || fail engine # 2: built without one
cp "$source_folder/tests/fuzz/results/ab.json" ab.json
check "study" -- fb study new st --shards 2 -- run "${small[@]}" 2>/dev/null
for i in 1 2; do fb study shard st $i 2>/dev/null || fail "shard $i"; done
check "merge" -- fb study merge st >/dev/null 2>&1

pages=()
page() { # NAME RESULT...
    fb report "${@:2}" --unchecked -o "$1.html" 2>stderr || fail "$1: $(cat stderr)"
    ! grep -v 'it was not checked' stderr || fail "$1: a note"
    pages+=("$1.html")
}
for kind in $(fb list kinds --format json | grep -o '"name": "[^"]*"' | cut -d'"' -f4); do
    if [ "$kind" != engine ] || [ -e engine.json ]; then page "$kind" "$kind.json"; fi
done
page study st/result.json
page beside fpr.json again.json
fb run fpr-smoke -o rates.json >/dev/null 2>&1 || fail "fpr-smoke"
page both rates.json kernels.json

# How fast a page opens is for a machine that does nothing else.
FB_REPORT_READY_MS=60000 "$source_folder/scripts/report_check" "${pages[@]}" >said 2>&1
code=$?
[ $code != 77 ] || exit 77
[ $code = 0 ] || fail "$(cat said)"
for page in "${pages[@]}"; do
    [ "$(grep "^$page: width " said | cut -d' ' -f3,4 | tr '\n' ,)" = "360 light,1400 light,360 dark,1400 dark," ] ||
        fail "$page: $(grep "^$page" said)"
    ! grep "^$page: .* figures 0 " said || fail "$page: nothing is drawn"
done
[ "$(grep -c '^both.html: width .* figures 3 ' said)" = 4 ] || fail "figures: $(cat said)"

# What is too wide, too faint or not dark is found.
sed 's/--quiet: #5a626c/--quiet: #a0a0a0/; s/--paper: #14171a/--paper: #ffffff/; s/overflow-x: auto/overflow-x: visible/' both.html >bad.html
! FB_REPORT_READY_MS=60000 "$source_folder/scripts/report_check" bad.html >said 2>&1 || fail "a bad page passes"
for fault in 'pixels wider than the window' 'does not stand out' 'the page is not dark'; do
    grep -q "^WRONG .*$fault" said || fail "$fault: $(cat said)"
done
finish
