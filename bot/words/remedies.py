"""What a person can do about a class of failure, where that is not what the headline says already. Pure.

Only classes that the surroundings of a check bring about have one: of a failing test the lines themselves say more.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from resolver.policy import CRASH

REMEDIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "dep-provision-failed": (
            "see in the log which package could not be had. A version that does not exist is mended on the branch; a "
            "registry that is away comes back by itself"
        ),
        "lockfile-out-of-sync": "update the lock file with the package manager, commit it, and push",
        "commit-hook-rejected": "see in the log which hook or rule refused, and what it asks for",
        "merge-conflict": "merge or rebase the branch onto its base by hand, and push",
        "registry-auth-missing": (
            "see whether the job has a token for that registry that is valid and allowed there (secrets are not given "
            "to pull requests from forks); then run it again"
        ),
        "disk-space-low": "let the job leave less behind, or give it a larger runner; then run it again",
        "artifacts-missing": "see which earlier step or job should have made the file, and whether it ran",
        "task-stalled": "see in the log what the job was waiting for when it was ended",
        "runconfig-read-failed": "mend `.github/failres.yml` on the base branch: `failres config check` names the line",
        "land-blocked-unreviewed": "get the review that the base branch asks for",
        CRASH: "see on the run's own page what GitHub says, and whether the runner is in order; then run it again",
    }
)
"""By class, as the rest of a sentence that begins with `What helps:`."""


def remedy_for(fail_class: str) -> str | None:
    """Say what helps against a class; None where nothing is known that the headline does not say."""
    found = REMEDIES.get(fail_class)
    return f"**What helps:** {found}." if found is not None else None
