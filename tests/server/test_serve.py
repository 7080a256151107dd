"""`failres serve` where it cannot begin: a sentence and a status, no trace."""

import socket

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.cli.main import main


@pytest.fixture
def settings(monkeypatch, tmp_path):
    """The settings of an App in the environment, and the port that it is told."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    given = {"APP_ID": "7", "PRIVATE_KEY": pem, "WEBHOOK_SECRETS": "s" * 20, "STATE_DIR": str(tmp_path / "state")}
    for name, value in given.items():
        monkeypatch.setenv(f"FAILRES_{name}", value)
    return monkeypatch


def test_a_port_that_is_taken_is_told(settings, capsys):
    """Another process listens there."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        settings.setenv("FAILRES_HOST", "127.0.0.1")
        settings.setenv("FAILRES_PORT", str(port))
        assert main(["serve"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"failres cannot start: it cannot listen on 127.0.0.1:{port}: ")


def test_an_address_of_nobody_is_told(settings, capsys):
    """The host is not this machine's."""
    settings.setenv("FAILRES_HOST", "192.0.2.1")
    settings.setenv("FAILRES_PORT", "8080")
    assert main(["serve"]) == 2
    assert "it cannot listen on 192.0.2.1:8080: " in capsys.readouterr().err
