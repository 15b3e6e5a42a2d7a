#!/usr/bin/env bash
# CONTRIBUTING.md and the READMEs of folders at their word: each of their commands, in a copy of the tree
# that is a git repository. What takes long by itself is shortened by comments of the pages.
[ $# = 2 ] || { echo "objects of another machine: skipped"; exit 77; }
command -v git >/dev/null || { echo "there is no git: skipped"; exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/copy.bash" || exit 1
export XDG_CACHE_HOME=$tree/build/cache # nobody's profile, nobody's last runs
export GIT_CONFIG_GLOBAL=/dev/null GIT_{AUTHOR,COMMITTER}_NAME=a GIT_{AUTHOR,COMMITTER}_EMAIL=a@b
cd "$tree"
git init -q -b main . && git add -A && git commit -qm all
sed -i "s/^[0-9a-f]\{40\}/$(git rev-parse HEAD)/" results/baseline && git commit -qam "the baseline"
git update-ref refs/remotes/origin/main main
mkdir -p build && cd build
status=0
for page in $(git ls-files --full-name "$tree/*.md" | grep -Ev '^(docs/|README)'); do
    PATH=$built:$PATH python3 "$tree/tests/cli/docs_pages.py" "$tree" "$page" || status=1
done
exit $status
