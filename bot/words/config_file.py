"""What is wrong with a configuration file, in words: its problems by line, and a file that has the wrong name. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.words.commits import commit
from bot.words.inert import code
from resolver.config import CONFIG_PATH, ConfigProblem
from resolver.report import Report


def problems(found: tuple[ConfigProblem, ...]) -> str:
    """List the problems of a configuration file, one a line, each with its place."""
    return "\n".join(
        f"- line {p.line}, column {p.column}: {code(p.path) + ': ' if p.path else ''}{code(p.message, 300)}"
        for p in found
    )


def title(report: Report) -> str:
    """Say in a line, as Markdown, what is wrong with what a pull request brings."""
    if report.config_problems or not report.misnamed:
        return f"{code(CONFIG_PATH)} is broken on this branch."
    return f"failres does not read {_named(report.misnamed)}."


def in_order(report: Report) -> str:
    """Say that what was wrong with it is mended."""
    return f"The configuration is in order at {commit(report.head_sha)}."


def brought(report: Report) -> list[str]:
    """Say what is wrong with the configuration that a pull request brings."""
    told: list[str] = []
    if report.config_problems:
        told.append(
            "This pull request brings a configuration that failres cannot read. "
            "It would stop acting on this repository once this is merged:\n\n" + problems(report.config_problems)
        )
    if report.misnamed:
        told.append(
            f"This pull request brings {_named(report.misnamed)}, which has no effect: failres reads "
            f"{code(CONFIG_PATH)} alone, as it stands on the base branch. Give the file that name, or remove it."
        )
    return told


def on_base(report: Report) -> list[str]:
    """Say what is wrong with the configuration on the base branch."""
    told: list[str] = []
    if report.base_config_problems:
        told.append(
            f"{code(CONFIG_PATH)} on the base branch cannot be used, so failres does nothing but this check run:\n\n"
            + problems(report.base_config_problems)
        )
    if report.base_misnamed:
        told.append(
            f"The base branch has {_named(report.base_misnamed)}, which failres does not read, and no "
            f"{code(CONFIG_PATH)}: so every default holds. Give the file that name, or remove it."
        )
    return told


def _named(paths: Sequence[str]) -> str:
    return " and ".join(code(path) for path in paths)
