"""F9: a text that is stored or posted holds no secret. Every sort is planted here, in the forms that logs show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolver.log.classify import LogContext, classify
from resolver.secrets import mask

B = "Ab1_"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
SECRETS = {
    "github-classic": "ghp_" + "a1B2" * 9,
    "github-oauth": "gho_" + "a1B2" * 9,
    "github-user": "ghu_" + "a1B2" * 9,
    "github-server": "ghs_" + "a1B2" * 9,
    "github-refresh": "ghr_" + "a1B2" * 9,
    "github-long": "ghs_123456_" + JWT + "." + "xY9-" * 90,
    "github-fine": "github_pat_11ABCDEFG0" + "a1B2" * 15,
    "github-old": "v1." + "0123456789abcdef" * 2 + "01234567",
    "aws-id": "AKIA" + "ABCD2345" * 2,
    "aws-temporary": "ASIA" + "ABCD2345" * 2,
    "google": "AIza" + "a1B2c" * 7,
    "google-oauth": "ya29." + "a1B2" * 8,
    "slack": "xoxb-" + "1234567890-" * 2 + "abcdefABCDEF",
    "slack-webhook": "https://hooks.slack.com/services/T00000000/B00000000/abcdefABCDEF123456789012",
    "gitlab": "glpat-" + "a1B2" * 5,
    "npm": "npm_" + "a1B2" * 9,
    "pypi": "pypi-AgEIcHlwaS5vcmc" + "a1B2" * 10,
    "openai": "sk-proj-" + "a1B2" * 10,
    "anthropic": "sk-ant-" + "a1B2" * 10,
    "stripe": "sk_live_" + "a1B2" * 6,
    "sendgrid": "SG." + "a1B2" * 5 + "." + "a1B2" * 10,
    "docker": "dckr_pat_" + "a1B2" * 7,
    "vault": "hvs." + "a1B2" * 8,
    "digitalocean": "dop_v1_" + "0123456789abcdef" * 4,
    "databricks": "dapi" + "0123456789abcdef" * 2,
    "huggingface": "hf_" + "a1B2" * 9,
    "jwt": JWT,
    "azure": "AccountKey=" + "a1B2" * 21 + "==",
}
FRAMES = {
    "bare": "{}",
    "sentence": "login with {} failed",
    "variable": "export TOKEN={}",
    "quoted": 'token: "{}",',
    "url": "https://x-access-token:{}@github.example.test/a/b.git",
    "header": "Authorization: Bearer {}",
    "json": '{{"token":"{}"}}',
    "stamped": "2026-01-01T00:00:00.0000000Z ##[error]bad credentials {}",
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
def test_planted_secret_is_masked(secret: str) -> None:
    """No half of any sort of secret survives, in any frame."""
    for frame in FRAMES.values():
        masked = mask(frame.format(secret))
        assert secret not in masked, masked
        assert secret[len(secret) // 2 :] not in masked, masked
        assert "[masked " in masked


NAMED = {
    "basic-url": ("https://bob:hunter2secret@git.example.test/a.git", "hunter2secret"),
    "database-url": ("postgres://app:p4ss%21w0rd@db.example.test:5432/app", "p4ss%21w0rd"),
    "authorization-basic": ("Authorization: Basic Ym9iOmh1bnRlcjI=", "Ym9iOmh1bnRlcjI="),
    "authorization-token": ("authorization: token abcdef1234567890", "abcdef1234567890"),
    "curl-header": ("curl -H 'Authorization: Bearer abc.def.ghi' https://x", "abc.def.ghi"),
    "extraheader": (
        "http.https://github.com/.extraheader AUTHORIZATION: basic eC1hY2Nlc3M6Z2hzXzEyMw==",
        "eC1hY2Nlc3M6Z2hzXzEyMw==",
    ),
    "api-key-header": ("X-Api-Key: 0123456789abcdef0123", "0123456789abcdef0123"),
    "cookie": ("Set-Cookie: session=abcdef0123456789; Path=/", "abcdef0123456789"),
    "npmrc": ("//registry.example.org/:_authToken=0123-4567-89ab", "0123-4567-89ab"),
    "env-password": ("DB_PASSWORD=correct-horse-battery", "correct-horse-battery"),
    "yaml-secret": ("client_secret: abcDEF123456789xyz", "abcDEF123456789xyz"),
    "json-key": ('"api_key": "abcDEF123456789xyz"', "abcDEF123456789xyz"),
    "aws-secret": (
        "aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
        "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
    ),
    "option": ("docker login --password s3cr3tp4ss registry", "s3cr3tp4ss"),
    "private-key": (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabcd/efgh+ij=\n-----END RSA PRIVATE KEY-----",
        "MIIEowIBAAKCAQEA",
    ),
    "cut-key": ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nand so", "b3BlbnNzaC1rZXktdjEAAAAA"),
}


@pytest.mark.parametrize(("text", "secret"), NAMED.values(), ids=NAMED.keys())
def test_secret_by_its_name_is_masked(text: str, secret: str) -> None:
    """What a name, a header or a URL gives away is masked, and the name stays readable."""
    masked = mask(text)
    assert secret not in masked, masked
    assert "[masked " in masked


@pytest.mark.parametrize(
    "text",
    [
        "assert 200.0 == 20.0",
        "commit 9c1101160d1b7394a4acc96f0e183334d7346dfe",
        "FAILED tests/test_secrets.py::test_password_reset - KeyError: 'password'",
        "https://github.example.test/acme/shop/pull/12",
        "password must not be empty",
        "test_authorization_header PASSED",
        "src/token.py:12:5: E501 line too long",
        "sha512-AAAAAAAA wanted",
        "connect to http://127.0.0.1:8080 refused",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    """Masking takes nothing away from what a person must read."""
    assert mask(text) == text


@given(st.text(max_size=400))
def test_masking_twice_changes_nothing(text: str) -> None:
    """A masked text is masked."""
    once = mask(text)
    assert mask(once) == once


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
def test_nothing_of_a_triage_holds_a_secret(secret: str) -> None:
    """From the log to every field of the triage, considered lines included: nothing is left of it."""
    log = f"login {secret}\nFAILED tests/a.py::test_a[{secret}] - AssertionError: {secret} == 1\nerror: {secret}\n"
    told = classify(log.encode(), LogContext(check="ci")).model_dump_json()
    assert secret not in told
    assert secret[len(secret) // 2 :] not in told
