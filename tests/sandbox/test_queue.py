"""Merge queues. Facts by their number in GITHUB.md; what is only assumed stands in ASSUMED.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.sandbox.changes.pulls import merge_pull
from bot.sandbox.changes.queue import entry_of
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.ci.runner.function_job import Outcome, Tree, failed, passed
from bot.sandbox.queues import MergeQueues
from bot.sandbox.state import Happening, Pull
from tests.sandbox.yard import Yard, make_yard

UNIT = """\
name: CI
on: {pull_request: , merge_group: }
jobs:
  unit: {runs-on: ubuntu-latest, steps: [{run: make unit}]}
"""


def unit(tree: Tree) -> Outcome:
    """Each half is fine alone; both together break it."""
    both = "a = 2" in tree.read("a.py") and "b = 2" in tree.read("b.py")
    return failed("FAILED test_both") if both else passed("1 passed")


class Street:
    """A yard with a queue on main, and what was told of it: (event, action, reason or number)."""

    def __init__(self, root: Path, workflow: str = UNIT, **rule: object) -> None:
        self.yard: Yard = make_yard(root, workflow, {"a.py": "a = 1\n", "b.py": "b = 1\n", "c.py": "c = 1\n"})
        self.yard.ci.job("unit", unit)
        self.yard.people.merge_queue(**rule)  # type: ignore[arg-type]
        self.queues = MergeQueues(self.yard.github)
        self.told: list[tuple[str, str | None, object]] = []
        self.yard.github.listeners.append(self._hear)

    def _hear(self, happening: Happening) -> None:
        subject = happening.subject
        if happening.event == "merge_group":
            number = subject["group"].branch.partition("/pr-")[2].partition("-")[0]
            self.told.append((f"group {number}", happening.action, subject.get("reason")))
        if happening.event == "pull_request" and happening.action in ("enqueued", "dequeued", "closed"):
            self.told.append((f"pull {subject['pull'].number}", happening.action, subject.get("reason")))

    async def ready(self, name: str, text: str | None = None) -> Pull:
        """Open a pull request that changes a file, and let its own checks pass."""
        pull = self.yard.people.open_pull(name, {f"{name}.py": text or f"{name} = 2\n"})
        await self.yard.ci.advance()
        return pull

    async def settle(self) -> None:
        """Let queue and CI go on until nothing moves."""
        while await self.queues.advance() or await self.yard.ci.advance():
            pass

    @property
    def main(self) -> str:
        """The base's commit."""
        return self.yard.repo.git.branch("main") or ""


Make = Callable[..., Street]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Make a street; at the end no payload was against its schema."""
    made: list[Street] = []

    def build(*arguments: object, **named: object) -> Street:
        made.append(Street(tmp_path, *arguments, **named))  # type: ignore[arg-type]
        return made[-1]

    yield build
    assert [problem for street in made for problem in street.yard.problems] == []


async def test_a_green_group_lands_as_it_was_tested(make: Make) -> None:
    """The group's branch is `gh-readonly-queue/{base}/pr-{n}-{base sha}` (5, merge queue refs); what was tested lands."""
    street = make()
    before, pull = street.main, await street.ready("a")
    street.yard.people.enqueue(pull)
    await street.settle()
    run = street.yard.run
    assert (run.event, run.head_branch) == ("merge_group", f"gh-readonly-queue/main/pr-1-{before}")
    assert (street.main, pull.merge_commit, pull.merged_at is not None) == (run.head_sha, run.head_sha, True)
    assert street.yard.repo.git.commit(street.main).parents == (before, pull.head_sha)
    assert street.told == [
        ("pull 1", "enqueued", None),
        ("group 1", "checks_requested", None),
        ("pull 1", "dequeued", "MERGE"),
        ("pull 1", "closed", None),
        ("group 1", "destroyed", "merged"),
    ]
    assert street.yard.repo.git.branch(str(run.head_branch)) is None


