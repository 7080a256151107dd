"""
The headers of a delivery. Pure.

GitHub: HMAC over the exact bytes sent, SHA-256 and for old receivers SHA-1; the headers of GITHUB.md 3.1.
"""

from __future__ import annotations

import hashlib
import hmac

USER_AGENT = "GitHub-Hookshot/044aadd"


def signature(secret: str, body: bytes, algorithm: str = "sha256") -> str:
    """The value of `X-Hub-Signature-256` (or with `sha1` of `X-Hub-Signature`)."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256 if algorithm == "sha256" else hashlib.sha1)
    return f"{algorithm}={digest.hexdigest()}"


def headers(*, event: str, guid: str, hook_id: int, app_id: int, secret: str, body: bytes) -> dict[str, str]:
    """Everything that a delivery to an App carries."""
    return {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "X-GitHub-Delivery": guid,
        "X-GitHub-Event": event,
        "X-GitHub-Hook-ID": str(hook_id),
        "X-GitHub-Hook-Installation-Target-ID": str(app_id),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature": signature(secret, body, "sha1"),
        "X-Hub-Signature-256": signature(secret, body),
    }
