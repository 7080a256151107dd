"""Merge queues in the core: how a group is known, what makes one void, and whose failure in one counts."""

import pytest

from bot.translate import translate
from resolver.casework import execution_of
from resolver.casework.queue import groups_of, red_groups
from resolver.facts import BaseMoved
from resolver.facts.queue import (
    MergeGroupGone,
    MergeGroupRead,
    MergeGroupSeen,
    MergeQueueRead,
    PullDequeued,
    PullEnqueued,
    QueueEntry,
    group_of,
)
from resolver.ids import PullNumber, Sha
from tests.core.made import BASE, HEAD, config, files, job, pull, repo, run, state_of, triaged
from tests.server.deliveries import examples

OTHER = Sha("e" * 40)
GROUPS = {name: Sha(name * 40) for name in "123"}


@pytest.mark.parametrize(
    ("branch", "base", "number"),
    [
        (f"gh-readonly-queue/main/pr-104-{BASE}", "main", 104),
        (f"refs/heads/gh-readonly-queue/release/1.x/pr-7-{BASE}", "release/1.x", 7),
        (f"gh-readonly-queue/main/pr-104-{BASE[:12]}", None, None),
        (f"queue/main/pr-104-{BASE}", None, None),
        ("main", None, None),
        (None, None, None),
    ],
)
def test_a_groups_branch_names_its_pull_request(branch, base, number):
    """GitHub's deliveries name no pull request; any other branch is no group."""
    seen = group_of(branch, HEAD, 5.0)
    assert (seen and seen.base_ref, seen and seen.number) == (base, number)


def test_githubs_own_examples_of_groups_are_understood():
    """Both published deliveries tell of a group that was made."""
    told = [translate(event, payload).facts[-1] for event, payload in examples() if event == "merge_group"]
    assert [type(fact) for fact in told] == [MergeGroupSeen] * 2
    assert all(fact.base_ref == "main" and fact.number > 0 for fact in told)


def seen(name, number, on=BASE, **changes):
    """A group of that pull request on that commit."""
    given = {"head_sha": GROUPS[name], "base_ref": "main", "base_sha": on, "number": PullNumber(number), "at": 10.0}
    return MergeGroupSeen(**{**given, **changes})


def ended(name, conclusion, number=7):
    """That group's only job has ended; a red one's log was read."""
    at, head = int(name), GROUPS[name]
    branch = f"gh-readonly-queue/main/pr-{number}-{BASE}"
    facts = [
        run(200 + at, head, event="merge_group", head_branch=branch, conclusion=conclusion),
        job(300 + at, conclusion, head, run_id=200 + at, head_branch=branch),
    ]
    told = triaged(300 + at, head=head, run_id=200 + at)
    return [*facts, told] if conclusion == "failure" else facts


KNOWN = (repo(), config(), pull(), files(), pull(8, head_sha=OTHER, head_ref="other"))

CHAINS = {
    "red on the base itself": ([seen("1", 7), *ended("1", "failure")], True),
    "red on a green group": (
        [seen("1", 8), seen("2", 7, GROUPS["1"]), *ended("1", "success", 8), *ended("2", "failure")],
        True,
    ),
    "red on a red group": (
        [seen("1", 8), seen("2", 7, GROUPS["1"]), *ended("1", "failure", 8), *ended("2", "failure")],
        False,
    ),
    "red on a group that told nothing yet": (
        [seen("1", 8), seen("2", 7, GROUPS["1"]), *ended("2", "failure")],
        False,
    ),
    "red on a group that was cancelled": (
        [seen("1", 8), seen("2", 7, GROUPS["1"]), *ended("1", "cancelled", 8), *ended("2", "failure")],
        False,
    ),
    "red on a green group that left": (
        [
            *(seen("1", 8), seen("2", 7, GROUPS["1"]), *ended("1", "success", 8), *ended("2", "failure")),
            MergeGroupGone(head_sha=GROUPS["1"], number=8, reason="dequeued"),
        ],
        False,
    ),
    "red on a group that has landed": (
        [
            *(seen("1", 8), seen("2", 7, GROUPS["1"]), *ended("2", "failure")),
            MergeGroupGone(head_sha=GROUPS["1"], number=8, reason="merged"),
        ],
        True,
    ),
    "red on what is the base now": (
        [
            *(seen("1", 8), seen("2", 7, GROUPS["1"]), *ended("2", "failure")),
            BaseMoved(ref="main", sha=GROUPS["1"], config_touched=None),
        ],
        True,
    ),
    "red on what stands below the base now": (
        [
            *(seen("1", 8), seen("2", 7, GROUPS["1"]), seen("3", 9, GROUPS["1"]), *ended("2", "failure")),
            BaseMoved(ref="main", sha=GROUPS["3"], config_touched=None),
        ],
        True,
    ),
    "rebuilt": (
        [seen("1", 7), *ended("1", "failure"), MergeGroupGone(head_sha=GROUPS["1"], number=7, reason="invalidated")],
        False,
    ),
    "of another head": (
        [
            *(seen("1", 7), *ended("1", "failure")),
            MergeGroupRead(head_sha=GROUPS["1"], number=7, parents=(BASE, OTHER)),
        ],
        False,
    ),
}


@pytest.mark.parametrize(("facts", "counts"), CHAINS.values(), ids=CHAINS.keys())
def test_a_red_group_counts_only_where_nobody_else_can_have_broken_it(facts, counts):
    """Groups are cumulative: the first red one after a green one names the suspect (specification, section 5)."""
    state = state_of(*KNOWN, *facts)
    assert bool(red_groups(state, state.pulls[7], execution_of)) is counts


@pytest.mark.parametrize("order", [1, -1])
def test_of_one_seconds_steps_the_one_out_of_the_queue_counts(order):
    """Deliveries come in any order; a later step replaces both."""
    steps = [PullEnqueued(number=7, head_sha=HEAD, at=5.0), PullDequeued(number=7, head_sha=HEAD, at=5.0, reason="X")]
    state = state_of(*KNOWN, *steps[::order])
    assert isinstance(state.pulls[7].queued, PullDequeued)
    again = state_of(*KNOWN, *steps[::order], PullEnqueued(number=7, head_sha=HEAD, at=6.0))
    assert isinstance(again.pulls[7].queued, PullEnqueued)


def test_the_list_of_the_queue_tells_what_no_delivery_did():
    """Who is listed is in it with its group and head; who is listed no more has left, and so has its group."""
    entry = QueueEntry(number=7, head_sha=HEAD, enqueued_at=4.0, group=GROUPS["1"], group_base=BASE)
    state = state_of(*KNOWN, MergeQueueRead(ref="main", at=10.0, entries=(entry,)))
    (group,) = groups_of(state, state.pulls[7])
    assert (group.gone, isinstance(state.pulls[7].queued, PullEnqueued)) == (None, True)
    state = state_of(*KNOWN, MergeQueueRead(ref="main", at=10.0, entries=(entry,)), MergeQueueRead(ref="main", at=20.0))
    (group,) = groups_of(state, state.pulls[7])
    assert (group.gone, isinstance(state.pulls[7].queued, PullDequeued)) == ("left", True)
