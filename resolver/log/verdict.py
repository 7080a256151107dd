"""Weigh what was collected: did anything fail, of what kind, which failures, and which lines does a person need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from resolver.failure import Finding, Place
from resolver.fingerprint import fingerprint, normalise_space, set_fingerprint
from resolver.log.collect import Collector
from resolver.log.context import LogContext
from resolver.log.drafts import Draft, Spot, Statement
from resolver.log.keylines import choose_lines
from resolver.log.merge import merge_items
from resolver.log.paths import PathMap
from resolver.log.rulebook import Rule
from resolver.log.structured import parse_last_line
from resolver.log.told import join_told
from resolver.log.triage import Considered, Triage
from resolver.secrets import mask
from resolver.taxonomy import CLASS_OF_KIND, class_in_own_workflow

SOLID = 60
"""From this weight on a finding stands for itself; lighter ones are told only where nothing solid was found."""

MILD = 40
"""From this weight on something lighter than the findings is told among the errors."""

KIND_OF_STATUS = {124: "stall", 137: "oom", 143: "runner-lost"}
"""What an exit status says where nothing else is told: `timeout`'s own, SIGKILL (memory, as a rule), SIGTERM."""

_RUNNER_EXIT = "actions-exit"

_KINDS = (
    "runner-lost",
    "quota",
    "disk",
    "oom",
    "cancelled",
    "stall",
    "test",
    "rate-limit",
    "lockfile",
    "auth",
    "conflict",
    "network",
    "hook",
    "config",
    "build",
    "type",
    "lint",
    "artifacts",
    "dependency",
    "unknown",
)
_KIND_ORDER = {kind: number for number, kind in enumerate(_KINDS)}


@dataclass(slots=True)
class Case:
    """What speaks of failure, after what was retried, cancelled by a pass, or of another step is set aside."""

    drafts: list[Draft]
    summaries: list[Statement]
    exits: list[Statement]


@dataclass(frozen=True, slots=True)
class Scanned:
    """A log that has been read to its end: what was collected, what rules matched (line, rule, text), and its size."""

    context: LogContext
    collector: Collector
    considered: Sequence[tuple[int, Rule, str]]
    lines: int
    bytes: int


def conclude(scan: Scanned) -> Triage:
    """The triage of a scan whose log has ended."""
    collector, context = scan.collector, scan.context
    case = _case(collector)
    considered = tuple(
        Considered(line=n, rule=r.id, text=mask(text), kind=r.kind, weight=r.weight) for n, r, text in scan.considered
    )
    status = next((s.status for s in reversed(case.exits) if s.status), None)
    facts = {
        "lines": scan.lines,
        "bytes": scan.bytes,
        "considered": considered,
        "exit_status": status,
        "flaky": _flaky(collector, case),
    }
    told = parse_last_line(collector.structured, own_workflow=context.own_workflow) if collector.structured else None
    silent = not (case.drafts or case.summaries or case.exits)
    found = Triage(fail_class=None, kind="none", **facts) if silent else _weigh(scan, case, facts)
    return _with_end(found if told is None else join_told(told, found, context), case)


def _with_end(triage: Triage, case: Case) -> Triage:
    """A failure of which no line says more than that it failed is shown with how its step ended."""
    end = next((s.excerpt for s in (*reversed(case.exits), *reversed(case.summaries)) if s.excerpt), "")
    if not end or not triage.findings or triage.findings[0].excerpt:
        return triage
    first = triage.findings[0].model_copy(update={"excerpt": mask(end)[:16_384]})
    return triage.model_copy(update={"findings": (first, *triage.findings[1:])})


