"""The App's signature and the life of an installation's token."""

from __future__ import annotations

import asyncio

import jwt
import pytest
from github_double import API, LONG_TOKEN, MINT, reply, sent, token_reply

from bot.github import GitHub, Installation, NotFound, PermissionMissing, Refused, Unavailable
from bot.github.auth import AppSigner

REPO = f"{API}/repositories/1"
DENIED = {"message": "Bad credentials"}


INSTALLATIONS = f"{API}/app/installations?per_page=100"


async def listed(github):
    """What the App asks for as itself."""
    return [each async for each in github.app_pages("/app/installations")]


async def test_the_signature_is_backdated_and_ends_before_ten_minutes(private_key, clock):
    """GITHUB.md trap 21: 60 s back, 9 min ahead, RS256, the id as text."""
    signer = AppSigner("123456", private_key, clock)
    text = (await signer.credential()).text
    claims = jwt.decode(
        text, private_key.public_key(), algorithms=["RS256"], options={"verify_exp": False, "verify_iat": False}
    )
    assert claims == {"iat": int(clock.now()) - 60, "exp": int(clock.now()) + 540, "iss": "123456"}


async def test_a_signature_is_kept_until_a_minute_before_its_end(private_key, clock):
    """Signing costs a millisecond, so it is not done for each call."""
    signer = AppSigner("123456", private_key, clock)
    first = await signer.credential()
    clock.advance(470)
    assert await signer.credential() is first
    clock.advance(20)
    assert await signer.credential() is not first


async def test_a_signature_from_the_future_is_made_anew(private_key, clock):
    """A clock that was set back must not leave the bot locked out."""
    signer = AppSigner("123456", private_key, clock)
    first = await signer.credential()
    clock._now -= 3600
    assert (await signer.credential()).obtained_at < first.obtained_at


async def test_g1_the_app_signs_its_own_calls_and_the_installation_uses_its_token(github, canned):
    """What the App asks for itself goes with its signature; calls of an installation with its long token, as it is."""
    canned.get(INSTALLATIONS, payload=[{"id": 7}])
    canned.get(REPO, payload={"id": 1})
    assert await listed(github) == [{"id": 7}]
    await github.installation(7).get("/repositories/1")
    assert len(LONG_TOKEN) > 500
    assert len(sent(canned, "GET", INSTALLATIONS)) == 1
    assert sent(canned, "GET", INSTALLATIONS)[0]["headers"]["authorization"].startswith("bearer eyJ")
    assert sent(canned, "GET", REPO)[0]["headers"]["authorization"] == f"token {LONG_TOKEN}"
    assert sent(canned, "POST", MINT)[0]["headers"]["authorization"].startswith("bearer eyJ")


async def test_every_call_names_the_api_version(github, installation, canned):
    """Unversioned calls would move on to the next version by themselves."""
    canned.get(INSTALLATIONS, payload=[])
    canned.get(REPO, payload={"id": 1})
    canned.post(f"{API}/graphql", payload={"data": {}})
    await listed(github)
    await installation.get("/repositories/1")
    await installation.graphql("{ viewer { login } }")
    for calls in canned.requests.values():
        assert {call.kwargs["headers"]["x-github-api-version"] for call in calls} == {"2022-11-28"}
    assert {key[1].path for key in canned.requests} == {
        "/app/installations",
        "/repositories/1",
        "/graphql",
        "/app/installations/7/access_tokens",
    }


async def test_a_token_is_shared_and_renewed_five_minutes_before_its_end(installation, canned, clock):
    """GITHUB.md trap 23: one request for many callers, a new one in time."""
    canned.get(REPO, payload={"id": 1}, repeat=True)
    await asyncio.gather(*(installation.get("/repositories/1") for _ in range(5)))
    clock.advance(3600 - 301)
    await installation.get("/repositories/1")
    assert len(sent(canned, "POST", MINT)) == 1
    clock.advance(2)
    await installation.get("/repositories/1")
    assert len(sent(canned, "POST", MINT)) == 2


async def test_callers_that_come_together_share_one_request_for_the_token(real, hub):
    """Each new token would be one more that is not known everywhere yet."""
    hub.answer("GET", "/x", reply({}))
    await asyncio.gather(*(real.get("/x") for _ in range(10)))
    assert len(hub.asked("/app/installations/7/access_tokens")) == 1


async def test_a_refused_signature_is_told_at_once(github, canned, clock):
    """The App's own signature would be the same the next time."""
    start = clock.now()
    canned.get(
        INSTALLATIONS, status=401, payload={"message": "'Issued at' claim ('iat') must be an Integer"}, repeat=True
    )
    with pytest.raises(Refused):
        await listed(github)
    assert clock.now() == start
    assert len(sent(canned, "GET", INSTALLATIONS)) == 1


