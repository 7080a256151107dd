"""How a rerun of failed jobs is started: the action, with the ledger's record of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from resolver.actions import AnyAction, RerunJobs
from resolver.attribution import Verdict, rerun_asked
from resolver.decide.cases import case_of
from resolver.executions import Check
from resolver.facts import Fact, JobFinished
from resolver.ids import Fingerprint
from resolver.ledger import RerunAsked
from resolver.ledger.events import ProbeStarted, RerunStarted
from resolver.state import Head, Pull, RepoState


@dataclass(frozen=True, slots=True)
class Met:
    """How a want is met: by actions with the facts that go with them, or by waiting."""

    actions: tuple[AnyAction, ...] = ()
    facts: tuple[Fact, ...] = ()
    again_at: float | None = None


def rerun_of(state: RepoState, pull: Pull, check: Check, job: JobFinished, asked: RerunAsked, *, now: float) -> Met:
    """Run the failed jobs of a job's run again, with the ledger's record of it. A run that waits for a person is let
    wait: the delivery of its end comes here again.
    """
    if waits_for_review(state.head(pull.seen.head_sha), job.run_id):
        return Met()
    action = rerun_action(state, pull, check, job)
    known = action.rerun_id in state.ledger.events
    return Met((action,), () if known else (asked.started(action.rerun_id, now),))


def waits_for_review(head: Head, run_id: int) -> bool:
    """True while a job of the run waits for its environment. GitHub runs no job again before the run has ended."""
    return any(each.run_id == run_id and each.status == "waiting" for each in head.progress.values())


def joined(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Give the facts with one record of each rerun, whatever it is wanted for: failed jobs run again together."""
    found: dict[str | int, Fact] = {}
    for place, fact in enumerate(facts):
        if isinstance(fact, RerunStarted):
            before = found.get(fact.id)
            found[fact.id] = before.joined(fact) if isinstance(before, RerunStarted) else fact
        else:
            found[place] = fact
    return tuple(found.values())


def without_starts(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Give the facts but for the ledger's records of what is started: for whoever does not start it now."""
    return tuple(fact for fact in facts if not isinstance(fact, RerunStarted | ProbeStarted))


def flake_asked(state: RepoState, pull: Pull, flake: Verdict, fingerprint: Fingerprint, now: float) -> RerunAsked:
    """Ask the ledger for the one rerun of a flake; where many jobs fail in different ways, it is none."""
    asked = rerun_asked(case_of(state, pull, now), flake.check)
    return asked.model_copy(update={"fingerprints": (fingerprint,), "purpose": "flake"})


def rerun_action(state: RepoState, pull: Pull, check: Check, job: JobFinished) -> RerunJobs:
    """Give the action alone, to see how far it has come."""
    head = state.head(pull.seen.head_sha)
    attempt = head.runs[job.run_id].attempt
    return RerunJobs(
        number=pull.seen.number,
        head_sha=pull.seen.head_sha,
        run_id=job.run_id,
        attempt=attempt,
        path=check.workflow,
        jobs=tuple(sorted({each.name for each in head.failed() if each.run_id == job.run_id})),
        rerun_id=f"rerun:{job.run_id}:{attempt}",
    )


def refused_for_good(state: RepoState, pull: Pull, check: Check, job: JobFinished) -> bool:
    """Say whether that very rerun was refused, by its workflow's file or by GitHub, and no time changes that."""
    action = rerun_action(state, pull, check, job)
    effect = pull.effects.get(action.target)
    if effect is None or effect.key != action.key or effect.status != "refused":
        return False
    return effect.retry_at is None and not effect.fail_class
