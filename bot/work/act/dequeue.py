"""Takes a stopped pull request out of its merge queue, where failres put it; nobody else's place is touched.

GitHub: an App dequeues by GraphQL with `merge_queues: write`, and an entry says who enqueued it.
"""

from __future__ import annotations

from bot.github import PermissionMissing, QueryFailed
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.queue import DequeuePull
from resolver.facts.queue import PullDequeued
from resolver.state import STOP_LABEL

ENTRY = """
query($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) {
  pullRequest(number: $number) { id labels(first: 100) { nodes { name } }
    mergeQueueEntry { enqueuer { __typename } } } } }
"""

DEQUEUE = "mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { mergeQueueEntry { position } } }"

THEIRS = "a person put it into the queue"
LIFTED = "the stop was lifted meanwhile"


async def dequeue_pull(place: Place, action: DequeuePull) -> Outcome:
    """Dequeue once; done as well where it has left the queue already."""
    owner, _, name = place.repo.full_name.partition("/")
    data = await place.installation.graphql(ENTRY, owner=owner, name=name, number=action.number)
    node = (data.get("repository") or {}).get("pullRequest")
    if node is None:
        return Outcome(refused="the pull request is gone")
    left = PullDequeued(number=action.number, head_sha=action.head_sha, at=place.clock.now())
    entry = node["mergeQueueEntry"]
    if entry is None:
        return Outcome((left,))
    if entry["enqueuer"]["__typename"] != "Bot":
        return Outcome(refused=THEIRS)
    if not action.commanded and STOP_LABEL not in {each["name"] for each in node["labels"]["nodes"]}:
        return Outcome(refused=LIFTED, retry_at=place.clock.now() + place.pace.stop_rest)
    try:
        await place.installation.graphql(DEQUEUE, id=str(node["id"]))
    except QueryFailed as failed:
        return Outcome(
            refused=f"GitHub refused it: {failed.message}", retry_at=place.clock.now() + place.pace.stop_rest
        )
    except PermissionMissing:
        return Outcome(refused="the App lacks `merge_queues: write`")
    return Outcome((left,))
