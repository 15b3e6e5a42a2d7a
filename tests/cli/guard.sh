# guard: the toy library of tests/guard in a fresh repository. What is timed and what is not; what is
# said where a command fails. No verdict: those depend on a clock.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
for tool in git make cc ar readelf pkg-config; do
    command -v $tool >/dev/null || { echo "there is no $tool: skipped"; exit 77; }
done
[ ${#command[@]} = 1 ] || { echo "objects of another machine: skipped"; exit 77; }
export PKG_CONFIG_PATH=$(dirname "$executable") GIT_CONFIG_GLOBAL=/dev/null HOME=$folder
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
scripts=$source_folder/scripts

git init -q library && mkdir library/filter && cp "$source_folder"/tests/guard/* library/filter && cd library/filter || exit 1
# commit NAME [FILE OLD NEW]: the change, from main on; the text must be there.
commit() {
    git checkout -q main 2>/dev/null || git checkout -q -b main
    if [ $# -gt 1 ]; then
        grep -qF -- "$3" "$2" || fail "$1: no '$3' in $2"
        python3 -c 'import sys; f, a, b = sys.argv[1:]; t = open(f).read(); open(f, "w").write(t.replace(a, b))' "${@:2}"
        git checkout -q -b "$1"
    fi
    git add -A && git commit -qm "$1"
}
commit main
commit comment toy.c '#include "toy.h"' '/* A comment. */
#include "toy.h"'
# Each lookup of a batch waits for a chain of multiplications.
commit slow toy.c 'uint64_t hash = hashes[i];' \
    'uint64_t hash = hashes[i]; for (int j = 0; j < 64; j++) { hash *= 5; __asm__ volatile("" : "+r"(hash)); } hash = hashes[i] + (hash & 0);'
commit text plugin.c 'one bit per key' 'a single bit per key'
commit message plugin.c 'this design has 1 probe' 'this design has one probe'
commit renamed plugin.c '"toy",
    .summary' '"toy-2",
    .summary'
commit broken toy.c 'return total;' 'return total'
commit nothing Makefile '$(AR)' 'true $(AR)'
commit other Makefile '/toy.a' '/toy.zip'
commit both Makefile '/toy.a $(SOURCES:.c=.o)' '/toy.a $(SOURCES:.c=.o) \&\& cp toy.o $(FB_OUT)/../out/toy.so'
sed -i 's/\\&/\&/g' Makefile && git commit -qam "both files"
commit no_lto Makefile 'CFLAGS = ' 'CFLAGS = -frecord-gcc-switches -O1 '
commit lto Makefile 'CFLAGS = ' 'CFLAGS = -flto '
commit late plugin.c 'static const struct fb_design toy = {' 'static struct fb_design toy; __attribute__((constructor)) static void begin(void) { extern const struct fb_design toy_0; toy = toy_0; }
const struct fb_design toy_0 = {'
git checkout -q main

# guards CODE PATTERN REVISION OPTIONS...: against main; what it prints is in ./said and ./errors.
guards() {
    local code=$1 pattern=$2 got=0
    shift 2
    "$scripts/guard" main "$@" --program "$executable" --links 2 -- make guard >"$folder/said" 2>"$folder/errors" || got=$?
    grep -qw "$got" <<<"$code" || fail "$*: exit code $got, not $code: $(tail -3 "$folder/errors")"
    grep -Eq -- "$pattern" "$folder/said" "$folder/errors" || fail "$*: no '$pattern': $(tail -n 5 "$folder/said" "$folder/errors")"
}
for equal in main comment text; do
    guards 0 '^the only design has equal code: nothing is timed$' $equal
    grep -q '^Nothing was timed\.' "$folder/said" || fail "$equal: $(cat "$folder/said")"
done
guards 0 '^0 of 1 designs have equal code; timed: toy \(batch\)$' slow --dry-run
grep -q '^toy/L1/batch' "$folder/said" && ! grep -Eq '/(each|insert|walk)' "$folder/said" || fail "slow: $(cat "$folder/said")"
guards '0 1 3 6' '^toy/L1/batch .* ns|^toy/L1/batch +[0-9]' slow --budget 1
guards 0 '^changed in sizing or formats alone, which exact facts judge: toy$' message --dry-run
guards '2 4 5' '^only in HEAD: toy-2$' renamed
guards 0 'gets its name when the plugin is loaded, .*; all designs are timed$' late --dry-run --set designs=toy

# ---- What is refused ----
guards 2 '^guard: the command fails at broken; its last lines are above$' broken
grep -q "error: expected " "$folder/errors" || fail "broken: $(cat "$folder/errors")"
guards 2 '^guard: the command made nothing at nothing\. Let it put NAME\.a,' nothing
guards 2 '^guard: the command made toy\.zip at other\.' other
guards 2 '^guard: the command made toy\.a at both\.' both
guards 2 'no object defines fb_plugin_v1.*without -flto' lto
guards 2 "^guard: no revision 'none'$" none
guards '0' '^BASE and HEAD come from different compilers or flags' no_lto --dry-run
grep -q 'flags: .*-O1' "$folder/said" || fail "flags: $(cat "$folder/said")"
(cd "$folder" && "$scripts/guard" a b -- make 2>&1) | grep -q 'is in no git repository$' || fail "no repository"
"$scripts/guard" main slow 2>&1 | grep -q '^guard: give two revisions and a command' || fail "no command"
"$scripts/guard" --help | grep -q '^  *scripts/guard origin/main HEAD -- make' || fail "help"

# ---- Finished plugins ----
plugin='make toy.so && cp toy.so $FB_OUT'
"$scripts/guard" main comment --program "$executable" -- "$plugin" >"$folder/said" 2>"$folder/errors" || fail "$(cat "$folder/errors")"
grep -q '^both revisions give the same plugin, byte by byte: nothing is timed$' "$folder/said" || fail "$(cat "$folder/said")"
"$scripts/guard" main slow --program "$executable" --dry-run --set designs=toy -- "$plugin" >"$folder/said" 2>"$folder/errors" || fail "$(cat "$folder/errors")"
grep -q '^finished plugins: all designs are timed;' "$folder/said" || fail "$(cat "$folder/said")"
[ "$(git worktree list | wc -l)" = 1 ] && [ "$(git status --porcelain | wc -l)" = 0 ] || fail "left behind: $(git worktree list; git status --porcelain)"
finish
