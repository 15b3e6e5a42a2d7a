#!/usr/bin/env bash
# objects: which designs a commit changes, by commits made in a copy of the tree: comments, one design, a
# row of the tuning, an inline helper, an insert, a hash, a text, a new design. And links of the objects.
filterbench=$(realpath "$1")
[ $# = 2 ] || { echo "objects of another machine: skipped"; exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/copy.bash" || exit 1
export CCACHE_NAMESPACE=ab
cd "$tree"
# Fewer designs, and a compiler in a hurry: it is not the code that counts here, but what differs.
sed -i '/^set(FB_DESIGNS$/,/^)$/c set(FB_DESIGNS\n    leveldb sbbf-256 sbbf-256-libfilter xor-8 null\n)' CMakeLists.txt
configure -DBUILD_TESTING=OFF -DFB_WERROR=OFF "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG" \
    "-DCMAKE_C_FLAGS=-ffunction-sections -fdata-sections"

# commit NAME: builds what stands there; its objects are then in the folder NAME.
commit() {
    build filterbench_designs
    mkdir "$1"
    (cd "$built/CMakeFiles" && cp -r --parents filterbench_filters.dir filterbench_designs.dir "$tree/$1")
}
# change FILE OLD NEW: the text must be there, once.
change() { python3 -c 'import sys; f, a, b = sys.argv[1:]; t = open(f).read(); assert t.count(a) == 1, (f, a); open(f, "w").write(t.replace(a, b))' "$@"; }

commit base
change filters/leveldb.c '#include "filters/core/scattered.h"' '/* LevelDB. */
#include "filters/core/scattered.h"'
change filters/core/tuning.c '/* ---- The rows ---- */' '/* ---- All rows ---- */'
change filters/inline/sbbf_256.h '/* Returns the offset in bytes of the block that the digest picks. */' '
/* In bytes. */
'
sed -i 's/\bblock_size\b/bytes_of_block/g' filters/leveldb.c # names are no code
commit comments
change filters/inline/leveldb.h 'fb_rotr32(fb_lo32(digest[0]), 17)' 'fb_rotr32(fb_lo32(digest[0]), 15)'
commit one_design
change filters/core/tuning.c 'CLASSES(AT(NO, NO, NO, NO, T0(256), T0(96)),' 'CLASSES(AT(NO, NO, NO, NO, T0(256), T0(88)),'
commit tuning
change filters/inline/sbbf_256.h 'fb_hi32(digest) * f->geom.n_blocks >> 32' 'fb_hi32(digest) * (f->geom.n_blocks - 1) >> 32'
commit helper
change filters/inline/sbbf_256.h 'word[i] |= UINT32_C(1)' 'word[i] |= UINT32_C(3)'
change filters/hash/leveldb.c 0xC6A4A793 0xC6A4A795
commit insert_and_hash
sed -i 's/^    \.summary = "/&Now: /' filters/leveldb.c filters/sbbf_256.c
change filters/leveldb.c '{"leveldb", "the bits, then' '{"level", "bits, then'
commit texts
change filters/leveldb.c 'its reader takes more as a future encoding";' 'its reader takes more";'
# A constant of the predicted rate, which lies in one section with constants of the build.
change filters/core/internal/three_slots.inc 'return 1.0 / (UINT32_C(1) << SLOT_BITS)' 'return 1.5 / (UINT32_C(1) << SLOT_BITS)'
commit message
sed -i 's/^    leveldb sbbf-256 .*/& always/' CMakeLists.txt
commit design
cp -r design order
for object in order/*/filters/*.o; do mv "$object" "${object%/*}/z$RANDOM${object##*/}"; done
ar rcs design.a $(find design -name '*.o')

cat >judge.py <<'PYTHON'
import glob, json, os, runpy, subprocess, sys
script = sys.argv[1] + "/scripts/objects"
failed = 0


def fail(*words):
    global failed
    failed = 1
    print("FAILED:", *words)


def result(base, head):
    return json.loads(subprocess.run([script, base, head, "--json"], check=True, stdout=subprocess.PIPE).stdout)


