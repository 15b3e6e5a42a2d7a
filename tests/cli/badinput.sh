# Bad input: exactly one line and the right exit code, or the real reader's answer; nothing left over.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

seq -f 'key%06.0f' 0 99 >keys
build() { fb build --design "$@" --keys keys -o block; }
check "a good block" -- build leveldb --bits-per-key 10 2>/dev/null
mv block good

# Names.
refuses 2 "did you mean 'describe'" descirbe
refuses 2 "no verb 'xyzzy'" xyzzy
refuses 2 "no verb" help xyzzy
refuses 2 "did you mean 'leveldb'" build --design levledb --bits-per-key 10 --keys keys -o out
refuses 2 "did you mean 'leveldb'" describe leveldbs
refuses 2 "did you mean 'fpr-smoke'" describe fpr-smok
refuses 2 "did you mean 'designs'" list design
refuses 2 "did you mean 'xxh64'" build -d nori -b 10 --hash xxh46 -k keys -o out
refuses 2 "did you mean '--keys-format'" build -d nori -b 10 --key-format hex -k keys -o out
refuses 2 "did you mean 'lines'" build -d nori -b 10 --keys-format line -k keys -o out
refuses 2 "no format 'x'" build -d nori -b 10 --format-block x -k keys -o out
refuses 2 "goes with --prefix" build -d nori -b 10 --whole-keys -k keys -o out
refuses 2 "N from 1 to 65535" build -d nori -b 10 --prefix fixed:0 -k keys -o out
refuses 2 "must hold whole keys" build -d nori -b 10 --prefix none -k keys -o out
printf '0 2\n4100\n' >data
refuses 2 "data:2: not the offset" build -d leveldb -b 10 -k keys --data-blocks data -o out
printf '0 1\n4100 99999\n' >data
refuses 2 "more keys than there are" build -d leveldb -b 10 -k keys --data-blocks data -o out
printf '4100 1\n0 1\n' >data
refuses 2 "start behind each other" build -d leveldb -b 10 -k keys --data-blocks data -o out
refuses 2 "names no data block" build -d leveldb -b 10 -k keys --data-blocks /dev/null -o out
refuses 2 "not with --prefix" build -d leveldb -b 10 -k keys --data-blocks data --capacity 9 -o out
refuses 2 "there is no format 'xml' \(give table, json or md\)" list --format xml
refuses 2 "no such option" build -d nori -b 10 -k keys -o out -Z
refuses 2 "needs a value" build -d nori -b 10 -k keys -o
refuses 2 "needs a value" list --format
refuses 2 "unexpected operand 'stray'" build -d nori -b 10 -k keys -o out stray
refuses 2 "unexpected operand" list designs hashes
refuses 2 "missing" describe
for option in --design --keys --output; do
    words=(build --design nori --bits-per-key 10 --keys keys --output out)
    for i in "${!words[@]}"; do
        [ "${words[i]-}" = $option ] && unset "words[i]" "words[i+1]"
    done
    refuses 2 "^filterbench: $option: missing" "${words[@]}"
done
refuses 2 "no block format" build -d null -k keys -o out

# Numbers: the option and the range are named.
for value in 0 -1 nan inf 1e9 1e999 10x 0x10 ' 10' '' +5; do
    refuses 2 "^filterbench: --bits-per-key: .* to 1000000" build -d nori --bits-per-key "$value" \
        -k keys -o out
done
for value in 0 -0.1 1 2 nan; do
    refuses 2 "^filterbench: --fpr: " build -d nori --fpr "$value" -k keys -o out
done
for value in 0 -1 1.5 1e30 99999999999999999999 x; do
    refuses 2 "^filterbench: --capacity: " build -d nori -b 10 --capacity "$value" -k keys -o out
    refuses 2 "^filterbench: --keys-count: " inspect -d leveldb --block good --keys-count "$value"
