"""What is known of landed changes, and which of them are a task's own: landed once before, reverted, and brought again.

GitHub never reopens a merged pull request, so that "reopened" is a new one: from the same branch, or under the same
title once `Revert` and `Reapply` are taken off, whose diff again holds most of what had landed. A branch that is only
used again for other work (an update bot's) is not the same change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar, assert_never

from resolver.attribution.beside import OwnMerge
from resolver.attribution.diff import ChangedFile
from resolver.executions import Check, Own
from resolver.facts import PullObserved
from resolver.facts.landings import Landed, LandedChangesRead, LandingRead, UnseenRead
from resolver.ids import PullNumber, Sha
from resolver.records import nothing

KEPT = 300
"""So many landings are remembered, the newest."""

KEPT_CHANGES = 50
"""Of so many landed pull requests what they changed is remembered."""

K = TypeVar("K")
V = TypeVar("V")

_AGAIN = re.compile(r'^(?:revert|reapply|reland|\[reland\]|re-?land:?)\s+"?|"$|\s*\(#\d+\)$', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Landings:
    """Who landed which base commit, what landed pull requests had changed, and which checks they had never seen."""

    by_commit: Mapping[Sha, LandingRead] = field(default_factory=nothing)
    changes: Mapping[PullNumber, LandedChangesRead] = field(default_factory=nothing)
    unseen: Mapping[tuple[Sha, str, str], UnseenRead] = field(default_factory=nothing)

    def take(self, fact: LandingRead | LandedChangesRead | UnseenRead) -> Landings:
        """Give what is known after one more read."""
        match fact:
            case LandingRead():
                return replace(self, by_commit=_newest(self.by_commit, fact.commit, fact, KEPT))
            case LandedChangesRead():
                return replace(self, changes=_newest(self.changes, fact.pull, fact, KEPT_CHANGES))
            case UnseenRead():
                place = unseen_place(fact.commit, fact.check)
                return replace(self, unseen=_newest(self.unseen, place, fact, KEPT))
            case _:
                assert_never(fact)


def unseen_place(commit: Sha, check: Check) -> tuple[Sha, str, str]:
    """Name a check on a landed change."""
    return commit, check.workflow, check.job


def landing_of(seen: PullObserved) -> Landed:
    """Give a pull request as one that has landed, or would: a merge group tests it like that."""
    return Landed(
        pull=seen.number,
        title=seen.title,
        head_ref=seen.head_ref,
        head_repo_id=seen.head_repo_id,
        head_sha=seen.head_sha,
        base_ref=seen.base_ref,
    )


def _newest(known: Mapping[K, V], key: K, value: V, kept: int) -> Mapping[K, V]:
    found = {**known, key: value}
    for old in list(found)[: max(0, len(found) - kept)]:
        del found[old]
    return found


def whose(landings: Landings, seen: PullObserved, changes: Iterable[ChangedFile] | None, commit: Sha) -> Own:
    """
    Say whether a base commit is the task's own earlier merge. `changes` are the task's, None while not read; `unread`
    while it takes a further read to tell.
    """
    read = landings.by_commit.get(commit)
    if read is None or changes is None:
        return "unread"
    if read.landed is None or not _may_be_again(seen, read.landed):
        return "no"
    theirs = landings.changes.get(read.landed.pull)
    if theirs is None:
        return "unread"
    return "earlier-merge" if _same_change(changes, theirs.changes) else "no"


def own_merge(landings: Landings, commit: Sha) -> OwnMerge | None:
    """Name the landing of a commit that is the task's own."""
    read = landings.by_commit.get(commit)
    return OwnMerge(landed=read.landed.pull, commit=commit) if read and read.landed else None


def _may_be_again(seen: PullObserved, landed: Landed) -> bool:
    """Say whether a pull request may bring again what another had landed: by its branch or its title."""
    if landed.pull == seen.number or landed.base_ref != seen.base_ref:
        return False
    home = landed.head_repo_id is not None and landed.head_repo_id == seen.head_repo_id
    return (home and landed.head_ref == seen.head_ref) or _bare(landed.title) == _bare(seen.title)


def _bare(title: str) -> str:
    """Take `Revert "…"`, `Reapply "…"` and a squash's number off a title, as often as they stand there."""
    text = title.strip()
    while (shorter := _AGAIN.sub("", text).strip()) != text:
        text = shorter
    return text.casefold()


def _same_change(mine: Iterable[ChangedFile], theirs: Iterable[ChangedFile]) -> bool:
    """Say whether more than half of what had landed is in the task's diff again."""
    landed = _marks(theirs)
    again = landed & _marks(mine)
    return bool(landed) and 2 * len(again) > len(landed)


def _marks(changes: Iterable[ChangedFile]) -> frozenset[tuple[str, str]]:
    """The lines that a diff adds, and the files that it removes."""
    marks: set[tuple[str, str]] = set()
    for each in changes:
        marks.update((each.path, line.strip()) for line in each.text.split("\n") if line.strip())
        if each.status == "removed":
            marks.add((each.path, ""))
    return frozenset(marks)
