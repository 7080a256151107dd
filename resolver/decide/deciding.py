"""The record of what the resolver decides, with the wait before what is executed."""

from __future__ import annotations

from resolver.backoff import LimitSigns, backoff, retry_at
from resolver.decide.matter import Matter
from resolver.decide.resolve_outcomes import RERUNS
from resolver.digest import digest
from resolver.facts import JobFinished
from resolver.facts.resolve import ResolveDecided, decision_seq
from resolver.policy import NEEDS, Take
from resolver.runs import task_id

LIMITED = ("rate-limit", "quota")
"""Kinds of failure whose words may say when it is of use to try again."""

_DRAW = 1 << 32


def resolution(matter: Matter, take: Take, attempt: int) -> ResolveDecided:
    """Give the record of an action; what is executed gets the time at which it begins."""
    pull, job, now = matter.pull, matter.job, matter.now
    due_at: float | None = None
    waits = False
    why = NEEDS[take.missing] if take.missing is not None else take.rationale
    if take.action in RERUNS and job is not None:
        drawn = int(digest([pull.seen.number, pull.seen.head_sha, matter.fail_class, attempt], 8), 16) / _DRAW
        due_at = now + backoff(attempt, drawn, matter.config.budget)
        parked = _parked(matter, job, always=take.action == "park-retry")
        if parked is not None and parked > due_at:
            due_at, why, waits = parked, "the limit that was met says when to try again", True
    return ResolveDecided(
        number=pull.seen.number,
        seq=decision_seq(task_id(pull.seen.number), matter.fail_class, attempt),
        head_sha=pull.seen.head_sha,
        task_id=task_id(pull.seen.number),
        check=matter.check,
        fail_class=matter.fail_class,
        attempt=attempt,
        action=take.action,
        source=take.source,
        at=now,
        due_at=due_at,
        run_id=job.run_id if job is not None else 0,
        run_attempt=job.attempt if job is not None else 0,
        rationale=why,
        unreachable=take.unreachable,
        parked=waits,
    )


def _parked(matter: Matter, job: JobFinished, *, always: bool) -> float | None:
    """When a limit allows the next try: by its headers, else by its words, else by the configuration."""
    told = matter.head.triaged.get(job.job_id)
    limited = [each for each in (told.failures if told else ()) if each.kind in LIMITED]
    if not limited and not always:
        return None
    text = "\n".join(each.message for each in limited)
    signs = told.limit if told is not None else LimitSigns()
    return retry_at(matter.now, signs.model_copy(update={"text": text}), matter.config.budget)
