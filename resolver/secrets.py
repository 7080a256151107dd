# ruff: noqa: E501 - the rows of a table are read whole
"""
Mask secrets before a text is stored or posted.

Promises: linear time (RE2), the same answer for the same text, never longer than the input plus the masks, and
idempotence. A mask names the sort of secret and nothing of it, so that a fingerprint over masked text does not
depend on it. GitHub itself masks only what it knows as a secret of the workflow; what a program prints in another
form reaches the log.
"""

from __future__ import annotations

from resolver.log.regex import compile_pattern

_SORTS = (
    # GitHub: classic tokens, and since 2026 installation tokens of about 520 characters, `ghs_APPID_JWT` (GITHUB.md 5.24)
    ("github-token", r"\bgh[opsur]_[A-Za-z0-9._-]{16,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bv1\.[0-9a-f]{40}\b"),
    ("private-key", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=:,.\s\\]|-[^-])*(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?"),
    ("slack-webhook", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_+-]{8,}"),
    ("webhook", r"https://(?:discord(?:app)?\.com/api/webhooks|[a-z0-9-]+\.webhook\.office\.com/webhookb2)/[A-Za-z0-9@/_-]{16,}"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,})?"),
    ("aws-key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("google-key", r"\bAIza[0-9A-Za-z_-]{35}|\bya29\.[0-9A-Za-z_-]{20,}|\bGOCSPX-[0-9A-Za-z_-]{20,}"),
    ("azure-key", r"\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=[A-Za-z0-9+/=%&]{20,}|[?&]sig=[A-Za-z0-9%+/=]{20,}"),
    ("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}"),
    ("gitlab-token", r"\bgl(?:pat|ptt|rt|dt|cbt|ft|soat|imt|agent)-[A-Za-z0-9_-]{16,}"),
    ("npm-token", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("pypi-token", r"\bpypi-[A-Za-z0-9_-]{16,}"),
    ("api-key", r"\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}|\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("docker-token", r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    ("vault-token", r"\bhv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ("token", r"\b(?:dop|doo|dor)_v1_[a-f0-9]{60,}|\bdapi[a-f0-9]{32}\b|\bSK[a-f0-9]{32}\b|\bkey-[a-f0-9]{32}\b|\brubygems_[a-f0-9]{40,}|\bcrates?io_[A-Za-z0-9]{20,}|\bcio[A-Za-z0-9]{32}\b|\bhf_[A-Za-z0-9]{30,}|\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b|\bsntry[su]_[A-Za-z0-9+/=_-]{30,}|\bPMAK-[A-Za-z0-9-]{30,}|\blin_api_[A-Za-z0-9]{30,}|\bATATT3[A-Za-z0-9_=-]{40,}"),
)  # fmt: skip
_MASKS = tuple((compile_pattern(pattern), f"[masked {sort}]") for sort, pattern in _SORTS)
_HEADS = (
    # user:password@host in a URL
    (r"(\b[a-zA-Z][a-zA-Z0-9+.-]+://)(?:[^\s/@:\[\]'\"]*):(?:[^\s/@'\"]+)@", r"\g<1>[masked url-password]@"),
    (r"(?i)(\b(?:proxy-)?authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?)(?:(?:basic|bearer|token|digest|negotiate|apikey|aws4-hmac-sha256)\s+)?[^\s\"'\[][^\r\n\"']{3,}", r"\g<1>[masked authorization]"),
    (r"(?i)(\b(?:x-api-key|x-auth-token|private-token|job-token|x-vault-token|cookie|set-cookie)[\"']?\s{0,3}:\s{0,3}[\"']?)[^\s\"'\[][^\r\n\"']{3,}", r"\g<1>[masked header]"),
    (r"(?i)((?:_authToken|_auth|_password)\s{0,2}=\s{0,2})[^\s\[$]{6,}", r"\g<1>[masked npm-token]"),
    (r"(?i)(\b[a-z0-9_.-]*(?:password|passwd|secret|secret_?key|access_?key|api_?key|auth_?token|access_?token|refresh_?token|client_?secret|private_?key|passphrase)[\"']?\s{0,2}[=:]\s{0,2}[\"']?)(?:[A-Za-z0-9+/=_.~!@#%^&-]{12,})", r"\g<1>[masked secret]"),
    (r"(?i)(\s(?:--?(?:password|token|secret|api-key|auth-token))[= ])[^\s\[$*\"'-]\S{5,}", r"\g<1>[masked secret]"),
)  # fmt: skip
_KEEP_HEAD = tuple((compile_pattern(pattern), template) for pattern, template in _HEADS)
_HINT = compile_pattern("|".join(f"(?:{pattern})" for pattern in (*(p for _, p in _SORTS), *(p for p, _ in _HEADS))))


def mask(text: str) -> str:
    """The text with every known sort of secret replaced by ``[masked …]``."""
    if not _HINT.finds(text.encode("utf-8", "replace")):
        return text  # most texts hold none: one look tells
    for pattern, word in _MASKS:
        text = pattern.sub(word, text)
    for pattern, word in _KEEP_HEAD:
        text = pattern.sub(word, text)
    return text
