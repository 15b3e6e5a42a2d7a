"""Journals whose records were changed and sealed anew: python3 resume_forged.py JOURNAL OUTPUT N COMMAND...

Each of N members, drawn with a fixed seed, becomes what it should not be. A resumed run says so in one line, or
measures again; it never ends by a signal or hangs, and what it writes is valid.
"""
import copy, ctypes, ctypes.util, json, os, random, subprocess, sys

journal, output, n, command = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
name = ctypes.util.find_library("xxhash")
if not name:
    sys.exit(print("no shared library of xxHash: skipped"))


class Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


xxh3 = ctypes.CDLL(name).XXH3_128bits
xxh3.restype, xxh3.argtypes = Hash, [ctypes.c_char_p, ctypes.c_size_t]


def text(value, names):
    """As jansson writes it with 15 digits; names: what puts those of an object in order."""
    if isinstance(value, float):
        digits, _, exponent = f"{value:.15g}".partition("e")
        return f"{digits}e{int(exponent)}" if exponent else digits if "." in digits else digits + ".0"
    if isinstance(value, list):
        return "[" + ",".join(text(element, names) for element in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{text(key, names)}:{text(value[key], names)}" for key in names(value)) + "}"
    return json.dumps(value, ensure_ascii=False)


def sealed(line):
    line = {key: value for key, value in line.items() if key != "xxh3"}
    whole = text(line, sorted).encode()
    seal = xxh3(whole, len(whole))
    return text(line | {"xxh3": f"{seal.high:016x}{seal.low:016x}"}, list)


def paths(value, at=()):
    yield at
    for key, member in value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ():
        yield from paths(member, at + (key,))


lines = [json.loads(line) for line in open(journal)]
assert [json.loads(sealed(line)) for line in lines] == lines, "not sealed as filterbench does"
steps = [i for i, line in enumerate(lines) if "record" in line]
chosen, wrong, refused = random.Random(1), [], 0
for _ in range(n):
    forged = copy.deepcopy(lines)
    at = forged[chosen.choice(steps)]
    *way, last = ("record",) + chosen.choice(list(paths(at["record"])))
    bad = chosen.choice(["x", None, -1, 0, 2**63 - 1, -(2**63), 1e308, [], {}, "missing", 1.5, True, [[1, 2]]])
    for key in way:
        at = at[key]
    where = f"{[*way, last]} {str(at[last])[:30]} -> {bad}"
    at[last] = bad
    if bad == "missing":
        del at[last]
    open(output + ".journal", "w").writelines(sealed(line) + "\n" for line in forged)
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        wrong.append(f"{where}: no end")
        continue
    said = [line for line in ran.stderr.splitlines() if not line.startswith("filterbench: note: ")]
    refused += ran.returncode != 0
    if ran.returncode not in (0, 2, 5) or len(said) != (ran.returncode != 0):
        wrong.append(f"{where}: exit code {ran.returncode}: {said}")
    if ran.returncode == 0 and subprocess.run([*command[: command.index("run")], "validate", output], capture_output=True).returncode:
        wrong.append(f"{where}: taken")
    for left in output, output + ".journal", output + ".partial":
        if os.path.exists(left):
            os.remove(left)
for line in wrong[:10]:
    print("FAILED:", line)
sys.exit(bool(wrong) or refused < n // 2)
