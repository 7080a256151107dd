"""What is wanted of a probe, what is planned for it, and the names by which it is found again. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from resolver.digest import digest
from resolver.executions import Check
from resolver.ids import Sha
from resolver.records import Record

PREFIX = "failres/probe/"
"""Branches of probes begin so, unless a workflow's filters ask for another name; see `is_probe_branch`."""

_BRANCH = re.compile(
    r"(?:[A-Za-z0-9._-]+/)*[A-Za-z0-9._-]*failres[/-]probe[/-](?P<identity>[0-9a-f]{8}-(?P<base>[0-9a-f]{12})-[0-9]{1,20})"
)

Strategy = Literal["probe-workflow", "own-dispatch", "push", "draft-pull", "repair-workflow"]

ITEM_LENGTH = 300
_PLAIN_ITEM = re.compile(r"[A-Za-z0-9_./:@,=+\[\]][A-Za-z0-9_./:@,=+\[\]-]*")


def is_probe_branch(name: str) -> bool:
    """Say whether a branch's name is a probe's: it carries the hash of a check, a commit and an attempt."""
    return _BRANCH.fullmatch(name) is not None


def probe_identity(name: str) -> str:
    """Give what a probe's branch carries in its name, whatever a workflow's filters made of the rest; else nothing."""
    found = _BRANCH.fullmatch(name)
    return found["identity"] if found is not None else ""


def probe_base(name: str) -> str:
    """Give the beginning of the base commit that a probe's branch names; empty for any other branch."""
    found = _BRANCH.fullmatch(name)
    return found["base"] if found is not None else ""


def is_owned(branch: str, live: Iterable[str]) -> bool:
    """Say whether a live record owns a branch of failres's own: it names it, or the probe that the branch is of."""
    identity = probe_identity(branch)
    return any(branch == each or (identity != "" and identity == probe_identity(each)) for each in live)


class ProbeWanted(Record):
    """What is to be executed, and where. `item` is for a probe workflow that can run one item first."""

    check: Check
    base_sha: Sha
    attempt: int
    probe_id: str
    item: str = ""
    repository: str = ""
    base_ref: str = ""

    @property
    def identity(self) -> str:
        """What every branch of this probe carries in its name."""
        check = digest(self.check.model_dump(mode="json", by_alias=True), 8)
        return f"{check}-{self.base_sha[:12]}-{self.attempt}"

    @property
    def branch(self) -> str:
        """The probe's branch, which is also its identity on GitHub."""
        return f"{PREFIX}{self.identity}"

    @property
    def nonce(self) -> str:
        """What the run carries where it can, so that it is found again. The same probe has the same one."""
        return digest({"probe": self.probe_id, "branch": self.branch}, 12)

    @property
    def shown(self) -> str:
        """The check as a person and `failres-probe.yml` name it: the workflow's path and the job's name."""
        return f"{self.check.workflow}: {self.check.job}"

    @property
    def plain_item(self) -> str:
        """The item where no shell and no option parser could take it for anything else; it comes from a log."""
        fits = len(self.item) <= ITEM_LENGTH and _PLAIN_ITEM.fullmatch(self.item)
        return self.item if fits else ""


class ProbePlan(Record):
    """What to start: `workflow` is the file's path, `ref` the branch, `job` the name of the job that decides, `event`
    what makes the run.
    """

    strategy: Strategy
    workflow: str
    ref: str
    nonce: str
    job: str
    event: str = "workflow_dispatch"
    inputs: tuple[tuple[str, str], ...] = ()


class NoProbe(Record):
    """No way is valid: why not, one reason for each. `later`: the draft pull request would be, once a day is over."""

    reasons: tuple[str, ...]
    later: bool = False
