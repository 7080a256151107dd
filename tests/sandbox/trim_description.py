"""
Make `bot/sandbox/description/` from GitHub's published descriptions: only what failres and its tests speak.

Usage: `python tests/sandbox/trim_description.py NODE_MODULES`, where npm has installed `@octokit/openapi` and
`@octokit/graphql-schema`. Prose and examples are left out, references inside are kept, and OpenAPI's `nullable` becomes
JSON Schema's `null` (GITHUB.md 6.1: 71 of 150 nullable enums do not list null).
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

OPERATIONS = [
    line
    for line in Path(__file__).with_name("operations.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
EVENTS = (
    "check-run", "check-suite", "workflow-run", "workflow-job", "status", "pull-request", "pull-request-review",
    "pull-request-review-thread", "push", "issue-comment", "issues", "merge-group", "installation",
    "installation-repositories", "repository", "ping",
)  # fmt: skip
NOT_EVENTS = re.compile(
    r"installation-target|pull-request-review-comment|repository-(advisory|dispatch|ruleset|vuln|import)"
)
PROSE = {
    "description", "example", "examples", "title", "externalDocs", "deprecated", "default", "xml", "discriminator",
    "readOnly", "writeOnly",
}  # fmt: skip
URN = "urn:github"
HERE = Path(__file__).resolve().parents[2] / "bot" / "sandbox" / "description"


def to_json_schema(schema: Any) -> Any:
    """Convert one OpenAPI 3.0 schema, prose left out, references made absolute, `nullable` resolved."""
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": URN + schema["$ref"]}
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in PROSE or key.startswith("x-") or key == "nullable" or (key == "format" and value != "date-time"):
            continue
        if key == "properties":
            made[key] = {name: to_json_schema(inner) for name, inner in value.items()}
        elif key in {"allOf", "anyOf", "oneOf"}:
            made[key] = [to_json_schema(inner) for inner in value]
        elif key in {"items", "not", "additionalProperties"}:
            made[key] = to_json_schema(value)
        else:
            made[key] = value
    return _with_null(made) if schema.get("nullable") else made


def _with_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "type" in schema:
        schema["type"] = [schema["type"], "null"]
        if "enum" in schema and None not in schema["enum"]:
            schema["enum"] = [*schema["enum"], None]
        return schema
    return {"anyOf": [schema, {"type": "null"}]} if schema else {}


def _resolve(document: dict[str, Any], node: Any) -> Any:
    while isinstance(node, dict) and "$ref" in node:
        target: Any = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def _json_schema_of(document: dict[str, Any], holder: Any) -> Any:
    content = _resolve(document, holder).get("content", {})
    for kind, media in content.items():
        if "json" in kind and "diff" not in kind and "schema" in media:
            return to_json_schema(media["schema"])
    return None


def trim_operation(document: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> dict[str, Any]:
    """Keep an operation's method, path, parameters, request and response schemas."""
    parameters = [_resolve(document, one) for one in operation.get("parameters", [])]
    body = operation.get("requestBody")
    return {
        "method": method.upper(),
        "path": path,
        "multi": [one["name"] for one in parameters if one.get("x-multi-segment")],
        "query": {one["name"]: to_json_schema(one["schema"]) for one in parameters if one["in"] == "query"},
        "body": _json_schema_of(document, body) if body else None,
        "body_required": bool(body and body.get("required")),
        "responses": {
            status: _json_schema_of(document, response) for status, response in operation["responses"].items()
        },
    }


def trim(document: dict[str, Any], version: str) -> dict[str, Any]:
    """Keep the operations, the webhooks, and every schema that they need."""
    wanted = set(OPERATIONS)
    operations = {
        operation["operationId"]: trim_operation(document, method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if operation["operationId"] in wanted
    }
    # GitHub's text has `allOf` where it means `anyOf`: an account would have to be a user and an enterprise at once.
    listed = {"type": "array", "items": {"$ref": f"{URN}#/components/schemas/installation"}}
    operations["apps/list-installations"]["responses"]["200"] = listed
    webhooks = {
        key: to_json_schema(hook["post"]["requestBody"]["content"]["application/json"]["schema"])
        for key, hook in document["x-webhooks"].items()
        if any(key == event or key.startswith(event + "-") for event in EVENTS) and not NOT_EVENTS.match(key)
    }
    errors = ["basic-error", "validation-error", "validation-error-simple"]
    todo = _references([operations, webhooks]) | set(errors)
    schemas: dict[str, Any] = {}
    while todo:
        name = todo.pop()
        schemas[name] = to_json_schema(document["components"]["schemas"][name])
        todo |= _references(schemas[name]) - schemas.keys()
    missing = wanted - operations.keys()
    if missing:
        raise SystemExit(f"the description has no {sorted(missing)}")
    return {
        "source": f"@octokit/openapi {version}",
        "operations": dict(sorted(operations.items())),
        "webhooks": dict(sorted(webhooks.items())),
        "components": {"schemas": dict(sorted(schemas.items()))},
    }


def _references(node: Any) -> set[str]:
    text = json.dumps(node)
    return set(re.findall(rf'"{URN}#/components/schemas/([^"]+)"', text))


def compress(document: dict[str, Any]) -> bytes:
    """The bytes of the committed file; equal input gives equal bytes."""
    return gzip.compress(json.dumps(document, separators=(",", ":"), sort_keys=True).encode(), 9, mtime=0)


def package(node_modules: Path, name: str) -> tuple[Path, str]:
    """An installed npm package's directory and version."""
    directory = node_modules / name
    return directory, json.loads((directory / "package.json").read_text())["version"]


def main() -> None:
    """Write the trimmed REST and webhook description with its licence."""
    directory, version = package(Path(sys.argv[1]), "@octokit/openapi")
    document = json.loads((directory / "generated" / "api.github.com.json").read_text())
    HERE.mkdir(parents=True, exist_ok=True)
    (HERE / "github.json.gz").write_bytes(compress(trim(document, version)))
    (HERE / "LICENSE").write_text((directory / "LICENSE").read_text())


if __name__ == "__main__":
    main()
