"""The facts of a case that are no executions: whose change a base commit is, which checks it had never seen, what in
the task's diff is only the base's, and what people say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from resolver.attribution import Claim, NeverRan, OwnMerge
from resolver.conclusions import Meaning, meaning
from resolver.config import RepoConfig, matches
from resolver.executions import Check, Execution, Own
from resolver.ids import Fingerprint, Sha
from resolver.state import Base, Pull, RepoState
from resolver.state.landings import own_merge, unseen_place, whose

OURS = "failres:"
"""Labels that begin so are failres's own."""

MOST_LANDINGS = 5
"""Of so many base commits that fail in the same way, the newest, it is read who landed them; older ones only hint."""


def marked(state: RepoState, pull: Pull, executions: Iterable[Execution]) -> tuple[Execution, ...]:
    """
    Mark what ran on, or was tested with, a base commit that is the task's own earlier merge: red or green, it counts
    for nothing. A red that is this task's too is `unread` until that is known.
    """
    given = tuple(executions)
    asked = frozenset(asked_commits(state, pull, given))
    return tuple(_marked(state, pull, each, asked) for each in given)


def _marked(state: RepoState, pull: Pull, each: Execution, asked: frozenset[Sha]) -> Execution:
    if each.side == "task" and not _of_task(pull, each):  # another task that was tested with it had no choice
        known = each.tested_base is not None and each.tested_base in state.landings.by_commit
        mine = known and each.tested_base is not None and own_of(state, pull, each.tested_base) == "earlier-merge"
        return each.model_copy(update={"own": "earlier-merge"}) if mine else each
    if each.side not in ("base", "probe") or each.check.third_party:
        return each
    if each.commit not in asked and each.commit not in state.landings.by_commit:
        return each
    own = own_of(state, pull, each.commit)
    matters = own == "earlier-merge" or (own == "unread" and each.commit in asked and each.result == "failed")
    return each.model_copy(update={"own": own}) if matters else each


def own_of(state: RepoState, pull: Pull, commit: Sha) -> Own:
    """Say whether a base commit is the task's own earlier merge, or that this is not known yet."""
    return whose(state.landings, pull.seen, pull.files.changes if pull.files else None, commit)


def asked_commits(state: RepoState, pull: Pull, executions: Sequence[Execution]) -> tuple[Sha, ...]:
    """Give the base commits, the newest first, that fail in a way in which the task fails."""
    mine = {item.fingerprint for each in executions if _of_task(pull, each) for item in each.items}
    line = state.bases.get(pull.seen.base_ref, Base()).line
    place = {commit: index for index, commit in enumerate(line)}
    red = {each.commit for each in executions if each.side in ("base", "probe") and _fails_so(each, mine)}
    return tuple(sorted(red, key=lambda commit: place.get(commit, -1), reverse=True)[:MOST_LANDINGS])


def _of_task(pull: Pull, each: Execution) -> bool:
    return each.side in ("task", "group") and each.subject == pull.seen.head_sha


def _fails_so(each: Execution, prints: set[Fingerprint]) -> bool:
    return each.result == "failed" and any(item.fingerprint in prints and item.counts for item in each.items)


def own_merges(state: RepoState, executions: Iterable[Execution]) -> tuple[OwnMerge, ...]:
    """Name the task's own earlier merges among the executions."""
    commits = dict.fromkeys(each.base_commit for each in executions if each.own == "earlier-merge")
    found = (own_merge(state.landings, commit) for commit in commits if commit is not None)
    return tuple(each for each in found if each is not None)


