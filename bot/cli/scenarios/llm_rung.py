"""The model rung: a model is asked where the table says so, and whatever it says, people have the last word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.cli.scenarios import team
from bot.cli.scenarios.looking import told
from bot.cli.scenarios.model_endpoint import KEY, ModelEndpoint, open_endpoint, proposal, settings
from bot.cli.scenarios.resolving import NO_VIOLATION, executions, question
from bot.cli.scenarios.scenario import Scenario, expect
from bot.cli.stage import Stage
from bot.sandbox.ci.runner.function_job import Outcome, Tree, failed, passed
from bot.sandbox.state import Pull
from resolver.facts.model import ModelReplied
from resolver.facts.resolve import ResolveDecided
from resolver.journal import from_json

CONFIG = team.CONFIG + "llm: {enabled: true}\n"
PLANTED = "ghp_" + "Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"
"""A token that each job prints; nobody may ever be told it."""

PATIENT, IMPATIENT = 60.0, 0.2
"""Seconds for an answer: no answer that comes may be late, however slow the machine, and silence need not last."""

RATIONALE = "The mirror was away for minutes; ask @everyone at https://example.org `now`"


@dataclass(frozen=True, slots=True)
class Case:
    """What the model says to each call, how often it is to be asked, and what is then decided at the second attempt.

    `decided` is action and source; `words` stand in the question to people, where there is one.
    """

    said: tuple[str | None, ...]
    decided: tuple[str, str]
    words: str = ""

    @property
    def calls(self) -> int:
        """How often the model is asked."""
        return len(self.said)


CASES: Mapping[str, Case] = {
    "good": Case((proposal("resume", RATIONALE),), ("resume", "llm")),
    "mended": Case(("Surely!", proposal("resume", "It was the network.", "medium")), ("resume", "llm")),
    "broken": Case(("Surely!", proposal("skip-review", "faster")), ("escalate", "llm"), "did not fit"),
    "unsure": Case((proposal("resume", "It may be the network.", "low"),), ("escalate", "llm"), "was not sure"),
    "silent": Case((None,), ("escalate", "llm"), "nothing came within 0.2 s"),
}
"""A pull request for each; never so many fail at a time that it would be an outage."""


def unreachable(tree: Tree) -> Outcome:
    """A job whose mirror is out of reach in its first two attempts, and that prints a token."""
    if tree.attempt > 2:
        return passed(*team.GREEN)
    mirror = tree.read("MIRROR").strip()
    return failed(f"token {PLANTED}", f"curl: (6) Could not resolve host: {mirror}.example.org", exit_status=6)


class Script:
    """What the model says, case by case: each case's words once and in their order, then nothing that fits."""

    def __init__(self) -> None:
        self.calls = dict.fromkeys(CASES, 0)

    def say(self, material: str) -> str | None:
        """Answer the case whose mirror stands in the prompt."""
        (name,) = [name for name in CASES if f"{name}.example.org" in material]
        said, asked = CASES[name].said, self.calls[name]
        self.calls[name] += 1
        return said[asked] if asked < len(said) else "asked too often"


async def llm_rung(stage: Stage) -> None:
    """Five pull requests have the same trouble twice; a model is asked about each, and answers as it likes."""
    script = Script()
    stage.sandbox.ci.job("unit", unreachable)
    workflow = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "")
    stage.repo("shop", {**team.files(config=CONFIG), "MIRROR": "good"}, {"ci.yml": workflow})
    async with open_endpoint(script.say) as endpoint:
        await restarted(stage, endpoint, PATIENT)
        pulls = await opened(stage, "good", "mended", "broken")
        await stage.later(1_500.0)
        pulls |= await opened(stage, "unsure")
        await restarted(stage, endpoint, IMPATIENT)
        pulls |= await opened(stage, "silent")
        calls = {name: case.calls for name, case in CASES.items()}
        expect(script.calls == calls, f"each is asked as often as it must be, not {script.calls}")
        facts = [from_json(row.kind, row.data) for row in await stage.journal()]
        replies = [each for each in facts if isinstance(each, ModelReplied)]
        expect(len(replies) == len(endpoint.heard), "each call is in the journal, with what it cost")
        expect(sum(each.usage.prompt_tokens for each in replies) == 900 * (len(replies) - 1), "so are its tokens")
        nobody_was_told(stage, endpoint, pulls)
        for name, pull in pulls.items():
            await ended_as(stage, name, pull)
        expect(stage.sandbox.violations == [], NO_VIOLATION)


async def restarted(stage: Stage, endpoint: ModelEndpoint, patience: float) -> None:
    """Start failres anew with that endpoint and so many seconds for each answer."""
    await stage.stop()
    stage.given = dict(settings(endpoint, llm_timeout=patience))
    await stage.start()
    await stage.settle()


async def opened(stage: Stage, *names: str) -> dict[str, Pull]:
    """Those cases' pull requests, after all that follows at once."""
    pulls = {name: stage.people.open_pull(name, {"MIRROR": name, "README.md": name}) for name in names}
    await stage.settle()
    return pulls


async def ended_as(stage: Stage, name: str, pull: Pull) -> None:
    """What must be so of one case."""
    case = CASES[name]
    facts = [from_json(row.kind, row.data) for row in await stage.journal()]
    made = [each for each in facts if isinstance(each, ResolveDecided) and each.number == pull.number]
    decided = [(each.action, each.source) for each in made]
    expect(decided == [("env-repair:provision-deps", "table"), case.decided], f"{name}: {decided} was decided")
    helped = case.decided[0] == "resume"
    expect(executions(stage, pull) == (3 if helped else 2), f"{name}: it ran as often as was decided")
    expect((question(stage, pull) is None) == helped, f"{name}: people are asked where the model is of no use")
    expect(case.words in told(stage, pull), f"{name}: the question says what the model said")


def nobody_was_told(stage: Stage, endpoint: ModelEndpoint, pulls: Mapping[str, Pull]) -> None:
    """No secret has left, and nothing that the model said is alive in a comment."""
    heard = "".join(endpoint.prompts())
    expect(PLANTED not in heard and KEY not in heard, "no prompt holds a secret")
    expect(endpoint.strangers == 0, "the endpoint knew who asked")
    expect(all(set(body) == {"messages", "model"} for body in endpoint.heard), "the model is given no tools")
    said = "".join(told(stage, pull) for pull in pulls.values())
    expect(PLANTED not in said and KEY not in said, "no comment holds a secret")


LLM_RUNG = Scenario("llm-rung", "A model is asked first: it helps, errs, doubts, or is silent.", llm_rung)
