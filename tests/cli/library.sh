# What a program gets of filters/: the programs of its how-to page, headers that stand alone in C and C++, a package for pkg-config
# and one for CMake, an archive and a shared library without foreign names, and one version of all.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
cc=${CC:-cc} cxx=${CXX:-c++}
cmake --install "$(dirname "$executable")" --prefix installed >log 2>&1 || fail "install: $(tail -3 log)"
include=$folder/installed/include/filterbench
library=$(dirname "$(find installed -name libfilterbench_filters.a)")
PKG_CONFIG_PATH=$(realpath "$library")/pkgconfig
export PKG_CONFIG_PATH
languages=("$cc -xc -std=c17")
if command -v "$cxx" >/dev/null; then
    languages+=("$cxx -xc++ -std=c++11")
fi

# Each public header alone, and twice; internal ones are not installed. Those to be inlined, in each instruction set as well.
inline_flags=("")
case $(uname -m) in x86_64) inline_flags+=(-march=x86-64-v3 -march=x86-64-v4) ;; esac
n=0
for header in $(cd "$include" && find filters -name '*.h'); do
    n=$((n + 1))
    ! grep -q ';$' "$include/$header" || grep -q '^extern "C" {$' "$include/$header" ||
        fail "$header: no extern \"C\""
    flags=("")
    case $header in filters/inline/*) flags=("${inline_flags[@]}") ;; esac
    for language in "${languages[@]}"; do
        for flag in "${flags[@]}"; do
            printf '#include "%s"\n#include "%s"\nextern int some;\n' "$header" "$header" |
                $language -Wall -Wextra -Wpedantic -Wconversion -Werror $flag -fsyntax-only "-I$include" - 2>log ||
                fail "$header alone, $language $flag: $(grep -m 3 error log)"
        done
    done
done
[ $n -ge 18 ] || fail "only $n headers are installed"
# And called: what an optimizer warns of.
for header in $(cd "$include" && find filters/inline -name '[!wt]*.h'); do
    printf '#include "%s"\n' "$header"
done >callers.c
for design in sbbf_256 sbbf_512 rocksdb_fastlocal leveldb nori bloom_double cuckoo_12 fuse_8 xor_8; do
    printf '#define OF(name) fb_%s_##name\n%s\n#undef OF\n' $design \
        'bool OF(ask)(const struct fb_filter *, const uint64_t *);
         bool OF(ask)(const struct fb_filter *f, const uint64_t *digest) { return OF(query)(f, digest); }'
done >>callers.c
for design in sbbf_256 sbbf_512 rocksdb_fastlocal leveldb nori bloom_double; do
    printf 'void put_%s(struct fb_filter *, const uint64_t *);
        void put_%s(struct fb_filter *f, const uint64_t *digest) { fb_%s_insert(f, digest); }\n' $design $design $design
done >>callers.c
for language in "${languages[@]}"; do
    for flag in "${inline_flags[@]}"; do
        $language -O2 -Wall -Wextra -Werror $flag "-I$include" -c callers.c -xnone -o callers.o 2>log ||
            fail "callers, $language $flag: $(grep -m 3 error log)"
    done
done
[ -z "$(find "$include" -path '*/internal/*' -o -path '*/simd/*')" ] || fail "internal headers are installed"

# Symbols: fb_ alone.
if command -v nm >/dev/null; then
    nm -g --defined-only "$library"/libfilterbench_filters.a >archive
    nm -D --defined-only "$library"/libfilterbench_filters.so >shared
    for symbols in archive shared; do
        grep -q ' fb_filter_build$' $symbols || fail "$symbols: no fb_filter_build"
        foreign=$(awk 'NF == 3 && $3 !~ /^fb_/ {print $3}' $symbols)
        [ -z "$foreign" ] || fail "$symbols: $foreign"
    done
    readelf -d "$library"/libfilterbench_filters.so >log
    ! grep -q TEXTREL log || fail "the shared library is not position-independent"
    grep -q 'SONAME.*\[libfilterbench_filters\.so\.[0-9.]*\]' log || fail "no SONAME: $(cat log)"
fi

# One version: of the tool, the headers, pkg-config and CMake (below).
version=$(fb --version | sed 's/filterbench //')
for pc in filterbench-filters filterbench-filters-shared; do
    [ "$(pkg-config --modversion $pc)" = "$version" ] || fail "$pc: not version $version"
done

cat >program.c <<'C'
#include <filters/core/filter.h>
#include <filters/core/version.h>
#include <stdio.h>

int main(void)
{
    const struct fb_design *design = fb_design_find("bloom-independent");
    printf("%s %d.%d.%d %s\n", FB_VERSION, FB_VERSION_MAJOR, FB_VERSION_MINOR, FB_VERSION_PATCH, design->name);
    return 0;
}
C
cp program.c program_cxx.cc
expected="$version $version bloom-independent"

# pkg-config: the archive, copied in; the shared library, found where it is installed.
for language in "${languages[@]}"; do
    # shellcheck disable=SC2046
    $language -Wall -Wextra -Werror program.c -xnone $(pkg-config --cflags --libs filterbench-filters) \
        -o program 2>log || fail "$language, archive: $(cat log)"
    [ "$(./program)" = "$expected" ] || fail "$language, archive: $(./program)"
    ! ldd program | grep -q filterbench || fail "the archive's program needs the shared library"
    # shellcheck disable=SC2046
    $language -Wall -Wextra -Werror program.c -xnone \
        $(pkg-config --cflags --libs filterbench-filters-shared) -o program 2>log ||
        fail "$language, shared library: $(cat log)"
    [ "$(LD_LIBRARY_PATH=$library ./program)" = "$expected" ] || fail "$language, shared library"
    ldd program | grep -q 'libfilterbench_filters.so.[0-9]' || fail "not the shared library"
done

# The programs of docs/how-to/use-the-library.md and the header's of filters/README.md, as they stand there, print
# what the pages say.
awk '/^```/ {if (code) close(file); code = !code && /^```(c|python)$/; if (code) file = "page" ++n (/c$/ ? ".c" : ".py"); next}
     code {print >file; next}
     /^It prints `/ {sub(/^It prints `/, ""); sub(/`.*/, ""); print >"page" n ".expected"}
     /^\$ .*(\.\/program|example\.py)$/ {getline; print >"page" n ".expected"}' \
    "$source_folder/docs/how-to/use-the-library.md" <(sed -n '/^## A lookup inside/,/^## Rules/p' "$source_folder/filters/README.md")
