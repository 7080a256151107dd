"""What a job's log and GitHub's annotations of the job tell together.

The runner takes the file and the line out of `::error file=…::` before it prints the message, and a job whose runner
was lost has no log at all; its annotations hold both. They are asked for only where the log leaves something open, and
never replace a cause that it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from resolver.failure import Finding, Place
from resolver.log.annotations import Annotation, read_annotations
from resolver.log.context import LogContext
from resolver.log.triage import Triage
from resolver.secrets import mask

_SHORTEST = 8
"""Characters of a message that are enough to know it again inside a longer one."""

_MOST_PLACES = 20


def wants_annotations(triage: Triage) -> bool:
    """Say whether annotations of a failed job can add to its log: no cause was found, or code failed and no place is
    known.
    """
    if _vague(triage):
        return True
    ours = [finding for finding in triage.findings if finding.fail_class == "gate-red-code"]
    return bool(ours) and not any(at.path for finding in ours for at in finding.places)


def join_annotations(triage: Triage, annotations: Sequence[Annotation], context: LogContext | None = None) -> Triage:
    """The triage of a failed job with what its annotations tell: the cause where the log has none, else places."""
    told = read_annotations(annotations, context)
    places = [each for each in told.errors if each.mapped]
    if _vague(triage) and told.findings and not _vague(told):
        return _instead(triage, told, places)
    if not places or any(at.path for finding in triage.findings for at in finding.places):
        return triage
    placed = [_placed(finding, _of(finding, places)) for finding in triage.findings]
    if len(placed) == 1 and not placed[0].places:
        placed = [_placed(placed[0], places)]
    return triage.model_copy(update={"findings": tuple(placed), "errors": (*places, *triage.errors)})


def _vague(triage: Triage) -> bool:
    return all(finding.fail_class == "unknown" for finding in triage.findings)


def _instead(triage: Triage, told: Triage, places: Sequence[Place]) -> Triage:
    """What the annotations tell stands for the log's bare failing, of which the exit status is kept."""
    findings = [_placed(finding, _of(finding, places)) for finding in told.findings]
    known = triage.findings[0] if triage.findings else None
    if known is not None:
        kept = {"exit_status": known.exit_status, "output_path": known.output_path, "excerpt": known.excerpt}
        findings[0] = findings[0].model_copy(update={name: value for name, value in kept.items() if value})
    return triage.model_copy(
        update={
            "fail_class": told.fail_class,
            "kind": told.kind,
            "findings": tuple(findings),
            "items": told.items,
            "errors": (*told.errors, *triage.errors),
            "fingerprint": told.fingerprint,
            "capped": max(triage.capped, told.capped),
            "why": told.why,
        }
    )


def _of(finding: Finding, places: Iterable[Place]) -> list[Place]:
    return [each for each in places if _same_words(finding.message, mask(each.message))]


def _same_words(one: str, other: str) -> bool:
    short, long = sorted((one.strip(), other.strip()), key=len)
    return short == long or (len(short) >= _SHORTEST and short in long)


def _placed(finding: Finding, places: Sequence[Place]) -> Finding:
    if finding.places or not places:
        return finding
    return finding.model_copy(update={"places": tuple(dict.fromkeys(places))[:_MOST_PLACES]})