async def test_a_refused_token_is_renewed_once(installation, bare, clock):
    """GITHUB.md trap 23: a 401 in the middle of the token's life."""
    bare.post(MINT, status=201, payload=token_reply(clock, "ghs_old"))
    bare.post(MINT, status=201, payload=token_reply(clock, "ghs_new"))
    bare.get(REPO, payload={"id": 1})
    await installation.get("/repositories/1")
    clock.advance(600)
    bare.get(REPO, status=401, payload=DENIED)
    bare.get(REPO, payload={"id": 2})
    assert await installation.get("/repositories/1") == {"id": 2}
    used = [call["headers"]["authorization"] for call in sent(bare, "GET", REPO)]
    assert used == ["token ghs_old", "token ghs_old", "token ghs_new"]


async def test_a_token_that_stays_refused_ends_in_refused(installation, canned, clock):
    """One renewal, the waits of a fresh token, then the truth."""
    canned.get(REPO, payload={"id": 1})
    await installation.get("/repositories/1")
    clock.advance(600)
    canned.get(REPO, status=401, payload=DENIED, repeat=True)
    with pytest.raises(Refused) as caught:
        await installation.get("/repositories/1")
    assert caught.value.status == 401
    assert len(sent(canned, "POST", MINT)) == 2
    assert len(sent(canned, "GET", REPO)) == 1 + 1 + 4


@pytest.mark.parametrize(
    ("status", "message"), [(401, "Bad credentials"), (403, "Resource not accessible by integration")]
)
async def test_a_fresh_token_is_tried_again_after_1_2_and_4_seconds(installation, canned, clock, status, message):
    """GITHUB.md trap 22: replicas learn of a token some seconds late."""
    start = clock.now()
    for _ in range(3):
        canned.post(f"{REPO}/issues/1/labels", status=status, payload={"message": message})
    canned.post(f"{REPO}/issues/1/labels", payload=[])
    assert await installation.post("/repositories/1/issues/1/labels", {"labels": ["x"]}) == []
    assert clock.now() - start == 7.0


async def test_an_old_token_without_permission_is_not_tried_again(installation, canned, clock):
    """A missing permission is told at once, with what GitHub would accept."""
    canned.get(REPO, payload={"id": 1})
    await installation.get("/repositories/1")
    clock.advance(60)
    headers = {"X-Accepted-GitHub-Permissions": "pull_requests=write; issues=write,metadata=read"}
    canned.post(f"{REPO}/x", status=403, payload={"message": "Resource not accessible by integration"}, headers=headers)
    with pytest.raises(PermissionMissing) as caught:
        await installation.post("/repositories/1/x", {})
    assert caught.value.accepted == ("pull_requests=write", "issues=write,metadata=read")
    assert caught.value.path == "/repositories/1/x"
    assert len(sent(canned, "POST", f"{REPO}/x")) == 1


async def test_minting_is_repeated_and_leaves_no_doubt_about_the_callers_write(installation, bare):
    """A token that cannot be had means that the write itself was never sent."""
    bare.post(MINT, status=502, body="<html>Bad gateway</html>", content_type="text/html", repeat=True)
    with pytest.raises(Unavailable) as caught:
        await installation.post("/repositories/1/issues", {"title": "x"})
    assert not caught.value.maybe_done
    assert len(sent(bare, "POST", MINT)) == 3


async def test_an_installation_that_is_gone_is_not_found(installation, bare):
    """Uninstalled between the delivery and the call."""
    bare.post(MINT, status=404, payload={"message": "Not Found"})
    with pytest.raises(NotFound):
        await installation.get("/repositories/1")


@pytest.mark.parametrize(
    "payload",
    [
        {},
        [],
        {"token": "ghs_x"},
        {"token": 5, "expires_at": "2030-01-01T00:00:00Z"},
        {"token": "ghs_x", "expires_at": "soon"},
        {"token": "ghs_x\r\nX: y", "expires_at": "2030-01-01T00:00:00Z"},
    ],
)
async def test_a_token_that_cannot_be_read_is_unavailable(installation, bare, payload):
    """Nothing unexpected ends up in a header."""
    bare.post(MINT, status=201, payload=payload)
    with pytest.raises(Unavailable):
        await installation.get("/repositories/1")


def test_one_installation_object_per_id(github: GitHub):
    """Tokens, budgets and ETags are kept per installation."""
    seven: Installation = github.installation(7)
    assert github.installation(7) is seven
    assert github.installation(8) is not seven
