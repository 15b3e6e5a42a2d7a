#!/usr/bin/env bash
# scripts/mutants says found, missed, not run and does not build where it should, refuses patches that
# no longer apply, and leaves the tree alone, interrupted or not; the project's own patches apply.
set -u
source_folder=$2
failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

"$source_folder/scripts/mutants" --check || fail "the project's own list"

# ---- A project of one function that is tested and one that is not ----
mkdir -p "$folder/tree/scripts" "$folder/tree/tests/mutants"
cd "$folder/tree" || exit 1
cp "$source_folder/scripts/mutants" scripts/
cat >CMakePresets.json <<'EOF'
{"version": 6, "configurePresets": [
 {"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release", "cacheVariables": {"PREFIX": "release"}},
 {"name": "clang", "inherits": "release", "binaryDir": "${sourceDir}/build/clang",
  "cacheVariables": {"PREFIX": "clang", "CMAKE_C_COMPILER": "clang"}}]}
EOF
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C)
enable_testing()
add_executable(test_sum small.c)
add_test(NAME ${PREFIX}/test_sum COMMAND test_sum)
add_executable(test_skipped small.c)
add_test(NAME ${PREFIX}/test_skipped COMMAND test_skipped skip)
set_tests_properties(${PREFIX}/test_skipped PROPERTIES SKIP_RETURN_CODE 77)
EOF
cat >small.c <<'EOF'
static int sum(int a, int b)
{
    return a + b;
}
int twice(int a);
int twice(int a)
{
    return 2 * a;
}
#ifdef __clang__
static const int five = 5;
#else
static const int five = 5 + 0;
#endif
int main(int argc, char **argv)
{
    (void)argv;
    return argc > 1 ? 77 : sum(2, 3) != five;
}
EOF
# fault NAME OLD NEW
fault() {
    printf -- '--- a/small.c\n+++ b/small.c\n@@ -1 +1 @@\n-%s\n+%s\n' "$2" "$3" >"tests/mutants/$1.patch"
}
fault minus '    return a + b;' '    return a - b;'
fault thrice '    return 2 * a;' '    return 3 * a;'
fault broken '    return 2 * a;' '    return 2 *;'
fault skipped '    return a + b;' '    return a * b;'
cat >tests/mutants/list <<'EOF'
# name part needs command
minus   sum   - test_sum
thrice  twice - test_sum
broken  twice - test_sum
skipped sum   - test_skipped
EOF
export GIT_{AUTHOR,COMMITTER}_NAME=a GIT_{AUTHOR,COMMITTER}_EMAIL=a@b
git init -q . && git add . && git commit -qm all
printf '/build/\n' >.git/info/exclude

# ends CODE ARGUMENTS...
ends() {
    local code=$1 got=0
    shift
    scripts/mutants "$@" >../stdout 2>../stderr || got=$?
    [ "$got" = "$code" ] || fail "exit code $got, not $code: $*: $(cat ../stdout ../stderr)"
    [ -z "$(git status --porcelain)" ] || fail "$* changed the tree: $(git status --porcelain)"
}
# said PATTERN FILE
said() { grep -Eq -- "$1" "../$2" || fail "no '$1' in $2: $(cat "../$2")"; }

ends 1
said '^missed: thrice \(small\.c:8\), by test_sum' stdout
said '^does not build: broken ' stdout
said '^not run: skipped ' stdout
said '^sum +1 +1$' stdout
python3 - build/mutants/report.json <<'EOF' || fail "report.json"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["counts"] == {"found": 1, "missed": 1, "does not build": 1, "not run": 1}, report["counts"]
minus = report["mutants"][0]
assert (minus["name"], minus["file"], minus["line"], minus["result"]) == ("minus", "small.c", 3, "found")
assert (minus["was"], minus["is"]) == ("return a + b;", "return a - b;")
assert [c["command"] for c in report["without_fault"]] == ["test_skipped", "test_sum"]
EOF
ends 0 --only '^minus$'
ends 1 --only thrice --matrix
said '^thrice: nothing' stdout
ends 0 --only minus --by test_skipped
said '^not run: minus .*by test_skipped' stdout
ends 2 --by test_sum --matrix
ends 0 --slice 4/4
said '^\[1/1\] found' stdout

