"""The `failres` block of a description: where it is found, what it may say, and what follows for the task's scope."""

from __future__ import annotations

import time

import pytest

from bot.plan_block import plan_in
from bot.words.plan import EXAMPLE, may_change
from resolver.config import parse_config
from resolver.decide import decide_pull
from resolver.decide.invalid_plan import plan_problems
from resolver.facts.decisions import DecisionRequested
from resolver.facts.resolve import ResolveDecided
from resolver.ids import PullNumber
from resolver.plan import Plan, read_plan
from tests.core.made import HEAD, config, files, pull, repo, state_of
from tests.core.test_resolving import LIMITS, of, red, settle

FENCE = "```"


def described(block: str, fence: str = FENCE, info: str = "failres") -> str:
    """A description whose block's text begins in line 4."""
    return f"Mends it.\n\n{fence}{info}\n{block}\n{fence}\n\nThanks."


@pytest.mark.parametrize(
    ("body", "scope", "lines"),
    [
        (described("scope:\n  - a.py\n  - src/**"), ("a.py", "src/**"), (5, 6)),
        (described("scope: [a.py, '[id].tsx']"), ("a.py", "[id].tsx"), (4, 4)),
        (described("scope: [a.py]", "~~~~", " Failres  more"), ("a.py",), (4,)),
        (described("scope: [a.py]").replace("\n", "\r\n"), ("a.py",), (4,)),
        (f"<details>\n\n{described('scope: [a.py]')}\n\n</details>", ("a.py",), (6,)),
        (EXAMPLE, ("src/shop.py", "tests/**"), (3, 4)),
    ],
)
def test_a_block_is_read_where_it_is_shown(body, scope, lines):
    """The paths, each with its line in the description."""
    assert plan_in(body) == Plan(scope=scope, lines=lines)


@pytest.mark.parametrize(
    "body",
    [
        None,
        "",
        "The failres block is missing.",
        "> ```failres\n> scope: [a.py]\n> ```",
        "- one\n\n  ```failres\n  scope: [a.py]\n  ```",
        "<!--\n```failres\nscope: [a.py]\n```\n-->",
        "````markdown\n```failres\nscope: [a.py]\n```\n````",
        "    ```failres\n    scope: [a.py]\n    ```",
        described("scope: [a.py]", info="failresx"),
    ],
)
def test_what_is_quoted_hidden_or_shown_as_an_example_is_no_block(body):
    """Only a fenced block of its own declares anything."""
    assert plan_in(body) is None


UNFIT = [
    ("scpoe: [a.py]", 4, "unknown key scpoe; did you mean scope?"),
    ("scope: [a.py]\nland: true", 5, "unknown key land; the only key is scope"),
    ("", 3, "scope is missing: the list of the paths that this task may change"),
    ("- a.py", 3, "the block must hold scope: and a list of paths"),
    ("scope: a.py", 4, "must be a list of paths, at least one, each after a hyphen"),
    ("scope: []", 4, "must be a list of paths, at least one, each after a hyphen"),
    ("scope:\n- a.py\n- 3", 6, "must be a path as text; put it in quotes"),
    ("scope:\n- a.py\n- b.py\n- a.py", 7, "a.py is written twice"),
    ("scope:\n- /etc/passwd", 5, "/etc/passwd cannot be used: it is not relative to the repository's root"),
    ("scope:\n- ../a.py", 5, "../a.py cannot be used: it has a . or .. part"),
    ("scope:\n- src/", 5, "src/ is a folder; src/** stands for all files in it"),
    ("scope:\n- .github/**", 5, ".github/** is protected: no task may change it"),
    ("scope:\n- .GitHub/x.yml", 5, ".GitHub/x.yml is protected: no task may change it"),
    ("scope:\n- a?.py", 5, "a?.py cannot be used: only * (any text without a slash) and ** (any text) are patterns"),
    ("scope:\n- '{a,b}'", 5, "{a,b} cannot be used: only * (any text without a slash) and ** (any text) are patterns"),
    ('scope:\n- "a\\u202e.py"', 5, "a?.py cannot be used: it has a character that cannot be seen"),
    ("scope: [a.py]\nscope: [b.py]", 5, "the key is written twice, first in line 4"),
    ("scope: &all [a.py]", 4, "anchors and aliases are not allowed"),
    ("scope: !!python/name:os.system []", 4, "tags are not allowed"),
    ("\tscope: []", 4, "not YAML: a tab cannot indent or begin a value; use spaces"),
    ("scope:\n" + "- a.py\n" * 300, 4, "must have at most 200 entries"),
]


