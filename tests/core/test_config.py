"""The repository's configuration: its defaults, every key, what is refused with which line, and its command."""

from __future__ import annotations

import argparse
import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema_rs
import pytest
import yaml
from pydantic.alias_generators import to_snake

import bot.cli.config as command
from resolver.config import ConfigProblems, RepoConfig, duration, matches, parse_config, parse_config_bytes
from resolver.config import sections as part
from resolver.config.text import read_text
from resolver.config.unread import NOT_READ, unread

if TYPE_CHECKING:
    from pydantic import BaseModel

CORE = Path(__file__).parent
RESOLVER = CORE.parents[1] / "resolver"
EXAMPLE = (RESOLVER / "failres.example.yml").read_text()
OPPOSITE = (CORE / "failres.opposite.yml").read_text()
CODE = [
    path
    for folder in ("bot", "resolver", "repairs")
    for path in (CORE.parents[1] / folder).rglob("*.py")
    if not {"sandbox", "config"} & set(path.parts) and not path.name.startswith("config")
]


def read(text: str) -> RepoConfig:
    """The configuration of a text that must be in order."""
    result = parse_config(text)
    assert isinstance(result, RepoConfig), result
    return result


def told(text: str) -> list[str]:
    """The problems of a text as `line:column path: message`."""
    result = parse_config(text)
    assert isinstance(result, ConfigProblems), result
    return [f"{each.line}:{each.column} {each.path}: {each.message}" for each in result.problems]


def leaves(model: BaseModel, path: str = "") -> dict[str, object]:
    """Every setting of a model by its path in the file."""
    found: dict[str, object] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        at = f"{path}{field.alias}"
        found |= leaves(value, f"{at}.") if isinstance(value, part.Section) else {at: value}
    return found


@pytest.mark.parametrize("text", ["", "# only a comment\n", "{}", "---\n", "\ufeffenabled: true\n"])
def test_an_empty_file_gives_the_defaults(text: str):
    """A file that says nothing changes nothing."""
    assert read(text) == RepoConfig()


def test_the_specification_defaults():
    """The figures that the specification names stand as it names them, in seconds where they are times."""
    config = RepoConfig()
    assert {config.mode.of(kind) for kind in ("rerun", "probe", "sync", "fix", "repair", "land", "labels")} == {
        "observe"
    }
    assert (config.comments.per_pull_and_day, config.comments.per_repository_and_hour) == (3, 30)
    assert (config.attribution.freshness, config.attribution.job_level_executions) == (6 * 3600, 2)
    assert (config.repair.max_opened, config.repair.max_landed, config.repair.freeze_for) == (5, 3, 24 * 3600)
    assert (config.budget.max_resolutions, config.budget.max_resolutions_per_run) == (3, 10)
    assert (config.ledger.evidence_runs, config.ledger.workflow_reruns, config.ledger.rerun_pause) == (3, 5, 1200)
    assert (config.llm.enabled, config.flake.may_land, config.managed.land, config.labels) == (False, False, False, ())
    assert config.protected == (".github/**",)


def test_the_example_file_writes_every_key_with_its_default():
    """People copy the example: it must be complete, and copying it must change nothing."""
    assert read(EXAMPLE) == RepoConfig()
    written = yaml.safe_load(EXAMPLE)
    for path in leaves(RepoConfig()):
        value = written
        for key in path.split("."):
            assert key in value, path
            value = value[key]


def test_the_opposite_file_changes_every_key():
    """Every key of the model can be set from a file, and is read into its own place."""
    default, other = leaves(RepoConfig()), leaves(read(OPPOSITE))
    assert [path for path in default if default[path] == other[path]] == []


def test_the_parts_of_lists_are_all_set_in_the_opposite_file():
    """The keys of list entries are covered like those of the sections."""
    config = read(OPPOSITE)
    for entry in (config.gate.progress[0], config.scope[0], config.stall.budgets[0], config.adapters[0]):
        fields = type(entry).model_fields
        assert [name for name, field in fields.items() if getattr(entry, name) == field.default] == []


