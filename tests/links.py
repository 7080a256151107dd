"""Which addresses in a Markdown text GitHub would let people click."""

import re

from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})
_BARE = re.compile(r"(?:https?://|www\.)\S+")


def links(markdown):
    """Give the targets of links and images, and addresses that stand bare: GitHub makes links of those."""
    inner = [child for token in _MARKDOWN.parse(markdown) for child in token.children or ()]
    given = [each.attrGet("href") or each.attrGet("src") for each in inner if each.type in ("link_open", "image")]
    # What stands between the two ends of a link is its label.
    bare = [found for each in inner if each.type == "text" for found in _BARE.findall(each.content)]
    html = [found for each in inner if each.type == "html_inline" for found in _BARE.findall(each.content)]
    return [*given, *bare, *html]
