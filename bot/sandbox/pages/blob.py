"""One file of a commit with numbered lines, to which `#L9` leads; Markdown as people read it, unless `?plain=1`."""

from __future__ import annotations

from bot.sandbox.pages.layout import Html, page, repo_header, text
from bot.sandbox.pages.markdown import render_file
from bot.sandbox.state import Repository

_MOST_LINES = 20_000


def blob(repo: Repository, ref: str, path: str, content: bytes, *, plain: bool = False) -> str:
    """The page of a file; one that is no text is only named."""
    head = f'{repo_header(repo)}<p><code>{text(path)}</code> <span class="quiet">at {text(ref[:40])}</span></p>'
    if b"\0" in content:
        body = '<p class="box row quiet">This file is no text.</p>'
    elif path.endswith(".md") and not plain:
        body = f'<article class="box prose">{render_file(content.decode("utf-8", "replace"))}</article>'
    else:
        lines = content.decode("utf-8", "replace").splitlines()[:_MOST_LINES]
        rows = "".join(
            f'<tr id="L{number}"><td class="number">{number}</td><td>{text(line)}</td></tr>'
            for number, line in enumerate(lines, 1)
        )
        body = f'<section class="box"><table class="diff">{rows}</table></section>'
    return page(f"{path} · {repo.full_name}", Html(head + body))