def first_reds(state: RepoState, pull: Pull, executions: Sequence[Execution]) -> Iterator[tuple[Check, Sha]]:
    """Give each failing check of the task with the base commit from which on the base is known to fail so too."""
    line = state.bases.get(pull.seen.base_ref, Base()).line
    mine = [each for each in executions if _of_task(pull, each) and each.result == "failed"]
    there: dict[object, list[Execution]] = {}
    for each in executions:
        if each.side in ("base", "probe") and each.own == "no":
            there.setdefault(each.check.cell, []).append(each)
    for check in dict.fromkeys(each.check for each in mine if not each.check.third_party):
        prints = {item.fingerprint for each in mine if each.check == check for item in each.items}
        first = _first_red(line, there.get(check.cell, ()), prints)
        if first is not None:
            yield check, first


def _first_red(line: Sequence[Sha], known: Iterable[Execution], prints: set[Fingerprint]) -> Sha | None:
    """From which commit of a base's line on it is known to fail so."""
    red, passed = set[Sha](), set[Sha]()
    for each in known:
        if _fails_so(each, prints):
            red.add(each.commit)
        elif each.result == "passed":
            passed.add(each.commit)
    first: Sha | None = None
    for commit in line if red else ():
        if commit in red:
            first = first or commit
        elif commit in passed:
            first = None
    return first


def first_in_queue(state: RepoState, pull: Pull, executions: Sequence[Execution]) -> Iterator[tuple[Check, Sha]]:
    """Give each check that failed in a merge group and is not known to have run on the task's head, with that group."""
    groups = [each for each in executions if each.side == "group" and _of_task(pull, each)]
    jobs = state.head(pull.seen.head_sha).jobs.values() if groups else ()
    known = {job.name for job in jobs if meaning(job.conclusion) is not Meaning.NOTHING}
    told: set[Check] = set()
    for each in groups:
        mine = each.result == "failed" and not each.check.third_party
        if mine and each.check.job not in known and each.check not in told:
            told.add(each.check)
            yield each.check, each.commit


def never_ran(state: RepoState, pull: Pull, executions: Sequence[Execution]) -> tuple[NeverRan, ...]:
    """Name the checks that had never run on the pull request whose landing they fail on, or before the queue."""
    found: list[NeverRan] = []
    for check, group in first_in_queue(state, pull, executions):
        queued = state.landings.unseen.get(unseen_place(group, check))
        if queued is not None and queued.why is not None:
            found.append(NeverRan(check=check, why=queued.why))
    for check, commit in first_reds(state, pull, executions):
        read = state.landings.unseen.get(unseen_place(commit, check))
        if read is not None and read.why is not None:
            found.append(NeverRan(check=check, why=read.why, landed=read.pull, commit=commit))
    return tuple(found)


def claims(pull: Pull, config: RepoConfig) -> tuple[Claim, ...]:
    """Give what people say by labels now. A label that is taken off is said no more."""
    patterns = config.attribution.claims
    said = [name for name in pull.seen.labels if not name.startswith(OURS)]
    return tuple(Claim(says=name) for name in said if any(matches(each, name.casefold()) for each in patterns))


def base_only(pull: Pull) -> tuple[str, ...]:
    """Give the files of the task's diff that hold exactly what they hold on the base: those changes are the base's."""
    read = pull.base_changes
    if read is None or pull.files is None:
        return ()
    theirs = {(each.path, each.status == "removed", each.blob) for each in read.files if each.blob}
    mine = pull.files.changes
    return tuple(each.path for each in mine if (each.path, each.status == "removed", each.blob) in theirs)


def base_unread(state: RepoState, pull: Pull) -> bool:
    """Say whether what the base changed since this head left it has to be read before anybody is judged.

    Once is enough while it stands: a refused read is none, and a base that moves on is looked at again later.
    """
    effect = pull.effects.get(f"base-changes:{pull.seen.number}")
    refused = effect is not None and effect.status == "refused"
    return pull.base_changes is None and comparable(state, pull) and not refused


def comparable(state: RepoState, pull: Pull) -> bool:
    """Say whether the task's diff and its base are known well enough to be compared by what the files hold."""
    base = state.bases.get(pull.seen.base_ref, Base()).sha
    read = pull.files
    return base is not None and read is not None and not read.truncated and any(each.blob for each in read.changes)
