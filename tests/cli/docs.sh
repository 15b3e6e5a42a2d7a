# The pages of docs/ at their word: docs_pages.py runs each command, docs_spans.py checks those in prose.
# FB_PAGES: some of them, by a glob pattern.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash" || exit 1
python3 "$source_folder/scripts/check_docs" >log || fail "scripts/check_docs: $(cat log)"
FILTERBENCH=$executable python3 "$source_folder/scripts/reference" reference || fail "scripts/reference"
diff -r reference "$source_folder/docs/reference" >log || fail "docs/reference/ is old; run scripts/reference: $(head -5 log)"
export FILTERBENCH_DATA=$source_folder
mkdir bin && ln -s "$executable" bin/filterbench
export PATH=$PWD/bin:$PATH
python3 "$source_folder/tests/cli/docs_spans.py" "$source_folder" >log || fail "commands in prose: $(cat log)"
python3 "$source_folder/tests/cli/docs_pages.py" "$source_folder" "${FB_PAGES:-*}" || fail "pages"
finish
