"""The fold of a journal as bytes and back: a cache, which whoever reads it must be able to do without.

It is written generally: each value with its kind, each frozen class by its place among those that `RepoState` reaches,
each record as the journal writes it. New fields come along by themselves; what is no part of a value (`compare=False`:
indexes, what was worked out) stays behind and is worked out again. No code is run for what is read: only those classes
are made. Whoever keeps the bytes must see to it that the code that reads them is the code that wrote them.

Text is made in pieces, so that no single call holds the interpreter for long: a thread can do it beside the work.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple, get_args, get_type_hints

from pydantic import BaseModel

from resolver.records import Record
from resolver.state import RepoState

PIECE: Final = 1_000
"""So many values are written or read at once."""

BLOCK: Final = 262_144
"""So many bytes are packed or unpacked at once."""

_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_RECORD: Final = 10
"""So much is a record."""

_PACKED_AT: Final = 1
"""Packing harder takes three times as long and gains a fifth."""


class Unusable(Record):
    """A snapshot that cannot be written or read: why."""

    why: str


def to_bytes(state: RepoState, most: int) -> bytes | Unusable:
    """Give a state as bytes, unless its text has more than `most` characters."""
    writer = _Writer(most)
    try:
        writer.line([writer.value(state)[0]])
    except _TooLargeError:
        return Unusable(why=f"its text is larger than {most} bytes")
    return writer.packed()


def from_bytes(data: bytes, most: int) -> RepoState | Unusable:
    """Give the state back; whatever does not fit is a value, not an exception."""
    try:
        state = _Reader().read(_lines(data, most))
    except _TooLargeError:
        return Unusable(why=f"its text is larger than {most} bytes")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, zlib.error) as error:
        return Unusable(why=f"{type(error).__name__} while it was read")
    return state if isinstance(state, RepoState) else Unusable(why="it holds something else")


class _TooLargeError(Exception):
    """Ends writing or reading; never leaves this module."""


class _Kind(NamedTuple):
    """A class of which a state may be made, and the fields that make its value; None for a record."""

    made: type[Any]
    names: tuple[str, ...] | None


@cache
def _kinds() -> tuple[_Kind, ...]:
    """All of them, sorted by name: a value is told by its class's place here."""
    found: dict[type[Any], tuple[str, ...] | None] = {}
    todo: list[Any] = [RepoState]
    while todo:
        each = todo.pop()
        todo.extend(get_args(each))
        if not isinstance(each, type) or each in found:
            continue
        if issubclass(each, BaseModel):
            found[each] = None
        elif is_dataclass(each):
            found[each] = tuple(one.name for one in fields(each) if one.compare and one.init)
            hints = get_type_hints(each)
            todo.extend(hints[name] for name in found[each] or ())
    return tuple(
        _Kind(each, found[each]) for each in sorted(found, key=lambda kind: (kind.__module__, kind.__qualname__))
    )


@cache
def _numbers() -> Mapping[type[Any], int]:
    return {kind.made: number for number, kind in enumerate(_kinds())}


class _Writer:
    """Writes lines of JSON. A value that has many parts refers to the lines before it that hold them."""

    def __init__(self, most: int) -> None:
        self._most, self._count, self._size = most, 0, 0
        self._pack = zlib.compressobj(_PACKED_AT)
        self._done: list[bytes] = []

    def line(self, value: object) -> int:
        """Write one line; give its number."""
        text = json.dumps(value, separators=(",", ":")).encode() + b"\n"
        self._size += len(text)
        if self._size > self._most:
            raise _TooLargeError
        self._done.append(self._pack.compress(text))
        self._count += 1
        return self._count - 1

    def packed(self) -> bytes:
        """Give all that was written."""
        return b"".join((*self._done, self._pack.flush()))

    def value(self, value: Any) -> tuple[Any, int]:
        """Give a value as JSON has it, and how much it is."""
        kind = type(value)
        if kind in _PLAIN:
            return value, 1
        if kind is tuple or kind is list:
            return self._many("t" if kind is tuple else "l", value)
        if kind is dict or kind is MappingProxyType:
            return self._many("m" if kind is dict else "p", (part for item in value.items() for part in item))
        if kind is frozenset:
            return self._many("s", sorted(value))
        number = _numbers()[kind]
        names = _kinds()[number].names
        if names is None:
            return [number, value.model_dump(mode="json", by_alias=True, exclude_defaults=True)], _RECORD
        return self._many(number, (getattr(value, name) for name in names))

    def _many(self, tag: str | int, values: Iterable[Any]) -> tuple[Any, int]:
        part: list[Any] = []
        weight, before = 1, []
        for value in values:
            if type(value) in _PLAIN:
                part.append(value)
                weight += 1
            else:
                inner, more = self.value(value)
                part.append(inner)
                weight += more
            if weight > PIECE:
                before.append(self.line(part))
                part, weight = [], 1
        return (["*", tag, before, *part] if before else [tag, *part]), weight + len(before)


class _Reader:
    """Reads those lines."""

    def __init__(self) -> None:
        self._held: dict[int, list[Any]] = {}
        self._given: dict[frozenset[str], set[str]] = {}

    def read(self, lines: Iterable[bytes]) -> object:
        """Give the value of the last line, after all those to which it refers."""
        for number, line in enumerate(lines):
            self._held[number] = [self._value(part) for part in json.loads(line)]
        ((value,),) = self._held.values()
        return value

    def _value(self, told: Any) -> Any:
        if type(told) is not list:
            return told
        tag, *parts = told
        if tag == "*":
            tag, before, *parts = parts
            values = [value for number in before for value in self._held.pop(number)]
            values += [self._value(part) for part in parts]
        elif type(tag) is int and _kinds()[tag].names is None:
            return self._record(_kinds()[tag].made, *parts)
        else:
            values = [part if type(part) is not list else self._value(part) for part in parts]
        return _made(tag, values)

    def _record(self, made: type[BaseModel], content: dict[str, Any]) -> BaseModel:
        """Give a record. Which fields were given is one set for all that were given the same: each is large."""
        record = made.model_validate(content)
        given = record.model_fields_set
        object.__setattr__(record, "__pydantic_fields_set__", self._given.setdefault(frozenset(given), given))
        return record


def _made(tag: str | int, values: list[Any]) -> Any:
    if isinstance(tag, int):
        kind = _kinds()[tag]
        return kind.made(**dict(zip(kind.names or (), values, strict=True)))
    match tag:
        case "t":
            return tuple(values)
        case "l":
            return values
        case "s":
            return frozenset(values)
        case "m" | "p":
            found = dict(zip(values[::2], values[1::2], strict=True))
            return found if tag == "m" else MappingProxyType(found)
        case _:
            raise ValueError(tag)


def _lines(data: bytes, most: int) -> Iterator[bytes]:
    """Unpack line by line, never more than a line and a block at once."""
    unpack, left, size = zlib.decompressobj(), b"", 0
    while data:
        text = unpack.decompress(data, BLOCK)
        size += len(text)
        if size > most:
            raise _TooLargeError
        data = unpack.unconsumed_tail
        *whole, left = (left + text).split(b"\n")
        yield from whole
    if left or not unpack.eof:
        raise ValueError("cut off")
