"""Who may call: JWTs, installation tokens, people, permissions. Facts from GITHUB.md 1.8, 4 and 5."""

from __future__ import annotations

import re

import pytest

from bot.sandbox.changes import accounts, repositories
from tests.sandbox.lab import Lab


@pytest.mark.parametrize(
    ("issued", "expires", "words"),
    [
        (-60, 540, None),
        (5, 540, "'Issued at' claim ('iat') must be an Integer"),
        (0, 600, "'Expiration time' claim ('exp') is too far in the future"),
        (-700, -100, "'Expiration time' claim ('exp') must be a numeric value"),
    ],
)
async def test_trap_21_times_of_a_jwt(lab: Lab, issued: float, expires: float, words: str | None) -> None:
    """A JWT issued in the future, or living ten minutes to the second, is refused with GitHub's words."""
    answer = await lab.get("/app", token=lab.jwt(issued, expires))
    if words is None:
        assert answer.status == 200
    else:
        assert answer.status == 401
        assert words in answer.body["message"]


async def test_a_jwt_of_another_key_is_refused(lab: Lab) -> None:
    """The signature counts, not only the claims."""
    token = lab.jwt()
    assert (await lab.get("/app", token=token[:-8] + "AAAAAAAA")).status == 401
    assert (await lab.get("/app", token=None)).status == 401


async def test_trap_22_a_fresh_token_may_be_refused_at_first(lab: Lab) -> None:
    """With that mood on, a token gets 401 in its first seconds and works afterwards."""
    lab.sandbox.tokens.fresh_seconds = 3
    lab.token = lab.app_token()
    assert (await lab.get("/repos/octo/app")).status == 401
    lab.clock.advance(3)
    assert (await lab.get("/repos/octo/app")).status == 200


async def test_trap_23_a_token_expires_after_an_hour(lab: Lab) -> None:
    """The same token works before and is `Bad credentials` after its hour."""
    lab.token = lab.app_token()
    lab.clock.advance(3_599)
    assert (await lab.get("/repos/octo/app")).status == 200
    lab.clock.advance(1)
    answer = await lab.get("/repos/octo/app")
    assert (answer.status, answer.body["message"]) == (401, "Bad credentials")


async def test_trap_24_tokens_are_long_and_not_only_letters(lab: Lab) -> None:
    """The new form is `ghs_APPID_JWT` of some 520 characters; the old one comes when it is asked for."""
    path = f"/app/installations/{lab.installation.id}/access_tokens"
    token = (await lab.post(path, {}, token=lab.jwt())).body["token"]
    assert re.fullmatch(rf"ghs_{lab.sandbox.app.id}_[\w-]+\.[\w-]+\.[\w-]+", token)
    assert 500 < len(token) < 560
    assert (await lab.get("/repos/octo/app", token=token)).status == 200
    short = await lab.post(path, {}, token=lab.jwt(), headers={"X-GitHub-Stateless-S2S-Token": "false"})
    assert re.fullmatch(r"ghs_\w{36}", short.body["token"])


async def test_a_token_is_narrowed_to_repositories_and_permissions(lab: Lab) -> None:
    """A narrowed token reads and writes only what it was asked for; more than the installation has is 422."""
    other = repositories.create_repository(lab.sandbox.github, lab.sandbox.owner, "other", {"a": "b"}, private=True)
    path = f"/app/installations/{lab.installation.id}/access_tokens"
    body = {"repositories": ["app"], "permissions": {"issues": "read", "contents": "read"}}
    answer = await lab.post(path, body, token=lab.jwt())
    assert [repo["name"] for repo in answer.body["repositories"]] == ["app"]
    token = answer.body["token"]
    assert (await lab.get("/repos/octo/app/issues", token=token)).status == 200
    assert (await lab.post("/repos/octo/app/issues", {"title": "x"}, token=token)).status == 403
    assert (await lab.get(f"/repos/{other.full_name}/branches", token=token)).status == 404
    listed = await lab.get("/installation/repositories", token=token)
    assert (listed.body["total_count"], listed.body["repository_selection"]) == (1, "selected")
    for too_much in ({"permissions": {"administration": "read"}}, {"repositories": ["nowhere"]}):
        assert (await lab.post(path, too_much, token=lab.jwt())).status == 422


async def test_trap_26_a_missing_permission_is_403_and_names_the_alternatives(lab: Lab) -> None:
    """`Resource not accessible by integration`, with what would do in X-Accepted-GitHub-Permissions."""
    pull = lab.pull()
    token = lab.app_token(permissions={"contents": "read"})
    path = f"/repos/octo/app/issues/{pull.number}/comments"
    answer = await lab.post(path, {"body": "x"}, token=token)
    assert (answer.status, answer.body["message"]) == (403, "Resource not accessible by integration")
    assert answer.headers["X-Accepted-GitHub-Permissions"] == "issues=write; pull_requests=write"
    assert (await lab.post(path, {"body": "x"}, token=lab.app_token(permissions={"issues": "write"}))).status == 201


