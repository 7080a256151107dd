"""Workflow commands that a step prints: `::name key=value,…::message`. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_COMMAND = re.compile(
    r"^\s*::(?P<name>[A-Za-z][A-Za-z0-9-]*|[A-Za-z0-9_-]+)(?: (?P<properties>[^\n]*?))?::(?P<message>.*)$"
)
_MESSAGE_ESCAPES = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
_PROPERTY_ESCAPES = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


@dataclass(frozen=True)
class Command:
    """One command; `name` in lower case, properties and message with their escapes undone."""

    name: str
    message: str
    properties: Mapping[str, str] = field(default_factory=dict)


def parse_command(line: str) -> Command | None:
    """Read a command from a line of output; None when the line is none."""
    match = _COMMAND.match(line)
    if match is None:
        return None
    properties: dict[str, str] = {}
    for pair in (match["properties"] or "").split(","):
        key, equals, value = pair.partition("=")
        if equals and key.strip():
            properties[key.strip()] = _undo(value, _PROPERTY_ESCAPES)
    return Command(match["name"].lower(), _undo(match["message"], _MESSAGE_ESCAPES), properties)


def _undo(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    for escaped, plain in escapes:
        text = text.replace(escaped, plain)
    return text
