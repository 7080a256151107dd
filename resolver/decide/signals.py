"""Failure classes that no check's log shows: GitHub or the ledger shows them, and the table says what follows.

Each goes to people. Where nothing may be said (a configuration that cannot be read, a repository out of reach) the
record, and the check run where there is one, are all that follows.
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver.decide.rights import Silence, explained_only, silence
from resolver.facts.resolve import ResolveDecided, decision_seq
from resolver.policy import Take, rule
from resolver.runs import task_id
from resolver.state import Base, Pull, RepoState

CONFIG = "runconfig-read-failed"


def unreadable_config(state: RepoState, pull: Pull, now: float) -> Iterator[ResolveDecided]:
    """A red task whose base's configuration cannot be read: recorded once, and told by the check run alone."""
    if silence(state, pull) is not Silence.CONFIG_BROKEN or explained_only(state, pull):
        return
    if not state.head(pull.seen.head_sha).ever_failed() or _decided(pull, CONFIG):
        return
    config = state.bases.get(pull.seen.base_ref, Base()).config
    problems = config.problems if config is not None else ()
    why = "; ".join(f"line {each.line}: {each.message}" for each in problems[:3])
    yield escalated(pull, CONFIG, f"the configuration on {pull.seen.base_ref} cannot be used: {why}", now)


def escalated(pull: Pull, fail_class: str, reason: str, now: float) -> ResolveDecided:
    """Give the record of a class whose row hands it to people at once."""
    ruling = rule(fail_class, "task", 1, llm=False)
    task = task_id(pull.seen.number)
    return ResolveDecided(
        number=pull.seen.number,
        seq=decision_seq(task, fail_class, 1),
        head_sha=pull.seen.head_sha,
        task_id=task,
        fail_class=fail_class,
        attempt=1,
        action=ruling.action if isinstance(ruling, Take) else "escalate",
        source="table",
        at=now,
        rationale=reason,
    )


def _decided(pull: Pull, fail_class: str) -> bool:
    return any(each.decided.fail_class == fail_class for each in pull.resolutions.values())
