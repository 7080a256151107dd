"""GraphQL against GitHub's schema. Facts from GITHUB.md 2 and 5.28."""

from __future__ import annotations

from typing import Any

from bot.sandbox.changes import accounts, comments, pushes, repositories
from bot.sandbox.faults import Fault
from bot.sandbox.objects.nodes import node_id
from tests.sandbox.lab import Lab

PAGE = """
query($owner: String!, $name: String!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    databaseId
    pullRequests(states: OPEN, first: $first, after: $after, orderBy: {field: CREATED_AT, direction: ASC}) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id number title isDraft state headRefName headRefOid baseRefName isCrossRepository mergeable
        author { __typename login ... on User { databaseId } ... on Bot { databaseId } }
        headRepository { nameWithOwner owner { login } }
        labels(first: 10) { nodes { name } }
        commits(last: 1) { nodes { commit { oid statusCheckRollup { state
          contexts { checkRunCountsByState { state count } } } } } }
      }
    }
  }
}
"""


async def ask(lab: Lab, query: str, **variables: Any) -> Any:
    """Post a query with the App's token; gives the body of the 200."""
    answer = await lab.post("/graphql", {"query": query, "variables": variables}, token=variables.pop("token", ""))
    assert answer.status == 200
    return answer.body


async def test_open_pull_requests_page_by_page(lab: Lab) -> None:
    """The sweep's query gives heads, bases, labels and check counts of all open pull requests, page by page."""
    pulls = [lab.pull(f"branch-{number}", {f"f{number}.py": "1\n"}) for number in range(3)]
    fields = {"name": "x", "head_sha": pulls[0].head_sha, "conclusion": "failure"}
    await lab.post("/repos/octo/app/check-runs", fields)
    await lab.post("/repos/octo/app/issues/1/labels", {"labels": ["bug"]})
    nodes: list[Any] = []
    after = None
    while True:
        body = await ask(lab, PAGE, owner="octo", name="app", first=2, after=after)
        page = body["data"]["repository"]["pullRequests"]
        nodes += page["nodes"]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert [node["number"] for node in nodes] == [1, 2, 3]
    assert [node["headRefOid"] for node in nodes] == [pull.head_sha for pull in pulls]
    assert nodes[0]["labels"]["nodes"] == [{"name": "bug"}]
    rollup = nodes[0]["commits"]["nodes"][0]["commit"]["statusCheckRollup"]
    assert rollup == {"state": "FAILURE", "contexts": {"checkRunCountsByState": [{"state": "FAILURE", "count": 1}]}}
    assert nodes[1]["commits"]["nodes"][0]["commit"]["statusCheckRollup"] is None


REFS = """
query($part: String, $after: String) { repository(owner: "octo", name: "app") {
  refs(refPrefix: "refs/heads/", query: $part, first: 1, after: $after) {
    totalCount pageInfo { hasNextPage endCursor } nodes { name target { oid } } } } }
"""


async def test_branches_are_found_by_a_part_of_their_name(lab: Lab) -> None:
    """`refs(query:)` of GITHUB.md 2's schema: wherever the part stands in the name, one page at a time."""
    for name in ("topic/one", "one", "two"):
        lab.pull(name, {f"{len(name)}.py": "1\n"})
    first = (await ask(lab, REFS, part="ONE"))["data"]["repository"]["refs"]
    assert (first["totalCount"], first["nodes"][0]["name"], first["pageInfo"]["hasNextPage"]) == (2, "one", True)
    again = await ask(lab, REFS, part="ONE", after=first["pageInfo"]["endCursor"])
    assert [each["name"] for each in again["data"]["repository"]["refs"]["nodes"]] == ["topic/one"]


async def test_trap_30_mergeable_is_unknown_first(lab: Lab) -> None:
    """The first question starts the job that finds out; a conflict is CONFLICTING afterwards."""
    pull = lab.pull()
    query = "query($id: ID!) { node(id: $id) { ... on PullRequest { mergeable mergeStateStatus } } }"
    identity = node_id("PullRequest", lab.repo.id, pull.number)
    pushes.push_files(lab.act(), "main", {"app.py": "x = 3\n"}, "Move the base")
    shown = [(await ask(lab, query, id=identity))["data"]["node"] for _ in range(2)]
    assert shown[0]["mergeable"] == "UNKNOWN"
    assert shown[1] == {"mergeable": "CONFLICTING", "mergeStateStatus": "DIRTY"}


