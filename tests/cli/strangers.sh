#!/usr/bin/env bash
# What strangers send - documents, folders, names - can do nothing but be refused: nothing is written through a link,
# nothing waits for a pipe for ever, no text gives orders to a terminal or names a file elsewhere.
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
source "$here/lib.bash" || exit 1

seq 3000 >keys
fb run fpr -d nori,leveldb -b 8,10,12 -n 500 --filters 4 --probes 500 -o r.json >/dev/null 2>&1 || fail "a result"
fb run fpr-smoke -d nori --filters 4 --shard 1/2 -o part-1.json >/dev/null 2>&1 || fail "a part"
fb run fpr-smoke -d nori --filters 4 --shard 2/2 -o part-2.json >/dev/null 2>&1 || fail "a part"
python3 - "$source_folder/results/reference/kernels.json" <<'PYTHON' || fail "a result with times"
import json, sys
document = json.load(open(sys.argv[1]))
document["cells"] = document["cells"][:3]
document["cells"][0]["histograms"] = [{"kind": "single_op_gross", "lowest_ps": 1000}]
json.dump(document, open("times.json", "w"))
PYTHON

fb study new sh --shards 2 -- run fpr-smoke -d nori --filters 4 2>/dev/null || fail "a study"

# ---- Every output of every verb: the files that it makes, and what makes them ----
outputs='
out out.journal                 run fpr-smoke -d nori --filters 4 -o out
results/runs/fpr-smoke.json results/runs/fpr-smoke.json.journal   run fpr-smoke -d nori --filters 4
out                             build -d nori -b 10 -k keys -o out
out                             export r.json --to counts -o out
out                             export r.json --to csv -o out
out                             export r.json --to md -o out
out                             export times.json --unchecked --to gbench -o out
pics/fpr-bits.dat pics/fpr-bits.svg pics/fpr-bits.png pics/fpr-bits.svg.tmp pics/fpr-bits.png.tmp   plot r.json -o pics
plots/out/fpr-bits.dat plots/out/fpr-bits.svg plots/out/fpr-bits.png   plot r.json
out                             report r.json -o out
out                             merge part-1.json part-2.json -o out
out                             claim -d nori -b 10 -n 500 --bits-per-key 10 -o out
out                             reproduce nori.bits.10 -o out
sh/shard-1.log sh/shard-1.state sh/shard-1.json   study shard sh 1
st/study.json                   study new st --shards 2 -- run fpr-smoke
my-filter/my_filter.c my-filter/Makefile   plugin new my-filter
out.json                        reproduce --new-ledger out.json
'
# Whatever the code, nothing that stood there may be changed, nor may it wait for more than some seconds.
plant() { # HOW PLACE COMMAND FILE...
    local how=$1 place=$folder/$2 words=$3 file got=0
    shift 3
    mkdir -p "$place/a" "$place/b" && cp -r r.json times.json part-?.json keys sh "$place/a"
    echo precious >"$place/b/victim"
    cd "$place/a" || exit 1
    for file; do
        mkdir -p "$(dirname "$file")"
        case $how in
            link) ln -s "$place/b/victim" "$file" ;;
            dangling) ln -s "$place/b/new" "$file" ;;
            hard) ln ../b/victim "$file" ;;
            pipe) mkfifo "$file" ;;
        esac
    done
    timeout 30 "${command[@]}" $words >/dev/null 2>../said || got=$?
    [ "$(cat ../b/victim)" = precious ] || fail "$how: written through: $words"
    [ "$(ls ../b)" = victim ] || fail "$how: a file elsewhere: $words"
    [ $got -lt 124 ] || fail "$how: exit code $got: $words: $(cat ../said)"
    [ -z "$(find . -name '.filterbench-*' -o -name '*.tmp-*')" ] || fail "$how: left behind: $words"
}
number=0
while read -r line; do
    [ -n "$line" ] || continue
    files=${line%%   *}
    for how in link dangling hard pipe; do # those with a pipe wait most of the time
        number=$((number + 1))
        plant $how place-$number "${line##*   }" $files >planted-$number &
        [ $((number % 6)) != 0 ] || wait
    done
