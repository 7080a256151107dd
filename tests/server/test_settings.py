"""The process's settings: where they come from, and that every mistake is told with its name and its remedy."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.llm import open_model
from bot.settings import Settings, SettingsError, load_settings


def _pem(key) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture(scope="module")
def pem() -> str:
    """An App's key."""
    return _pem(rsa.generate_private_key(public_exponent=65537, key_size=2048))


@pytest.fixture
def environ(pem: str) -> dict[str, str]:
    """The least that a process needs."""
    return {"FAILRES_APP_ID": "123", "FAILRES_PRIVATE_KEY": pem, "FAILRES_WEBHOOK_SECRETS": "one"}


def wrong(environ: dict[str, str], file: Path | None = None) -> list[str]:
    """What is told."""
    with pytest.raises(SettingsError) as caught:
        load_settings(environ, file)
    return str(caught.value).splitlines()


def test_three_settings_are_enough(environ):
    """Everything else has a default, and nothing acts by default."""
    settings = load_settings(environ)
    assert (settings.app_id, settings.mode, settings.port, settings.host, settings.webhook_path) == (
        "123",
        "observe",
        8080,
        "127.0.0.1",
        "/webhook",
    )
    assert settings.base_url == settings.app.base_url == "https://api.github.com"
    assert settings.store == f"sqlite:///{Path('state').absolute()}/failres.db"
    assert settings.stopped() is None


async def test_there_is_no_model_by_default(environ):
    """Without an endpoint no client is made, whatever a repository asks for; with one it needs a model's name."""
    async with open_model(load_settings(environ)) as model:
        assert model is None
    environ["FAILRES_LLM_URL"] = "https://models.example/v1"
    (told,) = wrong(environ)
    assert told.startswith(
        "FAILRES_LLM_MODEL (or llm_model in the settings file): is missing, though llm_url is given."
    )
    environ["FAILRES_LLM_MODEL"] = "small"
    environ["FAILRES_LLM_KEY"] = "sk-secret"
    settings = load_settings(environ)
    assert "sk-secret" not in repr(settings)
    async with open_model(settings) as model:
        assert model is not None


async def test_a_model_without_its_client_is_told_at_the_start(environ, monkeypatch, caplog):
    """Where the extra is not installed there is no model, and the log says what to install."""
    monkeypatch.setitem(sys.modules, "openai", None)
    environ |= {"FAILRES_LLM_URL": "https://models.example/v1", "FAILRES_LLM_MODEL": "small"}
    async with open_model(load_settings(environ)) as model:
        assert model is None
    assert "pip install openai" in caplog.text


def test_an_empty_environment_is_told_all_that_is_missing():
    """All at once, each with both of its names and what to give."""
    lines = wrong({})
    assert [line.split(" ")[0] for line in lines] == [
        "FAILRES_APP_ID",
        "FAILRES_PRIVATE_KEY",
        "FAILRES_WEBHOOK_SECRETS",
    ]
    assert (
        lines[0]
        == "FAILRES_APP_ID (or app_id in the settings file): is missing. Give the App's numeric id, shown on the App's settings page."
    )


def test_the_environment_wins_over_the_file(environ, tmp_path):
    """A file for the many, a variable for the one."""
    file = tmp_path / "failres.toml"
    file.write_text('port = 9000\nhost = "0.0.0.0"\nmode = "propose"\nwebhook_secrets = ["a", "b"]\n')
    settings = load_settings(environ | {"FAILRES_PORT": "9001"}, file)
    assert (settings.port, settings.host, settings.mode) == (9001, "0.0.0.0", "propose")
    assert [secret.get_secret_value() for secret in settings.webhook_secrets] == ["one"]


@pytest.mark.parametrize("make", [lambda pem: pem, lambda pem: pem.replace("\n", "\\n"), lambda pem: "\n  " + pem])
def test_the_key_may_be_its_text(environ, pem, make):
    """As it is, or on one line, as some secret stores give it."""
    settings = load_settings(environ | {"FAILRES_PRIVATE_KEY": make(pem)})
    assert settings.app.private_key.get_secret_value().strip() == pem.strip()


