"""Who the App is to GitHub: its id, its private key, and where GitHub is."""

from __future__ import annotations

from typing import Final

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from pydantic import BaseModel, ConfigDict, SecretStr

PUBLIC_GITHUB: Final = "https://api.github.com"


class AppSettings(BaseModel):
    """What the client must be told. `private_key` is the PEM text; `base_url` of an Enterprise server is
    `https://HOST/api/v3`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    app_id: str
    private_key: SecretStr
    base_url: str = PUBLIC_GITHUB


def read_private_key(pem: str) -> RSAPrivateKey:
    """The key from its PEM text. Raises ValueError, without quoting the text, where it is none."""
    try:
        # Checking its primes takes 50 ms and guards against keys of strangers; this one is the operator's own.
        key = load_pem_private_key(pem.encode(), password=None, unsafe_skip_rsa_key_validation=True)
    except Exception:  # noqa: BLE001 - cryptography raises many kinds, some of which quote their input
        raise ValueError("not a private key in PEM form") from None
    match key:
        case RSAPrivateKey():
            return key
        case _:
            raise ValueError("not an RSA key; GitHub gives an App RSA keys")