done <<<"$outputs"
wait
[ "$number" = 68 ] && [ -z "$(cat planted-*)" ] || fail "$number planted: $(cat planted-*)"

# ---- Names ----
# One function makes a name of any text.
fb run nori-90-absent -d nori -n 1000 --histograms -o tree.json >/dev/null 2>&1 || fail "a tree with histograms"
python3 - <<'PYTHON' || fail "names"
import json
document = json.load(open("tree.json"))
def rename(value):
    for histogram in value.get("histograms", []):
        histogram["kind"] = "/../../elsewhere"
    for lookup in value.get("lookups", []):
        rename(lookup)
for cell in document["cells"] + document.get("devices", []):
    cell["id"] = "../../up"
    rename(cell)
json.dump(document, open("up.json", "w"))
PYTHON
mkdir -p deep/er/folder
fb export up.json --unchecked --to hgrm -o deep/er/folder >/dev/null 2>stderr || fail "hgrm: $(cat stderr)"
[ -n "$(ls deep/er/folder/*elsewhere*)" ] && [ -z "$(find . -name '*elsewhere*' -not -path './deep/er/folder/*')" ] ||
    fail "hgrm leaves its folder: $(find . -name '*elsewhere*')"

# ---- Numbers that are none: no loop waits for them ----
fb run adversary --quick -d nori -n 500 -o attack.json >/dev/null 2>&1 || fail "an attack"
sed 's/"n": 500/"n": "x"/' attack.json >none.json
timeout 20 "${command[@]}" show none.json --unchecked >/dev/null 2>&1
[ $? -lt 124 ] || fail "a number that is none hangs"

# ---- A checkout with a name that breaks builds ----
for name in 'a"b' 'a$b' 'a(b' 'a&b' 'a;b'; do
    mkdir -p "odd/$name" && cp "$source_folder/CMakeLists.txt" "odd/$name"
    cmake -S "odd/$name" -B "odd/$name/build" >said 2>&1 && fail "a checkout called $name"
    grep -q 'in its name, which breaks' said || fail "a checkout called $name: $(head -3 said)"
done

# ---- A study of somebody else shows what it runs, and runs nothing ----
fb study new mine --shards 2 -- run fpr-smoke -d nori --filters 4 2>/dev/null || fail "a study"
sed 's/"run"/"run", "--plugin", "evil.so"/' mine/study.json >changed && mkdir theirs && cp changed theirs/study.json
fb study shard theirs 1 >stdout 2>stderr
[ $? = 2 ] && grep -q 'theirs runs \["run","--plugin","evil.so"' stderr && grep -q 'give --trust' stderr ||
    fail "a study of a stranger: $(cat stderr)"
[ "$(ls theirs)" = study.json ] || fail "a study of a stranger ran: $(ls theirs)"
fb study shard mine 1 2>/dev/null || fail "a study of one's own"
cp -r mine copy && rm copy/shard-1.json && mv .cache .cache-of-another
refuses_trust() { fb study shard copy 1 >/dev/null 2>&1 && fail "a study that was made elsewhere ran: $1"; }
refuses_trust "without the record"
fb study shard copy 1 --trust 2>/dev/null || fail "--trust"
rm copy/shard-1.json
fb study shard copy 1 2>/dev/null || fail "trusted before"
rm -rf .cache && mv .cache-of-another .cache

# What is trusted elsewhere is trusted as it stood there.
hash=$(fb study status mine --format json | sed -n 's/^  "trusted": "\([0-9a-f]*\)".*/\1/p')
cp -r mine named && rm named/shard-1.json && mv .cache .cache-of-another
fb study shard named 1 --trusted "$hash" 2>/dev/null || fail "--trusted"
cp changed named/study.json
fb study shard named 2 --trusted "$hash" >/dev/null 2>&1 && fail "another study is trusted by the hash of the first"
rm -rf .cache && mv .cache-of-another .cache

