"""
YAML text of a configuration file to plain values with the place of every key, in bounded time and memory.

The text comes from a pull request, so it is treated as hostile: size and depth are limited, and anchors, aliases, tags,
merge keys, duplicate keys and further documents are refused with their line. Scalars follow YAML 1.2's core schema:
`off`, `no` and `1:30` stay text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

import yaml

from resolver.records import Record

Key = tuple[str | int, ...]
"""Where a value stands: keys and list positions from the root."""

Value = None | bool | int | float | str | tuple["Value", ...] | dict[str, "Value"]


class ConfigProblem(Record):
    """
    One fault. `line` and `column` count from 1; `path` is as `repair.maxOpened` or `scope[0].paths`, empty for the
    whole file.
    """

    line: int
    column: int
    path: str
    message: str


class ConfigProblems(Record):
    """
    Why a configuration may not be used: at least one problem, in the file's order, at most `TextLimits.problems` of
    them.
    """

    problems: tuple[ConfigProblem, ...]


@dataclass(frozen=True, slots=True)
class TextLimits:
    """What a configuration file may cost. Ours, not GitHub's: a real file has a few hundred lines at most."""

    size: int = 64 * 1024
    """Bytes of UTF-8."""
    depth: int = 16
    values: int = 5000
    problems: int = 20
    shown: int = 60
    """Characters of the file's own text repeated in a message."""

    @property
    def too_large(self) -> str:
        """What is said of a larger file."""
        return f"the file is larger than {self.size // 1024} KiB"


TEXT_LIMITS = TextLimits()


@dataclass(frozen=True, slots=True)
class Document:
    """A file's value, and for each path in it the line and column (from 1) of its key, or of its value in a list."""

    value: Value
    places: dict[Key, tuple[int, int]]

    def at(self, key: Key) -> Value:
        """The value at a path, None where nothing stands."""
        value: Value = self.value
        for part in key:
            if isinstance(value, dict) and isinstance(part, str):
                value = value.get(part)
            elif isinstance(value, tuple) and isinstance(part, int) and part < len(value):
                value = value[part]
            else:
                return None
        return value


class _RefusedError(Exception):
    """Ends the reading at the first fault of form; never leaves this module."""

    def __init__(self, index: int, message: str, key: Key = ()) -> None:
        super().__init__(message)
        self.index, self.message, self.key = index, message, key


@dataclass(slots=True)
class _Open:
    """A mapping or list that has begun. `key` is the mapping's key that waits for its value."""

    at: Key
    value: dict[str, Value] | list[Value]
    key: str | None = None


@dataclass(slots=True)
class _Lines:
    """Offsets to lines as editors count them: by line feeds alone, which is not how YAML 1.1 counts."""

    text: str
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.starts = [0, *(found.end() for found in re.finditer("\n", self.text))]

    def place(self, index: int) -> tuple[int, int]:
        line = bisect_right(self.starts, index)
        return line, index - self.starts[line - 1] + 1


def read_text(text: str, limits: TextLimits = TEXT_LIMITS) -> Document | ConfigProblems:
    """
    Read one YAML document; an empty one gives an empty mapping. The first fault of form ends the reading and is the
    only problem.
    """
    if len(text) > limits.size or len(text.encode("utf-8", "surrogatepass")) > limits.size:
        return problem_at((1, 1), "", limits.too_large)
    lines = _Lines(text)
    try:
        return _Reader(lines, limits).read()
    except _RefusedError as refused:
        return problem_at(lines.place(refused.index), show_path(refused.key), refused.message)
    except yaml.reader.ReaderError as fault:
        return problem_at(lines.place(fault.position), "", "a control character is not allowed")
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        place = lines.place(mark.index) if mark else (1, 1)
        return problem_at(place, "", f"not YAML: {_words(fault)}")


def show_path(key: Key) -> str:
    """A path for people: `scope[0].paths`. Long keys of the file are cut."""
    shown = ""
    for part in key:
        shown += f"[{part}]" if isinstance(part, int) else f".{shorten(part)}"
    return shown.removeprefix(".")


def shorten(text: str, length: int = TEXT_LIMITS.shown) -> str:
    """The file's own words, printable and cut, so that a message stays one readable line."""
    clean = "".join(char if char.isprintable() else "?" for char in text[: length + 1])
    return clean if len(clean) <= length else f"{clean[:length]}…"