def test_the_key_may_be_a_path_beside_the_file(environ, pem, tmp_path):
    """A path in the settings file is relative to that file."""
    (tmp_path / "app.pem").write_text(pem)
    file = tmp_path / "failres.toml"
    file.write_text('private_key = "app.pem"')
    del environ["FAILRES_PRIVATE_KEY"]
    assert load_settings(environ, file).app.private_key.get_secret_value() == pem


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("APP_ID", "my-app", "FAILRES_APP_ID: String should match"),
        ("PORT", "70000", "FAILRES_PORT: Input should be less than or equal to 65535"),
        ("PORT", "http", "FAILRES_PORT: Input should be a valid integer"),
        ("BASE_URL", "github.example", "FAILRES_BASE_URL: String should match"),
        ("BASE_URL", "https://user@github.example", "FAILRES_BASE_URL: String should match"),
        ("MODE", "everything", "FAILRES_MODE: Input should be 'observe', 'propose' or 'act'"),
        ("STORE_URL", "mysql://x", "FAILRES_STORE_URL: String should match"),
        ("WEBHOOK_PATH", "hook", "FAILRES_WEBHOOK_PATH: String should match"),
        ("WEBHOOK_SECRETS", "a,b,c", "FAILRES_WEBHOOK_SECRETS: Tuple should have at most 2 items"),
        ("WEBHOOK_SECRETS", ",", "FAILRES_WEBHOOK_SECRETS: Tuple should have at least 1 item"),
        ("PRIVATE_KEY", "missing.pem", "FAILRES_PRIVATE_KEY: neither a key's text nor a file that can be read"),
        (
            "PRIVATE_KEY",
            "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----",
            "FAILRES_PRIVATE_KEY: not a private key",
        ),
        ("PRIVATE_KEY", _pem(ec.generate_private_key(ec.SECP256R1())), "FAILRES_PRIVATE_KEY: not an RSA key"),
        ("STOP", "maybe", "FAILRES_STOP: Input should be a valid boolean"),
    ],
)
def test_a_wrong_value_is_told_with_its_remedy(environ, name, value, says):
    """The variable as it was given, what is wrong, what to give; never the value of a secret."""
    lines = wrong(environ | {f"FAILRES_{name}": value})
    assert len(lines) == 1
    assert lines[0].startswith(says)
    assert ". Give " in lines[0]
    assert name not in {"PRIVATE_KEY", "WEBHOOK_SECRETS"} or len(value) < 2 or value not in lines[0]


def test_the_file_may_write_numbers_as_numbers(environ, tmp_path):
    """An id without quotes is an id; an empty secret would let everybody in."""
    file = tmp_path / "failres.toml"
    file.write_text('app_id = 55\nwebhook_secrets = ["x", ""]\n')
    del environ["FAILRES_APP_ID"]
    assert load_settings(environ, file).app_id == "55"
    del environ["FAILRES_WEBHOOK_SECRETS"]
    assert wrong(environ, file)[0].startswith("webhook_secrets: ")


def test_a_slip_in_a_name_is_told(environ, tmp_path):
    """In the file any unknown name; in the environment what looks like one of ours."""
    file = tmp_path / "failres.toml"
    file.write_text("prot = 1\nsomething = 2\n")
    lines = wrong(environ | {"FAILRES_WEBHOOK_SECRET": "x", "FAILRES_SERVICE_HOST": "10.0.0.1"}, file)
    assert lines == [
        f"prot in {file}: no such setting. Did you mean port?",
        f"something in {file}: no such setting. Remove it.",
        "FAILRES_WEBHOOK_SECRET: no such setting. Did you mean FAILRES_WEBHOOK_SECRETS?",
    ]


def test_what_an_orchestrator_sets_for_a_service_is_passed_over(environ):
    """Kubernetes gives every pod such variables when a service is called failres."""
    settings = load_settings(
        environ
        | {"FAILRES_PORT": "tcp://10.0.0.1:80", "FAILRES_PORT_80_TCP_ADDR": "10.0.0.1", "FAILRES_SERVICE_PORT": "80"}
    )
    assert settings.port == 8080


@pytest.mark.parametrize("text", ["port = ", "\xff"])
def test_a_file_that_is_no_toml_is_told(environ, tmp_path, text):
    """With its name."""
    file = tmp_path / "failres.toml"
    file.write_bytes(text.encode("latin-1"))
    assert wrong(environ, file)[0].startswith(f"{file}: no TOML")
    assert wrong(environ, tmp_path / "none.toml") == [
        f"{tmp_path / 'none.toml'}: No such file or directory. Name a file that is there."
    ]