async def test_groups_are_cumulative_and_a_red_one_ejects_its_pull_request(make: Make) -> None:
    """Each group holds all that are ahead: two that are green alone are red together, and the second one leaves."""
    street = make()
    one, two = await street.ready("a"), await street.ready("b")
    street.yard.people.enqueue(one)
    street.yard.people.enqueue(two)
    await street.settle()
    groups = [run for run in street.yard.runs if run.event == "merge_group"]
    assert [run.latest.conclusion for run in groups] == ["success", "failure"]
    assert str(groups[1].head_branch).endswith(f"/pr-2-{groups[0].head_sha}")
    assert (one.merged_at is not None, two.state, entry_of(street.yard.repo, two)) == (True, "open", None)
    assert street.told[-2:] == [("pull 2", "dequeued", "CI_FAILURE"), ("group 2", "destroyed", "dequeued")]


async def test_every_removal_rebuilds_the_groups_behind_it(make: Make) -> None:
    """New commits, `destroyed: invalidated`, then new `checks_requested`; runs of the dead group end (trap 33)."""
    street = make()
    one, two, three = await street.ready("a"), await street.ready("b"), await street.ready("c")
    street.yard.ci.hold("unit")
    for pull in (one, two, three):
        street.yard.people.enqueue(pull)
    await street.settle()
    dead = [run for run in street.yard.runs if run.event == "merge_group"][2]
    street.yard.people.dequeue(two)
    await street.settle()
    assert dead.latest.conclusion == "cancelled"
    assert street.told[-4:] == [
        ("pull 2", "dequeued", "MANUAL"),
        ("group 2", "destroyed", "dequeued"),
        ("group 3", "destroyed", "invalidated"),
        ("group 3", "checks_requested", None),
    ]
    street.yard.ci.release("unit")
    await street.settle()
    assert (one.merged_at is not None, two.merged_at, three.merged_at is not None) == (True, None, True)


async def test_a_base_that_moves_otherwise_rebuilds_everything(make: Make) -> None:
    """Groups stand on the base's tip; a push to it makes their results void (trap 33)."""
    street = make()
    pull = await street.ready("a")
    street.yard.ci.hold("unit")
    street.yard.people.enqueue(pull)
    await street.settle()
    moved = street.yard.people.push("main", {"d.py": "d = 1\n"}, by="admin")
    await street.settle()
    entry = entry_of(street.yard.repo, pull)
    assert entry is not None
    assert entry.group is not None
    assert entry.group.base_sha == moved
    assert ("group 1", "destroyed", "invalidated") in street.told


async def test_only_workflows_with_the_trigger_run_and_a_missing_check_stalls_until_the_timeout(make: Make) -> None:
    """A required check that does not report on the group's commit stalls the queue silently (trap 32)."""
    street = make(UNIT.replace(", merge_group: ", ""), timeout_minutes=30)
    pull = await street.ready("a")
    street.yard.people.enqueue(pull)
    await street.settle()
    assert [run.event for run in street.yard.runs] == ["pull_request"]
    street.yard.clock.advance(29 * 60)
    await street.settle()
    assert entry_of(street.yard.repo, pull) is not None
    street.yard.clock.advance(60)
    await street.settle()
    assert street.told[-2:] == [("pull 1", "dequeued", "CI_TIMEOUT"), ("group 1", "destroyed", "dequeued")]


@pytest.mark.parametrize(
    ("trigger", "runs"),
    [
        ("{types: [checks_requested], branches: [main]}", 1),
        ("{branches: [release]}", 0),
        ("{branches-ignore: [main]}", 0),
    ],
)
async def test_the_triggers_branches_are_those_of_the_base(make: Make, trigger: str, runs: int) -> None:
    """`merge_group` has only `checks_requested` for workflows; its branches name the base (4, triggers)."""
    street = make(UNIT.replace("merge_group: ", f"merge_group: {trigger}"))
    street.yard.people.enqueue(await street.ready("a"))
    await street.settle()
    assert len([run for run in street.yard.runs if run.event == "merge_group"]) == runs


