"""Pull requests, comments, labels and reactions. Facts from GITHUB.md 1.8, 4 and 5."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.sandbox.changes import checks, pulls, pushes
from bot.sandbox.state import Happening
from tests.sandbox.lab import Lab

REPO = "/repos/octo/app"


async def test_trap_30_mergeable_is_null_first(lab: Lab) -> None:
    """Null at first, then computed; null again when head or base moves; for ever once merged."""
    pull = lab.pull(files={"new.py": "1\n"})
    path = f"{REPO}/pulls/{pull.number}"

    async def seen() -> tuple[Any, str]:
        body = (await lab.get(path)).body
        return body["mergeable"], body["mergeable_state"]

    assert [await seen(), await seen()] == [(None, "unknown"), (True, "clean")]
    pushes.push_files(lab.act(), "main", {"new.py": "2\n"}, "Take the name")
    assert [await seen(), await seen()] == [(None, "unknown"), (False, "dirty")]
    pushes.push_files(lab.act(), "feature", {"new.py": None}, "Give it up")
    pushes.push_files(lab.act(), "main", {"new.py": None}, "Give it up too")
    assert [await seen(), await seen()] == [(None, "unknown"), (True, "clean")]
    await pulls.merge_pull(lab.act(), pull)
    assert [await seen() for _ in range(3)] == [(None, "unknown")] * 3


async def test_opening_is_refused_as_github_does(lab: Lab) -> None:
    """No such branch, nothing to merge, one that is open already, a bad fork: 422 with the field."""
    lab.pull()
    for body, words in (
        ({"head": "nowhere", "base": "main"}, "head"),
        ({"head": "feature", "base": "nowhere"}, "base"),
        ({"head": "main", "base": "main"}, "No commits between main and main"),
        ({"head": "feature", "base": "main"}, "A pull request already exists for octo:feature."),
        ({"head": "nobody:feature", "base": "main"}, "head"),
    ):
        answer = await lab.post(f"{REPO}/pulls", {"title": "t", **body})
        assert (answer.status, answer.body["message"]) == (422, "Validation Failed")
        assert words in str(answer.body["errors"])


async def test_a_push_synchronizes_and_closing_follows_branches(lab: Lab) -> None:
    """A push to the head tells `synchronize` with before and after; a deleted head branch closes it."""
    pull = lab.pull()
    before = pull.head_sha
    heard: list[Happening] = []
    lab.sandbox.github.listeners.append(heard.append)
    after = pushes.push_files(lab.act(), "feature", {"more.py": "1\n"}, "More")
    told = next(one for one in heard if one.event == "pull_request")
    assert (told.action, told.subject["before"], told.subject["after"]) == ("synchronize", before, after)
    assert lab.repo.git.refs.read(f"refs/pull/{pull.number}/head") == after
    assert (await lab.call("DELETE", f"{REPO}/git/refs/heads/feature")).status == 204
    assert (await lab.get(f"{REPO}/pulls/{pull.number}")).body["state"] == "closed"
    reopened = await lab.call("PATCH", f"{REPO}/pulls/{pull.number}", {"state": "open"})
    assert reopened.status == 422


@pytest.mark.parametrize(("method", "parents"), [("merge", 2), ("squash", 1), ("rebase", 1)])
async def test_merging_in_three_ways(lab: Lab, method: str, parents: int) -> None:
    """Merge, squash and rebase land as GitHub lands them; another head is 409, a second merge 405."""
    pull = lab.pull(files={"new.py": "1\n"})
    pushes.push_files(lab.act(), "main", {"README.md": "# moved\n"}, "Move the base")
    path = f"{REPO}/pulls/{pull.number}/merge"
    assert (await lab.call("PUT", path, {"sha": "0" * 40})).status == 409
    merged = await lab.call("PUT", path, {"merge_method": method, "sha": pull.head_sha})
    assert (merged.status, merged.body["sha"]) == (200, lab.repo.git.branch("main"))
    landed = lab.repo.git.commit(merged.body["sha"])
    assert len(landed.parents) == parents
    assert lab.repo.git.read(landed.sha, "new.py") == b"1\n"
    assert lab.repo.git.read(landed.sha, "README.md") == b"# moved\n"
    shown = (await lab.get(f"{REPO}/pulls/{pull.number}")).body
    assert (shown["merged"], shown["state"], shown["merge_commit_sha"]) == (True, "closed", landed.sha)
    assert (await lab.call("PUT", path, {})).status == 405


async def test_a_conflict_is_not_merged(lab: Lab) -> None:
    """405, and nothing moves."""
    pull = lab.pull()
    pushes.push_files(lab.act(), "main", {"app.py": "x = 3\n"}, "Conflict")
    before = lab.repo.git.branch("main")
    assert (await lab.call("PUT", f"{REPO}/pulls/{pull.number}/merge", {})).status == 405
    assert lab.repo.git.branch("main") == before


async def test_update_branch_merges_the_base(lab: Lab) -> None:
    """202 and a merge commit on the head; the wrong head is 422; nothing to do is 422; a conflict is 422."""
    pull = lab.pull(files={"new.py": "1\n"})
    path = f"{REPO}/pulls/{pull.number}/update-branch"
    assert (await lab.call("PUT", path, {})).status == 422
    base = pushes.push_files(lab.act(), "main", {"README.md": "# moved\n"}, "Move the base")
    head = pull.head_sha
    assert (await lab.call("PUT", path, {"expected_head_sha": base})).status == 422
    assert (await lab.call("PUT", path, {"expected_head_sha": head})).status == 202
    assert lab.repo.git.commit(pull.head_sha).parents == (head, base)
    pushes.push_files(lab.act(), "main", {"new.py": "2\n"}, "Conflict")
    assert (await lab.call("PUT", path, {})).status == 422


async def test_trap_29_workflow_files_need_a_permission_of_their_own(lab: Lab) -> None:
    """An App without workflows:write may not move a branch to other workflow files; with it it may."""
    act = lab.act()
    tree = {".github/workflows/ci.yml": "on: push\njobs: {}\n"}
    commit = lab.repo.git.commit_files(lab.repo.git.branch("main"), tree, "Add CI", act.by.account.signature(act.now))
    body = {"ref": "refs/heads/with-ci", "sha": commit}
    refused = await lab.post(f"{REPO}/git/refs", body)
    assert refused.status == 403
    assert "without `workflows` permission" in refused.body["message"]
    assert (await lab.post(f"{REPO}/git/refs", body, token=lab.sandbox.user_token("author"))).status == 201


async def test_trap_36_a_comment_has_at_most_65536_characters(lab: Lab) -> None:
    """One more is 422 with GitHub's words, when it is written and when it is edited."""
    pull = lab.pull()
    path = f"{REPO}/issues/{pull.number}/comments"
    longest = "é" * 65_536
    comment = await lab.post(path, {"body": longest})
    assert (comment.status, comment.body["body"]) == (201, longest)
    for answer in (
        await lab.post(path, {"body": longest + "."}),
        await lab.call("PATCH", f"{REPO}/issues/comments/{comment.body['id']}", {"body": longest + "."}),
        await lab.post(path, {"body": " \n"}),
    ):
        assert answer.status == 422
        assert "body" in answer.body["errors"][0]["message"]
    assert "maximum is 65536 characters" in (await lab.post(path, {"body": longest + "."})).body["errors"][0]["message"]


