"""
Turn a rule's pattern into the pattern that is scanned for: cheaper, unanchored, and never matching less.

The scan runs over whole blocks of colourless bytes; prefixes are still there, so `^` goes; open ends go too, or the
scanner would report each byte of a line's rest. What is promised (and fuzzed in the tests): wherever the pattern
matches a clean line, the loosened one matches somewhere on the raw line.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

_parser = import_module("re._parser")  # the standard library's own pattern tree; no public name gives it
_const = import_module("re._constants")

_CATEGORY = {
    _const.CATEGORY_DIGIT: "0-9",
    _const.CATEGORY_SPACE: r" \t\r\f\v",
    _const.CATEGORY_WORD: "0-9A-Za-z_",
}
_NEGATED = {
    _const.CATEGORY_NOT_DIGIT: r"[^0-9\n]",
    _const.CATEGORY_NOT_SPACE: r"[^ \t\r\n\f\v]",
    _const.CATEGORY_NOT_WORD: r"[^0-9A-Za-z_\n]",
}
_REPEATS = (_const.MAX_REPEAT, _const.MIN_REPEAT)
_ENOUGH = 4
"""Literal characters that make a piece worth scanning for by itself."""
_RARE = 8
"""Characters that make a plain text rare enough to be scanned for instead of its whole pattern."""
_BYTES = 4  # bytes that one character can take in UTF-8
_MOST_PIECES = 256
"""Alternatives of one pattern; those of several groups multiply."""

Token = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Loose:
    """What the scanners are given: ASCII text of a byte pattern, and whether case is ignored.

    `weight` is about how many states a scanner makes of it, 0 where the pattern was written for the scan.
    """

    pattern: str
    caseless: bool
    weight: int = 0


def loosen(pattern: str, *, as_is: bool = False) -> tuple[Loose, ...]:
    """
    The scan patterns of a rule's pattern: the line must be looked at where any of them matches.

    Of a pattern with open stretches (``.*``) only the most telling piece is kept, and alternatives become patterns of
    their own: literals are what the scanner is fastest at. `as_is`: the pattern was written for the scan, so nothing
    is cut from it. Raises ValueError where nothing solid is left to look for, and for whatever is no pattern here; it
    takes bounded time.
    """
    if as_is:
        text = "".join(c if c.isascii() else "".join(f"\\x{b:02x}" for b in c.encode()) for c in pattern)
        return tuple(Loose(arm, caseless=False) for arm in _arms(text))
    try:
        return _loosened(pattern)
    except (re.error, KeyError, OverflowError, RecursionError) as error:
        raise ValueError(f"not in the common language of the engines: {error}") from error


def _loosened(pattern: str) -> tuple[Loose, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # what `re` will once read otherwise, RE2 does not
        tree = _parser.parse(pattern)
    caseless = bool(tree.state.flags & _const.SRE_FLAG_IGNORECASE)
    pieces = _pieces(list(tree))
    if not pieces:
        raise ValueError(f"nothing to scan for in {pattern!r}")
    return tuple(dict.fromkeys(Loose(_emit(piece), caseless, _weight(piece)) for piece in pieces))


def _arms(pattern: str) -> list[str]:
    """The alternatives of a pattern's top level; the pattern alone where it has none."""
    arms, depth, inside, escaped, start = [], 0, False, False, 0
    for at, char in enumerate(pattern):
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif inside:
            inside = char != "]"
        elif char == "[":
            inside = True
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and depth == 0:
            arms.append(pattern[start:at])
            start = at + 1
    return [*arms, pattern[start:]]


def _pieces(tokens: list[Token]) -> list[list[Token]]:
    """One token list per alternative; empty where an alternative has nothing solid."""
    found: list[list[Token]] = []
    todo = [tokens]
    while todo:
        one = _trim(_most_telling(_trim(_flatten(todo.pop()))))
        if not one:
            return []
        alternatives = _alternatives(one)
        if not alternatives:
            found.append(_plain_words(one) or one)
        todo.extend(reversed(alternatives))
        if len(todo) + len(found) > _MOST_PIECES:
            raise ValueError("too many alternatives")
    return found


def _alternatives(tokens: list[Token]) -> list[list[Token]]:
    """The patterns that one with a group of alternatives at its end stands for; none where it has no such end."""
    if tokens[0][0] is _const.BRANCH:
        return [[*arm, *tokens[1:]] for arm in tokens[0][1][1]]
    if tokens[-1][0] is _const.BRANCH and _has_open(tokens[-1]):
        return [[*tokens[:-1], *arm] for arm in tokens[-1][1][1]]
    return []


