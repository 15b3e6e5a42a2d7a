#!/usr/bin/env bash
# scripts/ab: two revisions of a copy of the tree, built and compared: which designs are timed, for which
# operations, and which revisions are refused. No verdict: those depend on a clock.
filterbench=$(realpath "$1")
[ $# = 2 ] || { echo "objects of another machine: skipped"; exit 77; }
command -v git >/dev/null || { echo "there is no git: skipped"; exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/copy.bash" || exit 1
cd "$tree"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export FILTERBENCH_DATA=$tree
# A few designs suffice, of those that others include.
sed -i '/^set(FB_DESIGNS$/,/^)$/c set(FB_DESIGNS\n    sbbf-256 sbbf-256-libfilter null\n)' CMakeLists.txt
sed -i 's/^include(CTest)$/set(CMAKE_C_FLAGS_RELEASE "-O1")\n&/' CMakeLists.txt # a compiler in a hurry
git init -q -b main . && git add -A && git commit -qm base && git tag base
configure -DBUILD_TESTING=OFF
status=0
# says CODE PATTERN ARGUMENTS...: what scripts/ab prints, in ./said and ./errors.
says() {
    local code=$1 pattern=$2 got=0
    shift 2
    scripts/ab "$@" --program "$filterbench" >build/said 2>build/errors || got=$?
    [ $got = "$code" ] && grep -Eq -- "$pattern" build/said build/errors && return
    echo "FAILED: $*: exit $got, not $code with '$pattern': $(tail -n 5 build/said build/errors)"
    status=1
}
echo >>README.md && git commit -qam "words" && git tag words
says 0 '^no source of the designs differs, so all have equal code: nothing is timed$' base words
sed -i '0,/^#include/s//\/* A comment. *\/\n&/' filters/sbbf_256.c && git commit -qam comment
says 0 '^all 3 designs have equal code: nothing is timed$' base HEAD
grep -q '^ab: building base$' build/errors && grep -q '^ab: building HEAD$' build/errors || { echo "FAILED: $(cat build/errors)"; status=1; }
says 0 '^all 3 designs have equal code' base .
[ ! -s build/errors ] || { echo "FAILED: built again: $(cat build/errors)"; status=1; }
sed -i 's/word\[i\] |= UINT32_C(1)/word[i] |= UINT32_C(3)/' filters/inline/sbbf_256.h
says 0 '^1 of 3 designs have equal code; timed: sbbf-256(-libfilter)?, sbbf-256(-libfilter)? \(insert\)$' base . --dry-run
grep -q '^sbbf-256/L1/insert' build/said && ! grep -Eq '/batch|/each|^null' build/said || { echo "FAILED: $(cat build/said)"; status=1; }
git checkout -q filters
says 0 'timed: .*\(.*batch.*\)$' base HEAD --head-flags=-falign-functions=256 --dry-run --set operations=batch
git checkout -q --detach base
sed -i 's/^#define FB_PLUGIN_MAJOR 1$/#define FB_PLUGIN_MAJOR 2/' filters/core/plugin.h && git commit -qam major && git tag major
sed -i 's/^#include "filters\/core\/math.h"/#error no/' filters/sbbf_256.c && git checkout -q base -- filters/core/plugin.h && git commit -qam broken && git tag broken
git rm -q filters/core/plugin.h && git commit -qm none && git tag none
git checkout -q main
says 2 "^ab: there is no revision 'nothing'; git log --oneline shows revisions$" base nothing
says 4 '^ab: the plugin of revision major has interface 2, and this tree loads 1$' major HEAD
says 4 '^ab: revision none has no plugin of its designs' base none
says 2 '^ab: revision broken does not build$' base broken
[ "$(git worktree list | wc -l)" = 1 ] || { echo "FAILED: left behind: $(git worktree list)"; status=1; }
exit $status