async def test_trap_26_private_things_and_trailing_slashes_are_404(lab: Lab) -> None:
    """What may not be seen does not exist; a trailing slash finds nothing."""
    stranger = accounts.add_account(lab.sandbox.github, "stranger", "Organization")
    hidden = repositories.create_repository(lab.sandbox.github, stranger, "hidden", {"a": "b"}, private=True)
    assert (await lab.get(f"/repos/{hidden.full_name}")).status == 404
    assert (await lab.get(f"/repos/{hidden.full_name}", token=lab.sandbox.user_token("author"))).status == 404
    assert (await lab.get("/repos/octo/app/pulls/")).status == 404


async def test_trap_26_new_permissions_wait_for_each_installation(lab: Lab) -> None:
    """What the manifest asks for later works only once the installation has accepted it."""
    lab.sandbox.app.permissions["statuses"] = "write"
    sha = lab.repo.git.branch("main")
    path = f"/repos/octo/app/statuses/{sha}"
    assert (await lab.post(path, {"state": "success"})).status == 403
    accounts.accept_permissions(lab.sandbox.github, lab.installation)
    assert (await lab.post(path, {"state": "success"})).status == 201


async def test_reactions_need_issues_write(lab: Lab) -> None:
    """With pull_requests:write alone an App comments but neither reacts nor reads the issue (GITHUB.md 1.8)."""
    pull = lab.pull()
    lab.token = lab.app_token(permissions={"pull_requests": "write"})
    comment = await lab.post(f"/repos/octo/app/issues/{pull.number}/comments", {"body": "x"})
    assert comment.status == 201
    reacted = await lab.post(f"/repos/octo/app/issues/comments/{comment.body['id']}/reactions", {"content": "eyes"})
    read = await lab.get(f"/repos/octo/app/issues/{pull.number}")
    assert (reacted.status, read.status) == (403, 403)


async def test_a_suspended_installation_gets_403(lab: Lab) -> None:
    """Its tokens are refused and none is minted."""
    lab.token = lab.app_token()
    accounts.suspend(lab.sandbox.github, lab.installation)
    assert (await lab.get("/repos/octo/app")).status == 403
    path = f"/app/installations/{lab.installation.id}/access_tokens"
    assert (await lab.post(path, {}, token=lab.jwt())).status == 403


@pytest.mark.parametrize(
    ("who", "label", "merge", "dispatch"),
    [("outsider", 403, 403, 403), ("triager", 200, 403, 403), ("author", 200, 405, 201), ("octo", 200, 405, 201)],
)
async def test_people_do_what_their_role_allows(lab: Lab, who: str, label: int, merge: int, dispatch: int) -> None:
    """Read, triage, write and admin differ in labelling, merging and writing files."""
    triager = accounts.add_account(lab.sandbox.github, "triager")
    repositories.set_role(lab.repo, triager, "triage")
    pull = lab.pull()
    pull.draft = True  # so that whoever may merge learns that it cannot be
    token = lab.sandbox.user_token(who)
    labelled = await lab.post(f"/repos/octo/app/issues/{pull.number}/labels", {"labels": ["bug"]}, token=token)
    merged = await lab.call("PUT", f"/repos/octo/app/pulls/{pull.number}/merge", {}, token=token)
    content = {"message": "m", "content": "eA=="}
    written = await lab.call("PUT", f"/repos/octo/app/contents/new-{who}.txt", content, token=token)
    assert (labelled.status, merged.status, written.status) == (label, merge, dispatch)
    assert (await lab.post(f"/repos/octo/app/issues/{pull.number}/comments", {"body": "hi"}, token=token)).status == 201


async def test_roles_are_told_in_four_words_and_by_name(lab: Lab) -> None:
    """`permission` folds maintain into write and triage into read; `role_name` is the real role."""
    shown = {}
    for login in ("octo", "maintainer", "author", "outsider"):
        body = (await lab.get(f"/repos/octo/app/collaborators/{login}/permission")).body
        shown[login] = (body["permission"], body["role_name"])
    assert shown == {
        "octo": ("admin", "admin"),
        "maintainer": ("write", "maintain"),
        "author": ("write", "write"),
        "outsider": ("read", "read"),
    }


async def test_an_archived_repository_is_read_only(lab: Lab) -> None:
    """Reads go on, writes are 403."""
    repositories.archive(lab.sandbox.github, lab.repo, lab.act("octo").by)
    assert (await lab.get("/repos/octo/app")).status == 200
    assert (await lab.post("/repos/octo/app/issues", {"title": "x"})).status == 403