def _plain_words(tokens: list[Token]) -> list[Token]:
    """
    The longest stretch of nothing but characters, if it is long enough to be rare: such patterns cost the scanner
    next to nothing.
    """
    best: list[Token] = []
    run: list[Token] = []
    for token in [*tokens, (_const.ANY, None)]:
        if token[0] is _const.LITERAL:
            run.append(token)
            continue
        best, run = (run, []) if len(run) > len(best) else (best, [])
    return best if _solid(best) >= _RARE else []


def _has_open(token: Token) -> bool:
    op, value = token
    if op is _const.BRANCH:
        return any(_has_open(inner) for arm in value[1] for inner in arm)
    if op is _const.SUBPATTERN:
        return any(_has_open(inner) for inner in value[3])
    return _is_open(token)


def _most_telling(tokens: list[Token]) -> list[Token]:
    """The run between open stretches that has the most literal characters, if any has enough."""
    runs: list[list[Token]] = [[]]
    for token in tokens:
        if _is_open(token):
            runs.append([])
        else:
            runs[-1].append(token)
    best = max(runs, key=_solid)
    return best if len(runs) > 1 and _solid(best) >= _ENOUGH else tokens


def _is_open(token: Token) -> bool:
    op, value = token
    if op not in _REPEATS or (value[1] is not _const.MAXREPEAT and value[1] < 32):
        return False
    body = list(value[2])
    return len(body) == 1 and (
        body[0][0] in (_const.ANY, _const.NOT_LITERAL)
        or (body[0][0] is _const.IN and body[0][1][0][0] is _const.NEGATE)
    )


def _solid(tokens: Sequence[Token]) -> int:
    """Literal characters that every match of these tokens has."""
    count = 0
    for op, value in tokens:
        if op is _const.LITERAL:
            count += len(chr(value).encode())
        elif op is _const.SUBPATTERN:
            count += _solid(list(value[3]))
        elif op is _const.BRANCH:
            count += min(_solid(list(arm)) for arm in value[1])
        elif op in _REPEATS:
            count += value[0] * _solid(list(value[2]))
    return count


def _weight(tokens: Sequence[Token]) -> int:
    """About how many states a scanner makes of these tokens: repeats are written out."""
    count = 0
    for op, value in tokens:
        if op is _const.SUBPATTERN:
            count += _weight(list(value[3]))
        elif op is _const.BRANCH:
            count += sum(_weight(list(arm)) for arm in value[1])
        elif op in _REPEATS:
            times = value[0] + 1 if value[1] is _const.MAXREPEAT else value[1]
            count += int(times) * _weight(list(value[2]))
        elif op is not _const.AT:
            count += _BYTES if op in (_const.ANY, _const.NOT_LITERAL) else 1
    return count


def _flatten(tokens: Sequence[Token]) -> list[Token]:
    """Open groups that are part of the top-level sequence, so that their ends can be trimmed."""
    flat: list[Token] = []
    for op, value in tokens:
        if op is _const.SUBPATTERN and not value[1]:
            flat.extend(_flatten(list(value[3])))
        else:
            flat.append((op, value))
    return flat


def _trim(tokens: list[Token]) -> list[Token]:
    """Cut both ends until something solid stands there."""
    at, rest = 0, _solid(tokens)
    while at < len(tokens) and _loose_head(tokens[at]):
        rest -= _solid(tokens[at : at + 1])
        if tokens[at][0] is not _const.AT and rest < _ENOUGH:
            break
        at += 1
    return _trim_tail(tokens[at:])


def _trim_tail(tokens: list[Token]) -> list[Token]:
    while tokens:
        op, value = tokens[-1]
        if op is _const.AT and value is _const.AT_END and len(tokens) > 1 and not _ends_open(tokens[-2]):
            return tokens
        if op is _const.AT or (op in _REPEATS and value[0] == 0):
            tokens = tokens[:-1]
        elif op in _REPEATS:
            return [*tokens[:-1], (op, (value[0], value[0], value[2]))]
        elif op is _const.BRANCH:
            arms = [_trim_tail(_flatten(list(arm))) for arm in value[1]]
            return tokens[:-1] if not all(arms) else [*tokens[:-1], (op, (None, arms))]
        else:
            return tokens
    return tokens


