"""
Who may do what: an App by its installation's permissions, a person by their role.

GitHub: a missing App permission is 403 `Resource not accessible by integration` with the alternatives in
`X-Accepted-GitHub-Permissions`, separated by `;` (GITHUB.md 5.26). Private things that somebody may not see are 404.
"""

from __future__ import annotations

from bot.sandbox.state import Role

LEVELS = {"read": 1, "write": 2, "admin": 3}
ROLES: dict[Role, int] = {"read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}
_ROLE_FOR_WRITING: dict[str, Role] = {
    "actions": "write",
    "checks": "write",
    "contents": "write",
    "statuses": "write",
    "administration": "admin",
    "issues": "read",
    "pull_requests": "read",
    "merge_queues": "write",
}


def allows(granted: dict[str, str], alternatives: tuple[str, ...]) -> bool:
    """Whether one of the alternatives (`"issues:write"`, `"contents:write,workflows:write"`) is granted."""
    return not alternatives or any(
        all(_has(granted, *wanted.split(":")) for wanted in alternative.split(",")) for alternative in alternatives
    )


def _has(granted: dict[str, str], name: str, level: str) -> bool:
    return LEVELS.get(granted.get(name, ""), 0) >= LEVELS[level]


def header(alternatives: tuple[str, ...]) -> str:
    """The value of `X-Accepted-GitHub-Permissions`."""
    return "; ".join(alternative.replace(":", "=") for alternative in alternatives)


def needed_role(alternatives: tuple[str, ...]) -> Role:
    """The role that a person needs where an App needs one of these permissions (the least of the alternatives)."""
    roles = [_role(alternative.split(",")[0]) for alternative in alternatives]
    return min(roles, key=lambda role: ROLES[role], default="read")


def _role(wanted: str) -> Role:
    name, _, level = wanted.partition(":")
    if level == "read":
        return "admin" if name == "administration" else "read"
    return _ROLE_FOR_WRITING.get(name, "write")


def at_least(role: Role | None, wanted: Role) -> bool:
    """Whether a role is enough."""
    return role is not None and ROLES[role] >= ROLES[wanted]
