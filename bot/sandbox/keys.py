"""A key pair for the sandbox's App, made once in a process (some 100 ms) where none is given."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa


@dataclass(frozen=True)
class KeyPair:
    """PEM texts, PKCS#8 and SubjectPublicKeyInfo."""

    private: str
    public: str


@functools.cache
def key_pair() -> KeyPair:
    """Make a 2,048 bit RSA key, the same for all sandboxes of a process."""
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return KeyPair(private.decode(), public.decode())
