"""Which pull requests a fact may have made something due for: only those are decided anew.

Leaving one out that is concerned delays it for good, so where the data does not tell, all that might be are named. What
crosses pull requests is found by the names of the jobs that failed, and by the failures themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from resolver.casework import prints_of
from resolver.casework.queue import groups_of, red_jobs, red_others
from resolver.decide.handoff import quarantine_without_bundle
from resolver.decide.invalid_plan import also_held
from resolver.decide.rights import config_of, managed
from resolver.facts import (
    ActionRefused,
    ActionStarted,
    BaseMoved,
    ConfigRead,
    Fact,
    GateAttributed,
    InstallationChanged,
    JobFinished,
    JobTriaged,
    OutageChanged,
    ProbeDispatched,
    ProbeRemoved,
    PullObserved,
    RepoObserved,
    RollupSeen,
    RunObserved,
    RunsRead,
)
from resolver.facts.commands import CommandGiven, LabelSet, StandingRead
from resolver.facts.decisions import DecisionRequested, HandoffRefused, HandoffWritten
from resolver.facts.landings import LandedChangesRead, LandingRead, UnseenRead
from resolver.facts.orphans import OrphansAsked, OrphansDecided, OrphansEnded, OwnRefsSeen
from resolver.facts.queue import PullDequeued, PullEnqueued, QueueFact
from resolver.fold.queue import concerned, queue_touched
from resolver.ids import Fingerprint, PullNumber, Sha
from resolver.journal import Unreadable
from resolver.ledger.events import GroupFailed, ProbeStarted, RerunEnded, RerunStarted, Synced
from resolver.other_ci import AnnotationsRead, CheckBegun, CheckFinished, StatusSeen
from resolver.progress import JobProgressed, JobStalled
from resolver.state import Head, Pull, RepoState
from resolver.state.merge_queue import NO_QUEUE

Asked = tuple[Literal["job", "third-party"], str]
"""A job by its name, or another CI's check by its own."""

Numbers = frozenset[PullNumber]
NOBODY: Numbers = frozenset()

_Ran = RunObserved | JobFinished | JobTriaged | CheckFinished | StatusSeen | AnnotationsRead | RollupSeen | RunsRead


def touched(state: RepoState, fact: Fact | Unreadable, before: RepoState | None = None) -> Numbers | None:
    """Say which pull requests a fact may have made something due for; None means all of them.

    `state` knows the fact already; `before` is a state that was decided on, so that what says the same as there touches
    nobody.
    """
    if isinstance(fact, QueueFact):
        return queue_touched(state, fact) | _beside_in_queue(state, fact)
    match fact:
        case RepoObserved() | InstallationChanged() | OutageChanged() | ProbeDispatched() | ProbeRemoved():
            return None
        case PullObserved():
            return _moved(state, fact, before)
        case ConfigRead():
            if before is not None and _same_config(before, fact):
                return _all_asking(state, fact.ref)  # it was read since the base has moved, and webhooks may be lost
            return frozenset(n for n, p in state.pulls.items() if p.seen.base_ref == fact.ref)
        case BaseMoved():
            return _waiting_for_base(state, fact.ref)
        case JobProgressed() | JobStalled():
            return frozenset(state.pulls_of(fact.head_sha))
        case ProbeStarted() | RerunStarted() | RerunEnded() | Synced() | GroupFailed():
            return NOBODY
        case OwnRefsSeen() | OrphansDecided() | OrphansEnded() | OrphansAsked():
            return NOBODY
        case LandingRead() | LandedChangesRead() | UnseenRead():
            return frozenset(n for n, pull in state.pulls.items() if _was_red(pull))
        case RunObserved() | JobFinished() | JobTriaged() | CheckFinished() | StatusSeen():
            return _concerned(state, fact)
        case CheckBegun():
            return concerned(state, fact.head_sha)
        case AnnotationsRead() | RollupSeen() | RunsRead():
            return _concerned(state, fact)
        case DecisionRequested() | HandoffWritten() | HandoffRefused():
            return _without_bundle(state) | {fact.number}
        case GateAttributed() if fact.klass == "flake":
            return _flaky(state) | {fact.number}
        case ActionStarted(type="start-probe"):
            return _asking_anywhere(state)
        case ActionRefused(number=None):
            return _asking_anywhere(state)
        case _:
            return NOBODY if fact.number is None else frozenset({fact.number})


