"""Facts of conversations with good defaults: commands, rights, decisions on them."""

from __future__ import annotations

from typing import Any

from resolver.answers import Refused
from resolver.commands import Answer, Denied, Misread, Retry, Sender, Stop, Verdict
from resolver.decisions import Head
from resolver.executions import Check
from resolver.facts.commands import (
    CommandFailed,
    CommandGiven,
    CommandJudged,
    CommentsRead,
    Judged,
    LabelSet,
    PullTouched,
    Said,
    StandingRead,
)
from resolver.facts.decisions import DecisionAnswered, DecisionRequested, HandoffRefused, HandoffWritten
from resolver.facts.orphans import OrphansAsked, OrphansDecided, OrphansEnded, OwnRefsSeen
from resolver.facts.repairs import RepairDone, RepairFailed, RepairReported, Thing
from resolver.facts.resolve import ResolveDecided, ResolveEnded
from resolver.ids import PullNumber, Sha
from tests.core.made import HEAD

ANA = Sender(id=5, login="ana")


def given(*commands: Any, comment_id: int = 40, **changes: Any) -> CommandGiven:
    """A new comment with commands, by a person."""
    told: dict[str, Any] = {
        "number": PullNumber(7),
        "command_id": f"c{comment_id}",
        "comment_id": comment_id,
        "by": ANA,
        "at": 120.0,
        "commands": commands or (Retry(),),
    }
    return CommandGiven(**{**told, **changes})


def standing(permission: str | None = "write", comment_id: int = 40) -> StandingRead:
    """The rights of its giver."""
    return StandingRead(number=PullNumber(7), command_id=f"c{comment_id}", permission=permission)


REQUESTED = DecisionRequested(
    number=PullNumber(7),
    decision_id="d-1",
    task_id="pr-7",
    kind="failure",
    fail_class="gate-red-code",
    options=("try-again", "accept"),
    question="How should this go on?",
    head=Head(sha=HEAD, pushed=HEAD),
    asked_at=121.0,
    reds=2,
    why="no class is proven",
)
ANSWERED = DecisionAnswered(
    decision_id="d-1",
    number=PullNumber(7),
    task_id="pr-7",
    by=5,
    option="accept",
    action="accept-quarantine-continue",
    pushed=HEAD,
    login="ana",
    at=125.0,
    command_id="c41",
    comment_id=41,
)

CACHE = Thing(kind="cache", name="deps-v1", version="3", branch="refs/pull/7/merge", id=3)

DECIDED = ResolveDecided(
    number=PullNumber(7),
    seq=3,
    head_sha=HEAD,
    task_id="pr-7",
    check=Check(workflow=".github/workflows/ci.yml", job="test"),
    fail_class="gate-red-env",
    attempt=1,
    action="env-repair:provision-deps",
    source="table",
    at=121.0,
    due_at=181.0,
    run_id=20,
    run_attempt=1,
)

TALK_FACTS = [
    given(Retry(), Answer(scope_files=("a.py",)), Verdict(outcome="rejected"), Misread(problem="unknown", word="x")),
    given(Stop(), command_id="b1", comment_id=None, at=None, head_sha=Sha(HEAD), by=None),
    standing(),
    CommandJudged(
        number=PullNumber(7),
        command_id="c40",
        at=121.0,
        judged=(
            Judged(command="retry", result="taken", target="rerun:20", effect="rerun:20@1"),
            Judged(result="refused", said=Said(kind="misread", misread=Misread(problem="unknown", word="x"))),
            Judged(result="refused", said=Said(kind="denied", denied=Denied(why="no-rights"))),
            Judged(command="answer", result="refused", said=Said(kind="refused", refused=Refused(reason="none-open"))),
        ),
        thread=0,
    ),
    CommandFailed(number=PullNumber(7), command_id="c40", index=0, reason="the run is still going on", thread=0),
    LabelSet(number=PullNumber(7), label="failres:stop", present=True, command_id="c40"),
    CommentsRead(number=PullNumber(7), until=122.0),
    PullTouched(number=PullNumber(7), at=122.0),
    DECIDED,
    OwnRefsSeen(refs=(CACHE,), at=5.0),
    OrphansDecided(seq=1, things=(CACHE,), attempt=1, action="resume", at=5.0),
    OrphansEnded(ref_decision_seq=1, success=False, left=("deps-v1",), reason="moved"),
    OrphansAsked(decision_id="d-9", ref_decision_seq=2, things=(CACHE,), why="moved", at=6.0),
    RepairReported(number=PullNumber(7), ref_decision_seq=3, things=(CACHE,)),
    RepairDone(number=PullNumber(7), ref_decision_seq=3, removed=("deps-v1",)),
    RepairFailed(number=PullNumber(7), ref_decision_seq=3, repair="provision-deps", reason="GitHub refused it"),
    ResolveEnded(number=PullNumber(7), ref_decision_seq=3, action="resume", success=False, reason="it failed again"),
    REQUESTED,
    ANSWERED,
    HandoffWritten(number=PullNumber(7), decision_id="d-1", path="handoff/pr-7/d-1.md", commit=HEAD, at=126.0),
    HandoffRefused(number=PullNumber(7), decision_id="d-2", reason="Repository rule violations found"),
]
