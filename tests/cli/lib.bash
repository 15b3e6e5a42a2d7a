# Shared by the scripts here: source it with the script's own arguments.
#     bash X.sh EXECUTABLE SOURCE_FOLDER [EMULATOR ARGUMENTS...]
# It leaves the script in an empty folder that is removed at the end.
set -u
executable=$(realpath "$1")
source_folder=$(realpath "$2")
command=("${@:3}" "$executable") # under qemu: the emulator first
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export XDG_CACHE_HOME=$folder/.cache # nobody's profile, nobody's last runs
failures=0
n_documents=0

fb() { "${command[@]}" "$@"; }

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# check WORDS -- COMMAND...: the command must succeed.
check() {
    local words=$1
    shift 2
    "$@" || fail "$words"
}

# refuses CODE PATTERN ARGUMENTS...: filterbench ends with that code, one line on stderr that starts
# with "filterbench: " and matches the extended regular expression, and nothing on stdout.
refuses() {
    local code=$1 pattern=$2 got=0
    shift 2
    fb "$@" >stdout 2>stderr </dev/null || got=$?
    [ "$got" = "$code" ] || fail "exit code $got, not $code: $*: $(head -3 stderr)"
    sed -i '/^filterbench: note: --set: .*\(the value of --set is used\|the last value is used\)/d' stderr
    [ "$(wc -l <stderr)" = 1 ] || fail "not one line on stderr: $*: $(head -5 stderr)"
    grep -q '^filterbench: ' stderr || fail "no 'filterbench: ': $*: $(cat stderr)"
    grep -Eq -- "$pattern" stderr || fail "no '$pattern': $*: $(cat stderr)"
    [ ! -s stdout ] || fail "something on stdout: $*"
    rm -f stdout stderr
}

# absent PATH...: nothing was left there, nor beside it.
absent() {
    local path
    for path; do
        [ -z "$(ls -d "$path" "$path".tmp-* 2>/dev/null)" ] || fail "left behind: $path*"
    done
}

# json WORDS -- COMMAND...: the command succeeds and its stdout is one JSON document (checked by
# finish, all at once: starting an interpreter takes longer than most tests).
json() {
    n_documents=$((n_documents + 1))
    { echo "$1" >"document.$n_documents.words" && shift 2 && "$@" >"document.$n_documents"; } ||
        fail "$(cat "document.$n_documents.words")"
}

finish() {
    [ $n_documents = 0 ] || python3 - <<'PYTHON' || fail "JSON"
import glob, json, sys
bad = 0
for words in glob.glob("document.*.words"):
    try:
        json.load(open(words[:-6]))
    except ValueError as error:
        bad += 1
        print("FAILED: not JSON:", open(words).read().strip(), error)
sys.exit(bad > 0)
PYTHON
    [ "$failures" = 0 ] || echo "$failures failures"
    exit $((failures > 0))
}
