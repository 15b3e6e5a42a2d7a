# What users type: units, repeated options, near names, files of keys that are tables; every answer is
# one clear line that names what was typed.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

seq -f 'key%06.0f' 0 4999 >keys
cells() { fb run "$@" --dry-run --format json 2>stderr | python3 -c '
import json, sys
for cell in json.load(sys.stdin)["cells"]: print(cell["id"])'; }
# same WORDS "ARGUMENTS" "ARGUMENTS": the two name the same experiment.
same() {
    fb run $2 --show-experiment >one 2>stderr || fail "$1: $2: $(cat stderr)"
    fb run $3 --show-experiment >two 2>stderr || fail "$1: $3: $(cat stderr)"
    cmp -s one two || fail "$1: $(diff one two | head -4)"
}

# Units, in options, in fields, and where --set gives them.
same "counts" "fpr -b 10 -n 50M,2k" "fpr -b 10 -n 50000000,2000"
same "shares" "fjall-leveled --absent 70%,5%" "fjall-leveled --absent 0.7,0.05"
same "bytes" "fjall-leveled --cache 1GiB,64MB" "fjall-leveled --cache 1073741824,64000000"
same "--set" "fpr -b 10 --set n=50M --set precision=2%" "fpr -b 10 --set n=50000000 --set precision=0.02"
same "--set of a list" "fpr --set designs=nori,leveldb --set bits_per_key=8,10" \
    "fpr -d nori,leveldb -b 8,10"
same "--set of bytes" "fjall-leveled --set block_bytes=16Ki --set value_bytes=1kB" \
    "fjall-leveled --set block_bytes=16384 --set value_bytes=1000"
same "seconds" "kernels --budget 2m" "kernels --budget 120"
same "rates" "fpr --fpr 1%" "fpr --fpr 0.01"
printf '{"bits_per_key": 10, "n": ["50M", {"from": "1k", "to": "2k", "per_octave": 1}]}' >units.json
printf '{"bits_per_key": 10, "n": [50000000, {"from": 1000, "to": 2000, "per_octave": 1}], "name": "units"}' >plain.json
same "a file" "./units.json --set name=units" "./plain.json"
fb describe 10us >/dev/null || fail "10us is no device"
check "rate" -- fb build -d leveldb -p 1% -k keys -o percent 2>/dev/null
check "rate" -- fb build -d leveldb -p 0.01 -k keys -o number 2>/dev/null
cmp -s percent number || fail "-p 1% is not -p 0.01"
check "capacity" -- fb build -d leveldb -b 10 --capacity 10k -k keys -o percent 2>/dev/null
check "capacity" -- fb build -d leveldb -b 10 --capacity 10000 -k keys -o number 2>/dev/null
cmp -s percent number || fail "--capacity 10k is not 10000"
refuses 2 '^filterbench: fpr: --n: "50x" is not accepted; give .*, such as 1M$' run fpr -b 10 -n 50x
for words in "run fpr -b 10 -n" "engine smoke -n" "advise -n"; do
    fb $words 1m --dry-run 2>/dev/null | grep -oE '^[a-z]\S+' >small
    fb $words 1M --dry-run 2>/dev/null | grep -oE '^[a-z]\S+' >large
    [ -s small ] && cmp small large ||
        fail "$words 1m is not 1M"
done
refuses 2 '^filterbench: fpr: --precision: "7x" is not accepted; give .*, such as 1%$' run fpr -b 10 --precision 7x
refuses 2 "^filterbench: fjall-leveled: --cache: \"1Gib\" is not accepted; .*, such as 64MiB" run fjall-leveled --cache 1Gib
refuses 2 "^filterbench: fjall-leveled: --absent: \"170%\" is not accepted; .*, such as 1%" run fjall-leveled --absent 170%
refuses 2 "^filterbench: --capacity: '1x' is not a whole number .*, such as 1M" build -d nori -b 10 \
    --capacity 1x -k keys -o out
refuses 2 "^filterbench: --fpr: '1/2' is not a number from .*, such as 1%" build -d nori -p 1/2 -k keys -o out
refuses 2 "^filterbench: --budget: '9x' is not a number of seconds .*, such as 60s" doctor --budget 9x
fb --help | tr -s ' \n' ' ' | grep -q '50M or 50m. k, M, G and T are powers of 1000; Ki, Mi, Gi and Ti are powers of 1024' ||
    fail "--help does not say what k and Ki are"

# Options given twice: lists add up, what takes one value is refused; --set wins over an option, and
# of two --set the last holds.
same "lists" "fpr -d nori -d leveldb -b 10 -b 12,14" "fpr -d nori,leveldb -b 10,12,14"
same "a range" "fpr -d nori -b 6..20" "fpr -d nori -b 6,7,8,9,10,11,12,13,14,15,16,17,18,19,20"
same "a range" "fpr -d nori -b 4,6..8 -b 12" "fpr -d nori --set bits_per_key=[4,6,7,8,12]"
same "a range" "fpr -d nori --set bits_per_key=6..8" "fpr -d nori -b 6,7,8"
same "a range" "kernels -b 6..8" "kernels -b 6,7,8"
same "a range" "fjall-leveled -b 6..8" "fjall-leveled -b 6,7,8"
same "a pattern" "fpr -d sbbf*" "fpr -d sbbf-256,sbbf-256-libfilter,sbbf-512,sbbf-512-pow2,sbbf-512-lanes"
same "a pattern" "icount -d nori,*-8" "icount -d nori,fuse-8,xor-8"
printf '{"bits_per_key": "6..8", "designs": ["nori", "fjall-?"], "name": "listed"}' >units.json
printf '{"bits_per_key": [6, 7, 8], "designs": ["nori", "fjall-1", "fjall-2", "fjall-3"], "name": "listed"}' >plain.json
same "a file" ./units.json ./plain.json
refuses 2 "--bits-per-key: '20..6' is no range; give two whole numbers less than 1000 apart, the lower one first, such as 6..20" run fpr -b 20..6
refuses 2 "--bits-per-key: '6..' is no range" run fpr -b 4,6..
refuses 2 "is no range" run fpr -b 1..100000
same "a range" "fpr -d nori -b 10 -n 1..5" "fpr -d nori -b 10 -n 1,2,3,4,5"
refuses 2 "--designs: there is no design 'zz\*'" run fpr -b 10 -d 'zz*'
refuses 2 "^filterbench: --bits-per-key: '6..20' is not one number from .*, such as 10$" build -d nori -b 6..20 -k keys -o out
refuses 2 "^filterbench: --design: there is no design 'sbbf\*'; it takes one name" build -d 'sbbf*' -b 10 -k keys -o out
refuses 2 "^filterbench: export: --format is of other verbs; give --to counts, csv, md, " export result.json --format csv
refuses 2 "^filterbench: export: --format is of other verbs; give --to " export result.json --to csv --format table
refuses 2 "^filterbench: --threads: no such option" build -d sbbf-512 -b 10 --threads 2 -k nothing-such -o out
refuses 2 "^filterbench: run: --threads is for" run kernels --threads 2
refuses 2 "^filterbench: --design: given twice, the second time 'leveldb'" build -d nori -d leveldb \
    -b 10 -k keys -o out
refuses 2 "^filterbench: --bits-per-key: given twice" build -d nori -b 10 -b 12 -k keys -o out
refuses 2 "^filterbench: --output: given twice" run fpr -b 10 -o a -o b
refuses 2 "^filterbench: --seed: given twice" run fpr -b 10 --seed 1 --seed 2
refuses 2 "^filterbench: --to: given twice" export result.json --to csv --to md
for words in "-n 5 --set n=6" "--set n=6 -n 5"; do
    [ "$(cells fpr -d nori -b 10 $words)" = nori/bpk=10/n=6/random ] || fail "--set: $words"
    grep -qx 'filterbench: note: --set: n is also set by its option; the value of --set is used: 6' stderr ||
        fail "$words: $(cat stderr)"
done
[ "$(cells fpr -d nori -b 10 --set n=5 --set n=6)" = nori/bpk=10/n=6/random ] || fail "the last --set"
grep -qx 'filterbench: note: --set: n is given twice; the last value is used: 6' stderr || fail "two n: $(cat stderr)"

# Empty values.
refuses 2 "^filterbench: --output: the value is empty" build -d nori -b 10 -k keys -o ''
refuses 2 "^filterbench: --output: the value is empty" run fpr -b 10 -o ''
refuses 2 "^filterbench: --keys: the value is empty" run fpr -b 10 --keys ''
refuses 2 "^filterbench: run: operand 1 is empty" run ''
refuses 2 "^filterbench: compare: operand 2 is empty" compare a.json ''

# Names that were meant, case aside: verbs, presets, designs, fields, words of fields.
refuses 2 "did you mean 'kernels'" run kernel
refuses 2 "did you mean 'rocksdb-fastlocal'" run fpr -d rocksdb
refuses 2 "did you mean 'rocksdb-fastlocal'" build -d rocksdb -b 10 -k keys -o out
refuses 2 "did you mean 'rocksdb-fastlocal'" describe rocksdb
refuses 2 "did you mean 'kernels-sizes'" describe kernels-sizs
refuses 2 "did you mean 'run'" RUN
refuses 2 "did you mean '--keys'" run fpr --Keys keys
refuses 2 "--designs: there is no design 'Nori', did you mean 'nori'" run fpr -b 10 -d Nori
refuses 2 "Bits_Per_Key: unknown field, did you mean 'bits_per_key'" run fpr --set Bits_Per_Key=10
refuses 2 "--footprints: .*did you mean 'L1'" run kernels --footprints l1
refuses 2 "--operations: .*did you mean 'batch'" run kernels --operations bach
refuses 2 "--io: 'NVMe' is not accepted, did you mean 'nvme'" run fjall-leveled --device NVMe
refuses 2 "popularity: .*did you mean 'zipf:THETA'" run fjall-leveled --set popularity=Zipf:1
refuses 2 "keys: .*did you mean 'uuid7'" run fjall-leveled --set keys=UUID7
refuses 2 "holder: .*did you mean 'recent'" run fjall-leveled --set holder=recents
refuses 2 "prefixes: .*did you mean 'fixed:N'" run fjall-leveled --set prefixes=fix:4
printf '{"kind": "Kernels"}' >kind.json
refuses 2 "kind: .*did you mean 'kernels'" run ./kind.json
refuses 2 "did you mean 'nori'" compare --against nope a.json b.json

refuses 2 "did you mean '--version'" --verison
refuses 2 "designs\[1\]: there is no design 'Nori', did you mean 'nori'" run fpr -b 10 --set designs=leveldb,Nori

# What is wrong is what the line names.
refuses 2 '^filterbench: fpr: --seed: "xyz" is not accepted' run fpr -b 10 --seed xyz
refuses 2 '^filterbench: reproduce: seed: "xyz" is not accepted' reproduce --seed xyz
printf '{"bits_per_key": [10], "name": "a\\u0000b"}' >nul.json
refuses 2 '^filterbench: ./nul.json: line 1: not JSON: a text with .u0000, which is no character$' run ./nul.json
refuses 2 '^filterbench: stdin: not JSON: it is empty$' run -
refuses 2 '^filterbench: --set: n: line 1: not JSON: ' run fpr -b 10 --set 'n=[1,2'
printf '{"schema": 99, "cells": []}' >schema.json
refuses 2 'its schema is not \{"major": number, "minor": number\}' validate schema.json
printf '{"cells": []}' >schema.json
refuses 2 'it has no schema version' validate schema.json
refuses 2 "'csv:0': give a column's name, or its number from 1" build -d nori -b 10 -k keys \
    --keys-format csv:0 -o out
if [ -d /proc/self ]; then
    refuses 74 '^filterbench: device: /proc: no file can be made in this folder$' run smoke --ci \
        --device measured:/proc -o out
fi

# A result is the experiment that it was made of, or none.
check "a result" -- fb run fpr -d nori -b 10 -n 1000 --set filters=2 -o result.json >/dev/null 2>&1
check "again" -- fb run ./result.json -o again.json >/dev/null 2>&1
cmp -s <(fb export result.json --to counts) <(fb export again.json --to counts) || fail "not the same again"
sed 's/"filters": 2,/"filters": 3,/' result.json >forged.json
refuses 5 '^filterbench: ./forged.json: experiment_hash is not that of the experiment' run ./forged.json -o out

fb export result.json --to counts | sed "s/\"filters\":2,/\"filters\":3,/g" >forged.counts.json
refuses 5 'experiment_hash is not that of the experiment' run ./forged.counts.json -o out
fb export result.json --to counts >counts.json
check "of counts" -- fb run ./counts.json -o again.json >/dev/null 2>&1
sed 's/"probes_each": 65536/"probes_each": 65537/' result.json >forged.json
refuses 5 '^filterbench: ./forged.json: content_xxh3_128 is not that of the document' run ./forged.json -o out
sed 's/"major": 2,/"major": 99,/' result.json >later.json
refuses 4 '^filterbench: ./later.json: it has schema version 99.2, and this filterbench reads 2.x; use the filterbench that wrote it$' run ./later.json -o out
sed 's/"major": 2,/"major": 1,/' result.json >old.json
check "of version 1" -- fb run ./old.json -o again.json >/dev/null 2>&1
fb run fpr --show-experiment >shown.json 2>/dev/null
refuses 2 "shown.json: line 1: not JSON: .*; add --format json to --show-experiment to print JSON\$" run ./shown.json
fb run fpr --show-experiment --format json >shown.json 2>/dev/null
check "shown as JSON" -- fb run ./shown.json --dry-run >/dev/null

# Standard input and pipes.
# told PATTERN: it comes on stderr, within half a minute.
told() {
    for ((i = 0; i < 300; i++)); do
        grep -q "$1" stderr && return
        sleep 0.1
    done
    return 1
}
refuses 2 '^filterbench: stdin: it is empty; write keys to it, one per line$' build -d nori -b 10 -k - -o out
refuses 2 '^filterbench: stdin: it is empty; write keys to it, one per line$' run fpr -b 10 --keys -
echo '{"bits_per_key": 10}' >given.json
fb run - --keys - <given.json >/dev/null 2>stderr
[ $? = 2 ] && grep -q '^filterbench: stdin: it can be read only once, and two options name it' stderr || fail "stdin twice: $(cat stderr)"
mkfifo pipe
fb build -d leveldb -b 10 -k pipe -o late 2>stderr &
building=$!
told '^filterbench: note: pipe: a pipe; waiting for something to write to it$' || fail "waits for a writer in silence"
cat keys >pipe
wait $building || fail "keys of a pipe"
check "keys of a file" -- fb build -d leveldb -b 10 -k keys -o early 2>/dev/null
cmp -s late early || fail "keys of a pipe are others"
check "a pipe with a writer" -- fb build -d leveldb -b 10 -k <(cat keys) -o late 2>stderr
cmp -s late early || fail "keys of a substitution are others"
"${command[@]}" run fpr -b 10 --keys pipe -o out >/dev/null 2>stderr &
running=$!
told waiting || fail "waits in silence"
kill -TERM $running
wait $running
[ $? = 130 ] && grep -q 'pipe: interrupted before anything was written to it' stderr ||
    fail "interrupted while it waits: $(cat stderr)"

mkfifo out.pipe
"${command[@]}" build -d leveldb -b 10 -k keys -o out.pipe 2>stderr &
building=$!
told '^filterbench: note: out.pipe: a pipe; waiting for something to read it$' || fail "waits for a reader in silence"
cat out.pipe >late
wait $building || fail "a block into a pipe"
cmp -s late early || fail "a block into a pipe is another"

# Exit codes: those of --help are those that something returns.
exits=$source_folder/harness/base/exit.h
sed -n 's/^    FB_EXIT_[A-Z_]* = \([0-9]*\),.*/\1/p' "$exits" | sort -un >defined
fb --help | sed -nE '/^Exit codes:/,/^$/s/^ +([0-9]+) .*/\1/p' | sort -un >helped
cmp -s defined helped || fail "exit codes of --help: $(diff defined helped)"
for name in $(grep -oE '^    FB_EXIT_[A-Z_]*' "$exits"); do
    grep -rqw "$name" "$source_folder/harness" --include='*.c' || fail "nothing returns $name"
done

# Tables as files of keys: the column is asked for; a header and CR LF are said.
printf 'id,key\n1,a\n2,b\n' >table.csv
refuses 2 "^filterbench: table.csv: which column\? give --keys-format csv:COLUMN, .*'id,key'" build \
    -d nori -b 10 -k table.csv -o out
cp table.csv TABLE.CSV
for table in table.csv TABLE.CSV; do
    refuses 2 "^filterbench: $table: which column\?" run fpr -b 10 --keys $table
done
check "as lines" -- fb build -d leveldb -b 10 -k table.csv --keys-format lines -o out 2>stderr
grep -q note stderr && fail "lines: $(cat stderr)"
check "by number" -- fb build -d leveldb -b 10 -k table.csv --keys-format csv:2 -o out 2>stderr
grep -q "note: table.csv: the first line seems to name columns, and is read as a key: 'key'" stderr ||
    fail "a header: $(cat stderr)"
check "by name" -- fb build -d leveldb -b 10 -k table.csv --keys-format csv:key -o out 2>stderr
grep -q note stderr && fail "a header by name: $(cat stderr)"
refuses 2 "table.csv: no column 'Key', did you mean 'key'\?; the first line names 'id', 'key'\$" build \
    -d nori -b 10 -k table.csv --keys-format csv:Key -o out
refuses 2 "table.csv: no column 'x'; the first line names 'id', 'key'\$" build -d nori -b 10 \
    -k table.csv --keys-format csv:x -o out
tr , '\t' <table.csv >table.tsv
refuses 2 "^filterbench: table.tsv: which column\? csv:COLUMN takes commas only; .*--keys-format lines" \
    build -d nori -b 10 -k table.tsv -o out
check "a .tsv as lines" -- fb build -d leveldb -b 10 -k table.tsv --keys-format lines -o out 2>/dev/null
gzip -c keys >keys.gz
for format in lines nul hex csv:1 u64 i32 i64 f32 f64 typed; do
    refuses 2 "^filterbench: keys.gz: it is compressed \(gzip\); uncompress it first: .gzip -dc keys.gz" build \
        -d nori -b 10 -k keys.gz --keys-format $format -o out
done
printf '\x1f\x8b' >two.bytes
check "as bytes" -- fb build -d leveldb -b 10 -k two.bytes --keys-format fixed:2 -o out 2>/dev/null
sed 's/$/\r/' keys >crlf
check "CR LF" -- fb build -d leveldb -b 10 -k crlf -o late 2>stderr
grep -q 'note: crlf: its lines end with CR LF; neither is part of a key' stderr || fail "CR LF: $(cat stderr)"
cmp -s late early || fail "keys of lines with CR LF are others"
rm -f out

# -n with --keys: samples of the file.
[ "$(cells fpr -d nori -b 10 -n 100,2k --keys keys | grep file | tr '\n' ' ')" = \
    "nori/bpk=10/n=100/file nori/bpk=10/n=2000/file " ] || fail "samples: $(cat stderr)"
[ ! -s stderr ] || fail "samples: $(cat stderr)"
[ "$(cells fpr -d nori -b 10 -n 5k,1M --keys keys | grep -c file)" = 1 ] || fail "too many keys"
grep -q 'note: keys: you asked for 1000000 keys per filter, but the file has 5000 distinct keys; filters get 2500' \
    stderr || fail "too many keys: $(cat stderr)"
sample=(run fpr -d nori -b 10 -n 1000 --keys keys --set filters=2 --set keys=file)
check "a sample" -- fb "${sample[@]}" -o sample.json >/dev/null 2>&1
check "validate a sample" -- fb validate sample.json >/dev/null
check "the same sample" -- fb "${sample[@]}" --threads 1 -o again.json >/dev/null 2>&1
fb compare sample.json again.json >/dev/null || fail "samples are others from run to run"
check "another root" -- fb "${sample[@]}" --seed 7 -o again.json >/dev/null 2>&1
cmp -s <(fb export sample.json --to counts | grep -o '"checksum":[^,]*') \
    <(fb export again.json --to counts | grep -o '"checksum":[^,]*') && fail "the sample does not depend on the root"
# What is held out is all that there is to ask for; few keys are those that are no repeats.
seq 600 | sed p >pairs
[ "$(fb run fpr -d nori -b 10 --keys pairs --set keys=file --probes 400 --dry-run --format json 2>/dev/null | grep -o '"probes_each":[ 0-9]*')" = \
    '"probes_each": 300' ] || fail "more probes than keys held out"
fb run fpr -d nori -b 10 --keys pairs --set filters=2 --set keys=file -o pairs.json >pairs.said 2>/dev/null
grep -q 'pairs: 600 distinct keys are few' pairs.said || fail "few keys: $(cat pairs.said)"

# How long it takes: the median of the runs before, of a shard its part.
export XDG_CACHE_HOME=$folder/told
told=(run fpr-smoke -d nori --filters 8)
fb "${told[@]}" -o told.json >/dev/null 2>&1
python3 - told/filterbench/history-*.json <<'PYTHON'
import json, sys
history = json.load(open(sys.argv[1]))
history["runs"] = [dict(history["runs"][0], seconds=s) for s in (10000, 30000)]
json.dump(history, open(sys.argv[1], "w"))
PYTHON
fb "${told[@]}" --dry-run | grep -q '^12 cells: 3 h 40 min to 7 h 16 min, as 2 runs of this experiment took here\.$' || fail "20000 s"
fb "${told[@]}" --dry-run --shard 1/2 | grep -q 'of which shard 1 of 2 has its part: 1 h 50 min to 3 h 38 min, as 2 runs' || fail "10000 s"
# Without runs before, small pieces of it tell. No run begins that needs more memory than there is.
for words in "fpr -d nori,fuse-8 -n 20k -b 10" "nori-tuning --queries 10k" "adversary --quick -d nori"; do
    XDG_CACHE_HOME=$folder/untold fb run $words --dry-run | grep -q 'as [0-9]* small pieces\? of it took just now\.$' || fail "$words: no pieces"
done
XDG_CACHE_HOME=$folder/untold fb run fpr -d nori -b 10 --dry-run --format json |
    python3 -c 'import json, sys; d = json.load(sys.stdin); sys.exit(not 0 < d["low_s"] < d["seconds"] < d["high_s"] <= 2 * d["low_s"])' || fail "the range"
refuses 2 '^filterbench: fpr: it needs about [0-9.e+]* GB of memory at its peak, and this machine has ' \
    run fpr -d fuse-8 -n 1G --filters 64 --threads 64 -o huge.json
absent huge.json huge.json.journal
# Of what takes longer there is more work: simulations, batches that a precision needs.
work() { fb run fpr-smoke -n 1000 -b 10 --set fpr=[] --set keys=random "$@" --dry-run --format json | grep -o '"work": *[0-9]*' | grep -o '[0-9]*$'; }
plain=$(work -d rocksdb-fastlocal)
[ "$(work -d leveldb)" -ge $((2 * plain)) ] || fail "work of a simulation: $(work -d leveldb), not $plain"
[ "$(work -d rocksdb-fastlocal --precision 0.05)" = $((6 * plain)) ] ||
    fail "work of 6 batches: $(work -d rocksdb-fastlocal --precision 0.05), not $plain"
[ "$(work -d rocksdb-fastlocal --precision 0.05 --set max_probes=100000)" = $((3 * plain)) ] ||
    fail "work of 3 batches"
refuses 2 "file_n: no file of keys" run fpr -b 10 --set file_n=10
for words in "--set keys=random" "-n 10 --set keys=random"; do
    refuses 2 '^filterbench: fpr: --set keys leaves out the file of --keys; add file to it, as in --set keys=random,file$' \
        run fpr -b 10 --keys keys $words
done
grep -q '"file_n"' result.json && fail "file_n in an experiment without a file"
absent out
finish