async def test_comments_are_minimized_and_shown_again(lab: Lab) -> None:
    """A comment hides as resolved and comes back; REST tells it too."""
    pull = lab.pull()
    path = f"/repos/octo/app/issues/{pull.number}/comments"
    comment = (await lab.post(path, {"body": "hello"})).body
    hide = """mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: RESOLVED}) {
      minimizedComment { isMinimized minimizedReason } } }"""
    hidden = await ask(lab, hide, id=comment["node_id"])
    assert hidden["data"]["minimizeComment"]["minimizedComment"] == {"isMinimized": True, "minimizedReason": "resolved"}
    assert (await lab.get(path)).body[0]["minimized"] == {"reason": "resolved"}
    show = "mutation($id: ID!) { unminimizeComment(input: {subjectId: $id}) { unminimizedComment { isMinimized } } }"
    shown = await ask(lab, show, id=comment["node_id"])
    assert shown["data"]["unminimizeComment"]["unminimizedComment"] == {"isMinimized": False}
    outsider = lab.sandbox.user_token("outsider")
    refused = await lab.post("/graphql", {"query": hide, "variables": {"id": comment["node_id"]}}, token=outsider)
    assert refused.body["errors"][0]["type"] == "FORBIDDEN"
    assert refused.body["data"] == {"minimizeComment": None}


async def test_update_branch_can_rebase(lab: Lab) -> None:
    """`updatePullRequestBranch` with REBASE replays the head on the base, keeping authors; a wrong head is refused."""
    pull = lab.pull(files={"new.py": "n = 1\n"})
    pushes.push_files(lab.act(), "main", {"README.md": "# moved\n"}, "Move the base")
    base = lab.repo.git.branch("main")
    mutation = """mutation($id: ID!, $head: GitObjectID) { updatePullRequestBranch(
      input: {pullRequestId: $id, expectedHeadOid: $head, updateMethod: REBASE}) { pullRequest { headRefOid } } }"""
    identity = node_id("PullRequest", lab.repo.id, pull.number)
    refused = await ask(lab, mutation, id=identity, head=base)
    assert refused["errors"][0]["type"] == "UNPROCESSABLE"
    done = await ask(lab, mutation, id=identity, head=pull.head_sha)
    tip = lab.repo.git.commit(pull.head_sha)
    assert done["data"]["updatePullRequestBranch"]["pullRequest"]["headRefOid"] == tip.sha
    assert (tip.parents, tip.author.name) == ((base,), "author")
    assert lab.repo.git.read(tip.sha, "new.py") == b"n = 1\n"


async def test_trap_29_an_app_cannot_update_a_forks_branch(lab: Lab) -> None:
    """The head repository of a fork is not the installation's, so that its branch is out of reach."""
    fork = repositories.fork(lab.sandbox.github, lab.repo, lab.people["outsider"])
    act = lab.act("outsider", fork)
    pushes.push_files(act, "patch", {"new.py": "1\n"}, "From the fork")
    opened = await lab.post(
        "/repos/octo/app/pulls",
        {"title": "t", "head": "outsider:patch", "base": "main"},
        token=lab.sandbox.user_token("outsider"),
    )
    assert (opened.status, opened.body["head"]["repo"]["full_name"]) == (201, "outsider/app")
    pushes.push_files(lab.act(), "main", {"README.md": "# moved\n"}, "Move the base")
    rest = await lab.call("PUT", f"/repos/octo/app/pulls/{opened.body['number']}/update-branch", {})
    assert rest.status == 403
    mutation = "mutation($id: ID!) { updatePullRequestBranch(input: {pullRequestId: $id}) { pullRequest { id } } }"
    assert (await ask(lab, mutation, id=opened.body["node_id"]))["errors"][0]["type"] == "FORBIDDEN"


async def test_what_cannot_be_found_or_seen_is_told_as_not_found(lab: Lab) -> None:
    """NOT_FOUND with GitHub's words, for what is missing and for what is private."""
    stranger = accounts.add_account(lab.sandbox.github, "stranger", "Organization")
    repositories.create_repository(lab.sandbox.github, stranger, "hidden", {"a": "b"}, private=True)
    query = "query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id } }"
    for owner, name in (("octo", "nowhere"), ("stranger", "hidden")):
        body = await ask(lab, query, owner=owner, name=name)
        assert body["data"] == {"repository": None}
        assert body["errors"][0]["type"] == "NOT_FOUND"
        assert f"'{owner}/{name}'" in body["errors"][0]["message"]


async def test_a_query_that_does_not_fit_the_schema_is_a_violation(lab: Lab) -> None:
    """An unknown field is refused by the schema and recorded."""
    lab.expected.append("Cannot query field 'nmae'")
    body = await ask(lab, '{ repository(owner: "octo", name: "app") { nmae } }')
    assert "Cannot query field 'nmae'" in body["errors"][0]["message"]
    assert "data" not in body
    assert len(lab.sandbox.violations) == 1


