"""Why a head has left its queue: told by a delivery, read in the conversation, or known to nobody. Tables."""

import pytest

from bot.objects.queue import left_queue
from resolver.actions import ReadRuns
from resolver.actions.queue import ReadExit
from resolver.decide.queue_watch import watch_queue
from resolver.facts import ActionDone, ActionRefused, ActionStarted, RunsRead
from resolver.facts.queue import MergeGroupSeen, MergeQueueRead, PullDequeued, PullEnqueued, QueueEntry, RulesRead
from resolver.ids import Sha
from resolver.limits import LIMITS
from tests.core.made import BASE, HEAD, NEXT, config, files, job, pull, repo, run, state_of, triaged

GROUP = Sha("1" * 40)
RULES = RulesRead(ref="main", queue=True, timeout=3_600.0, required=("test",))
ENTRY = QueueEntry(number=7, head_sha=HEAD, enqueued_at=4.0, group=GROUP, group_base=BASE)
MISSED = (MergeQueueRead(ref="main", at=10.0, entries=(ENTRY,)), MergeQueueRead(ref="main", at=700.0))
NO_GROUP = (
    MergeQueueRead(ref="main", at=10.0, entries=(ENTRY.model_copy(update={"group": None}),)),
    MergeQueueRead(ref="main", at=700.0),
)
GROUP_ONLY = (
    MergeGroupSeen(head_sha=GROUP, base_ref="main", base_sha=BASE, number=7, at=90.0, task_head=HEAD),
    MergeQueueRead(ref="main", at=700.0),
)
LISTED = RunsRead(head_sha=GROUP, at=701.0)
READ = ReadExit(number=7, head_sha=HEAD, entered_at=4.0, group=GROUP)
ENDED = {"ticket": "1", "key": READ.key, "target": READ.target, "number": 7}
STARTED = ActionStarted(**ENDED, at=702.0, type="read-exit")
GOING = run(
    21,
    GROUP,
    event="merge_group",
    head_branch=f"gh-readonly-queue/main/pr-7-{BASE}",
    status="in_progress",
    conclusion=None,
)
RED = (
    GOING.model_copy(update={"status": "completed", "conclusion": "failure"}),
    job(31, "failure", GROUP, run_id=21),
    triaged(31, head=GROUP, run_id=21),
)


def dequeued(reason, at=500.0):
    """That it left is told, with the reason."""
    return PullDequeued(number=7, head_sha=HEAD, at=at, reason=reason)


TABLE = {
    "missed in the list, its runs not listed yet": ([*MISSED], ReadRuns(head_sha=GROUP, slot=700), None),
    "missed in the list": ([*MISSED, LISTED], READ, None),
    "missed before it had a group": ([*NO_GROUP], READ.model_copy(update={"group": None}), None),
    "only its group was ever seen": (
        [*GROUP_ONLY, LISTED],
        READ.model_copy(update={"entered_at": 0.0}),
        None,
    ),
    "being read": ([*MISSED, LISTED, STARTED], READ, None),
    "read, and told": ([*MISSED, LISTED, dequeued("merge_conflict")], None, ("conflict", "merge_conflict")),
    "only its group was ever seen, and told": (
        [*GROUP_ONLY, LISTED, dequeued("branch_protections")],
        None,
        ("rules", "branch_protections"),
    ),
    "read, and people did it": ([*MISSED, LISTED, dequeued("manual")], None, None),
    "a delivery that comes late": (
        [*MISSED, GOING, LISTED, dequeued("CI_TIMEOUT")],
        None,
        ("timeout", "CI_TIMEOUT"),
    ),
    "a delivery of an earlier stay": ([*MISSED, LISTED, dequeued("CI_TIMEOUT", at=3.0)], READ, None),
    "told by a delivery at once": (
        [*MISSED[:1], dequeued("INVALID_MERGE_COMMIT", at=20.0), MISSED[1], LISTED],
        None,
        ("commit", "INVALID_MERGE_COMMIT"),
    ),
    "read, and nothing is told": ([*MISSED, LISTED, STARTED, ActionDone(**ENDED)], None, None),
    "refused": ([*MISSED, LISTED, STARTED, ActionRefused(**ENDED, reason="no")], None, None),
    "nothing is told, and its time was over": (
        [
            *(MISSED[0], MISSED[1].model_copy(update={"at": 3_700.0}), GOING, RunsRead(head_sha=GROUP, at=3_701.0)),
            *(STARTED, ActionDone(**ENDED)),
        ],
        None,
        ("timeout", ""),
    ),
    "a check of its group is red": ([*MISSED, LISTED, *RED], None, None),
    "it has another head by now": ([*MISSED, LISTED, pull(head_sha=NEXT)], None, None),
    "it is in the queue again": (
        [*MISSED, LISTED, PullEnqueued(number=7, head_sha=HEAD, at=705.0)],
        None,
        None,
    ),
}


@pytest.mark.parametrize(("facts", "read", "told"), TABLE.values(), ids=TABLE.keys())
def test_why_a_head_has_left_is_read_once_where_nothing_told(facts, read, told):
    """A reason that a delivery brought costs no call; one that nobody tells is inferred only from the time."""
    state = state_of(repo(), config(), pull(), files(), RULES, *facts)
    found = watch_queue(state, state.pulls[7], 4_000.0, LIMITS)
    assert found.read == read
    assert (found.trouble and (found.trouble.exit, found.trouble.word)) == told


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        ([], None),
        ([{"createdAt": "1970-01-01T00:00:04Z", "reason": "failed_checks"}], "failed_checks"),
        ([{"createdAt": "1970-01-01T00:00:03Z", "reason": "failed_checks"}], None),
        ([{"createdAt": "1970-01-01T00:00:05Z", "reason": None}], None),
    ],
)
def test_an_event_of_an_earlier_stay_tells_nothing(nodes, reason):
    """The event may lag behind the list; then the newest one is of the stay before."""
    found = left_queue(7, HEAD, 4.0, nodes)
    assert (found.reason if found else None) == reason
