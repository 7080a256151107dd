"""
A pack with its index, as git reads them: two files for any number of objects.

Loose objects would be a file and often a directory each, which costs more than everything else a small sandbox does.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path

_KINDS = {"commit": 1, "tree": 2, "blob": 3}


def write_pack(directory: Path, objects: Mapping[str, tuple[str, bytes]]) -> str:
    """Write objects (SHA → kind and content) as `pack-NAME.pack` and `.idx` in a directory; gives the name."""
    parts = [b"PACK" + struct.pack(">II", 2, len(objects))]
    at = len(parts[0])
    places: dict[str, tuple[int, int]] = {}
    for sha, (kind, content) in objects.items():
        packed = _header(_KINDS[kind], len(content)) + zlib.compress(content, 1)
        places[sha] = at, zlib.crc32(packed)
        parts.append(packed)
        at += len(packed)
    body = b"".join(parts)
    trailer = _sha1(body)
    name = f"pack-{trailer.hex()}"
    (directory / f"{name}.pack").write_bytes(body + trailer)
    (directory / f"{name}.idx").write_bytes(_index(places, trailer))
    return name


def _header(kind: int, size: int) -> bytes:
    """The type in bits 4 to 6 of the first byte, the size in what is left, seven bits at a time."""
    first, size = kind << 4 | size & 0x0F, size >> 4
    made = bytearray()
    while size:
        made.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    made.append(first)
    return bytes(made)


def _index(places: Mapping[str, tuple[int, int]], trailer: bytes) -> bytes:
    names = sorted(places)
    counts = Counter(int(name[:2], 16) for name in names)
    fanout = list(accumulate(counts[first] for first in range(256)))
    body = b"\xfftOc" + struct.pack(">I", 2) + struct.pack(">256I", *fanout)
    body += b"".join(bytes.fromhex(name) for name in names)
    body += b"".join(struct.pack(">I", places[name][1]) for name in names)
    body += b"".join(struct.pack(">I", places[name][0]) for name in names)
    body += trailer
    return body + _sha1(body)


def _sha1(content: bytes) -> bytes:
    return hashlib.sha1(content, usedforsecurity=False).digest()
