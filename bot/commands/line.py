"""
One line that begins with `/failres` as a command, or what is wrong with it.

The line comes in pieces, so that what Markdown made of it (code, links, escaped characters) is known. Nothing is
guessed: a line that is not exactly a command is a `Misread`, which names the word and what it may have meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Final, Literal, assert_never

from bot.commands.pieces import Piece
from bot.commands.words import AnswerWord, QuoteFault, split_words
from resolver.commands import (
    NAMES,
    Answer,
    Command,
    Explain,
    Help,
    Misread,
    Name,
    Resume,
    Retry,
    Stop,
    Sync,
    Verdict,
)
from resolver.records import Record

PREFIX: Final = "/failres"

_OTHER_WORDS: Final[dict[str, Name]] = {
    "abort": "stop", "cancel": "stop", "halt": "stop", "pause": "stop", "quit": "stop", "off": "stop",
    "continue": "resume", "start": "resume", "unstop": "resume", "on": "resume",
    "rerun": "retry", "re-run": "retry", "again": "retry", "retest": "retry", "try": "retry",
    "rebase": "sync", "update": "sync", "synchronise": "sync", "synchronize": "sync",
    "why": "explain", "why-not": "explain", "evidence": "explain", "commands": "help", "usage": "help",
    "approve": "verdict", "approved": "verdict", "reject": "verdict", "rejected": "verdict",
    "scopefiles": "answer", "reply": "answer", "accept": "answer", "try-again": "answer",
    "noted": "answer", "redo": "answer", "reroute": "answer",
}  # fmt: skip
"""Words of other tools, and arguments without their command: what may have been meant."""


_KEYS: Final = ("scopeFiles", "decision")
_OPTION: Final = ""
"""Where an answer's only word without a key is kept."""

_BARE: Final[dict[Literal["retry", "sync", "resume"], Command]] = {
    "retry": Retry(),
    "sync": Sync(),
    "resume": Resume(),
}
"""Commands that take nothing after them."""


class LineLimits(Record):
    """In characters: `word` is how much of a wrong word is repeated."""

    reasoning: int = 4000
    word: int = 60


LINE_LIMITS: Final = LineLimits()


def parse_line(pieces: Sequence[Piece], limits: LineLimits = LINE_LIMITS) -> Command | Misread:
    """Read one line; its first piece begins with the prefix."""
    rest = pieces[0].text.lstrip()[len(PREFIX) :].lstrip(":,.;!?")
    word, arguments = _first_word([Piece("text", rest), *pieces[1:]])
    name = word.casefold().rstrip(".,;:!")
    if not name:
        return Misread(problem="markup") if _without_comments(arguments) else Help()
    if name not in NAMES:
        return Misread(problem="unknown", word=word[: limits.word], meant=_meant(name[: limits.word]))
    return _command(NAMES[NAMES.index(name)], _without_comments(arguments), limits)


def _first_word(pieces: list[Piece]) -> tuple[str, list[Piece]]:
    """The word in front, which ends at a blank, and what follows it."""
    text = pieces[0].text.lstrip()
    parts = text.split(maxsplit=1)
    if not parts:
        return "", pieces[1:]
    if len(parts) == 1 and not text[-1].isspace():
        # what follows without a blank belongs to the word: an escaped character, or something that is no text
        joined = "".join(piece.text for piece in pieces[1:2] if piece.kind == "escaped")
        return parts[0] + joined, pieces[2:] if joined else pieces[1:]
    return parts[0], [Piece("text", parts[1] if len(parts) > 1 else ""), *pieces[1:]]


