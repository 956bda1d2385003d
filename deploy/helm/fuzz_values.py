"""Renders the chart with random values that its schema accepts, and with some that it may not, and validates the objects.
Helm must refuse values in the words of the schema or of the chart, never in those of a template or of YAML, and what it
renders must be valid.

    fuzz_values.py [RENDERINGS] [SEED]

Prints the seed and the smallest values of each fault, and exits with 1 if there is one. Needs helm and kubernetes-validate.
"""

import concurrent.futures
import copy
import json
import random
import re
import re._parser as regex
import subprocess
import sys
from pathlib import Path

import yaml
from jsonschema import Draft7Validator

from check_objects import VERSIONS, faults

HERE = Path(__file__).parent
CHART = HERE / "waymark"
OPERATORS = ("monitoring.coreos.com/v1", "gateway.networking.k8s.io/v1", "keda.sh/v1alpha1")
SCHEMA = json.loads((CHART / "values.schema.json").read_text())
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# What the mutations are made on.
BASES = [{}] + [yaml.load((HERE / f"values-{name}.yaml").read_text(), Loader=LOADER) for name in ("everything", "other")]
CLEAN = ("values don't meet the specifications of the schema", "these values cannot work:")
# Texts and numbers that YAML, templates or the API may take for something else.
NASTY = ["", "null", "true", "on", "123", "1e6", "0x1f", "-", "a\nb", "1 #x", "a: b", "{{ .x }}", "%", "*a", "é", " a", "a ",
         "A", "a..b", "a/", "a" * 64, 0, 1, -1, 1.5, 1000000, 2**31, 2**53, True, None, [], {}, [{}], ["a", "a"]]
MUTATIONS_IN_ONE = 40


def resolved(schema):
    """Returns a schema without $ref and allOf."""
    if schema is True or schema is False:
        return {}
    merged = dict(schema)
    for part in [SCHEMA["$defs"][merged.pop("$ref").rsplit("/", 1)[-1]]] if "$ref" in merged else merged.pop("allOf", []):
        part = resolved(part)
        own = merged.get("properties", {})
        # A service forbids some of the properties that all services share.
        properties = {name: own[name] if own.get(name) is False else value for name, value in part.get("properties", {}).items()}
        merged = {**part, **merged, "properties": properties} if properties else {**part, **merged}
    return merged


def leaves(schema, path=()):
    """Yields the path and the schema of each value that is no group."""
    schema = resolved(schema)
    groups = schema.get("properties")
    if not groups or path and path[-1] in ("affinity", "behavior", "dnsConfig"):
        yield path, schema
        return
    for name, part in groups.items():
        if part is not False:
            yield from leaves(part, (*path, name))


def groups(schema, path=()):
    schema = resolved(schema)
    for name, part in schema.get("properties", {}).items():
        if part is not False:
            yield (*path, name)
            yield from groups(part, (*path, name))


def text_of(pattern, chance):
    """Returns a text that a regular expression matches as a whole."""
    def one(operation, argument):
        name = str(operation)
        if name == "LITERAL":
            return chr(argument)
        if name == "NOT_LITERAL":
            return "b" if chr(argument) == "a" else "a"
        if name == "ANY":
            return "a"
        if name == "IN":
            allowed = [chr(code) for code in range(32, 127) if any(in_set(chr(code), item) for item in argument) != (str(argument[0][0]) == "NEGATE")]
            return chance.choice(allowed)
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            low, high, part = argument
            count = chance.randint(low, min(int(high), low + chance.choice([0, 1, 3, 12])))
            return "".join(all_of(part) for _ in range(count))
        if name == "SUBPATTERN":
            return all_of(argument[3])
        if name == "BRANCH":
            return all_of(chance.choice(argument[1]))
        if name == "AT":
            return ""
        raise ValueError(f"{name} in {pattern}")

    def in_set(character, item):
        kind, argument = str(item[0]), item[1]
        if kind == "LITERAL":
            return ord(character) == argument
        if kind == "RANGE":
            return argument[0] <= ord(character) <= argument[1]
        if kind == "CATEGORY":
            return {"CATEGORY_SPACE": character.isspace(), "CATEGORY_DIGIT": character.isdigit()}.get(str(argument), character.isalnum() or character == "_")
        return False

    def all_of(parts):
        return "".join(one(operation, argument) for operation, argument in parts)

    return all_of(regex.parse(pattern))


