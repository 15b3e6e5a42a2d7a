# Every claim that is not about time comes out as it did: theory, measurement and verdict.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

"$source_folder/scripts/claim_counts" counts "$executable" || fail "scripts/claim_counts"
differing=$(diff "$source_folder/tests/golden/claims.counts.json" counts |
    sed -n 's/^[<>].*"id": "\([^"]*\)".*/\1/p' | sort -u)
[ -z "$differing" ] || fail "not as tests/golden/claims.counts.json has it:" $differing
finish
