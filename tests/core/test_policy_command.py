"""`failres policy`: what it prints for people and for programs."""

from __future__ import annotations

import argparse
import json

import pytest

import bot.cli.policy as command
from resolver.policy import POLICY, as_json


def printed(*, as_list: bool, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command prints."""
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["policy", *(["--json"] if as_list else [])])
    assert args.run(args) == 0
    return capsys.readouterr().out


def test_the_command_prints_the_design(capsys: pytest.CaptureFixture[str]):
    """`failres policy --json` is the table, which `test_policy.py` compares with the design's, as JSON with null for a dash."""
    told = json.loads(printed(as_list=True, capsys=capsys))
    assert told == as_json()
    assert len(told) == 34
    assert told[0] == {
        "failClass": "dep-provision-failed",
        "scope": "task",
        "attempts": ["env-repair:provision-deps", "escalate", None],
    }
    assert told[3]["attempts"] == ["resume", "LLM", "escalate"]


def test_the_command_prints_every_row_for_people(capsys: pytest.CaptureFixture[str]):
    """The table for people has each row's cells in a line, and says what goes with them."""
    lines = printed(as_list=False, capsys=capsys).splitlines()
    for row in POLICY.row:
        assert [row.fail_class, row.scope, *row.attempts] in [line.split() for line in lines]
    text = "\n".join(lines)
    assert "(dead runner, no class)     task     resume" in text
    assert "budget-exceeded (run): pause-run first" in text
    assert "adapter-contract-violation (adapter): attempt 1 also: degrade-adapter" in text
    assert "fix-flaky-test" in text