done
refuses 2 "no key format 'hxe', did you mean 'hex'" build -d nori -b 10 -k keys --keys-format hxe -o out
check "the most" -- fb study new most --shards 100000 -- run fpr-smoke --filters 1 2>/dev/null
refuses 2 "^filterbench: --shards: '100001' is not a whole number from 2 to 100000" study new more --shards 100001
for value in 0 65 -3 2.5; do
    refuses 2 "^filterbench: --probes: " build -d nori -b 10 --probes "$value" -k keys -o out
done
refuses 2 "not both" build -d nori -b 10 --fpr 0.01 -k keys -o out
refuses 2 "bits per key or" build -d nori -k keys -o out
refuses 2 "" build -d nori -b 10.5 -k keys -o out
refuses 2 "memory|bits" build -d nori -b 1000000 --capacity 1e12 -k keys -o out
refuses 2 "memory|bits" build -d nori -b 1000 --capacity 1e10 -k keys -o out

# Key files.
refuses 2 "missing-file: cannot be opened" build -d nori -b 10 -k missing-file -o out
refuses 2 "directory" build -d nori -b 10 -k . -o out
refuses 2 "keys/x: cannot be opened" build -d nori -b 10 -k keys/x -o out
printf '\3\0\0\0abc\5\0\0\0ab' >cut
refuses 2 "^filterbench: cut: byte 7: " build -d nori -b 10 -k cut --keys-format len32 -o out
printf '\3\0\0\0abc\5\0' >cut
refuses 2 "^filterbench: cut: byte 7: " build -d nori -b 10 -k cut --keys-format len32 -o out
printf '\377\377\377\377abc' >cut
refuses 2 "^filterbench: cut: byte 0: " build -d nori -b 10 -k cut --keys-format len32 -o out
printf '00\nzz\n' >cut
refuses 2 "^filterbench: cut: line 2: " build -d nori -b 10 -k cut --keys-format hex -o out
refuses 2 "^filterbench: cut: line 2: " build -d nori -b 10 -k cut --keys-format u64 -o out
refuses 2 "^filterbench: cut: " build -d nori -b 10 -k cut --keys-format fixed:4 -o out
printf 'id,name\n1,"a\n2,b\n' >cut
refuses 2 "^filterbench: cut: line 2: a quoted field that is never closed" build -d nori -b 10 -k cut --keys-format csv:2 -o out
refuses 2 "^filterbench: cut: no column 'nam', did you mean 'name'" build -d nori -b 10 -k cut --keys-format csv:nam -o out
for length in L 0 16x -1 99999999999 ''; do
    refuses 2 "'fixed:$length': give a length from 1 to 2147483647, e.g. fixed:16" build -d nori -b 10 -k cut \
        --keys-format "fixed:$length" -o out
