"""What attribution wants of a failure in a merge queue, and what follows from its verdict: one re-enqueue at most.

It lands what passes, and is bound by the ledger like any rerun; the base is asked as for any other failure.
"""

from __future__ import annotations

from resolver.attribution import Refusal, Verdict, WantRerun, WantRow, rerun_asked
from resolver.decide.cases import case_of
from resolver.decide.quarantine import held
from resolver.decide.requeue import requeue
from resolver.decide.rerunning import Met, flake_asked
from resolver.decide.rights import config_of, held_by_mode, managed, mode_of
from resolver.ledger import Allowed
from resolver.limits import Limits
from resolver.state import Pull, RepoState


def in_queue(state: RepoState, pull: Pull, want: WantRerun | WantRow, now: float, limits: Limits) -> Met | Refusal:
    """Meet a want of another execution, or of the deterministic action that comes first: both are a re-enqueue."""
    against = _against(state, pull, limits)
    if against is not None:
        return Refusal(kind=want.kind, reason=against, commit=want.commit, check=want.check)
    asked = rerun_asked(case_of(state, pull, now), want.check)
    if isinstance(want, WantRow):
        answer = state.ledger.rerun(asked, now)
        if not isinstance(answer, Allowed):
            return Refusal(kind="row", reason=answer.reason, commit=want.commit, check=want.check, until=answer.until)
    return requeue(state, pull, asked, now, kind=want.kind)


def _against(state: RepoState, pull: Pull, limits: Limits) -> str | None:
    config = config_of(state, pull)
    if not managed(state, pull, config):
        return "this pull request is not managed"
    reason = held(state, pull)
    if reason is not None:
        return reason
    mode = mode_of(config, "rerun", limits)
    return None if mode == "act" else held_by_mode("rerun", mode)


def again_in_queue(state: RepoState, pull: Pull, lead: Verdict, now: float, limits: Limits) -> Met:
    """Enqueue once more what was a flake, or what failed on a base that has been mended since."""
    if _against(state, pull, limits) is not None or lead.fingerprint is None:
        return Met()
    asked = flake_asked(state, pull, lead, lead.fingerprint, now)
    answer = state.ledger.rerun(asked, now)
    if not isinstance(answer, Allowed):
        return Met(again_at=answer.until)
    met = requeue(state, pull, asked, now)
    return Met(again_at=met.until) if isinstance(met, Refusal) else met
