"""`failres journal`: what people and scripts read of the journal, and what they are told when it was changed."""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from bot.cli import journal
from bot.clock import ManualClock
from bot.store import Entry, open_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RECORDS = {
    "app": [Entry("installation.changed", {"active": True})],
    "repo:11": [
        Entry("repo.observed", {"fullName": "acme/old"}),
        Entry("repo.observed", {"fullName": "acme/shop"}),
        Entry("pull.observed", {"number": 7, "title": "bad \u001b[31m\u202e title"}),
        Entry("pull.observed", {"number": 70}),
        Entry("gate.attributed", {"taskId": "pr-7"}),
        Entry("resolve.outcome", {"pull": 7, "long": "x" * 500}),
    ],
    "repo:12": [
        Entry("repo.observed", {"fullName": "acme/other"}),
        Entry("task.quarantined", {"taskId": "acme/other#7"}),
    ],
}

Command = Any


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with three chains."""
    directory = tmp_path_factory.mktemp("filled")

    async def fill() -> None:
        store = await open_store(f"sqlite:///{directory}/failres.db", ManualClock())
        for key, entries in RECORDS.items():
            async with store.unit() as unit:
                await unit.append(key, entries)
        await store.close()

    asyncio.run(fill())
    return directory / "failres.db"


@pytest.fixture
def state(filled: Path, tmp_path: Path) -> Path:
    """A state directory with it."""
    shutil.copy(filled, tmp_path)
    return tmp_path


@pytest.fixture
def command(state: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, list[str], str]]:
    """Run the command on it; gives the exit status, the lines and the error text."""
    parser = argparse.ArgumentParser()
    journal.add_parser(parser.add_subparsers())

    def run(*arguments: str) -> tuple[int, list[str], str]:
        place = () if "--state" in arguments else ("--state", str(state))
        args = parser.parse_args(["journal", *arguments, *place])
        status = args.run(args)
        said = capsys.readouterr()
        return status, said.out.splitlines(), said.err

    return run


def _spoil(state: Path, statement: str) -> None:
    with closing(sqlite3.connect(state / "failres.db", isolation_level=None)) as connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    ("arguments", "seqs"),
    [
        ((), [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (("--repo", "11"), [2, 3, 4, 5, 6, 7]),
        (("--repo", "repo:11"), [2, 3, 4, 5, 6, 7]),
        (("--repo", "Acme/Shop"), [2, 3, 4, 5, 6, 7]),
        (("--repo", "app"), [1]),
        (("--pull", "7"), [4, 6, 7, 9]),
        (("--pull", "70"), [5]),
        (("--repo", "12", "--pull", "7"), [9]),
        (("--pull", "99"), []),
    ],
)
def test_records_are_chosen_by_repository_and_pull(
    command: Command, arguments: tuple[str, ...], seqs: list[int]
) -> None:
    """By number or present name of the repository, and by whichever word a record names its pull request."""
    status, lines, error = command(*arguments)
    assert (status, [int(line.split()[0]) for line in lines], error) == (0, seqs, "")
    status, lines, _ = command("--json", *arguments)
    assert [json.loads(line)["seq"] for line in lines] == seqs


def test_a_line_is_for_people_and_json_is_whole(command: Command) -> None:
    """A line shows time, key and kind, is cut, and holds no terminal codes; JSON gives every field."""
    _, lines, _ = command("--repo", "11")
    assert "2026-09-21 " in lines[2]
    assert "repo:11  pull.observed" in lines[2]
    assert not any(character in "".join(lines) for character in "\x1b\u202e")
    assert all(len(line) < 320 for line in lines)
    assert lines[5].endswith("…")
    row = json.loads(command("--repo", "11", "--json")[1][5])
    assert row["data"] == RECORDS["repo:11"][5].data
    assert set(row) == {"seq", "at", "key", "kind", "data", "once", "previous", "digest"}


def test_an_unknown_repository_is_told(command: Command) -> None:
    """A renamed repository is known by its present name; anything else is no empty success."""
    for name in ("acme/old", "13", "nonsense"):
        status, lines, error = command("--repo", name)
        assert (status, lines) == (1, [])
        assert f"knows no repository {name}" in error


def test_a_missing_store_is_told(command: Command, tmp_path: Path) -> None:
    """Exit status 2, and a sentence with what to do, instead of a new empty store."""
    status, lines, error = command("--state", str(tmp_path / "elsewhere"))
    assert (status, lines) == (2, [])
    assert "there is no such file. What to do: name the state directory" in error
    assert not (tmp_path / "elsewhere").exists()


def test_verify_says_which_chain_holds(command: Command, state: Path) -> None:
    """One line for each chain; a changed record is named and makes the exit status 1, for people and scripts."""
    assert command("--verify")[:2] == (
        0,
        [
            "app: the chain holds, 1 records",
            "repo:11: the chain holds, 6 records",
            "repo:12: the chain holds, 2 records",
        ],
    )
    _spoil(state, "UPDATE journal SET data = '{}' WHERE seq = 5")
    status, lines, _ = command("--verify")
    assert status == 1
    assert lines[1] == (
        "repo:11: The journal of repo:11 is corrupt at record 5: its content is not what its digest was made from."
    )
    assert "holds" in lines[0]
    assert "holds" in lines[2]
    status, lines, _ = command("--verify", "--json")
    assert status == 1
    assert [json.loads(line) for line in lines] == [
        {"key": "app", "ok": True, "records": 1},
        {
            "key": "repo:11",
            "ok": False,
            "records": 3,
            "corruptAt": 5,
            "why": "its content is not what its digest was made from",
        },
        {"key": "repo:12", "ok": True, "records": 2},
    ]
    assert command("--verify", "--repo", "12")[0] == 0


def test_printing_stops_at_damage_and_says_so(command: Command, state: Path) -> None:
    """Records before the damage are shown, those after it are not passed off as true; other chains go on."""
    _spoil(state, "DELETE FROM journal WHERE seq = 5")
    status, lines, error = command()
    assert status == 1
    assert [int(line.split()[0]) for line in lines] == [1, 2, 3, 4, 8, 9]
    assert "corrupt at record 6" in error
    assert command("--repo", "acme/shop")[0] == 1
