"""What a verdict names beside its class, and what has to be read before there may be one (specification, section 5)."""

from __future__ import annotations

from resolver.attribution.beside import Cause
from resolver.attribution.question import Question


def causes(question: Question) -> tuple[Cause, ...]:
    """
    Give the causes to be named. The task's own earlier merge, where this failure was seen on it and counted for
    nothing; and that the check never ran on the change that broke the base, where the base or a group fails so too.
    """
    q = question
    reds = [each for each in q.all if each.fails_with(q.item.fingerprint) is not None]
    own = {each.base_commit for each in reds if each.own == "earlier-merge"}
    merges = tuple(each for each in q.case.own_merges if each.commit in own)
    shared = any(each.own == "no" and each.side != "task" for each in reds)
    unseen = tuple(each for each in q.case.never_ran if each.check.same_job(q.check)) if shared else ()
    return (*merges, *unseen)


def unread(question: Question) -> str:
    """Say what must be read before this failure has a verdict; empty where nothing is missing."""
    q = question
    whose = [each for each in q.all if each.own == "unread" and each.fails_with(q.item.fingerprint) is not None]
    if whose:
        return f"whose change {whose[-1].commit[:7]} is, is being read"
    stale = (q.tested is None or q.tested != q.case.task.base) and q.red.side != "group"
    return "what the base changed is being read" if q.case.task.base_unread and stale else ""
