"""The fold of what a task may change: frozen at first sight, narrowed by later blocks, settled by the configuration."""

from __future__ import annotations

from dataclasses import replace

from resolver.config import RepoConfig
from resolver.state import Base, Pull, RepoState
from resolver.task_scope import scope_after


def scoped(state: RepoState, pull: Pull) -> Pull:
    """Give a pull request with its scope as far as it is known now."""
    config = _known_config(state.bases.get(pull.seen.base_ref, Base()))
    scope = scope_after(pull.scope, pull.seen.plan, pull.files, pull.seen.head_ref, config)
    return pull if scope is pull.scope else replace(pull, scope=scope)


def all_scoped(state: RepoState, ref: str) -> RepoState:
    """Give the state after a base's configuration was read: a scope that waited for it is settled."""
    waiting = {
        number: scoped(state, pull)
        for number, pull in state.pulls.items()
        if pull.seen.base_ref == ref and (pull.scope is None or pull.scope.awaits_config)
    }
    return replace(state, pulls={**state.pulls, **waiting}) if waiting else state


def _known_config(base: Base) -> RepoConfig | None:
    """A configuration that cannot be read tells of no rule, and of none that is not there."""
    if base.config is None or base.config.problems:
        return None
    return base.config.settings or RepoConfig()
