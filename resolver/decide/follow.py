"""What follows from the leading verdict, where mode, rights and ledger allow it (specification, section 6)."""

from __future__ import annotations

from resolver.attribution import Refusal, Verdict
from resolver.casework import check_of
from resolver.decide.flaky import flaky_decision
from resolver.decide.interrupted import waits
from resolver.decide.matter import Matter
from resolver.decide.quarantine import held
from resolver.decide.queue_wants import again_in_queue
from resolver.decide.rerunning import Met, flake_asked, rerun_of
from resolver.decide.resolve import resolve
from resolver.decide.rights import config_of, managed, mode_of
from resolver.decide.syncing import sync_of
from resolver.decide.unanswered import unanswered
from resolver.executions import MERGE_GROUP
from resolver.ledger import Allowed
from resolver.limits import Limits
from resolver.runs import task_id
from resolver.state import Base, Pull, RepoState


def follow(state: RepoState, pull: Pull, lead: Verdict | None, now: float, limits: Limits) -> Met:
    """Give the action that the leading verdict asks for: the synchronisation, or the flake's one rerun."""
    config = config_of(state, pull)
    if lead is None or not managed(state, pull, config) or held(state, pull) or unanswered(state, pull):
        return Met()
    if lead.check.event == MERGE_GROUP and lead.next_action in ("synchronise", "rerun"):
        return again_in_queue(state, pull, lead, now, limits)
    if lead.next_action == "synchronise" and mode_of(config, "sync", limits) == "act":
        return _synchronise(state, pull, now)
    if lead.next_action == "rerun" and mode_of(config, "rerun", limits) == "act":
        return _rerun(state, pull, lead, now)
    if lead.next_action == "resolve":
        met = resolve(Matter(state, pull, lead.check, STALLED, now), limits)
        return Met() if isinstance(met, Refusal) else met
    return Met()


STALLED = "task-stalled"
"""The failure class whose row a stall that was run again in vain follows."""


def hindrance(state: RepoState, pull: Pull, lead: Verdict | None, now: float | None) -> str | None:
    """Say why what follows from the leading verdict is not done: GitHub or the last look refused it, which says what a
    person has to do, or people were asked.
    """
    if lead is None or lead.next_action not in ("synchronise", "rerun"):
        return None
    effect = pull.effects.get(f"sync:{pull.seen.number}")
    if lead.next_action == "synchronise" and effect is not None and effect.status == "refused":
        return effect.reason
    under_way = any(key.startswith("rerun:") and each.status == "started" for key, each in pull.effects.items())
    return unanswered(state, pull) if now is not None and not under_way else None


def _synchronise(state: RepoState, pull: Pull, now: float) -> Met:
    base, target = state.bases.get(pull.seen.base_ref, Base()), f"sync:{pull.seen.number}"
    task = task_id(pull.seen.number)
    kept = waits(pull, pull.effects.get(target), now)
    if base.sha is None or kept is not None:
        return kept if isinstance(kept, Met) else Met()
    answer = state.ledger.sync(task, base.sha, pull.seen.head_sha, drift=True, now=now)
    if not isinstance(answer, Allowed):
        return Met(again_at=answer.until)
    return Met((sync_of(pull, base.sha, drift=True),))


def _rerun(state: RepoState, pull: Pull, lead: Verdict, now: float) -> Met:
    """One rerun of a flake that is still red: what its pass would prove is known already, it only makes it green."""
    head = state.head(pull.seen.head_sha)
    mine = [job for job in head.failed() if check_of(job, head.runs.get(job.run_id)).same_job(lead.check)]
    if not mine or lead.fingerprint is None:
        return Met()
    asked = flake_asked(state, pull, lead, lead.fingerprint, now)
    answer = state.ledger.rerun(asked, now)
    if not isinstance(answer, Allowed):
        return Met(again_at=answer.until)
    decided = flaky_decision(state, pull, lead, 0, now)
    standing = pull.resolutions.get(decided.seq)
    if standing is None:
        return Met(facts=(decided,), again_at=decided.due_at)
    if standing.decided.due_at is not None and now < standing.decided.due_at:
        return Met(again_at=standing.decided.due_at)
    return rerun_of(state, pull, lead.check, mine[-1], asked, now=now)
