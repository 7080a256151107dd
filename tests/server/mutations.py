"""Ways in which a delivery is not one: each takes a good one and a source of chance, and spoils it so that it must be refused."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from deliveries import headers, sign

from bot.intake import EVENTS


class Post(NamedTuple):
    """What is posted. The body is signed after it was spoilt, unless the signature is what is spoilt."""

    headers: dict[str, str]
    body: bytes


def _signed(event: str, body: bytes, **changed: str | None) -> Post:
    made = headers(event, body)
    for name, value in changed.items():
        header = name.replace("_", "-")
        made.pop(header, None)
        if value is not None:
            made[header] = value
    return Post(made, body)


def _dumped(payload: Any) -> bytes:
    return json.dumps(payload).encode()


def bad_signature(chance: random.Random, event: str, payload: dict[str, Any]) -> Post:
    """Absent, of another kind, of another secret or body, cut, in capitals, not ASCII."""
    body = _dumped(payload)
    good = sign(body)
    digit = chance.randrange(7, len(good))
    flipped = good[:digit] + ("0" if good[digit] != "0" else "1") + good[digit + 1 :]
    sha1 = headers(event, body)["X-Hub-Signature"]
    choices = [
        None,
        "",
        flipped,
        sign(body, b"another"),
        sign(body + b" "),
        good[:-1],
        good + "0",
        good[7:],
        "sha512=" + good[7:],
    ]
    choices += [
        sha1,
        good[:7] + good[7:].upper() + "A",
        "sha256=" + "ü" * 64,
        "sha256=\u0661" + good[8:],
        f"{good} {good}",
    ]
    return _signed(event, body, X_Hub_Signature_256=chance.choice(choices))


def changed_after_signing(chance: random.Random, event: str, payload: dict[str, Any]) -> Post:
    """One byte of the body is another."""
    body = bytearray(_dumped(payload))
    made = headers(event, bytes(body))
    body[chance.randrange(len(body))] ^= 1 << chance.randrange(7)
    return Post(made, bytes(body))


def bad_headers(chance: random.Random, event: str, payload: dict[str, Any]) -> Post:
    """A content type, GUID or event name that GitHub would not send, or none."""
    wrong = {
        "Content_Type": [
            "application/x-www-form-urlencoded",
            "text/plain",
            "application/jsonx",
            "",
            "json",
            "application/json2; charset=utf-8",
        ],
        "Content_Encoding": ["gzip", "br", "deflate", "x", "identity, gzip"],
        "X_GitHub_Delivery": [
            None,
            "",
            "short",
            "outcome:abc:1",
            "a" * 65,
            "é" * 36,
            "72d3162e-cc78-11e3-81ab-4c9367dc095/",
        ],
        "X_GitHub_Event": [None, "", "Check_Run", "check-run", "check run", "a" * 65, "ñ", "outcome1"],
    }
    name = chance.choice(sorted(wrong))
    return _signed(event, _dumped(payload), **{name: chance.choice(wrong[name])})


def not_json(chance: random.Random, event: str, payload: dict[str, Any]) -> Post:
    """Cut, doubled, in another encoding, too deep, with numbers that are none; signed all the same."""
    body = _dumped(payload)
    bodies = [
        body[: chance.randrange(1, len(body) - 1)],
        body + body,
        body[:-1] + b',"x":NaN}',
        body[:-1] + b',"x":Infinity}',
        body[:-1] + b',"x":' + b"[" * 5000 + b"]" * 5000 + b"}",
        body[:-1] + b',"x":"\xff\xfe"}',
        body[:-1] + b',"x":"\x00"}',
        body[:-1] + b",}",
        body.decode().encode("utf-16"),
        b"\xef\xbb\xbf" + body,
        chance.randbytes(chance.randrange(1, 400)),
        b"",
        b"payload=" + body,
    ]
    return _signed(event, chance.choice(bodies))


def no_object(chance: random.Random, event: str, payload: dict[str, Any]) -> Post:
    """JSON, but a list, a text, a number, a truth value or nothing."""
    return _signed(event, _dumped(chance.choice([[payload], "text", 5, 1.5, True, False, None, [], ""])))


def bad_field(chance: random.Random, event: str, payload: dict[str, Any]) -> Post:
    """A field that the event cannot do without is missing or of another type."""
    spoilt = copy.deepcopy(payload)
    path = chance.choice(sorted(EVENTS[event]))
    depth = chance.randrange(len(path))  # spoil the field, or an object on the way to it
    parent = spoilt
    for name in path[:depth]:
        parent = parent[name]
    whole = depth == len(path) - 1
    wrong = [None, [1] if EVENTS[event][path] is not list else "text", {}, True, 1.5, "" if whole else "text"]
    if whole and EVENTS[event][path] is int:
        wrong += ["5", 0, -1, 2**63, 10**400]
    if chance.random() < 0.4:
        del parent[path[depth]]
    else:
        parent[path[depth]] = chance.choice(wrong)
    return _signed(event, _dumped(spoilt))


MUTATIONS: tuple[Callable[[random.Random, str, dict[str, Any]], Post], ...] = (
    bad_signature,
    changed_after_signing,
    bad_headers,
    not_json,
    no_object,
    bad_field,
)