# A fault that needs a build: release must miss it, and that build must find it.
fault only_clang 'static const int five = 5;' 'static const int five = 6;'
fault both '    return a + b;' '    return a + b + 1;'
cat >>tests/mutants/list <<'EOF'
only_clang sum clang test_sum
both       sum clang test_sum
EOF
git add . && git commit -qm builds
if command -v clang >/dev/null; then
    ends 1 --only '^clang$'
    said '^\[.*\] found +only_clang .*release misses it' stdout
    said '^release finds it: both' stdout
fi

# What changed since a revision, whether the file or the fault; what there was no time for is named.
ends 0 --since HEAD~1 --list
[ "$(cut -d' ' -f1 ../stdout | paste -sd' ')" = "only_clang both" ] || fail "--since: $(cat ../stdout)"
ends 0 --since HEAD
said 'no fault is in a file that changed since HEAD' stdout
ends 2 --since nothing-like-this
ends 2 --since ''
ends 2 --since=--output=x
ends 2 --seconds nan
ends 2 --turn -1
sed -i 's/^only_clang sum/only_clang total/' tests/mutants/list
scripts/mutants --since HEAD --list | grep -q '^only_clang .* total' || fail "--since: a line of the list changed"
git checkout -q tests/mutants/list
ends 0 --list --turn 7
[ "$(head -1 ../stdout | cut -d' ' -f1)" = thrice ] || fail "--turn: $(cat ../stdout)"
ends 0 --seconds 0
said '^left out after [0-9]+ s \(6\):' stdout
said '^both broken minus only_clang skipped thrice$' stdout
git reset -q --hard HEAD~1

# The same lines elsewhere in the file are the same fault; without them there is none.
sed -i '1i/* moved */' small.c
git commit -qam moved
ends 0 --only minus --jobs 1
sed -i 's/return a + b/return b + a/' small.c
git commit -qam gone
ends 2
said 'minus\.patch no longer applies: small\.c has no line `return a \+ b;`' stderr
git reset -q --hard HEAD~1

# A command that fails without a fault finds none.
sed -i 's/!= five/!= 6/' small.c
git commit -qam wrong
ends 1 --only minus
said 'without a fault release/test_sum failed' stderr
said '^proves nothing: minus' stdout
git reset -q --hard HEAD~1

ends 2 --slice 3
ends 2 --only nothing-like-this
ends 2 --no-such-option
echo 'absent sum - test_sum' >>tests/mutants/list
git commit -qam absent
ends 2 --check
said 'there is no absent\.patch' stderr
git reset -q --hard HEAD~1

# ---- Interrupted ----
cat >>CMakeLists.txt <<'EOF'
add_executable(test_slow small.c)
add_test(NAME release/test_slow COMMAND sleep 100)
EOF
fault slow '    return a + b;' '    return a + 2 * b;'
echo 'slow sum - test_slow' >>tests/mutants/list
git add . && git commit -qm slow
rm -rf build
scripts/mutants --jobs 1 >../first.stdout 2>../first.stderr &
job=$!
for ((i = 0; i < 600; i++)); do
    grep -q '^\[1/' ../first.stdout && break
    sleep 0.1
done
ends 2 --only minus
said 'another run works in' stderr
kill -INT $job
wait $job
code=$?
[ $code = 130 ] || fail "interrupted: exit code $code: $(cat ../first.stderr)"
said '^mutants: interrupted' first.stderr
[ -z "$(git status --porcelain)" ] || fail "interrupted, and the tree changed"
ends 0 --only minus

[ $failures = 0 ]
