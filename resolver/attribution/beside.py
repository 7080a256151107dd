"""What stands beside a verdict and never makes it: causes that people should know, and what people themselves say.

A cause here explains how a failure came to be where it is. It is a reading of what ran, never a reason to excuse.
"""

from __future__ import annotations

from typing import Literal

from resolver.executions import Check
from resolver.ids import Fingerprint, PullNumber, Sha
from resolver.records import Record

Filter = Literal["path", "event", "draft"]
"""What keeps a check off a pull request: its paths, its event (or branch, or type of it), or that it is a draft."""


class NeverRan(Record):
    """
    A check that did not run on a pull request before it was merged, and which filter kept it from running.

    `landed` is that pull request, `commit` the base commit that it became, on which the check then failed.
    """

    check: Check
    why: Filter
    landed: PullNumber | None = None
    commit: Sha | None = None


class OwnMerge(Record):
    """The task's own change had landed before as `commit`, by the pull request `landed`: its failures there are its
    own.
    """

    landed: PullNumber
    commit: Sha


Cause = NeverRan | OwnMerge


class Claim(Record):
    """
    What a person said of a failure: a label that says `says`. One input beside the verdict, revocable, never proof.

    `by` is who said it, empty where GitHub's list of labels does not tell. `fingerprint` is None where the whole task
    is meant.
    """

    by: str = ""
    says: str
    fingerprint: Fingerprint | None = None
