"""
Questions to people: what kinds there are, what each offers, and when one is no longer open (specification, section 11).

A decision is bound to the task's head and, where it is about the base, to the base it was asked for. It survives
failres's own commits and ends with the next push of anybody else. `resolver.answers` checks what people reply.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from resolver.digest import digest
from resolver.failure import Scope
from resolver.ids import Fingerprint, PullNumber, Sha
from resolver.policy import Action
from resolver.records import Record
from resolver.tree_paths import is_glob, is_protected, path_fault

Kind = Literal[
    "scope",
    "failure",
    "fix-flaky-test",
    "base-repair",
    "landing",
    "run-paused",
    "plan",
    "interrupted",
    "synced",
    "stopped",
    "reach",
]
Word = Literal["try-again", "accept", "redo", "reroute", "noted"]

OPTIONS: Final[Mapping[Word, Action | None]] = MappingProxyType(
    {
        "try-again": "resume",
        "accept": "accept-quarantine-continue",
        "redo": "redo-task",
        "reroute": "reroute",
        "noted": None,
    }
)
"""What each option does; `noted` does nothing but close the question."""


class KindRow(Record):
    """
    What a kind of decision offers. `files`: it may be answered with `scopeFiles`. `base`: it is bound to the base.
    `head`: a push ends it. `apps`: an allowed App may answer it too; never where scope or gate depend on it.
    """

    options: tuple[Word, ...]
    question: str
    files: bool = False
    base: bool = False
    head: bool = True
    apps: bool = False


KINDS: Final[Mapping[Kind, KindRow]] = MappingProxyType(
    {
        "scope": KindRow(options=("accept",), files=True, question="May the fix also change these files?"),
        "failure": KindRow(
            options=("try-again", "accept", "redo", "reroute"), apps=True, question="How should this go on?"
        ),
        "fix-flaky-test": KindRow(options=("noted", "try-again"), question="Who mends this flaky test?"),
        "base-repair": KindRow(
            options=("try-again", "accept"), files=True, base=True, question="How should the base be mended?"
        ),
        "landing": KindRow(options=("try-again", "accept"), question="Landing was refused. How should this go on?"),
        "run-paused": KindRow(
            options=("try-again", "accept"), apps=True, head=False, question="The run is paused. Should it go on?"
        ),
        "reach": KindRow(options=(), head=False, question="The repository is out of reach. Is it to come back?"),
        "stopped": KindRow(options=(), head=False, question="failres has stopped on this repository."),
        "interrupted": KindRow(options=("try-again", "accept"), apps=True, question="Should this be tried once more?"),
        "plan": KindRow(options=("noted",), head=False, question="Which files may this task change?"),
        "synced": KindRow(
            options=("try-again", "accept"), question="A rebase left this branch in doubt. May it go on as it is?"
        ),
    }
)


def kind_for(fail_class: str, scope: Scope) -> Kind:
    """The kind of decision that an escalation of a failure class asks. A repair and a flake name theirs themselves."""
    if fail_class == "budget-exceeded" and scope == "run":
        return "run-paused"
    return _KIND_OF_CLASS.get(fail_class, "failure")


_KIND_OF_CLASS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "fixer-scope-violation": "scope",
        "land-failed": "landing",
        "land-blocked-unreviewed": "landing",
        "plan-invalid": "plan",
        "base-moved": "interrupted",
        "journal-state-unknown": "interrupted",
        "journal-append-failed": "interrupted",
        "journal-corrupt": "stopped",
        "not-a-git-repo": "reach",
    }
)


class Head(Record):
    """A task's head, and the newest commit that somebody other than failres pushed: an answer survives our own."""

    sha: Sha
    pushed: Sha


class Decision(Record):
    """
    A question as `decision.requested` keeps it. `task_id` is the task's or the repair's, the only one that an answer
    widens; `base` is None where the base does not matter.
    """

    decision_id: str
    number: PullNumber
    task_id: str
    kind: Kind
    fail_class: str
    fingerprint: Fingerprint | None = None
    files: tuple[str, ...] = ()
    options: tuple[Word, ...]
    question: str
    head: Head
    base: Sha | None = None
    asked_at: float


class AnswerLimits(Record):
    """How many files one answer may name."""

    files: int = 50


ANSWER_LIMITS: Final = AnswerLimits()


class Asking(Record):
    """
    What a decision is made of. `offered` narrows the kind's options to those that can be carried out; `earlier` counts
    the answered decisions on the same matter, so that a new failure after an answer asks anew. Of `files`, those that
    an answer could not name (see `protected`, the configuration's patterns) are left out.
    """

    number: PullNumber
    task_id: str
    kind: Kind
    fail_class: str
    fingerprint: Fingerprint | None = None
    files: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    offered: tuple[Word, ...] | None = None
    head: Head
    base: Sha
    earlier: int = 0


def ask(asking: Asking, now: float) -> Decision:
    """
    Make a decision at `now` (seconds). The same question about the same heads has the same id, so that it is asked
    once.
    """
    row = KINDS[asking.kind]
    offered = row.options if asking.offered is None else asking.offered
    base = asking.base if row.base else None
    matter = (asking.number, asking.task_id, asking.kind, asking.fail_class, asking.fingerprint, asking.earlier)
    return Decision(
        decision_id=f"d-{digest([*matter, asking.head.pushed if row.head else None, base], 10)}",
        number=asking.number,
        task_id=asking.task_id,
        kind=asking.kind,
        fail_class=asking.fail_class,
        fingerprint=asking.fingerprint,
        files=_askable(asking),
        options=tuple(word for word in row.options if word in offered),
        question=row.question,
        head=asking.head,
        base=base,
        asked_at=now,
    )


def _askable(asking: Asking, limits: AnswerLimits = ANSWER_LIMITS) -> tuple[str, ...]:
    names = (file for file in dict.fromkeys(asking.files) if path_fault(file) is None)
    fit = (file for file in names if not is_glob(file, (file,)))
    return tuple(file for file in fit if not is_protected(file, asking.protected))[: limits.files]


class Circumstances(Record):
    """
    How things stand when an answer is read; `head`, `base` and `files` are read anew for it.

    `answered` are the ids of decisions that have their answer, `files` all files at the head, `protected` the
    configuration's patterns.
    """

    head: Head
    base: Sha
    answered: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    protected: tuple[str, ...] = ()


def is_open(decision: Decision, here: Circumstances) -> bool:
    """Whether a decision still waits for its answer."""
    return decision.decision_id not in here.answered and expired(decision, here) is None


def expired(decision: Decision, here: Circumstances) -> Literal["head-moved", "base-moved"] | None:
    """What ended a decision without an answer: a person's push, or another base; or None."""
    if KINDS[decision.kind].head and here.head.pushed != decision.head.pushed:
        return "head-moved"
    if decision.base is not None and here.base != decision.base:
        return "base-moved"
    return None
