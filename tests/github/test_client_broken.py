"""Answers that are not what GitHub sends, and networks that fail: reads are tried again, writes are not sent twice."""

from __future__ import annotations

import aiohttp
import pytest
from github_double import API, sent

from bot.github import NotFound, Refused, Unavailable

REPO = f"{API}/repositories/1"
PAGE = "<html><h1>502 Bad Gateway</h1></html>"


@pytest.mark.parametrize(
    "broken",
    [
        {"status": 502, "body": PAGE, "content_type": "text/html"},
        {"status": 503, "payload": {"message": "Service unavailable"}},
        {"status": 520, "body": "", "content_type": "text/plain"},
        {"status": 599, "body": b"\xff\xfe", "content_type": "text/plain"},
        {"status": 200, "body": '{"id": 1', "content_type": "application/json"},
        {"status": 200, "body": b'{"id": "\xff"}', "content_type": "application/json"},
        {"status": 200, "body": '{"id": 1}', "content_type": "application/json; charset=nonsense"},
        {"status": 200, "body": PAGE, "content_type": "text/html"},
        {"status": 200, "body": '{"id": 1}', "content_type": ""},
        {"status": 200, "body": "payload=1", "content_type": "application/x-www-form-urlencoded"},
        {"status": 200, "body": "[" * 100_000, "content_type": "application/json"},
        {"exception": aiohttp.ServerDisconnectedError()},
        {"exception": aiohttp.ClientPayloadError("cut")},
        {"exception": ConnectionResetError()},
        {"timeout": True},
    ],
)
async def test_a_read_is_tried_again_and_then_unavailable(installation, canned, clock, broken):
    """Two more tries, 1 and 3 seconds apart; the third answer is the last."""
    start = clock.now()
    canned.get(REPO, **broken)
    canned.get(REPO, payload={"id": 1})
    assert await installation.get("/repositories/1") == {"id": 1}
    assert clock.now() - start == 1.0
    canned.get(REPO, repeat=True, **broken)
    with pytest.raises(Unavailable) as caught:
        await installation.get("/repositories/1")
    assert not caught.value.maybe_done
    assert len(sent(canned, "GET", REPO)) == 2 + 3
    assert PAGE not in str(caught.value)


@pytest.mark.parametrize(
    "broken",
    [
        {"status": 502, "body": PAGE, "content_type": "text/html"},
        {"status": 201, "body": '{"id": 1', "content_type": "application/json"},
        {"exception": aiohttp.ServerDisconnectedError()},
        {"timeout": True},
    ],
)
@pytest.mark.parametrize("method", ["post", "patch", "put", "delete"])
async def test_a_write_that_may_have_been_done_is_not_sent_again(installation, canned, clock, broken, method):
    """The caller must look for its effect first."""
    start = clock.now()
    canned.add(f"{REPO}/x", method=method.upper(), repeat=True, **broken)
    with pytest.raises(Unavailable) as caught:
        await getattr(installation, method)("/repositories/1/x", {"a": 1})
    assert caught.value.maybe_done
    assert clock.now() == start
    assert len(sent(canned, method.upper(), f"{REPO}/x")) == 1


async def test_a_write_that_never_left_is_sent_again(installation, canned, clock):
    """A connection that was refused carried nothing."""
    from types import SimpleNamespace

    key = SimpleNamespace(host="api.github.com", port=443, is_ssl=True, ssl=True)
    canned.post(f"{REPO}/x", exception=aiohttp.ClientConnectorError(key, OSError(111, "refused")))
    canned.post(f"{REPO}/x", payload={"id": 5}, status=201)
    assert await installation.post("/repositories/1/x", {}) == {"id": 5}


@pytest.mark.parametrize(
    ("status", "payload", "error"),
    [
        (404, {"message": "Not Found"}, NotFound),
        (400, {"message": "Problems parsing JSON"}, Refused),
        (409, {"message": "Reference already exists"}, Refused),
        (410, {"message": "Issues are disabled for this repo"}, Refused),
        (
            422,
            {
                "message": "Validation Failed",
                "errors": [{"resource": "Issue", "code": "custom", "message": "body is too long"}],
            },
            Refused,
        ),
        (422, {"message": "Validation Failed", "errors": ["No commits between main and main"]}, Refused),
        (422, {"message": "Validation Failed", "errors": "text"}, Refused),
        (422, {"errors": None}, Refused),
        (422, ["odd"], Refused),
        (451, {"message": "Repository access blocked"}, Refused),
        (418, None, Refused),
    ],
)
async def test_a_refusal_keeps_status_words_and_details(installation, canned, status, payload, error):
    """Whatever the shape of its body, a 4xx is one of two values and is not repeated."""
    canned.patch(f"{REPO}/x", status=status, payload=payload)
    with pytest.raises(error) as caught:
        await installation.patch("/repositories/1/x", {"a": 1})
    assert len(sent(canned, "PATCH", f"{REPO}/x")) == 1
    if isinstance(caught.value, Refused):
        assert caught.value.status == status
        message = payload.get("message", "") if isinstance(payload, dict) else ""
        assert message in caught.value.message
    if isinstance(payload, dict) and isinstance(payload.get("errors"), list):
        assert caught.value.errors == payload["errors"]


@pytest.mark.parametrize(("status", "body"), [(204, ""), (202, "{}"), (201, "{}"), (200, "null")])
async def test_empty_successes_are_values(installation, canned, status, body):
    """204 has no body, a rerun answers 201 with an empty object, a cancellation 202."""
    canned.post(f"{REPO}/x", status=status, body=body)
    assert await installation.post("/repositories/1/x") == (None if status == 204 or body == "null" else {})


async def test_a_body_is_sent_as_json_and_no_body_as_none(installation, canned):
    """An empty POST is not the JSON text null."""
    canned.post(f"{REPO}/x", payload={}, repeat=True)
    await installation.post("/repositories/1/x", {"ü": [1]})
    await installation.post("/repositories/1/x")
    with_body, without = sent(canned, "POST", f"{REPO}/x")
    assert with_body["data"] == b'{"\\u00fc": [1]}'
    assert with_body["headers"]["content-type"].startswith("application/json")
    assert without["data"] is None


async def test_other_media_types_come_as_text(installation, canned):
    """A diff or a raw file is text, not a broken answer."""
    canned.get(f"{REPO}/pulls/1", body="diff --git a/x b/x", content_type="application/vnd.github.diff; charset=utf-8")
    text = await installation.get("/repositories/1/pulls/1", accept="application/vnd.github.diff")
    assert text == "diff --git a/x b/x"
    assert sent(canned, "GET", f"{REPO}/pulls/1")[0]["headers"]["accept"] == "application/vnd.github.diff"
