"""What can be done for a repair of the environment: report first, then remove what was reported, or run a job."""

from __future__ import annotations

from typing import Literal

from resolver.actions.base import Action
from resolver.digest import digest
from resolver.facts.orphans import OrphansAsked
from resolver.facts.repairs import Thing
from resolver.ids import PullNumber, Sha
from resolver.log.cache_keys import CacheKeys


class RepairStep(Action):
    """What all steps share: the decision that they carry out. One step of a decision is the same whatever it finds."""

    number: PullNumber
    head_sha: Sha
    seq: int

    @property
    def key(self) -> str:
        """Identity by decision: what others own meanwhile does not make another step of it."""
        return f"{self.target}@{self.head_sha}"


class ReportCaches(RepairStep):
    """Find the caches of the failing job's keys under the pull request's merge ref, or the repository's own job."""

    type: Literal["report-caches"] = "report-caches"
    keys: CacheKeys

    @property
    def target(self) -> str:
        """The report of that decision."""
        return f"report:{self.seq}"


class ReportLeftovers(RepairStep):
    """Find what failres has left behind; `live` are the branches that live records own, None where nobody can tell."""

    type: Literal["report-leftovers"] = "report-leftovers"
    live: tuple[str, ...] | None

    @property
    def target(self) -> str:
        """The report of that decision."""
        return f"report:{self.seq}"


class RemoveReported(RepairStep):
    """Remove what was reported and is unchanged; of failres's own branches only what no live record owns by now."""

    type: Literal["remove-reported"] = "remove-reported"
    things: tuple[Thing, ...]
    live: tuple[str, ...] | None = ()

    @property
    def target(self) -> str:
        """The repair of that decision."""
        return f"repair:{self.seq}"


class StartRepairJob(RepairStep):
    """Run the job of `failres-repair.yml` that is called like the repair, as probes are run."""

    type: Literal["start-repair-job"] = "start-repair-job"
    job: str
    repair_id: str
    base_sha: Sha

    @property
    def target(self) -> str:
        """The repair of that decision."""
        return f"repair:{self.seq}"


class RemoveOrphans(Action):
    """Remove branches that a look has found without an owner, as the repository's decision `seq` says."""

    type: Literal["remove-orphans"] = "remove-orphans"
    seq: int
    things: tuple[Thing, ...]
    live: tuple[str, ...] | None

    @property
    def target(self) -> str:
        """The branches without an owner."""
        return "orphans"

    @property
    def key(self) -> str:
        """Identity by decision; what others own meanwhile does not make another one of it."""
        return f"{self.target}@{self.seq}"


class TellOfOrphans(Action):
    """Tell people of branches that they have to remove, once: a destination by its name in the server's settings, or
    whoever reads the server's own log, where that is empty.
    """

    type: Literal["tell-of-orphans"] = "tell-of-orphans"
    asked: OrphansAsked
    destination: str = ""

    @property
    def target(self) -> str:
        """That question at that destination."""
        return f"notify:{self.asked.decision_id}:{self.destination or 'log'}"

    @property
    def key(self) -> str:
        """Identity by the question and the destination alone: nothing makes it worth telling twice."""
        return f"{self.target}@{digest(self.target)}"


RepairAction = ReportCaches | ReportLeftovers | RemoveReported | StartRepairJob
