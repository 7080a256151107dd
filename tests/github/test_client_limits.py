"""Rate limits in every shape: each is raised with the time to come back, and only its own installation waits."""

from __future__ import annotations

import pytest
from github_double import API, sent

from bot.github import GitHub, RateLimited, Refused
from bot.github.answers import LimitHit, limit_hit
from bot.github.budget import Budget, BudgetLimits

REPO = f"{API}/repositories/1"
NOW = 1_790_000_000.0
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY = "API rate limit exceeded for installation ID 7."


def hour(left: int, *, reset: float = NOW + 1800, limit: int = 5000, resource: str = "core") -> dict[str, str]:
    """GitHub's headers about the hour's allowance."""
    return {
        "X-RateLimit-Limit": str(limit),
        "X-RateLimit-Remaining": str(left),
        "X-RateLimit-Reset": str(int(reset)),
        "X-RateLimit-Resource": resource,
    }


@pytest.mark.parametrize(
    ("status", "message", "headers", "expected"),
    [
        (403, PRIMARY, hour(0), LimitHit("primary", NOW + 1801)),
        (429, PRIMARY, hour(0), LimitHit("primary", NOW + 1801)),
        (403, PRIMARY, hour(0) | {"Retry-After": "2000"}, LimitHit("primary", NOW + 2000)),
        (403, PRIMARY, hour(0, reset=NOW + 9e9), LimitHit("primary", NOW + 3660)),
        (403, PRIMARY, hour(0, reset=NOW - 50), LimitHit("primary", NOW + 1)),
        (403, PRIMARY, {"X-RateLimit-Remaining": "0"}, LimitHit("primary", None)),
        (403, SECONDARY, hour(4000), LimitHit("secondary", None)),
        (403, SECONDARY, hour(4000) | {"Retry-After": "37"}, LimitHit("secondary", NOW + 37)),
        (429, "", {}, LimitHit("secondary", None)),
        (429, "", {"Retry-After": "0"}, LimitHit("secondary", NOW + 1)),
        (429, "", {"Retry-After": "1e300"}, LimitHit("secondary", NOW + 86_400)),
        (429, "", {"Retry-After": "nan"}, LimitHit("secondary", None)),
        (429, "", {"Retry-After": "soon"}, LimitHit("secondary", None)),
        (429, "", {"Retry-After": "Mon, 21 Sep 2026 14:14:20 GMT"}, LimitHit("secondary", NOW + 60)),
        (403, "You have triggered an abuse detection mechanism.", {}, LimitHit("secondary", None)),
        (403, "was submitted too quickly", {}, LimitHit("secondary", None)),
        (403, "Resource not accessible by integration", hour(0), None),
        (403, "This workflow run cannot be rerun", hour(4000), None),
        (422, PRIMARY, hour(0), None),
        (200, "", hour(0), None),
    ],
)
def test_a_limit_is_known_by_status_headers_and_words(status, message, headers, expected):
    """GITHUB.md 4 and trap 25: both limits come as 403 or 429, with and without Retry-After."""
    assert limit_hit(status, {name.lower(): value for name, value in headers.items()}, message, NOW) == expected


async def test_a_primary_limit_stops_the_installation_until_its_reset(installation, canned, clock):
    """No request is wasted before the hour's end, and the client itself does not sleep."""
    canned.get(REPO, status=403, payload={"message": PRIMARY}, headers=hour(0))
    for _ in range(3):
        with pytest.raises(RateLimited) as caught:
            await installation.get("/repositories/1")
        assert (caught.value.kind, caught.value.resume_at) == ("primary", NOW + 1801)
    assert clock.now() == NOW
    assert len(sent(canned, "GET", REPO)) == 1
    clock.advance(1802)
    canned.get(REPO, payload={"id": 1}, headers=hour(4999, reset=NOW + 5400))
    assert await installation.get("/repositories/1") == {"id": 1}


async def test_g2_a_secondary_limit_stops_reads_and_writes_but_no_other_installation(github: GitHub, canned, clock):
    """It counts everything of one installation together."""
    canned.post(
        f"{REPO}/issues", status=403, payload={"message": SECONDARY}, headers=hour(4000) | {"Retry-After": "30"}
    )
    with pytest.raises(RateLimited) as caught:
        await github.installation(7).post("/repositories/1/issues", {"title": "x"})
    assert (caught.value.kind, caught.value.resume_at) == ("secondary", NOW + 30)
    with pytest.raises(RateLimited):
        await github.installation(7).with_reserve().get("/repositories/1")
    with pytest.raises(RateLimited):
        await github.installation(7).graphql("{ viewer { login } }")
    from github_double import token_reply

    canned.post(f"{API}/app/installations/8/access_tokens", status=201, payload=token_reply(clock))
    canned.get(f"{API}/repositories/2", payload={"id": 2})
    assert await github.installation(8).get("/repositories/2") == {"id": 2}


