"""Merge queues over the API: GraphQL, and the rule that REST lists. Facts by their number in GITHUB.md."""

from __future__ import annotations

from typing import Any

from bot.sandbox.changes.queue import remove
from bot.sandbox.objects.nodes import node_id
from bot.sandbox.state import Act, Actor, Pull
from tests.sandbox.lab import Lab

ENQUEUE = """mutation($id: ID!, $head: GitObjectID) {
  enqueuePullRequest(input: {pullRequestId: $id, expectedHeadOid: $head}) {
    mergeQueueEntry { position state headCommit { oid } pullRequest { number headRefOid } } } }"""
DEQUEUE = "mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { mergeQueueEntry { position } } }"
QUEUE = """query($branch: String) { repository(owner: "octo", name: "app") { mergeQueue(branch: $branch) {
  configuration { checkResponseTimeout maximumEntriesToBuild mergeMethod mergingStrategy }
  entries(first: 10) { nodes { position state enqueuedAt baseCommit { oid } headCommit { oid }
    pullRequest { number headRefOid isInMergeQueue isMergeQueueEnabled mergeQueueEntry { position } } } } } } }"""

LEFT = """query { repository(owner: "octo", name: "app") { pullRequest(number: 1) {
  timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) { totalCount nodes {
    ... on RemovedFromMergeQueueEvent { id createdAt reason beforeCommit { oid } enqueuer { login } } } } } } }"""


async def ask(lab: Lab, query: str, **variables: Any) -> Any:
    """Post a query with the App's token; gives the body of the 200."""
    answer = await lab.post("/graphql", {"query": query, "variables": variables})
    assert answer.status == 200
    return answer.body


def queued(lab: Lab) -> tuple[Pull, str]:
    """A queue on main that no check keeps back, and a pull request with its node id."""
    lab.sandbox.people.merge_queue((), by="octo", repo=lab.repo)
    pull = lab.pull()
    return pull, node_id("PullRequest", lab.repo.id, pull.number)


async def test_trap_27_an_app_enqueues_with_two_permissions(lab: Lab) -> None:
    """`enqueuePullRequest` needs merge_queues:write and pull_requests:write; reading the queue merge_queues:read."""
    pull, identity = queued(lab)
    assert (await ask(lab, ENQUEUE, id=identity))["errors"][0]["type"] == "FORBIDDEN"
    assert (await ask(lab, QUEUE))["errors"][0]["type"] == "FORBIDDEN"
    lab.installation.permissions["merge_queues"] = "write"
    done = await ask(lab, ENQUEUE, id=identity, head=pull.head_sha)
    assert done["data"]["enqueuePullRequest"]["mergeQueueEntry"] == {
        "position": 1,
        "state": "QUEUED",
        "headCommit": None,
        "pullRequest": {"number": 1, "headRefOid": pull.head_sha},
    }
    assert lab.repo.queues["main"][0].enqueuer is lab.sandbox.app.bot


async def test_the_expected_head_and_the_state_are_checked(lab: Lab) -> None:
    """Another head, a second time, and a pull request that is not queued: UNPROCESSABLE with GitHub's reason."""
    lab.installation.permissions["merge_queues"] = "write"
    _, identity = queued(lab)
    other = lab.repo.git.branch("main")
    assert (await ask(lab, ENQUEUE, id=identity, head=other))["errors"][0]["type"] == "UNPROCESSABLE"
    assert (await ask(lab, DEQUEUE, id=identity))["errors"][0]["type"] == "UNPROCESSABLE"
    assert "errors" not in await ask(lab, ENQUEUE, id=identity)
    assert "already" in (await ask(lab, ENQUEUE, id=identity))["errors"][0]["message"]
    assert (await ask(lab, DEQUEUE, id=identity))["data"]["dequeuePullRequest"]["mergeQueueEntry"] == {"position": 0}
    assert lab.repo.queues["main"] == []