def _without_bundle(state: RepoState) -> Numbers:
    """The pull requests whose questions or quarantine have no handoff bundle: one commit brings those of all."""
    return frozenset(
        n
        for n, p in state.pulls.items()
        if set(p.talk.decisions) - set(p.talk.handoffs) or quarantine_without_bundle(p) is not None
    )


def _flaky(state: RepoState) -> Numbers:
    """The pull requests with a flake: what follows from it depends on the others."""
    return frozenset(n for n, p in state.pulls.items() if any(v.klass == "flake" for v in p.verdicts.values()))


def is_urgent(state: RepoState, fact: Fact, before: RepoState) -> bool:
    """Say whether people wait for what follows from a fact: a command, its answer, a kill switch."""
    match fact:
        case CommandGiven() | StandingRead() | LabelSet():
            return True
        case PullObserved():
            known = before.pulls.get(fact.number)
            return known is not None and known.stopped != state.pulls[fact.number].stopped
        case _:
            return False


def _was_red(pull: Pull) -> bool:
    return pull.seen.state == "open" and bool(pull.reds or pull.queue_red)


def _beside_in_queue(state: RepoState, fact: QueueFact) -> Numbers:
    """Who has a group in the queue that a pull request came to or left: groups stand on each other."""
    if not isinstance(fact, PullEnqueued | PullDequeued) or fact.number not in state.pulls:
        return NOBODY
    queue = state.queues.get(state.pulls[fact.number].seen.base_ref, NO_QUEUE)
    return frozenset(group.number for group in queue.groups.values())


def _same_config(before: RepoState, fact: ConfigRead) -> bool:
    known = before.bases[fact.ref].config if fact.ref in before.bases else None
    return known is not None and known.model_copy(update={"sha": fact.sha}) == fact


def _moved(state: RepoState, fact: PullObserved, before: RepoState | None) -> Numbers:
    """The pull request, and those that show the failures of the head that it left, or of the one that it came to."""
    found = {fact.number}
    known = before.pulls.get(fact.number) if before is not None else None
    if known is None or known.seen.plan != fact.plan or known.seen.state != fact.state:
        found |= also_held(state, state.pulls.get(fact.number))
    if before is not None and known is not None and known.seen.head_sha != fact.head_sha:
        found |= _alike(state, before.head(known.seen.head_sha))
        found |= _alike(state, state.head(fact.head_sha))
    return frozenset(found)


def _alike(state: RepoState, head: Head) -> Numbers:
    showing = state.once(_showing)
    return frozenset[PullNumber]().union(*(showing.get(fingerprint, NOBODY) for fingerprint in head.once(prints_of)))


def _concerned(state: RepoState, fact: _Ran) -> Numbers:
    """The pull requests of a head and those that show the same failures; where a base or a probe ran, who asks it."""
    found = set(state.pulls_of(fact.head_sha) + list(concerned(state, fact.head_sha)))
    head = state.head(fact.head_sha)
    names = _names(head, fact)
    if found and (names is None or not names.isdisjoint(head.once(_red))):
        found |= _alike(state, head)
    for ref in state.once(_lines).get(fact.head_sha, ()):
        found |= _all_asking(state, ref) if names is None else _asking(state, ref, names)
    if any(probe.dispatched.commit == fact.head_sha for probe in state.probes.values()):
        found |= _asking_anywhere(state)
    return frozenset(found)


