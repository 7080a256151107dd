"""
Which fields of a request GitHub does not know.

A schema accepts unknown properties (only 26 of GitHub's 344 request bodies close their objects), so that a mistyped
field would pass unseen. Here each property must stand in some branch of the schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PREFIX = "urn:github#/components/schemas/"


def unknown_fields(schemas: Mapping[str, Any], schema: Any, value: Any, path: str = "") -> list[str]:
    """Give the paths of unknown properties in a request body."""
    branches = list(_branches(schemas, schema))
    if isinstance(value, list):
        items = [branch["items"] for branch in branches if "items" in branch]
        inner = {"anyOf": items}
        found = [unknown_fields(schemas, inner, one, f"{path}[{at}]") for at, one in enumerate(value)] if items else []
        return [one for some in found for one in some]
    if not isinstance(value, dict):
        return []
    known: dict[str, list[Any]] = {}
    is_open = not any("properties" in branch for branch in branches)
    for branch in branches:
        is_open = is_open or branch.get("additionalProperties") not in (None, False)
        for name, inner in branch.get("properties", {}).items():
            known.setdefault(name, []).append(inner)
    unknown = []
    for name, inner_value in value.items():
        here = f"{path}.{name}" if path else name
        if name in known:
            unknown += unknown_fields(schemas, {"anyOf": known[name]}, inner_value, here)
        elif not is_open:
            unknown.append(here)
    return unknown


def _branches(schemas: Mapping[str, Any], schema: Any) -> list[dict[str, Any]]:
    if not isinstance(schema, dict):
        return []
    if "$ref" in schema:
        return _branches(schemas, schemas[schema["$ref"].removeprefix(_PREFIX)])
    found = [schema]
    for key in ("allOf", "anyOf", "oneOf"):
        for inner in schema.get(key, []):
            found += _branches(schemas, inner)
    return found
