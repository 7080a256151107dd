"""
Who is calling: an App by its JWT, an installation or a person by a token, or nobody.

GitHub: a JWT is RS256, lives less than 10 minutes and was not issued in the future (GITHUB.md 5.21); installation
tokens live an hour, have the long form `ghs_APPID_JWT` of some 520 characters (5.24), and can be narrowed.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt

from bot.sandbox.changes.refusals import Refused
from bot.sandbox.permissions import LEVELS
from bot.sandbox.state import Account, Actor, App, GitHub, Installation, Token

TOKEN_SECONDS = 3_600
JWT_SECONDS = 600
MAX_REPOSITORIES = 500
_LONG_TOKEN_SECRET = b"only the sandbox signs and reads these tokens; it looks them up"


@dataclass(frozen=True)
class Caller:
    """Exactly one of `app` (by JWT) and `token`, or neither for somebody unknown."""

    app: App | None = None
    token: Token | None = None

    @property
    def installation(self) -> Installation | None:
        """The installation whose token it is."""
        return self.token.installation if self.token else None

    @property
    def user(self) -> Account | None:
        """The person whose token it is."""
        return self.token.user if self.token else None

    @property
    def key(self) -> str:
        """Whose rate limit it is."""
        if self.app:
            return f"app {self.app.id}"
        if self.installation:
            return f"installation {self.installation.id}"
        return f"user {self.user.id}" if self.user else "anonymous"

    @property
    def actor(self) -> Actor:
        """Who acts by it."""
        if self.token is None:
            raise Refused(401, "Requires authentication")
        return self.token.actor


class Tokens:
    """Mints tokens and knows whose they are. `fresh_seconds`: how long a new installation token gets 401 (5.22)."""

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self.fresh_seconds = 0.0

    def for_user(self, user: Account) -> str:
        """Give a personal token, which does not expire."""
        value = f"ghp_{secrets.token_hex(18)}"
        self._github.tokens[value] = Token(value, self._github.clock.now(), None, user=user)
        return value

    def for_installation(
        self,
        installation: Installation,
        *,
        permissions: Mapping[str, str] | None = None,
        repositories: set[int] | None = None,
        long: bool = True,
        of_workflow: bool = False,
    ) -> Token:
        """Mint an installation's token, narrowed where asked; 422 for more than the installation has."""
        for name, level in (permissions or {}).items():
            if LEVELS[level] > LEVELS.get(installation.permissions.get(name, ""), 0):
                raise Refused(422, "The permissions requested are not granted to this installation.")
        granted = dict(installation.permissions if permissions is None else permissions)
        granted.setdefault("metadata", "read")
        now = self._github.clock.now()
        value = _long(installation.app.id, now) if long else f"ghs_{secrets.token_hex(18)}"
        chosen = installation.repositories if repositories is None else repositories
        token = Token(value, now, now + TOKEN_SECONDS, installation, None, granted, chosen, of_workflow)
        self._github.tokens[value] = token
        return token

    def revoke(self, value: str) -> None:
        """Make a token worthless."""
        self._github.tokens.pop(value, None)

    def identify(self, authorization: str | None) -> Caller:
        """Read an `Authorization` header; 401 for what is bad, expired or too fresh."""
        if not authorization:
            return Caller()
        scheme, _, value = authorization.partition(" ")
        value = value.strip()
        if scheme.lower() == "basic":
            value = _password(value)
        elif scheme.lower() not in {"bearer", "token"}:
            raise Refused(401, "Bad credentials")
        if value.count(".") == 2 and not value.startswith("gh"):
            return Caller(app=self._read_jwt(value))
        token = self._github.tokens.get(value)
        now = self._github.clock.now()
        if token is None or (token.expires_at is not None and now >= token.expires_at):
            raise Refused(401, "Bad credentials")
        if token.installation is not None:
            if now < token.created_at + self.fresh_seconds:
                raise Refused(401, "Bad credentials")
            if token.installation.suspended_at is not None:
                raise Refused(403, "This installation has been suspended")
        return Caller(token=token)

    def _read_jwt(self, value: str) -> App:
        try:
            claims: dict[str, Any] = jwt.decode(value, options={"verify_signature": False})
            app = self._github.apps[int(claims["iss"])]
            jwt.decode(value, app.public_key, algorithms=["RS256"], options={"verify_exp": False, "verify_iat": False})
        except (jwt.PyJWTError, KeyError, TypeError, ValueError):
            raise Refused(401, "A JSON web token could not be decoded") from None
        now = self._github.clock.now()
        issued, expires = claims.get("iat"), claims.get("exp")
        if not isinstance(issued, int) or issued > now:
            raise Refused(
                401,
                "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
            )
        if not isinstance(expires, int) or expires <= now:
            raise Refused(
                401,
                "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the"
                " assertion expires",
            )
        if expires >= now + JWT_SECONDS:
            raise Refused(401, "'Expiration time' claim ('exp') is too far in the future")
        return app


def _password(packed: str) -> str:
    """Git sends a token as the password of basic authentication (as the user name, where there is no password)."""
    try:
        user, _, password = base64.b64decode(packed).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise Refused(401, "Bad credentials") from None
    return user if password in {"", "x-oauth-basic"} else password


def _long(app_id: int, now: float) -> str:
    claims = {"iat": int(now), "jti": secrets.token_hex(137), "app": app_id}
    return f"ghs_{app_id}_{jwt.encode(claims, _LONG_TOKEN_SECRET, algorithm='HS256')}"
