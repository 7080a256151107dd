"""Reads of pull requests: one, its files, the one that a head belongs to, and all open ones for the regular look."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import assert_never
from urllib.parse import parse_qs, urlsplit

from bot.github import NotFound
from bot.objects import Json, NotUnderstood, pull_observed, seconds, understood
from bot.objects.pull_node import PULL_FIELDS, pull_of_node
from bot.work.observe.connections import nodes_of
from bot.work.observe.leftovers import own_branches
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import FindPull, ReadFiles, ReadPull, SweepPulls
from resolver.attribution.diff import ChangedFile, Status, read_patch
from resolver.facts import BaseMoved, Fact, PullFilesRead, PullObserved, RollupSeen
from resolver.facts.commands import PullTouched
from resolver.facts.orphans import OwnRefsSeen
from resolver.ids import PullNumber, RepoId, Sha

KEPT_CHANGES = 300
"""Of so many files the changed lines are kept; a diff that is larger than that accuses nobody by its lines. GitHub
itself lists 3,000 files of a pull request at most.
"""


async def look_at_pulls(place: Place, action: ReadPull | ReadFiles | FindPull | SweepPulls) -> Outcome:
    """Carry out one of these reads. Raises the errors of `bot.github.errors`."""
    match action:
        case ReadPull():
            return await read_pull(place, action)
        case ReadFiles():
            return await read_files(place, action)
        case FindPull():
            return await find_pull(place, action)
        case SweepPulls():
            return await sweep_pulls(place, action)
        case _:
            assert_never(action)


async def read_pull(place: Place, action: ReadPull) -> Outcome:
    """Read a pull request anew."""
    return Outcome((await _pull_at(place, action.number),))


async def read_files(place: Place, action: ReadFiles) -> Outcome:
    """List the files that a pull request changes; none if the head moved meanwhile."""
    listed = place.installation.pages(place.path("/pulls/{n}/files", n=action.number))
    items = [item async for item in listed]
    seen = _listed_for(items) or (await _pull_at(place, action.number)).head_sha
    if seen != action.head_sha:
        return Outcome((await _pull_at(place, action.number),), refused="the head moved while its files were read")
    read = PullFilesRead(
        number=action.number,
        head_sha=action.head_sha,
        files=tuple(str(item["filename"]) for item in items),
        changes=tuple(change(item) for item in items[:KEPT_CHANGES]),
        truncated=len(items) > KEPT_CHANGES,
    )
    return Outcome((read,))


async def _pull_at(place: Place, number: PullNumber) -> PullObserved:
    return pull_observed(await place.installation.get(place.path("/pulls/{n}", n=number)))


def _listed_for(items: Sequence[Json]) -> str | None:
    """Give the head that files were listed for. GitHub: it stands in each file's `contents_url`, after `?ref=`."""
    heads = {parse_qs(urlsplit(str(item.get("contents_url") or "")).query).get("ref", [""])[0] for item in items}
    return "several" if len(heads) > 1 else next(iter(heads), None)


def change(item: Json) -> ChangedFile:
    """Read one file of a diff as GitHub lists it, of a pull request or a comparison."""
    status: Status = item["status"] if item["status"] in ("added", "removed", "renamed") else "modified"
    return read_patch(str(item["filename"]), status, item.get("patch"), str(item.get("sha") or ""))


async def find_pull(place: Place, action: FindPull) -> Outcome:
    """Find the open pull request of a head by its owner and branch, as GitHub leaves it out for forks."""
    if action.head_owner is None or action.head_branch is None:
        return Outcome(refused="the run names neither the head's owner nor its branch")
    wanted = f"{action.head_owner}:{action.head_branch}"
    found = [
        pull_observed(item) async for item in place.installation.pages(place.path("/pulls"), head=wanted, state="open")
    ]
    return Outcome(tuple(pull for pull in found if pull.head_sha == action.head_sha))


VANISHED_AT_ONCE = 20
"""So many pull requests that are open no more are read at one regular look; the next one reads further."""

SWEEP = f"""
query($owner: String!, $name: String!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequests(states: OPEN, first: 50, after: $after, orderBy: {{field: CREATED_AT, direction: ASC}}) {{
      pageInfo {{ hasNextPage endCursor }}
      nodes {{
        {PULL_FIELDS} baseRef {{ target {{ oid }} }}
        commits(last: 1) {{ nodes {{ commit {{ statusCheckRollup {{
          contexts {{ checkRunCountsByState {{ state count }} statusContextCountsByState {{ state count }} }}
        }} checkSuites(last: 20) {{ nodes {{ updatedAt app {{ slug }} }} }} }} }} }}
      }}
    }}
  }}
}}
"""
"""One page for 50 open pull requests: what webhooks should have told, and how many checks failed, passed and run."""

ACTIONS = "github-actions"
"""The App under whose name Actions reports; failres's own suites do not count."""

FAILED = frozenset({"FAILURE", "ERROR", "TIMED_OUT", "STARTUP_FAILURE", "ACTION_REQUIRED"})


async def sweep_pulls(place: Place, action: SweepPulls) -> Outcome:
    """List all open pull requests with GitHub's count of their checks, and read those that are open no more; then, if
    asked, branches of failres's own.
    """
    facts: list[Fact] = []
    listed: set[int] = set()
    async for node in nodes_of(place, SWEEP, "pullRequests"):
        listed.add(int(node["number"]))
        facts.extend(_swept(node, place.repo.repo_id))
    for number in [each for each in action.open if each not in listed][:VANISHED_AT_ONCE]:
        with suppress(NotFound, NotUnderstood):
            facts.append(await _pull_at(place, number))
    if action.own_refs:
        refs = tuple([each async for each in own_branches(place)])
        facts.append(OwnRefsSeen(refs=refs, at=place.clock.now()))
    return Outcome(tuple(facts))


def _swept(node: Json, repo_id: RepoId) -> tuple[Fact, ...]:
    try:
        with understood("pull request of the regular look"):
            pull = pull_of_node(node, repo_id)
            commits = node["commits"]["nodes"]
            commit = commits[0]["commit"] if commits else {}
            counted = (_rollup(pull.head_sha, commit),) if commit.get("statusCheckRollup") else ()
            base = (node.get("baseRef") or {}).get("target") or {}
            moved = (BaseMoved(ref=pull.base_ref, sha=Sha(base["oid"]), config_touched=None),) if base else ()
            touched = PullTouched(number=pull.number, at=pull.updated_at)
            return (pull, touched, *moved, *counted)
    except NotUnderstood:
        return ()


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
