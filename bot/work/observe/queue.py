"""Reads of merge queues: a base's rules, its queue with the newest runs of groups, a group's commit, and why a pull
request has left.
"""

from __future__ import annotations

from typing import Any

from bot.github import NotFound, PermissionMissing, QueryFailed
from bot.objects import NotUnderstood, run_observed, understood
from bot.objects.queue import left_queue, queue_read, rules_read
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.queue import ReadExit, ReadGroup, ReadQueue, ReadRules
from resolver.executions import MERGE_GROUP
from resolver.facts import Fact
from resolver.facts.queue import MergeGroupRead
from resolver.ids import Sha

QUEUE = """
query($owner: String!, $name: String!, $branch: String!) {
  repository(owner: $owner, name: $name) { mergeQueue(branch: $branch) {
    entries(first: 100) { nodes { enqueuedAt baseCommit { oid } headCommit { oid }
      pullRequest { number headRefOid } } } } } }
"""

LEFT = """
query($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) {
  pullRequest(number: $number) { timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) {
    nodes { ... on RemovedFromMergeQueueEvent { createdAt reason } } } } } }
"""

RUNS = 50
"""So many of the newest runs of merge groups are looked at; an entry that has left is in no list any more."""


async def read_rules(place: Place, action: ReadRules) -> Outcome:
    """Read the active rules of a branch. GitHub: needs no more than `metadata: read`; classic protection is not in it
    (GITHUB.md 1.10).
    """
    rules = [rule async for rule in place.installation.pages(place.path("/rules/branches/{+ref}", ref=action.ref))]
    return Outcome((rules_read(action.ref, rules),))


async def read_queue(place: Place, action: ReadQueue) -> Outcome:
    """List the queue and the newest runs of groups. Without `merge_queues: read` only this is not known."""
    facts: list[Fact] = []
    found = await place.installation.get(place.path("/actions/runs"), event=MERGE_GROUP, per_page=RUNS)
    for item in found["workflow_runs"]:
        try:
            facts.append(run_observed(item))
        except NotUnderstood:
            continue
    owner, _, name = place.repo.full_name.partition("/")
    try:
        data: dict[str, Any] = await place.installation.graphql(QUEUE, owner=owner, name=name, branch=action.ref)
    except (PermissionMissing, QueryFailed) as problem:
        return Outcome(tuple(facts), refused=str(problem), retry_at=place.clock.now() + place.pace.refusal_rest)
    if data.get("repository") is None:
        raise NotFound(place.path(""), "the repository is gone, or hidden from this App")
    with understood("merge queue"):
        facts.append(queue_read(action.ref, data["repository"]["mergeQueue"], place.clock.now()))
    return Outcome(tuple(facts))


async def read_group(place: Place, action: ReadGroup) -> Outcome:
    """Read of which commits a group was made; its branch may be gone, the commit is not."""
    commit = await place.installation.get(place.path("/git/commits/{sha}", sha=action.group))
    parents = tuple(Sha(str(parent["sha"])) for parent in commit["parents"])
    return Outcome((MergeGroupRead(head_sha=action.group, number=action.number, parents=parents),))


async def read_exit(place: Place, action: ReadExit) -> Outcome:
    """Read in the conversation why a pull request has left its queue. GitHub: the reason is in GraphQL alone; the
    event may come later than the list without the entry, and then this tells nothing.
    """
    owner, _, name = place.repo.full_name.partition("/")
    try:
        data = await place.installation.graphql(LEFT, owner=owner, name=name, number=action.number)
    except QueryFailed as problem:
        return Outcome(refused=str(problem), retry_at=place.clock.now() + place.pace.refusal_rest)
    pull = (data.get("repository") or {}).get("pullRequest")
    if pull is None:
        return Outcome(refused="the pull request is gone")
    with understood("merge queue exit"):
        left = left_queue(action.number, action.head_sha, action.entered_at, pull["timelineItems"]["nodes"])
    return Outcome((left,) if left is not None else ())
