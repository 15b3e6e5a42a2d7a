# scripts/keysets: keys and MANIFEST from package lists, made up ones and this machine's.
. "$(dirname "$0")/lib.bash"

[ -x /usr/lib/apt/apt-helper ] || { echo "no apt-helper: skipped"; exit 77; }
keysets() { "$source_folder/scripts/keysets" "$@" 2>said; }
manifest() { sed -n "s/^$2  *//p" "made/$1/MANIFEST"; }

mkdir lists info
export KEYSETS_LISTS=$PWD/lists KEYSETS_DPKG=$PWD/info KEYSETS_WORDS=$PWD/words
keysets made
[ $? = 77 ] || fail "nothing to make sets from: $(cat said)"
absent made

hash=$(printf x | sha256sum | cut -d' ' -f1)
cat >lists/mirror_main_binary-amd64_Packages <<END
Package: b
Homepage: https://b.example/
Filename: pool/b/b_1.deb
SHA256: $hash

Package: a
Filename: pool/a/a_1.deb
END
printf 'Package: b\nFilename: pool/b/b_2.deb\n' | gzip >lists/mirror_main_binary-arm64_Packages.gz
printf 'Date: Sat, 01 Jan 2022 00:00:00 UTC\n' >lists/mirror_InRelease
printf '/usr\n/usr/bin\n' >info/x.list
printf '/usr\n/usr/lib\n' >info/y.list
printf 'word\nWort\nword\n\n' >words
check "all sets" -- keysets made
printf 'pool/a/a_1.deb\npool/b/b_1.deb\npool/b/b_2.deb\n' | cmp - made/deb-paths/keys || fail deb-paths
printf 'a\nb\n' | cmp - made/deb-names/keys || fail deb-names
printf '%s\n' "$hash" | cmp - made/deb-sha256/keys || fail deb-sha256
printf 'https://b.example/\n' | cmp - made/homepages/keys || fail homepages
printf '/usr\n/usr/bin\n/usr/lib\n' | cmp - made/installed/keys || fail installed
printf 'Wort\nword\n' | cmp - made/words/keys || fail words
[ "$(manifest deb-paths count)" = 3 ] || fail "count"
[ "$(manifest deb-paths sha256)" = "$(sha256sum <made/deb-paths/keys | cut -d' ' -f1)" ] || fail "sha256"
[ "$(manifest deb-sha256 keys-format)" = hex ] || fail "keys-format"
grep -q '^release .*2022' made/homepages/MANIFEST || fail "release"
grep -q '^distribution  *[^ ]' made/words/MANIFEST || fail "distribution"
check "keys that filterbench reads" -- fb build -d nori -b 10 -k made/deb-sha256/keys --keys-format hex -o block

# Made again, one only: the others stay.
printf 'other\n' >words
check "words again" -- keysets made words
printf 'other\n' | cmp - made/words/keys || fail "words again"
[ -e made/homepages/keys ] || fail "a set that was not asked for is gone"
[ -z "$(find made -name '.*')" ] || fail "left behind: $(find made -name '.*')"

keysets made nosuch
[ $? = 2 ] || fail "an unknown set"
keysets
[ $? = 2 ] || fail "no folder"

# Ended while it waits for words: nothing is left.
mkfifo waiting
KEYSETS_WORDS=$PWD/waiting python3 - "$source_folder/scripts/keysets" <<'PYTHON' || fail "ended"
import os, signal, subprocess, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    process = subprocess.Popen([sys.argv[1], "ended", "words"], start_new_session=True)
    with open("waiting", "w"): # once it reads; what the signals miss ends with the file
        assert os.listdir("ended")
        time.sleep(0.2)
        for attempt in range(100):
            if process.poll() is None:
                os.killpg(process.pid, number)
                time.sleep(0.1)
    assert process.wait(timeout=60) != 0
    assert os.listdir("ended") == [], (number, os.listdir("ended"))
PYTHON

unset KEYSETS_LISTS KEYSETS_DPKG KEYSETS_WORDS
keysets real installed
case $? in
0) check "this machine's files" -- fb build -d sbbf-512 -b 10 -k real/installed/keys -o block ;;
77) echo "no installed packages here" ;;
*) fail "this machine's files: $(cat said)" ;;
esac
finish
