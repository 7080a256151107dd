"""
Join a log's failures with those of the job's JUnit reports.

Where both name an item, each completes the other. Where the log only says that something failed, the report says
what. Where the log tells a cause that is no code's (the disk, the network), it stays first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from resolver.failure import Finding
from resolver.fingerprint import set_fingerprint
from resolver.log.junit import JUnitLimits, JUnitReport
from resolver.log.passed import KEPT_NAMES, Passed
from resolver.log.triage import Triage

_VAGUE = ("gate-red-code", "unknown")
"""Classes that a failure without an item has where nothing but the failing itself was told."""

_BETWEEN = re.compile(r"[^\w\[\]-]+")
_ENDINGS = frozenset({"py", "js", "jsx", "ts", "tsx", "rb", "php"})


def join_failures(triage: Triage, reports: Sequence[JUnitReport]) -> Triage:
    """The triage of a failed job, with what its reports tell: failing items, and those that passed in a rerun."""
    told: dict[str, Finding] = {}
    for finding in (each for report in reports for each in report.findings):
        told.setdefault(finding.item or "", finding)
    flaky = dict.fromkeys([*triage.flaky, *(name for report in reports for name in report.flaky)])
    if not told:
        return triage.model_copy(update={"flaky": tuple(flaky)})
    findings = _joined(triage.findings, told)
    return triage.model_copy(
        update={
            "fail_class": findings[0].fail_class,
            "kind": findings[0].kind,
            "findings": findings,
            "items": tuple(dict.fromkeys(f.item for f in findings if f.item)),
            "fingerprint": set_fingerprint(f.fingerprint for f in findings),
            "flaky": tuple(name for name in flaky if name not in told),
            "capped": max(triage.capped, sum(report.capped for report in reports)),
            "why": findings[0].rule,
        }
    )


def join_passed(seen: Passed, reports: Sequence[JUnitReport], wanted: Iterable[str]) -> Passed:
    """
    What ran and passed by log and reports, wanted items first; the runner's count from the reports where the log has
    none.
    """
    failed = {finding.item for report in reports for finding in report.findings}
    names = dict.fromkeys([*seen.names, *(n for report in reports for n in report.passed if n not in failed)])
    first = [name for name in wanted if name in names]
    kept = tuple(dict.fromkeys([*first, *names]))[:KEPT_NAMES]
    return Passed(names=kept, tests=_count(reports) if seen.tests is None else seen.tests)


def _count(reports: Sequence[JUnitReport]) -> int | None:
    """How many tests ran; None where no report tells it whole."""
    if not reports or any(len(report.passed) >= JUnitLimits().passed for report in reports):
        return None
    return sum(len(report.passed) + len(report.findings) + report.capped for report in reports)


def _joined(logged: Sequence[Finding], told: dict[str, Finding]) -> tuple[Finding, ...]:
    left = dict(told)
    ends = _by_last_part(told.values())
    result: list[Finding] = []
    vague: list[Finding] = []
    for finding in logged:
        same = _same(finding, told, ends)
        if same is not None and same.item in left:
            del left[same.item]
            result.append(_completed(finding, same))
        elif finding.job_level and finding.fail_class in _VAGUE:
            vague.append(finding)
        elif same is None:
            result.append(finding)
    more = [left[item] for item in sorted(left)]
    if more and not result and vague:
        known = {"exit_status": vague[0].exit_status, "output_path": vague[0].output_path}
        more[0] = more[0].model_copy(update=known)
    return (*result, *more)


def _parts(item: str) -> tuple[str, ...]:
    return tuple(part for part in _BETWEEN.split(item) if part and part not in _ENDINGS)


def _by_last_part(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    ends: dict[str, list[Finding]] = {}
    for finding in findings:
        parts = _parts(finding.item or "")
        ends.setdefault(parts[-1] if parts else "", []).append(finding)
    return ends


def _same(finding: Finding, told: dict[str, Finding], ends: dict[str, list[Finding]]) -> Finding | None:
    """The report's failure of the same item: by its name, else the only one of which one name ends like the other."""
    if finding.item is None:
        return None
    if finding.item in told:
        return told[finding.item]
    parts = _parts(finding.item)
    fits = [other for other in ends.get(parts[-1] if parts else "", ()) if _ends_alike(parts, _parts(other.item or ""))]
    return fits[0] if len(fits) == 1 else None


def _ends_alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    size = min(len(one), len(other))
    return one[-size:] == other[-size:]


def _completed(logged: Finding, told: Finding) -> Finding:
    """
    One failure of two sources. Under the same name it is the log's, and the report fills what that does not say;
    under another it is the report's, whose names are those that its green runs will show.
    """
    first, second = (logged, told) if logged.item == told.item else (told, logged)
    missing = {
        name: getattr(second, name)
        for name in ("stack", "places", "excerpt", "exit_status", "output_path", "attribution")
        if not getattr(first, name)
    }
    if first.message in ("", first.item) and second.message not in ("", second.item):
        missing |= {"message": second.message, "fingerprint": second.fingerprint}
    return first.model_copy(update=missing)
