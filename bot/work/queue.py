"""Which function carries out which action about merge queues."""

from __future__ import annotations

from typing import assert_never

from bot.work.act.dequeue import dequeue_pull
from bot.work.act.enqueue import enqueue_pull
from bot.work.observe.queue import read_exit, read_group, read_queue, read_rules
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.queue import DequeuePull, EnqueuePull, QueueAction, ReadExit, ReadGroup, ReadQueue, ReadRules


async def look_after_queue(place: Place, action: QueueAction) -> Outcome:
    """Carry out an action once. Raises the errors of `bot.github.errors`."""
    match action:
        case ReadRules():
            return await read_rules(place, action)
        case ReadQueue():
            return await read_queue(place, action)
        case ReadGroup():
            return await read_group(place, action)
        case ReadExit():
            return await read_exit(place, action)
        case EnqueuePull():
            return await enqueue_pull(place, action)
        case DequeuePull():
            return await dequeue_pull(place, action)
        case _:
            assert_never(action)
