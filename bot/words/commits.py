"""Commits as people know them: the first characters, as many as GitHub itself shows. Pure."""

from __future__ import annotations

from typing import Final

from bot.words.inert import code

SHORT: Final = 7


def short(sha: str) -> str:
    """Give a commit in short, as plain text."""
    return sha[:SHORT]


def commit(sha: str) -> str:
    """Give a commit in short, as code."""
    return code(short(sha))