@pytest.mark.parametrize(("block", "line", "message"), UNFIT, ids=range(len(UNFIT)))
def test_an_unfit_block_names_the_line(block, line, message):
    """Nothing of it is used, and what is said of it fits the description."""
    plan = plan_in(described(block))
    assert plan.scope == ()
    assert (plan.problems[0].line, plan.problems[0].message) == (line, message)


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("```failres\nscope: [a.py]\n", 1, "the block has no end: ``` is missing after its last line"),
        ("```failres\nscope: [a.py]\n~~~", 1, "the block has no end: ``` is missing after its last line"),
        (2 * f"{described('scope: [a.py]')}\n\n", 11, "a second failres block is not allowed; the first is in line 3"),
    ],
)
def test_a_block_without_an_end_or_a_second_one_is_refused(body, line, message):
    """Whoever reads the page sees another thing than one block."""
    (problem,) = plan_in(body).problems
    assert (problem.line, problem.message) == (line, message)


def test_secrets_in_a_block_are_not_kept():
    """What is wrong with it repeats no token."""
    token = "ghp_" + "a1B2" * 9
    assert token not in str(plan_in(described(f"{token}: 1\nscope: [/{token}]")))


@pytest.mark.parametrize(
    "text",
    [
        ">" * 60_000 + "\n```failres\n",
        "```failres\n```\n" * 4_000,
        described("[" * 60_000),
        "- " * 30_000 + "\n\n```failres\nscope: []\n```",
        "<!--" * 15_000 + "\n\n```failres\n",
        described("scope:\n" + "- '{{{{{{{'\n" * 4_500),
        "```failres " * 5_900,
    ],
    ids=range(7),
)
def test_a_hostile_description_takes_bounded_time(text):
    """At GitHub's limit of 65,536 characters."""
    began = time.process_time()
    plan_in(text)
    assert time.process_time() - began < 2.0


# What follows for the scope.

RULES = 'managed: {branches: ["**"]}\nscope: [{branches: "plan/**", paths: ["docs/**"]}]\n'
DECLARED = read_plan("scope: [src/**]")


def scope_of(*facts):
    """The scope after these facts."""
    return state_of(*facts).pulls[7].scope


def ruled(text: str = RULES):
    """The base's configuration."""
    return config(found=True, settings=parse_config(text))


def test_the_scope_is_the_block_else_the_rule_else_the_files():
    """In the order of the specification, each told as what it is."""
    block, branch = pull(plan=DECLARED), pull(head_ref="plan/tax--one")
    assert scope_of(block, ruled(), files()).patterns == (("src/**",),)
    assert scope_of(branch, ruled(), files()).patterns == (("docs/**",),)
    seen = scope_of(pull(), ruled(), files(7, HEAD, "src/a.py"))
    assert (seen.source, seen.holds("src/a.py"), seen.holds("src/b.py")) == ("files", True, False)
    assert (
        may_change(seen)
        == "The task may change `src/a.py`, which are the files that it changed when it was first seen."
    )


