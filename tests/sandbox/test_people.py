"""The verbs of a story: they change what GitHub would, for people who may, and tell it unless quiet."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.sandbox.changes.refusals import Refused
from bot.sandbox.ci.runner.function_job import passed
from tests.sandbox.yard import Yard, make_yard


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    """A repository with one simple job that passes."""
    made = make_yard(tmp_path, ["unit"])
    made.ci.job("unit", lambda _: passed())
    return made


def told(yard: Yard) -> list[str]:
    """What was told since the last look."""
    found = [event + (f".{action}" if action else "") for event, action, _ in yard.heard]
    yard.heard.clear()
    return found


async def test_a_pull_request_from_first_push_to_merge(yard: Yard) -> None:
    """Open, label, comment, edit, review, draft, close, reopen, merge: each is told as GitHub tells it."""
    people = yard.people
    pull = people.open_pull("mend-it", {"app.py": "x = 2\n"}, body="Because.", draft=True)
    people.label(pull, "bug")
    people.unlabel(pull, "bug")
    comment = people.comment(pull, "first", by="outsider")
    people.edit_comment(comment, "second")
    people.react(comment, "eyes", by="maintainer")
    people.delete_comment(comment, by="maintainer")
    people.edit_pull(pull, title="Mend it well")
    people.review(pull, "APPROVED")
    people.ready(pull)
    people.close(pull)
    people.reopen(pull)
    landed = await people.merge(pull)
    assert (pull.title, pull.state, pull.merge_commit) == ("Mend it well", "closed", landed)
    assert yard.repo.git.branch("main") == landed
    assert yard.repo.git.read(landed, "app.py") == b"x = 2\n"
    assert told(yard) == [
        "push",
        "pull_request.opened",
        "pull_request.labeled",
        "pull_request.unlabeled",
        "issue_comment.created",
        "issue_comment.edited",
        "issue_comment.deleted",
        "pull_request.edited",
        "pull_request_review.submitted",
        "pull_request.ready_for_review",
        "pull_request.closed",
        "pull_request.reopened",
        "pull_request.closed",
        "push",
    ]
    assert yard.problems == []


async def test_a_fork_is_made_once_and_its_pushes_synchronise(yard: Yard) -> None:
    """An outsider works in a fork; a second push moves the pull request's head."""
    pull = yard.people.open_pull("idea", {"new.py": "1\n"}, by="outsider", fork=True)
    head = yard.people.push("idea", {"new.py": "2\n"}, by="outsider", fork=True)
    assert pull.head_sha == head
    assert yard.people.fork().id == pull.head_repo
    assert len(yard.github.repositories) == 2
    await yard.ci.advance()
    assert [run.head_sha for run in yard.runs][-1] == head
    assert yard.problems == []


async def test_people_do_only_what_they_may(yard: Yard) -> None:
    """Rights are checked by role: who lacks them is refused with 403 and nothing changes."""
    pull = yard.people.open_pull("a", {"n": "1\n"})
    mine = yard.people.comment(pull, "mine", by="outsider")
    yard.heard.clear()
    for forbidden in (
        lambda: yard.people.push("b", {"n": "1\n"}, by="outsider"),
        lambda: yard.people.label(pull, "bug", by="reader"),
        lambda: yard.people.close(pull, by="outsider"),
        lambda: yard.people.edit_comment(mine, "theirs", by="reader"),
        lambda: yard.people.rename("other", by="maintainer"),
    ):
        with pytest.raises(Refused) as caught:
            forbidden()
        assert caught.value.status == 403
    with pytest.raises(Refused):
        await yard.people.merge(pull, by="reader")
    assert yard.heard == []
    yard.people.edit_comment(mine, "better")
    yard.people.close(pull)
    assert (mine.body, pull.state) == ("better", "closed")


def test_quietly_is_heard_by_no_webhook(yard: Yard) -> None:
    """Within `quietly` the webhooks are muted, and only there; the change itself is made."""
    hooks = yard.people._hooks
    with yard.people.quietly() as people:
        assert hooks.muted
        pull = people.open_pull("a", {"n": "1\n"})
    assert not hooks.muted
    assert pull.state == "open"


def test_a_repository_may_be_renamed(yard: Yard) -> None:
    """The new name is told and both names find it."""
    yard.people.rename("renamed")
    assert told(yard) == ["repository.renamed"]
    assert yard.github.repository("octo/demo") is yard.github.repository("octo/renamed") is yard.repo
    assert yard.problems == []


def test_verbs_need_a_repository(tmp_path: Path) -> None:
    """Before `repo()` there is nothing to act in; the error says what to call."""
    yard = make_yard(tmp_path, ["unit"])
    yard.people._repo = None
    with pytest.raises(LookupError, match=r"call repo\(\) first"):
        yard.people.push("a", {"n": "1\n"})


async def test_another_ci_reports_check_runs_and_statuses_through_apps_of_its_own(yard: Yard) -> None:
    """Two CIs are two Apps; each check run and each status is told, one that still runs not as completed."""
    people = yard.people
    pull = people.open_pull("mend-it", {"app.py": "x = 2\n"})
    told(yard)
    running = people.report_check(pull, "lint", None, ci="Linter")
    ended = people.report_check(pull.head_sha, "lint", "failure", ci="Linter", output={"title": "1", "summary": "s"})
    status = people.report_status(pull, "coverage", "pending", "wait", ci="Coverage", target_url="https://cov.test/1")
    assert (running.status, ended.status, ended.conclusion) == ("in_progress", "completed", "failure")
    assert running.app is ended.app
    assert (ended.app.slug, status.creator.login) == ("linter", "coverage[bot]")
    heard = [event for event in told(yard) if not event.startswith("check_suite")]
    assert heard == ["check_run.created", "check_run.created", "check_run.completed", "status"]
    assert yard.problems == []
