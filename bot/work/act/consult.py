"""Asks the model, once for each order: what became of a call that was cut off is not known, and it is not made again.

Before the call the head, the kill switches and the right to act are read anew: a log goes to somebody else with it.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from bot.github import GitHubError, RateLimited
from bot.installations import repository_key
from bot.llm import Replied
from bot.work.act.fresh import look_to_act
from bot.work.outcome import Outcome
from bot.work.place import Place
from bot.work.texts import Kept
from resolver.actions.model import CallModel
from resolver.facts.model import ModelReplied
from resolver.llm import PROMPT_LIMITS, Broken, LlmAnswer, Question, Silent, prompt

SEARCHED = 2_000
"""How many of the repository's newest records are looked through for those of the pull request."""

BOOKKEEPING = ("action.", "job.progressed", "runs.read", "rollup.seen")
"""How the names of records begin that tell of what failres reads and writes, and of progress."""

CUT_OFF = Silent(why="the call was cut off, and the same question is not put twice")


async def call_model(place: Place, action: CallModel, kept: Kept) -> Outcome:
    """Put the question. What keeps it from being put is mostly a refusal that ends by itself: a later order puts it."""
    if place.model is None:
        return Outcome(refused="no model is set up here")
    try:
        seen = await look_to_act(place, action.number, action.head_sha, "rerun")
    except GitHubError as problem:
        return later(place, str(problem), problem.resume_at if isinstance(problem, RateLimited) else None)
    if isinstance(seen, Outcome):
        return seen
    if not seen.config.llm.enabled:
        return later(place, "the configuration says `llm.enabled: false`")
    asked = prompt(await _question(place, action, kept), again=action.call > 1)
    return answered(place, action, await place.model.ask(asked))


def answered(place: Place, action: CallModel, replied: Replied) -> Outcome:
    """Give the fact of a call that has ended."""
    reply = replied.reply
    fact = ModelReplied(
        number=action.number,
        head_sha=action.head_sha,
        fail_class=action.fail_class,
        attempt=action.attempt,
        call=action.call,
        at=place.clock.now(),
        answer=reply if isinstance(reply, LlmAnswer) else None,
        broken=reply if isinstance(reply, Broken) else None,
        silent=reply if isinstance(reply, Silent) else None,
        usage=replied.usage,
    )
    return Outcome((fact,))


def later(place: Place, reason: str, until: float | None = None) -> Outcome:
    """Refuse for now: nothing was sent."""
    return Outcome(refused=reason, retry_at=max(place.clock.now() + place.pace.stop_rest, until or 0.0))


async def _question(place: Place, action: CallModel, kept: Kept) -> Question:
    failure = action.failure
    excerpt = await kept.text(failure.excerpt_ref) if failure is not None and failure.excerpt_ref else None
    return Question(
        fail_class=action.fail_class,
        scope=action.scope,
        attempt=action.attempt,
        failure=failure.model_dump(mode="json", by_alias=True, exclude_defaults=True) if failure is not None else {},
        journal=tuple(await _tail(place, action, kept)),
        excerpt=excerpt or "",
    )


async def _tail(place: Place, action: CallModel, kept: Kept) -> deque[dict[str, Any]]:
    """The newest records of the pull request and of its head, oldest first, without the engine's own bookkeeping."""
    tail: deque[dict[str, Any]] = deque(maxlen=PROMPT_LIMITS.records)
    for row in await kept.recent(repository_key(place.repo.repo_id), SEARCHED):
        ours = row.data.get("number") == action.number or row.data.get("headSha") == action.head_sha
        if ours and not row.kind.startswith(BOOKKEEPING):
            tail.append({"record": row.kind, "recordedAt": row.at, **row.data})
    return tail