def value_of(schema, chance):
    """Returns a random value of a schema; conditions (if, not) are ignored."""
    schema = resolved(schema)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return chance.choice(schema["enum"])
    if "anyOf" in schema:
        return value_of(chance.choice(schema["anyOf"]), chance)
    kind = schema.get("type", "object")
    kind = chance.choice(kind) if isinstance(kind, list) else kind
    if kind == "boolean":
        return chance.random() < 0.5
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", 0), schema.get("maximum", 2**31 - 1)
        return chance.choice([low, high, min(high, max(low, 1000000)), chance.randint(low, high), min(high, low + 2)])
    if kind == "null":
        return None
    if kind == "string":
        for _ in range(20):
            text = text_of(schema.get("pattern", "[a-z]{1,8}"), chance)
            if schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", 10000):
                return text
        return ""
    if kind == "array":
        count = chance.randint(schema.get("minItems", 0), schema.get("maxItems", 2)) if "items" in schema else 0
        return [value_of(schema["items"], chance) for _ in range(count)]
    value = {}
    for name, part in schema.get("properties", {}).items():
        if part is not False and part is not True and (name in schema.get("required", []) or chance.random() < 0.5):
            value[name] = value_of(part, chance)
    for names, part in schema.get("patternProperties", {}).items():
        for _ in range(chance.randint(0, 2)):
            value[text_of(names, chance)] = value_of(part, chance)
    return value


def put(values, path, value):
    for key in path[:-1]:
        values = values.setdefault(key, {})
    values[path[-1]] = value


def rendered(values, release):
    """Returns the faults of one rendering, and the message with which Helm refused the values as it should."""
    arguments = ["helm", "template", release, str(CHART), "--namespace", "waymark", "--kube-version", "1.34.0", "--values", "-"]
    for version in OPERATORS:
        arguments += ["--api-versions", version]
    run = subprocess.run(arguments, input=json.dumps(values), capture_output=True, text=True)
    if run.returncode != 0:
        return ([], run.stderr) if any(words in run.stderr for words in CLEAN) else ([run.stderr.strip()], "")
    try:
        # Only the newest version, because values may have fields that the oldest does not know.
        return faults([one for one in yaml.load_all(run.stdout, Loader=LOADER) if one], VERSIONS[-1:]), ""
    except Exception as error:
        return [f"the result cannot be read: {error}"], ""


def with_mutations(base, mutations):
    values = copy.deepcopy(base)
    for path, value in mutations:
        put(values, path, value)
    return values


def fault_of(base, mutations, release):
    """Renders the mutations, without those that a refusal names. Returns the smallest faulty ones with their faults."""
    for _ in range(5):
        found, refusal = rendered(with_mutations(base, mutations), release)
        if found:
            return smallest(base, mutations, release, found)
        if not refusal or len(mutations) == 1:
            return None
        kept = [one for one in mutations if one[0][-1] not in refusal]
        mutations = kept if 0 < len(kept) < len(mutations) else mutations[: len(mutations) // 2]
    return None


def smallest(base, mutations, release, found):
    half = len(mutations) // 2
    for part in (mutations[:half], mutations[half:]) if half else ():
        smaller = rendered(with_mutations(base, part), release)[0]
        if smaller:
            return smallest(base, part, release, smaller)
    return mutations, found


def case(number, seed):
    chance = random.Random(f"{seed} {number}")
    base = chance.choice(BASES)
    release = chance.choice(["waymark", "waymark", "w", "a" * 53, "123", "true"])
    everything = list(leaves(SCHEMA))
    if number % 4 == 0:  # null for a group or a value, which in Helm means to remove it
        return base, fault_of(base, [(chance.choice(list(groups(SCHEMA))), None)], release)
    if number % 4 == 1:  # pairs of switches
        everything = [(path, part) for path, part in everything if part.get("type") == "boolean" or "enum" in part]
    mutations = []
    for path, part in chance.sample(everything, min(len(everything), MUTATIONS_IN_ONE)):
        fits = Draft7Validator({**part, "$defs": SCHEMA["$defs"]}).is_valid
        values = [value for value in NASTY if fits(value)] if chance.random() < 0.5 else []
        value = chance.choice(values) if values else value_of(part, chance)
        if fits(value):
            mutations.append((path, value))
    return base, fault_of(base, mutations, release) if mutations else None


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = sys.argv[2] if len(sys.argv) > 2 else str(random.randrange(10**6))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for base, fault in pool.map(lambda number: case(number, seed), range(count)):
            if fault:
                failed += 1
                mutations, found = fault
                print(f"base {BASES.index(base)}, values {json.dumps([['.'.join(path), value] for path, value in mutations])}", file=sys.stderr)
                print("\n".join(f"    {line}" for line in found[:5]), file=sys.stderr)
    print(f"{count} random sets of values (seed {seed}): {failed} with a fault")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
