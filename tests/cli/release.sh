# scripts/release in a repository with the files that it reads: each of its refusals is one line that says
# what to type. What takes long, the suite and the packages, is played.
[ $# = 2 ] || { echo "objects of another machine: skipped"; exit 77; }
command -v git >/dev/null || { echo "there is no git: skipped"; exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
set -eo pipefail
export GIT_CONFIG_GLOBAL=/dev/null GIT_{AUTHOR,COMMITTER}_NAME=a GIT_{AUTHOR,COMMITTER}_EMAIL=a@b
(cd "$source_folder" && cp --parents .gitignore CHANGELOG.md README.md docs/versions.md docs/how-to/guard-workflow.yml \
    filters/core/{version,plugin}.h harness/document/result.h scripts/release "$folder")
printf '#!/bin/sh\nexit 0\n' | tee scripts/package >scripts/package_check
chmod +x scripts/package*
git init -q -b main . && git add -A && git commit -qm all
version=$(sed -n 's/^#define FB_VERSION_[A-Z]* \([0-9]*\)$/\1/p' filters/core/version.h | paste -sd.)

# refuses PATTERN: exit code 1, that line and nothing else, no tag; then the tree is as it was.
refuses() {
    local code=0
    scripts/release --dry-run >.git/said 2>&1 || code=$?
    [ "$code" = 1 ] && [ "$(wc -l <.git/said)" = 1 ] && grep -Eq "^release: $1" .git/said ||
        fail "exit $code, not 1 with '$1': $(cat .git/said)"
    git reset -q --hard "${ready:-main}" && git clean -fdq
}
# change FILE SED-RULE: committed.
change() {
    ready=$(git rev-parse HEAD)
    sed -i "$2" "$1"
    ! git diff --quiet || fail "'$2' changes nothing"
    git commit -qam "$2"
}
touch harness/new.c
refuses "harness/new\.c is not committed; type: git add -A && git commit$"
echo >>README.md
refuses "README\.md is not committed; type: "
change CHANGELOG.md "s/^## \[$version\].*/## [0.9.0] - 2026-01-01/"
refuses "CHANGELOG\.md has no section for $version; write one that begins with: ## \[$version\] - 20"
change CHANGELOG.md "s/^## \[$version\].*/## [9.9.9] - 2026-01-01\n\n&/"
refuses "CHANGELOG\.md: the first section has version '9\.9\.9', and the code has $version; type: .EDITOR CHANGELOG\.md$"
change docs/versions.md 's/^| library | [0-9.]*/| library | 0.9.9/'
refuses "docs/versions\.md: library has version '0\.9\.9', and the code has $version; type: .EDITOR docs/versions\.md$"
change docs/versions.md 's/^| documents | [0-9.]*/| documents | 1.7/'
refuses "docs/versions\.md: documents has version '1\.7', and the code has [0-9.]+; type: "
change filters/core/plugin.h 's/^\(#define FB_PLUGIN_MINOR\) .*/\1 77/'
refuses "docs/versions\.md: plugin interface has version '[0-9.]+', and the code has [0-9]+\.77; type: "
change docs/how-to/guard-workflow.yml 's/filterbench@v.*/filterbench@v0.1/'
refuses "docs/how-to/guard-workflow\.yml has version '0\.1', and the code has $version; type: "
git tag "v$version"
refuses "there is a tag v$version already; raise the version: "
git tag -d "v$version" >/dev/null
refuses "the suite has not passed on $(git rev-parse HEAD | cut -c 1-8) in this folder; type: \.ci/run$"

# ready: the suite has passed here, so all that is left are the packages.
mkdir -p build/suite
passed() { git rev-parse HEAD >build/suite/passed; }
change scripts/package_check 's/exit 0/echo "FAILED: man filterbench"; exit 1/'
passed
! scripts/release --dry-run >.git/said 2>&1 || fail "packages that fail are released"
tail -1 .git/said | grep -q '^release: scripts/package_check build/packages-.*: FAILED: man filterbench; type: scripts/package_check' ||
    fail "packages that fail: $(cat .git/said)"
git reset -q --hard "$ready" && passed
scripts/release --dry-run 2>/dev/null | grep -q "is ready to be v$version; type: scripts/release$" || fail "a dry run"
[ -z "$(git tag)" ] || fail "a dry run makes tag $(git tag)"
scripts/release 2>/dev/null | grep -q "is v$version; type: git push origin v$version$" || fail "a release"
[ "$(git cat-file -t "v$version") $(git rev-parse "v$version^{commit}")" = "tag $(git rev-parse HEAD)" ] ||
    fail "no annotated tag of this commit"
finish
