#!/usr/bin/env bash
# README.md at its word, in a copy of the tree: its build, then each command of its first steps, in their order; and
# the table that it shows. `shorter` says which commands are given less to do.
source "$(dirname "${BASH_SOURCE[0]}")/copy.bash" || exit 1
cd "$tree"
export XDG_CACHE_HOME=$tree/cache # nobody's profile, nobody's last runs
shorter() {
    sed -E -e '/^filterbench (ab|calibrate|tune)/s/$/ --dry-run/' -e '/^filterbench doctor/s/$/ --budget 0/' \
        -e '/^filterbench advise/s/$/ --queries 20000 --budget 1/' -e '/^filterbench engine/s/100k/20k/' \
        -e '/^filterbench run (kernels|families)/s/$/ --budget 1 --footprints L2/' \
        -e '/^filterbench (run f[aj]|run kernels|advise)/s/$/ -d leveldb,sbbf-512/' \
        -e '/^filterbench run fjall/s/$/ --queries 50000/'
}
# commands SECTION: its indented lines, without what is behind a '#'.
commands() {
    awk -v section="## $1" '/^## / { here = $0 == section } here && /^    [^# ]/ { sub(/^ +/, ""); print }' README.md |
        sed -E 's/ +#.*//'
}
commands "Build it" >commands
commands "First steps" | shorter >>commands
[ "$(wc -l <commands)" -gt 25 ] && grep -q '^export PATH=' commands || { echo "FAILED: README.md has few commands"; exit 1; }
while read -r command; do
    # Not in a pipe or a subshell: one of them sets the PATH of the others.
    eval "$command" >log 2>&1 </dev/null || { echo "FAILED with exit code $?: $command"; tail -5 log; exit 1; }
done <commands
ls f.block answers.txt r.csv r.html pictures/fpr-bits.svg my-filter/Makefile my-study >/dev/null

awk '/^\$ filterbench/ { here = 1 } /^```$/ { here = 0 } here' README.md >shown
sed -n '1s/^\$ //p' shown >command
sed 1d shown >expected
eval "$(cat command)" >printed 2>/dev/null
diff expected printed || { echo "FAILED: README.md shows another table than this prints"; exit 1; }
