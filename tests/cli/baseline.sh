# baseline: the commit that CI compares with is named with a reason, and moves only with another one.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
command -v git >/dev/null || { echo "there is no git: skipped"; exit 77; }
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q -b main . && mkdir results && git commit -q --allow-empty -m first && git commit -q --allow-empty -m second
first=$(git rev-parse HEAD^) second=$(git rev-parse HEAD)
git commit -q --allow-empty -m aside && aside=$(git rev-parse HEAD) && git reset -q --hard "$second"

# says CODE PATTERN LINES: what the script says of a file of these lines.
says() {
    local code=$1 pattern=$2 got=0
    printf '# a comment\n%s\n' "$3" >results/baseline
    "$source_folder/scripts/baseline" >out 2>&1 || got=$?
    [ $got = "$code" ] && [ "$(wc -l <out)" = 1 ] && grep -Eq "$pattern" out || fail "'$3': exit $got: $(cat out)"
}
says 0 "^$first\$" "$first where the comparisons begin"
git add results && git commit -qm baseline
says 0 "^$first\$" "$first where the comparisons begin"
git commit -q --allow-empty -m third
says 0 "^$second\$" "$second lookups check the length, which costs 3 %"
says 0 "^$first\$" "$first another word for the same"
says 2 "moved from $first, but the reason is still 'where the comparisons begin'" "$second where the comparisons begin"
says 2 'give one line: a commit of 40 digits' ""
says 2 'give one line: a commit of 40 digits' "main where the comparisons begin"
says 2 'give one line: a commit of 40 digits' "$first one reason more
$second another reason too"
says 2 "the reason 'because' is too short" "$first because"
says 2 'there is no commit 0{40} here' "0000000000000000000000000000000000000000 a reason of words"
says 2 "commit $aside is not in the history" "$aside a reason of words"
rm results/baseline
"$source_folder/scripts/baseline" 2>&1 | grep -q 'results/baseline: there is no such file' || fail "no file"
# The tree's own, where it has a history.
if git -C "$source_folder" rev-parse --verify --quiet HEAD^ >/dev/null 2>&1; then
    (cd "$source_folder" && scripts/baseline >"$folder/out" 2>&1) || fail "$(cat out)"
fi
finish