async def test_an_app_edits_only_its_own_comments(lab: Lab) -> None:
    """Its own it edits and deletes, a person's it may not touch; both are told with the App where it wrote."""
    pull = lab.pull()
    path = f"{REPO}/issues/{pull.number}/comments"
    own = (await lab.post(path, {"body": "mine"})).body
    theirs = (await lab.post(path, {"body": "mine"}, token=lab.sandbox.user_token("author"))).body
    assert (own["performed_via_github_app"]["slug"], own["user"]["login"]) == ("failres", "failres[bot]")
    assert theirs["performed_via_github_app"] is None
    one = f"{REPO}/issues/comments/"
    assert (await lab.call("PATCH", f"{one}{own['id']}", {"body": "changed"})).body["body"] == "changed"
    assert (await lab.call("PATCH", f"{one}{theirs['id']}", {"body": "changed"})).status == 403
    assert (await lab.call("DELETE", f"{one}{own['id']}")).status == 204
    assert (await lab.call("GET", f"{one}{own['id']}")).status == 404


async def test_reactions_are_made_once(lab: Lab) -> None:
    """201 for a new reaction, 200 for one that is there."""
    pull = lab.pull()
    comment = (await lab.post(f"{REPO}/issues/{pull.number}/comments", {"body": "x"})).body["id"]
    path = f"{REPO}/issues/comments/{comment}/reactions"
    assert [(await lab.post(path, {"content": "rocket"})).status for _ in range(2)] == [201, 200]
    assert (await lab.get(f"{path}?content=rocket")).body[0]["user"]["login"] == "failres[bot]"
    assert (await lab.post(f"{REPO}/issues/{pull.number}/reactions", {"content": "+1"})).status == 201


async def test_labels_are_put_on_and_taken_off(lab: Lab) -> None:
    """An unknown label is made; taking off what is not on is 404; a label's name may hold a colon and slash."""
    pull = lab.pull()
    path = f"{REPO}/issues/{pull.number}/labels"
    assert [one["name"] for one in (await lab.post(path, {"labels": ["failres:stop/now", "bug"]})).body] == [
        "failres:stop/now",
        "bug",
    ]
    off = await lab.call("DELETE", f"{path}/failres:stop%2Fnow")
    assert (off.status, [one["name"] for one in off.body]) == (200, ["bug"])
    assert (await lab.call("DELETE", f"{path}/failres:stop%2Fnow")).status == 404
    assert (await lab.post(f"{REPO}/labels", {"name": "BUG"})).status == 422


