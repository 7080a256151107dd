"""Case F9: GitHub revokes a token that appears in a comment, so no error's text, repr or cause may hold a secret."""

from __future__ import annotations

import traceback

import aiohttp
import pytest
from github_double import API, LONG_TOKEN, sent

from bot.github import GitHubError
from bot.github.auth import Credential
from bot.github.errors import NotFound, QueryFailed, Refused, Unavailable
from bot.github.redact import LONGEST_TEXT, redacted, redacted_value

REPO = f"{API}/repositories/1"
SECRETS = [
    LONG_TOKEN,
    "ghp_" + "a1" * 18,
    "github_pat_" + "A1" * 30,
    "v1." + "0f" * 20,
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0NTYifQ.c2lnbmF0dXJl",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
]


def told(error: BaseException) -> str:
    """All that could reach a log or a comment."""
    return "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))


@pytest.mark.parametrize("secret", SECRETS)
async def test_an_echoed_secret_is_hidden_in_every_refusal(installation, canned, secret):
    """In the message, in the details, in GraphQL's errors, and in a page."""
    canned.patch(
        f"{REPO}/a",
        status=422,
        payload={"message": f"bad: {secret}", "errors": [{"message": secret, "value": {secret: [secret]}}]},
    )
    canned.patch(f"{REPO}/b", status=404, payload={"message": f"no {secret} here"})
    canned.patch(f"{REPO}/c", status=502, body=f"<pre>Authorization: token {secret}</pre>", content_type="text/html")
    canned.patch(f"{REPO}/d", exception=aiohttp.ClientPayloadError(f"request with {secret} failed"))
    canned.patch(f"{REPO}/{secret.splitlines()[0]}", status=404, payload={})
    canned.post(f"{API}/graphql", payload={"data": None, "errors": [{"message": f"x {secret}", "path": [secret]}]})
    for part in ("a", "b", "c", "d"):
        with pytest.raises(GitHubError) as caught:
            await installation.patch(f"/repositories/1/{part}", {})
        assert_hidden(told(caught.value), secret)
    with pytest.raises(QueryFailed) as failed:
        await installation.graphql("mutation { a }")
    assert_hidden(told(failed.value), secret)


def assert_hidden(text: str, secret: str) -> None:
    """Neither the secret nor the part of it that counts."""
    assert secret not in text
    for line in secret.splitlines():
        assert line.startswith("-----") or line not in text


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 500, 502])
async def test_the_token_in_use_is_in_no_error(installation, canned, status):
    """Whatever the status, and although the request that failed carried it."""
    canned.post(f"{REPO}/x", status=status, payload={"message": f"token {LONG_TOKEN} is not good"}, repeat=True)
    with pytest.raises(GitHubError) as caught:
        await installation.post("/repositories/1/x", {})
    assert sent(canned, "POST", f"{REPO}/x")[0]["headers"]["authorization"] == f"token {LONG_TOKEN}"
    assert "ghs_" not in told(caught.value)


async def test_no_object_of_the_client_shows_a_secret(github, installation, canned, settings, pem):
    """`repr` is what ends up in logs by accident."""
    canned.get(REPO, payload={"id": 1})
    await installation.get("/repositories/1")
    credential = await installation._endpoint.calls.signer.credential()
    assert credential.text == LONG_TOKEN
    shown = f"{github!r}{installation!r}{installation._endpoint!r}{credential!r}{settings!r}{Credential('ghs_x', False, 0, 0)!r}"
    assert "ghs_" not in shown
    assert "PRIVATE KEY" not in shown
    assert pem[40:80] not in shown


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("https://logs.example/a.txt?sv=1&sig=c2lnbmF0dXJl&x=1 failed", "https://logs.example/a.txt?[masked] failed"),
        ("https://user:pass@example.com/x", "https://example.com/x"),
        ("sent Bearer abcdefghijklmnopqrstuvwxyz0123", "sent Bearer [masked]"),
        ("No commits between main and feature/token-basic", "No commits between main and feature/token-basic"),
        ("Resource not accessible by integration", "Resource not accessible by integration"),
    ],
)
def test_addresses_and_headers_lose_their_secrets_and_nothing_else(text, hidden):
    """A signed link, a password in an address, a bare header; plain sentences stay."""
    assert redacted(text) == hidden


def test_texts_are_cut():
    """A megabyte of somebody's page is no error message, and is not searched either."""
    assert len(redacted("x" * 1_000_000)) == LONGEST_TEXT
    assert redacted_value({"a": [1, None, True, "ghp_" + "a1" * 18]}) == {"a": [1, None, True, "[masked github-token]"]}


def test_errors_say_what_to_do_with_them():
    """The words that people read in a log."""
    assert str(NotFound("/x")) == "GitHub does not find /x"
    assert (
        str(Refused(422, "Validation Failed", [{"code": "missing"}]))
        == "GitHub refused (422): Validation Failed [{'code': 'missing'}]"
    )
    assert (
        str(Unavailable("502", maybe_done=True))
        == "GitHub gave no usable answer: 502; the request may have been carried out"
    )
