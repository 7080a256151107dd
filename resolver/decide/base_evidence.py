"""What a clean base says of a check, the cheapest way first: a result that is there already, else a probe.

Results and probes belong to the base, not to a task: what is started here is shared by all that wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resolver.actions import AnyAction, ReadLog, ReadRuns, StartProbe, probe_target
from resolver.attribution import Refusal, WantBase
from resolver.casework import check_of, print_name
from resolver.conclusions import Meaning, meaning
from resolver.config import RepoConfig
from resolver.decide.interrupted import interruption, waits
from resolver.decide.quarantine import held
from resolver.decide.rights import config_of, explained_only, held_by_mode, managed, mode_of
from resolver.decide.third_party import base_annotations, not_started
from resolver.facts import Fact, JobFinished, ProbeDispatched
from resolver.ids import RunId, Sha
from resolver.ledger import Allowed, Ledger
from resolver.ledger.events import ProbeStarted
from resolver.limits import Limits
from resolver.probed import speaks
from resolver.state import Effect, Head, Pull, RepoState

READ_AT_ONCE = 2
"""Of a base's results that nobody has read, the newest are read first."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Reads or a probe to start for the repository, and the facts that go with them, or when to look again. Nothing: it
    is under way.
    """

    actions: tuple[AnyAction, ...] = ()
    facts: tuple[Fact, ...] = ()
    again_at: float | None = None


def base_evidence(state: RepoState, pull: Pull, want: WantBase, now: float, limits: Limits) -> Evidence | Refusal:
    """Say how a wanted base result comes about, or why it can not."""
    head = state.head(want.commit)
    if head.listed_at is None or (want.check.third_party and not head.others_listed):
        return Evidence((ReadRuns(head_sha=want.commit, others=want.check.third_party),))
    if want.check.third_party:
        reads = base_annotations(head, want)
        return Evidence(reads) if reads else not_started(want)
    unread = [job for job in _same_job(head, want) if job.job_id not in head.triaged]
    for probe, there in _probed(state, want.commit):
        mine = (job for job in _telling(there) if job.name == want.check.job and speaks(probe, there, job))
        unread.extend(job for job in mine if job.job_id not in there.triaged)
    if unread:
        config = config_of(state, pull)
        return Evidence(tuple(_read(job, want, config) for job in unread[-READ_AT_ONCE:]))
    return _probe(state, pull, want, now, limits)


def lenient(state: RepoState) -> Ledger:
    """Give the ledger as attribution may see it: a probe whose result is on its way, or was not read, is not spent, so
    that the last one that is allowed is waited for and read as well.
    """
    ledger = state.ledger
    for probe_id in state.once(_on_their_way):
        ledger = ledger.spent(probe_id, happened=False)
    return ledger


def _untold(state: RepoState, want: WantBase) -> bool:
    asked = (state.ledger.events[each] for each in state.once(_on_their_way))
    return any(
        isinstance(each, ProbeStarted) and (each.check, each.commit) == (want.check.key, want.commit) for each in asked
    )


def _on_their_way(state: RepoState) -> tuple[str, ...]:
    """The probes that were ordered and not heard of, or have ended and were not read."""
    return tuple(
        each.id for each in state.ledger.events.values() if isinstance(each, ProbeStarted) and _open(state, each.id)
    )


def _open(state: RepoState, probe_id: str) -> bool:
    effect, probe = state.effects.get(probe_id), state.probes.get(probe_id)
    if probe is None:
        return effect is None or effect.status == "started"  # its order is recorded right after it
    there = state.head(probe.dispatched.commit)
    mine = (job for job in _telling(there) if speaks(probe.dispatched, there, job))
    return any(job.job_id not in there.triaged for job in mine)


def _probed(state: RepoState, commit: Sha) -> Iterator[tuple[ProbeDispatched, Head]]:
    """Our own probes of that base commit, and what they have shown."""
    for probe in state.probes.values():
        if probe.dispatched.base_sha == commit:
            yield probe.dispatched, state.head(probe.dispatched.commit)


def _same_job(head: Head, want: WantBase) -> list[JobFinished]:
    return [job for job in _telling(head) if check_of(job, head.runs.get(job.run_id)).same_job(want.check)]


def _telling(head: Head) -> list[JobFinished]:
    """The jobs that say something, oldest first."""
    jobs = [job for job in head.jobs.values() if meaning(job.conclusion) in (Meaning.PASSED, Meaning.FAILED)]
    return sorted(jobs, key=lambda job: (job.completed_at or 0.0, job.job_id))


def _read(job: JobFinished, want: WantBase, config: RepoConfig) -> ReadLog:
    failed = meaning(job.conclusion) is Meaning.FAILED
    return ReadLog(
        our_run=RunId("base"),
        job_id=job.job_id,
        run_id=job.run_id,
        attempt=job.attempt,
        head_sha=job.head_sha,
        check=print_name(want.check),
        workflow=want.check.workflow if failed else "",
        job=job.name if failed else "",
        failed_steps=tuple(step for step in job.steps if meaning(step.conclusion) is Meaning.FAILED),
        wanted=(want.item,) if want.item else (),
        junit=config.junit,
        matchers=config.problem_matchers,
        check_run_id=job.check_run_id if failed else None,
    )


def _probe(state: RepoState, pull: Pull, want: WantBase, now: float, limits: Limits) -> Evidence | Refusal:
    config = config_of(state, pull)
    mode = mode_of(config, "probe", limits)
    if mode != "act" or explained_only(state, pull):
        why = held_by_mode("probe", mode)
        if explained_only(state, pull):
            why = "forks and Dependabot start no probe"
        return Refusal(kind="base", reason=why, commit=want.commit, check=want.check)
    reason = held(state, pull)
    if reason is not None:
        return Refusal(kind="base", reason=reason, commit=want.commit, check=want.check)
    answer = state.ledger.probe(want.check.key, want.commit)
    if not isinstance(answer, Allowed) and _untold(state, want):
        return Evidence()
    if not isinstance(answer, Allowed):
        return Refusal(kind="base", reason=answer.reason, commit=want.commit, check=want.check, until=answer.until)
    attempt = answer.attempt
    tried = (state.effects.get(probe_target(want.check, want.commit, n)) for n in (attempt, attempt - 1))
    under_way = next((effect for effect in tried if effect is not None), None)
    if under_way is not None and under_way.status == "started":
        return Evidence()
    again = under_way is not None and under_way.retry_at is not None and under_way.retry_at <= now
    if under_way is not None and under_way.fail_class and under_way.status == "refused":
        lost = _unknown(state, pull, want, under_way, now)
        if lost is not None:
            return lost
        again = True
    if under_way is not None and under_way.status == "refused" and not again:
        reason = under_way.reason or "no probe is possible"
        return Refusal(kind="base", reason=reason, commit=want.commit, check=want.check, until=under_way.retry_at)
    action = StartProbe(
        check=want.check,
        base_ref=pull.seen.base_ref,
        base_sha=want.commit,
        attempt=attempt,
        probe_id=probe_target(want.check, want.commit, attempt),
        item=want.item or "",
    )
    started = ProbeStarted(id=action.probe_id, at=now, check=want.check.key, commit=want.commit)
    return Evidence((action,), () if action.probe_id in state.ledger.events else (started,))


def _unknown(state: RepoState, pull: Pull, want: WantBase, effect: Effect, now: float) -> Evidence | Refusal | None:
    """What the table makes of a probe of which nobody knows whether it was started; None where a new one may begin."""
    if not managed(state, pull, config_of(state, pull)):
        return Refusal(kind="base", reason=effect.reason or "refused", commit=want.commit, check=want.check)
    decided = interruption(state, pull, effect, now)
    if decided:
        return Evidence(facts=decided)
    kept = waits(pull, effect, now)
    if isinstance(kept, str):
        return Refusal(kind="base", reason=kept, commit=want.commit, check=want.check)
    return Evidence(again_at=kept.again_at) if kept is not None else None
