"""jsonschema and fastjsonschema: name, schema, lines."""
import json
import sys

name, schema, lines = sys.argv[1:]
with open(schema, encoding="utf-8") as f:
    schema = json.load(f)
if name == "jsonschema":
    import jsonschema

    kind = jsonschema.Draft202012Validator
    kind.check_schema(schema)
    valid = kind(schema, format_checker=kind.FORMAT_CHECKER).is_valid
else:
    import fastjsonschema

    compiled = fastjsonschema.compile(schema)

    def valid(value):
        try:
            compiled(value)
        except fastjsonschema.JsonSchemaValueException:
            return False
        return True


with open(lines, encoding="utf-8") as f:
    for line in f:
        print("true" if valid(json.loads(line)) else "false")
