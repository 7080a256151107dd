"""
The words of an answer: blanks part them, commas part a word's values, and quotes keep both together.

A quote opens only where a value begins and must close where it ends; straight double, straight single and curly double
quotes are understood. Characters that were escaped in Markdown are plain letters here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.commands.pieces import Piece

_CLOSES: Final = {'"': '"', "'": "'", "\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb"}
_STRAY: Final = frozenset('"\u201c\u201d\u201e')


@dataclass(frozen=True, slots=True)
class AnswerWord:
    """`key=value,value`, or one value without a key."""

    key: str | None
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuoteFault:
    """A quote that is not closed, or stands inside a value; `near` is what stood before it."""

    near: str


@dataclass(frozen=True, slots=True)
class _Char:
    text: str
    plain: bool


def split_words(pieces: Iterable[Piece]) -> tuple[AnswerWord, ...] | QuoteFault:
    """Split a line's arguments; time is in proportion to their length."""
    chars = [_Char(char, piece.kind != "text") for piece in pieces for char in piece.text]
    words: list[AnswerWord] = []
    at = 0
    while at < len(chars):
        if _is_blank(chars[at]):
            at += 1
            continue
        word = _word(chars, at)
        if isinstance(word, QuoteFault):
            return word
        found, at = word
        words.append(found)
    return tuple(words)


def _word(chars: Sequence[_Char], at: int) -> tuple[AnswerWord, int] | QuoteFault:
    """One word from `at`, and where it ends."""
    key: str | None = None
    values: list[str] = []
    while True:
        value = _value(chars, at, stops="=," if key is None and not values else ",")
        if isinstance(value, QuoteFault):
            return value
        text, at = value
        ends = at >= len(chars) or _is_blank(chars[at])
        if not ends and chars[at].text == "=":
            key = text
        else:
            values.append(text)
            if ends:
                return AnswerWord(key, tuple(values)), at
        at += 1


def _value(chars: Sequence[_Char], at: int, stops: str) -> tuple[str, int] | QuoteFault:
    """A value from `at`, quoted or not, and where it ends: at a stop, a blank or the end."""
    if at < len(chars) and not chars[at].plain and chars[at].text in _CLOSES:
        return _quoted(chars, at, stops)
    start = at
    while at < len(chars) and not _is_blank(chars[at]) and (chars[at].plain or chars[at].text not in stops):
        if not chars[at].plain and chars[at].text in _STRAY:
            return QuoteFault(_join(chars[start:at]))
        at += 1
    return _join(chars[start:at]), at


def _quoted(chars: Sequence[_Char], at: int, stops: str) -> tuple[str, int] | QuoteFault:
    close = _CLOSES[chars[at].text]
    start = at + 1
    end = start
    while end < len(chars) and (chars[end].plain or chars[end].text != close):
        end += 1
    inside = _join(chars[start:end])
    after = end + 1
    if end >= len(chars) or (after < len(chars) and not _is_blank(chars[after]) and chars[after].text not in stops):
        return QuoteFault(inside)
    return inside, after


def _is_blank(char: _Char) -> bool:
    return not char.plain and char.text.isspace()


def _join(chars: Sequence[_Char]) -> str:
    return "".join(char.text for char in chars)
