# action.yml and its example workflow: what GitHub would refuse, as far as PyYAML can tell, and the whole of
# it where action-validator is installed. The action's own last step guards the toy library of tests/guard
# against main and against the last release. No verdict: those depend on a clock.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
for tool in git make cc ar readelf pkg-config; do
    command -v $tool >/dev/null || { echo "there is no $tool: skipped"; exit 77; }
done
[ ${#command[@]} = 1 ] || { echo "objects of another machine: skipped"; exit 77; }
python3 -c 'import yaml' 2>/dev/null || { echo "there is no python3-yaml: skipped"; exit 77; }

cat >valid.py <<'PYTHON'
"""Says what is wrong with an action and a workflow that uses it, and writes the action's last step to ./step."""
import re, sys, yaml

action, workflow = (yaml.load(open(name), yaml.BaseLoader) for name in sys.argv[1:])
faults = []


def keys(where, value, needed, allowed=""):
    faults.extend(f"{where}: no {key}" for key in needed.split() if key not in value)
    faults.extend(f"{where}: unknown {key}" for key in value if key not in (needed + " " + allowed).split())


def expressions(where, value, known):
    for name in re.findall(r"\$\{\{(.*?)\}\}", str(value)):
        if not re.fullmatch(rf" ({known}) ", name):
            faults.append(f"{where}: nothing is called '{name.strip()}'")


def step(where, value, inside):
    if "uses" in value:
        keys(where, value, "uses", "name with if")
        if not re.fullmatch(r"[\w-]+/[\w-]+@v\d[\d.]*", value["uses"]):
            faults.append(f"{where}: {value['uses']} names no version")
    else:
        keys(where, value, "run shell" if inside else "run", "name env working-directory if")


keys("action", action, "name description inputs runs")
for name, value in action["inputs"].items():
    keys(f"input {name}", value, "description", "required default")
keys("runs", action["runs"], "using steps")
if action["runs"]["using"] != "composite":
    faults.append("runs: not composite")
for number, value in enumerate(action["runs"]["steps"], 1):
    step(f"action, step {number}", value, True)
expressions("action", action, "|".join([r"github\.action_path", *(rf"inputs\.{name}" for name in action["inputs"])]))

keys("workflow", workflow, "name on permissions jobs")
for job_name, job in workflow["jobs"].items():
    keys(job_name, job, "name strategy runs-on timeout-minutes steps")
    for number, value in enumerate(job["steps"], 1):
        step(f"{job_name}, step {number}", value, False)
        if "/filterbench@" in value.get("uses", ""):
            required = " ".join(n for n, v in action["inputs"].items() if v.get("required") == "true")
            keys(f"{job_name}, step {number}, with", value["with"], required, " ".join(action["inputs"]))
    expressions(job_name, job, "|".join(rf"matrix\.{name}" for name in job["strategy"]["matrix"]))
    if job["strategy"]["matrix"]["machine"] != ["ubuntu-24.04", "ubuntu-24.04-arm"]:
        faults.append(f"{job_name}: not on x86 and ARM")
open("step", "w").write(action["runs"]["steps"][-1]["run"])
print(*faults, sep="\n")
sys.exit(bool(faults))
PYTHON
files=("$source_folder/action.yml" "$source_folder/docs/how-to/guard-workflow.yml")
python3 valid.py "${files[@]}" >log 2>&1 || fail "$(cat log)"
if command -v action-validator >/dev/null; then
    for file in "${files[@]}"; do
        action-validator "$file" >log 2>&1 || fail "$file: $(tail -20 log)"
    done
fi
sed '/shell: bash/d; s/inputs.base/inputs.bas/; /description: the revision/d' "${files[0]}" >action.yml
sed 's/checkout@v4/checkout/; s/command: make/comand: make/; s/matrix.base/matrix.bas/' "${files[1]}" >workflow.yml
! python3 valid.py action.yml workflow.yml >log 2>&1 && [ "$(grep -c . log)" = 9 ] || fail "planted faults: $(cat log)"
python3 valid.py "${files[@]}"

export PKG_CONFIG_PATH=$(dirname "$executable") GIT_CONFIG_GLOBAL=/dev/null HOME=$folder
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q -b main library && cp "$source_folder"/tests/guard/* library && cd library || exit 1
commit() { git add -A && git commit -qm "$1"; }
# step BASE PATTERN: the action's last step passes, and prints that.
step() {
    ACTION=$source_folder BASE=$1 COMMAND="make guard" OPTIONS="--program $executable --links 2 --dry-run" \
        bash -eo pipefail "$folder/step" >"$folder/said" 2>&1 || fail "$1: exit code $?: $(tail -3 "$folder/said")"
    grep -Eq -- "$2" "$folder/said" || fail "$1: no '$2': $(cat "$folder/said")"
}
commit first
step last-release '^guard: no tag stands before HEAD'
git tag v0.9 && sed -i 's/return total;/return total + (found == 0);/' toy.c && commit second && git tag v1.0
step last-release '^guard: building v0\.9$'
grep -q '^0 of 1 designs have equal code; timed: toy (batch)$' "$folder/said" || fail "v0.9: $(cat "$folder/said")"
git checkout -q -b words && sed -i '1i/* A comment. */' toy.c && commit third
step main '^the only design has equal code: nothing is timed$'
step last-release '^guard: building v1\.0$'
finish
