"""`third-party`: another CI's check run and commit status fail; both are explained, and never started by failres."""

from __future__ import annotations

from bot.cli.scenarios.scenario import Scenario, check_run, comments, expect
from bot.cli.scenarios.team import CONFIG, RIGHT, files, unit
from bot.cli.stage import Stage

LINTED = {
    "title": "1 problem",
    "summary": "One problem was found.",
    "annotations": [
        {
            "path": "shop.py",
            "start_line": 2,
            "end_line": 2,
            "annotation_level": "failure",
            "title": "no-magic-number",
            "message": "100 has no name",
        }
    ],
}
NOT_STARTED = "checks of another CI cannot be started by failres"


async def play(stage: Stage) -> None:
    """Let a linter's App and a coverage service find fault, then have both satisfied."""
    stage.sandbox.ci.job("unit", unit)
    repo = stage.repo("shop", files(config=CONFIG), {"ci.yml": ("unit",)})
    await stage.settle()
    pull = stage.people.open_pull("names", {"shop.py": RIGHT + "\n\nLIMIT = 100\n"}, title="Limit the cart")
    stage.people.report_status(pull, "coverage/patch", "pending", "waiting for reports", ci="Coverage")
    await stage.settle()
    expect(comments(stage, repo, pull) == [], "nothing is said of what is pending")

    stage.people.report_check(pull, "lint", "failure", ci="Linter", output=LINTED, details_url="https://lint.test/1")
    stage.people.report_status(pull, "coverage/patch", "failure", "40% of the patch is covered", ci="Coverage")
    await stage.settle()
    said = comments(stage, repo, pull)
    expect(len(said) == 1, "one comment tells of both")
    body = said[0].body
    expect("no-magic-number" in body and "shop.py:2" in body, "the comment names what the linter annotated, and where")
    expect("40% of the patch is covered" in body, "the comment says what the coverage service said")
    expect(NOT_STARTED in body, "the comment says why failres cannot look for itself")
    shown = check_run(stage, repo, pull.head_sha)
    expect(shown is not None and shown.conclusion == "neutral", "a neutral check run failres stands on the head")
    once = all(len(run.attempts) == 1 for run in repo.runs.values())
    expect(once and {run.event for run in repo.runs.values()} <= {"push", "pull_request"}, "nothing was run again")

    stage.people.report_check(pull, "lint", "success", ci="Linter", output={"title": "Fine", "summary": "No problem."})
    await stage.settle()
    expect(comments(stage, repo, pull)[0].minimized is None, "one of the two is still red, so the comment stands")
    stage.people.report_status(pull, "coverage/patch", "success", "100% of the patch is covered", ci="Coverage")
    await stage.settle()
    said = comments(stage, repo, pull)
    expect(len(said) == 1 and said[0].minimized == "RESOLVED", "green again, the comment is hidden as resolved")
    expect(stage.sandbox.violations == [], "every request was one that GitHub knows and the App may make")


THIRD_PARTY = Scenario("third-party", "Another CI's checks fail: explained like jobs, never started by failres.", play)
