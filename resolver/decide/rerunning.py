"""How a rerun of failed jobs is started: the action, with the ledger's record of it."""

from __future__ import annotations

from dataclasses import dataclass

from resolver.actions import AnyAction, RerunJobs
from resolver.attribution import Verdict
from resolver.casework import task_id
from resolver.executions import Check
from resolver.facts import Fact, JobFinished
from resolver.ids import Fingerprint
from resolver.ledger import RerunAsked
from resolver.state import Pull, RepoState


@dataclass(frozen=True, slots=True)
class Met:
    """How a want is met: by actions with the facts that go with them, or by waiting."""

    actions: tuple[AnyAction, ...] = ()
    facts: tuple[Fact, ...] = ()
    again_at: float | None = None


def rerun_of(state: RepoState, pull: Pull, check: Check, job: JobFinished, asked: RerunAsked, *, now: float) -> Met:
    """Run the failed jobs of a job's run again, with the ledger's record of it."""
    action = rerun_action(state, pull, check, job)
    known = action.rerun_id in state.ledger.events
    return Met((action,), () if known else (asked.started(action.rerun_id, now),))


def flake_asked(pull: Pull, flake: Verdict, fingerprint: Fingerprint) -> RerunAsked:
    """Ask the ledger for the one rerun of a flake."""
    return RerunAsked(
        task=task_id(pull.seen.number),
        head=pull.seen.head_sha,
        workflow=flake.check.workflow,
        check=flake.check.key,
        fingerprints=(fingerprint,),
        purpose="flake",
    )


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
