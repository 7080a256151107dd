"""
Join what a step said itself, in its last line, with what the rules found in its log (specification, section 3).

The line leads. What the rules found of the same item completes it, since a log shows places and words that one line
has no room for; the other failing items follow.
"""

from __future__ import annotations

from resolver.executions import FailedItem
from resolver.failure import Finding
from resolver.fingerprint import fingerprint, set_fingerprint
from resolver.log.context import LogContext
from resolver.log.structured import StructuredLine
from resolver.log.triage import Triage
from resolver.secrets import mask
from resolver.taxonomy import TAXONOMY

_CODE = "gate-red-code"
_STALLED = "task-stalled"
_RULE = "structured-line"


def join_told(told: StructuredLine, found: Triage, context: LogContext) -> Triage:
    """
    The line first, completed; then what else failed.

    A line that only says that the code is red, or that an item failed which the log calls by a fuller name, knows less
    than rules that found a cause: those decide then, and keep the line's exit status and output path. A stalled step
    was ended: what failed besides is no result of it.
    """
    status = found.exit_status if told.exit_status is None else told.exit_status
    if told.fail_class == _CODE and found.findings and found.kind != "unknown" and _says_no_more(told, found):
        first, *rest = found.findings
        first = first.model_copy(update={"exit_status": told.exit_status, "output_path": told.output_path})
        return found.model_copy(update={"findings": (first, *rest), "exit_status": status})
    item = told.item and mask(told.item)
    same = next((f for f in found.findings if item and f.item == item), None)
    lead = _lead(told, item, same, context)
    others = () if _alone(told) else tuple(f for f in found.findings if f.item and f.item != item)
    findings = (lead, *others)
    kept = same is not None or bool(others)
    return found.model_copy(
        update={
            "fail_class": lead.fail_class,
            "kind": lead.kind,
            "findings": findings,
            "items": tuple(dict.fromkeys(f.item for f in findings if f.item)),
            "errors": found.errors if kept else (),
            "key_lines": found.key_lines if kept else (),
            "fingerprint": set_fingerprint(f.fingerprint for f in findings),
            "capped": 0 if _alone(told) else found.capped,
            "exit_status": status,
            "why": _RULE,
        }
    )


def _says_no_more(told: StructuredLine, found: Triage) -> bool:
    """Whether the line has nothing that the log does not: no item, or one that is a part of the log's own names.

    The wrapper reads one line at a time, so that of jest it knows a test without its suites, or a file alone.
    """
    if told.item is None:
        return True
    if told.message != f"{told.item} failed" or any(each.item == told.item for each in found.findings):
        return False
    named = [FailedItem.of(each) for each in found.findings if each.item]
    return any(_ends_with(each.item or "", told.item) or told.item in each.holders for each in named)


def _ends_with(name: str, part: str) -> bool:
    return name.endswith(part) and not name[: -len(part)][-1:].isalnum()


def _alone(told: StructuredLine) -> bool:
    """Whether other failures of the log are no part of what the line tells: a stall, or a class of failres's own."""
    return told.fail_class == _STALLED or not TAXONOMY[told.fail_class].claimable


def _lead(told: StructuredLine, item: str | None, same: Finding | None, context: LogContext) -> Finding:
    """
    The line as a finding. The rules' words and fingerprint hold where they speak of the same class of failure; of
    another one (the place where a test hung) only places and lines are taken.
    """
    message = mask(told.message)
    row = TAXONOMY[told.fail_class]
    finding = Finding(
        fail_class=told.fail_class,
        kind=row.kinds[0] if row.kinds else "unknown",
        scope=told.scope,
        check=context.check,
        item=item,
        message=message,
        stack=told.stack and mask(told.stack),
        exit_status=told.exit_status,
        output_path=told.output_path,
        fingerprint=fingerprint(context.check, told.item, told.fail_class, message),
        job_level=told.item is None,
        source="structured",
        rule=_RULE,
        attribution=told.attribution,
    )
    if same is None:
        return finding.model_copy(update={"excerpt": (finding.stack or "")[:16_384]})
    taken: dict[str, object] = {"places": same.places, "excerpt": same.excerpt}
    if same.fail_class == told.fail_class:
        taken |= {"kind": same.kind, "message": same.message, "fingerprint": same.fingerprint}
        taken["stack"] = finding.stack or same.stack
    return finding.model_copy(update=taken)
