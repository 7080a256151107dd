"""
The checking of answers to decisions (specification, section 11).

`check_answer` never widens a scope unless a person with write access answered an open decision of that task in the
exact form; whatever does not fit is refused with its reason, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from resolver.commands import Answer, Sender, Standing
from resolver.decisions import (
    ANSWER_LIMITS,
    KINDS,
    OPTIONS,
    AnswerLimits,
    Circumstances,
    Decision,
    Head,
    Word,
    expired,
    is_open,
)
from resolver.ids import PullNumber, Sha
from resolver.policy import Action
from resolver.records import Record
from resolver.tree_paths import PathFault, is_glob, is_protected, path_fault, with_parents

Reason = Literal[
    "none-open", "ambiguous", "unknown-decision", "answered", "head-moved", "base-moved",
    "rights-unread", "no-rights", "not-for-apps", "no-such-option", "files-not-asked", "glob", "directory",
    "protected", "bad-path", "twice", "too-many",
]  # fmt: skip


class Refused(Record):
    """An answer that changes nothing: why, which word or file of it, and which decision it was for."""

    reason: Reason
    word: str = ""
    fault: PathFault | None = None
    decision: Decision | None = None
    others: tuple[str, ...] = ()


class Accepted(Record):
    """
    An answer that holds, as `decision.answered` keeps it. `scope_files` widen the scope of this task only, as long as
    `pushed` is the newest commit that somebody else than failres pushed (and `base`, where given, is the base).
    """

    decision_id: str
    number: PullNumber
    task_id: str
    by: int
    option: Word | None = None
    action: Action | None = None
    scope_files: tuple[str, ...] = ()
    pushed: Sha
    base: Sha | None = None


def choose(asked: Sequence[Decision], answer: Answer, here: Circumstances) -> Decision | Refused:
    """The decision that an answer is for: the named one, else the only one of this task that is open."""
    if answer.decision is not None:
        named = [each for each in asked if each.decision_id == answer.decision]
        if named:
            return named[0]
        return Refused(reason="unknown-decision", word=answer.decision, others=_ids(asked, here))
    open_ones = [each for each in asked if is_open(each, here)]
    if len(open_ones) == 1:
        return open_ones[0]
    if open_ones:
        return Refused(reason="ambiguous", others=_ids(asked, here))
    late = asked[-1] if asked else None
    reason = None if late is None else (expired(late, here) or "answered")
    return Refused(reason=reason or "none-open", decision=late)


def _ids(asked: Sequence[Decision], here: Circumstances) -> tuple[str, ...]:
    return tuple(each.decision_id for each in asked if is_open(each, here))


def check_answer(
    decision: Decision,
    answer: Answer,
    by: Sender,
    standing: Standing,
    here: Circumstances,
    *,
    limits: AnswerLimits = ANSWER_LIMITS,
) -> Accepted | Refused:
    """Check everything about an answer: who gave it, whether the question still stands, and what it says."""
    reason = _not_entitled(decision, answer, by, standing) or _not_open(decision, answer, here)
    if reason is not None:
        return Refused(reason=reason, decision=decision)
    fault = (
        _option_fault(decision, answer) if answer.option is not None else _files_fault(decision, answer, here, limits)
    )
    if fault is not None:
        return fault
    word = next((word for word in decision.options if word == answer.option), None)
    return Accepted(
        decision_id=decision.decision_id,
        number=decision.number,
        task_id=decision.task_id,
        by=by.id,
        option=word,
        action="resume" if word is None else OPTIONS[word],
        scope_files=answer.scope_files,
        pushed=decision.head.pushed,
        base=decision.base,
    )


def _not_entitled(decision: Decision, answer: Answer, by: Sender, standing: Standing) -> Reason | None:
    if standing.permission is None:
        return "rights-unread"
    if not standing.may_write:
        return "no-rights"
    if not by.is_person and (answer.scope_files or not KINDS[decision.kind].apps):
        return "not-for-apps"
    return None


def _not_open(decision: Decision, answer: Answer, here: Circumstances) -> Reason | None:
    if answer.decision not in (None, decision.decision_id):
        return "unknown-decision"
    if decision.decision_id in here.answered:
        return "answered"
    return expired(decision, here)


def _option_fault(decision: Decision, answer: Answer) -> Refused | None:
    if answer.option in decision.options and not answer.scope_files:
        return None
    return Refused(reason="no-such-option", word=answer.option or "", decision=decision)


def _files_fault(decision: Decision, answer: Answer, here: Circumstances, limits: AnswerLimits) -> Refused | None:
    if not answer.scope_files:
        return Refused(reason="no-such-option", decision=decision)
    if not KINDS[decision.kind].files:
        return Refused(reason="files-not-asked", decision=decision)
    if len(answer.scope_files) > limits.files:
        return Refused(reason="too-many", decision=decision)
    if len(set(answer.scope_files)) < len(answer.scope_files):
        return Refused(reason="twice", decision=decision)
    folders = {folder for file in here.files for folder in with_parents(file) if folder != file}
    known = here.files | frozenset(decision.files)  # what the question itself names is a path, whatever it looks like
    for path in answer.scope_files:
        if (refused := _path_refused(path, folders, known, here.protected)) is not None:
            return refused.model_copy(update={"decision": decision})
    return None


def _path_refused(path: str, folders: set[str], known: frozenset[str], protected: tuple[str, ...]) -> Refused | None:
    if path.rstrip("/") in folders or (path.endswith("/") and path_fault(path.rstrip("/")) is None):
        return Refused(reason="directory", word=path)
    if is_glob(path, known):
        return Refused(reason="glob", word=path)
    if (fault := path_fault(path)) is not None:
        return Refused(reason="bad-path", word=path, fault=fault)
    return Refused(reason="protected", word=path) if is_protected(path, protected) else None


def widened(accepted: Iterable[Accepted], task_id: str, head: Head, base: Sha) -> tuple[str, ...]:
    """The files that answers add to a task's scope: its own, and only until somebody pushes or the base is another."""
    return tuple(
        dict.fromkeys(
            file
            for each in accepted
            if each.task_id == task_id and each.pushed == head.pushed and each.base in (None, base)
            for file in each.scope_files
        )
    )
