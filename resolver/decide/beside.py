"""What is read so that a verdict says all of it: whose change a failing base commit is, whether the check had ever run
on it, and what the base has changed since the head left it.

All of it waits for a failure that needs it. What belongs to base commits is shared by all tasks; each costs one call,
the filters of a check at most four.
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver.actions import AnyAction
from resolver.actions.landings import ReadBaseChanges, ReadLandedChanges, ReadLanding, ReadUnseen
from resolver.attribution import Attribution, Case
from resolver.casework.beside import asked_commits, comparable, first_in_queue, first_reds, own_of
from resolver.executions import Check
from resolver.ids import Sha
from resolver.limits import Limits
from resolver.state import Base, Pull, RepoState
from resolver.state.landings import landing_of, unseen_place


def beside_reads(state: RepoState, pull: Pull, case: Case, answer: Attribution, limits: Limits) -> Iterator[AnyAction]:
    """Give what is read beside the executions."""
    for commit in asked_commits(state, pull, case.executions):
        if commit not in state.landings.by_commit:
            yield ReadLanding(commit=commit, ref=pull.seen.base_ref)
        elif own_of(state, pull, commit) == "unread" and (landed := state.landings.by_commit[commit].landed):
            yield ReadLandedChanges(pull=landed.pull)
    yield from _unseen(state, pull, case, limits)
    if answer.wants:
        yield from _base_changes(state, pull, case, limits)


def _unseen(state: RepoState, pull: Pull, case: Case, limits: Limits) -> Iterator[ReadUnseen]:
    """Ask of the checks that fail on the base since a pull request landed; of few, since one filter keeps off many."""
    for check, group in tuple(first_in_queue(state, pull, case.executions))[: limits.unseen_checks]:
        if unseen_place(group, check) not in state.landings.unseen:
            yield ReadUnseen(commit=group, landed=landing_of(pull.seen), check=check)
    for check, commit in tuple(first_reds(state, pull, case.executions))[: limits.unseen_checks]:
        read = state.landings.by_commit.get(commit)
        if read is None or read.landed is None or _in_group(state, commit, check):
            continue
        if own_of(state, pull, commit) != "no" or unseen_place(commit, check) in state.landings.unseen:
            continue
        yield ReadUnseen(commit=commit, landed=read.landed, check=check)


def _in_group(state: RepoState, commit: Sha, check: Check) -> bool:
    """GitHub: the commit of a merge group becomes the base's, so that a group's run there was before the merge."""
    head = state.head(commit)
    groups = {run.run_id for run in head.runs.values() if run.event == "merge_group"}
    return any(job.run_id in groups and job.name == check.job for job in head.jobs.values())


def _base_changes(state: RepoState, pull: Pull, case: Case, limits: Limits) -> Iterator[ReadBaseChanges]:
    """Compare where the head was tested with another base than the current one, or nobody knows with which."""
    base = state.bases.get(pull.seen.base_ref, Base()).sha
    if base is None or pull.files is None or not comparable(state, pull):
        return
    red = [each for each in case.executions if each.subject == pull.seen.head_sha and each.result == "failed"]
    if not red or any(each.log == "unread" for each in red) or all(each.tested_base == base for each in red):
        return
    read = pull.base_changes
    if read is not None and (read.base_sha == base or case.now < read.at + limits.base_changes_every):
        return
    paths = tuple(each.path for each in pull.files.changes if each.blob)
    yield ReadBaseChanges(number=pull.seen.number, head_sha=pull.seen.head_sha, base_sha=base, paths=paths)
