"""Which caches a job used, from its log."""

from __future__ import annotations

import time

import pytest

from resolver.log.cache_keys import LONGEST_REST, MOST, CacheKeys, CacheKeyScan

STAMP = "2026-02-18T12:49:06.9356470Z "


def scanned(text: str, chunk: int = 1 << 20) -> CacheKeys:
    """The scan of a whole log, in chunks of that many bytes."""
    data, scan = text.encode(), CacheKeyScan()
    for at in range(0, len(data), chunk):
        scan.feed(data[at : at + chunk])
    return scan.close()


LINES = {
    "actions/cache": "Cache restored from key: Linux-pip-1a2b",
    "its library, the primary key": "Cache hit for: Linux-pip-1a2b",
    "its library, a restore key": "Cache hit for restore-key: Linux-pip-1a2b",
    "hit at the end": "Cache hit occurred on the primary key Linux-pip-1a2b, not saving cache.",
    "saved by actions/cache": "Cache saved with key: Linux-pip-1a2b",
    "saved by setup-node": "Cache saved with the key: Linux-pip-1a2b",
    "setup-uv": "uv cache restored from GitHub Actions cache with key: Linux-pip-1a2b",
    "setup-ruby": "Found cache for key: Linux-pip-1a2b",
    "rust-cache": 'Restored from cache key "Linux-pip-1a2b" full match: true.',
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_what_was_restored_or_saved_is_a_key_of_the_job(line: str, end: str):
    """Whatever the line's end, and behind a time stamp."""
    assert scanned(f"{STAMP}some other line\n{STAMP}{line}{end}").exact == ("Linux-pip-1a2b",)


@pytest.mark.parametrize(
    "line",
    [
        "Cache not found for input keys: Linux-pip-1a2b, Linux-pip-",
        "pip cache is not found",
        "Cache hits rate (C/C++)            0.00 %",
        "Cache restored from key: a, b",
        "Cache restored from key: ",
        "Failed to save: Unable to reserve cache with key x, another job may be creating this cache.",
    ],
)
def test_what_was_not_there_is_none(line: str):
    """Nothing was restored from it, so that it cannot be to blame; GitHub's keys hold no comma."""
    assert scanned(f"{STAMP}{line}\n") == CacheKeys()


GROUP = """\
##[group]Run actions/cache@v4
with:
  path: ~/.cache/pip
~/.npm
  key: Linux-pip-1a2b
  restore-keys: Linux-pip-
Linux-
  enableCrossOsArchive: false
env:
  restore-keys: not-this
##[endgroup]
"""


@pytest.mark.parametrize("chunk", [1, 7, 100, 1 << 20])
def test_restore_keys_are_beginnings(chunk: int):
    """As the step's own inputs list them, one a line; those of other steps are none."""
    told = "".join(f"{STAMP}{line}\n" for line in GROUP.splitlines())
    other = told.replace("actions/cache@", "octo/other@").replace("Linux-", "Other-")
    found = scanned(f"{told}{other}{STAMP}Cache restored from key: Linux-pip-9\n", chunk)
    assert found == CacheKeys(exact=("Linux-pip-9",), beginnings=("Linux-pip-", "Linux-"))


def test_a_key_means_itself_and_a_beginning_what_begins_so():
    """A key is no beginning of another one."""
    keys = CacheKeys(exact=("npm-1",), beginnings=("pip-",))
    assert [key for key in ("npm-1", "npm-12", "pip-", "pip-x", "xpip-") if keys.mean(key)] == [
        "npm-1",
        "pip-",
        "pip-x",
    ]
    assert keys.joined(CacheKeys(exact=("npm-1", "go-1"))) == CacheKeys(exact=("npm-1", "go-1"), beginnings=("pip-",))


def test_hostile_logs_stay_cheap_and_small():
    """Endless lines, unclosed groups and thousands of keys cost bounded memory and time that grows with their length."""
    many = "".join(f"Cache restored from key: k{n}\n" for n in range(10_000))
    assert len(scanned(many).exact) == MOST
    scan, begun = CacheKeyScan(), time.process_time()
    for _ in range(200):
        scan.feed(b"##[group]Run actions/cache@v4\n  restore-keys: " + b"Cache hit for: a" * 2_000)
        assert len(scan._rest) <= LONGEST_REST
    assert time.process_time() - begun < 5.0
    assert len(scan.close().beginnings) <= MOST
    assert scanned("Cache hit for: ghp_abcdefghijklmnopqrstuvwxyz0123456789AB\n").exact[0].startswith("ghp_") is False
