"""`fold(state, fact) -> state`: the only way in which anything becomes known. Pure, incremental, one small function per
fact.

An older view of a thing never replaces a newer one, so that facts may come late, twice and in any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, assert_never

from resolver.facts import (
    ActionDone,
    ActionRefused,
    ActionStarted,
    BaseMoved,
    CommentGone,
    ConfigRead,
    Decided,
    EngineStuck,
    Fact,
    GateAttributed,
    GateReattributed,
    HeadPushed,
    InstallationChanged,
    JobFinished,
    JobTriaged,
    OutageChanged,
    ProbeDispatched,
    ProbeRemoved,
    PullConfigRead,
    PullFilesRead,
    PullObserved,
    RepoObserved,
    RollupSeen,
    RunObserved,
    RunsRead,
)
from resolver.facts.commands import (
    CommandFact,
)
from resolver.facts.landings import LandingFact
from resolver.facts.orphans import OrphanFact, OrphansAsked, OrphansDecided, OrphansEnded, OwnRefsSeen
from resolver.facts.queue import QueueFact
from resolver.fold.decided import fold_decided
from resolver.fold.effects import fold_effect
from resolver.fold.forgotten import brought_back, forget_heads, put_away, without_head
from resolver.fold.gate import fold_gate, fold_probe
from resolver.fold.landing import fold_landing
from resolver.fold.progress import fold_progress, without
from resolver.fold.queue import fold_queue, note_group
from resolver.fold.scope import all_scoped, scoped
from resolver.fold.spent import fold_spent
from resolver.fold.talk import fold_talk
from resolver.ids import PullNumber, Sha
from resolver.journal import Unreadable
from resolver.ledger.events import GroupFailed, ProbeStarted, RerunEnded, RerunStarted, Synced
from resolver.limits import LIMITS
from resolver.other_ci import AnnotationsRead, CheckBegun, CheckFinished, StatusSeen, third_party_id
from resolver.progress import JobProgressed, JobStalled
from resolver.state import Base, Head, Pull, RepoState, check_id

K = TypeVar("K")
V = TypeVar("V")


def fold(state: RepoState, fact: Fact | Unreadable) -> RepoState:
    """Give the state after one more fact."""
    if isinstance(fact, CommandFact):
        return fold_talk(state, fact)
    if isinstance(fact, Decided):
        return fold_decided(state, fact)
    if isinstance(fact, LandingFact):
        return fold_landing(state, fact)
    if isinstance(fact, QueueFact):
        return fold_queue(state, fact)
    match fact:
        case RepoObserved() | InstallationChanged():
            return _access(state, fact)
        case PullObserved():
            return _pull_observed(state, fact)
        case PullFilesRead() | PullConfigRead():
            return _pull_read(state, fact)
        case BaseMoved():
            return _base_moved(state, fact)
        case ConfigRead():
            return _config_read(state, fact)
        case RunObserved() | JobFinished() | JobTriaged() | RollupSeen() | RunsRead():
            return _execution(state, fact)
        case CheckBegun() | CheckFinished() | StatusSeen() | AnnotationsRead():
            return _third_party(state, fact)
        case JobProgressed() | JobStalled():
            return fold_progress(state, fact)
        case ActionStarted() | ActionDone() | ActionRefused():
            return fold_effect(state, fact)
        case HeadPushed() | GateAttributed() | GateReattributed():
            return fold_gate(state, fact)
        case ProbeDispatched() | ProbeRemoved():
            known = fold_spent(state, fact) if isinstance(fact, ProbeDispatched) else state
            return fold_probe(known, fact)
        case OutageChanged() | OwnRefsSeen() | OrphansDecided() | OrphansEnded() | OrphansAsked():
            return _of_repository(state, fact)
        case RerunStarted() | RerunEnded() | ProbeStarted() | Synced() | GroupFailed():
            return replace(state, ledger=state.ledger.with_event(fact))
        case CommentGone():
            return _comment_gone(state, fact)
        case EngineStuck() | Unreadable():
            return _unusable(state, fact)
        case _:
            assert_never(fact)


def _of_repository(state: RepoState, fact: OutageChanged | OrphanFact) -> RepoState:
    if isinstance(fact, OutageChanged):
        return replace(state, outage=fact.mode)
    return replace(state, orphans=state.orphans.with_fact(fact))


def fold_or_park(state: RepoState, fact: Fact | Unreadable) -> RepoState:
    """Fold; a fact that cannot be folded parks its pull request and leaves the others alone."""
    try:
        return fold(state, fact)
    except Exception as error:  # noqa: BLE001 whatever it is, one pull request must not stop the others
        why = f"{type(error).__name__} while a record was folded"
        number = getattr(fact, "number", None)
        numbers = [number] if number is not None else state.pulls_of(getattr(fact, "head_sha", Sha("")))
        for each in numbers:
            state = _stuck(state, PullNumber(each), why)
        return replace(state, unreadable=(*state.unreadable, why))


def _with(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    return {**mapping, key: value}


def _access(state: RepoState, fact: RepoObserved | InstallationChanged) -> RepoState:
    if isinstance(fact, InstallationChanged):
        return replace(state, active=fact.active)
    return replace(state, repo=fact, active=not fact.archived)


def _pull_observed(state: RepoState, fact: PullObserved) -> RepoState:
    state = brought_back(state, fact)
    known = state.pulls.get(fact.number)
    if known is None:
        pull = _join_reds(state, Pull(seen=fact))
    elif fact.updated_at < known.seen.updated_at:
        return state
    elif (fact.head_sha, fact.base_ref) != (known.seen.head_sha, known.seen.base_ref):
        pull = _join_reds(state, replace(without_head(known), seen=fact))
    else:
        pull = replace(known, seen=fact)
    pull = scoped(state, replace(pull, talk=pull.talk.at_head(fact.head_sha)))
    open_at = _open_at(state.open_at, known.seen if known else None, fact)
    return put_away(forget_heads(replace(state, pulls=_with(state.pulls, fact.number, pull), open_at=open_at)), fact)


def _open_at(
    open_at: Mapping[Sha, tuple[PullNumber, ...]], before: PullObserved | None, now: PullObserved
) -> Mapping[Sha, tuple[PullNumber, ...]]:
    """The open pull requests by head, after one was seen."""
    if before is not None and (before.head_sha, before.state) == (now.head_sha, now.state):
        return open_at
    changed = dict(open_at)
    if before is not None and before.head_sha in changed:
        left = tuple(number for number in changed.pop(before.head_sha) if number != now.number)
        if left:
            changed[before.head_sha] = left
    if now.state == "open":
        changed[now.head_sha] = tuple(sorted({*changed.get(now.head_sha, ()), now.number}))
    return changed


def _join_reds(state: RepoState, pull: Pull) -> Pull:
    head = state.head(pull.seen.head_sha)
    reds = {check_id(job, head.runs.get(job.run_id)) for job in head.failed()}
    reds |= {third_party_id(told) for told in head.failed_third_party()}
    return replace(pull, reds=pull.reds | reds)


def _pull_read(state: RepoState, fact: PullFilesRead | PullConfigRead) -> RepoState:
    pull = state.pulls.get(fact.number)
    if pull is None or pull.seen.head_sha != fact.head_sha:
        return state
    read = replace(pull, config=fact) if isinstance(fact, PullConfigRead) else scoped(state, replace(pull, files=fact))
    return replace(state, pulls=_with(state.pulls, fact.number, read))


def _base_moved(state: RepoState, fact: BaseMoved) -> RepoState:
    base = state.bases.get(fact.ref, Base())
    same_config = base.config is not None and base.config_at == base.sha and fact.config_touched is False
    line = (*(each for each in base.line[-LIMITS.base_line :] if each != fact.sha), fact.sha)
    moved = replace(base, sha=fact.sha, line=line, config_at=fact.sha if same_config else base.config_at)
    return replace(state, bases=_with(state.bases, fact.ref, moved))


def _config_read(state: RepoState, fact: ConfigRead) -> RepoState:
    base = state.bases.get(fact.ref, Base())
    if base.sha is None and fact.sha is not None:
        base = replace(base, sha=fact.sha, line=(fact.sha,))
    state = replace(state, bases=_with(state.bases, fact.ref, replace(base, config=fact, config_at=fact.sha)))
    return all_scoped(state, fact.ref)


def _execution(state: RepoState, fact: RunObserved | JobFinished | JobTriaged | RollupSeen | RunsRead) -> RepoState:
    head = state.head(fact.head_sha)
    match fact:
        case RunObserved():
            known = head.runs.get(fact.run_id)
            newer = known is None or (fact.attempt, fact.updated_at) >= (known.attempt, known.updated_at)
            head = replace(head, runs=_with(head.runs, fact.run_id, fact)) if newer else head
        case JobFinished():
            state = fold_spent(state, fact)
            head = replace(head.with_job(fact), progress=without(head.progress, fact.job_id))
            state = replace(state, steps=state.steps.with_job(fact))
        case JobTriaged():
            head = replace(head, triaged=_with(head.triaged, fact.job_id, fact))
        case RollupSeen():
            head = replace(head, rollup=fact)
        case RunsRead():
            listed = head.others_listed or fact.others
            head = replace(head, read_for=fact.rollup or head.read_for, listed_at=fact.at, others_listed=listed)
        case _:
            assert_never(fact)
    state = replace(state, heads=_with(state.heads, fact.head_sha, head))
    if isinstance(fact, JobFinished | RunObserved):
        state = note_group(_note_reds(state, fact.head_sha, head), fact)
    return forget_heads(state)


def _third_party(state: RepoState, fact: CheckBegun | CheckFinished | StatusSeen | AnnotationsRead) -> RepoState:
    """An older end of the same check run, or status of the same context, replaces no newer one."""
    head = state.head(fact.head_sha)
    match fact:
        case CheckBegun():
            head = replace(head, begun=_with(head.begun, fact.check_run_id, fact))
        case CheckFinished():
            run = head.checks.get(fact.check_run_id)
            if run is None or fact.order >= run.order:
                begun = without(head.begun, fact.check_run_id)
                head = replace(head, checks=_with(head.checks, fact.check_run_id, fact), begun=begun)
        case StatusSeen():
            status = head.statuses.get(fact.context)
            if status is None or fact.order >= status.order:
                head = replace(head, statuses=_with(head.statuses, fact.context, fact))
        case AnnotationsRead():
            head = replace(head, annotated=_with(head.annotated, fact.check_run_id, fact))
        case _:
            assert_never(fact)
    state = replace(state, heads=_with(state.heads, fact.head_sha, head))
    state = _note_reds(state, fact.head_sha, head)
    return forget_heads(state if isinstance(fact, AnnotationsRead | CheckBegun) else note_group(state, fact))


def _note_reds(state: RepoState, sha: Sha, head: Head) -> RepoState:
    if not head.ever_failed():
        return state
    for number in state.pulls_of(sha):
        state = replace(state, pulls=_with(state.pulls, number, _join_reds(state, state.pulls[number])))
    return state


def _comment_gone(state: RepoState, fact: CommentGone) -> RepoState:
    pull = state.pulls.get(fact.number)
    if pull is None or pull.comment_id != fact.comment_id:
        return state
    return replace(state, pulls=_with(state.pulls, fact.number, replace(pull, comment_id=None)))


def _unusable(state: RepoState, fact: EngineStuck | Unreadable) -> RepoState:
    """A record that stops acting on its pull request; what nobody can read is remembered with its reason."""
    if isinstance(fact, EngineStuck):
        return _stuck(state, fact.number, fact.error)
    why = f"{fact.kind}: {fact.why}"
    known = replace(state, unreadable=(*state.unreadable, why))
    return known if fact.number is None else _stuck(known, fact.number, why)


def _stuck(state: RepoState, number: PullNumber, why: str) -> RepoState:
    pull = state.pulls.get(number)
    if pull is None:
        return state
    return replace(state, pulls=_with(state.pulls, number, replace(pull, stuck=why)))
