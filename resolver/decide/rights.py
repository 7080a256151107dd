"""May failres do anything on this pull request? Each kill switch fails closed: what cannot be read forbids."""

from __future__ import annotations

from enum import Enum

from resolver.state import Base, Pull, RepoState


class Silence(Enum):
    """Why nothing is written on a pull request."""

    STOPPED = "the pull request carries the label that stops failres"
    DISABLED = "the repository's configuration says `enabled: false`"
    CONFIG_UNKNOWN = "the configuration of the base branch has not been read"
    CONFIG_BROKEN = "the configuration of the base branch is broken, so its kill switch cannot be read"


def silence(state: RepoState, pull: Pull) -> Silence | None:
    """Give the reason for which failres keeps quiet, None when it may speak. A broken base still gets a check run."""
    config = state.bases.get(pull.seen.base_ref, Base()).config
    if pull.stopped:
        return Silence.STOPPED
    if config is None:
        return Silence.CONFIG_UNKNOWN
    if config.problems:
        return Silence.CONFIG_BROKEN
    if config.settings is not None and not config.settings.enabled:
        return Silence.DISABLED
    return None
