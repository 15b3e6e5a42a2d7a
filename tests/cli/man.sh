# The manual page, and the words that shells complete: all are made of what --help prints.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

"$source_folder/scripts/man" filterbench.1 "${command[@]}" || fail "scripts/man"
fb --help | sed -n 's/^  filterbench \([a-z]*\) .*/\1/p' >verbs
[ "$(wc -l <verbs)" -gt 10 ] || fail "few verbs: $(cat verbs)"
while read -r verb; do
    grep -q "^\.SS \"$verb\"$" filterbench.1 || fail "no section of $verb"
    fb "$verb" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u | while read -r option; do
        grep -qF -- "${option//-/\\-}" filterbench.1 || echo "$verb $option"
    done
done <verbs >missing
grep -q '^\.SS "run fjall-leveled"$' filterbench.1 || fail "no section of a kind's options"
[ ! -s missing ] || fail "not in the page: $(cat missing)"
if command -v man >/dev/null; then
    man --warnings -E UTF-8 -l -Tutf8 -Z filterbench.1 2>warnings >/dev/null || fail "man"
    [ ! -s warnings ] || fail "man: $(head -3 warnings)"
    # Every line of it fits 80 columns.
    MANWIDTH=80 man -E UTF-8 -P cat -l filterbench.1 | LC_ALL=C.UTF-8 awk 'length($0) > 80' >long
    [ ! -s long ] || fail "wider than 80 columns: $(head -2 long)"
fi

filterbench() { fb "$@"; }
source "$source_folder/scripts/completion/filterbench.bash"
# completes WANTED WORD...: of the last word, among others, WANTED becomes.
completes() {
    local wanted=$1
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _filterbench
    [[ " ${COMPREPLY[*]} " == *" $wanted "* ]] || fail "$* does not become $wanted: ${COMPREPLY[*]}"
}
completes reproduce filterbench rep
completes --keys-format filterbench run --k
completes -k filterbench run -
completes sbbf-512 filterbench run fpr -d sbbf-5
completes fjall-leveled filterbench run fja
completes leveldb filterbench describe lev
completes nori,sbbf-512 filterbench run fpr -d nori,sbbf-5
completes bits_per_key= filterbench run fpr --set bits
completes queries= filterbench run fjall-leveled --set que
completes memory_price= filterbench advise --set memory_p
completes uuid4 filterbench describe uu
completes nvme filterbench run fjall-leveled --device n
completes nvme filterbench advise --io n
completes siphash-1-3 filterbench run fpr --hash sip
completes scalar,avx512 filterbench run fpr --isa scalar,avx5
completes L1,DRAM filterbench run kernels --footprints L1,D
completes len32 filterbench build --keys-format l
completes csv filterbench export r.json --to c
completes presets filterbench list pre
COMP_WORDS=(filterbench run nothing-such) COMP_CWORD=2
_filterbench
[ ${#COMPREPLY[@]} = 0 ] || fail "completes what is not: ${COMPREPLY[*]}"
if command -v zsh >/dev/null; then
    zsh -n "$source_folder/scripts/completion/_filterbench" || fail "_filterbench is no zsh"
fi
finish
