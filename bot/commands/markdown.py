"""
A Markdown comment as commands (specification, section 11).

A command is a line that begins with `/failres`, as Markdown shows it: quotes, code, links, tables, struck-out text,
HTML comments and an e-mail that is answered hold none. `read_commands` is pure, takes time in proportion to the
comment's length, and gives for each such line either a command or what is wrong with it, in their order. Who may
command is `resolver.commands`' part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.commands.line import PREFIX, parse_line
from bot.commands.mail import introduces_mail, own_lines
from bot.commands.pieces import Piece, Shade, pieces_of
from bot.words.inert import visible
from resolver.commands import Command, Misread, Stop
from resolver.records import Record


class ReadLimits(Record):
    """`body` is GitHub's own limit in characters; of one comment's commands the first `commands` are read."""

    body: int = 65_536
    commands: int = 10


READ_LIMITS: Final = ReadLimits()


def read_commands(body: str, limits: ReadLimits = READ_LIMITS) -> tuple[Command | Misread, ...]:
    """
    Read a comment. A comment without commands gives nothing.

    Beyond the limit nothing is read any more save `stop`, which is always heard.
    """
    if PREFIX not in visible(body).casefold():
        return ()
    if len(body) > limits.body:
        return (Misread(problem="too-long"),)
    read: list[Command | Misread] = []
    for line in _command_lines(body):
        found = line if isinstance(line, Misread) else parse_line(line)
        if len(read) < limits.commands or isinstance(found, Stop):
            read.append(found)
        elif Misread(problem="too-many") not in read:
            read.append(Misread(problem="too-many"))
    return tuple(read)


def _command_lines(body: str) -> Iterator[Sequence[Piece] | Misread]:
    """The pieces of each line that begins with the prefix, or what keeps such a line from being read."""
    source = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    shade = Shade()
    quotes, opened, answers_mail = 0, "", False
    for token in _markdown().parse(body):
        if answers_mail and token.nesting >= 0 and token.type != "blockquote_open":
            return  # the mail is not marked as a quote, so that all that follows may be its
        answers_mail = answers_mail and token.nesting < 0
        match token.type:
            case "blockquote_open" | "blockquote_close":
                quotes += token.nesting
            case "html_block":
                shade.pass_over(token.content)
            case "inline" if quotes:
                shade.pass_over_inline(token)
                yield from _beside_quote(token, source)
            case "inline" if opened in ("paragraph_open", "heading_open"):
                ours = own_lines(token.content)
                yield from _of_block(token, source, shade, ours)
                if ours is not None:
                    return
                answers_mail = introduces_mail(token.content)
            case "inline":
                shade.pass_over_inline(token)
            case _:
                pass
        opened = token.type


def _of_block(
    token: Token, source: Sequence[str], shade: Shade, lines: int | None
) -> Iterator[Sequence[Piece] | Misread]:
    """The command lines among a block's first `lines`, or among all."""
    assert token.map is not None
    # Only a block's first line can have a list's or a heading's mark before it.
    marked = not _begins(source[token.map[0]])
    for pieces, shaded in islice(pieces_of(token, shade), lines):
        first = pieces[0] if pieces else None
        if first is not None and first.kind == "text" and _begins(first.text) and not shaded and not marked:
            yield _seen(pieces)
        marked = False


def _seen(pieces: Sequence[Piece]) -> Sequence[Piece] | Misread:
    """The line, unless something in it cannot be seen: then what people read is not what it says."""
    if any(visible(piece.text) != piece.text for piece in pieces):
        return Misread(problem="hidden")
    return pieces


def _begins(line: str) -> bool:
    """Whether a line shows the prefix first, as a word of its own."""
    shown = visible(line[:200]).lstrip()
    rest = shown[len(PREFIX) :]
    return shown[: len(PREFIX)].casefold() == PREFIX and (not rest or rest[0].isspace() or rest[0] in ":,.;!?")


def _beside_quote(token: Token, source: Sequence[str]) -> Iterator[Misread]:
    """Lines that were written below a quote without an empty line, so that Markdown counts them to it."""
    assert token.map is not None
    for line in source[token.map[0] + 1 : token.map[1]]:
        if _begins(line):
            yield Misread(problem="in-quote")


@cache
def _markdown() -> MarkdownIt:
    """GitHub's blocks, tables among them. Emphasis stays as it is written, since file names have such marks."""
    made = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("emphasis")
    made.core.ruler.disable("text_join")  # escaped characters stay apart from plain ones
    return made