async def test_a_queue_shows_its_entries_with_their_groups(lab: Lab) -> None:
    """`headCommit.oid` is the way from a merge group's commit to its pull request (2.3)."""
    lab.installation.permissions["merge_queues"] = "read"
    pull, _ = queued(lab)
    assert (await ask(lab, QUEUE, branch="other"))["data"]["repository"]["mergeQueue"] is None
    lab.sandbox.people.enqueue(pull, by="author", repo=lab.repo)
    lab.sandbox.queues.frozen = True
    await lab.sandbox.advance()
    shown = (await ask(lab, QUEUE, branch="main"))["data"]["repository"]["mergeQueue"]
    group = lab.repo.queues["main"][0].group
    assert group is not None
    assert shown["configuration"] == {
        "checkResponseTimeout": 60,
        "maximumEntriesToBuild": 5,
        "mergeMethod": "MERGE",
        "mergingStrategy": "ALLGREEN",
    }
    (entry,) = shown["entries"]["nodes"]
    assert (entry["position"], entry["state"]) == (1, "MERGEABLE")
    assert (entry["baseCommit"]["oid"], entry["headCommit"]["oid"]) == (group.base_sha, group.head_sha)
    assert entry["pullRequest"] == {
        "number": 1,
        "headRefOid": pull.head_sha,
        "isInMergeQueue": True,
        "isMergeQueueEnabled": True,
        "mergeQueueEntry": {"position": 1},
    }


async def test_the_rule_stands_among_the_branchs_rules(lab: Lab) -> None:
    """`rules/branches/{branch}` needs only metadata:read and lists `merge_queue` with its parameters (1.10)."""
    queued(lab)
    rules = (await lab.get("/repos/octo/app/rules/branches/main")).body
    assert [rule["type"] for rule in rules] == ["merge_queue", "required_status_checks"]
    assert rules[0]["parameters"]["check_response_timeout_minutes"] == 60
    assert (await lab.get("/repos/octo/app/rules/branches/other")).body == []


async def test_runs_of_merge_groups_can_be_listed_by_their_event(lab: Lab) -> None:
    """`actions/runs?event=merge_group` finds them without a webhook; their branch names pull request and base."""
    pull, _ = queued(lab)
    text = "on: merge_group\njobs: {unit: {runs-on: ubuntu-latest, steps: [{run: 'true'}]}}\n"
    lab.sandbox.people.push("main", {".github/workflows/q.yml": text}, by="octo", repo=lab.repo)
    base = lab.repo.git.branch("main")
    lab.sandbox.ci.job("unit", lambda _: lab.outcome(failing=False))
    lab.sandbox.queues.frozen = True
    lab.sandbox.people.enqueue(pull, by="author", repo=lab.repo)
    await lab.sandbox.advance()
    runs = (await lab.get("/repos/octo/app/actions/runs?event=merge_group")).body["workflow_runs"]
    assert [run["head_branch"] for run in runs] == [f"gh-readonly-queue/main/pr-1-{base}"]
    assert (await lab.get("/repos/octo/app/actions/runs?event=push")).body["total_count"] == 0


async def test_the_conversation_keeps_why_an_entry_left(lab: Lab) -> None:
    """`RemovedFromMergeQueueEvent` has the reason in the conversation's own words; reading it needs no queue rights."""
    pull, _ = queued(lab)
    for by in ("author", "octo"):
        lab.sandbox.people.enqueue(pull, by="author", repo=lab.repo)
        lab.sandbox.queues.frozen = True
        await lab.sandbox.advance()
        group = lab.repo.queues["main"][0].group
        assert group is not None
        act = Act(lab.sandbox.github, lab.repo, Actor(lab.sandbox.people.account(by)))
        remove(act, "main", lab.repo.queues["main"][0], "MANUAL" if by == "author" else "CI_TIMEOUT")
    shown = (await ask(lab, LEFT))["data"]["repository"]["pullRequest"]["timelineItems"]
    assert shown["totalCount"] == 2
    (event,) = shown["nodes"]
    assert (event["reason"], event["enqueuer"]["login"]) == ("checks_timed_out", "author")
    assert event["beforeCommit"]["oid"] == group.head_sha
    lab.expected.append("only itemTypes")
    everything = LEFT.replace("REMOVED_FROM", "ADDED_TO")
    assert "only itemTypes" in (await ask(lab, everything))["errors"][0]["message"]
