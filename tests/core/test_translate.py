"""Deliveries become facts: GitHub's own published examples, and what is dropped on purpose."""

import json

import pytest

from bot.translate import USED_EVENTS, translate, translate_installation
from resolver.facts import (
    BaseMoved,
    CommentGone,
    InstallationChanged,
    JobFinished,
    PullObserved,
    RepoObserved,
    RunObserved,
)
from resolver.journal import kind_of, to_json
from resolver.other_ci import CheckFinished, StatusSeen
from resolver.progress import JobProgressed
from tests.core.made import job
from tests.server.deliveries import examples

EXAMPLES = examples()
PUSHES = ("opened", "synchronize", "reopened")


@pytest.mark.parametrize(("event", "payload"), EXAMPLES, ids=[f"{e}-{i}" for i, (e, _) in enumerate(EXAMPLES)])
def test_every_published_example_is_understood_or_let_pass(event, payload):
    """Old and odd payloads of GitHub never raise; those of our events bring their repository at least."""
    translation = translate(event, payload)
    if event in USED_EVENTS and payload.get("repository"):
        assert isinstance(translation.facts[0], RepoObserved), translation.ignored


ODD = (None, [], {}, "", "x", -1, True, [1], {"a": 1}, 10**30, "0001-01-01T00:00:00Z", "2020-13-45")


def spoilt(value, odd, depth=3):
    """The same object over and over, each time with one thing in it that is something odd."""
    for name in value if isinstance(value, dict) and depth else ():
        yield {**value, name: odd}
        yield from ({**value, name: inside} for inside in spoilt(value[name], odd, depth - 1))


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_a_delivery_that_is_not_what_it_should_be_stops_nobody(odd):
    """Whatever is wrong in it: it brings what can be read, or nothing with a reason, and the turn goes on."""
    first = {event: payload for event, payload in reversed(EXAMPLES) if event in USED_EVENTS}
    for event, payload in first.items():
        for each in spoilt(payload, odd):
            translate_installation(event, each)
            for fact in translate(event, each).facts:
                to_json(fact)


def of(event, **wanted):
    """The published examples of an event whose fields are as wanted."""
    return [p for e, p in EXAMPLES if e == event and all(p.get(k) == v for k, v in wanted.items())]


def facts(event, payload):
    """The facts beside the repository's."""
    return [fact for fact in translate(event, payload).facts if not isinstance(fact, RepoObserved)]


def test_a_pull_requests_delivery_tells_the_whole_pull_request():
    """Number, head, base, author by id, labels and time are taken from the delivery itself."""
    for payload in of("pull_request"):
        seen, *pushed = facts("pull_request", payload)
        assert [p.by.id for p in pushed] == [payload["sender"]["id"]] * (payload["action"] in PUSHES)
        pull = payload["pull_request"]
        assert isinstance(seen, PullObserved)
        assert (seen.number, seen.head_sha, seen.base_ref) == (pull["number"], pull["head"]["sha"], pull["base"]["ref"])
        assert (seen.author.id, seen.state) == (pull["user"]["id"], pull["state"])


def test_a_jobs_end_and_its_progress_are_facts():
    """The action decides which: old examples say `completed` in a delivery of a job that has not ended."""
    ends = [facts("workflow_job", payload) for payload in of("workflow_job", action="completed")]
    assert [type(found[0]) for found in ends] == [JobFinished] * len(ends)
    for action in ("queued", "waiting", "in_progress"):
        for payload in of("workflow_job", action=action):
            (seen,) = facts("workflow_job", payload)
            assert isinstance(seen, JobProgressed)
            assert (seen.job_id, seen.status) == (payload["workflow_job"]["id"], payload["workflow_job"]["status"])
            assert seen.seen_at >= seen.since > 0
            assert len(seen.steps) == len(payload["workflow_job"]["steps"])


