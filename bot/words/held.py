"""Why nothing automatic is done on a pull request any more, and what ends that, in words. Pure."""

from __future__ import annotations

from typing import assert_never

from bot.words.inert import code, one_line
from bot.words.inert import reason as inert
from bot.words.lists import listed
from resolver.handoff import BRANCH
from resolver.report import Held

FILES = 5


def held(why: Held, repo_url: str) -> str:
    """Say that a task is held, why, and what ends it; `repo_url` is the repository's page."""
    reason = one_line(why.reason, 300) + _files(why)
    if why.why == "run-paused":
        asked = f"until the question on #{why.asked_at} is answered"
        put_off = "until a push puts the question anew and that is answered"
        until = asked if why.asked_at is not None else put_off
        return f"{_what(why)}: {reason}. Nothing automatic is done on any of its pull requests {until}."
    if why.why == "plan":
        told = inert(why.reason, 400)
        return f"{_what(why)}: {told}. Nothing automatic is done here until the description is corrected."
    link = f" [Handoff bundle]({repo_url}/blob/{BRANCH}/{why.bundle})." if why.bundle is not None else ""
    return f"{_what(why)}: {reason}. Nothing automatic is done here until {_until(why)}.{link}"


def _files(why: Held) -> str:
    """Name the files; their names are whatever somebody called them."""
    return f": {listed([code(each, 100) for each in why.files], FILES)}" if why.files else ""


def _what(why: Held) -> str:
    match why.why:
        case "quarantine":
            return "**Quarantined**"
        case "stop-loss":
            return "**Quarantined again, so stopped**"
        case "run-paused":
            return f"**The run {code(why.run or '')} is paused**"
        case "plan":
            return "**It is not clear what this task may change**"
        case _:
            assert_never(why.why)


def _until(why: Held) -> str:
    if why.final:
        return "somebody pushes"
    if why.why == "stop-loss":
        return "a push changes what fails, or the base moves"
    return "somebody pushes, a question here is answered, or the base moves"
