"""YAML as GitHub reads it, with the line of every key: `on` is a word, dates are text, a key stands once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml

Place: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True)
class DocumentError(Exception):
    """The text is no YAML, or a key stands twice; `line` counts from 1."""

    line: int
    key: str
    message: str


@dataclass(frozen=True)
class Document:
    """Plain values, and the line on which each key or item begins."""

    value: Any
    lines: dict[Place, int]

    def line(self, place: Place) -> int:
        """The line of a key, or of the nearest thing around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


class _Loader(yaml.SafeLoader):
    """SafeLoader with the core schema's scalars only."""


# YAML 1.1 takes `on`, `yes` and `no` for booleans and dates for dates; GitHub does not.
_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp")
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile("^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)

_MOST_NODES = 20_000


def read_document(text: str) -> Document:
    """Read one YAML document; raises `DocumentError`."""
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        lines: dict[Place, int] = {}
        value = _Plain(loader, lines).value(root, ()) if root is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise DocumentError(mark.line + 1 if mark else 1, "yaml", str(error.problem or "not readable")) from error
    except (yaml.YAMLError, ValueError) as error:
        raise DocumentError(1, "yaml", str(error).splitlines()[0]) from error
    finally:
        loader.dispose()
    return Document(value, lines)


class _Plain:
    """Turns nodes into plain values, noting lines; bounded, so that nested aliases cannot grow without end."""

    def __init__(self, loader: _Loader, lines: dict[Place, int]) -> None:
        self._loader = loader
        self._lines = lines
        self._count = 0

    def value(self, node: yaml.Node, place: Place) -> Any:
        """The plain value of a node."""
        self._count += 1
        if self._count > _MOST_NODES:
            raise DocumentError(node.start_mark.line + 1, "yaml", "The document is too large")
        self._lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*place, number)) for number, item in enumerate(node.value)]
        return self._loader.construct_object(node)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key, line = str(key_node.value), key_node.start_mark.line + 1
            if key in found:
                raise DocumentError(line, key, f"'{key}' is already defined")
            self._lines[*place, key] = line
            found[key] = self.value(value_node, (*place, key))
        return found