async def test_a_conflict_with_those_ahead_ejects(make: Make) -> None:
    """There is no commit to test: `MERGE_CONFLICT`, and no group was ever told of."""
    street = make()
    one, two = await street.ready("a"), await street.ready("c", "c = 5\n")
    other = street.yard.people.open_pull("clash", {"c.py": "c = 6\n"})
    await street.yard.ci.advance()
    for pull in (two, one, other):
        street.yard.people.enqueue(pull)
    await street.settle()
    assert (one.merged_at is not None, two.merged_at is not None, other.state) == (True, True, "open")
    assert [told for told in street.told if told[0].endswith(" 3")] == [
        ("pull 3", "enqueued", None),
        ("pull 3", "dequeued", "MERGE_CONFLICT"),
    ]


@pytest.mark.parametrize(
    ("what", "reason"),
    [("push", "UNKNOWN_REMOVAL_REASON"), ("close", "MANUAL"), ("draft", "MANUAL")],
)
async def test_what_is_not_as_it_was_enqueued_leaves(make: Make, what: str, reason: str) -> None:
    """A new head, a closed pull request and a draft do not stay in the queue."""
    street = make()
    pull = await street.ready("a")
    street.yard.ci.hold("unit")
    street.yard.people.enqueue(pull)
    await street.settle()
    people = street.yard.people
    if what == "push":
        people.push("a", {"a.py": "a = 3\n"})
    elif what == "close":
        people.close(pull)
    else:
        people.ready(pull, draft=True)
    await street.settle()
    assert entry_of(street.yard.repo, pull) is None
    assert ("pull 1", "dequeued", reason) in street.told


async def test_only_what_is_ready_can_be_enqueued_and_nothing_goes_past_the_queue(make: Make) -> None:
    """Enqueuing works only when ready (trap 31); a merge is refused: changes must go through the queue."""
    street = make()
    pull = street.yard.people.open_pull("a", {"a.py": "a = 2\n"})
    with pytest.raises(Refused, match=r'Required status check "unit" is expected'):
        street.yard.people.enqueue(pull)
    await street.yard.ci.advance()
    with pytest.raises(Refused, match="through the merge queue"):
        await merge_pull(street.yard.act(), pull)
    street.yard.people.enqueue(pull)
    with pytest.raises(Refused, match="already in the merge queue"):
        street.yard.people.enqueue(pull)


async def test_a_green_group_may_not_land(make: Make) -> None:
    """Groups may be green and not land (trap 32): the base does not move and nobody is told."""
    street = make()
    street.queues.frozen = True
    before, pull = street.main, await street.ready("a")
    street.yard.people.enqueue(pull)
    await street.settle()
    assert (street.yard.run.latest.conclusion, street.main, pull.state) == ("success", before, "open")


@pytest.mark.parametrize(("method", "parents"), [("SQUASH", 1), ("MERGE", 2)])
async def test_the_rules_method_makes_the_commit(make: Make, method: str, parents: int) -> None:
    """`merge_method` of the rule is MERGE, SQUASH or REBASE (5, rules)."""
    street = make()
    for rule in street.yard.repo.rulesets[0]["rules"]:
        if rule["type"] == "merge_queue":
            rule["parameters"]["merge_method"] = method
    street.yard.people.enqueue(await street.ready("a"))
    await street.settle()
    assert len(street.yard.repo.git.commit(street.main).parents) == parents


async def test_enqueued_again_it_is_a_new_group(make: Make) -> None:
    """The same head on the same base gives a new commit, which is tested anew (trap 33)."""
    street = make()
    pull = await street.ready("a")
    street.yard.ci.fail_once("unit", "FAILED test_clock")
    for _ in range(2):
        street.yard.people.enqueue(pull)
        await street.settle()
    groups = [run for run in street.yard.runs if run.event == "merge_group"]
    assert [run.latest.conclusion for run in groups] == ["failure", "success"]
    assert groups[0].head_sha != groups[1].head_sha
    assert pull.merged_at is not None
