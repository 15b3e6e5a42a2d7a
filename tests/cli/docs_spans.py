"""usage: docs_spans.py SOURCE_FOLDER
Checks what stands in backticks in the prose of pages. Each script and each verb is there, and its --help
has the options behind it. `list` and `describe` know the word. Each source file is there. An option alone
is in the help of something, and a variable FB_X or FILTERBENCH_X in a source. NAME, and other words in
capitals, stand for anything."""
import fnmatch
import glob
import os
import re
import subprocess
import sys

FOREIGN = ("--help", "--version", "-march")  # everything has the first two; the last is the compiler's
SOURCES = ("CMakeLists.txt", "cmake", "filters", "harness", "scripts", "tests")
os.chdir(sys.argv[1])
failures = []


def says(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        failures.append(f"{' '.join(command)}: exit code {done.returncode}")
    return done.stdout


def lacks(span, helps):
    """What is wrong with this span."""
    words = span.removeprefix("filterbench ").split()
    if re.fullmatch(r"[\w/.*-]+\.(c|h|inc|sh|bash|def|json|txt|gp)", span):
        stands_for = re.search(r"[A-Z]{2}|[XI]\b|my_|coin|bloom_mixed", span)
        return [] if stands_for or fnmatch.filter(files, f"*/{span}") else ["such file"]
    options = re.findall(r"(?<!\S)--?[a-zA-Z][\w-]*", re.sub(r" -- .*", "", " ".join(words)))
    if words[0] in ("study", "plugin", "scripts/lint", "scripts/setup"):
        options += re.findall("^[a-z]+$", "".join(words[1:2]))
    if words[0].startswith("-"):
        texts = helps.values()
    elif words[0].startswith("scripts/") and "NAME" not in span or words[0] in helps:
        texts = [helps.get(words[0], "")]
        if words[0] not in helps and not os.path.exists(words[0]):
            return [words[0]]
        if words[0] in ("list", "describe") and words[1:] and re.fullmatch("[a-z-]+", words[1]):
            says("filterbench", *words[:2])
    else:
        return words[:1] if span.startswith("filterbench ") else []
    known = {word for text in texts for word in re.findall(r"(?<![\w-])-{0,2}[a-zA-Z][\w-]*", text)}
    return [o for o in options if o not in FOREIGN and o not in known]


helps = {"": says("filterbench", "--help")}
for verb in re.findall(r"(?m)^  filterbench (\w+)", helps[""]):
    helps[verb] = says("filterbench", verb, "--help")
for kind in re.findall(r"(?m)^(\w+)  ", says("filterbench", "list", "kinds"))[1:]:
    helps["run"] += says("filterbench", "run", kind, "--help")
for script in glob.glob("scripts/**", recursive=True):
    if os.path.isfile(script) and os.access(script, os.X_OK):
        helps[script] = says(script, "--help")
files = ["/" + name for name in glob.glob("**", recursive=True) if not name.startswith("build/")]
n_spans = 0
for page in sorted(glob.glob("**/*.md", recursive=True)):
    if page.startswith(("docs/reference/", "build")):
        continue
    with open(page, encoding="utf-8") as file:
        prose = re.sub(r"(?ms)^ *```.*?^ *```$|<!--.*?-->", "", file.read())
    for span in re.findall(r"`([^`]+)`", prose):
        n_spans += 1
        failures += [f"{page}: `{span}`: no {what}" for what in lacks(span, helps)]
        for name in re.findall(r"\b(?:FB|FILTERBENCH)_[A-Z_]+\b", span):
            if subprocess.run(["grep", "-rqw", "--exclude=*.md", name, *SOURCES]).returncode:
                failures.append(f"{page}: `{span}`: nothing knows {name}")
print(*(f"FAILED: {one}" for one in failures), f"{n_spans} spans", sep="\n")
sys.exit(len(failures) > 0)
