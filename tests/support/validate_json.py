"""Validates a JSON document against a JSON schema: validate_json.py SCHEMA DOCUMENT

Exit status 0: valid; 1: not valid, with every violation on stderr; 2: cannot tell, with the reason.
"""

import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(
        print("python3-jsonschema is missing: apt-get install python3-jsonschema", file=sys.stderr)
        or 2
    )


def reject_constant(name):
    raise ValueError(f"{name} is not JSON")


def reject_repeated_keys(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"an object repeats a key: {keys}")
    return dict(pairs)


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(
            file, parse_constant=reject_constant, object_pairs_hook=reject_repeated_keys
        )


def main(schema_path, document_path):
    schema = read(schema_path)
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    try:
        document = read(document_path)
    except ValueError as error:
        print(f"{document_path}: {error}", file=sys.stderr)
        return 1
    errors = list(validator_class(schema).iter_errors(document))
    for error in errors[:20]:
        place = "/" + "/".join(str(part) for part in error.absolute_path)
        print(f"{document_path}{place}: {error.message[:300]}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
