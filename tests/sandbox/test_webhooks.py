"""Webhooks: who hears what, signatures, weather, the delivery log. Facts by their number in GITHUB.md."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from gidgethub import ValidationFailure, sansio

from bot.sandbox.changes import accounts, checks, labels, pulls, repositories, reviews
from bot.sandbox.changes.pushes import push_files
from bot.sandbox.ci.runner.function_job import passed
from bot.sandbox.webhooks.hooks import Hooks
from bot.sandbox.webhooks.signing import signature
from bot.sandbox.webhooks.weather import WINDOW, arrange
from tests.sandbox.lab import Lab

DAY = 86_400
OPENED = ["push", "check_suite.requested", "pull_request.opened"]
"""What an App with `checks: write` hears of a new branch and its pull request (the empty suite is trap 6)."""


class Receiver:
    """An App's endpoint: notes what arrives and answers `status`, after `delay` seconds."""

    def __init__(self) -> None:
        self.status = 202
        self.delay = 0.0
        self.got: list[tuple[dict[str, str], bytes]] = []

    async def handle(self, request: web.Request) -> web.Response:
        """Take one delivery."""
        self.got.append((dict(request.headers), await request.read()))
        await asyncio.sleep(self.delay)
        return web.Response(status=self.status, text="noted")

    @property
    def events(self) -> list[str]:
        """What arrived: event and action."""
        found = []
        for headers, body in self.got:
            action = json.loads(body).get("action")
            found.append(headers["X-GitHub-Event"] + (f".{action}" if action else ""))
        return found

    @property
    def guids(self) -> list[str]:
        """The deliveries' ids as the receiver sees them."""
        return [headers["X-GitHub-Delivery"] for headers, _ in self.got]


@pytest.fixture
async def receiver(lab: Lab) -> AsyncIterator[Receiver]:
    """An endpoint to which the lab's App points; what happened before is forgotten."""
    receiver = Receiver()
    application = web.Application()
    application.router.add_post("/hook", receiver.handle)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    lab.sandbox.hooks.weather = "vanished"
    await lab.sandbox.hooks.deliver()
    lab.sandbox.hooks.weather = "calm"
    lab.sandbox.app.webhook_url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    yield receiver
    await runner.cleanup()


def hooks(lab: Lab) -> Hooks:
    """The lab's webhooks."""
    return lab.sandbox.hooks


async def test_a_delivery_is_signed_and_headed_as_githubs(lab: Lab, receiver: Receiver) -> None:
    """An independent reader (gidgethub) accepts the delivery with the right secret and refuses it with another."""
    lab.pull()
    await hooks(lab).deliver()
    assert receiver.events == OPENED
    headers, body = receiver.got[-1]
    lowered = {key.lower(): value for key, value in headers.items()}
    event = sansio.Event.from_http(lowered, body, secret=lab.sandbox.webhook_secret)
    assert event.data["installation"]["id"] == lab.installation.id
    with pytest.raises(ValidationFailure):
        sansio.Event.from_http(lowered, body, secret="another")
    assert lowered["user-agent"].startswith("GitHub-Hookshot/")
    assert lowered["x-github-hook-installation-target-type"] == "integration"
    assert lowered["x-github-hook-installation-target-id"] == str(lab.sandbox.app.id)
    assert lowered["x-hub-signature"].startswith("sha1=")


def test_the_published_vector_of_the_signature() -> None:
    """GITHUB.md 3.1: the published test vector."""
    expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signature("It's a Secret to Everybody", b"Hello, World!") == expected


async def test_nothing_leaves_by_itself(lab: Lab, receiver: Receiver) -> None:
    """What happened waits until `deliver`."""
    lab.pull()
    await asyncio.sleep(0.01)
    assert (receiver.got, hooks(lab).waiting) == ([], 3)
    assert await hooks(lab).deliver() == 3
    assert hooks(lab).waiting == 0


async def test_an_app_hears_only_its_events(lab: Lab, receiver: Receiver) -> None:
    """An event that the App did not subscribe to is not sent; nor is anything where it is not installed."""
    pull = lab.pull()
    reviews.submit_review(lab.act("maintainer"), pull, "APPROVED")
    labels.add_label(lab.act("maintainer"), pull.number, "bug")
    elsewhere = repositories.create_repository(lab.sandbox.github, lab.people["outsider"], "own", {"a": "b"})
    push_files(lab.act("outsider", elsewhere), "main", {"a": "c"}, "m")
    await hooks(lab).deliver()
    assert receiver.events == [*OPENED, "pull_request.labeled"]


