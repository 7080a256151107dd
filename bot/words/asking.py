"""How people are asked: what led to it, the exact replies to copy, and where they answer. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from bot.words.inert import code, reason
from bot.words.interrupted import interrupted
from bot.words.lists import listed
from bot.words.plan import unusable_block
from bot.words.probe import in_short
from bot.words.replies import OPTION_WORDS, forms
from bot.words.verdict import subject
from resolver.decisions import Kind, Word
from resolver.executions import MERGE_GROUP
from resolver.facts.decisions import DecisionRequested
from resolver.policy import CRASH
from resolver.report import Asked
from resolver.secrets import mask
from resolver.taxonomy import TAXONOMY

_UNCLASSED: Final = MappingProxyType({CRASH: "It died without a word"})

FILES: Final = 10

_ANSWERS: Final = "Somebody with write access answers by a new comment with one of these lines:"


_OF_CHECK: Final = "The check"

_UNTIL: Final[Mapping[Kind, str]] = MappingProxyType(
    {"plan": "", "run-paused": " Until somebody answers, nothing automatic follows in this run."}
)


def happened(asked: DecisionRequested) -> str:
    """Say what led to the question, and why nobody but people may decide."""
    if asked.kind == "plan":
        return unusable_block(asked.why)
    if asked.quarantined == "sync":
        return after_rebase(asked.why, asked.files)
    if asked.kind == "interrupted":
        return interrupted(asked)
    row = TAXONOMY.get(asked.fail_class)
    title = row.title if row is not None else _UNCLASSED.get(asked.fail_class, "It failed")
    told = in_short(asked.why)
    why = f" People are asked because {reason('; '.join(told), 300)}." if told else ""
    if asked.because is None:
        return f"{title}.{why}"
    what = subject(asked.because)
    if asked.kind == "fix-flaky-test":
        again = f"{what} was flaky for the second time within the configured time; running it again hides that only."
        return f"{again}{why}"
    said = f": {code(mask(asked.message).rstrip('.'), 200)}" if asked.message else ""
    own = title.startswith(_OF_CHECK)  # the check's own failure needs no second sentence
    first = f"{what}{title.removeprefix(_OF_CHECK)}" if own else f"{what} failed. {title}"
    return f"{first}{said}.{why}"


def after_rebase(why: str, files: Sequence[str]) -> str:
    """Say what a rebase left on a branch; files' names are whatever somebody called them."""
    named = f": {listed([code(each, 100) for each in files], FILES)}" if files else ""
    left, _, rest = why.partition("; ")
    told = f"{reason(left, 300)}{named}{f'; {reason(rest, 300)}' if rest else ''}."
    return told[:1].upper() + told[1:]


def replies(asked: DecisionRequested) -> str:
    """Say who answers and how, with the exact replies."""
    held = "Nothing automatic follows here until this is answered or somebody pushes."
    if asked.quarantined is not None:
        held = "Nothing automatic follows here until this is answered, somebody pushes, or the base moves."
    if asked.kind == "run-paused":
        held = "Nothing automatic follows on any pull request of this run until this is answered, whoever pushes."
    return f"{held} {_ANSWERS}\n\n{options(asked)}"


def options(asked: DecisionRequested) -> str:
    """Give the exact replies in blocks that can be copied, with what each does."""
    shown = forms(asked)
    words = asked.options if len(shown) == len(asked.options) else (None, *asked.options)
    told = [
        f"- to {_option(asked, word)}:\n\n  ```\n  {reply}\n  ```" for word, reply in zip(words, shown, strict=True)
    ]
    return "\n\n".join(told)


def _option(asked: DecisionRequested, word: Word | None) -> str:
    if word is None:
        return "let this task change these files as well, each of them"
    if asked.kind == "plan":
        return "wait for somebody who takes care of it"
    if asked.quarantined == "sync":
        go_on = "let it go on with the branch as it is now"
        return go_on if word == "try-again" else "leave it quarantined until somebody pushes"
    if asked.kind == "run-paused":
        return "let the run go on, with its count begun anew" if word == "try-again" else "leave it paused"
    if word == "try-again" and asked.because is not None and asked.because.check.event == MERGE_GROUP:
        return "put it into the merge queue once more, where a pass lands it"
    return OPTION_WORDS[word]


def pointed_at(asked: Asked) -> str:
    """Say in the one comment that people are asked: in a comment below, or here where there may be none today."""
    if asked.here is None:
        until = _UNTIL.get(asked.kind, " Until somebody answers or pushes, nothing automatic follows.")
        return f"People are asked below: “{asked.question}”{until} "
    return (
        f"People are asked: “{asked.question}” No further comment may be made today, so the question stands here. "
        f"{_ANSWERS}\n\n{options(asked.here)}\n\n"
    )
