"""Which observations say something new. What is known already needs no record, however often GitHub repeats it."""

from __future__ import annotations

from resolver.facts import (
    BaseMoved,
    CommentGone,
    ConfigRead,
    Fact,
    HeadPushed,
    InstallationChanged,
    PullConfigRead,
    PullFilesRead,
    PullObserved,
    RepoObserved,
    RollupSeen,
    RunObserved,
)
from resolver.facts.commands import CommandGiven, CommentsRead, PullTouched
from resolver.facts.orphans import OwnRefsSeen
from resolver.facts.queue import QueueFact
from resolver.fold.queue import find_group, queue_news
from resolver.other_ci import CheckBegun, CheckFinished, StatusSeen, ThirdParty
from resolver.own_pulls import is_own_pull
from resolver.progress import JobProgressed
from resolver.state import RepoState


def is_news(state: RepoState, fact: Fact) -> bool:
    """Say whether a fact is worth a record: repeated, older and foreign observations are not."""
    if isinstance(fact, QueueFact):
        return queue_news(state, fact)
    match fact:
        case RepoObserved():
            return state.repo != fact or not state.active
        case InstallationChanged():
            return state.active != fact.active
        case PullObserved():
            known = state.pulls.get(fact.number) or state.closed.get(fact.number)
            if is_own_pull(fact, state.repo.repo_id if state.repo else None):
                return False
            return known is None or (fact.updated_at >= known.seen.updated_at and fact != known.seen)
        case HeadPushed():
            return fact.number in state.pulls
        case PullFilesRead():
            return fact.number not in state.pulls or state.pulls[fact.number].files != fact
        case PullConfigRead():
            return fact.number not in state.pulls or state.pulls[fact.number].config != fact
        case BaseMoved():
            return _is_base(state, fact.ref) and (fact.ref not in state.bases or state.bases[fact.ref].sha != fact.sha)
        case ConfigRead():
            base = state.bases.get(fact.ref)
            return base is None or base.config != fact
        case RunObserved():
            run = state.head(fact.head_sha).runs.get(fact.run_id)
            return run is None or (
                (fact.attempt, fact.updated_at) >= (run.attempt, run.updated_at) and _told(fact) != _told(run)
            )
        case CheckBegun() | CheckFinished() | StatusSeen():
            return _told_by_other_ci(state, fact)
        case JobProgressed():
            head = state.head(fact.head_sha)
            ended = fact.job_id in head.jobs
            return not ended and fact.newer(head.progress.get(fact.job_id)) and bool(state.pulls_of(fact.head_sha))
        case RollupSeen():
            return state.head(fact.head_sha).rollup != fact
        case CommandGiven():
            # Of an unknown pull request the comments are read once it is known.
            pull = state.pulls.get(fact.number)
            return pull is not None and pull.seen.state == "open" and fact.command_id not in pull.talk.commands
        case CommentsRead():
            pull = state.pulls.get(fact.number)
            return pull is not None and (pull.talk.read_until is None or pull.talk.read_until < fact.until)
        case PullTouched():
            pull = state.pulls.get(fact.number)
            return pull is not None and fact.at > max(pull.talk.touched or -1.0, pull.talk.read_until or -1.0)
        case OwnRefsSeen():
            there = {name: thing for name, (thing, _) in state.orphans.seen.items()}
            return there != {each.name: each for each in fact.refs}
        case CommentGone():
            pull = state.pulls.get(fact.number)
            return pull is not None and pull.comment_id == fact.comment_id
        case _:
            return True


def _told(run: RunObserved) -> tuple[int, str, str | None, str]:
    """Give what matters of a run; its progress between `queued` and `completed` does not."""
    status = run.status if run.status in ("completed", "pending", "waiting") else "running"
    return run.attempt, status, run.conclusion, run.path


def _told_by_other_ci(state: RepoState, fact: CheckBegun | ThirdParty) -> bool:
    """What has not ended says something only where it takes a result back, or where a queue waits for it, and once."""
    head = state.head(fact.head_sha)
    awaited = find_group(state, fact.head_sha) is not None
    if isinstance(fact, CheckBegun):
        return awaited and fact.check_run_id not in {**head.begun, **head.checks}
    if isinstance(fact, CheckFinished):
        check = head.checks.get(fact.check_run_id)
        return check is None or fact.order > check.order
    known = head.statuses.get(fact.context)
    if known is None:
        return awaited or fact.conclusion is not None
    return fact.order > known.order and (fact.conclusion is not None or known.conclusion is not None)


def _is_base(state: RepoState, ref: str) -> bool:
    default = state.repo.default_branch if state.repo else None
    return ref == default or any(pull.seen.base_ref == ref for pull in state.pulls.values())
