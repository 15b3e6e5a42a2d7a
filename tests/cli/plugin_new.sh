# The beginning of a plugin compiles without a warning, keeps the contract and can be used: against
# the build folder and against what is installed, with every compiler there is.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
build=$(dirname "$executable")

refuses 2 "'a_b' is no name for a design" plugin new a_b
refuses 2 "'9' is no name" plugin new 9
refuses 2 "a design 'leveldb' already" plugin new leveldb
fb plugin new my-filter 2>notes || fail "plugin new: $(cat notes)"
grep -q "wrote my-filter/my_filter.c and my-filter/Makefile" notes || fail "which files: $(cat notes)"
refuses 2 "my-filter/my_filter.c: it is there already" plugin new my-filter
fb plugin new other -o my-filter 2>notes && fail "a Makefile is written over"
! grep -q '@[A-Z]' my-filter/* || fail "something is not filled in"

cmake --install "$build" --prefix "$folder/installed" >log 2>&1 || fail "install: $(tail -3 log)"
pc=$(dirname "$(find installed -name filterbench-filters.pc)")
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    for found in "$build" "$folder/$pc"; do
        rm -f my-filter/my_filter.so
        PKG_CONFIG_PATH=$found make -C my-filter CC="$compiler -Werror" \
            FILTERBENCH="$executable" check >log 2>&1 || fail "$compiler, $found: $(cat log)"
        grep -q '^my-filter  *\([0-9]*\) of \1 ' log || fail "$compiler, $found: $(cat log)"
    done
done
if command -v nm >/dev/null; then
    [ "$(nm -D --defined-only my-filter/my_filter.so | grep -c ' fb_')" = 1 ] ||
        fail "it shows more than fb_plugin_v1"
    ! ldd my-filter/my_filter.so | grep -q filterbench || fail "it has no copy of the library"
fi
mkdir out && PKG_CONFIG_PATH=$build FB_OUT=$PWD/out make -C my-filter guard >log 2>&1 && [ -s out/my_filter.o ] ||
    fail "make guard: $(cat log)"
fb run fpr-smoke -d my-filter,nori --plugin my-filter/my_filter.so -o result.json >table 2>/dev/null ||
    fail "run fpr-smoke"
grep -q 'my-filter' table || fail "not in the table"

# A filter that forgets a key is found.
sed -i 's/return i == f->geom.probes;/return i == f->geom.probes \&\& digest[0] % 32;/' \
    my-filter/my_filter.c
PKG_CONFIG_PATH=$build make -C my-filter FILTERBENCH="$executable" check >log 2>&1 &&
    fail "a filter that forgets keys passes"
grep -q "design 'my-filter': answers: a key that is in is denied" log || fail "which: $(cat log)"
finish
