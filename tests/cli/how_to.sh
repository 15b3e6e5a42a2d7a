# The pages of docs/how-to/ at their word: each command runs, and prints titles that begin as those below it.
# What has a digit is not compared: it differs from machine to machine.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
export FILTERBENCH_DATA=$source_folder
if ! [ -e "$(dirname "$executable")/filterbench_engine_rocksdb.so" ] || ! command -v db_bench >/dev/null; then
    echo "skipped: built without RocksDB, or without rocksdb-tools"
    exit 77
fi
mkdir bin && ln -s "$executable" bin/filterbench
PATH=$PWD/bin:$PATH
for db in mydb deleted; do
    steps=fillrandom,compact
    [ $db = mydb ] || steps=fillrandom,flush,deleterandom,flush
    db_bench --benchmarks=$steps --num=20000 --deletes=6000 --db=$db --bloom_bits=10 --compression_type=none >log 2>&1 || fail "db_bench: $(tail -1 log)"
done
shorter() {
    sed -E -e '/ advise /s/--budget [0-9]+/--budget 0.5 --queries 20k/' -e 's/-n (2M|200k)/-n 20k/; s/--memory 1Mi/--memory 40Ki/; s/100k/5k/' \
        -e '/ engine /s/$/ --queries 5k/; / course-prefix /s/$/ -d course -n 50k/; s/l0=500/l0=50/'
}
cp "$source_folder"/docs/how-to/*.json .
for page in "$source_folder"/docs/how-to/*.md; do
    awk '/^```/ { open = !open; shell = $0 == "```"; next } open && shell' "$page" >blocks
    [ "$(grep -c '^\$ filterbench' blocks)" -ge 10 ] || fail "$page: few commands"
    grep -q '^ *[^$ ].*[a-z]' blocks || fail "$page: no outputs"
    : >printed
    while IFS= read -r line; do
        if [[ $line == '$ '* ]]; then
            command=$(shorter <<<"${line#\$ }")
            eval "$command" >printed 2>log </dev/null || fail "exit code $?: $command: $(tail -3 log)"
        elif ! [[ $line == *[0-9]* ]]; then
            # Which columns stand beside these is a matter of what was measured.
            words=$(tr -s ' ' <<<"$line" | cut -d ' ' -f 1-4)
            tr -s ' ' <printed | grep -qF -- "$words" || fail "$command: does not print: $words"
        fi
    done <blocks
done
finish