def test_a_configuration_survives_json():
    """What the journal keeps of a configuration reads back as the same value, from text and from parsed JSON."""
    config = read(OPPOSITE)
    text = config.model_dump_json(by_alias=True)
    assert RepoConfig.model_validate_json(text) == config
    assert RepoConfig.model_validate(json.loads(text)) == config


def test_what_nothing_reads_is_named_in_the_example_and_by_the_check():
    """A setting that changes nothing is told to whoever sets it: no key is without a reader and without that word."""
    lines, places = EXAMPLE.splitlines(), read_text(EXAMPLE).places
    marked = {".".join(map(str, key)) for key, (line, _) in places.items() if "changes nothing yet" in lines[line - 1]}
    assert marked == set(NOT_READ)
    read_names = {
        node.attr for path in CODE for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)
    }
    idle = {key for key in leaves(RepoConfig()) if to_snake(key.rpartition(".")[2]) not in read_names}
    whole = {key for key in idle if not key.startswith(NOT_READ)}
    assert whole == {"protectedPaths"}, "nothing reads these, and the operator is not told (`protected` reads that one)"
    config = read("mode: {fix: act, sync: act}\nstory: {fixAttempts: 1}\n")
    assert unread(config) == ("mode.fix", "story")
    assert command.summary(config)[-1] == "set, but nothing in this version reads it: mode.fix, story"


def test_the_published_schema_is_current():
    """Editors check with the published schema, so it must follow the model."""
    published = (RESOLVER / "failres.schema.json").read_text()
    assert published == command.schema_text(), "stale: run `make schema`"


@pytest.mark.parametrize("text", [EXAMPLE, OPPOSITE])
def test_the_schema_accepts_what_is_accepted(text: str):
    """A file in order is in order for an editor too (PyYAML reads `off` as false, as YAML 1.1 had it; both are accepted)."""
    value = yaml.load(text, Loader=yaml.BaseLoader) if text is OPPOSITE else yaml.safe_load(text)
    errors = [error for error in _schema().iter_errors(value) if not _untyped(error.instance)]
    assert errors == []


def _untyped(value: object) -> bool:
    """The base loader leaves every scalar as text, so numbers and flags cannot be judged there."""
    return isinstance(value, str) and (value in ("true", "yes") or value.replace(".", "").isdigit())


def _schema() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(json.loads(command.schema_text()))


