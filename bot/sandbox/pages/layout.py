"""The frame of every page and the small pieces that all of them use. Everything that is not `Html` is escaped."""

from __future__ import annotations

import time
from html import escape
from typing import NewType

from bot.sandbox.state import Account, GitHub, Repository

Html = NewType("Html", str)


def text(value: object) -> Html:
    """Any value as escaped text."""
    return Html(escape(str(value)))


def join(parts: list[Html]) -> Html:
    """Pieces one after another."""
    return Html("\n".join(parts))


def page(title: str, body: Html) -> str:
    """A whole document."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{escape(title)}</title>'
        '<link rel="stylesheet" href="/-/style.css"></head>\n<body><header class="top"><a href="/">Sandbox</a>'
        f'<span class="quiet">an embedded code host</span></header>\n<main>{body}</main></body></html>\n'
    )


def repo_path(repo: Repository) -> str:
    """The address of a repository's pages."""
    return f"/{repo.full_name}"


def repo_header(repo: Repository) -> Html:
    """The repository's name above its pages."""
    fork = ' <span class="pill">fork</span>' if repo.fork_of is not None else ""
    private = "private" if repo.private else "public"
    return Html(
        f'<nav class="repo"><a href="/">{text(repo.owner.login)}</a> <span class="quiet">/</span> '
        f'<a class="strong" href="{text(repo_path(repo))}">{text(repo.name)}</a> '
        f'<span class="pill">{private}</span>{fork}</nav>'
    )


def avatar(account: Account) -> Html:
    """A coloured disc with a letter; an App's is a square."""
    hue = sum(ord(letter) * (place + 7) for place, letter in enumerate(account.login)) * 47 % 360
    shape = "bot" if account.type == "Bot" else "person"
    return Html(f'<span class="avatar {shape}" style="--hue:{hue}">{text(account.login[:1].upper())}</span>')


def name(account: Account) -> Html:
    """A login; an App's without its suffix, marked as bot."""
    if account.type == "Bot":
        login = account.login.removesuffix("[bot]")
        return Html(f'<span class="strong">{text(login)}</span> <span class="pill">bot</span>')
    return Html(f'<span class="strong">{text(account.login)}</span>')


def ago(github: GitHub, at: float) -> Html:
    """How long ago something was, with the moment itself as a tip."""
    seconds = max(0, int(github.clock.now() - at))
    stamp = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(at))
    return Html(f'<time title="{stamp}">{_words(seconds)}</time>')


def duration(started: float | None, completed: float | None) -> str:
    """How long something took: `1m 30s`."""
    if started is None or completed is None:
        return ""
    seconds = max(0, round(completed - started))
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}m {rest}s" if minutes else f"{rest}s"


def label(repo: Repository, name_: str) -> Html:
    """A label in its colour."""
    return Html(f'<span class="label" style="--tone:#{text(repo.labels.get(name_, "ededed"))}">{text(name_)}</span>')


def _words(seconds: int) -> str:
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {word}{'' if count == 1 else 's'} ago"
    return "just now"
