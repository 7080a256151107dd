"""GitHub says that something moved at that moment: that is drift and no refusal, and it is tried again."""

from bot.sandbox.faults import Fault
from resolver.actions.queue import EnqueuePull
from resolver.facts import ActionRefused
from tests.stories.acts import order
from tests.stories.test_merge_queue import LANDS, shop

MODIFIED = "Base branch was modified. Review and try the merge again."


async def test_d13_a_base_that_was_modified_at_that_moment_is_tried_again(calm):
    """The queue takes nothing in just now: the refusal has a time after which it is tried again, and then it lands."""
    repo = await shop(calm, LANDS)
    pull = calm.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await calm.settle()
    action = EnqueuePull(
        number=pull.number, head_sha=pull.head_sha, base_ref="main", group=repo.git.branch("main"), run_id=1
    )
    no = {"data": {"enqueuePullRequest": None}, "errors": [{"type": "UNPROCESSABLE", "message": MODIFIED}]}
    calm.sandbox.faults.add(Fault("POST", "/graphql", status=200, body=no, after=1))
    end = await order(calm, action)
    (told,) = [fact for fact in end.facts if isinstance(fact, ActionRefused)]
    assert MODIFIED in told.reason
    assert told.retry_at is not None
    assert (await order(calm, action)).refused is None
    await calm.settle()
    assert pull.merged_at is not None
