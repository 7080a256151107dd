"""How many new comments may still be made: so many on a pull request a day, so many in a repository an hour.

Those that are on their way count, since several pull requests are decided on before the first is heard of again.
"""

from __future__ import annotations

from resolver.decide.due import earlier
from resolver.decide.rights import config_of
from resolver.state import Pull, RepoState

DAY, HOUR = 86_400.0, 3_600.0
ON_THEIR_WAY = 60.0
"""Where only comments on their way use the budget up, it is looked at again after so many seconds."""


def left_here(state: RepoState, pull: Pull, now: float) -> int:
    """New comments that this pull request may still have today, its questions and replies on their way aside."""
    made = sum(1 for at in pull.comments_at if at > now - DAY) + (sticky(pull) in state.comments_coming)
    return config_of(state, pull).comments.per_pull_and_day - made


def left_in_repository(state: RepoState, pull: Pull, now: float) -> int:
    """New comments that the repository may still have this hour, by the configuration of this pull request's base."""
    made = sum(1 for at in state.comments_at if at > now - HOUR)
    return config_of(state, pull).comments.per_repository_and_hour - made - len(state.comments_coming)


def may_comment_anew(state: RepoState, pull: Pull, now: float) -> bool:
    """Say whether the one comment may be made; what is said in it may change while it is on its way."""
    on_its_way = sticky(pull) in state.comments_coming
    return on_its_way or min(left_here(state, pull, now), left_in_repository(state, pull, now)) > 0


def sticky(pull: Pull) -> str:
    """Name the one comment as a target."""
    return f"comment:{pull.seen.number}"


def comments_again_at(state: RepoState, pull: Pull, now: float) -> float:
    """When the budget is to be looked at again (seconds), where it is used up."""
    today = min((at + DAY for at in pull.comments_at if at > now - DAY), default=None)
    hour = min((at + HOUR for at in state.comments_at if at > now - HOUR), default=None)
    if left_here(state, pull, now) < 1 and today is not None:
        return today
    return earlier(hour, now + ON_THEIR_WAY if state.comments_coming else None) or now + ON_THEIR_WAY
