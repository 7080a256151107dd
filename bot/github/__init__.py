"""GitHub as the bot sees it: `GitHub` for the App, `Installation` for one installation, and the errors that their calls
raise.
"""

from bot.github.client import GitHub, Installation, open_session
from bot.github.errors import (
    GitHubError,
    NotFound,
    PermissionMissing,
    QueryFailed,
    RateLimited,
    Refused,
    TooLarge,
    Unavailable,
)
from bot.github.graphql import GraphQLReply
from bot.github.paths import route
from bot.github.values import Reply

__all__ = [
    "GitHub",
    "GitHubError",
    "GraphQLReply",
    "Installation",
    "NotFound",
    "PermissionMissing",
    "QueryFailed",
    "RateLimited",
    "Refused",
    "Reply",
    "TooLarge",
    "Unavailable",
    "open_session",
    "route",
]
