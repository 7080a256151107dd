"""The embedded GitHub: a second implementation of what `bot.github` talks to. It knows nothing of failres."""