for n in 1 3; do
    [ "$(wc -l <page$n.c)" -le 25 ] || fail "program $n of the page is long"
    for language in "${languages[@]}"; do
        # shellcheck disable=SC2046
        $language -Wall -Wextra -Wpedantic -Werror page$n.c -xnone \
            $(pkg-config --cflags --libs filterbench-filters) -o page 2>log ||
            fail "$language, program $n of the page: $(cat log)"
        ./page >printed || fail "$language, program $n of the page: exit $?"
        cmp -s printed page$n.expected ||
            fail "$language, program $n of the page: $(cat printed), not $(cat page$n.expected)"
    done
done

[ "$(wc -l <page2.py)" -le 15 ] || fail "the program in Python is long"
LD_LIBRARY_PATH=$library python3 page2.py >printed || fail "the program in Python: exit $?"
cmp -s printed page2.expected || fail "the program in Python: $(cat printed), not $(cat page2.expected)"

# CMake: both targets, both languages.
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(filterbench ${expected} EXACT REQUIRED)
foreach(library filters filters_shared)
    add_executable(${library} program.c)
    target_link_libraries(${library} filterbench::${library})
    if(cxx)
        enable_language(CXX)
        add_executable(${library}_cxx program_cxx.cc)
        target_link_libraries(${library}_cxx filterbench::${library})
    endif()
endforeach()
CMAKE
cmake -S . -B consumer -Dexpected="$version" -Dcxx=$((${#languages[@]} - 1)) -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_PREFIX_PATH="$folder/installed" >log 2>&1 || fail "find_package: $(cat log)"
cmake --build consumer >log 2>&1 || fail "the consumer does not build: $(cat log)"
for program in filters filters_shared filters_cxx filters_shared_cxx; do
    [[ $program != *_cxx || ${#languages[@]} = 2 ]] || continue
    [ "$(consumer/$program)" = "$expected" ] || fail "CMake, $program: $(consumer/$program 2>&1)"
done
cmake -S . -B other -Dexpected=9.9.9 -DCMAKE_PREFIX_PATH="$folder/installed" >log 2>&1 &&
    fail "another version is found, too"
finish