async def test_a_secondary_limit_without_a_time_is_waited_out_longer_each_time(installation, canned, clock):
    """GITHUB.md 4: at least a minute, with exponential backoff; a success forgets it."""
    canned.get(REPO, status=403, payload={"message": SECONDARY}, headers=hour(4000), repeat=True)
    waited = []
    for _ in range(6):
        with pytest.raises(RateLimited) as caught:
            await installation.get("/repositories/1")
        waited.append(caught.value.resume_at - clock.now())
        clock.advance(waited[-1])
    assert waited == [60, 120, 240, 480, 900, 900]
    canned.get(f"{REPO}/branches", payload=[])
    await installation.get("/repositories/1/branches")
    with pytest.raises(RateLimited) as caught:
        await installation.get("/repositories/1")
    assert caught.value.resume_at - clock.now() == 60


async def test_a_fifth_of_the_hour_is_kept_for_what_must_get_through(installation, canned, clock):
    """Commands, kill switches and landing go on when everything else waits."""
    canned.get(REPO, payload={"id": 1}, headers=hour(1001), repeat=True)
    await installation.get("/repositories/1")
    canned.get(f"{REPO}/x", payload={}, headers=hour(1000), repeat=True)
    await installation.get("/repositories/1/x")
    with pytest.raises(RateLimited) as caught:
        await installation.get("/repositories/1/x")
    assert (caught.value.kind, caught.value.resume_at) == ("reserve", NOW + 1801)
    assert await installation.with_reserve().get("/repositories/1/x") == {}
    clock.advance(1802)
    assert await installation.get("/repositories/1") == {"id": 1}


async def test_a_token_may_be_asked_for_from_the_apps_reserve(github, canned, clock):
    """Without one no command could get through."""
    canned.get(f"{API}/app/installations?per_page=100", payload=[], headers=hour(900))
    assert [each async for each in github.app_pages("/app/installations")] == []
    with pytest.raises(RateLimited):
        await anext(github.app_pages("/app/installations"))
    canned.get(REPO, payload={"id": 1})
    assert await github.installation(7).get("/repositories/1") == {"id": 1}


async def test_a_refused_rerun_is_no_rate_limit(installation, canned, clock):
    """GITHUB.md trap 15: other 403s come through as they are."""
    canned.get(REPO, payload={"id": 1})
    await installation.get("/repositories/1")
    clock.advance(60)
    message = "This workflow run cannot be rerun: created over a month ago"
    canned.post(f"{REPO}/actions/runs/5/rerun", status=403, payload={"message": message}, headers=hour(4000))
    with pytest.raises(Refused) as caught:
        await installation.post("/repositories/1/actions/runs/5/rerun")
    assert (caught.value.status, caught.value.message) == (403, message)


def test_answers_that_overtake_each_other_never_raise_what_is_left(clock):
    """Within one window the smaller figure is the later one; a second's disagreement about its end is the same window."""
    budget = Budget(clock)
    for left, reset in [(4000, NOW + 1800), (3999, NOW + 1799), (4001, NOW + 1801)]:
        budget.admit("core", reserve=False)
        budget.settle("core", 200, {name.lower(): value for name, value in hour(left, reset=reset).items()}, 1)
    assert [(s.calls, s.left) for s in budget.spending()] == [(3, 3999)]
    budget.settle("core", 200, {name.lower(): value for name, value in hour(5000, reset=NOW + 5400).items()}, 1)
    assert next(budget.spending()).left == 5001  # the extra settle stands for one that is no longer in flight


def test_requests_in_flight_count_before_they_are_answered(clock):
    """A burst cannot overdraw what the last answer told."""
    budget = Budget(clock)
    budget.admit("core", reserve=False)
    budget.settle("core", 200, {name.lower(): value for name, value in hour(1003).items()}, 1)
    for _ in range(3):
        budget.admit("core", reserve=False)
    with pytest.raises(RateLimited):
        budget.admit("core", reserve=False)


def test_an_allowance_of_its_own_says_nothing_of_the_others(clock):
    """`x-ratelimit-resource` may name something else than what was asked for; GraphQL is counted apart."""
    budget = Budget(clock)
    budget.admit("core", reserve=False)
    budget.settle("core", 200, {name.lower(): value for name, value in hour(0, resource="code_search").items()}, 1)
    budget.admit("core", reserve=False)
    budget.admit("graphql", reserve=False)


def test_without_headers_the_smallest_allowance_is_assumed(clock):
    """An Enterprise server may have its limits switched off; the bot still has one."""
    budget = Budget(clock, BudgetLimits(assumed=10))
    for _ in range(8):
        budget.admit("core", reserve=False)
        budget.settle("core", 200, {}, 1)
    with pytest.raises(RateLimited) as caught:
        budget.admit("core", reserve=False)
    assert caught.value.resume_at == (NOW // 3600 + 1) * 3600
    clock.advance(3600)
    budget.admit("core", reserve=False)


def test_headers_that_make_no_sense_are_passed_over(clock):
    """A proxy's invention must not stop the bot."""
    budget = Budget(clock)
    for headers in [
        {"x-ratelimit-limit": "many"},
        {"x-ratelimit-limit": "0", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"},
        {"x-ratelimit-limit": "5", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "nan"},
    ]:
        budget.admit("core", reserve=False)
        budget.settle("core", 200, headers, 1)
    budget.admit("core", reserve=False)
