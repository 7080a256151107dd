"""Fingerprints: equal for the same failure seen again, different where another thing failed, and never dependent on a secret."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolver.fingerprint import VERSION, fingerprint, normalise, normalise_item, set_fingerprint
from resolver.secrets import mask

CHECK, ITEM, KIND = "ci.yml / test (3.11)", "tests/test_cart.py::test_total", "AssertionError"


def mark(message: str) -> str:
    """The fingerprint of a message, all else alike."""
    return fingerprint(CHECK, ITEM, KIND, message)


SAME = {
    "time": ("at 2026-03-05T22:17:03.796Z it broke", "at 2026-11-30 08:42:00.488 it broke"),
    "clock": ("started 10:11:12.345", "started 23:59:59"),
    "mail-date": ("on Tue Mar 3 10:11:12 2026", "on Wed Mar 4 09:08:07 2026"),
    "duration": ("timed out after 3001 milliseconds", "timed out after 2998 milliseconds"),
    "duration-short": ("took 0.04s", "took 1.97s"),
    "minutes": ("ran 1m12.5s", "ran 3m2.25s"),
    "address": ("object at 0x7f3a0d047681", "object at 0x55edc7194000"),
    "hash-40": ("commit 9c1101160d1b7394a4acc96f0e183334d7346dfe", "commit f368af2f4f4f272b6c042fcc5cd48cb4aa94d0d4"),
    "hash-64": ("sha " + "a1" * 32, "sha " + "b2" * 32),
    "hash-short": ("commit 9c11011 broke", "commit f368af2 broke"),
    "base64-digest": ("wanted sha512-" + "Ab1/" * 20 + "==", "wanted sha512-" + "Zy9+" * 20 + "=="),
    "uuid": ("id 9f1c2d3e-1111-2222-3333-444455556666", "id 00000000-aaaa-bbbb-cccc-121212121212"),
    "port": ("connect to 127.0.0.1:45123 refused", "connect to 127.0.0.1:9 refused".replace(":9 ", ":41999 ")),
    "port-host": ("http://localhost:8080/x", "http://localhost:39121/x"),
    "temp": ("open /tmp/tmpab12cd/out.txt", "open /tmp/tmpzz99yy/out.txt"),
    "mac-temp": ("in /var/folders/ab/cd1234/T/x", "in /var/folders/zz/yy9876/T/q"),
    "workspace": ("in /home/runner/work/app/app/src/a.py", "in /__w/app/app/src/a.py"),
    "windows": ("in D:\\a\\app\\app\\src\\a.py", "in C:\\jenkins\\ws\\app\\src\\a.py"),
    "line": ("src/a.py:12: in f", "src/a.py:99: in f"),
    "line-column": ("src/a.ts(3,7): bad", "src/a.ts(12,9): bad"),
    "line-words": ("File x, line 12", "File x, line 13"),
    "pid": ("==16211==ERROR: x", "==4242==ERROR: x"),
    "process": ("process 4242 died", "process 77 died"),
    "size": ("killed at 1512 MiB", "killed at 1498 MiB"),
    "id": ("run 9876543210", "run 1234567890"),
    "compiler-temp": ("/tmp/ccrCsBVW.o: in function", "/tmp/ccMBDSt8.o: in function"),
    "blanks": ("a   b\n c", "a b c"),
}
DIFFERENT = {
    "asserted-number": ("assert 200.0 == 20.0", "assert 400.0 == 20.0"),
    "expected": ("expected 12 to be 13", "expected 12 to be 15"),
    "name": ("name 'foo' is not defined", "name 'bar' is not defined"),
    "status": ("returned error: 401", "returned error: 403"),
    "code": ("exit code 1", "exit code 2"),
    "word-like-hex": ("defaced label", "effaced label"),
    "two-equal-hashes": ("expected aaaa1111bbbb got aaaa1111bbbb", "expected aaaa1111bbbb got cccc2222dddd"),
    "version": ("needs 1.2.3", "needs 1.2.4"),
    "host": ("host a.example.test", "host b.example.test"),
}


@pytest.mark.parametrize(("first", "second"), SAME.values(), ids=SAME.keys())
def test_same_failure_seen_again(first: str, second: str) -> None:
    """What changes between runs of the same failure does not change the fingerprint."""
    assert normalise(first) == normalise(second)
    assert mark(first) == mark(second)


@pytest.mark.parametrize(("first", "second"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_another_thing_failed(first: str, second: str) -> None:
    """Another asserted fact is another failure."""
    assert mark(first) != mark(second)


def test_check_item_and_type_are_part_of_it() -> None:
    """The same words of another check, item or error type are another failure."""
    marks = {
        fingerprint(CHECK, ITEM, KIND, "m"),
        fingerprint("other", ITEM, KIND, "m"),
        fingerprint(CHECK, "tests/test_cart.py::test_empty", KIND, "m"),
        fingerprint(CHECK, ITEM, "KeyError", "m"),
        fingerprint(CHECK, None, KIND, "m"),
    }
    assert len(marks) == 5


def test_form_is_legal_in_a_ref() -> None:
    """Version and 16 hex digits, as the specification writes it."""
    assert re.fullmatch(r"v1-[0-9a-f]{16}", mark("m"))


def test_version_1_is_frozen() -> None:
    """
    The algorithm has a version: these values are version 1's. Who changes the algorithm changes `VERSION`, and old values never
    equal new ones.
    """
    assert VERSION == "v1"
    assert mark("assert 200.0 == 20.0") == "v1-49cdbab8491d06de"
    assert fingerprint("", None, "network", "curl: (6) Could not resolve host: a.example.test") == "v1-4a26fbc4c90899fb"
    assert set_fingerprint([mark("a"), mark("b")]) == "v1-eab5d46c9d0c60be"


def test_placeholders_are_numbered() -> None:
    """Two different values of one sort stay two."""
    assert normalise("0x1f is not 0x2f but 0x1f") == "<addr> is not <addr2> but <addr>"


def test_set_is_the_same_in_any_order_and_its_own_for_one() -> None:
    """Order and repetition of a failing set mean nothing; a set of one is its member."""
    a, b = fingerprint(CHECK, "a", KIND, "m"), fingerprint(CHECK, "b", KIND, "m")
    assert set_fingerprint([a, b]) == set_fingerprint([b, a, a])
    assert set_fingerprint([a]) == a
    assert set_fingerprint([a, b]) not in (a, b)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("[gw0] tests/a.py::test_x", "tests/a.py::test_x"),
        ("spec/cart_spec.rb:12", "spec/cart_spec.rb:99"),
        ("/home/runner/work/a/a/web/a.test.ts", "/__w/a/a/web/a.test.ts"),
    ],
)
def test_item_without_what_the_runner_adds(first: str, second: str) -> None:
    """Workers, line numbers and workspaces are no part of an item's name."""
    assert normalise_item(first) == normalise_item(second)


def test_parameters_are_part_of_an_item() -> None:
    """Two parameter sets of one test are two items."""
    assert normalise_item("tests/a.py::test_x[1-2]") != normalise_item("tests/a.py::test_x[1-3]")


@pytest.mark.parametrize(
    ("first", "second"), [("ghp_" + "a" * 36, "ghp_" + "b" * 36), ("AKIA" + "A" * 16, "AKIA" + "B" * 16)]
)
def test_fingerprint_does_not_depend_on_a_secret(first: str, second: str) -> None:
    """Masked before it is hashed: a rotated token does not make another failure."""
    assert mark(mask(f"login with {first} failed")) == mark(mask(f"login with {second} failed"))


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_has_a_stable_fingerprint(item: str, message: str) -> None:
    """Whatever the text: a value, the same each time, and a normalised message that is bounded."""
    first = fingerprint(CHECK, item, KIND, message)
    assert first == fingerprint(CHECK, item, KIND, message)
    assert re.fullmatch(r"v1-[0-9a-f]{16}", first)
    assert len(normalise(message)) <= 1_024
