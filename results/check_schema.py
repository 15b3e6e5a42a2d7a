"""usage: python3 check_schema.py SCHEMA.json RESULT.json, as `filterbench validate` calls it.

Exit status: 0, the document has the shape that the schema asks for; 3, there is no jsonschema here;
4, with a line on stderr, it has another shape.
"""
import json
import sys

try:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
except ImportError:
    sys.exit(3)


def refuse(text):
    print("filterbench: %s: %s" % (sys.argv[2], text), file=sys.stderr)
    sys.exit(4)


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)
try:
    with open(sys.argv[2], encoding="utf-8") as file:
        document = json.load(file)
    errors = list(Draft202012Validator(schema).iter_errors(document))
except RecursionError:
    refuse("nested too deeply")
# A part that fails leaves its members unevaluated: that is not what is wrong.
causes = [e for e in errors if e.validator != "unevaluatedProperties"]
error = best_match(causes or errors)
if error:
    words, found = error.message, repr(error.instance)
    if len(found) > 80:
        words = words.replace(found, "what stands there")
    refuse("%s: %s" % (error.json_path, words[:300]))
