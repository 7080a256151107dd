"""Scenarios of the resolver: repairs of a check's surroundings, limits, breakers, and people who are asked."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.cli.scenarios import team
from bot.cli.scenarios.looking import repository, told
from bot.cli.scenarios.scenario import Scenario, comments, expect
from bot.cli.stage import Stage
from bot.sandbox.ci.runner.function_job import Outcome, Tree, failed, passed
from bot.sandbox.state import Pull
from resolver.facts.quarantine import TaskQuarantined
from resolver.facts.resolve import ResolveDecided, ResolveEnded
from resolver.journal import from_json
from resolver.ledger.events import RerunStarted

NO_VIOLATION = "every request was one that GitHub knows and the App may make"

NO_HOST = ("curl: (6) Could not resolve host: downloads.example.org",)
NO_LOGIN = (
    "npm error code E401",
    "npm error 401 Unauthorized - GET https://registry.example.org/@acme%2ftools - authentication token not provided",
)
OUT_OF_SYNC = (
    "npm error code EUSAGE",
    "npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.",
    "npm error Missing: left-pad@1.3.0 from lock file",
)
LABELLED = team.CONFIG + '  labels: act\nlabels: ["failres:quarantined"]\n'

LIMITED = ("Error: API rate limit exceeded for installation ID 12. Please try again in 15 minutes.",)


async def opened(stage: Stage, job: Callable[[Tree], Outcome], config: str = team.CONFIG, branch: str = "docs") -> Pull:
    """A managed pull request whose only check is that job; its base is never tested."""
    stage.sandbox.ci.job("unit", job)
    workflow = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "")
    stage.repo("shop", team.files(config=config), {"ci.yml": workflow})
    await stage.settle()
    pull = stage.people.open_pull(branch, {"README.md": "more"})
    await stage.settle()
    return pull


def first(lines: tuple[str, ...], times: int = 1) -> Callable[[Tree], Outcome]:
    """A job that fails so in its first attempts of a commit and passes then."""

    def job(tree: Tree) -> Outcome:
        return failed(*lines, exit_status=6) if tree.attempt <= times else passed(*team.GREEN)

    return job


def always(*lines: str) -> Callable[[Tree], Outcome]:
    """A job that fails so every time."""
    return lambda _: failed(*lines, exit_status=6)


async def actions(stage: Stage) -> list[tuple[str, int, str]]:
    """The resolver's decisions: class, attempt and action, in their order."""
    facts = [from_json(row.kind, row.data) for row in await stage.journal()]
    return [(each.fail_class, each.attempt, each.action) for each in facts if isinstance(each, ResolveDecided)]


async def successes(stage: Stage) -> list[bool]:
    """Whether what was decided helped, in the order in which that was known."""
    facts = [from_json(row.kind, row.data) for row in await stage.journal()]
    return [each.success for each in facts if isinstance(each, ResolveEnded)]


async def quarantines(stage: Stage) -> list[tuple[str, str]]:
    """The quarantines that were recorded: class and cause, in their order."""
    facts = [from_json(row.kind, row.data) for row in await stage.journal()]
    return [(each.fail_class, each.cause) for each in facts if isinstance(each, TaskQuarantined)]


async def lifted(stage: Stage) -> int:
    """How often a quarantine was lifted because the base moved."""
    return sum(row.kind == "quarantine.lifted" for row in await stage.journal())


def executions(stage: Stage, pull: Pull) -> int:
    """How often the workflow ran on the pull request's head."""
    runs = repository(stage, pull).runs.values()
    return sum(len(run.attempts) for run in runs if run.head_sha == pull.head_sha)


def question(stage: Stage, pull: Pull) -> str | None:
    """The id of the question that is put on a pull request, the newest where there are several."""
    found = re.findall(r"/failres answer accept decision=(d-[0-9a-f]+)", told(stage, pull))
    return found[-1] if found else None


