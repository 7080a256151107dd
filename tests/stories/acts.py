"""What stories of acts share: a shop whose workflow file says what may be done, and orders given to the real workers."""

from __future__ import annotations

from dataclasses import dataclass

from bot.orders import order_for
from bot.sandbox.ci.runner.function_job import failed, passed
from bot.store import Entry
from resolver.executions import Check
from resolver.facts import ActionDone, ActionRefused, ActionStarted, RepoObserved
from resolver.journal import from_json, kind_of, once, to_json

RED = {"shop.py": "def total(prices, percent): return sum(prices) - percent\n"}
GREEN = {"shop.py": "def total(prices, percent): return sum(prices) * (100 - percent) // 100\n"}
CI = ".github/workflows/ci.yml"
CHECK = Check(workflow=CI, job="unit")

ACT = "mode: {rerun: act, probe: act, sync: act}\n"
MANAGED = ACT + 'managed: {branches: ["**"]}\n'

ON = "on: {pull_request: , push: {branches: [main]}}\n"
DISPATCHED = "on: {pull_request: , push: {branches: [main]}, workflow_dispatch: }\n"
READS = "permissions: {contents: read}\n"


def job(name: str, extra: str = "") -> str:
    """A job in a workflow file, in one line."""
    return (
        f"  {name}: {{runs-on: ubuntu-latest, steps: [{{uses: actions/checkout@v4}}, {{run: make {name}}}]{extra}}}\n"
    )


def workflow(*jobs: str, on: str = ON, top: str = READS) -> str:
    """A workflow file named ci."""
    return f"name: ci\n{on}{top}jobs:\n{''.join(jobs or (job('unit'),))}"


def unit(tree):
    """The test suite: red while a discount is not a percentage."""
    if "100 - percent" in tree.read("shop.py"):
        return passed("tests/test_shop.py::test_discount PASSED", "1 passed in 0.02s")
    return failed("FAILED tests/test_shop.py::test_discount - assert 190 == 180", "1 failed in 0.02s")


async def open_shop(world, text=None, config=ACT, **files):
    """A repository whose only check is `unit`, unless its workflow file says more; failres is installed."""
    world.sandbox.ci.job("unit", unit)
    content = {**GREEN, ".github/failres.yml": config, **files}
    repo = world.repo("shop", content, {"ci.yml": text or workflow()})
    await world.settle()
    return repo


@dataclass
class Ended:
    """How an order ended: the facts it brought, in their order, and the last word."""

    done: ActionDone | None
    refused: str | None
    facts: list


async def order(world, action):
    """Give the workers an action as a turn would, and wait for what comes of it."""
    store = world.failres.store
    rows = [(key, row) for key in await store.keys() async for row in store.records(key)]
    key, row = next((key, row) for key, row in reversed(rows) if row.kind == kind_of_repo())
    repo, now = from_json(row.kind, row.data), world.clock.now()
    assert isinstance(repo, RepoObserved)
    ticket = f"{action.target}#story-{len(rows)}"
    started = ActionStarted(
        ticket=ticket, key=action.key, target=action.target, type=action.type, number=action.number, at=now
    )
    async with store.unit() as unit_of_work:
        await unit_of_work.append(key, [Entry(kind_of(started), to_json(started), once(started))])
        await unit_of_work.enqueue([order_for(key, repo, action, ticket, now)])
    await world.settle()
    return await ended(world, ticket, after=row.seq)


def kind_of_repo():
    """The journal's name of a repository that was seen."""
    seen = RepoObserved(repo_id=1, full_name="a/b", default_branch="main", installation_id=None)
    return kind_of(seen)


async def ended(world, ticket, after=0):
    """Read from the journal how an order ended."""
    facts = [from_json(row.kind, row.data) for row in await world.journal() if row.seq > after]
    last = next(
        (fact for fact in facts if isinstance(fact, ActionDone | ActionRefused) and fact.ticket == ticket), None
    )
    return Ended(
        done=last if isinstance(last, ActionDone) else None,
        refused=last.reason if isinstance(last, ActionRefused) else None,
        facts=facts,
    )


def runs(repo, **wanted):
    """The runs of a repository with these attributes, oldest first."""
    return [run for run in repo.runs.values() if all(getattr(run, name) == value for name, value in wanted.items())]