async def test_installation_events_come_unasked(lab: Lab, receiver: Receiver) -> None:
    """GITHUB.md 3: `installation*` arrive without subscription."""
    lab.sandbox.app.events = frozenset()
    accounts.suspend(lab.sandbox.github, lab.installation)
    lab.pull()
    accounts.suspend(lab.sandbox.github, lab.installation, suspended=False)
    lab.pull("other")
    await hooks(lab).deliver()
    assert receiver.events == ["installation.suspend", "installation.unsuspend", "check_suite.requested"]


async def test_trap_9_asking_again_reaches_the_owner_only(lab: Lab, receiver: Receiver) -> None:
    """GITHUB.md trap 9: a check run's button and Re-run tell its App; those of another App's check tell nothing here."""
    pull = lab.pull()
    fields = {"name": "mine", "head_sha": pull.head_sha, "conclusion": "neutral"}
    fields["actions"] = [{"label": "Again", "description": "d", "identifier": "again"}]
    act = lab.act("author")
    mine = checks.create_check_run(act, lab.sandbox.app, fields)
    other = accounts.add_app(lab.sandbox.github, {"name": "Other CI"}, owner=lab.people["octo"])
    theirs = checks.create_check_run(act, other, {**fields, "name": "theirs"})
    receiver_before = await hooks(lab).deliver()
    assert receiver_before > 0
    receiver.got.clear()
    for run in (mine, theirs):
        checks.rerequest_run(act, run)
        checks.press(act, run, "again")
    await hooks(lab).deliver()
    assert receiver.events == ["check_run.rerequested", "check_run.requested_action"]
    assert json.loads(receiver.got[1][1])["requested_action"] == {"identifier": "again"}


async def test_failures_are_logged_with_what_came_back(lab: Lab, receiver: Receiver) -> None:
    """Only 2xx within ten seconds counts (section 4); the log keeps status, answer and sentence."""
    receiver.status = 500
    lab.pull()
    await hooks(lab).deliver()
    receiver.status = 200
    lab.pull("two")
    await hooks(lab).deliver()
    hooks(lab).down = True
    lab.pull("three")
    await hooks(lab).deliver()
    log = hooks(lab).log.of_app(lab.sandbox.app.id, lab.clock.now())
    assert [(one.status_code, one.status, one.succeeded) for one in log[::3]] == [
        (0, "failed to connect to host", False),
        (200, "OK", True),
        (500, "Invalid HTTP Response: 500", False),
    ]
    assert log[-1].response_body == "noted"


async def test_a_slow_endpoint_times_out(lab: Lab, receiver: Receiver) -> None:
    """An answer that takes longer than the limit counts as none (here with a limit of 20 ms)."""
    slow = Hooks(lab.sandbox.github, lambda *_: [], timeout_seconds=0.02)
    receiver.delay = 0.06
    slow.ping(lab.sandbox.app)
    await slow.deliver()
    (one,) = slow.log.of_app(lab.sandbox.app.id, lab.clock.now())
    assert (one.status, one.status_code, one.message.event) == ("timed out", 0, "ping")
    await slow.close()


async def api(lab: Lab, path: str, method: str = "GET") -> Any:
    """Call the App's own routes."""
    return await lab.call(method, path, token=lab.jwt())


async def test_the_log_is_listed_by_cursor_and_filtered(lab: Lab, receiver: Receiver) -> None:
    """`/app/hook/deliveries` is newest first, pages by the cursor in `Link`, and filters failures."""
    for branch in ("a", "b", "c"):
        receiver.status = 500 if branch == "b" else 202
        lab.pull(branch)
        await hooks(lab).deliver()
    seen: list[int] = []
    url: str | None = "/app/hook/deliveries?per_page=2"
    while url:
        answer = await api(lab, url)
        seen += [one["id"] for one in answer.body]
        link = answer.headers.get("Link")
        url = link.partition("<")[2].partition(">")[0] if link else None
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == 9
    failures = (await api(lab, "/app/hook/deliveries?status=failure")).body
    assert [(one["event"], one["status_code"]) for one in failures] == [
        ("pull_request", 500),
        ("check_suite", 500),
        ("push", 500),
    ]
    whole = (await api(lab, f"/app/hook/deliveries/{failures[0]['id']}")).body
    assert whole["request"]["headers"]["X-GitHub-Delivery"] == failures[0]["guid"]
    assert whole["request"]["payload"]["action"] == "opened"
    assert whole["response"]["payload"] == "noted"


