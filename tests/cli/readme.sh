#!/usr/bin/env bash
# README.md at its word, in a copy of the tree: its build, then each of its commands, with what they print.
source "$(dirname "${BASH_SOURCE[0]}")/copy.bash" || exit 1
cd "$tree"
export XDG_CACHE_HOME=$tree/cache # nobody's profile, nobody's last runs
awk '/^## / { here = $0 == "## Build it" } here && /^    [^# ]/ { sub(/^ +/, ""); print }' README.md |
    sed -E 's/ +#.*//' >commands
grep -q '^export PATH=' commands || { echo "FAILED: README.md has no commands to build"; exit 1; }
while read -r command; do
    # Not in a pipe or a subshell: one of them sets the PATH of the others.
    eval "$command" >log 2>&1 </dev/null || { echo "FAILED with exit code $?: $command"; tail -5 log; exit 1; }
done <commands
python3 tests/cli/docs_pages.py "$tree" README.md >log 2>&1 || { cat log; exit 1; }
grep -Eq '^README.md: 1[0-9] commands' log || { echo "FAILED: few commands: $(cat log)"; exit 1; }
