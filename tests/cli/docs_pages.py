"""usage: docs_pages.py SOURCE_FOLDER PATTERN
Runs the commands of docs/tutorials, how-to and explanation, each page in a folder of its own; or,
where PATTERN is a page outside docs/, such as tests/README.md, those of that page, in SOURCE_FOLDER.

A line `$ COMMAND` in a block without a language, or in a `console` block, runs and must succeed. So
must each step `run:` of a `yaml` block and, outside docs/, each line of an indented block.
What stands below a command must be printed, in that order:

    console   each line exactly, or `...` for any lines
    none      output with times: the first three words of each line that has no digit

Comments of a page say the rest:

    <!-- test: s/10M/10k/ -->       a rule of sed -E for the commands of this page, to take less time
    <!-- test: run COMMAND -->      runs here, and is not shown
    <!-- test: exit 5 -->           the exit code of the commands of the next block
    <!-- test: file NAME -->        the next block is written to this file
    <!-- test: needs rocksdb -->    the page is left out where this is missing (rocksdb, gnuplot)
    <!-- test: not run: REASON -->  the next block is not run
"""
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import time

source, pattern = sys.argv[1], sys.argv[2]
failures = 0


def fail(page, text):
    global failures
    failures += 1
    print(f"FAILED: {page}: {text}")


def has(what):
    if what == "rocksdb":
        program = os.path.realpath(shutil.which("filterbench"))
        plugin = os.path.join(os.path.dirname(program), "filterbench_engine_rocksdb.so")
        return os.path.exists(plugin) and shutil.which("db_bench")
    return shutil.which(what)


def fenced(text):
    """TEXT with each indented block as a block of commands, without the remarks behind them."""
    def block(lines):
        joined = re.sub(r"\\\n *", "", lines[0])
        return "```\n" + re.sub(r"(?m)(^ +)|( +# .*)", lambda m: "$ " if m[1] else "", joined) + "```\n"
    parts = re.split(r"(?ms)(^ *```.*?^ *```$)", text)
    parts[::2] = [re.sub(r"(?m)(^ {4,}\S.*\n)+", block, part) for part in parts[::2]]
    return "".join(parts)


class Page:
    def __init__(self, name, text):
        self.name, self.lines = name, text.split("\n")
        self.rules, self.n_commands = [], 0
        beside = os.path.dirname(os.path.join(source, name))
        own = os.path.abspath("page-" + re.sub(r"\W", "-", name))
        self.folder = own if name.startswith("docs/") else source
        self.state = own + ".state"
        if self.folder == own:
            os.mkdir(own)
            for other in os.listdir(beside):
                if not other.endswith(".md"):
                    shutil.copy(os.path.join(beside, other), own)
        with open(self.state, "w", encoding="utf-8") as file:
            file.write(f"cd '{self.folder}'\n")

    def run(self, command, code):
        """What COMMAND prints, in the folder and with the variables that the last one left."""
        for rule in self.rules:
            command = subprocess.run(["sed", "-E", rule], input=command, text=True, check=True,
                                     capture_output=True).stdout.rstrip("\n")
        script = (f". '{self.state}'\n{command}\ncode=$?\n"
                  f"{{ export -p; echo \"cd '$PWD'\"; }} >'{self.state}'\nexit $code\n")
        try:
            done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, text=True,
                                  capture_output=True, timeout=600, errors="replace")
        except subprocess.TimeoutExpired:
            fail(self.name, f"more than ten minutes: {command}")
            return ""
        self.n_commands += 1
        if done.returncode != code:
            tail = " / ".join((done.stderr or done.stdout).strip().split("\n")[-3:])
            fail(self.name, f"exit code {done.returncode}, not {code}: {command}: {tail}")
        return done.stdout

    def compare(self, command, shown, printed, exact):
        lines = printed.split("\n")
        at = 0
        for line in shown:
            if line.strip() in ("...", "") or not exact and re.search(r"\d", line):
                continue
            if exact:
                here = [i for i in range(at, len(lines)) if lines[i].rstrip() == line.rstrip()]
                at = here[0] + 1 if here else at
            else:
                words = " ".join(line.split()[:3])
                here = [one for one in lines if words in " ".join(one.split())]
            if not here:
                fail(self.name, f"{command}: does not print: {line}")

    def block(self, language, lines, code):
        exact = language == "console"
        if language == "yaml":
            for run in re.findall(r"- run: (?:\|\n)?(.*(?:\n {6}.*)*)", "\n".join(lines)):
                self.run(f"(set -e\n{run}\n)", code)
            return
        command, shown, printed = None, [], ""
        for line in lines + ["$ "]:
            if line.startswith("$ "):
                if command:
                    self.compare(command, shown, printed, exact)
                command, shown = line[2:], []
                if command:
                    printed = self.run(command, code)
            elif command:
                shown.append(line)

    def test(self):
        begun = time.monotonic()
        code, target, skipped, block, language = 0, None, False, None, ""
        for line in self.lines:
            said = re.match(r"<!-- test: (.*) -->$", line)
            if block is not None:
                if not re.match(r"\s*```$", line):
                    block.append(line)
                    continue
                if target:
                    with open(os.path.join(self.folder, target), "w", encoding="utf-8") as file:
                        file.write("\n".join(block) + "\n")
                elif not skipped and language in ("", "console", "yaml"):
                    self.block(language, block, code)
                code, target, skipped, block = 0, None, False, None
            elif line.lstrip().startswith("```"):
                block, language = [], line.strip()[3:]
            elif not said:
                continue
            elif said[1].startswith("s/"):
                self.rules.append(said[1])
            elif said[1].startswith("run "):
                self.run(said[1][4:], 0)
            elif said[1].startswith("exit "):
                code = int(said[1][5:])
            elif said[1].startswith("file "):
                target = said[1][5:]
            elif said[1].startswith("not run: "):
                skipped = True
            elif not said[1].startswith("needs "):
                fail(self.name, f"what is this? {line}")
        print(f"{self.name}: {self.n_commands} commands, {time.monotonic() - begun:.0f} s", flush=True)


names = [f"docs/{kind}/{name}" for kind in ("tutorials", "how-to", "explanation")
         for name in sorted(os.listdir(os.path.join(source, "docs", kind))) if name.endswith(".md")]
if os.path.exists(os.path.join(source, pattern)):
    names = [pattern]
for page_name in names:
    if not fnmatch.fnmatch(page_name, f"*{pattern}*"):
        continue
    with open(os.path.join(source, page_name), encoding="utf-8") as page_file:
        page_text = page_file.read()
    lacks = [what for what in re.findall(r"<!-- test: needs (.*) -->", page_text) if not has(what)]
    if lacks:
        print(f"{page_name}: left out: no {', '.join(lacks)}")
    else:
        Page(page_name, page_text if "docs/" in page_name else fenced(page_text)).test()
sys.exit(failures > 0)