# ---- Schedulers: names that their shells take for code, links that they would write through ----
if command -v parallel >/dev/null; then
    export FILTERBENCH=$executable
    odd=$'{= system "touch pwned"; =}\t'
    cp -r mine "$odd" && bash "$source_folder/scripts/cluster/parallel" "./$odd" -j1 >/dev/null 2>said
    [ ! -e pwned ] && grep -q 'give a plain name' said || fail "a folder's name is run: $(cat said)"
    cp -r mine linked && rm linked/shard-1.json && echo precious >victim && ln -s ../victim linked/joblog.tsv
    bash "$source_folder/scripts/cluster/parallel" linked -j1 >/dev/null 2>said
    [ "$(cat victim)" = precious ] && grep -q 'joblog.tsv is a link' said || fail "a joblog: $(cat said)"
fi

# ---- A folder that nobody named may be a link; one that is named may not be a pipe ----
mkdir -p default/elsewhere && cd default && ln -s elsewhere plots && ln -s elsewhere results
fb plot ../r.json >/dev/null 2>stderr && fail "pictures through plots"
fb run fpr-smoke -d nori --filters 2 >/dev/null 2>>stderr && fail "a result through results"
[ "$(grep -c 'it is a link, and leads elsewhere; name a place with -o' stderr)" = 2 ] && [ -z "$(ls elsewhere)" ] || fail "links: $(cat stderr)"
cd ..
mkdir db && echo MANIFEST-000001 >db/CURRENT && mkfifo db/OPTIONS-000001
timeout 20 "${command[@]}" advise --db db >/dev/null 2>stderr
[ $? -lt 124 ] && grep -q 'OPTIONS-000001 is a pipe' stderr || fail "a pipe in a database: $(cat stderr)"
rm db/OPTIONS-000001
for name in 000003.log MANIFEST-000001 CURRENT; do # as sparse files
    truncate -s 300G db/$name
    mkdir -p tmp && TMPDIR=$PWD/tmp timeout 20 "${command[@]}" advise --db db >/dev/null 2>stderr
    [ $? = 2 ] && grep -q 'db: its logs and manifests have 322 GB, and at most 1 GiB' stderr || fail "a long $name: $(cat stderr)"
    rm db/$name && echo MANIFEST-000001 >db/CURRENT
done

# ---- What is to be pasted is quoted ----
sed 's/"design": "nori"/"design": "x;id"/; s/"design": "leveldb"/"design": "y;id"/' r.json >pasted.json
fb show pasted.json --unchecked 2>/dev/null | grep -q "^Next: .*'[xy];id'\$" || fail "a command of a stranger's: $(fb show pasted.json --unchecked | grep Next)"

# ---- CDPATH, and a folder called - ----
mkdir -p elsewhere/pics
CDPATH=$PWD/elsewhere fb plot r.json -o pics --only fpr-bits >/dev/null 2>stderr || fail "CDPATH: $(cat stderr)"
[ -z "$(ls elsewhere/pics)" ] && [ -s pics/fpr-bits.svg ] || fail "CDPATH: pictures elsewhere"
mkdir -- - && (OLDPWD=$PWD/elsewhere && export OLDPWD && fb plot r.json -o - --only fpr-bits >/dev/null 2>stderr)
[ -z "$(ls elsewhere | grep -v pics)" ] || fail "a folder called -: $(ls elsewhere)"

# ---- Size ----
refuses_long() { FILTERBENCH_DOCUMENT_BYTES=$1 fb show r.json >/dev/null 2>stderr; }
refuses_long 1k && fail "a long document"
grep -q '^filterbench: r.json: it has [0-9]* bytes, and a document may have 1000; set' stderr || fail "long: $(cat stderr)"
refuses_long 1M || fail "a document that is not too long: $(cat stderr)"

# ---- Every text of every kind of document ----
python3 "$here/strangers_texts.py" "$source_folder" "${FB_STRANGERS_SECONDS:-40}" "${command[@]}" || fail "texts"
finish
