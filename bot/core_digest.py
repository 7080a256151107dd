"""Which code folds: a digest of all that `resolver/` is made of, so that a changed core believes no older fold."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path

import pydantic

import resolver


@cache
def core_digest() -> str:
    """SHA-256, in hex, over names and bytes of the core's files, and the versions of what reads records.

    Worked out once, when the process starts: files that are replaced later are not the code that runs.
    """
    root = Path(str(resolver.__file__)).parent
    found = hashlib.sha256(f"{sys.version_info[:2]} {pydantic.VERSION}".encode())
    for path in sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        content = path.read_bytes()
        found.update(f"\n{path.relative_to(root).as_posix()} {len(content)}\n".encode() + content)
    return found.hexdigest()