@pytest.mark.parametrize(
    "text",
    [
        "reppair: {}",
        "mode: {sync: often}",
        "repair: {maxOpened: 99}",
        "scope: [{branches: a}]",
        "attribution: {freshness: 7}",
    ],
)
def test_the_schema_refuses_what_is_refused(text: str):
    """An editor underlines what failres would refuse."""
    told(text)
    assert not _schema().is_valid(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("enabled: maybe", "1:1 enabled: must be true or false"),
        ("enabled: 1", "1:1 enabled: must be true or false"),
        ("\n\nreppair: {}", "3:1 reppair: unknown key reppair; did you mean repair?"),
        ("repair:\n  max_opened: 1", "2:3 repair.max_opened: unknown key max_opened; did you mean maxOpened?"),
        (
            "adapters:\n- {id: a, comand: x, command: y}",
            "2:11 adapters[0].comand: unknown key comand; did you mean command?",
        ),
        ("flake: {zzz: 1}", "1:9 flake.zzz: unknown key zzz; known are mayLand, window"),
        ("mode:\n  sync: acts", "2:3 mode.sync: must be 'observe', 'propose' or 'act'"),
        ("mode: act", "1:1 mode: must be a mapping of keys to values"),
        ("repair: {maxOpened: 21}", "1:10 repair.maxOpened: must be at most 20"),
        ("repair: {maxOpened: -1}", "1:10 repair.maxOpened: must be at least 0"),
        ("repair: {maxOpened: 1.5}", "1:10 repair.maxOpened: must be a whole number"),
        ('repair: {maxOpened: "1"}', "1:10 repair.maxOpened: must be a whole number"),
        ("repair: {maxOpened: true}", "1:10 repair.maxOpened: must be a whole number"),
        ("repair: {maxOpened: 99999999999999999999}", "1:10 repair.maxOpened: must be a whole number"),
        (
            "attribution: {freshness: 6}",
            "1:15 attribution.freshness: must be a duration with its unit, such as 90s, 20m, 6h or 14d",
        ),
        ("attribution: {freshness: 6w}", "1:15 attribution.freshness: must be a duration such as 90s, 20m, 6h or 14d"),
        ("attribution: {freshness: 7d}", "1:15 attribution.freshness: must be at most 1d"),
        ("ledger: {rerunPause: 1m}", "1:10 ledger.rerunPause: must be at least 20m"),
        ("gate: {required: [1.0]}", "1:19 gate.required[0]: must be text; put it in quotes"),
        ("gate: {required: test}", "1:8 gate.required: must be a list"),
        ("scope:\n- branches: a", "2:3 scope[0].paths: is missing"),
        ("scope:\n- {branches: a, paths: []}", "2:17 scope[0].paths: must not be empty"),
        ("stall: {budgets: [{check: a}]}", "1:19 stall.budgets[0].budget: is missing"),
        ("managed: {authors: ['@me']}", "1:21 managed.authors[0]: must be a GitHub login, without @"),
        ('managed: {labels: ["a\\nb"]}', "1:20 managed.labels[0]: must be one line of 1 to 200 characters"),
        ('managed: {labels: ["a\\n"]}', "1:20 managed.labels[0]: must be one line of 1 to 200 characters"),
        ("[enabled]", "1:1 : the file must be a mapping of keys to values"),
        ("just words", "1:1 : the file must be a mapping of keys to values"),
    ],
)
def test_a_problem_names_its_line_and_what_to_write(text: str, problem: str):
    """One fault, one sentence, at its place."""
    assert told(text) == [problem]


@pytest.mark.parametrize("path", ["/etc", "../up", "a//b", "a/./b", "a\\b", "a/"])
def test_paths_stay_inside_the_repository(path: str):
    """A path that could leave the tree is refused wherever a path is read."""
    for text in (
        f"protectedPaths: ['{path}']",
        f"problemMatchers: ['{path}']",
        f"scope: [{{branches: a, paths: ['{path}']}}]",
    ):
        (problem,) = told(text)
        assert "must be a path inside the repository" in problem


@pytest.mark.parametrize("pattern", ["(?=a)", r"(a)\1", "(", "(((a{1000}){1000}){1000})", "a" * 501])
def test_expressions_are_those_that_run_in_linear_time(pattern: str):
    """What RE2 cannot run is refused when the file is read, not when a log arrives."""
    (problem,) = told(f"gate: {{progress: [{{check: a, item: '{pattern}'}}]}}")
    assert problem.startswith("1:30 gate.progress[0].item: ")


def test_an_address_is_no_destination_and_is_not_repeated():
    """A webhook's address is a secret: a file that holds one is refused without showing it."""
    (problem,) = told("notifications: {destinations: ['https://hooks.example.org/T000/SECRET']}")
    assert "not an address" in problem
    assert "SECRET" not in problem


def test_an_adapter_id_is_used_once():
    """The second use is the one that is named."""
    text = "adapters:\n- {id: a, command: x}\n- {id: b, command: x}\n- {id: a, command: y}"
    assert told(text) == ["4:4 adapters[2].id: is used by an earlier adapter"]


def test_problems_come_in_the_order_of_the_file_and_are_capped():
    """Twenty are enough to mend; the rest is counted."""
    lines = told("\n".join(f"key{number}: 1" for number in range(30)))
    assert [line.split(":")[0] for line in lines] == [str(number) for number in range(1, 21)]
    assert lines[-1].endswith("; 10 more problems are not shown")


