"""
The scalar types of the configuration: each with its check, its words for a fault and its JSON schema; and what a
pattern matches.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated, Final, TypedDict

import re2
from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, WithJsonSchema

_DURATION = re.compile(r"([0-9]{1,7})([smhd])\Z")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_FLAGS = {"on": True, "yes": True, "off": False, "no": False}
_SLUG = r"^[a-z0-9][a-z0-9-]{0,39}$"
_LOGIN = r"^[A-Za-z0-9-]{1,39}(\[bot\])?$"
_TEXT = r"^[^\x00-\x1f\x7f]{1,200}$"

FROM_FILE: Final = "failres.yml"
"""
The validation context of a file's values: durations must then have their unit. Elsewhere whole seconds are right too.
"""


class Bounds(TypedDict):
    """Keyword arguments of a duration's field."""

    ge: int
    le: int


def seconds(text: str) -> int:
    """`90s`, `20m`, `6h` or `14d` in seconds. Raises `ValueError` for anything else."""
    found = _DURATION.match(text)
    if not found:
        raise ValueError("must be a duration such as 90s, 20m, 6h or 14d")
    return int(found[1]) * _SECONDS[found[2]]


def duration(count: int) -> str:
    """Seconds as the file writes them, in the largest unit that divides them."""
    unit = next(unit for unit in ("d", "h", "m", "s") if count % _SECONDS[unit] == 0)
    return f"{count // _SECONDS[unit]}{unit}"


def between(low: str, high: str) -> Bounds:
    """Bounds of a duration's field, both allowed, written as the file writes durations."""
    return {"ge": seconds(low), "le": seconds(high)}


def matches(pattern: str, name: str) -> bool:
    """
    Whether a pattern of the configuration matches a whole name (branch, path, check), in linear time.

    `*` is any text without a slash, `**` any text, `**/` also no directory at all; every other character is itself, in
    its case.
    """
    valid = name.encode("utf-8", "replace").decode()
    return _compiled(pattern).fullmatch(valid) is not None


@cache
def _compiled(pattern: str) -> re2._Regexp[str]:
    parts = re.split(r"(\*\*/|\*\*|\*)", pattern)
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return re2.compile("(?s)" + "".join(wild.get(part) or re2.escape(part) for part in parts))


def _read_duration(value: object, info: ValidationInfo) -> object:
    if isinstance(value, str):
        return seconds(value)
    if info.context == FROM_FILE:
        raise ValueError("must be a duration with its unit, such as 90s, 20m, 6h or 14d")
    return value


def _read_flag(value: object) -> object:
    return _FLAGS.get(value.lower(), value) if isinstance(value, str) else value


def _check_path(value: str) -> str:
    parts = value.split("/")
    if "\\" in value or "" in parts or "." in parts or ".." in parts:
        raise ValueError(
            "must be a path inside the repository: no leading, trailing or double slash, no backslash, no . or .. part"
        )
    return value


def _check_expression(value: str) -> str:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    try:
        re2.compile(value, options)
    except re2.error:
        raise ValueError("is no regular expression that RE2 reads (no look-around, no back-references)") from None
    return value


def _check_slug(value: str) -> str:
    if not re.fullmatch(_SLUG, value):
        raise ValueError("must be a name of small letters, digits and hyphens, not an address")
    return value


def _check_login(value: str) -> str:
    if not re.fullmatch(_LOGIN, value):
        raise ValueError("must be a GitHub login, without @")
    return value


def _check_text(value: str) -> str:
    if not re.fullmatch(_TEXT, value):
        raise ValueError("must be one line of 1 to 200 characters")
    return value


Count = Annotated[int, Field(strict=True)]
Number = Annotated[float, Field(strict=True)]

Flag = Annotated[
    bool,
    Field(strict=True),
    BeforeValidator(_read_flag),
    WithJsonSchema({"enum": [True, False, "on", "off", "yes", "no"]}),
]
"""True or false; the older words are understood, since `enabled: off` must never mean on."""

Duration = Annotated[
    int,
    Field(strict=True),
    BeforeValidator(_read_duration),
    WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,7}[smhd]$"}),
]
"""Whole seconds; in the file a number with its unit."""

Name = Annotated[str, AfterValidator(_check_text), WithJsonSchema({"type": "string", "pattern": _TEXT})]
"""One line of text: a check, a label, a team."""

Pattern = Annotated[str, AfterValidator(_check_text), WithJsonSchema({"type": "string", "pattern": _TEXT})]
"""What `matches` takes, over names of branches, checks, steps or artifacts."""

Path = Annotated[
    str, AfterValidator(_check_text), AfterValidator(_check_path), WithJsonSchema({"type": "string", "pattern": _TEXT})
]
"""A path from the repository's root, with slashes; where the key says so, a pattern of paths."""

Expression = Annotated[
    str,
    Field(min_length=1, max_length=500),
    AfterValidator(_check_expression),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 500}),
]
"""A regular expression in RE2's syntax."""

Slug = Annotated[str, AfterValidator(_check_slug), WithJsonSchema({"type": "string", "pattern": _SLUG})]
"""A name that may stand in a ref: small letters, digits, hyphens."""

Login = Annotated[str, AfterValidator(_check_login), WithJsonSchema({"type": "string", "pattern": _LOGIN})]
"""A GitHub login; an App's ends in `[bot]`."""
