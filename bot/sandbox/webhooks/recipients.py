"""
Who hears of a happening. Pure.

GitHub: an App hears the events that it subscribed to, where it is installed; `installation*` and the checks of its own
come unasked; asking for a rerun and pressing a button reach only the App that owns the check.
"""

from __future__ import annotations

from bot.sandbox.changes.accounts import installations_on
from bot.sandbox.state import App, GitHub, Happening, Installation

_OWNERS_ONLY = frozenset(
    {
        ("check_run", "rerequested"),
        ("check_run", "requested_action"),
        ("check_suite", "requested"),
        ("check_suite", "rerequested"),
    }
)


def recipients(github: GitHub, happening: Happening) -> list[Installation]:
    """The installations whose Apps hear of it."""
    if happening.event in {"installation", "installation_repositories"}:
        return [happening.subject["installation"]]
    if happening.repo is None:
        return []
    return [one for one in installations_on(github, happening.repo) if _hears(one.app, happening)]


def _hears(app: App, happening: Happening) -> bool:
    owner = _owner(happening)
    if (happening.event, happening.action) in _OWNERS_ONLY:
        return owner is app
    return happening.event in app.events or owner is app


def _owner(happening: Happening) -> App | None:
    """The App to which the check in question belongs."""
    check = happening.subject.get("check_run" if happening.event == "check_run" else "suite")
    return check.app if happening.event in {"check_run", "check_suite"} and check is not None else None