def differs(base, head, expected):
    """Exactly these designs differ, in these operations; None: any."""
    found = {n: d.get("operations", d["state"]) for n, d in result(base, head)["designs"].items() if d["state"] != "equal"}
    if list(sorted(found)) != list(sorted(expected)) or any(e is not None and e != found[n] for n, e in expected.items()):
        fail(base, head, found, "not", expected)


lookups = ["batch", "each", "branch", "chain", "insert", "walk"]
differs("base", "base", {})
differs("base", "comments", {})
differs("comments", "one_design", {"leveldb": lookups})
differs("one_design", "tuning", dict.fromkeys(["leveldb", "sbbf-256", "sbbf-256-libfilter", "xor-8"]))
differs("tuning", "helper", {"sbbf-256": lookups, "sbbf-256-libfilter": lookups})
differs("helper", "insert_and_hash", {"sbbf-256": ["insert"], "sbbf-256-libfilter": ["insert"], "leveldb": ["digest"]})
differs("insert_and_hash", "texts", {})
differs("texts", "message", {"leveldb": [], "xor-8": []})
differs("message", "design", {"always": "only in HEAD"})
differs("design", "message", {"always": "only in BASE"})
differs("design", "order", {})
differs("design", "design.a", {})
if result("one_design", "tuning")["designs"]["xor-8"]["bytes"] < 500:
    fail("the rows of the tuning do not count as bytes that differ")
# The most changed first.
whole = result("base", "design")["designs"]
if [d.get("bytes", 0) for d in whole.values()] != sorted((d.get("bytes", 0) for d in whole.values()), reverse=True):
    fail("order", whole)
# Offsets in the structs are those of the headers.
known = runpy.run_path(script)
with open("offsets.c", "w") as file:
    file.write('#include <stddef.h>\n#include "filters/core/plugin.h"\n')
    for struct, members in ("fb_design", known["DESIGN"]), ("fb_kernel", known["KERNEL"]), ("fb_format", known["FORMAT"]):
        for member, (offset, _) in members.items():
            file.write(f'_Static_assert(offsetof(struct {struct}, {member}) == {offset}, "{struct}.{member}");\n')
    for member, offset in known["PLUGIN"].items():
        file.write(f'_Static_assert(offsetof(struct fb_plugin_v1, {member}) == {offset}, "{member}");\n')
    # Every member is known, so a new one is noticed here.
    file.write(f'_Static_assert(sizeof(struct fb_format) == {known["FORMAT_BYTES"]}, "format");\n')
    for struct, members in ("fb_design", known["DESIGN"]), ("fb_kernel", known["KERNEL"]):
        last = max(offset for offset, _ in members.values())
        file.write(f'_Static_assert(sizeof(struct {struct}) == {last + 8}, "{struct} has a member that scripts/objects does not know");\n')
if subprocess.run([os.environ.get("CC", "gcc"), "-std=c17", "-I.", "-fsyntax-only", "offsets.c"]).returncode:
    fail("offsets")
sys.exit(failed)
PYTHON
status=0
python3 judge.py "$source" || status=1
fail() { echo "FAILED: $*"; status=1; }
# refuses PATTERN ARGUMENTS...: one line on stderr, and 2.
refuses() {
    local pattern=$1 got=0
    shift
    "$source/scripts/objects" "$@" >said 2>errors || got=$?
    [ $got = 2 ] && [ ! -s said ] && [ "$(wc -l <errors)" = 1 ] && grep -Eq "^objects: $pattern" errors ||
        fail "objects $*: exit $got: $(cat said errors)"
}
mkdir empty only damaged text
cp design/filterbench_filters.dir/filters/leveldb.c.o only
head -c 3000 only/leveldb.c.o >damaged/a.o
echo text >text/a.o
refuses 'give two folders' base
refuses 'none: No such file' base none
refuses 'empty: there is no object file' empty base
refuses 'CMakeLists.txt: not an archive' base CMakeLists.txt
refuses 'only: no object defines fb_plugin_v1' base only
refuses 'a damaged object file|damaged/a.o' base damaged
refuses 'text/a.o: not a 64-bit' base text
"$source/scripts/objects" --help >said && grep -q '^usage: scripts/objects BASE HEAD' said || fail "help"
"$source/scripts/objects" texts message >said
grep -q '^leveldb  *changed  *[0-9,]*  none: sizing or formats$' said && grep -q '^3 of 5 designs have equal code, 2 changed$' said ||
    fail "table: $(cat said)"
