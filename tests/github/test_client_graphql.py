"""GraphQL reports its trouble inside a 200: each shape has its value, and a mutation is never sent twice."""

from __future__ import annotations

import pytest
from github_double import API, sent

from bot.github import PermissionMissing, QueryFailed, RateLimited, Refused, Unavailable
from bot.github.graphql import only_reads
from bot.github.paths import graphql_address

URL = f"{API}/graphql"
QUERY = "query($n: Int!) { repository { pullRequest(number: $n) { id } } }"
MUTATION = "mutation { minimizeComment(input: {subjectId: 1, classifier: OUTDATED}) { clientMutationId } }"
TRANSIENT = "Something went wrong while executing your query. Please include `ABCD:1234` when reporting this issue."


async def test_data_come_back_and_variables_go_along(installation, canned):
    """The plain case."""
    canned.post(URL, payload={"data": {"repository": None}})
    assert await installation.graphql(QUERY, n=5) == {"repository": None}
    assert b'"variables": {"n": 5}' in sent(canned, "POST", URL)[0]["data"]


async def test_errors_beside_data_keep_the_data(installation, canned):
    """GITHUB.md trap 28: one node of a page may fail; the strict call raises with what came."""
    body = {
        "data": {"a": {"id": 1}, "b": None},
        "errors": [{"type": "NOT_FOUND", "path": ["b"], "message": "Could not resolve"}],
    }
    canned.post(URL, payload=body, repeat=True)
    with pytest.raises(QueryFailed) as caught:
        await installation.graphql(QUERY)
    assert caught.value.data == {"a": {"id": 1}, "b": None}
    assert caught.value.types == {"NOT_FOUND"}
    reply = await installation.graphql_reply(QUERY)
    assert (reply.data, reply.errors) == (body["data"], body["errors"])


@pytest.mark.parametrize(
    "errors",
    [[{"message": "Pull request is in clean status"}], [{}], ["text"], "text", [{"message": None}], {"message": "x"}],
)
async def test_errors_without_data_are_a_refusal_in_any_shape(installation, canned, errors):
    """`errors[0].message` is not taken for granted."""
    canned.post(URL, payload={"data": None, "errors": errors})
    with pytest.raises(Refused) as caught:
        await installation.graphql(MUTATION)
    assert isinstance(caught.value, QueryFailed)
    assert caught.value.data is None
    assert len(sent(canned, "POST", URL)) == 1


async def test_a_missing_permission_is_named_as_such(installation, canned):
    """The same words as in REST, inside a 200."""
    error = {"type": "FORBIDDEN", "message": "Resource not accessible by integration"}
    canned.post(URL, payload={"data": {"minimizeComment": None}, "errors": [error]})
    with pytest.raises(PermissionMissing):
        await installation.graphql(MUTATION)


@pytest.mark.parametrize("query", [QUERY, MUTATION])
async def test_the_primary_limit_comes_as_200(installation, canned, clock, query):
    """GITHUB.md trap 25: `errors[].type` RATE_LIMITED, with the reset in the headers; REST has its own allowance."""
    headers = {
        "X-RateLimit-Limit": "5000",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": str(int(clock.now()) + 500),
        "X-RateLimit-Resource": "graphql",
    }
    canned.post(
        URL, payload={"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}, headers=headers
    )
    for _ in range(2):
        with pytest.raises(RateLimited) as caught:
            await installation.graphql(query)
        assert (caught.value.kind, caught.value.resume_at) == ("primary", clock.now() + 501)
    assert len(sent(canned, "POST", URL)) == 1
    canned.get(f"{API}/repositories/1", payload={"id": 1})
    assert await installation.get("/repositories/1") == {"id": 1}


async def test_a_primary_limit_without_a_reset_is_waited_out_for_a_minute(installation, canned, clock):
    """Some replies carry the error alone."""
    canned.post(URL, payload={"errors": [{"type": "RATE_LIMITED", "message": "limit"}]})
    with pytest.raises(RateLimited) as caught:
        await installation.graphql(QUERY)
    assert (caught.value.kind, caught.value.resume_at) == ("primary", clock.now() + 60)


@pytest.mark.parametrize(
    "shape",
    [
        {"payload": {"errors": [{"message": "You have exceeded a secondary rate limit"}]}},
        {"status": 403, "payload": {"message": "You have exceeded a secondary rate limit"}},
        {"status": 429, "body": "", "content_type": "text/html"},
    ],
)
async def test_the_secondary_limit_comes_in_three_shapes(installation, canned, shape):
    """Inside a 200, and as 403 or 429; its Retry-After is kept."""
    canned.post(URL, headers={"Retry-After": "77"}, **shape)
    with pytest.raises(RateLimited) as caught:
        await installation.graphql(QUERY)
    assert (caught.value.kind, caught.value.resume_at) == ("secondary", 1_790_000_077.0)


@pytest.mark.parametrize(
    "broken",
    [
        {"payload": {"data": None, "errors": [{"message": TRANSIENT}]}},
        {"payload": {"data": None}},
        {"payload": {}},
        {"payload": {"message": "This may be the result of a timeout"}},
        {"payload": []},
        {"body": "", "content_type": "application/json"},
        {"status": 502, "body": "<html>Bad gateway</html>", "content_type": "text/html"},
        {"status": 200, "body": "<html>Unicorn!</html>", "content_type": "text/html"},
        {"timeout": True},
    ],
)
async def test_what_passes_is_tried_again_for_a_query_only(installation, canned, clock, broken):
    """GITHUB.md trap 28: a mutation may have been carried out despite the error."""
    canned.post(URL, **broken)
    canned.post(URL, payload={"data": {"ok": 1}})
    assert await installation.graphql(QUERY) == {"ok": 1}
    start = clock.now()
    canned.post(URL, repeat=True, **broken)
    with pytest.raises(Unavailable) as caught:
        await installation.graphql(MUTATION)
    assert caught.value.maybe_done
    assert clock.now() == start
    assert len(sent(canned, "POST", URL)) == 3


async def test_a_refused_token_is_renewed_for_graphql_too(installation, canned, clock):
    """Gidgethub's own GraphQL call has no way to do so."""
    canned.post(URL, payload={"data": {}})
    await installation.graphql(QUERY)
    clock.advance(600)
    canned.post(URL, status=401, payload={"message": "Bad credentials"})
    canned.post(URL, payload={"data": {"ok": 1}})
    assert await installation.graphql(MUTATION) == {"ok": 1}


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("{ viewer { login } }", True),
        ("query Named { a }", True),
        ("# mutation\n, query { a }", True),
        ("mutation { a }", False),
        ("# query\nmutation { a }", False),
        ("fragment F on X { a } query { b }", False),
        ("queryish { a }", False),
        ("", False),
    ],
)
def test_only_what_is_certainly_a_query_counts_as_one(text, reads):
    """In doubt a document is taken for a mutation, which is not repeated."""
    assert only_reads(text) is reads


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("https://api.github.com", "https://api.github.com/graphql"),
        ("https://ghe.example/api/v3/", "https://ghe.example/api/graphql"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/graphql"),
        ("https://api.octo.ghe.com", "https://api.octo.ghe.com/graphql"),
    ],
)
def test_graphql_lies_beside_the_rest_api(base, address):
    """An Enterprise server has it elsewhere."""
    assert graphql_address(base) == address