done
refuses 2 "no key format 'fixd', did you mean" build -d nori -b 10 -k cut --keys-format fixd -o out
[ ${#command[@]} != 1 ] || # 1 GiB of zeros
    refuses 2 '/dev/zero: no end after 1 GiB' build -d nori -b 10 -k /dev/zero -o out
printf 'i:7\n' >typed
refuses 2 "typed" build -d nori -b 10 -k typed --keys-format typed -o out
refuses 2 "typed" query -d leveldb --block good -k typed --keys-format typed
absent out

# No keys: as the real system, which aborts where a modulo by zero follows.
: >none
for design in fjall-1 fjall-2 fjall-3 course; do
    refuses 2 "^filterbench: $design: " build -d $design --bits-per-key 10 -k none -o out
done
absent out
for design in nori nori-disk nori-pow2 leveldb rocksdb-fastlocal sbbf-256; do
    check "0 keys in $design" -- fb build -d $design -b 10 -k none -o zero 2>/dev/null
    [ "$(fb query -d $design --block zero -k keys 2>/dev/null | sort -u)" = 0 ] ||
        fail "0 keys: $design does not answer no"
    check "inspect 0 keys in $design" -- fb inspect -d $design --block zero >/dev/null 2>&1
done
[ -z "$(fb query -d leveldb --block good -k none 2>/dev/null)" ] || fail "answers for no keys"

# One key, and one key many times.
echo one >single
yes same | head -50 >same
for file in single same; do
    for design in bloom-double nori-pow2 fjall-1 fjall-3 leveldb rocksdb-fastlocal sbbf-256 \
        sbbf-512 course; do
        check "$file in $design" -- fb build -d $design -b 10 -k $file -o few 2>/dev/null
        [ "$(fb query -d $design --block few -k $file 2>/dev/null | sort -u)" = 1 ] ||
            fail "$file: $design lost it"
    done
done

# Blocks: every cut of a nori block is refused but the whole; LevelDB's reader accepts what it accepts.
fb build -d nori -b 10 -k single -o block 2>/dev/null
size=$(stat -c %s block)
for ((n = 0; n < size; n += 3)); do
    head -c $n block >short
    refuses 2 "^filterbench: short: not a block that nori reads" query -d nori --block short -k keys
done
head -c 1 good >short
[ "$(fb query -d leveldb --block short -k keys 2>/dev/null | sort -u)" = 0 ] ||
    fail "leveldb: shorter than 2 bytes answers no"
printf '\0\0\0\0\100' >short
[ "$(fb query -d leveldb --block short -k keys 2>/dev/null | sort -u)" = 1 ] ||
    fail "leveldb: k = 64 answers yes"
fb inspect -d leveldb --block short | grep -q '^reader  *always yes$' || fail "inspect: always yes"
fb build -d fjall-3 -b 10 -k keys -o fjall 2>/dev/null
refuses 2 "not a block that fjall-1 reads" query -d fjall-1 --block fjall -k keys
refuses 2 "not a block that sbbf-512 reads" inspect -d sbbf-512 --block fjall
refuses 2 "not a block that nori reads" inspect -d nori --block keys
refuses 2 "cannot be opened" query -d nori --block missing-file -k keys
refuses 2 "directory" inspect -d nori --block .
printf '\377\377\377\377\0\0\0\0\7\0\0\0\12\0\0\0' >huge # 2^32 - 1 bits in 16 bytes
refuses 2 "not a block that nori reads" query -d nori --block huge -k keys

# Output that cannot be written: 74, before any work where possible.
refuses 74 "its folder does not exist" build -d nori -b 10 -k keys -o no/such/folder/out
refuses 74 "keys/out: " build -d nori -b 10 -k keys -o keys/out
refuses 74 "/proc/out: cannot be written: " build -d nori -b 10 -k keys -o /proc/out
refuses 74 "directory" build -d nori -b 10 -k keys -o .
refuses 74 "No space left" build -d nori -b 10 -k keys -o /dev/full
for arguments in "list" "list --format json" "describe nori" "--help" "--version" "help build" \
    "build -d nori -b 10 -k keys -o -" "query -d leveldb --block good -k keys" \
    "inspect -d leveldb --block good --format json"; do
    fb $arguments >/dev/full 2>stderr
    [ $? = 74 ] || fail "$arguments >/dev/full: not 74"
    grep -c '^filterbench: stdout: ' stderr | grep -qx 1 || fail "$arguments >/dev/full: $(cat stderr)"
    fb $arguments >&- 2>stderr
    [ $? = 74 ] || fail "$arguments >&-: not 74"
done
refuses 2 "names? a file" build -d nori -b 10 -k keys -o - --format json
check "-o /dev/null" -- fb build -d nori -b 10 -k keys -o /dev/null 2>/dev/null
[ -c /dev/null ] || fail "/dev/null is no device any more"

# A failure leaves what was there before; success replaces it, and a link, through which nothing is written.
echo before >old
refuses 2 "cannot be opened" build -d nori -b 10 -k missing-file -o old
[ "$(cat old)" = before ] || fail "an old output was touched by a failure"
absent out no keys/out
ln -s old link
check "over a link" -- fb build -d leveldb -b 10 -k keys -o link 2>/dev/null
[ ! -L link ] && cmp -s link good && [ "$(cat old)" = before ] || fail "a link was followed"
[ -z "$(ls -d ./*.tmp-* 2>/dev/null)" ] || fail "temporary files left: $(ls)"
finish
