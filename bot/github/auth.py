"""Who the bot is: the App's own signature, and an installation's token.

- The signature is dated 60 s back and lasts 9 min: a fast clock or a full 10 min are refused (GITHUB.md trap 21).
- A token lasts an hour; it is renewed 5 min before its end and once when GitHub refuses it (trap 23).
- A new token may be refused for some seconds: 1, 2 and 4 s are waited, only then (trap 22).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from bot.clock import Clock
from bot.github.errors import Unavailable

BACKDATED: Final = 60
LIFETIME: Final = 9 * 60
RENEWED_BEFORE: Final = 5 * 60.0
FRESH_FOR: Final = 10.0
FRESH_WAITS: Final = (1.0, 2.0, 4.0)


@dataclass(frozen=True, slots=True)
class Credential:
    """What goes into the Authorization header. Its `repr` does not show the secret."""

    text: str = field(repr=False)
    app: bool  # the App's signature, else an installation's token
    obtained_at: float
    expires_at: float


class Signer(Protocol):
    """One identity."""

    async def credential(self) -> Credential:
        """A valid credential, made or asked for where needed."""
        ...

    def renew(self, refused: Credential) -> bool:
        """Forget a refused credential; False where a new one would be the same."""
        ...


class AppSigner:
    """Signs as the App; the signature is kept until a minute before its end."""

    def __init__(self, app_id: str, private_key: RSAPrivateKey, clock: Clock) -> None:
        self._app_id, self._key, self._clock = app_id, private_key, clock
        self._kept: Credential | None = None

    async def credential(self) -> Credential:
        """The App's signature (RS256)."""
        now = self._clock.now()
        # A clock that was set back would leave a signature from the future, which GitHub refuses.
        if self._kept is None or not self._kept.obtained_at <= now < self._kept.expires_at - BACKDATED:
            issued = int(now) - BACKDATED
            expires = int(now) + LIFETIME
            claims = {"iat": issued, "exp": expires, "iss": self._app_id}
            self._kept = Credential(jwt.encode(claims, self._key, "RS256"), True, now, float(expires))
        return self._kept

    def renew(self, refused: Credential) -> bool:
        """A new signature would say the same."""
        del refused
        return False


class InstallationSigner:
    """Keeps one installation's token. Callers that come together share one request for it."""

    def __init__(self, mint: Callable[[], Awaitable[Any]], clock: Clock) -> None:
        self._mint, self._clock = mint, clock
        self._kept: Credential | None = None
        self._lock = asyncio.Lock()

    async def credential(self) -> Credential:
        """The installation's token, at least 5 min from its end."""
        async with self._lock:
            if self._kept is None or self._clock.now() >= self._kept.expires_at - RENEWED_BEFORE:
                self._kept = self._read(await self._mint())
            return self._kept

    def renew(self, refused: Credential) -> bool:
        """Forget the token, unless another caller has done so already."""
        if self._kept is refused:
            self._kept = None
        return True

    def _read(self, reply: Any) -> Credential:
        try:
            text, expires = reply["token"], datetime.fromisoformat(reply["expires_at"]).timestamp()
        except (TypeError, KeyError, ValueError):
            raise Unavailable("the reply with the installation's token cannot be read") from None
        if not isinstance(text, str) or not text.isascii() or not text.isprintable() or not text:
            raise Unavailable("the installation's token cannot be read")
        return Credential(text, False, self._clock.now(), expires)
