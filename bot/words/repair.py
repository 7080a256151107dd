"""What repairs of a check's surroundings will remove, have removed, or could not do, in words. Pure."""

from __future__ import annotations

from typing import Final

from bot.words.inert import code, one_line
from bot.words.lists import listed
from resolver.report import RepairTold

_KINDS: Final = {"ref": "branch", "cache": "cache", "artifact": "artifact"}
LISTED = 5
_PROVISION = "provision-deps"
NOTHING_LEFT: Final = (
    "failres has left nothing behind in this repository that could be removed; the job runs anew as it is."
)


def repair(told: RepairTold) -> str | None:
    """Say how far a repair has come; None where no cache was found, so that the job only runs anew."""
    if told.state == "failed":
        return f"The repair {code(told.repair)} failed: {one_line(told.reason, 300)}."
    if told.job is not None:
        done = "has run and passed" if told.state == "done" else "runs first"
        return f"The job {code(told.job)} of `failres-repair.yml` {done}, then the failed job runs anew."
    if not told.things:
        return None if told.repair == _PROVISION else NOTHING_LEFT
    if told.repair == _PROVISION:
        return _provision(told)
    if told.state == "done":
        return f"failres removed what it had left behind in this repository: {_named(told)}."
    return f"failres has left something behind in this repository, and will remove it first: {_named(told)}."


def mended_by(told: RepairTold) -> str | None:
    """Say what came before the success; None where a repair changed nothing."""
    if told.state != "done" or not (told.things or told.job):
        return None
    if told.job is not None:
        return f"Before that, the job {code(told.job)} of `failres-repair.yml` ran."
    if told.repair == _PROVISION:
        return f"Before that, failres dropped {_named(told)} of this pull request."
    return f"Before that, failres removed what it had left behind in this repository: {_named(told)}."


def _provision(told: RepairTold) -> str:
    if told.state == "done":
        return f"failres dropped {_named(told)} of this pull request; the job provisions its dependencies anew."
    return (
        f"The job used {_named(told)} of this pull request. failres drops that first, so that the job provisions its "
        "dependencies anew."
    )


def _named(told: RepairTold) -> str:
    """List the things, each with its kind; of many the first."""
    return listed([f"the {_KINDS.get(kind, kind)} {code(name, 120)}" for kind, name in told.things], LISTED)
