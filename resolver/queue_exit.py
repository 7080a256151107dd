"""Why a pull request has left its merge queue: GitHub's words, and which of them say that the queue gave it up.

GitHub: deliveries have the enumeration of its description (`CI_TIMEOUT`), its conversation has its own words
(`checks_timed_out`); both are open lists (GITHUB.md 3.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

Exit = Literal["timeout", "checks", "conflict", "rules", "commit", "unknown", "people"]
"""`checks`: a required one did not pass; `conflict` with what is ahead; `rules` of the base; `commit`: none could be
made; `people`: somebody's own doing, or it has landed.
"""

_EXITS: Mapping[str, Exit] = MappingProxyType(
    {
        "CI_TIMEOUT": "timeout",
        "CHECKS_TIMED_OUT": "timeout",
        "CI_FAILURE": "checks",
        "FAILED_CHECKS": "checks",
        "MERGE_CONFLICT": "conflict",
        "BRANCH_PROTECTIONS": "rules",
        "GIT_TREE_INVALID": "commit",
        "INVALID_MERGE_COMMIT": "commit",
        "MANUAL": "people",
        "QUEUE_CLEARED": "people",
        "ROLL_BACK": "people",
        "MERGE": "people",
        "MERGED": "people",
        "ALREADY_MERGED": "people",
    }
)


def exit_of(reason: str) -> Exit:
    """Say what a reason of GitHub's means; a word that is not known yet is no accusation."""
    return _EXITS.get(reason.strip().upper().replace(" ", "_"), "unknown")
