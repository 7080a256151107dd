"""From what another CI says of a failure to findings: its annotations, else the words of its output.

Nothing here excuses: words that speak only of surroundings (a network, a quota) are somebody else's Markdown, not a
log, so they are shown and never make a failure neither red nor green. Which tool wrote an annotation is not known, so
none is taken for deterministic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from resolver.casework import print_name
from resolver.executions import Check
from resolver.failure import Finding, Place
from resolver.fingerprint import fingerprint
from resolver.log.annotations import Annotation
from resolver.log.classify import LogContext, classify
from resolver.records import Record
from resolver.secrets import mask

ACCUSING = frozenset({"test", "build", "lint", "type"})
"""Kinds of failure that an output may name; of all others its own title is the message."""


class OutputLimits(Record):
    """How much is kept of what another CI says: characters of its output and of one message, findings of one check."""

    title: int = 256
    summary: int = 4_096
    text: int = 12_288
    message: int = 1_024
    findings: int = 30


OUTPUT_LIMITS = OutputLimits()


class Output(Record):
    """What a check run says of itself, or a status: its description is the title."""

    title: str = ""
    summary: str = ""
    text: str = ""

    def kept(self, limits: OutputLimits = OUTPUT_LIMITS) -> Output:
        """Give what is kept of it: masked, then capped."""
        return Output(
            title=mask(self.title)[: limits.title],
            summary=mask(self.summary)[: limits.summary],
            text=mask(self.text)[: limits.text],
        )


def read_output(
    check: Check, conclusion: str, output: Output, limits: OutputLimits = OUTPUT_LIMITS
) -> tuple[Finding, ...]:
    """Give the failures that an output names, else one at the level of the check with its title as the message."""
    for part in (output.text, output.summary):
        found = tuple(_named(check, part))[: limits.findings]
        if found:
            return found
    message = next((line for line in map(_first_line, (output.title, output.summary, output.text)) if line), conclusion)
    message = mask(message)[: limits.message]
    return (
        Finding(
            fail_class="unknown",
            kind="unknown",
            check=print_name(check),
            message=message,
            fingerprint=fingerprint(print_name(check), None, "unknown", message),
            job_level=True,
            source="api",
            rule="check-output",
        ),
    )


def _named(check: Check, part: str) -> Iterator[Finding]:
    if not part.strip():
        return
    for finding in classify(part.encode("utf-8", "replace"), LogContext(check=print_name(check))).findings:
        if finding.kind in ACCUSING and not finding.job_level:
            yield finding.model_copy(update={"source": "api", "excerpt": ""})


def _first_line(text: str) -> str:
    """Give the first line that says anything, without Markdown's heading and emphasis."""
    lines = (line.strip().strip("#*_> ").strip() for line in text.splitlines())
    return next((line for line in lines if line), "")


def read_annotations(
    check: Check, annotations: Iterable[Annotation], limits: OutputLimits = OUTPUT_LIMITS
) -> tuple[tuple[Finding, ...], int]:
    """Give the failures among annotations, or the warnings where no failure is among them, and how many are left out.

    The order is that of files and lines, whatever order they came in.
    """
    known = tuple(annotations)
    chosen = _of_level(known, "failure") or _of_level(known, "warning")
    chosen = sorted(chosen, key=lambda each: (each.path, each.line or 0, each.title, each.message))
    found: dict[str, Finding] = {}
    for each in chosen:
        finding = _finding(check, each, limits)
        found.setdefault(finding.fingerprint, finding)
    findings = tuple(found.values())
    return findings[: limits.findings], max(0, len(findings) - limits.findings)


def _of_level(annotations: Sequence[Annotation], level: str) -> list[Annotation]:
    return [each for each in annotations if each.level == level and each.message.strip()]


def _finding(check: Check, each: Annotation, limits: OutputLimits) -> Finding:
    title, message = mask(each.title.strip())[: limits.title], mask(each.message.strip())[: limits.message]
    return Finding(
        fail_class="gate-red-code",
        kind="unknown",
        check=print_name(check),
        item=title or None,
        message=_first_line(message) or message,
        # GitHub: an annotation's path is one of the repository, relative to its root.
        places=(Place(path=each.path, line=each.line, col=each.col, message=message, mapped=True),),
        fingerprint=fingerprint(print_name(check), f"{each.path} {title}".strip(), "unknown", message),
        source="annotations",
        rule="check-annotation",
    )
