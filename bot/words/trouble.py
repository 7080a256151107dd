"""What people are told outside of GitHub of a repository that needs them, in Slack's form or on one line. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from bot.words.inert import one_line, reason
from bot.words.lists import listed
from bot.words.notice import as_code, block
from resolver.actions.trouble import TellOfTrouble, Trouble
from resolver.taxonomy import TAXONOMY

SHOWN: Final = 10

_TO_DO: Final[Mapping[Trouble, str]] = MappingProxyType(
    {
        "not-a-git-repo": "Make the repository reachable again, and failres goes on by itself; or leave it.",
        "journal-corrupt": (
            "Restore failres's store from a backup; `failres journal --verify` shows the place. "
            "Until then failres does nothing there and reads no commands."
        ),
    }
)


def trouble_notice(action: TellOfTrouble, repository: str, repo_url: str) -> dict[str, Any]:
    """Give the body of the request that tells a destination."""
    pages = [f"<{repo_url}/pull/{number}|#{number}>" for number in action.pulls]
    lines = (
        f"*{_title(action)}* {as_code(repository)}",
        f"Why: {as_code(action.reason)}",
        *((f"failres was acting on {listed(pages, SHOWN)}.",) if pages else ()),
        _TO_DO[action.fail_class].replace("`", ""),
    )
    return block("\n".join(lines))


def trouble_in_log(action: TellOfTrouble, repository: str) -> str:
    """Say the same on one line of the server's log."""
    pulls = listed([f"#{number}" for number in action.pulls], SHOWN)
    acting = f" failres was acting on {pulls}." if pulls else ""
    return f"{repository}: {_title(action)}: {one_line(action.reason, 300)}.{acting} {_TO_DO[action.fail_class]}"


def stopped(why: str) -> str:
    """Say on a pull request that nothing more follows in its repository, and who can change that."""
    return (
        f"The chain of failres's own records of this repository does not hold any more ({reason(why, 200)}), so that "
        "nothing of it is relied on: nothing automatic is done on any pull request here, and no command is read.\n\n"
        "There is nothing to answer. Whoever runs failres has to restore its store from a backup; "
        "`failres journal --verify` shows the place. This comment stays as it is: once failres goes on, the others are "
        "kept up to date again."
    )


def _title(action: TellOfTrouble) -> str:
    return TAXONOMY[action.fail_class].title
