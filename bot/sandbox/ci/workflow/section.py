"""One mapping of a workflow file while it is read: typed access that notes problems instead of raising."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bot.sandbox.ci.expressions import ExpressionError, check
from bot.sandbox.ci.workflow.document import Document, Place
from bot.sandbox.ci.workflow.model import Problem


class Section:
    """A mapping at a place of the document. Every reader returns something usable, and notes what was wrong."""

    def __init__(self, path: str, document: Document, problems: list[Problem], place: Place, value: Any) -> None:
        self._path = path
        self._document = document
        self._problems = problems
        self.place = place
        self._value: dict[str, Any] = value if isinstance(value, dict) else {}
        if value is not None and not isinstance(value, dict):
            self.problem(None, "must be a mapping")

    @property
    def line(self) -> int:
        """The line on which this mapping's key stands."""
        return self._document.line(self.place)

    def __contains__(self, key: str) -> bool:
        return key in self._value

    def keys(self) -> Iterator[str]:
        """The keys in the order of the file."""
        return iter(self._value)

    def raw(self, key: str) -> Any:
        """The plain value, or None."""
        return self._value.get(key)

    def problem(self, key: str | None, message: str) -> None:
        """Note a problem at a key of this mapping (None: at the mapping itself)."""
        place = self.place if key is None else (*self.place, key)
        name = ".".join(str(part) for part in place) or "workflow"
        self._problems.append(Problem(self._path, self._document.line(place), name, message))

    def section(self, key: str) -> Section:
        """The mapping under a key (empty when absent)."""
        return Section(self._path, self._document, self._problems, (*self.place, key), self._value.get(key))

    def items(self, key: str) -> list[Section]:
        """The list of mappings under a key."""
        value = self._value.get(key)
        if value is not None and not isinstance(value, list):
            self.problem(key, "must be a list")
        found = value if isinstance(value, list) else []
        return [
            Section(self._path, self._document, self._problems, (*self.place, key, number), item)
            for number, item in enumerate(found)
        ]

    def only(self, allowed: Iterable[str], unsupported: Iterable[str] = ()) -> None:
        """Note every key that GitHub does not know, and those that are not supported here."""
        known, left_out = set(allowed), set(unsupported)
        for key in self._value:
            if key in left_out:
                self.problem(key, "is not supported by this sandbox")
            elif key not in known:
                self.problem(key, f"Unexpected value '{key}'")

    def text(self, key: str) -> str | None:
        """A text (a number or boolean counts as its text), with its expressions checked."""
        value = self._value.get(key)
        if value is None:
            return None
        if isinstance(value, (dict, list)):
            self.problem(key, "must be a text")
            return None
        text = _plain(value)
        self.expressions(key, text)
        return text

    def condition(self, key: str = "if") -> str:
        """An `if`, with or without `${{ }}`."""
        value = self._value.get(key)
        if value is None:
            return ""
        text = _plain(value)
        try:
            check(text, condition=True)
        except ExpressionError as error:
            self.problem(key, str(error))
        return text

    def flag(self, key: str, default: bool) -> bool | str:
        """A boolean, or an expression that gives one."""
        value = self._value.get(key, default)
        if isinstance(value, bool):
            return value
        return self._expression(key, value, "must be true, false or an expression") or default

    def number(self, key: str) -> float | str | None:
        """A number, or an expression that gives one; None when absent."""
        value = self._value.get(key)
        if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
            return value
        return self._expression(key, value, "must be a number or an expression")

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A text or a list of texts; None when absent."""
        if key not in self._value:
            return None
        value = self._value[key]
        found = value if isinstance(value, list) else [] if value is None else [value]
        if any(isinstance(item, (dict, list)) for item in found):
            self.problem(key, "must be a text or a list of texts")
            return ()
        return tuple(_plain(item) for item in found)

    def values(self, key: str) -> dict[str, Any]:
        """A mapping of names to scalars, with expressions checked: `env`, `with`, `outputs`."""
        found = self.section(key)
        for name in found.keys():  # noqa: SIM118 - a Section is no mapping
            found.text(name)
        return {name: _kept(found.raw(name)) for name in found.keys()}  # noqa: SIM118 - as above

    def expressions(self, key: str, value: Any) -> None:
        """Check the expressions of everything in a value."""
        if isinstance(value, dict):
            for item in value.values():
                self.expressions(key, item)
        elif isinstance(value, list):
            for item in value:
                self.expressions(key, item)
        elif isinstance(value, str):
            try:
                check(value)
            except ExpressionError as error:
                self.problem(key, str(error))

    def _expression(self, key: str, value: Any, otherwise: str) -> str | None:
        if isinstance(value, str) and value.strip().startswith("${{"):
            self.expressions(key, value)
            return value
        self.problem(key, otherwise)
        return None


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _kept(value: Any) -> Any:
    return "" if value is None else value
