"""How a question ends: by its answer, a push or a moved base, with its pull request, or because its check passed."""

from __future__ import annotations

from resolver.casework.queue import heads_of
from resolver.conclusions import Meaning, meaning
from resolver.decide.asked_about import conclusions_of
from resolver.decide.invalid_plan import plan_problems, words_of
from resolver.decide.rights import config_of
from resolver.decisions import Circumstances, Head, expired
from resolver.facts.decisions import DecisionRequested, Ended
from resolver.ids import Sha
from resolver.runs import run_id
from resolver.state import Base, Pull, RepoState


def circumstances(state: RepoState, pull: Pull) -> Circumstances:
    """Give what an answer is checked against, as it stands now."""
    base = state.bases.get(pull.seen.base_ref, Base()).sha
    return Circumstances(
        head=Head(sha=pull.seen.head_sha, pushed=pull.talk.pushed or pull.seen.head_sha),
        base=base or Sha(""),
        answered=frozenset(pull.talk.answers),
        files=frozenset(pull.files.files if pull.files else ()),
        protected=config_of(state, pull).protected,
    )


def how_it_ended(state: RepoState, pull: Pull, decision: DecisionRequested) -> Ended | None:
    """Say how a question ended; None while it is open."""
    answer = pull.talk.answers.get(decision.decision_id)
    if answer is not None:
        return Ended(answer=answer)
    why = expired(decision, circumstances(state, pull))
    if why is None and decision.quarantined in ("sync", "stop-loss") and not _still_left(pull, decision):
        return Ended(why="base-moved")
    if why is None and decision.kind == "run-paused" and not _paused_since(state, pull, decision):
        return Ended(why="goes-on")
    if why is None and _has_passed(state, pull, decision):
        return Ended(why="passed")
    if decision.kind == "reach" and state.active:
        return Ended(why="back")
    if decision.kind == "plan" and words_of(plan_problems(state, pull)) != decision.why:
        return Ended(why="edited")
    if why is None and pull.seen.state == "closed":
        return Ended(why="merged" if pull.seen.merged else "closed")
    return None if why is None else Ended(why=why)


def _still_left(pull: Pull, decision: DecisionRequested) -> bool:
    """Say whether a task is still under the quarantine that a question is about: a moved base may have lifted it."""
    standing = pull.quarantine
    if standing is None or standing.fact.cause != decision.quarantined:
        return False
    return standing.fact.at <= decision.asked_at


def _paused_since(state: RepoState, pull: Pull, decision: DecisionRequested) -> bool:
    """Say whether a run is still under the pause that a question is about; it may be answered on another task."""
    run = state.runs.get(run_id(pull.seen))
    return run is not None and run.paused is not None and run.paused.at <= decision.asked_at


def _has_passed(state: RepoState, pull: Pull, decision: DecisionRequested) -> bool:
    """Say whether what was asked about is green now; a flaky test's question is not answered by a pass."""
    if decision.because is None or decision.kind == "fix-flaky-test":
        return False
    ended = conclusions_of(heads_of(state, pull), decision.because.check)
    return bool(ended) and all(meaning(each) is Meaning.PASSED for each in ended)