def _ends_open(token: Token) -> bool:
    return token[0] in _REPEATS and _is_wide(token[1][2])


def _loose_head(token: Token) -> bool:
    op, value = token
    if op is _const.AT:
        return True
    if op in _REPEATS:
        return value[0] == 0 or _is_wide(value[2])
    return op is _const.ANY


def _is_wide(tokens: Sequence[Token]) -> bool:
    r"""One token that most characters satisfy: ``.``, a negated class, ``\w``."""
    if len(tokens) != 1:
        return False
    op, value = tokens[0]
    if op is _const.SUBPATTERN:
        return _is_wide(list(value[3]))
    if op in (_const.ANY, _const.NOT_LITERAL):
        return True
    return op is _const.IN and any(kind in (_const.NEGATE, _const.CATEGORY, _const.RANGE) for kind, _ in value)


def _emit(tokens: Sequence[Token]) -> str:
    return "".join(_emit_one(op, value) for op, value in tokens)


def _emit_one(op: Any, value: Any) -> str:
    if op is _const.LITERAL:
        return _literal(value)
    if op in (_const.ANY, _const.NOT_LITERAL, _const.IN):
        text = _single(op, value)
        return text + "{1,4}" if _many_bytes(op, value) else text
    if op in _REPEATS:
        return _repeat(value)
    if op is _const.SUBPATTERN:
        body = _emit(list(value[3]))
        return f"(?i:{body})" if value[1] & _const.SRE_FLAG_IGNORECASE else f"(?:{body})"
    if op is _const.BRANCH:
        return "(?:" + "|".join(_emit(list(arm)) for arm in value[1]) + ")"
    if op is _const.AT:
        return {_const.AT_END: r"[ \t\r]*$", _const.AT_BOUNDARY: r"\b", _const.AT_BEGINNING: ""}[value]
    raise ValueError(f"not in the common language of the engines: {op}")


def _literal(code: int) -> str:
    return "".join(_byte(b) for b in chr(code).encode())


def _byte(code: int) -> str:
    char = chr(code)
    return char if (char.isalnum() and code < 128) or char == "_" else f"\\x{code:02x}"


def _single(op: Any, value: Any) -> str:
    if op is _const.ANY:
        return r"[^\n]"
    if op is _const.NOT_LITERAL:
        return f"[^{_literal(value)}\\n]"
    negate = value[0][0] is _const.NEGATE
    items = value[1:] if negate else value
    if not negate and any(_beyond_ascii(*item) for item in items):
        return (
            "(?:"
            + "|".join(_literal(v) if kind is _const.LITERAL else f"[{_class_item(kind, v)}]" for kind, v in items)
            + ")"
        )
    wide = [v for kind, v in items if kind is _const.CATEGORY and v in _NEGATED]
    if wide and not negate:
        return _NEGATED[wide[0]] if len(items) == 1 else r"[^\n]"
    body = "".join(_class_item(*item) for item in items if not _beyond_ascii(*item))
    return f"[^{body}\\n]" if negate else f"[{body}]"


def _beyond_ascii(kind: Any, value: Any) -> bool:
    return kind is _const.LITERAL and value > 127


def _class_item(kind: Any, value: Any) -> str:
    if kind is _const.LITERAL:
        return _byte(value)
    if kind is _const.RANGE:
        if value[1] > 127:
            raise ValueError("a range of characters beyond ASCII means single bytes to the scanner")
        return f"{_byte(value[0])}-{_byte(value[1])}"
    if value in _NEGATED:  # [^\S] and the like: keep everything, the captures decide
        return ""
    return _CATEGORY[value]


def _many_bytes(op: Any, value: Any) -> bool:
    """Whether one character may be several bytes here."""
    if op is not _const.IN:
        return True
    return any(kind is _const.NEGATE or (kind is _const.CATEGORY and v in _NEGATED) for kind, v in value)


def _repeat(value: Any) -> str:
    least, most, body = value
    tokens = list(body)
    if len(tokens) == 1 and tokens[0][0] in (_const.ANY, _const.NOT_LITERAL, _const.IN):
        text = _single(*tokens[0])
        scale = _BYTES if _many_bytes(*tokens[0]) else 1
    else:
        text, scale = f"(?:{_emit(tokens)})", 1
    if most is _const.MAXREPEAT:
        return text + {0: "*", 1: "+"}.get(least, f"{{{least},}}")
    return f"{text}{{{least},{most * scale}}}"
