"""What a log told, as one value."""

from __future__ import annotations

from resolver.failure import Finding, Place
from resolver.ids import Fingerprint
from resolver.records import Record


class Considered(Record):
    """A line that a rule matched, for `--explain`: its number, the rule with its kind and weight, its text (masked)."""

    line: int
    rule: str
    text: str
    kind: str = ""
    weight: int = 0


class Triage(Record):
    """
    The reading of one log. `kind` is ``"none"`` where nothing failed; then `fail_class` and `fingerprint` are None.

    `findings`: the primary one first, the same one whatever the order of parallel output. `fingerprint`: that of the
    failing set, which is the finding's own where there is one. `key_lines`: 1-based, most important first, at most
    15. `flaky`: items that failed and then passed. `capped`: how many findings are not listed. `why`: the rule that
    decided.
    """

    fail_class: str | None
    kind: str
    findings: tuple[Finding, ...] = ()
    items: tuple[str, ...] = ()
    errors: tuple[Place, ...] = ()
    key_lines: tuple[int, ...] = ()
    fingerprint: Fingerprint | None = None
    flaky: tuple[str, ...] = ()
    passed_items: tuple[str, ...] = ()
    exit_status: int | None = None
    lines: int = 0
    bytes: int = 0
    capped: int = 0
    why: str = ""
    considered: tuple[Considered, ...] = ()