def _case(collector: Collector) -> Case:
    drafts = [d for d in collector.drafts.values() if d.failed]
    exits = [s for s in collector.statements if s.rule.role == "exit" and s.status != 0]
    passes = [s for s in collector.statements if s.rule.role == "pass" or (s.rule.role == "exit" and s.status == 0)]
    summaries = [s for s in collector.statements if s.rule.role == "summary"]
    if any(s.rule.id == _RUNNER_EXIT for s in exits):
        passes = [s for s in passes if s.rule.weight < SOLID]  # a red step: what it printed of success excuses little
    if _all_well(collector, passes, exits):
        return Case([], [], [])
    segments = collector.failing
    inside = [d for d in drafts if d.segment in segments]
    if segments and (inside or any(s.segment in segments for s in summaries)):
        drafts, summaries = inside, [s for s in summaries if s.segment in segments]
    drafts = [d for d in drafts if not _cancelled(d.at, d.weight, d.segment, passes)]
    summaries = [s for s in summaries if not _cancelled(s.at, s.rule.weight, s.segment, passes)]
    return Case(drafts, summaries, exits)


def _all_well(collector: Collector, passes: Sequence[Statement], exits: Sequence[Statement]) -> bool:
    """Whether the job itself says that it succeeded."""
    last_exit = max((s.at for s in exits), default=0)
    if any(s.rule.kind == "job" and s.at > last_exit for s in passes):
        return True
    return collector.job_ended and not collector.errors_marked and not exits


def _cancelled(at: int, weight: int, segment: int, passes: Sequence[Statement]) -> bool:
    return any(p.at > at and p.rule.weight >= weight and p.segment == segment for p in passes if p.rule.role == "pass")


def _flaky(collector: Collector, case: Case) -> tuple[str, ...]:
    failing = {d.item for d in case.drafts} | {d.key for d in case.drafts}
    return tuple(mask(item) for item in collector.flaky if item not in failing)


def _weigh(scan: Scanned, case: Case, facts: dict[str, object]) -> Triage:
    context, collector = scan.context, scan.collector
    drafts = merge_items(case.drafts)
    top = max((d.weight for d in drafts), default=0)
    drafts = _without_wrappers(drafts)
    lighter = [d for d in drafts if MILD <= d.weight < min(SOLID, top)]
    drafts = [d for d in drafts if d.weight >= min(SOLID, top)]
    best_summary = max(case.summaries, key=lambda s: (s.rule.weight, s.at), default=None)
    if best_summary is not None and best_summary.rule.weight > top:
        drafts = _of_summary(drafts, best_summary)
    lead = _lead(drafts)
    maps = PathMap(context.repo_paths)
    if lead is None:
        return _from_statements(scan, case, best_summary, facts)
    drafts.sort(key=lambda d: _rank(d, lead))
    findings = tuple(_finding(d, context, maps) for d in drafts)
    whole = set_fingerprint(f.fingerprint for f in findings)
    return Triage(
        fail_class=findings[0].fail_class,
        kind=findings[0].kind,
        findings=findings,
        items=_items(drafts, lighter, lead),
        errors=_errors(collector, drafts, lighter, maps),
        key_lines=choose_lines(drafts, case.summaries, case.exits),
        fingerprint=whole,
        capped=collector.capped,
        why=drafts[0].rule.id,
        **facts,
    )


def _without_wrappers(drafts: list[Draft]) -> list[Draft]:
    """A script that runs a test runner names its parts; where the runner named the tests, those say it better."""
    runner = any(d.item and d.rule.kind == "test" and d.rule.tool != "script" for d in drafts)
    return [d for d in drafts if d.rule.tool != "script"] if runner else drafts


def _kind(draft: Draft) -> str:
    return draft.kind or draft.rule.kind


def _of_summary(drafts: Sequence[Draft], summary: Statement) -> list[Draft]:
    """A summary that outweighs its tool's errors says of what kind they are."""
    for draft in drafts:
        if draft.rule.tool == summary.rule.tool:
            draft.kind = summary.rule.kind
    return [d for d in drafts if _kind(d) == summary.rule.kind]


def _lead(drafts: Iterable[Draft]) -> Draft | None:
    """
    The draft whose kind is the log's: the heaviest, between equals by the order of kinds, never by the order of
    lines.
    """
    return min(drafts, key=lambda d: (-d.weight, _KIND_ORDER.get(_kind(d), 99)), default=None)


def _rank(draft: Draft, lead: Draft) -> tuple[object, ...]:
    """
    Primary first. Between items by name; between errors by file, then as the log has them, since a file's own order
    is fixed.
    """
    name = draft.item or normalise_space(draft.path or "")
    return (_kind(draft) != _kind(lead), -draft.weight, name, draft.at if not draft.item else 0, draft.key)


