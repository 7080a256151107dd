"""`bad-config`: a pull request brings a broken configuration; it is shown with its line and never acted on."""

from __future__ import annotations

from bot.cli.scenarios.scenario import Scenario, check_run, comments, expect
from bot.cli.stage import Stage
from bot.sandbox.ci.runner.function_job import passed

BROKEN = "enabled: true\nmode:\n  rerunn: act\n"


async def play(stage: Stage) -> None:
    """Bring a configuration with a slip, then mend it."""
    stage.sandbox.ci.job("unit", lambda _: passed("fine"))
    repo = stage.repo("shop", {"shop.py": ""}, {"ci.yml": ("unit",)})
    await stage.settle()
    pull = stage.people.open_pull("configure", {".github/failres.yml": BROKEN}, title="Configure failres")
    await stage.settle()
    said = comments(stage, repo, pull)
    expect(len(said) == 1 and "line 3" in said[0].body, "the comment names the line of the problem")
    shown = check_run(stage, repo, pull.head_sha)
    marks = shown.annotations if shown else []
    expect([(mark["path"], mark["start_line"]) for mark in marks] == [(".github/failres.yml", 3)], "it is annotated")
    stage.people.push("configure", {".github/failres.yml": BROKEN.replace("rerunn: act", "rerun: observe")})
    await stage.settle()
    said = comments(stage, repo, pull)
    expect(len(said) == 1 and said[0].minimized == "RESOLVED", "once mended, the comment is hidden as resolved")
    expect(stage.sandbox.violations == [], "every request was one that GitHub knows and the App may make")


BAD_CONFIG = Scenario("bad-config", "A broken configuration is shown with its line and never acted on.", play)
