"""Names that people give the configuration by mistake: nothing reads such a file, and that is told where it is seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from resolver.config import CONFIG_PATH

MISNAMED: Final = (
    ".github/failres.yaml",
    ".github/.failres.yml",
    ".github/.failres.yaml",
    ".github/failres.json",
    ".github/failres.toml",
    "failres.yml",
    "failres.yaml",
    ".failres.yml",
    ".failres.yaml",
)
"""Paths in a repository, the likeliest first."""

_FOLDED: Final = frozenset((*MISNAMED, CONFIG_PATH))


def misnamed(paths: Iterable[str]) -> tuple[str, ...]:
    """Give those paths that are meant to be the configuration and are not it; names differ by case on GitHub."""
    return tuple(path for path in paths if path != CONFIG_PATH and path.casefold() in _FOLDED)
