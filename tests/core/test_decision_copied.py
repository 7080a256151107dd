"""What a question's comment offers to be copied, and what a refusal shows as right, holds word for word when it is sent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.commands import read_commands
from bot.words.asking import options
from bot.words.decision import render
from bot.words.told import said
from resolver.actions.talk import PostDecision
from resolver.answers import Accepted, Refused, check_answer
from resolver.commands import Answer, Misread
from resolver.decisions import KINDS, Decision, Kind
from resolver.facts.commands import Said
from resolver.facts.decisions import DecisionRequested
from tests.core.test_decision_rules import HERE, NAMES, PERSON, WRITE, asked

URL = "https://github.test/acme/shop"
AWKWARD = ("src/a.py", "a b,c.py", "a`b.py", "a```b.py", "$x/[id]/(y)~~z~~.tsx", "x@y.z", "<b>.py", "größe/日本.py")


def requested(decision: Decision) -> DecisionRequested:
    """The question as it is posted."""
    fields = {name: getattr(decision, name) for name in Decision.model_fields}
    return DecisionRequested(**fields, why="it was run again and failed again")


def copied(comment: str) -> list[str]:
    """
    The texts of the comment's blocks that a reader sees, and copies, as code; GitHub leaves the last line break. What
    belongs into a description is shown as Markdown, and is no reply.
    """
    blocks = [token for token in MarkdownIt("commonmark").enable("table").parse(comment) if token.type == "fence"]
    return [token.content for token in blocks if token.info != "markdown"]


def taken(decision: Decision, comment: str) -> Accepted | Refused | Misread:
    """What comes of such a comment of a person with rights."""
    (command,) = read_commands(comment)
    if isinstance(command, Misread):
        return command
    assert isinstance(command, Answer)
    return check_answer(decision, command, PERSON, WRITE, HERE)


@pytest.mark.parametrize("files", [("src/a.py",), AWKWARD])
@pytest.mark.parametrize("kind", KINDS)
def test_each_block_of_a_question_is_accepted_as_it_stands(kind: Kind, files: tuple[str, ...]):
    """Of every kind, all replies are there to be copied, once each, and each is accepted; also below other words."""
    decision = asked(kind, files=files)
    shown = copied(render(PostDecision(number=7, head_sha="a" * 40, decision=requested(decision)), URL))
    blocks = [each for each in shown if not each.startswith("```failres\n")]  # that one goes into the description
    assert len(blocks) == len(decision.options) + KINDS[kind].files
    for block in blocks:
        for comment in (block, block.strip(), f"The token is back.\n\n{block}", f"Yes.\r\n{block}\r\nThanks!"):
            found = taken(decision, comment)
            assert isinstance(found, Accepted), (comment, found)
    assert len({block.split("=")[0] for block in blocks}) == len(blocks)


@given(st.lists(NAMES, min_size=1, max_size=3, unique=True))
def test_whatever_files_are_called(files: list[str]):
    """The block with files names exactly those that were asked for, whatever Markdown would make of their names."""
    decision = asked(files=tuple(files))
    if not decision.files:
        return
    found = taken(decision, copied(options(requested(decision)))[0])
    assert isinstance(found, Accepted)
    assert found.scope_files == decision.files


WRONG = [
    ("failure", "/failres answer", "try-again"),
    ("failure", "/failres answer try again", "try-again"),
    ("failure", "/failres answer accept.", "accept"),
    ("failure", "/failres answer `accept`", "accept"),
    ("failure", "/failres answer option=accept", "try-again"),
    ("failure", "/failres answer retry", "try-again"),
    ("failure", "/failres answer acept", "accept"),
    ("failure", "/failres answer skip", "accept"),
    ("failure", "/failres answer scopeFiles=a.py", "try-again"),
    ("failure", "/failres accept", "accept"),
    ("failure", "/failres try-again", "try-again"),
    ("failure", "/failres scopeFiles=a.py", "try-again"),
    ("fix-flaky-test", "/failres answer me", "noted"),
    ("fix-flaky-test", "/failres answer again", "try-again"),
    ("run-paused", "/failres answer resume", "try-again"),
    ("scope", "/failres answer yes", "accept"),
    ("scope", "/failres answer scopeFiles=src/*.py", "scopeFiles"),
    ("scope", "/failres answer src/a.py", "scopeFiles"),
]


@pytest.mark.parametrize(("kind", "line", "right"), WRONG)
def test_a_refusal_shows_what_would_be_accepted(kind: Kind, line: str, right: str):
    """The example in a refusal is an answer to the very question, and the one that was probably meant."""
    decision = asked(kind)
    (command,) = read_commands(line)
    what: dict[str, Any] = {"kind": "misread", "misread": command, "asked": decision}
    if isinstance(command, Answer):
        found = check_answer(decision, command, PERSON, WRITE, HERE)
        assert isinstance(found, Refused)
        what = {"kind": "refused", "refused": found}
    text = said(Said(**what))
    assert "\n" not in text
    shown = [part for part in text.split("`") if part.startswith("/failres answer ")]
    assert len(shown) == 1, text
    assert isinstance(taken(decision, shown[0]), Accepted)
    assert shown[0].startswith(f"/failres answer {right}")
