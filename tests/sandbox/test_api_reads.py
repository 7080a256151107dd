"""Every read of the API on a small world: the fixture checks each answer by GitHub's description."""

from __future__ import annotations

import base64

from bot.sandbox.changes import issues, labels, reviews, statuses
from tests.sandbox.lab import Lab

READS = """
    /repos/octo/app
    /repos/octo/app/branches
    /repos/octo/app/branches/feature
    /repos/octo/app/commits
    /repos/octo/app/commits?path=app.py&sha=feature
    /repos/octo/app/commits/feature
    /repos/octo/app/compare/main...feature
    /repos/octo/app/compare/feature...main
    /repos/octo/app/contents/app.py
    /repos/octo/app/contents/pkg?ref=feature
    /repos/octo/app/contents/
    /repos/octo/app/git/ref/heads/main
    /repos/octo/app/git/matching-refs/heads/f
    /repos/octo/app/git/trees/main?recursive=1
    /repos/octo/app/git/commits/{sha}
    /repos/octo/app/pulls?state=all
    /repos/octo/app/pulls/1
    /repos/octo/app/pulls/1/files
    /repos/octo/app/pulls/1/commits
    /repos/octo/app/pulls/1/reviews
    /repos/octo/app/commits/{sha}/pulls
    /repos/octo/app/issues?state=all
    /repos/octo/app/issues/1
    /repos/octo/app/issues/2
    /repos/octo/app/issues/1/comments
    /repos/octo/app/issues/comments/{comment}
    /repos/octo/app/issues/comments/{comment}/reactions
    /repos/octo/app/commits/{sha}/check-runs
    /repos/octo/app/commits/{sha}/check-suites
    /repos/octo/app/check-runs/{check}
    /repos/octo/app/check-runs/{check}/annotations
    /repos/octo/app/check-suites/{suite}
    /repos/octo/app/check-suites/{suite}/check-runs
    /repos/octo/app/commits/{sha}/status
    /repos/octo/app/commits/{sha}/statuses
    /repos/octo/app/actions/runs
    /repos/octo/app/actions/workflows
    /repos/octo/app/collaborators/author/permission
    /repos/octo/app/rules/branches/main
    /repos/octo/app/rulesets
    /repos/octo/app/rulesets/7
    /installation/repositories
    /rate_limit
"""
APP_READS = ("/app", "/app/installations", "/app/installations/{installation}", "/repos/octo/app/installation")
RULESET = {
    "id": 7,
    "name": "main",
    "enforcement": "active",
    "conditions": {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}},
    "rules": [
        {
            "type": "required_status_checks",
            "parameters": {
                "strict_required_status_checks_policy": False,
                "required_status_checks": [{"context": "test"}],
            },
        }
    ],
}


async def test_every_read_meets_the_description(lab: Lab) -> None:
    """All reads of a world with one of everything answer 200 in the described shape."""
    pull = lab.pull()
    act = lab.act()
    issues.open_issue(act, "A thought", "about this")
    labels.add_label(act, pull.number, "bug")
    reviews.submit_review(lab.act("maintainer"), pull, "APPROVED", "good")
    statuses.set_status(act, pull.head_sha, state="success", context="other/ci")
    lab.repo.rulesets.append(RULESET)
    base = "/repos/octo/app"
    comment = (await lab.post(f"{base}/issues/1/comments", {"body": "hello"})).body["id"]
    await lab.post(f"{base}/issues/comments/{comment}/reactions", {"content": "eyes"})
    annotation = {"path": "app.py", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "no"}
    output = {"title": "t", "summary": "s", "annotations": [annotation]}
    fields = {"name": "failres", "head_sha": pull.head_sha, "conclusion": "neutral", "output": output}
    check = (await lab.post(f"{base}/check-runs", fields)).body
    names = {"sha": pull.head_sha, "comment": comment, "check": check["id"], "suite": check["check_suite"]["id"]}
    lab.token = lab.app_token()
    for path in READS.split():
        answer = await lab.get(path.format(**names))
        assert answer.status == 200, (path, answer.body)
    for path in APP_READS:
        answer = await lab.get(path.format(installation=lab.installation.id), token=lab.jwt())
        assert answer.status == 200, (path, answer.body)