def _finding(draft: Draft, context: LogContext, maps: PathMap) -> Finding:
    rule, kind = draft.rule, _kind(draft)
    message = draft.full_message() or draft.item or draft.key
    item = draft.key if draft.item and draft.rule.role != "error" else draft.item
    name = item or (normalise_space(draft.path) if draft.path and rule.tool != "asan" else None)
    fail_class = rule.fail_class or CLASS_OF_KIND.get(kind, "unknown")
    if context.own_workflow:
        fail_class = class_in_own_workflow(kind, fail_class)
    masked = mask(message)
    places = (_place(spot, draft.message, maps) for spot in draft.spots)
    return Finding(
        fail_class=fail_class,
        kind=kind,
        check=context.check,
        item=mask(draft.item) if draft.item else None,
        container=mask(draft.container),
        message=masked[:4_096],
        places=tuple({(p.path, p.line): p for p in places}.values()),
        excerpt=mask(draft.excerpt)[:16_384],
        fingerprint=fingerprint(context.check, _within(draft.container, name), draft.type or kind, masked),
        job_level=name is None,
        rule=rule.id,
    )


def _within(container: str, name: str | None) -> str | None:
    """Name an item for its fingerprint: Go's packages have tests of one name, and one's failure excuses no other's."""
    return mask(f"{container} > {name}" if container else name) if name else None


def _items(drafts: Sequence[Draft], lighter: Sequence[Draft], lead: Draft) -> tuple[str, ...]:
    """Names of what failed; where that is no test, of the tasks and targets that failed with it."""
    named = [*drafts, *(() if _kind(lead) == "test" else lighter)]
    return tuple(dict.fromkeys(mask(d.item) for d in named if d.item))


def _errors(
    collector: Collector, drafts: Sequence[Draft], lighter: Sequence[Draft], maps: PathMap
) -> tuple[Place, ...]:
    """Places of the failures, then failures without a place, then what else named a place."""
    found: dict[tuple[object, ...], Place] = {}
    segments = {d.segment for d in drafts}
    for draft in drafts:
        for spot in draft.spots:
            place = _place(spot, draft.message, maps)
            found.setdefault((place.path, place.line, place.message), place)
    for draft in (*drafts, *lighter[:20]):
        message = mask(draft.full_message() or draft.item or "")
        if message:
            place = maps.place(draft.path, draft.line, draft.col, message)
            found.setdefault((place.path, place.line, place.message), place)
    for spot in collector.spots:
        if spot.segment in segments and spot.path:
            place = _place(spot, "", maps)
            found.setdefault((place.path, place.line, place.message), place)
    return tuple(found.values())[: collector.limits.places]


def _place(spot: Spot, message: str, maps: PathMap) -> Place:
    return maps.place(spot.path, spot.line, spot.col, mask(spot.message or message))


def _from_statements(scan: Scanned, case: Case, summary: Statement | None, facts: dict[str, object]) -> Triage:
    """Nothing but a summary, or an exit status: a job-level failure."""
    told = summary or (case.exits[-1] if case.exits else None)
    if told is None:
        return Triage(fail_class=None, kind="none", **facts)
    spoken = summary is not None and told.rule.kind in CLASS_OF_KIND
    kind = told.rule.kind if spoken else KIND_OF_STATUS.get(told.status or 0, "unknown")
    fail_class = told.rule.fail_class if summary is not None and told.rule.fail_class else CLASS_OF_KIND[kind]
    text = mask(told.text)
    finding = Finding(
        fail_class=fail_class,
        kind=kind,
        check=scan.context.check,
        message=text,
        rule=told.rule.id,
        job_level=True,
        exit_status=told.status,
        fingerprint=fingerprint(scan.context.check, None, kind, text),
    )
    return Triage(
        fail_class=fail_class,
        kind=kind,
        findings=(finding,),
        errors=(Place(message=text),),
        fingerprint=finding.fingerprint,
        key_lines=choose_lines([], case.summaries, case.exits),
        why=told.rule.id,
        **facts,
    )
