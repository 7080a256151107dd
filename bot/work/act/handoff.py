"""Commits handoff bundles to our own branch: an orphan without workflows, so that nothing runs on it.

A bundle is found again by its path and never written twice. The branch only moves forward; whoever was quicker is built
upon. Where the repository's rules refuse the branch, that is the outcome, and the question is asked without the bundle.
What passes is waited for, and tried again for a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from bot.github import NotFound, PermissionMissing, Refused, Unavailable
from bot.installations import repository_key
from bot.store import JournalCorrupt
from bot.words import handoff as words
from bot.words.records import Line
from bot.work.act.fresh import look, soon_again
from bot.work.outcome import Outcome
from bot.work.place import Place
from bot.work.texts import Kept, excerpts_of
from resolver.actions import WriteHandoffs
from resolver.facts.decisions import HandoffRefused, HandoffWritten
from resolver.handoff import BRANCH, Handoff
from resolver.ids import Sha
from resolver.secrets import mask

TRIES = 5
"""How often in one call another writer may be quicker."""

GIVE_UP = 86_400.0
"""How long after its question or quarantine (seconds) a bundle is tried again that GitHub cannot take for now."""

RECORDS = 20_000
"""So many of the journal's last records are looked through for what speaks of the pull request."""


@dataclass(frozen=True, slots=True)
class Tip:
    """The branch as it stands: its commit and that commit's tree; nothing where there is no branch yet."""

    commit: Sha | None = None
    tree: str | None = None


async def write_handoffs(place: Place, action: WriteHandoffs, kept: Kept) -> Outcome:
    """Write those bundles that are not there yet, in one commit. A pull request that was stopped meanwhile has none."""
    wanted: list[Handoff] = []
    refused: Outcome | None = None
    for each in action.bundles:
        refused = await look(place, each.report.number, each.report.head_sha)
        if refused is None:
            wanted.append(each)
    if not wanted:
        return soon_again(place, refused or Outcome(refused="there is nothing to write"))
    lines = await _journal(place, kept)
    files = {each.path: await _text(place, each, kept, lines) for each in wanted}
    try:
        commit = await _commit(place, files)
    except (PermissionMissing, Refused) as problem:
        if _passes(problem) and place.clock.now() < _known_since(wanted) + GIVE_UP:
            raise Unavailable(str(problem)) from problem
        reason = problem.message if isinstance(problem, Refused) else str(problem)
        facts = (_refused(each, reason) for each in wanted)
        return Outcome(tuple(facts), refused=f"GitHub did not take the branch {BRANCH}: {reason}")
    return Outcome(tuple(_written(place, each, commit) for each in wanted), result={"commit": commit})


def _passes(problem: PermissionMissing | Refused) -> bool:
    """GitHub: 409 while a repository is locked or still empty; rules and missing rights answer 422 and 403."""
    return isinstance(problem, Refused) and problem.status == HTTPStatus.CONFLICT


def _known_since(bundles: list[Handoff]) -> float:
    """When the newest of what the bundles are about became known (seconds)."""
    asked = (each.decision.asked_at for each in bundles if each.decision is not None)
    quarantined = (each.quarantine.at for each in bundles if each.quarantine is not None)
    return max((*asked, *quarantined), default=0.0)


async def _journal(place: Place, kept: Kept) -> list[Line]:
    """Give the journal's last records; none where it is broken: the bundle says so, and the question is asked."""
    try:
        rows = await kept.recent(repository_key(place.repo.repo_id), RECORDS)
    except JournalCorrupt:
        return []
    return [Line(row.seq, row.at, row.kind, row.data) for row in rows]


async def _text(place: Place, bundle: Handoff, kept: Kept, lines: list[Line]) -> str:
    excerpts = await excerpts_of(kept, bundle.report)
    return mask(words.render(bundle, place.repo_url, excerpts, lines))


async def _commit(place: Place, files: dict[str, str]) -> Sha:
    """Give the commit in which the files stand. Raises what GitHub refuses while nobody else moved the branch."""
    for _ in range(TRIES):
        tip = await _tip(place)
        missing = {path: text for path, text in files.items() if not await _is_there(place, tip, path)}
        if not missing and tip.commit is not None:
            return tip.commit
        commit = await _child(place, tip, missing)
        try:
            return await _move(place, tip, commit)
        except (Refused, Unavailable):
            # GitHub: 422 for a ref that exists, or that the commit does not follow; a lost answer may have moved it.
            now = (await _tip(place)).commit
            if now == tip.commit:
                raise
            if now == commit:
                return commit
    raise Unavailable(f"others move {BRANCH} all the time")


async def _tip(place: Place) -> Tip:
    try:
        ref = await place.installation.get(place.path("/git/ref/heads/{+name}", name=BRANCH))
    except NotFound:
        return Tip()
    sha = Sha(str(ref["object"]["sha"]))
    commit = await place.installation.get(place.path("/git/commits/{sha}", sha=sha))
    return Tip(sha, str(commit["tree"]["sha"]))


async def _is_there(place: Place, tip: Tip, path: str) -> bool:
    if tip.commit is None:
        return False
    try:
        await place.installation.get(place.path("/contents/{+path}", path=path), ref=tip.commit)
    except NotFound:
        return False
    return True


async def _child(place: Place, tip: Tip, files: dict[str, str]) -> Sha:
    """Make the commit that follows the tip, or the orphan that the branch begins with."""
    entries = [{"path": path, "mode": "100644", "type": "blob", "content": text} for path, text in files.items()]
    on_top = {"base_tree": tip.tree} if tip.tree is not None else {}
    tree = await place.installation.post(place.path("/git/trees"), {**on_top, "tree": entries})
    message = words.commit_message(tuple(files))
    parents = [tip.commit] if tip.commit is not None else []
    body = {"message": message, "tree": tree["sha"], "parents": parents}
    return Sha(str((await place.installation.post(place.path("/git/commits"), body))["sha"]))


async def _move(place: Place, tip: Tip, commit: Sha) -> Sha:
    if tip.commit is None:
        await place.installation.post(place.path("/git/refs"), {"ref": f"refs/heads/{BRANCH}", "sha": commit})
    else:
        body = {"sha": commit, "force": False}
        await place.installation.patch(place.path("/git/refs/heads/{+name}", name=BRANCH), body)
    return commit


def _written(place: Place, each: Handoff, commit: Sha) -> HandoffWritten:
    return HandoffWritten(
        number=each.report.number,
        decision_id=each.decision_id,
        path=each.path,
        commit=commit,
        at=place.clock.now(),
    )


def _refused(each: Handoff, reason: str) -> HandoffRefused:
    return HandoffRefused(number=each.report.number, decision_id=each.decision_id, reason=reason, path=each.path)
