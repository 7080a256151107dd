"""What came of the resolver's decisions: recorded once, from what the next attempt of the run has shown."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.casework import check_of
from resolver.conclusions import Meaning, meaning
from resolver.facts.resolve import ResolveDecided, ResolveEnded
from resolver.policy import Action
from resolver.state import Pull, RepoState

RERUNS: tuple[Action, ...] = (
    "resume",
    "env-repair:provision-deps",
    "env-repair:gc-dry-then-tmp-clean",
    "park-retry",
)
"""The actions that are carried out by running the failed jobs again."""


def end(decided: ResolveDecided, *, success: bool, reason: str = "") -> ResolveEnded:
    """Give the record of how a decision ended."""
    return ResolveEnded(
        number=decided.number, ref_decision_seq=decided.seq, action=decided.action, success=success, reason=reason
    )


def ended(state: RepoState, pull: Pull) -> Iterator[ResolveEnded]:
    """Give the outcomes that the journal does not know yet: what the next attempt of the run has shown."""
    head = state.head(pull.seen.head_sha)
    for each in pull.resolutions.values():
        decided = each.decided
        if each.ended is not None or decided.head_sha != pull.seen.head_sha or decided.action not in RERUNS:
            continue
        run = head.runs.get(decided.run_id)
        if run is None or run.attempt <= decided.run_attempt or run.status != "completed":
            continue
        again = [
            job
            for job in head.jobs.values()
            if job.run_id == decided.run_id
            and job.attempt > decided.run_attempt
            and decided.check is not None
            and check_of(job, run).same_job(decided.check)
        ]
        if again:
            passed = any(meaning(job.conclusion) is Meaning.PASSED for job in again)
            reason = "" if passed else "it was run again and failed again"
            yield end(decided, success=passed, reason=reason)
