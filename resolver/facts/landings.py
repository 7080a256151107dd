"""What was read of landed changes: who made a base commit, what that had changed, and what the base changed since."""

from __future__ import annotations

from resolver.attribution.beside import Filter
from resolver.attribution.diff import ChangedFile
from resolver.executions import Check
from resolver.ids import PullNumber, RepoId, Sha
from resolver.records import Record


class Landed(Record):
    """The merged pull request that a base commit came by."""

    pull: PullNumber
    title: str
    head_ref: str
    head_repo_id: RepoId | None
    head_sha: Sha
    base_ref: str


class LandingRead(Record):
    """By which pull request `commit` came to its base; None where it was pushed, or GitHub does not tell."""

    commit: Sha
    landed: Landed | None = None

    @property
    def identity(self) -> str:
        """What it says something of; told twice, it is one record."""
        return self.commit


class LandedChangesRead(Record):
    """The files that a landed pull request had changed, with their lines as far as GitHub shows them."""

    pull: PullNumber
    changes: tuple[ChangedFile, ...] = ()

    @property
    def identity(self) -> str:
        """The landed pull request: it does not change any more."""
        return str(self.pull)


class UnseenRead(Record):
    """
    Whether a check had run on the pull request that landed as `commit` before it did: `why` is the filter that kept it
    off, None where it ran or nothing tells why it did not.
    """

    commit: Sha
    check: Check
    pull: PullNumber
    why: Filter | None = None

    @property
    def identity(self) -> str:
        """The check on that commit."""
        return f"{self.commit}:{self.check.workflow}:{self.check.job}"


class BaseChangesRead(Record):
    """
    What the base has changed since a head left it, in the files that the head changes too: each with what it holds on
    the base (`blob` of GitHub's object id). `merge_base` is where they parted. `at` is when, in seconds.
    """

    number: PullNumber
    head_sha: Sha
    base_sha: Sha
    at: float
    files: tuple[ChangedFile, ...] = ()
    merge_base: Sha | None = None

    @property
    def identity(self) -> str:
        """The two commits that were compared, for that pull request."""
        return f"{self.number}:{self.head_sha}:{self.base_sha}"


LandingFact = LandingRead | LandedChangesRead | UnseenRead | BaseChangesRead