async def test_trap_28_errors_beside_data_and_effects_despite_errors(lab: Lab) -> None:
    """GraphQL gives partial data with errors, a transient error, an HTML 502, and an error after the effect."""
    pull = lab.pull()
    comment = comments.add_comment(lab.act(), pull.number, "x")
    two = """query($good: ID!) { good: node(id: $good) { id } bad: node(id: "IC_bm90aGluZw") { id } }"""
    good = node_id("PullRequest", lab.repo.id, pull.number)
    partial = await ask(lab, two, good=good)
    assert partial["data"] == {"good": {"id": good}, "bad": None}
    assert [error["path"] for error in partial["errors"]] == [["bad"]]
    trouble = {"errors": [{"message": "Something went wrong while executing your query."}]}
    lab.sandbox.faults.add(Fault("POST", "/graphql", how="replace", status=200, body=trouble))
    hide = """mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) {
      minimizedComment { isMinimized } } }"""
    assert await ask(lab, hide, id=node_id("IssueComment", lab.repo.id, comment.id)) == trouble
    assert comment.minimized == "OUTDATED"
    lab.sandbox.faults.add(Fault("POST", "/graphql", status=502))
    broken = await lab.post("/graphql", {"query": "{ rateLimit { remaining } }"})
    assert (broken.status, broken.body) == (502, None)


async def test_database_ids_are_32_bits(lab: Lab) -> None:
    """A comment's id no longer fits `databaseId`, a repository's does (GITHUB.md 2.3)."""
    pull = lab.pull()
    comment = comments.add_comment(lab.act(), pull.number, "x")
    query = "query($id: ID!) { node(id: $id) { ... on IssueComment { databaseId body } } }"
    shown = await ask(lab, query, id=node_id("IssueComment", lab.repo.id, comment.id))
    assert shown["data"]["node"] == {"databaseId": None, "body": "x"}
    body = await ask(lab, '{ repository(owner: "octo", name: "app") { databaseId } }')
    assert body["data"]["repository"]["databaseId"] == lab.repo.id


async def test_graphql_needs_a_token(lab: Lab) -> None:
    """Without credentials it is 401."""
    assert (await lab.post("/graphql", {"query": "{ rateLimit { remaining } }"}, token=None)).status == 401


FILE = """
query($owner: String!, $name: String!, $path: String!) {
  repository(owner: $owner, name: $name) { pullRequest(number: 1) {
    autoMergeRequest { enabledAt }
    baseRef { target { ... on Commit { file(path: $path) { mode type object { ... on Blob { byteSize isBinary isTruncated text } } } } } }
  } }
}
"""


async def test_a_pull_requests_base_shows_its_files(lab: Lab) -> None:
    """A text with its git mode, no text of a binary file, nothing where there is no file; auto-merge where it is armed."""
    pushes.push_files(lab.act(), "main", {"a.yml": "x: 1\n", "b.bin": b"\0\1"}, "Add files")
    pull = lab.pull("branch", {"f.py": "1\n"})
    shown = [await ask(lab, FILE, owner="octo", name="app", path=path) for path in ("a.yml", "b.bin", "no.yml")]
    read = [one["data"]["repository"]["pullRequest"]["baseRef"]["target"]["file"] for one in shown]
    assert read[0] == {
        "mode": 0o100644,
        "type": "blob",
        "object": {"byteSize": 5, "isBinary": False, "isTruncated": False, "text": "x: 1\n"},
    }
    assert (read[1]["object"]["text"], read[2]) == (None, None)
    assert shown[0]["data"]["repository"]["pullRequest"]["autoMergeRequest"] is None
    pull.auto_merge = {"merge_method": "merge"}
    armed = await ask(lab, FILE, owner="octo", name="app", path="a.yml")
    assert armed["data"]["repository"]["pullRequest"]["autoMergeRequest"] == {"enabledAt": None}


async def test_a_pull_request_that_is_not_there_is_an_error_of_its_kind(lab: Lab) -> None:
    """GitHub: `Could not resolve to a PullRequest with the number of 7.`, type NOT_FOUND."""
    query = '{ repository(owner: "octo", name: "app") { pullRequest(number: 7) { id } } }'
    body = await ask(lab, query)
    assert [(each["type"], each["message"]) for each in body["errors"]] == [
        ("NOT_FOUND", "Could not resolve to a PullRequest with the number of 7.")
    ]
