"""The conversation on one pull request: what is read, judged, reacted to, replied and switched now.

New comments are few (specification, section 16): a line that may have no comment of its own goes into the last reply,
and where there is none into the one comment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from resolver.actions import AnyAction
from resolver.actions.talk import Emoji, PostReply, React, ReadComments, SetLabel
from resolver.attribution import Verdict
from resolver.decide.commands import judge
from resolver.decide.comment_budget import left_here, left_in_repository, sticky
from resolver.decide.decisions import questions
from resolver.decide.due import Due, earlier
from resolver.decide.handoff import handoffs
from resolver.decide.here import Here
from resolver.decide.notices import notices
from resolver.decide.rights import Silence, silence
from resolver.facts import Fact
from resolver.facts.commands import BENEATH, CommandFailed, Judged
from resolver.limits import Limits
from resolver.state import STOP_LABEL, Pull, RepoState
from resolver.state.talk import Given


def converse(state: RepoState, pull: Pull, now: float, limits: Limits, lead: Verdict | None = None) -> Due:
    """Give what the conversation makes due. Where the base's configuration is not known yet, everything waits."""
    quiet = silence(state, pull)
    if quiet is Silence.CONFIG_UNKNOWN:
        return Due()
    here = Here(state, pull, lead, now, limits)
    actions: list[AnyAction] = []
    facts: list[Fact] = []
    again_at: float | None = None
    for given in _open(pull):
        judgement = judge(here, given, lambda judged: _thread(here, judged))
        actions.extend(judgement.actions)
        facts.extend(judgement.facts)
        if judgement.wait is not None:
            actions.append(judgement.wait)
        if judgement.judged is not None:
            facts.append(judgement.judged)
            again_at = now  # what the next one may do follows from this one
            break
    if quiet is Silence.DISABLED:
        return Due(tuple(actions), again_at, tuple(facts))
    facts.extend(_failures(here))
    actions.extend((*_comments(pull), *_label(pull), *_reactions(pull), *_replies(pull)))
    asked = questions(here, comments_left(state, pull, now))
    # a bundle has in it what is asked: it follows once that is recorded
    for each in (asked, Due() if asked.facts else handoffs(here), notices(here)):
        actions.extend(each.actions)
        facts.extend(each.facts)
        again_at = earlier(again_at, each.again_at)
    return Due(tuple(actions), again_at, tuple(facts))


def _open(pull: Pull) -> list[Given]:
    """Commands that were not decided on, the oldest first."""
    waiting = [given for given in pull.talk.commands.values() if given.judged is None]
    return sorted(waiting, key=lambda given: (given.fact.at or 0.0, given.fact.comment_id or 0))


def comments_left(state: RepoState, pull: Pull, now: float) -> int:
    """How many new comments may still be made here, those that are on their way aside."""
    replies = [n for n in range(len(pull.talk.replies)) if _reply_id(pull, n) is None]
    started = sum(f"reply:{pull.seen.number}:{n}" in state.comments_coming for n in replies)
    here = left_here(state, pull, now) - _on_their_way(pull) - len(replies)
    return min(here, left_in_repository(state, pull, now) - (len(replies) - started))


def _on_their_way(pull: Pull) -> int:
    """Questions whose comment was started and has not been heard of."""
    effects = [pull.effects.get(f"decision:{each}") for each in pull.talk.decisions]
    return sum(1 for each in effects if each is not None and "decisionComment" not in each.result)


def _thread(here: Here, judged: Sequence[Judged]) -> int | None:
    """Which reply takes what is said, if anything is."""
    said = [each.said for each in judged if each.said is not None]
    return _choose(here, outsider=all(each.denied is not None for each in said)) if said else None


def _choose(here: Here, *, outsider: bool) -> int | None:
    """A new reply, else the last one, else a line in the one comment; an outsider never gets the last new reply of the
    day.
    """
    replies = here.pull.talk.replies
    left = comments_left(here.state, here.pull, here.now)
    if left >= 2 or (left == 1 and not replies and not outsider):
        return len(replies)
    if replies:
        return len(replies) - 1
    return BENEATH if _can_be_edited(here) else None


def _can_be_edited(here: Here) -> bool:
    """Say whether the one comment stands, or is on its way, and is kept up to date."""
    standing = here.pull.comment_id is not None or sticky(here.pull) in here.state.comments_coming
    return standing and silence(here.state, here.pull) is None


def _failures(here: Here) -> Iterator[CommandFailed]:
    """Commands that were taken, and whose action was then refused."""
    for command_id, given in here.pull.talk.commands.items():
        for index, each in enumerate(given.judged.judged if given.judged else ()):
            effect = here.pull.effects.get(each.target or "")
            if each.effect is None or index in given.failed or effect is None or effect.key != each.effect:
                continue
            if effect.status == "refused":
                own = given.judged.thread if given.judged else None
                yield CommandFailed(
                    number=here.pull.seen.number,
                    command_id=command_id,
                    index=index,
                    reason=effect.reason or "GitHub refused it",
                    thread=_choose(here, outsider=False) if own is None else own,
                )


def _comments(pull: Pull) -> Iterator[ReadComments]:
    """Look at the comments where the regular look found the pull request changed since."""
    until, read = pull.talk.touched, pull.talk.read_until
    if until is not None and (read is None or until > read):
        yield ReadComments(number=pull.seen.number, since=read, until=until)


def _label(pull: Pull) -> Iterator[SetLabel]:
    switch = pull.talk.switch
    if switch is not None and not switch.done:
        number = pull.seen.number
        yield SetLabel(number=number, label=STOP_LABEL, present=switch.on, command_id=switch.command_id)


def _reactions(pull: Pull) -> Iterator[React]:
    for given in pull.talk.commands.values():
        comment_id = given.fact.comment_id
        if comment_id is None or given.judged is None:
            continue
        contents = {_emoji(each, index in given.failed) for index, each in enumerate(given.judged.judged)}
        for content in sorted(each for each in contents if each is not None):
            yield React(number=pull.seen.number, comment_id=comment_id, content=content)


def _emoji(judged: Judged, failed: bool) -> Emoji | None:
    if failed:
        return "confused"
    match judged.result:
        case "ignored":
            return None
        case "taken":
            return "+1"
        case "refused":
            denied = judged.said is None or judged.said.kind == "denied"
            return "-1" if denied else "confused"


def _replies(pull: Pull) -> Iterator[PostReply]:
    for thread, lines in enumerate(pull.talk.replies):
        if lines:
            yield PostReply(number=pull.seen.number, thread=thread, lines=lines, reply_id=_reply_id(pull, thread))


def _reply_id(pull: Pull, thread: int) -> int | None:
    effect = pull.effects.get(f"reply:{pull.seen.number}:{thread}")
    found = effect.result.get("replyId") if effect is not None else None
    return int(found) if found is not None else None