def _waiting_for_base(state: RepoState, ref: str) -> Numbers:
    """Who is concerned by a moved base before anything has run there: quarantined tasks, and red ones that are managed.

    Where failres only explains, the first execution on the new commit is soon enough: else a busy base would have every
    check run written anew at each of its commits.
    """
    mine = {number: state.pulls[number] for number in _all_asking(state, ref)}
    managed_ones = {number for number, pull in mine.items() if managed(state, pull, config_of(state, pull))}
    return frozenset(n for n, p in state.pulls.items() if p.quarantine and p.seen.base_ref == ref) | managed_ones


def _names(head: Head, fact: _Ran) -> frozenset[Asked] | None:
    """What a fact about a commit's executions tells of; None where that may be any of them."""
    match fact:
        case JobFinished():
            return frozenset({("job", fact.name)})
        case JobTriaged():
            job = head.jobs.get(fact.job_id)
            return frozenset({("job", job.name)}) if job is not None else None
        case RunObserved():
            return frozenset(("job", job.name) for job in head.jobs.values() if job.run_id == fact.run_id)
        case CheckFinished() | StatusSeen():
            return frozenset({("third-party", fact.check.job)})
        case AnnotationsRead():
            check = head.checks.get(fact.check_run_id)
            return frozenset({("third-party", check.check.job)}) if check is not None else None
        case RollupSeen():
            return frozenset()
        case RunsRead():
            return None


def _red(head: Head) -> frozenset[Asked]:
    """What has failed on a head, of which others' executions may tell."""
    jobs: set[Asked] = {("job", name) for name in head.asked()}
    return frozenset(jobs).union(("third-party", told.check.job) for told in head.failed_third_party())


def _asking(state: RepoState, ref: str, names: Iterable[Asked]) -> Numbers:
    waiting = state.once(_waiting).get(ref, {})
    return frozenset[PullNumber]().union(*(waiting.get(name, NOBODY) for name in names))


def _all_asking(state: RepoState, ref: str) -> Numbers:
    return _asking(state, ref, state.once(_waiting).get(ref, {}))


def _asking_anywhere(state: RepoState) -> Numbers:
    return frozenset[PullNumber]().union(*(_all_asking(state, ref) for ref in state.once(_waiting)))


def _waiting(state: RepoState) -> Mapping[str, Mapping[Asked, Numbers]]:
    """The open pull requests by base branch and by what failed on their heads."""
    found: dict[str, dict[Asked, set[PullNumber]]] = {}
    for number, pull in state.pulls.items():
        if _was_red(pull):
            mine = found.setdefault(pull.seen.base_ref, {})
            queued: set[Asked] = {("job", name) for name in red_jobs(state, pull)}
            others: set[Asked] = {("third-party", name) for name in red_others(state, pull)}
            for name in state.head(pull.seen.head_sha).once(_red) | queued | others:
                mine.setdefault(name, set()).add(number)
    return {ref: {name: frozenset(numbers) for name, numbers in each.items()} for ref, each in found.items()}


def _showing(state: RepoState) -> Mapping[Fingerprint, Numbers]:
    """The open pull requests by the failures that their heads show."""
    found: dict[Fingerprint, set[PullNumber]] = {}
    for number, pull in state.pulls.items():
        if _was_red(pull):
            commits = [pull.seen.head_sha, *(group.seen.head_sha for group in groups_of(state, pull))]
            for fingerprint in {each for sha in commits for each in state.head(sha).once(prints_of)}:
                found.setdefault(fingerprint, set()).add(number)
    return {fingerprint: frozenset(numbers) for fingerprint, numbers in found.items()}


def _lines(state: RepoState) -> Mapping[Sha, tuple[str, ...]]:
    """The base branches by the commits of their lines."""
    found: dict[Sha, tuple[str, ...]] = {}
    for ref, base in state.bases.items():
        for sha in base.line:
            found[sha] = (*found.get(sha, ()), ref)
    return found