async def lockfile(stage: Stage) -> None:
    """The lock file does not fit: provisioning anew does not help, so people are asked at the second attempt."""
    pull = await opened(stage, always(*OUT_OF_SYNC))
    taken = await actions(stage)
    expect(taken[:1] == [("lockfile-out-of-sync", 1, "env-repair:provision-deps")], "it was provisioned anew once")
    expect(taken[1:] == [("lockfile-out-of-sync", 2, "escalate")], "then the table escalates")
    expect(question(stage, pull) is not None, "people are asked")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def registry_auth(stage: Stage) -> None:
    """A registry refuses access: no rerun can help, so people are asked at once."""
    pull = await opened(stage, always(*NO_LOGIN))
    expect(await actions(stage) == [("registry-auth-missing", 1, "escalate")], "the table escalates at once")
    expect(executions(stage, pull) == 1, "nothing ran again")
    expect(question(stage, pull) is not None, "people are asked")
    expect("A registry refused access" in told(stage, pull), "the question says why")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def rate_limited(stage: Stage) -> None:
    """A limit says when to come back: it is waited for, also through a restart; siblings go on meanwhile."""
    limited, down = first(LIMITED), first(NO_HOST)
    pull = await opened(stage, lambda tree: (down if "a sibling" in tree.read("README.md") else limited)(tree))
    said_when = "so the failed job runs once more at 20" in told(stage, pull)
    expect(said_when or not stage.calm, "the comment says when it goes on")
    stage.people.open_pull("sibling", {"README.md": "a sibling"})
    await stage.settle()
    await stage.later(1_000.0)
    expect(executions(stage, pull) == 2, "it ran once the limit was over")
    facts = [from_json(row.kind, row.data) for row in await stage.journal()]
    parked, other = [each for each in facts if isinstance(each, ResolveDecided)]
    expect(parked.due_at is not None and parked.due_at - parked.at == 900, "the wait is the one that the limit names")
    again = {each.task: each.at for each in facts if isinstance(each, RerunStarted)}
    expect(again["pr-1"] >= (parked.due_at or 0.0), "nothing ran again before the limit's time")
    expect(other.at + 100 > again["pr-2"], "the sibling did not wait for it")
    expect(await successes(stage) == [True, True], "both outcomes are recorded as successes")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def breaker(stage: Stage) -> None:
    """The surroundings fail again and again: after two resolutions the task is quarantined, and nothing is tried."""
    pull = await opened(stage, always(*NO_HOST), LABELLED + "budget: {maxResolutions: 2}\n")
    tried = await actions(stage)
    expect([action for _, _, action in tried] == ["env-repair:provision-deps", "escalate"], "two resolutions were made")
    stage.people.push("docs", {"README.md": "even more"})
    await stage.settle()
    expect(await actions(stage) == tried, "no further resolution was made")
    expect(executions(stage, pull) == 1, "the new commit was not run again")
    expect("2 attempts were made at this class of failure" in told(stage, pull), "the question names the breaker")
    expect("**Quarantined**" in told(stage, pull), "the comment says that the task is quarantined")
    expect(pull.labels == ["failres:quarantined"], "it has the label that the configuration asks for")
    expect(await quarantines(stage) == [("gate-red-env", "breaker")], "the quarantine is recorded")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def stop_loss(stage: Stage) -> None:
    """The same failure is quarantined twice on an unchanged base: nothing of it is tried afresh until that moves."""
    pull = await opened(stage, always(*NO_HOST), LABELLED + "budget: {maxResolutions: 0}\n")
    for text in ("even more", "most"):
        stage.people.push("docs", {"README.md": text})
        await stage.settle()
    expect(
        await quarantines(stage)
        == [("gate-red-env", "breaker"), ("gate-red-env", "breaker"), ("gate-red-env", "stop-loss")],
        "two quarantines, and then the stop",
    )
    expect((await actions(stage))[-1] == ("repeated-failure-stop", 1, "escalate"), "the table escalates")
    expect("nothing of it is tried afresh" in told(stage, pull), "the question says why")
    expect(executions(stage, pull) == 1, "nothing was run again")
    stage.people.push("main", {"docs/news.md": "mended elsewhere"}, by="maintainer")
    await stage.settle()
    expect(await lifted(stage) == 1, "the task is taken up again on the moved base")
    expect(
        "No further comment may be made today" in told(stage, pull), "a question without a comment is in the first one"
    )
    copied = re.findall(
        "/failres answer accept decision=d-[0-9a-f]+", comments(stage, repository(stage, pull), pull)[0].body
    )
    answer = stage.people.comment(pull, copied[0], by="maintainer")
    await stage.settle()
    expect([each.content for each in answer.reactions] == ["+1"], "and it is answered like any other")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def escalate_answer(stage: Stage) -> None:
    """A person answers in the conversation: a wrong form is refused with a reason, the right one is obeyed."""
    pull = await opened(stage, always(*NO_LOGIN))
    asked = question(stage, pull)
    stage.people.comment(pull, "/failres answer scopeFiles=.npmrc", by="maintainer")
    await stage.settle()
    expect("cannot be answered with files" in told(stage, pull), "the wrong form is refused with its reason")
    stage.clock.advance(1_300.0)
    stage.sandbox.ci.job("unit", lambda _: passed(*team.GREEN))
    stage.people.comment(pull, f"The token is back.\n\n/failres answer try-again decision={asked}", by="maintainer")
    await stage.settle()
    expect(executions(stage, pull) == 2, "the answer was one execution")
    expect("Answered by `maintainer`: `try-again`." in told(stage, pull), "the question's comment says so")
    mine = comments(stage, repository(stage, pull), pull)
    expect(len(mine) <= 3, "no more than three comments were written")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


RESOLVING = (
    Scenario("lockfile", "A lock file does not fit: provisioned anew once, then people are asked.", lockfile),
    Scenario("registry-auth", "A registry refuses access: people are asked at once.", registry_auth),
    Scenario("rate-limited", "A limit names its end: failres waits for it, then runs the job.", rate_limited),
    Scenario("breaker", "The same trouble again and again: a breaker ends the tries.", breaker),
    Scenario("stop-loss", "Quarantined twice for the same: not tried afresh until the base moves.", stop_loss),
    Scenario("escalate-answer", "People are asked, a wrong answer is refused, the right one obeyed.", escalate_answer),
)
