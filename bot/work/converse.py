"""Which function carries out which action of a conversation."""

from __future__ import annotations

from typing import assert_never

from bot.work.act.decide import post_decision
from bot.work.act.label import set_label
from bot.work.act.notice import notify
from bot.work.act.reply import post_reply, react
from bot.work.observe.comments import read_comments
from bot.work.observe.standing import read_standing
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.talk import (
    Notify,
    PostDecision,
    PostReply,
    React,
    ReadComments,
    ReadStanding,
    SetLabel,
    TalkAction,
)


async def converse(place: Place, action: TalkAction) -> Outcome:
    """Carry out an action once. Raises the errors of `bot.github.errors`."""
    match action:
        case ReadStanding():
            return await read_standing(place, action)
        case ReadComments():
            return await read_comments(place, action)
        case React():
            return await react(place, action)
        case PostReply():
            return await post_reply(place, action)
        case SetLabel():
            return await set_label(place, action)
        case PostDecision():
            return await post_decision(place, action)
        case Notify():
            return await notify(place, action)
        case _:
            assert_never(action)
