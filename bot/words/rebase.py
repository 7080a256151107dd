"""What failres's own rebase has done to a branch, so that nobody is surprised by moved commits. Pure."""

from __future__ import annotations

from bot.words.commits import commit
from bot.words.inert import code
from resolver.report import Report


def rebased(report: Report) -> list[str]:
    """Say onto what the branch was rebased, where it stood before, and what its author does next."""
    told = report.rebased
    if told is None:
        return []
    said = (
        f"failres rebased this branch onto {code(report.base_ref)} at {commit(told.base)}; "
        f"its head was {commit(told.before)} before. Run `git pull --rebase` before you push to it again."
    )
    return [said]