async def test_compare_tells_ahead_behind_and_diverged(lab: Lab) -> None:
    """`compare` counts from the merge base and lists the head's commits and files, a fork's branch included."""
    lab.pull("feature")
    answers = [
        (await lab.get(f"/repos/octo/app/compare/{pair}")).body
        for pair in ("main...main", "main...feature", "feature...main", "main...octo:feature")
    ]
    assert [one["status"] for one in answers] == ["identical", "ahead", "behind", "ahead"]
    assert [(one["ahead_by"], one["behind_by"]) for one in answers] == [(0, 0), (1, 0), (0, 1), (1, 0)]
    assert [file["filename"] for file in answers[1]["files"]] == ["app.py"]
    assert answers[1]["files"][0]["patch"] == "@@ -1 +1 @@\n-x = 1\n+x = 2"


async def test_contents_are_served_as_json_and_raw(lab: Lab) -> None:
    """The raw media type gives the bytes; JSON gives base64."""
    path = "/repos/octo/app/contents/pkg/mod.py"
    raw = await lab.get(path, headers={"Accept": "application/vnd.github.raw+json"})
    assert raw.raw == b"y = 1\n"
    shown = await lab.get(path)
    assert shown.body["encoding"] == "base64"
    assert base64.b64decode(shown.body["content"]) == b"y = 1\n"
    missing = await lab.get("/repos/octo/app/contents/no/such.py")
    assert missing.status == 404


async def test_unknown_routes_name_themselves(lab: Lab) -> None:
    """What the sandbox does not know is 501 with its own name, and a violation."""
    lab.expected.append("does not know")
    answer = await lab.get("/repos/octo/app/stargazers")
    assert answer.status == 501
    assert "GET /repos/octo/app/stargazers" in answer.body["message"]
    known_but_unbuilt = await lab.get("/repos/octo/app/branches/main/protection")
    assert "repos/get-branch-protection" in known_but_unbuilt.body["message"]
    assert len(lab.sandbox.violations) == 2


async def test_unknown_fields_and_queries_of_a_request_are_violations(lab: Lab) -> None:
    """A field that GitHub does not know is 422 and recorded; so is an unknown query parameter (recorded only)."""
    lab.expected += ["unknown field bodi", "unknown query perpage", "needs a body"]
    pull = lab.pull()
    path = f"/repos/octo/app/issues/{pull.number}/comments"
    assert (await lab.post(path, {"body": "x", "bodi": "y"})).status == 422
    assert (await lab.post(path)).status == 422
    assert (await lab.get(f"{path}?perpage=100")).status == 200
    assert len(lab.sandbox.violations) == 3
    assert lab.repo.comments == {}


async def test_broken_json_is_400(lab: Lab) -> None:
    """A body that is no JSON is `Problems parsing JSON`."""
    headers = {"Authorization": f"Bearer {lab.app_token()}", "User-Agent": "lab"}
    url = f"{lab.sandbox.api_url}/repos/octo/app/issues"
    async with lab.session.post(url, data=b"{", headers=headers) as response:
        assert response.status == 400
        assert (await response.json())["message"] == "Problems parsing JSON"


async def test_api_versions_and_user_agent(lab: Lab) -> None:
    """Another API version is 400, a call without User-Agent 403."""
    assert (await lab.get("/rate_limit", headers={"X-GitHub-Api-Version": "2022-11-28"})).status == 200
    assert (await lab.get("/rate_limit", headers={"X-GitHub-Api-Version": "1999-01-01"})).status == 400
    assert (await lab.get("/rate_limit", headers={"User-Agent": ""})).status == 403