def test_the_kill_switch_is_looked_at_each_time(environ, tmp_path):
    """A variable, or a file that appears and goes; what cannot be looked at is a stop."""
    settings = load_settings(environ | {"FAILRES_STATE_DIR": str(tmp_path)})
    assert settings.stopped() is None
    (tmp_path / "STOP").touch()
    assert settings.stopped() == f"the stop file {tmp_path / 'STOP'} exists"
    (tmp_path / "STOP").unlink()
    (tmp_path / "STOP").symlink_to(tmp_path / "nowhere")
    assert settings.stopped() is not None
    assert load_settings(environ | {"FAILRES_STOP": "1"}).stopped() == "FAILRES_STOP is set"
    too_long = load_settings(environ | {"FAILRES_STOP_FILE": "x" * 5000}).stopped()
    assert too_long is not None
    assert "cannot be looked at" in too_long


def test_secrets_are_not_shown(environ, pem):
    """Neither in `repr` nor in JSON."""
    settings = load_settings(environ | {"FAILRES_WEBHOOK_SECRETS": "hush-hush, old-hush"})
    shown = repr(settings) + settings.model_dump_json() + str(settings)
    assert "hush" not in shown
    assert pem.splitlines()[1] not in shown
    assert [secret.get_secret_value() for secret in settings.webhook_secrets] == ["hush-hush", "old-hush"]


def test_every_setting_says_what_to_give():
    """The errors and the manual are made of these words."""
    assert all(field.description for field in Settings.model_fields.values())


def test_the_environment_of_this_process_is_not_read(environ, monkeypatch):
    """Only what is passed in."""
    monkeypatch.setitem(os.environ, "FAILRES_PORT", "1234")
    assert load_settings(environ).port == 8080


def test_destinations_are_named_addresses(environ, tmp_path):
    """In the environment as pairs, in the file as a table; they are never shown."""
    both = "team=https://hooks.example.org/T1/x?y=z, ops=http://10.0.0.7/hook"
    settings = load_settings(environ | {"FAILRES_DESTINATIONS": both})
    shown = {name: address.get_secret_value() for name, address in settings.destinations.items()}
    assert shown == {"team": "https://hooks.example.org/T1/x?y=z", "ops": "http://10.0.0.7/hook"}
    assert "hooks.example.org" not in repr(settings)
    file = tmp_path / "failres.toml"
    file.write_text('[destinations]\nteam = "https://hooks.example.org/T1/x"\n')
    assert set(load_settings(environ, file).destinations) == {"team"}


@pytest.mark.parametrize(
    "given",
    ["https://hooks.example.org/T1/TOPSECRET", "team=TOPSECRET", "team=ftp://TOPSECRET/x", "Te am=https://TOPSECRET/x"],
)
def test_a_wrong_destination_is_told_without_its_address(environ, given):
    """Whatever is wrong with it, it may be the secret that is wrong."""
    lines = wrong(environ | {"FAILRES_DESTINATIONS": given})
    assert all(line.startswith("FAILRES_DESTINATIONS") for line in lines)
    assert "TOPSECRET" not in " ".join(lines)


def test_single_repositories_are_paused_by_a_file(environ, tmp_path):
    """By name, whatever its case, or by id; what names no repository or cannot be read pauses all of them."""
    settings = load_settings(environ | {"FAILRES_STATE_DIR": str(tmp_path)})
    file = tmp_path / "PAUSED"
    assert settings.stopped("acme/shop", 12) is None
    file.write_text("# while we migrate\nAcme/Shop  # until Friday\n\n99\n")
    assert settings.stopped("acme/shop", 12) == f"the repository is paused by the file {file}"
    assert settings.stopped("acme/other", 99) is not None
    assert settings.stopped("acme/other", 13) is None
    file.write_text("shop\n")
    assert "line 1" in settings.stopped("acme/other", 13)
    file.write_bytes(b"\xff")
    assert "cannot be read" in settings.stopped("acme/other", 13)
    file.write_bytes(b"\xef\xbb\xbfacme/shop\r\n")
    assert (settings.stopped("acme/shop", 12) is None, settings.stopped("acme/other", 13)) == (False, None)
    file.write_text("acme/other\n" * 100_000)
    assert "too long" in settings.stopped("acme/shop", 12)
    file.unlink()
    file.symlink_to(tmp_path / "nowhere")
    assert "cannot be read" in settings.stopped("acme/other", 13)
    file.unlink()
    file.mkdir()
    assert "cannot be read" in settings.stopped("acme/other", 13)
