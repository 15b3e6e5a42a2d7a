# check_cycles.sh: planted circles are found, and the tree has none.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
script=$source_folder/scripts/check_cycles.sh
check "the tree" -- "$script" "$(dirname "$executable")"

# plant FILE CODE: compiled as a build does.
plant() {
    mkdir -p "tree/$(dirname "$1")" "build/a.dir/$(dirname "$1")"
    printf '%s\n' "$2" >"tree/$1"
    cc -I tree -c "tree/$1" -o "build/a.dir/$1.o" || fail "does not compile: $1"
}
accepted() { "$script" build tree >said 2>&1 || fail "$1: $(cat said)"; }
# refused WORDS FILE...: a circle, and each file of it is named.
refused() {
    local words=$1 file
    shift
    "$script" build tree >said 2>&1 && fail "$words: not found"
    for file; do
        grep -qx "  $file" said || fail "$words: $file is not named: $(cat said)"
    done
    [ "$(grep -c '^  ' said)" = $# ] || fail "$words: others are named: $(cat said)"
}

mkdir -p tree/filters tree/workloads
plant harness/a.c 'void b(void); void a(void) { b(); }'
plant harness/base/b.c 'void b(void) {}'
accepted "one way"
plant harness/base/b.c 'void a(void); void b(void) { a(); }'
refused "two files" harness/a.c harness/base/b.c
plant harness/base/b.c 'void c(void); void b(void) { c(); }'
plant workloads/c.c 'extern int a_table[]; void c(void) { a_table[0] = 1; }'
plant harness/a.c 'void b(void); int a_table[1]; void a(void) { b(); }'
refused "three files, one need for data" harness/a.c harness/base/b.c workloads/c.c
rm tree/workloads/c.c
accepted "an object without its source"

# A generated list names its entries, which may ask the file that has it; it may not call them.
echo 'ENTRY(entry)' >tree/entries.def
list='#define ENTRY(id) extern const int id;
#include "entries.def"
#undef ENTRY
#define ENTRY(id) &id,
const int *const list[] = {
#include "entries.def"
};'
plant filters/core/registry.c "$list int find(void) { return *list[0]; }"
plant filters/entry.c 'int find(void); const int entry = 1; int build(void) { return find(); }'
accepted "a list of entries"
plant filters/core/registry.c "$list int build(void); int find(void) { return build(); }"
refused "a call from a list" filters/core/registry.c filters/entry.c
mkdir -p none
"$script" none tree >said 2>&1 && fail "a folder without objects passes"

finish
