"""`noise`: seven jobs fail at once; there is one comment, and one check run."""

from __future__ import annotations

from bot.cli.scenarios.scenario import Scenario, check_run, comments, expect
from bot.cli.stage import Stage
from bot.sandbox.ci.runner.function_job import Outcome, Tree, failed, passed

JOBS = ("unit", "integration", "lint", "types", "docs", "build", "e2e")


def outcome(tree: Tree) -> Outcome:
    """Fail in a way of each job's own while `broken` stands in the tree."""
    if "broken" not in tree:
        return passed(f"{tree.job}: fine")
    return failed(
        "============================= FAILURES =============================",
        f"FAILED tests/test_{tree.job}.py::test_{tree.job} - AssertionError: assert '{tree.job}' is None",
        "========================= 1 failed in 0.12s =========================",
    )


async def play(stage: Stage) -> None:
    """Let all seven fail on one push."""
    for job in JOBS:
        stage.sandbox.ci.job(job, outcome)
    repo = stage.repo("shop", {"shop.py": ""}, {"ci.yml": JOBS})
    await stage.settle()
    pull = stage.people.open_pull("everything", {"broken": "yes"})
    await stage.settle()
    said = comments(stage, repo, pull)
    expect(len(said) == 1, "seven red jobs lead to one comment")
    expect(all(f"test_{job}" in said[0].body for job in JOBS), "the comment names the failing test of each job")
    expect(check_run(stage, repo, pull.head_sha), "one check run failres stands on the head")
    expect(stage.sandbox.violations == [], "every request was one that GitHub knows and the App may make")


NOISE = Scenario("noise", "Seven jobs fail at once: one comment.", play)