async def test_trap_12_a_redelivery_keeps_the_guid(lab: Lab, receiver: Receiver) -> None:
    """GITHUB.md trap 12: same guid, same bytes, new id; possible for three days."""
    hooks(lab).weather = "lost"
    lab.pull()
    await hooks(lab).deliver()
    assert receiver.got == []
    failures = (await api(lab, "/app/hook/deliveries?status=failure")).body
    assert (await api(lab, f"/app/hook/deliveries/{failures[0]['id']}/attempts", "POST")).status == 202
    await hooks(lab).deliver()
    assert receiver.guids == [failures[0]["guid"]]
    newest = (await api(lab, "/app/hook/deliveries?per_page=1")).body[0]
    assert (newest["redelivery"], newest["guid"]) == (True, failures[0]["guid"])
    assert newest["id"] != failures[0]["id"]
    lab.clock.advance(3 * DAY + 1)
    assert (await api(lab, f"/app/hook/deliveries/{failures[0]['id']}/attempts", "POST")).status == 404
    assert (await api(lab, "/app/hook/deliveries")).body == []


async def test_trap_1_late_weather_shuffles_within_a_window(lab: Lab, receiver: Receiver) -> None:
    """GITHUB.md trap 1: everything arrives once, in another order, some only with the next batch; repeatable by seed."""
    hooks(lab).weather = "late"
    for number in range(6):
        lab.pull(f"b{number}")
    sent = await hooks(lab).deliver()
    assert 0 < sent < 18
    while hooks(lab).waiting:
        await hooks(lab).deliver()
    assert len(set(receiver.guids)) == len(receiver.guids) == 18
    log = hooks(lab).log.of_app(lab.sandbox.app.id, lab.clock.now())
    assert [one.message.guid for one in reversed(log)] == receiver.guids
    numbers = [json.loads(body).get("number", 0) for _, body in receiver.got]
    assert [one for one in numbers if one] != sorted(one for one in numbers if one)


async def test_twice_and_vanished(lab: Lab, receiver: Receiver) -> None:
    """`twice` sends each delivery two times with one guid; `vanished` leaves no trace, not even in the log."""
    hooks(lab).weather = "twice"
    lab.pull()
    await hooks(lab).deliver()
    assert len(receiver.guids) == 6
    assert len(set(receiver.guids)) == 3
    hooks(lab).weather = "vanished"
    lab.pull("other")
    assert await hooks(lab).deliver() == 0
    assert len(hooks(lab).log.of_app(lab.sandbox.app.id, lab.clock.now())) == 6


def test_weather_is_a_pure_function_of_its_seed() -> None:
    """The same seed gives the same order; nothing is lost or moved further than the window."""
    items = list(range(100))
    first = arrange(items, [], "late", random.Random(7))
    again = arrange(items, [], "late", random.Random(7))
    assert first == again
    assert sorted([*first.send, *first.keep]) == items
    now = [one for one in items if one not in first.keep]
    assert max(abs(now.index(one) - place) for place, one in enumerate(first.send)) <= WINDOW
    assert list(first.send) != now


async def test_every_event_of_a_ci_run_is_told_and_fits_its_schema(lab: Lab, receiver: Receiver) -> None:
    """A run's events arrive in GitHub's order, and every payload fits the published schema."""
    lab.sandbox.app.events |= {"check_suite", "status", "issues", "pull_request_review"}
    workflow = "on: pull_request\njobs: {a: {runs-on: x, steps: [{run: 'true'}]}}\n"
    lab.pull("a", {".github/workflows/ci.yml": workflow})
    lab.sandbox.ci.job("a", lambda _: passed())
    await lab.sandbox.ci.advance()
    await hooks(lab).deliver()
    assert hooks(lab).problems == []
    assert [one for one in receiver.events if one.startswith("workflow")] == [
        "workflow_run.requested",
        "workflow_job.queued",
        "workflow_run.in_progress",
        "workflow_job.in_progress",
        "workflow_job.completed",
        "workflow_run.completed",
    ]


async def test_trap_3_a_forks_run_names_no_pull_request(lab: Lab, receiver: Receiver) -> None:
    """GITHUB.md trap 3: `pull_requests` is empty for a pull request from a fork."""
    workflow = "on: pull_request\njobs: {a: {runs-on: x, steps: [{run: 'true'}]}}\n"
    fork = repositories.fork(lab.sandbox.github, lab.repo, lab.people["outsider"])
    push_files(lab.act("outsider", fork), "mend", {".github/workflows/ci.yml": workflow}, "m")
    pulls.open_pull(lab.act("outsider"), title="t", head="mend", base="main", head_repo=fork)
    lab.sandbox.ci.job("a", lambda _: passed())
    await lab.sandbox.ci.advance()
    await hooks(lab).deliver()
    runs = [
        json.loads(body)["workflow_run"]
        for headers, body in receiver.got
        if headers["X-GitHub-Event"] == "workflow_run"
    ]
    assert runs
    assert all(run["pull_requests"] == [] for run in runs)
    assert runs[0]["head_repository"]["full_name"] == "outsider/app"
