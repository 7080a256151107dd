"""The fold of the conversation: commands, rights, replies and switches."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from resolver.facts.commands import (
    BENEATH,
    CommandFact,
    CommandFailed,
    CommandGiven,
    CommandJudged,
    CommentsRead,
    LabelSet,
    PullTouched,
    ReplyLine,
    Said,
    StandingRead,
)
from resolver.facts.decisions import DecisionAnswered, DecisionFact, DecisionRequested, HandoffRefused, HandoffWritten
from resolver.ids import Sha
from resolver.state import RepoState
from resolver.state.talk import BENEATH_KEPT, KEPT, Given, Switch, Talk


def fold_talk(state: RepoState, fact: CommandFact | DecisionFact) -> RepoState:
    """Give the state after something was said; nothing changes where the pull request is not known."""
    pull = state.pulls.get(fact.number)
    if pull is None:
        return state
    talk = _talk(pull.talk, fact, pull.seen.head_sha)
    if isinstance(fact, HandoffWritten):
        state = replace(state, handoff_at=max(fact.at, state.handoff_at or 0.0))
    return replace(state, pulls={**state.pulls, fact.number: replace(pull, talk=talk)})


def _talk(talk: Talk, fact: CommandFact | DecisionFact, head: Sha) -> Talk:
    match fact:
        case CommandGiven():
            if fact.command_id in talk.commands:
                return talk
            return _with(talk, fact.command_id, Given(fact, fact.head_sha or head))
        case StandingRead():
            known = talk.commands.get(fact.command_id)
            return talk if known is None else _with(talk, fact.command_id, replace(known, standing=fact))
        case CommandJudged():
            return _judged(talk, fact, head)
        case CommandFailed():
            known = talk.commands.get(fact.command_id)
            if known is None:
                return talk
            failed = replace(known, failed=known.failed | {fact.index})
            command = known.judged.judged[fact.index].command if known.judged else None
            said = Said(kind="not-done", command=command, reason=fact.reason)
            return _say(_with(talk, fact.command_id, failed), known, fact.thread, said)
        case LabelSet():
            switch = talk.switch
            mine = switch is not None and switch.command_id == fact.command_id
            return replace(talk, switch=replace(switch, done=True)) if mine and switch is not None else talk
        case CommentsRead():
            return replace(talk, read_until=max(fact.until, talk.read_until or 0.0))
        case PullTouched():
            return replace(talk, touched=max(fact.at, talk.touched or 0.0))
        case DecisionRequested():
            return replace(talk, decisions={**talk.decisions, fact.decision_id: fact})
        case DecisionAnswered():  # the first answer holds
            return replace(talk, answers={fact.decision_id: fact, **talk.answers})
        case HandoffWritten() | HandoffRefused():
            return replace(talk, handoffs={**talk.handoffs, fact.decision_id: fact})
        case _:
            assert_never(fact)


def _with(talk: Talk, command_id: str, given: Given) -> Talk:
    commands = {**talk.commands, command_id: given}
    settled = [key for key, each in commands.items() if each.judged is not None]
    for key in settled[: max(0, len(commands) - KEPT)]:
        del commands[key]
    return replace(talk, commands=commands)


def _judged(talk: Talk, fact: CommandJudged, head: Sha) -> Talk:
    known = talk.commands.get(fact.command_id)
    if known is None:
        return talk
    talk = _with(talk, fact.command_id, replace(known, judged=fact))
    for each in fact.judged:
        if each.said is not None:
            talk = _say(talk, known, fact.thread, each.said)
        if each.result != "taken":
            continue
        if each.command in ("stop", "resume"):
            talk = replace(talk, switch=Switch(fact.command_id, on=each.command == "stop"))
        elif each.command == "explain":
            talk = replace(talk, unfolded=head)
    return talk


def _say(talk: Talk, given: Given, thread: int | None, said: Said) -> Talk:
    by = given.fact.by
    if thread is None or by is None:
        return talk
    if said.denied is not None:
        talk = replace(talk, told=talk.told | {by.id})
    line = ReplyLine(to=by.login, comment_id=given.fact.comment_id, said=said)
    if thread == BENEATH:
        return replace(talk, beneath=(*talk.beneath, line)[-BENEATH_KEPT:])
    replies = [*talk.replies, *([()] * (thread + 1 - len(talk.replies)))]
    replies[thread] = (*replies[thread], line)
    return replace(talk, replies=tuple(replies))