def test_one_result_that_arrives_as_four_events_is_one_execution():
    """Actions' own check runs and all suites are dropped; the run is an observation of its own."""
    own = [p for p in of("check_run") if p["check_run"]["app"].get("slug") == "github-actions"]
    assert own
    assert all(not facts("check_run", payload) for payload in own)
    assert all(not facts("check_suite", payload) for payload in of("check_suite"))
    assert all(isinstance(facts("workflow_run", p)[0], RunObserved) for p in of("workflow_run"))


def check_run(**changes):
    """A delivery of another App's check run."""
    run = {
        "id": 70,
        "name": "build",
        "head_sha": "a" * 40,
        "status": "completed",
        "conclusion": "failure",
        "started_at": "2026-01-02T03:04:05Z",
        "completed_at": "2026-01-02T03:05:05Z",
        "details_url": "https://ci.test/70",
        "html_url": "https://github.test/runs/70",
        "external_id": "x",
        "app": {"id": 44, "slug": "acme-ci", "name": "Acme CI"},
        "output": {"title": "The build broke", "summary": None, "text": None, "annotations_count": 0},
    }
    return {"action": "completed", "repository": {"id": 1, "full_name": "a/b"}, "check_run": {**run, **changes}}


@pytest.mark.parametrize(
    ("changes", "own_app", "known"),
    [
        ({}, None, True),
        ({}, 44, False),
        ({"app": {"id": 15368, "slug": "github-actions"}}, None, False),
        ({"status": "in_progress", "conclusion": None}, None, False),
        ({"status": "queued"}, None, False),
        ({"app": {"id": 44, "name": "An App without a slug"}}, None, True),
        ({"app": None}, None, False),
        ({"output": {"title": None}}, None, True),
    ],
)
def test_another_apps_check_run_is_a_result_and_actions_and_failress_own_are_none(changes, own_app, known):
    """By the App, not by its name, which anybody may choose."""
    found = [f for f in translate("check_run", check_run(**changes), own_app).facts if isinstance(f, CheckFinished)]
    assert len(found) == known


def test_a_check_runs_output_is_kept_masked_and_capped_and_of_failures_only():
    """Another CI's Markdown may hold a secret, and may be long; what is green says nothing that is needed."""
    token = "ghp_" + "a1" * 18
    output = {"title": "t" * 900, "summary": f"with {token}", "text": "x" * 60_000, "annotations_count": 3}
    (red,) = facts("check_run", check_run(output=output))
    assert (len(red.title), red.summary, len(red.text), red.annotations) == (
        256,
        "with [masked github-token]",
        12_288,
        3,
    )
    (green,) = facts("check_run", check_run(output=output, conclusion="success"))
    assert (green.title, green.summary, green.text, green.findings) == ("", "", "", ())


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://ci.test/70?a=b#c", "https://ci.test/70?a=b#c"),
        ("javascript:alert(1)", "https://github.test/runs/70"),
        ("https://ci.test/) [click](https://evil.test", "https://github.test/runs/70"),
        ("https://ci.test/\n@everyone", "https://github.test/runs/70"),
        (None, "https://github.test/runs/70"),
    ],
)
def test_only_what_is_nothing_but_a_link_is_kept_as_one(address, kept):
    """Another App chooses the address; it must not break out of the Markdown that it is put into."""
    (told,) = facts("check_run", check_run(details_url=address))
    assert told.url == kept