async def test_issues_are_opened_edited_and_closed(lab: Lab) -> None:
    """Each step is told with the old value."""
    heard: list[Happening] = []
    lab.sandbox.github.listeners.append(heard.append)
    number = (await lab.post(f"{REPO}/issues", {"title": "A", "body": "b", "labels": ["bug"]})).body["number"]
    answer = await lab.call("PATCH", f"{REPO}/issues/{number}", {"title": "B", "state": "closed", "labels": []})
    assert (answer.body["title"], answer.body["state"], answer.body["labels"]) == ("B", "closed", [])
    assert [one.action for one in heard if one.event == "issues"] == [
        "opened",
        "labeled",
        "edited",
        "closed",
        "unlabeled",
    ]
    assert next(one for one in heard if one.action == "edited").subject["changes"] == {"title": {"from": "A"}}


async def test_files_of_a_pull_request_are_those_since_the_merge_base(lab: Lab) -> None:
    """What the base brought meanwhile is not listed; renames and binaries are told as git sees them."""
    files = {"pkg/mod.py": None, "pkg/renamed.py": "y = 1\n", "image.bin": b"\0\1", "app.py": "x = 2\n"}
    pushes.push_files(lab.act(), "feature", files, "Change")
    pull = pulls.open_pull(lab.act(), title="t", head="feature", base="main")
    pushes.push_files(lab.act(), "main", {"elsewhere.py": "1\n"}, "Move the base")
    listed = (await lab.get(f"{REPO}/pulls/{pull.number}/files")).body
    shown = [(one["filename"], one["status"], "patch" in one, one.get("previous_filename")) for one in listed]
    assert shown == [
        ("app.py", "modified", True, None),
        ("image.bin", "added", False, None),
        ("pkg/renamed.py", "renamed", False, "pkg/mod.py"),
    ]


@pytest.mark.parametrize(
    ("conclusion", "merges"),
    [("success", True), ("neutral", True), ("skipped", True), ("stale", False), ("failure", False), (None, False)],
)
async def test_trap_37_what_satisfies_a_required_check(lab: Lab, conclusion: str | None, merges: bool) -> None:
    """Success, neutral and skipped do; stale, failure and absence block with GitHub's words."""
    check = {"context": "test"}
    parameters = {"strict_required_status_checks_policy": False, "required_status_checks": [check]}
    lab.repo.rulesets.append({"id": 7, "rules": [{"type": "required_status_checks", "parameters": parameters}]})
    pull = lab.pull()
    if conclusion is not None:
        checks.create_check_run(
            lab.act("octo"),
            lab.sandbox.app,
            {"name": "test", "head_sha": pull.head_sha, "conclusion": conclusion},
        )
    path = f"{REPO}/pulls/{pull.number}"
    await lab.get(path)
    state = (await lab.get(path)).body["mergeable_state"]
    answer = await lab.call("PUT", f"{path}/merge", {})
    assert (answer.status, state) == ((200, "clean") if merges else (405, "blocked"))
    assert merges or answer.body["message"] == 'Required status check "test" is expected.'


async def test_strict_checks_and_reviews_keep_a_merge_back(lab: Lab) -> None:
    """A strict rule wants the head up to date, a review rule an approval by somebody else than the author."""
    lab.repo.protection["main"] = {"required_status_checks": {"strict": True, "checks": []}}
    lab.repo.rulesets.append(
        {"id": 8, "rules": [{"type": "pull_request", "parameters": {"required_approving_review_count": 1}}]}
    )
    pull = lab.pull(files={"new.py": "1\n"})
    pushes.push_files(lab.act(), "main", {"README.md": "# moved\n"}, "Move the base")
    path = f"{REPO}/pulls/{pull.number}"
    await lab.get(path)
    assert (await lab.get(path)).body["mergeable_state"] == "behind"
    assert "out of date" in (await lab.call("PUT", f"{path}/merge", {})).body["message"]
    await lab.call("PUT", f"{path}/update-branch", {})
    assert "approving review" in (await lab.call("PUT", f"{path}/merge", {})).body["message"]
    own = await lab.post(f"{path}/reviews", {"event": "APPROVE"}, token=lab.sandbox.user_token("author"))
    assert own.status == 422
    other = await lab.post(f"{path}/reviews", {"event": "APPROVE"}, token=lab.sandbox.user_token("maintainer"))
    assert (other.status, other.body["state"]) == (200, "APPROVED")
    assert (await lab.call("PUT", f"{path}/merge", {})).status == 200


async def test_merges_at_the_same_time_do_not_lose_each_other(lab: Lab) -> None:
    """Of pull requests merged at once, those told to be merged are in the base; the others are 409 and still open."""
    opened = [lab.pull(f"branch-{number}", {f"f{number}.py": "1\n"}) for number in range(4)]
    pushes.push_files(lab.act(), "main", {"README.md": "# moved\n"}, "Move the base")
    lab.token = lab.app_token()
    answers = await asyncio.gather(
        *(lab.call("PUT", f"{REPO}/pulls/{pull.number}/merge", {"merge_method": "squash"}) for pull in opened)
    )
    tip = lab.repo.git.branch("main") or ""
    landed = [lab.repo.git.read(tip, f"f{number}.py") is not None for number in range(4)]
    assert [answer.status == 200 for answer in answers] == landed
    assert {answer.status for answer in answers} <= {200, 409}
    assert [pull.merged_at is not None for pull in opened] == landed
    assert any(landed)
