"""The comment that asks people: what happened, the evidence, and the exact reply to copy. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from bot.words.comment import LIMIT
from bot.words.inert import code, fold_in, reason
from bot.words.interrupted import interrupted
from bot.words.model import proposed
from bot.words.plan import block_to_mend, unusable_block
from bot.words.replies import OPTION_WORDS, forms
from bot.words.verdict import evidence, subject
from resolver.decision_facts import DecisionRequested, Ended, HandoffRefused, HandoffWritten
from resolver.decisions import Word
from resolver.handoff import BRANCH
from resolver.policy import CRASH
from resolver.talk_actions import PostDecision
from resolver.taxonomy import TAXONOMY

_ENDS: Final = MappingProxyType(
    {
        "head-moved": "It ended without an answer when somebody pushed.",
        "base-moved": "It ended without an answer when the base moved.",
        "edited": "It ended without an answer: the description was edited.",
        "passed": "It ended without an answer: the check has passed.",
        "goes-on": "It ended without an answer here: the run goes on.",
        "out-of-time": "It ended without an answer when its time was over.",
    }
)


_UNCLASSED: Final = MappingProxyType({CRASH: "It died without a word"})


def decision_marker(decision_id: str) -> str:
    """Give the hidden mark by which failres finds its own question again, together with its own App id."""
    return f"<!-- failres:decision:{decision_id} -->"


def render(action: PostDecision, repo_url: str) -> str:
    """Write the question, at most 65,536 characters; `repo_url` is the repository's page."""
    asked = action.decision
    parts = [decision_marker(asked.decision_id)]
    if action.ended is not None:
        parts += [f"**{asked.question}** {_ended(action.ended)}", happened(asked)]
    elif asked.kind == "plan":
        parts += [f"**{asked.question}**", happened(asked), block_to_mend(), options(asked)]
    else:
        parts += [f"**{asked.question}**", happened(asked), _replies(asked)]
    if asked.proposed is not None:
        parts.insert(3, proposed(asked.proposed))
    if asked.because is not None:
        parts.append(fold_in("Evidence", evidence(asked.because)))
    if action.handoff is not None:
        parts.append(_handoff(action.handoff, repo_url, asked.number))
    parts.append(f"<sub>failres · {asked.decision_id} · commit {asked.head.sha[:12]} · {asked.fail_class}</sub>")
    return "\n\n".join(parts)[:LIMIT]


def happened(asked: DecisionRequested) -> str:
    """Say in a sentence what led to the question."""
    if asked.kind == "plan":
        return unusable_block(asked.why)
    if asked.quarantined == "sync":
        return after_rebase(asked.why, asked.files)
    if asked.kind == "interrupted":
        return interrupted(asked)
    what = subject(asked.because) if asked.because is not None else code(asked.fail_class)
    row = TAXONOMY.get(asked.fail_class)
    title = row.title if row is not None else _UNCLASSED.get(asked.fail_class, "It failed")
    told = [each for each in asked.why.split("; ") if each and each != "no class is proven"]
    why = f" ({reason('; '.join(told), 300)})" if told else ""
    if asked.kind == "fix-flaky-test":
        return (
            f"{what} was flaky for the second time within the configured time{why}. Running it again hides that only."
        )
    return f"{title}: {what}{why}."


FILES: Final = 10


def after_rebase(why: str, files: Sequence[str]) -> str:
    """Say what a rebase left on a branch; files' names are whatever somebody called them."""
    more = f" and {len(files) - FILES} more" if len(files) > FILES else ""
    named = f": {', '.join(code(each, 100) for each in files[:FILES])}{more}" if files else ""
    left, _, rest = why.partition("; ")
    told = f"{reason(left, 300)}{named}{f'; {reason(rest, 300)}' if rest else ''}."
    return told[:1].upper() + told[1:]


def _replies(asked: DecisionRequested) -> str:
    held = "Nothing automatic follows here until this is answered or somebody pushes."
    if asked.kind == "run-paused":
        held = "Nothing automatic follows on any pull request of this run until this is answered, whoever pushes."
    first = f"{held} Somebody with write access answers by a new comment with one of these lines:"
    return f"{first}\n\n{options(asked)}"


def options(asked: DecisionRequested) -> str:
    """Give the exact replies in blocks that can be copied, with what each does."""
    replies = forms(asked)
    words = asked.options if len(replies) == len(asked.options) else (None, *asked.options)
    told = [
        f"- to {_option(asked, word)}:\n\n  ```\n  {reply}\n  ```" for word, reply in zip(words, replies, strict=True)
    ]
    return "\n\n".join(told)


def _handoff(handoff: HandoffWritten | HandoffRefused, repo_url: str, number: int) -> str:
    """Lead to the bundle, or say why there is none, and where else the same is told."""
    if isinstance(handoff, HandoffRefused):
        why = reason(handoff.reason.rstrip("."), 200)
        return f"There is no handoff bundle: {why}. `failres explain {number}` on failres's server shows what is known."
    return f"[Handoff bundle]({repo_url}/blob/{BRANCH}/{handoff.path}): all that is known, for whoever takes over."


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
    return OPTION_WORDS[word]


def _ended(ended: Ended) -> str:
    if ended.answer is None:
        return _ENDS.get(ended.why, "It ended without an answer.")
    answer = ended.answer
    said = code(answer.option) if answer.option is not None else ", ".join(code(each) for each in answer.scope_files)
    return f"Answered by {code(answer.login)}: {said}."