def problem_at(place: tuple[int, int], path: str, message: str) -> ConfigProblems:
    """One problem alone, at a line and column."""
    line, column = place
    return ConfigProblems(problems=(ConfigProblem(line=line, column=column, path=path, message=message),))


def _words(fault: yaml.MarkedYAMLError) -> str:
    if fault.problem and "'\\t'" in fault.problem:
        return "a tab cannot indent or begin a value; use spaces"
    return shorten(" ".join(part for part in (fault.context, fault.problem) if part), 200)


class _Reader:
    """
    Builds values from the parser's events with its own stack: no recursion, so depth costs nothing before it is
    refused.

    Constructing through PyYAML's composer instead would expand aliases and follow tags.
    """

    def __init__(self, lines: _Lines, limits: TextLimits) -> None:
        self._lines = lines
        self._limits = limits
        self._open: list[_Open] = []
        self._root: Value = {}
        self._documents = 0
        self._values = 0
        self._places: dict[Key, tuple[int, int]] = {(): (1, 1)}

    def read(self) -> Document:
        for event in yaml.parse(self._lines.text, Loader=yaml.SafeLoader):
            self._take(event)
        return Document(value=self._root, places=self._places)

    def _take(self, event: yaml.Event) -> None:
        index = event.start_mark.index if event.start_mark else 0
        match event:
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    raise _RefusedError(index, "a second document is not allowed")
            case yaml.AliasEvent():
                raise _RefusedError(index, "anchors and aliases are not allowed", self._here())
            case yaml.ScalarEvent():
                self._plain(event, index)
                self._scalar(event, index)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._plain(event, index)
                self._begin(event, index)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._end()
            case _:
                pass

    def _plain(self, event: yaml.NodeEvent, index: int) -> None:
        self._values += 1
        if self._values > self._limits.values:
            raise _RefusedError(index, f"more than {self._limits.values} keys and values")
        if event.anchor is not None:
            raise _RefusedError(index, "anchors and aliases are not allowed", self._here())
        if getattr(event, "tag", None) is not None:
            raise _RefusedError(index, "tags are not allowed", self._here())

    def _here(self) -> Key:
        """The path of the value that comes next."""
        if not self._open:
            return ()
        top = self._open[-1]
        if isinstance(top.value, list):
            return (*top.at, len(top.value))
        return top.at if top.key is None else (*top.at, top.key)

    def _scalar(self, event: yaml.ScalarEvent, index: int) -> None:
        top = self._open[-1] if self._open else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._key(top, event.value, index)
            return
        plain = event.style is None
        self._place(index)
        self._put(scalar(event.value) if plain else event.value)

    def _key(self, top: _Open, key: str, index: int) -> None:
        path = (*top.at, key)
        if path in self._places:
            first = self._places[path][0]
            raise _RefusedError(index, f"the key is written twice, first in line {first}", path)
        self._places[path] = self._lines.place(index)
        top.key = key

    def _begin(self, event: yaml.CollectionStartEvent, index: int) -> None:
        top = self._open[-1] if self._open else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            raise _RefusedError(index, "a key must be a word", top.at)
        if len(self._open) >= self._limits.depth:
            raise _RefusedError(index, f"nested deeper than {self._limits.depth} levels", self._here())
        self._place(index)
        self._open.append(_Open(self._here(), {} if isinstance(event, yaml.MappingStartEvent) else []))

    def _end(self) -> None:
        done = self._open.pop().value
        self._put(tuple(done) if isinstance(done, list) else done)

    def _place(self, index: int) -> None:
        """Remember where a list's item begins; a mapping's value stands at its key."""
        self._places.setdefault(self._here(), self._lines.place(index))

    def _put(self, value: Value) -> None:
        if not self._open:
            self._root = {} if value is None else value
            return
        top = self._open[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is not None:
            top.value[top.key] = value
            top.key = None


_INTEGER = re.compile(r"[-+]?[0-9]{1,15}\Z")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]{1,15}\.[0-9]{0,15}|\.[0-9]{1,15})\Z")
_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


def scalar(text: str) -> bool | int | float | str | None:
    """An unquoted scalar by YAML 1.2's core schema, without exponents and numbers that no limit needs."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _DECIMAL.match(text) else text