def test_a_commit_status_is_a_result_and_a_pending_one_is_none_yet():
    """Error is a failure in other words; pending is neither red nor green."""
    payload = {"repository": {"id": 1, "full_name": "a/b"}, "id": 8, "sha": "a" * 40, "context": "ci/coverage"}
    payload |= {"description": "81%", "target_url": None, "created_at": "2026-01-02T03:04:05Z", "updated_at": None}
    told = {state: facts("status", {**payload, "state": state})[0] for state in ("error", "pending", "success", "odd")}
    assert [seen.conclusion for seen in told.values()] == ["failure", None, "success", "odd"]
    assert [len(seen.findings) for seen in told.values()] == [1, 0, 0, 1]
    assert {seen.check.key for seen in told.values()} == {"ci/coverage"}
    assert all(isinstance(found, StatusSeen) for p in of("status") for found in facts("status", p))


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        ({"commits": [{"added": [], "modified": [".github/failres.yml"], "removed": []}]}, True),
        ({"commits": [{"added": [], "modified": ["a.py"], "removed": []}]}, False),
        ({"commits": [{"added": [".github/failres.yaml"]}]}, True),
        ({"commits": [{"added": [], "modified": ["a.py"], "removed": []}] * 20}, None),
        ({"commits": [], "forced": True}, None),
        ({"commits": [{"added": ["a.py"]}], "forced": True}, None),
        ({"commits": [{"added": ["a.py"]}], "created": True}, None),
    ],
)
def test_a_push_says_whether_it_touched_the_configuration_where_it_can(change, touched):
    """Unknown where the push was forced or lists too many commits: then the file is read again."""
    payload = {
        "repository": {"id": 1, "full_name": "acme/shop", "default_branch": "main"},
        "ref": "refs/heads/main",
        "after": "a" * 40,
        **change,
    }
    assert facts("push", payload) == [BaseMoved(ref="main", sha="a" * 40, config_touched=touched)]


@pytest.mark.parametrize("change", [{"deleted": True}, {"ref": "refs/tags/v1"}])
def test_tags_and_deleted_branches_move_no_base(change):
    """Only a branch that stands somewhere is a base."""
    payload = {"repository": {"id": 1, "full_name": "a/b"}, "ref": "refs/heads/main", "after": "a" * 40, **change}
    assert facts("push", payload) == []


def test_a_deleted_comment_is_told_only_on_pull_requests():
    """The sticky comment may be the one."""
    (payload,) = of("issue_comment", action="deleted")[:1]
    assert facts("issue_comment", payload) == []
    on_pull = json.loads(json.dumps(payload))
    on_pull["issue"]["pull_request"] = {"url": "x"}
    number, comment = payload["issue"]["number"], payload["comment"]["id"]
    assert facts("issue_comment", on_pull) == [CommentGone(number=number, comment_id=comment)]


@pytest.mark.parametrize("broken", [{}, {"number": 1}, {"number": 1, "head": None}, {"number": "x", "head": {}}])
def test_what_lacks_its_parts_is_ignored_with_the_reason(broken):
    """A delivery that cannot be understood brings nothing, says why, and everything else goes on."""
    payload = {"repository": {"id": 1, "full_name": "a/b"}, "pull_request": broken}
    translation = translate("pull_request", payload)
    assert translation.facts == ()
    assert translation.ignored.startswith("a pull")


def test_an_outcome_brings_back_its_facts():
    """What workers learnt goes through the inbox like a delivery."""
    body = {"facts": [{"kind": kind_of(job()), "data": to_json(job())}]}
    assert translate("outcome", body).facts == (job(),)
    assert "cannot be read" in translate("outcome", {"facts": [{"kind": "job.finished", "data": {}}]}).ignored


def test_an_installation_tells_each_repository():
    """Created brings the repositories; deleted and suspended take the right to act away."""
    created = next(p for p in of("installation", action="created") if p.get("repositories"))
    told = translate_installation("installation", created)
    assert set(told) == {repo["id"] for repo in created["repositories"]}
    assert all(fact.installation_id == created["installation"]["id"] for fact in told.values())
    gone = translate_installation("installation", {**created, "action": "deleted", "at": 5.0})
    assert {type(fact) for fact in gone.values()} == {InstallationChanged}
    (removed,) = of("installation_repositories", action="removed")[:1]
    told = translate_installation("installation_repositories", removed)
    assert [fact.active for fact in told.values()] == [False] * len(removed["repositories_removed"])
