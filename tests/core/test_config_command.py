"""Which names are meant to be the configuration, and what `failres config check` says of them."""

import json

import pytest

from bot.cli.main import main
from resolver.config.misnamed import misnamed


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        (".github/failres.yml", False),
        (".github/failres.yaml", True),
        (".github/Failres.yml", True),
        (".github/failres.json", True),
        ("failres.yml", True),
        (".failres.yaml", True),
        (".github/workflows/failres.yml", False),
        ("docs/failres.yml", False),
        ("failres.py", False),
    ],
)
def test_names_that_are_meant_and_not_read(path, meant):
    """A workflow may have any name, and so may a file elsewhere."""
    assert misnamed((path,)) == ((path,) if meant else ())


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout, as the place where the command is called."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".github").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_checkout_without_the_file_is_told_what_stands_there_instead(checkout, capsys):
    """Neither file nor argument: what is missing is named, and what it should be made of."""
    assert main(["config", "check"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        ".github/failres.yml: cannot be read: No such file or directory",
        "Without .github/failres.yml on the base branch, every default holds.",
    ]
    (checkout / "failres.yml").write_text("enabled: true\n")
    assert main(["config", "check", "."]) == 2
    assert capsys.readouterr().err.splitlines()[1:] == [
        "failres does not read failres.yml: rename it to .github/failres.yml"
    ]


def test_a_file_with_a_wrong_name_is_not_in_order(checkout, capsys):
    """Whatever it holds, it changes nothing."""
    (checkout / ".github/failres.yaml").write_text("enabled: true\n")
    assert main(["config", "check", ".github/failres.yaml"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        ".github/failres.yaml: failres does not read this file; it reads .github/failres.yml alone"
    )
    assert main(["config", "check", "--json", ".github/failres.yaml"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["notRead"]) == (False, [".github/failres.yaml"])


def test_beside_the_right_file_a_wrong_one_is_named_and_outside_of_a_checkout_any_name_will_do(
    checkout, tmp_path, capsys
):
    """The right one counts, so that the status is that of its content."""
    (checkout / ".github/failres.yml").write_text("enabled: true\n")
    (checkout / "failres.yaml").write_text("enabled: true\n")
    assert main(["config", "check"]) == 0
    assert "failres.yaml: failres does not read this file" in capsys.readouterr().out
    (tmp_path / "loose").mkdir()
    (tmp_path / "loose/failres.yml").write_text("enabled: true\n")
    assert main(["config", "check", "loose/failres.yml"]) == 0
    assert "does not read" not in capsys.readouterr().out