@pytest.mark.parametrize(
    ("word", "value"), [("off", False), ("No", False), ("on", True), ("yes", True), ("false", False)]
)
def test_the_kill_switch_is_understood_in_every_spelling(word: str, value: bool):
    """`enabled: off` must never be read as on."""
    assert read(f"enabled: {word}").enabled is value


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("plan/**", "plan/a/b", True),
        ("plan/*", "plan/a", True),
        ("plan/*", "plan/a/b", False),
        ("**/x.py", "x.py", True),
        ("src/**/x.py", "src/a/b/x.py", True),
        ("src/**/x.py", "src/ax.py", False),
        ("a.b", "axb", False),
        ("test (*)", "test (3.11)", True),
        ("Test", "test", False),
        ("**", "line\nbreak", True),
        ("*", "\ud800", True),
    ],
)
def test_what_a_pattern_matches(pattern: str, name: str, expected: bool):
    """`*` stops at a slash, `**` does not, and everything else is itself."""
    assert matches(pattern, name) is expected


@pytest.mark.parametrize("text", ["1s", "90s", "20m", "6h", "14d"])
def test_durations_are_shown_as_they_are_written(text: str):
    """A message speaks of 20m where the file does."""
    config = read(f"stall: {{grace: {text}}}") if text in ("1s", "90s") else read("")
    shown = {duration(config.stall.grace), duration(1200), duration(6 * 3600), duration(14 * 86400)}
    assert text in shown


def _run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers(required=True))
    args = parser.parse_args(["config", *words])
    status: int = args.run(args)
    return status


def test_the_command_names_file_line_and_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Its lines are those that editors jump to."""
    file = tmp_path / "failres.yml"
    file.write_text("enabled: true\nmode:\n  sinc: act\n")
    assert _run("check", str(file)) == 1
    assert capsys.readouterr().out == f"{file}:3:3: mode.sinc: unknown key sinc; did you mean sync?\n"


def test_the_command_says_what_is_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A file in order is answered with what it turns on, beginning with the kill switch."""
    file = tmp_path / "failres.yml"
    file.write_text("mode: {rerun: act}\nmanaged: {branches: [plan/**]}\n")
    assert _run("check", str(file)) == 0
    words = ["OK", "failres explains red checks", "rerun: act", "manages plan/**", "model: off"]
    assert capsys.readouterr().out.splitlines() == [f"{file}: OK", *(f"  {word}" for word in words[1:])]
    file.write_text("enabled: false\nmode: {rerun: act}\n")
    assert _run("check", str(file)) == 0
    assert "rerun" not in capsys.readouterr().out


def test_the_command_speaks_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """One object, with every problem's place."""
    file = tmp_path / "failres.yml"
    file.write_bytes(b"enabled: true\nllm: {x\xff: 1}\n")
    assert _run("check", str(file), "--json") == 1
    told_json = json.loads(capsys.readouterr().out)
    problem = {"line": 2, "column": 8, "path": "", "message": "the file is not UTF-8"}
    assert told_json == {"file": str(file), "ok": False, "problems": [problem], "changesNothing": [], "notRead": []}


def test_a_file_that_cannot_be_read_is_an_error_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Not there and a folder: status 2 and the system's reason, no trace."""
    assert _run("check", str(tmp_path / "none.yml")) == 2
    assert _run("check", str(tmp_path)) == 2
    assert capsys.readouterr().err.count("cannot be read") == 2


def test_bytes_are_measured_before_they_are_read():
    """64 KiB is the limit, counted in bytes."""
    fits = b"#" * (64 * 1024)
    assert isinstance(parse_config_bytes(fits), RepoConfig)
    result = parse_config_bytes(fits + b"#")
    assert isinstance(result, ConfigProblems)
    assert result.problems[0].message == "the file is larger than 64 KiB"