def test_a_configuration_that_is_read_late_settles_the_scope_once():
    """Its rule comes before the files of the first sight; a rule that is changed later changes nothing."""
    branch = pull(head_ref="plan/tax--one")
    late = (branch, files(7, HEAD, "src/a.py"), ruled())
    assert scope_of(*late).patterns == (("docs/**",),)
    assert scope_of(*late, ruled(RULES.replace("docs/**", "**"))).patterns == (("docs/**",),)
    first = (branch, files(7, HEAD, "src/a.py"), ruled('managed: {branches: ["**"]}\n'))
    assert scope_of(*first, ruled()).source == "files"


@pytest.mark.parametrize(
    "text", ["scope: ['**']", "scope: [src/**, docs/**]", "scope: [src/a.py]", "scope: [other.py]"]
)
def test_later_blocks_only_narrow(text):
    """Whatever the description says later, nothing comes in that was not in before."""
    before = scope_of(pull(plan=DECLARED))
    after = scope_of(pull(plan=DECLARED), pull(plan=read_plan(text), updated_at=200.0), pull(updated_at=300.0))
    for path in ("src/a.py", "src/deep/b.py", "docs/x.md", "other.py"):
        assert before.holds(path) or not after.holds(path)
        assert after.holds(path) == (before.holds(path) and scope_of(pull(plan=read_plan(text))).holds(path))


def test_a_block_that_comes_later_narrows_the_files_and_an_unfit_one_freezes_nothing():
    """Until it is corrected there is no scope; then its first fit form is the first sight."""
    narrowed = scope_of(pull(), ruled(), files(7, HEAD, "src/a.py", "b.py"), pull(plan=DECLARED, updated_at=200.0))
    assert [path for path in ("src/a.py", "b.py", "src/c.py") if narrowed.holds(path)] == ["src/a.py"]
    unfit = (pull(plan=read_plan("scope: [../x]")), ruled(), files())
    assert scope_of(*unfit) is None
    assert scope_of(*unfit, pull(plan=DECLARED, updated_at=200.0)).patterns == (("src/**",),)


def test_what_the_configuration_protects_is_a_problem_of_the_block():
    """Only the base's file tells which paths those are."""
    guarded = ruled('managed: {branches: ["**"]}\nprotectedPaths: [deploy/**]\n')
    state = state_of(repo(), pull(plan=read_plan("scope:\n- src/**\n- deploy/run.sh", 4)), guarded)
    (problem,) = plan_problems(state, state.pulls[7])
    assert (problem.line, problem.message) == (6, "deploy/run.sh is protected: no task may change it")


@pytest.mark.parametrize("extra", [{"head_repo_id": 2}, {"state": "closed"}])
def test_nobody_is_asked_about_a_block_where_nothing_would_be_done(extra):
    """A fork is explained only, and what is closed needs no scope."""
    state = state_of(*red(), pull(plan=read_plan("scope: [../x]"), updated_at=300.0, **extra))
    assert of(ResolveDecided, settle(state, 400.0)[1]) == []


def test_the_rest_of_a_run_waits_for_the_block_of_one_task():
    """The row is of the run: a sibling is held with a reason that names where to look, and is let go afterwards."""
    unfit = pull(number=8, head_ref="plan/tax--two", head_sha="8" * 40, plan=read_plan("scope: [../x]"))
    state = state_of(*red()[:3], pull(head_ref="plan/tax--one", updated_at=110.0), *red()[4:], unfit)
    state, facts, _, _ = settle(state, 400.0)
    assert of(ResolveDecided, facts) == []
    told = decide_pull(state, PullNumber(7), 400.0, LIMITS)
    held = [each.report.held for each in told.actions if hasattr(each, "report") and each.report.held]
    assert {each.reason for each in held} == {"the `failres` block of #8, which is of the same run, cannot be used"}
    due = decide_pull(state, PullNumber(8), 400.0, LIMITS)
    assert [(each.fail_class, each.of_run) for each in of(ResolveDecided, due.facts)] == [("plan-invalid", "tax")]
    assert len(of(DecisionRequested, due.facts)) == 1
