"""
JUnit XML: the one report format that nearly every test runner writes. A further source where a run keeps it as an
artifact.

The file comes from the pull request's own run, so it is read without entities (they are refused), in bounded memory,
and what is wrong with it is an answer, not an exception of the XML library.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from pydantic import Field

from resolver.failure import Finding
from resolver.fingerprint import fingerprint
from resolver.log.context import LogContext
from resolver.log.paths import PathMap
from resolver.records import Record
from resolver.secrets import mask


@dataclass(frozen=True, slots=True)
class JUnitLimits:
    """How much of a report is kept."""

    findings: int = 500
    passed: int = 20_000
    flaky: int = 500
    name: int = 1_024
    text: int = 8_192
    depth: int = 64


class JUnitReport(Record):
    """
    What a report told. `findings`: failures and errors; `passed`: items that ran and passed; `flaky`: items that
    failed and passed in a rerun (surefire's `flakyFailure`); `seconds`: durations by item; `problem`: why the file
    could not be read to its end.
    """

    findings: tuple[Finding, ...] = ()
    passed: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    seconds: dict[str, float] = Field(default_factory=dict)
    capped: int = 0
    problem: str | None = None


class _RefusedError(Exception):
    """The file does what no report does."""


@dataclass(slots=True)
class _Case:
    attributes: dict[str, str]
    outcome: str = "passed"
    message: str = ""
    type: str = ""
    text: list[str] = field(default_factory=list)
    flaky: bool = False


class _Reader:
    def __init__(self, context: LogContext, limits: JUnitLimits) -> None:
        self.context, self.limits = context, limits
        self.paths = PathMap(context.repo_paths)
        self.findings: list[Finding] = []
        self.passed: list[str] = []
        self.flaky: list[str] = []
        self.seconds: dict[str, float] = {}
        self.capped = 0
        self._case: _Case | None = None
        self._inside = ""
        self._depth = 0
        self._size = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > self.limits.depth:
            raise _RefusedError("nested too deeply")
        case = self._case
        if name == "testcase":
            self._case = _Case(attributes)
        elif case is not None and name in ("failure", "error"):
            case.outcome, self._inside, self._size = "failed", name, 0
            case.message = case.message or attributes.get("message", "")[: self.limits.text]
            case.type = case.type or attributes.get("type", "")
        elif case is not None and name == "skipped":
            case.outcome = "skipped"
        elif case is not None and name in ("flakyFailure", "flakyError"):
            case.flaky = True

    def data(self, text: str) -> None:
        if self._inside and self._case is not None and self._size < self.limits.text:
            self._size += len(text)
            self._case.text.append(text)

    def end(self, name: str) -> None:
        self._depth -= 1
        if name == self._inside:
            self._inside = ""
        if name == "testcase" and self._case is not None:
            self._close(self._case)
            self._case = None

    def _close(self, case: _Case) -> None:
        item = mask(item_name(case.attributes, self.context.repo_paths)[: self.limits.name])
        self._time(item, case.attributes.get("time", ""))
        if case.flaky and case.outcome == "passed" and len(self.flaky) < self.limits.flaky:
            self.flaky.append(item)
        if case.outcome == "passed":
            if len(self.passed) < self.limits.passed:
                self.passed.append(item)
        elif case.outcome == "failed":
            if len(self.findings) < self.limits.findings:
                self.findings.append(self._finding(item, case))
            else:
                self.capped += 1

    def _time(self, item: str, text: str) -> None:
        if len(self.seconds) >= self.limits.passed + self.limits.findings:
            return
        try:
            self.seconds[item] = float(text.replace(",", ""))
        except ValueError:
            self.seconds.pop(item, None)

    def _finding(self, item: str, case: _Case) -> Finding:
        stack = mask("".join(case.text))[: self.limits.text]
        message = mask(case.message) or next((line.strip() for line in stack.splitlines() if line.strip()), "")
        line = case.attributes.get("line", "")
        path = case.attributes.get("file")
        number = int(line) if line.isascii() and line.isdigit() and len(line) < 10 else None
        place = self.paths.place(path, number, None, message)
        kind = case.type.rsplit(".", 1)[-1] or "test"
        return Finding(
            fail_class="gate-red-code",
            kind="test",
            check=self.context.check,
            item=item,
            message=message,
            stack=stack or None,
            places=(place,) if path else (),
            excerpt=stack,
            fingerprint=fingerprint(self.context.check, item, kind, message),
            source="junit",
            rule="junit",
        )


def read_junit(data: bytes, context: LogContext | None = None, limits: JUnitLimits | None = None) -> JUnitReport:
    """Read a report. One that is no XML or declares entities gives a `problem` and what came before it."""
    reader = _Reader(context or LogContext(), limits or JUnitLimits())
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.data
    parser.EntityDeclHandler = _refuse
    problem = None
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        problem = f"not well-formed: {error}"
    except _RefusedError as error:
        problem = f"refused: {error}"
    return JUnitReport(
        findings=tuple(reader.findings),
        passed=tuple(reader.passed),
        flaky=tuple(reader.flaky),
        seconds=reader.seconds,
        capped=reader.capped,
        problem=problem,
    )


def _refuse(*_: object) -> None:
    raise _RefusedError("it declares entities")


def item_name(attributes: dict[str, str], repo_paths: frozenset[str] | None) -> str:
    """
    The item as its runner's log names it, where that can be told: pytest's node id from a dotted class name and the
    repository's files. Otherwise class and name with a dot.
    """
    name, owner = attributes.get("name", ""), attributes.get("classname", "")
    parts = owner.split(".")
    for cut in range(len(parts), 0, -1):
        path = "/".join(parts[:cut]) + ".py"
        if repo_paths is not None and path in repo_paths:
            return "::".join([path, *parts[cut:], name])
    return f"{owner}.{name}" if owner and not name.startswith(owner) else name
