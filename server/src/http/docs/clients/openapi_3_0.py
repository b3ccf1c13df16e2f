"""The OpenAPI document as one of OpenAPI 3.0, for generators that read no later version.

It says the same, as far as 3.0 can say it, and knows no more of 3.1 than our document uses: a keyword of a schema that
it does not know is an error rather than something that is quietly left out. (openapi-down-convert of npm leaves both
`exclusiveMinimum` and references that may be null as they are, which no reader of 3.0 understands.)
"""

import json
import sys

# Keywords that mean the same in both versions.
SAME = {"$ref", "additionalProperties", "allOf", "default", "description", "enum", "format", "items", "maximum", "maxItems",
        "maxLength", "minimum", "minLength", "pattern", "properties", "required", "type", "x-enumDescriptions", "x-extensible-enum"}
# What 3.0 has no word for, beside what it says.
LEFT_OUT = {"info": {"summary"}, "license": {"identifier"}}


class Unknown(Exception):
    """Something of 3.1 that the document did not use before."""


def converted(document):
    info = {name: value for name, value in document["info"].items() if name not in LEFT_OUT["info"]}
    info["license"] = {name: value for name, value in info["license"].items() if name not in LEFT_OUT["license"]}
    return {**walked(document), "openapi": "3.0.3", "info": info}


def walked(node):
    """Everything below, with its schemas converted. Examples are values, not parts of the document."""
    if isinstance(node, list):
        return [walked(item) for item in node]
    if not isinstance(node, dict):
        return node
    found = {}
    for name, value in node.items():
        if name == "schema":
            found[name] = schema(value)
        elif name == "schemas":
            found[name] = {each: schema(one) for each, one in value.items()}
        elif name in ("example", "examples"):
            found[name] = value
        elif name == "security":
            # Only OAuth may list scopes before 3.1.
            found[name] = [{scheme: [] for scheme in needed} for needed in value]
        else:
            found[name] = walked(value)
    return found


def schema(node):
    node = dict(node)
    may_be_null = False
    if isinstance(node.get("type"), list):
        types = [one for one in node["type"] if one != "null"]
        may_be_null = len(types) < len(node["type"])
        if len(types) != 1:
            raise Unknown(f"several types: {node['type']}")
        node["type"] = types[0]
    if "anyOf" in node:
        kinds = node.pop("anyOf")
        others = [kind for kind in kinds if kind != {"type": "null"}]
        if len(others) != 1 or len(kinds) != 2:
            raise Unknown(f"alternatives: {kinds}")
        may_be_null = True
        node["allOf"] = others
    if "$ref" in node and len(node) != 1:
        # Beside a reference 3.0 reads nothing.
        node["allOf"] = [{"$ref": node.pop("$ref")}]
    if "exclusiveMinimum" in node:
        node["minimum"] = node.pop("exclusiveMinimum")
        node["exclusiveMinimum"] = True
    unknown = set(node) - SAME - {"exclusiveMinimum"}
    if unknown:
        raise Unknown(f"keywords of a schema: {unknown}")
    if "items" in node:
        node["items"] = schema(node["items"])
    if "allOf" in node:
        node["allOf"] = [schema(one) for one in node["allOf"]]
    if "properties" in node:
        node["properties"] = {name: schema(one) for name, one in node["properties"].items()}
    return {**node, "nullable": True} if may_be_null else node


if __name__ == "__main__":
    json.dump(converted(json.load(sys.stdin)), sys.stdout)
