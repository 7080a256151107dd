"""Text that came from GitHub, a proxy or a library is cut and freed of secrets before it may stand in an error or a log
line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from resolver.secrets import mask

LONGEST_TEXT: Final = 2_000

# A log's or artifact's address carries its signature in the query, and credentials may stand before the host.
_QUERY: Final = re.compile(r"(https?://[^\s?#\"'<>]+)\?[^\s\"'<>]*")
_USER: Final = re.compile(r"(?<=://)[^/\s@]+@")
# What `mask` wants to see named as a header may come bare from a library.
_BARE: Final = re.compile(r"(?i)\b(bearer|token|basic)\s+[A-Za-z0-9._~+/-]{20,}=*")


def redacted(text: str) -> str:
    """The text without secrets, at most `LONGEST_TEXT` characters."""
    text = text[: 8 * LONGEST_TEXT]
    text = _BARE.sub(r"\1 [masked]", _QUERY.sub(r"\1?[masked]", mask(_USER.sub("", text))))
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def redacted_value(value: Any) -> Any:
    """JSON with every string in it redacted."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, Mapping):
        return {redacted(str(key)): redacted_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redacted_value(item) for item in value]
    return value
