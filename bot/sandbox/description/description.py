"""The trimmed description with compiled validators: microseconds for each check, so that it is always on."""

from __future__ import annotations

import functools
import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

import jsonschema_rs

from bot.sandbox.description.strict import unknown_fields

_URN = "urn:github"
_MOST_PROBLEMS = 5
_MOVED = (301, 307)  # a renamed repository redirects every operation


@dataclass(frozen=True)
class Operation:
    """One operation: `path` with `{parameters}`, of which those in `multi` may hold slashes; `query`: known names."""

    id: str
    method: str
    path: str
    multi: frozenset[str]
    query: Mapping[str, Any]
    body: Mapping[str, Any] | None
    body_required: bool
    responses: Mapping[str, Any]


class Description:
    """What GitHub says that its API looks like. Problems are sentences; none means that all is well."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.source: str = document["source"]
        self.schemas: dict[str, Any] = document["components"]["schemas"]
        self.operations = {
            name: Operation(
                name,
                one["method"],
                one["path"],
                frozenset(one["multi"]),
                one["query"],
                one["body"],
                one["body_required"],
                one["responses"],
            )
            for name, one in document["operations"].items()
        }
        self.webhooks: dict[str, Any] = document["webhooks"]
        resource = {"components": document["components"]}
        self._registry = jsonschema_rs.Registry([(_URN, resource)], draft=jsonschema_rs.Draft202012)
        self._validators: dict[str, jsonschema_rs.Draft202012Validator] = {}

    def schema_problems(self, name: str, value: Any) -> list[str]:
        """Check a value by a named schema (`pull-request`)."""
        return self._problems(f"schema {name}", {"$ref": f"{_URN}#/components/schemas/{name}"}, value)

    def response_problems(self, operation: Operation, status: int, body: Any) -> list[str]:
        """
        Check an answer. `body` is the parsed JSON, `None` for no body.

        GitHub's list of errors is not exhaustive: any operation may answer `basic-error` or `validation-error`.
        """
        if status >= 400 or status in _MOVED:
            problems = self._error_problems(body)
        elif str(status) not in operation.responses:
            problems = [f"status {status} is not described"]
        else:
            schema = operation.responses[str(status)]
            problems = [] if schema is None else self._problems(f"{operation.id} {status}", schema, body)
        return [f"answer {status} of {operation.id}: {problem}" for problem in problems]

    def request_problems(self, operation: Operation, body: Any) -> list[str]:
        """Check a request's body (`None` for none): its shape, and that GitHub knows each of its fields."""
        if body is None:
            return [f"{operation.id} needs a body"] if operation.body_required else []
        if operation.body is None:
            return [] if body == {} else [f"{operation.id} takes no body"]
        problems = self._problems(f"{operation.id} request", operation.body, body)
        problems += [f"unknown field {path}" for path in unknown_fields(self.schemas, operation.body, body)]
        return [f"request of {operation.id}: {problem}" for problem in problems]

    def query_problems(self, operation: Operation, query: Mapping[str, str]) -> list[str]:
        """Check that GitHub knows each query parameter (values are not checked: `created` takes ranges)."""
        return [f"request of {operation.id}: unknown query {name}" for name in query if name not in operation.query]

    def webhook_problems(self, event: str, action: str | None, payload: Any) -> list[str]:
        """Check a webhook's payload by its published schema; an event that is not described is a problem."""
        key = "-".join(filter(None, (event, action))).replace("_", "-")
        schema = self.webhooks.get(key)
        if schema is None:
            return [f"webhook {key} is not described"]
        return [f"webhook {key}: {problem}" for problem in self._problems(f"webhook {key}", schema, payload)]

    def _error_problems(self, body: Any) -> list[str]:
        names = ("basic-error", "validation-error", "validation-error-simple")
        found = [self.schema_problems(name, body) for name in names]
        return [] if not all(found) else found[0]

    def _problems(self, key: str, schema: Any, value: Any) -> list[str]:
        validator = self._validators.get(key)
        if validator is None:
            validator = jsonschema_rs.Draft202012Validator(schema, registry=self._registry, validate_formats=True)
            self._validators[key] = validator
        if validator.is_valid(value):
            return []
        problems = []
        for error in validator.iter_errors(value):
            where = "/".join(str(part) for part in error.instance_path) or "(whole)"
            problems.append(f"{where}: {error.message[:300]}")
            if len(problems) == _MOST_PROBLEMS:
                break
        return problems


@functools.cache
def load() -> Description:
    """Read the committed description, once in a process (some 60 ms)."""
    packed = resources.files("bot.sandbox.description").joinpath("github.json.gz").read_bytes()
    return Description(json.loads(gzip.decompress(packed)))
