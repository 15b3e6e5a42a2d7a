# Help: it fits 80 columns, begins with an example, has short sentences, and what one kind alone takes stands in that
# kind's help.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1

fb --help | sed -n 's/^  filterbench \([a-z]*\) .*/\1/p' >verbs
[ "$(wc -l <verbs)" -gt 20 ] || fail "few verbs: $(cat verbs)"
fb --help >all.help
while read -r verb; do
    fb "$verb" --help >"$verb.help" || fail "$verb --help"
    [ "$(head -1 "$verb.help")" = Example: ] || fail "$verb --help does not begin with an example"
    sed -n 2p "$verb.help" | grep -q "^    filterbench $verb" || fail "the example of $verb: $(sed -n 2p "$verb.help")"
done <verbs
for preset in fpr kernels icount fjall-leveled adversary; do
    fb run $preset --help >"run-$preset.help" || fail "run $preset --help"
    read -ra example < <(sed -n 2p "run-$preset.help")
    [ "${example[*]:0:3}" = "filterbench run $preset" ] || fail "the example of $preset: ${example[*]}"
    fb "${example[@]:1}" --dry-run >/dev/null 2>stderr || fail "${example[*]}: $(cat stderr)"
done
LC_ALL=C.UTF-8 awk 'length($0) > 80 { print FILENAME ": " $0 }' ./*.help >wide
[ ! -s wide ] || fail "wider than 80 columns: $(cat wide)"

python3 - <<'PYTHON' || fail "help"
import glob, re, sys
wrong = []
def groups(text):
    """Lengths of the lists of options that no empty line parts."""
    return [sum(bool(re.match(" {2,6}-", line)) for line in block.splitlines()) for block in text.split("\n\n")]
def sentences(text):
    """Of paragraphs, and of what each option means; a word is what stands between blanks."""
    for block in re.split(r"\n\n+", text):
        paragraphs, item = [""], None
        for line in block.splitlines():
            if re.match("Example:|Usage:|    filterbench ", line):
                break
            before, item = item, re.match(r" {2,6}(?! )(?:\S| \S)+(?:  +(.*))?$", line)
            if line.startswith(" " * 26):
                paragraphs[-1] += " " + line.strip()
                item = before
            elif item or before:
                paragraphs.append(item[1] or "" if item else line)
            else:
                paragraphs[-1] += " " + line
        for paragraph in paragraphs:
            yield from re.split(r"(?<=[.!?:])\s+", paragraph.strip())
for name in sorted(glob.glob("*.help")):
    text = open(name).read()
    if max(groups(text)) > 8:
        wrong.append(f"{name}: {max(groups(text))} options without a break")
    for sentence in sentences(text):
        if len(sentence.split()) > 20:
            wrong.append(f"{name}: {len(sentence.split())} words in a sentence: {sentence}")
    for example in re.findall("^    filterbench .*", text, re.M):
        if len(example) > 80:
            wrong.append(f"{name}: {example}")
# Of the options of run, what one kind alone takes is in its help and not in run's.
options = lambda name: set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", open(name).read(), re.M))
common = options("run.help")
kinds = {k: options(f"run-{k}.help") for k in ("fpr", "kernels", "icount", "fjall-leveled", "adversary")}
if not {"set", "output", "keys", "designs"} <= common or common & {"device", "cache", "footprints", "trace", "absent"}:
    wrong.append(f"run --help: {sorted(common)}")
for kind, own in (("fjall-leveled", {"device", "cache", "trace", "memory"}), ("kernels", {"footprints", "full"})):
    if not own <= kinds[kind] or any(own & kinds[k] for k in kinds if k != kind):
        wrong.append(f"{kind}: {sorted(kinds[kind])}")
flat = " ".join(open("run.help").read().split())
for words in "such as 1%; for kind fpr or kernels or lsm", "do not publish it; for kind kernels or attack", "keys and queries The run":
    if words not in flat:
        wrong.append(f"run --help does not say which kinds: {words}")
print("\n".join(wrong))
sys.exit(bool(wrong))
PYTHON
finish
