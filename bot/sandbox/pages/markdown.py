"""Comments and files as people read them: Markdown with tables, struck text and `<details>`, made safe."""

from __future__ import annotations

from markdown_it import MarkdownIt

from bot.sandbox.pages.sanitise import sanitise

_FILE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_MARKDOWN = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"])


def render(text: str | None) -> str:
    """Give safe HTML for a comment's text. GitHub: a line break in a comment is one on the page."""
    return sanitise(_MARKDOWN.render(text or ""))


def render_file(text: str) -> str:
    """Give safe HTML for a Markdown file, in which a line break is a blank."""
    return sanitise(_FILE.render(text))
