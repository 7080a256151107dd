"""
The rules: what a line says, as data. Read from `rules/*.toml`, checked, and compiled once.

A rule file has a table `defaults` and a list `rule`; files are read in the order of their names, and the order is
priority: of the rules that match a line, the first wins. Keys of a rule:

- `id`, `kind` (`test`, `build`, …), `role`, `pattern` (RE2, for a clean line), `unless` (a second pattern that must
  not match);
- `scan`: a pattern to look for instead, where `pattern` has nothing solid; `marks`: the runner's levels that count
  (default: none, error);
- `need`, `reject`: a group that the line or its neighbours must, or must not, have filled;
- `match`, `nomatch`: example lines that the tests put through the whole path;
- `fail_class`, `weight`: where the kind's own are wrong; `tool`: whose line it is (details go to the tool's current
  item);
- `section`: entering this part of a tool's output; `ignore`: nothing in it counts; `when`: only inside these
  sections;
- `ahead`, `back`: patterns looked for in neighbouring lines, whose groups fill what the line itself does not say;
- `lead`: this line, of several about an item, is the one to show first;
- `tail`: how many following lines belong to the message; `until`: what ends them.

Groups with a meaning: `item`, `key` (the item's name where the item shows a line number), `path`, `line`, `col`,
`message`, `type`, `code`, `status`, `container` (of a summary: what holds the tool's items above it).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from tomllib import loads
from typing import Any, Literal, get_args

from resolver.log.loosen import Loose, loosen
from resolver.log.regex import Pattern, compile_pattern
from resolver.log.scan import Engine, build_engine

Role = Literal[
    "item",
    "error",
    "cause",
    "detail",
    "place",
    "subject",
    "summary",
    "exit",
    "pass",
    "flaky",
    "section",
    "mark",
    "note",
]
"""
What a line does: `item` names a failing item; `error` is a failure by itself; `cause` is a detail where an item is
current, else an error; `detail` and `place` add to the current item; `subject` says which item runs; `summary` says
that something failed; `exit` ends a step or job; `pass` says that all went well; `flaky` names an item that failed
and passed; `note` is looked at and means nothing.
"""

_ROLES = frozenset(get_args(Role))
_WEIGHT_OF_KIND = {
    "build": 65,
    "type": 65,
    "lint": 65,
    "test": 80,
    "lockfile": 70,
    "auth": 70,
    "rate-limit": 72,
    "network": 68,
    "conflict": 70,
    "artifacts": 62,
    "hook": 66,
    "config": 66,
    "dependency": 60,
    "disk": 95,
    "oom": 93,
    "runner-lost": 97,
    "quota": 96,
    "cancelled": 92,
    "stall": 90,
}
_WEIGHT_OF_ROLE = {"summary": 50, "cause": 45, "exit": 10, "pass": 50, "subject": 0, "note": 0}


@dataclass(frozen=True, slots=True)
class Near:
    """A pattern for neighbouring lines; the search ends after `within` lines or at a line that matches `stop`."""

    pattern: str
    within: int = 6
    stop: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, as its file says it; `order` is its place among all."""

    id: str
    role: Role
    pattern: str
    kind: str = ""
    fail_class: str = ""
    weight: int = 0
    tool: str = ""
    scan: str | None = None
    unless: str | None = None
    need: str | None = None
    reject: str | None = None
    section: str | None = None
    ignore: bool = False
    when: tuple[str, ...] = ()
    ahead: tuple[Near, ...] = ()
    back: tuple[Near, ...] = ()
    tail: int = 0
    lead: bool = False
    until: str | None = None
    match: tuple[str, ...] = ()
    nomatch: tuple[str, ...] = ()
    marks: tuple[str, ...] = ("", "error")
    order: int = 0


@cache
def compiled(pattern: str) -> Pattern:
    """A rule's pattern, compiled when first needed and kept: most rules never see a line."""
    return compile_pattern(pattern)


@dataclass(slots=True)
class CompiledRules:
    """The rules and the engine that scans for them; `owner` says which rule each scanned pattern is of."""

    rules: tuple[Rule, ...]
    loose: tuple[Loose, ...]
    owner: tuple[int, ...]
    engine: Engine
    sections: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def build(cls, rules: Sequence[Rule], engine: Engine | None = None) -> CompiledRules:
        """Compile. Raises ValueError naming the rule that cannot be scanned for."""
        pairs = [(piece, number) for number, rule in enumerate(rules) for piece in _loosened(rule)]
        loose, owner = tuple(piece for piece, _ in pairs), tuple(number for _, number in pairs)
        sections = {rule.section: rule.ignore for rule in rules if rule.section is not None}
        return cls(tuple(rules), loose, owner, engine or build_engine(loose), sections)


def _loosened(rule: Rule) -> tuple[Loose, ...]:
    try:
        return loosen(rule.pattern) if rule.scan is None else loosen(rule.scan, as_is=True)
    except ValueError as error:
        raise ValueError(f"rule {rule.id}: {error}") from error


def read_rules() -> tuple[Rule, ...]:
    """All rules of the package, in order of priority. Raises ValueError for a rule that breaks the format."""
    found: list[Rule] = []
    files = sorted(
        (
            f
            for f in resources.files("resolver.log.rules").iterdir()
            if f.name[:1].isdigit() and f.name.endswith(".toml")
        ),
        key=lambda f: f.name,
    )
    for file in files:
        found.extend(parse_rules(file.read_text("utf-8"), len(found)))
    names = [rule.id for rule in found]
    if len(set(names)) != len(names):
        raise ValueError(f"rules of the same id: {sorted({n for n in names if names.count(n) > 1})}")
    return tuple(found)


def parse_rules(text: str, first: int = 0) -> Iterator[Rule]:
    """Rules of one file's text; `first` is the order of its first one."""
    data = loads(text)
    defaults = data.get("defaults", {})
    for number, entry in enumerate(data["rule"]):
        yield _rule({**defaults, **entry}, first + number)


def _rule(entry: dict[str, Any], order: int) -> Rule:
    if entry.get("role") not in _ROLES:
        raise ValueError(f"rule {entry.get('id')}: role {entry.get('role')!r} is not one of {sorted(_ROLES)}")
    role, kind = entry["role"], entry.get("kind", "")
    entry.setdefault("weight", _WEIGHT_OF_ROLE.get(role, _WEIGHT_OF_KIND.get(kind, 0)))
    entry.setdefault("tool", entry["id"].split("-", 1)[0])
    for name in ("ahead", "back"):
        entry[name] = tuple(Near(**near) for near in entry.get(name, ()))
    for name in ("when", "match", "nomatch", "marks"):
        if name in entry:
            entry[name] = tuple(entry[name])
    return Rule(order=order, **entry)


@cache
def load_rules() -> CompiledRules:
    """The package's rules, compiled once per process (about 0.2 s)."""
    return CompiledRules.build(read_rules())