def _without_comments(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, HTML comments and line breaks as blanks; none where only blanks are left."""
    kept = [
        Piece("text", " ") if piece.kind == "html" and piece.text.lower().startswith(("<!--", "<br")) else piece
        for piece in pieces
    ]
    return kept if any(piece.text.strip() or piece.kind == "image" for piece in kept) else []


def _meant(word: str) -> Name | None:
    other = _OTHER_WORDS.get(word.partition("=")[0])
    if other is not None:
        return other
    near = get_close_matches(word, NAMES, n=1, cutoff=0.6)
    if near:
        return NAMES[NAMES.index(near[0])]
    near = get_close_matches(word, _OTHER_WORDS, n=1, cutoff=0.8)
    return _OTHER_WORDS[near[0]] if near else None


def _command(name: Name, arguments: list[Piece], limits: LineLimits) -> Command | Misread:
    match name:
        case "stop":
            return Stop()
        case "explain":
            return Explain()
        case "help":
            return Help()
        case "retry" | "sync" | "resume":
            if arguments:
                return Misread(problem="extra", command=name, word=_shown(arguments, limits))
            return _BARE[name]
        case "verdict":
            return _verdict(arguments, limits)
        case "answer":
            return _answer(arguments, limits)
        case _:
            assert_never(name)


def _shown(pieces: Sequence[Piece], limits: LineLimits) -> str:
    return "".join(piece.text for piece in pieces).strip()[: limits.word]


def _verdict(arguments: list[Piece], limits: LineLimits) -> Command | Misread:
    word, rest = _first_word(arguments) if arguments and arguments[0].kind == "text" else ("", arguments)
    outcome = word.casefold().rstrip(".,;:!")
    reasoning = "".join(piece.text for piece in rest if piece.kind != "html").strip()[: limits.reasoning]
    if outcome == "approved":
        return Verdict(outcome="approved", reasoning=reasoning)
    if outcome == "rejected":
        return Verdict(outcome="rejected", reasoning=reasoning)
    near = get_close_matches(outcome, ("approved", "rejected"), n=1)
    return Misread(problem="outcome", command="verdict", word=word[: limits.word], meant=near[0] if near else None)


def _answer(arguments: list[Piece], limits: LineLimits) -> Command | Misread:
    if any(piece.kind not in ("text", "escaped") for piece in arguments):
        return Misread(problem="markup", command="answer", word=_shown(arguments, limits))
    words = split_words(arguments)
    if isinstance(words, QuoteFault):
        return Misread(problem="quotes", command="answer", word=words.near[: limits.word])
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        if (fault := _word_fault(word, found, limits)) is not None:
            return fault
        found[word.key or _OPTION] = word.values
    return _answer_of(found)


def _word_fault(word: AnswerWord, found: Mapping[str, tuple[str, ...]], limits: LineLimits) -> Misread | None:
    shown = ",".join(word.values)[: limits.word]
    if word.key is not None and word.key not in _KEYS:
        return _wrong_key(word.key, limits)
    if "" in word.values or (len(word.values) > 1 and word.key != "scopeFiles"):
        return Misread(problem="list", command="answer", word=shown)
    if word.key is None and (fault := _option_fault(shown)) is not None:
        return fault
    if word.key is None and _OPTION in found:
        return Misread(problem="option", command="answer", word=f"{found[_OPTION][0]} {shown}"[: limits.word])
    if word.key in found:
        return Misread(problem="twice", command="answer", word=word.key or "")
    return None


def _option_fault(shown: str) -> Misread | None:
    """A word without a key that is none of the options' form: a path, or a key without its sign."""
    key = next((key for key in _KEYS if shown.casefold().startswith(key.casefold())), None)
    if key is not None:
        return Misread(problem="key", command="answer", word=shown, meant=key)
    if not shown.isascii() or not shown.replace("-", "").isalpha():
        return Misread(problem="option", command="answer", word=shown)
    return None


def _answer_of(found: Mapping[str, tuple[str, ...]]) -> Command | Misread:
    if ("scopeFiles" in found) == (_OPTION in found):
        return Misread(problem="both" if _OPTION in found else "nothing", command="answer")
    return Answer(
        scope_files=found.get("scopeFiles", ()),
        option=found[_OPTION][0].casefold() if _OPTION in found else None,
        decision=found["decision"][0] if "decision" in found else None,
    )


def _wrong_key(key: str, limits: LineLimits) -> Misread:
    known = {each.casefold(): each for each in _KEYS}
    near = get_close_matches(key.casefold().replace("-", "").replace("_", "")[: limits.word], known, n=1)
    return Misread(problem="key", command="answer", word=key[: limits.word], meant=known[near[0]] if near else None)
