"""Reads of pull requests: one, its files, the one that a head belongs to, and all open ones for the regular look."""

from __future__ import annotations

from typing import Any

from bot.github import NotFound
from bot.objects import Json, NotUnderstood, pull_observed, seconds, understood
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import FindPull, ReadFiles, ReadPull, SweepPulls
from resolver.attribution.diff import ChangedFile, Status, read_patch
from resolver.command_facts import PullTouched
from resolver.facts import BaseMoved, Fact, PullFilesRead, PullObserved, RollupSeen
from resolver.ids import PullNumber, RepoId, Sha
from resolver.people import Person

LISTED_FILES = 3_000
"""GitHub lists no more files of a pull request than this."""

KEPT_CHANGES = 300
"""Of so many files the changed lines are kept; a diff that is larger than that accuses nobody by its lines."""

GHOST = Person(id=10137, login="ghost")


async def read_pull(place: Place, action: ReadPull) -> Outcome:
    """Read a pull request anew."""
    return Outcome((pull_observed(await place.installation.get(place.path("/pulls/{n}", n=action.number))),))


async def read_files(place: Place, action: ReadFiles) -> Outcome:
    """List the files that a pull request changes; none if the head moved meanwhile."""
    pull = pull_observed(await place.installation.get(place.path("/pulls/{n}", n=action.number)))
    if pull.head_sha != action.head_sha:
        return Outcome((pull,), refused="the head moved while its files were read")
    listed = place.installation.pages(place.path("/pulls/{n}/files", n=action.number))
    items = [item async for item in listed]
    read = PullFilesRead(
        number=action.number,
        head_sha=action.head_sha,
        files=tuple(str(item["filename"]) for item in items),
        changes=tuple(_change(item) for item in items[:KEPT_CHANGES]),
        truncated=len(items) >= min(LISTED_FILES, KEPT_CHANGES),
    )
    return Outcome((pull, read))


def _change(item: Json) -> ChangedFile:
    status: Status = item["status"] if item["status"] in ("added", "removed", "renamed") else "modified"
    return read_patch(str(item["filename"]), status, item.get("patch"))


async def find_pull(place: Place, action: FindPull) -> Outcome:
    """Find the open pull request of a head by its owner and branch, as GitHub leaves it out for forks."""
    if action.head_owner is None or action.head_branch is None:
        return Outcome(refused="the run names neither the head's owner nor its branch")
    wanted = f"{action.head_owner}:{action.head_branch}"
    found = [
        pull_observed(item) async for item in place.installation.pages(place.path("/pulls"), head=wanted, state="open")
    ]
    return Outcome(tuple(pull for pull in found if pull.head_sha == action.head_sha))


SWEEP = """
query($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequests(states: OPEN, first: 50, after: $after, orderBy: {field: CREATED_AT, direction: ASC}) {
      pageInfo { hasNextPage endCursor }
      nodes {
        number title isDraft updatedAt headRefName headRefOid baseRefName baseRef { target { oid } }
        author { login __typename ... on User { databaseId } ... on Bot { databaseId } }
        headRepository { databaseId owner { login } }
        labels(first: 50) { nodes { name } }
        commits(last: 1) { nodes { commit { statusCheckRollup {
          contexts { checkRunCountsByState { state count } statusContextCountsByState { state count } }
        } checkSuites(last: 20) { nodes { updatedAt app { slug } } } } } }
      }
    }
  }
}
"""
"""One page for 50 open pull requests: what webhooks should have told, and how many checks failed, passed and run."""

ACTIONS = "github-actions"
"""The App under whose name Actions reports; failres's own suites do not count."""

FAILED = frozenset({"FAILURE", "ERROR", "TIMED_OUT", "STARTUP_FAILURE", "ACTION_REQUIRED"})


async def sweep_pulls(place: Place, _action: SweepPulls) -> Outcome:
    """List all open pull requests with GitHub's count of their checks."""
    owner, _, name = place.repo.full_name.partition("/")
    facts: list[Fact] = []
    after: str | None = None
    while True:
        data = await place.installation.graphql(SWEEP, owner=owner, name=name, after=after)
        if data.get("repository") is None:
            raise NotFound(place.path(""), "the repository is gone, or hidden from this App")
        page = data["repository"]["pullRequests"]
        for node in page["nodes"]:
            facts.extend(_swept(node))
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            return Outcome(tuple(facts))


def _swept(node: Json) -> tuple[Fact, ...]:
    try:
        with understood("pull request of the regular look"):
            pull = _pull(node)
            commits = node["commits"]["nodes"]
            commit = commits[0]["commit"] if commits else {}
            counted = (_rollup(pull.head_sha, commit),) if commit.get("statusCheckRollup") else ()
            base = (node.get("baseRef") or {}).get("target") or {}
            moved = (BaseMoved(ref=pull.base_ref, sha=Sha(base["oid"]), config_touched=None),) if base else ()
            touched = PullTouched(number=pull.number, at=pull.updated_at)
            return (pull, touched, *moved, *counted)
    except NotUnderstood:
        return ()


def _pull(node: Json) -> PullObserved:
    author: dict[str, Any] = node.get("author") or {}
    home: dict[str, Any] = node.get("headRepository") or {}
    login = str(author.get("login") or GHOST.login)
    bot = author.get("__typename") == "Bot"
    return PullObserved(
        number=PullNumber(int(node["number"])),
        title=str(node["title"]),
        author=Person(
            id=int(author.get("databaseId") or GHOST.id),
            login=f"{login}[bot]" if bot and not login.endswith("[bot]") else login,
            type="Bot" if bot else "User",
        ),
        head_sha=Sha(str(node["headRefOid"])),
        head_ref=str(node["headRefName"]),
        head_repo_id=RepoId(int(home["databaseId"])) if home.get("databaseId") else None,
        head_owner=(home.get("owner") or {}).get("login"),
        base_ref=str(node["baseRefName"]),
        state="open",
        updated_at=seconds(node["updatedAt"]) or 0.0,
        draft=bool(node.get("isDraft")),
        labels=tuple(sorted(str(label["name"]) for label in node["labels"]["nodes"])),
    )


def _rollup(head: Sha, commit: Json) -> RollupSeen:
    contexts = commit["statusCheckRollup"]["contexts"]
    counts = [
        *(contexts.get("checkRunCountsByState") or ()),
        *(contexts.get("statusContextCountsByState") or ()),
    ]
    failed = sum(int(entry["count"]) for entry in counts if entry["state"] in FAILED)
    passed = sum(int(entry["count"]) for entry in counts if entry["state"] == "SUCCESS")
    running = sum(int(entry["count"]) for entry in counts if entry["state"] == "IN_PROGRESS")
    suites = (commit.get("checkSuites") or {}).get("nodes") or ()
    times = [seconds(suite["updatedAt"]) or 0.0 for suite in suites if (suite.get("app") or {}).get("slug") == ACTIONS]
    changed_at = max(times, default=None)
    return RollupSeen(head_sha=head, failed=failed, passed=passed, running=running, changed_at=changed_at)
