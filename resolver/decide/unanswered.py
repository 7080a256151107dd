"""While people are asked about a task nothing automatic is begun on it, whatever is heard (specification, section 10).

It begins with the table's `escalate` on the head, or with the question, and ends with an answer, a push, or the pass of
what was asked about. A quarantine that its base lifts ends it as well: the question stays, and the task is tried
afresh. What people command meanwhile is done within the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver.actions import SyncBranch
from resolver.actions.model import CallModel
from resolver.actions.repairs import RemoveReported
from resolver.attribution import Refusal, Want, WantWait
from resolver.ceilings import RUNS
from resolver.decide.due import due
from resolver.decide.endings import how_it_ended
from resolver.decide.rerunning import Met
from resolver.facts.decisions import DecisionRequested, Ended
from resolver.facts.quarantine import TaskQuarantined
from resolver.facts.resolve import ResolveDecided
from resolver.facts.runs import RunPaused
from resolver.state import Pull, RepoState

WAITS = "people were asked here, and nothing is begun before they answer or somebody pushes"
FOR_PEOPLE = "the resolver's table hands it to people, and nothing is begun before they answer or somebody pushes"
LEFT = "people answered to leave this as it is, and nothing is begun before somebody pushes"

AUTOMATIC = (*RUNS, SyncBranch, RemoveReported, CallModel)
"""What runs jobs, moves a branch, removes what is cached, or asks a model."""


def unanswered(state: RepoState, pull: Pull) -> str | None:
    """Say why nothing is begun on a task: a question is open, is due, or was answered by leaving all as it is."""
    ends = [(asked, how_it_ended(state, pull, asked)) for asked in pull.talk.decisions.values()]
    if any(ended is None and not _lifted(pull, asked.asked_at) for asked, ended in ends):
        return WAITS
    if any(_left(pull, asked, ended) for asked, ended in ends):
        return LEFT
    return FOR_PEOPLE if any(escalated(pull)) else None


def escalated(pull: Pull) -> Iterator[ResolveDecided]:
    """Give what the table has handed to people on this head, and nobody has answered since."""
    for each in pull.resolutions.values():
        decided = each.decided
        here = decided.head_sha == pull.seen.head_sha and decided.scope == "task" and decided.check is not None
        if here and decided.action == "escalate" and not _answered(pull, decided) and not _lifted(pull, decided.at):
            yield decided


def _answered(pull: Pull, decided: ResolveDecided) -> bool:
    answered = (each for each in pull.talk.answers.values() if each.at >= decided.at)
    known = (pull.talk.decisions.get(each.decision_id) for each in answered)
    return any(asked is not None and asked.fail_class == decided.fail_class for asked in known)


def _left(pull: Pull, asked: DecisionRequested, ended: Ended | None) -> bool:
    answer = ended.answer if ended is not None else None
    mine = asked.kind != "run-paused" and asked.head.pushed == pull.pushed
    return mine and answer is not None and answer.option == "accept"


def _lifted(pull: Pull, at: float) -> bool:
    """Say whether the quarantine that stood at a time (seconds) was lifted by a moved base after it."""
    before = [each for each in pull.quarantines if each.fact.at <= at]
    return bool(before) and before[-1].fact.heads.pushed == pull.pushed and before[-1].lifted_at > at


def unless_asked(state: RepoState, pull: Pull, want: Want, met: Met | Refusal, now: float) -> Met | Refusal:
    """Refuse what a want would begin while people are asked; what is under way goes on, and reads are free."""
    if isinstance(want, WantWait) or isinstance(met, Refusal) or not _begins(state, pull, met, now):
        return met
    reason = unanswered(state, pull)
    return met if reason is None else Refusal(kind=want.kind, reason=reason, commit=want.commit, check=want.check)


def _begins(state: RepoState, pull: Pull, met: Met, now: float) -> bool:
    if any(isinstance(fact, ResolveDecided | TaskQuarantined | RunPaused) for fact in met.facts):
        return True
    return any(
        due(pull.effects if action.number is not None else state.effects, (action,), now).actions
        for action in met.actions
        if isinstance(action, AUTOMATIC)
    )
