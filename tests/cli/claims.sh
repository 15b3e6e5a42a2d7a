# Every claim that is not about time comes out as it did: theory, measurement and verdict.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

# holds GOLDEN [OPTION...]: of scripts/claim_counts
holds() {
    "$source_folder/scripts/claim_counts" "${@:2}" counts "$executable" || fail "scripts/claim_counts ${*:2}"
    differing=$(diff "$source_folder/tests/golden/$1" counts | sed -n 's/^[<>].*"id": "\([^"]*\)".*/\1/p' | sort -u)
    [ -z "$differing" ] || fail "not as tests/golden/$1 has it:" $differing
}

holds claims.counts.json
holds beyond.counts.json --ledger beyond
finish
