"""GraphQL, run for real by graphql-core on a trimmed copy of GitHub's schema."""

from bot.sandbox.graphql.endpoint import GraphQL

__all__ = ["GraphQL"]
