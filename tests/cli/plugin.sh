# Designs from shared objects: listed, counted, timed by child processes, used in a tree, named in
# documents; what is refused, and why; and the built-in designs, loaded beside themselves.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
plugins=$(dirname "$executable")/tests/plugins
toys=$plugins/toys_plugin.so

# ---- Refused, with the file and what is wrong ----
refuses 7 "none.so: No such file" list designs --plugin none.so
echo "not an object" >text.so
refuses 7 "text.so: (file too short|invalid ELF header)" list designs --plugin text.so
refuses 7 "plugin .: a folder of links has a plain.so, and this one has none" list designs --plugin .
refuses 2 "plugin: needs a value" list designs --plugin
while read -r wrong why; do
    refuses 7 "wrong_$wrong.so: $why" list designs --plugin "$plugins/wrong_$wrong.so"
done <<'TABLE'
symbol it exports no fb_plugin_v1$
magic its fb_plugin_v1 does not start with the magic number$
major its interface is 2.2, and this filterbench loads 1.x$
struct its struct fb_plugin_v1 has 16 bytes
design its struct fb_design has 8 bytes
revision it has no name or no revision$
tuning it does not take the tuning that is in force$
no_design it has no design$
no_kernel design 'yes': no kernel$
unnamed design 1 of it has no name$
taken design 'leveldb': there is one of that name in this program already$
twice design 'yes': there is one of that name in it already$
letters design 'a/b': a name has letters
length design 'a-name-that-is-.*': the name is too long$
TABLE
refuses 7 "design 'yes': there is one of that name in .*/wrong_nothing.so already" \
    list designs --plugin "$plugins/wrong_nothing.so" --plugin "$plugins/wrong_later.so"
refuses 2 "no design 'xor-toy'" build -d xor-toy -k none -o no

# ---- Loaded: whatever the order of options ----
for name in nothing later older layout; do
    fb list designs --plugin "$plugins/wrong_$name.so" >table || fail "wrong_$name.so"
    grep -q '^yes ' table || fail "wrong_$name.so: its design is not listed"
done
fb describe xor-toy --plug="$toys" >table || fail "describe, with a shortened option"
grep -q '^own words  *seed, segment$' table || fail "describe xor-toy"
seq 1 500 >keys
fb build -d xor-toy --bits-per-key 10 -k keys -o block --plugin "$toys" 2>/dev/null || fail build
[ "$(fb --plugin "$toys" 2>&1 | grep -c 'no verb')" = 1 ] || fail "the verb comes first"
[ "$(fb query -d xor-toy -b block -k keys --plugin "$toys" 2>/dev/null | grep -c 1)" = 500 ] ||
    fail "xor-toy of a plugin denies keys"

# ---- Counted, timed in processes of their own, in a tree; the documents say of what ----
cat >kernels.json <<'JSON'
{"name": "plugin", "kind": "kernels", "designs": ["xor-toy", "cuckoo-8", "sbbf-256"],
 "footprints": ["L1"], "most_bytes": 12500, "operations": ["batch", "build"], "hit_ratios": [0],
 "rounds": 1, "min_processes": 6, "max_processes": 6, "budget": 1, "cpu": "none"}
JSON
fb run fpr-smoke -d xor-toy,nori -o fpr.json --plugin "$toys" >/dev/null 2>&1 || fail "run fpr-smoke"
fb run kernels.json -o timed.json --plugin "$toys" >/dev/null 2>errors || fail "run kernels" <errors
fb run smoke --ci -d xor-toy,key-set,leveldb -o tree.json --plugin "$toys" >/dev/null 2>errors ||
    fail "run smoke" <errors
for result in fpr timed tree; do
    fb validate $result.json --plugin "$toys" >/dev/null || fail "validate $result.json"
    grep -q '"path": ".*toys_plugin.so"' $result.json || fail "$result.json names no plugin"
    code=0
    fb validate $result.json >/dev/null 2>errors || code=$?
    [ $code = 2 ] || fail "validate $result.json without its plugin: exit $code"
    grep -q "made with the plugin .*toys_plugin.so (toys, tests); give that file with --plugin" errors ||
        fail "validate $result.json: which plugin it needs" <errors
done
fb run fpr-smoke -d nori -o plain.json >/dev/null 2>&1
! grep -q '"plugins"' plain.json || fail "a document names plugins though none was loaded"

# A plugin counts what the design counts that is built in.
fb_toys=$(dirname "$executable")/tests/filterbench_toys
"${command[@]:0:${#command[@]}-1}" "$fb_toys" run fpr-smoke -d xor-toy,nori -o built_in.json \
    >/dev/null 2>&1 || fail "run fpr-smoke, built in"
for result in fpr built_in; do
    fb export $result.json --to counts --plugin "$toys" >$result.counts || fail "export $result"
done
cmp fpr.counts built_in.counts || fail "a plugin's counts are others"

# ---- The built-in designs as a plugin ----
designs=$(dirname "$executable")/filterbench_designs.so
refuses 7 "filterbench_designs.so: design '.*': there is one of that name in this program" \
    list designs --plugin "$designs"
if command -v nm >/dev/null; then
    nm -D --defined-only "$designs" | grep -v ' fb_plugin_v1$' | grep ' fb_' &&
        fail "filterbench_designs.so shows more than fb_plugin_v1"
fi
finish
