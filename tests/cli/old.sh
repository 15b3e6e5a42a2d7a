# What commit 7a78a63a wrote, the last before 1.0.0, is read: a document of each kind with its exact facts, a
# block of each format with its answers, a plugin. tests/old/ has them with the headers of that commit.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
python3 -m tarfile -e "$source_folder/tests/old/before-1.0.tar.xz" . && cd 1.0 || exit 1

for document in documents/*.json; do
    for verb in "show --verbose" validate "compare $document" "report -o page.html"; do
        fb $verb "$document" >log 2>&1 || fail "$verb $document: $(tail -1 log)"
    done
    fb export "$document" --to counts 2>/dev/null | cmp - "${document%.json}.counts" || fail "other facts: $document"
    fb compare "${document%.json}.counts" "$document" >log 2>&1 || fail "compare with counts: $document: $(tail -1 log)"
done

# ask KEYS OPTIONS...: the answers for blocks/KEYS.
ask() { fb query -k "blocks/$1" "${@:2}" 2>/dev/null; }
while read -r design format answers; do
    block=(-d "$design" --format-block "$format" -b "blocks/$design.$format")
    fb inspect "${block[@]}" >log 2>&1 || fail "inspect $design, $format: $(tail -1 log)"
    [ "$(ask keys "${block[@]}" | sort | uniq -c | xargs)" = "200 1" ] || fail "keys in $design, $format"
    [ "$(ask absent "${block[@]}" | cksum)" = "$answers 2000" ] || fail "absent keys in $design, $format"
done <blocks/table
[ "$(ask keys -d leveldb -b blocks/leveldb.table --data-block 2048 | grep -c 1)" = 102 ] || fail "a LevelDB table"

# A program that was compiled with the headers of then runs with today's shared library. The plugin as a file
# for x86-64; its source with the headers of then, and with today's.
plugins=() built=$(dirname "$executable")
[ "$(uname -m)" != x86_64 ] || plugins+=(plugin/old_plugin.so)
if [ ${#command[@]} = 1 ] && command -v cc >/dev/null; then
    awk '/^```c$/ {on = 1; next} /^```$/ {exit} on' "$source_folder/docs/how-to/use-the-library.md" >page.c
    cc -Iheaders page.c -o page "-L$built" "-Wl,-rpath,$built" -lfilterbench_filters 2>log || fail "page: $(head -3 log)"
    [ "$(./page)" = "apple 1, plum 1, cherry 0" ] || fail "the library, with headers of then: $(./page)"
    for headers in headers "$source_folder"; do
        plugins+=("./${#plugins[@]}.so")
        cc -O2 -fPIC -shared -fvisibility=hidden "-I$headers" plugin/old_plugin.c -o "${plugins[-1]}" \
            "$built/libfilterbench_filters.a" -lxxhash -lm 2>log || fail "$headers: $(head -3 log)"
    done
fi
for plugin in ${plugins[@]+"${plugins[@]}"}; do
    fb plugin check "$plugin" >log 2>&1 || fail "plugin check $plugin: $(cat log)"
    grep -qx "verification code 0x77ebcf0a150c859f" log || fail "$plugin: other answers: $(tail -1 log)"
    fb run fpr --plugin "$plugin" -d old-plugin -b 10 -n 1000 -o run.json >log 2>&1 || fail "run $plugin: $(cat log)"
done
finish
