"""May failres do anything on this pull request? Each kill switch fails closed: what cannot be read forbids."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from resolver.config import ActionKind, Mode, RepoConfig, matches
from resolver.limits import Limits
from resolver.state import Base, Pull, RepoState


class Silence(Enum):
    """Why nothing is written on a pull request."""

    STOPPED = "the pull request carries the label that stops failres"
    DISABLED = "the repository's configuration says `enabled: false`"
    CONFIG_UNKNOWN = "the configuration of the base branch has not been read"
    CONFIG_BROKEN = "the configuration of the base branch is broken, so its kill switch cannot be read"


DEPENDABOT = "dependabot[bot]"
"""The login whose pull requests are explained only (specification, invariant 11)."""

_MODES: tuple[Mode, ...] = ("observe", "propose", "act")


def config_of(state: RepoState, pull: Pull) -> RepoConfig:
    """Give the configuration that holds for a pull request; all defaults where its base has none that can be used."""
    config = state.bases.get(pull.seen.base_ref, Base()).config
    return config.settings if config is not None and config.settings is not None else RepoConfig()


def explained_only(state: RepoState, pull: Pull) -> bool:
    """Say whether nothing but an explanation may ever follow: forks and Dependabot."""
    fork = state.repo is None or pull.seen.head_repo_id != state.repo.repo_id
    return fork or pull.seen.author.login == DEPENDABOT


def managed(state: RepoState, pull: Pull, config: RepoConfig) -> bool:
    """Say whether the configuration lets failres act on this task."""
    if explained_only(state, pull):
        return False
    rules = config.managed
    by_branch = any(matches(pattern, pull.seen.head_ref) for pattern in rules.branches)
    return by_branch or bool(set(rules.labels) & set(pull.seen.labels)) or pull.seen.author.login in rules.authors


def mode_of(config: RepoConfig, kind: ActionKind, limits: Limits) -> Mode:
    """Give the mode of a kind of action: the repository's, but never more than the process allows."""
    return _MODES[min(_MODES.index(config.mode.of(kind)), _MODES.index(limits.ceiling))]


def held_by_mode(kind: Literal["rerun", "probe"], mode: Mode) -> str:
    """Say what is not done because of its mode."""
    what = "the failed job is not run again" if kind == "rerun" else "the clean base is not asked"
    return f"{what}, since the mode of {kind}s is `{mode}`"


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
