"""Pages of the embedded GitHub for people: pull requests with conversation, checks, commits, files; run logs."""

from bot.sandbox.pages.routes import Pages

__all__ = ["Pages"]