grep -q '^compiler of both: GCC: ' said || fail "compiler: $(cat said)"
cp -r design stripped
find stripped -name 'leveldb.c.o' -exec objcopy --remove-section .comment --add-section .comment=<(printf 'other 1.0\0') {} ';'
"$source/scripts/objects" design stripped >said
grep -q '^The compilers or flags differ\.$' said && grep -q '^HEAD: .*other 1\.0' said || fail "compilers: $(cat said)"

# ---- The same of another machine's objects ----
if command -v aarch64-linux-gnu-gcc >/dev/null; then
    for side in a64 a64_slow; do
        mkdir $side
        for file in toy plugin; do
            aarch64-linux-gnu-gcc -std=c17 -O2 -fPIC -ffunction-sections -fdata-sections -I. -c tests/guard/$file.c -o $side/$file.o
        done
        sed -i 's/uint64_t hash = hashes\[i\];/uint64_t hash = hashes[i] * 3;/' tests/guard/toy.c
    done
    "$source/scripts/objects" a64 a64_slow >said
    grep -Eq '^toy  *changed  *[0-9]+  batch$' said || fail "aarch64: $(cat said)"
    refuses 'BASE has code of x86-64, HEAD of aarch64|BASE has code of aarch64, HEAD of aarch64' base a64
fi

# ---- Links ----
link() { "$source/scripts/links" "$@" -- -lxxhash -lm; }
link design once 3 && link design.a again 2 --seed 2 && link design twice 3 --seed 1 || fail "links"
[ "$(ls once)" = "$(printf '%s\n' 000.so 001.so 002.so plain.so)" ] || fail "which links: $(ls once)"
for name in 000 001 002 plain; do cmp once/$name.so twice/$name.so || fail "the same seed, another $name.so"; done
[ "$(cat once/*.so again/*.so | wc -c)" -gt 0 ] && [ "$(md5sum once/*.so again/*.so | cut -d' ' -f1 | sort -u | wc -l)" = 7 ] ||
    fail "the same link twice: $(md5sum once/*.so again/*.so)"
places() { nm "$1" | grep -E ' t (query_batch|fb_xxh64|plan)' | sort -k3 | cut -d' ' -f1; }
[ "$(places once/000.so | md5sum)" != "$(places once/001.so | md5sum)" ] || fail "all code lies in the same places"
for file in once/*.so; do
    [ "$(nm -D --defined-only "$file" | cut -d' ' -f3)" = fb_plugin_v1 ] || fail "$file shows $(nm -D --defined-only "$file")"
    "$filterbench" ab once/plain.so "$file" --set designs=leveldb --dry-run >said 2>&1 || fail "$file: $(tail -1 said)"
done
# Code that asks for an alignment moves within it as well; the ordinary link keeps it.
mkdir aligned_objects
for file in toy plugin; do
    ${CC:-cc} -std=c17 -O2 -fPIC -ffunction-sections -falign-functions=256 -I. -c tests/guard/$file.c -o aligned_objects/$file.o
done
link aligned_objects aligned 6
ends() { for file in "$@"; do nm "$file" | sed -n 's/^.*\(..\) t toy_find_many$/\1/p'; done | sort -u | tr '\n' ' '; }
[ "$(ends aligned/plain.so)" = "00 " ] && [ "$(ends aligned/0*.so | wc -w)" -ge 4 ] || fail "aligned code lies at $(ends aligned/*.so)"
CC=false "$source/scripts/links" design out 2 2>errors && fail "links without a compiler"
grep -q '^links: false fails:' errors || fail "links: $(cat errors)"
"$source/scripts/links" design out 2>errors && fail "links without a number"
grep -q '^links: give the objects' errors || fail "links: $(cat errors)"
exit $status
