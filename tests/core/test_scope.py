"""The path guard: which changed paths may enter a branch, and why the others may not."""

from __future__ import annotations

import time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairs.scope import CAUSES, Entry, Scope, Violation, Within, guard
from resolver.tree_paths import ALWAYS_PROTECTED, FAULTS, PathFault, is_protected, link_leaves, path_fault

TREE = frozenset(
    {"src/a.py", "src/b.py", "src/deep/c.py", "README.md", "docs/Guide.md", "conf/key.txt", "uv.lock", ".github/workflows/ci.yml", "größe.txt", "link"}
)  # fmt: skip
SCOPE = Scope(patterns=("src/**", "docs/*.md"), files=("README.md", "new file.txt"), protected=("conf/**", "*.lock"))


def judge(*entries: Entry, scope: Scope = SCOPE, tree: frozenset[str] = TREE) -> str:
    """`within`, or the rejected paths' causes."""
    result = guard(entries, scope, tree)
    if isinstance(result, Within):
        assert result.paths == tuple(entry.path for entry in entries)
        return "within"
    return " ".join(each.cause for each in result.rejected)


def modified(path: str) -> Entry:
    """A changed file."""
    return Entry(path=path, status="modified", mode="100644")


def added(path: str, mode: str = "100644", target: str | None = None) -> Entry:
    """A new file or link."""
    return Entry(path=path, status="added", mode=mode, link_target=target)


def removed(path: str, mode: str | None = None) -> Entry:
    """A file that is gone."""
    return Entry(path=path, status="removed", mode=mode)


ONE = [
    (modified("src/a.py"), "within"),
    (modified("src/deep/c.py"), "within"),
    (added("src/new.py"), "within"),
    (added("src/run.sh", "100755"), "within"),
    (removed("src/a.py"), "within"),
    (modified("README.md"), "within"),
    (added("new file.txt"), "within"),
    (added("docs/new.md"), "within"),
    (modified("docs/Guide.md"), "within"),
    (added("docs/sub/new.md"), "scope"),
    (modified("größe.txt"), "scope"),
    (added("srcs/a.py"), "scope"),
    (added("README.md.bak"), "scope"),
    (added("readme.md"), "scope"),
    (modified("conf/key.txt"), "protected"),
    (removed("conf/key.txt"), "protected"),
    (modified("uv.lock"), "protected"),
    (modified(".github/workflows/ci.yml"), "protected"),
    (removed(".github/workflows/ci.yml"), "protected"),
    (added(".github/CODEOWNERS"), "protected"),
    (added(".GITHUB/workflows/x.yml"), "protected"),
    (added(".github"), "protected"),
    (added("./.github/workflows/x.yml"), "outside"),
    (added(".github./workflows/x.yml"), "ending"),
    (added(".github /workflows/x.yml"), "ending"),
    (added(".git\u200dhub/workflows/x.yml"), "hidden"),
    (added("\uff0egithub/workflows/x.yml"), "protected"),
    (added("src/../.github/workflows/x.yml"), "outside"),
    (added("src/../../x"), "outside"),
    (added("../x"), "outside"),
    (added("/src/x"), "absolute"),
    (added("~/x"), "absolute"),
    (added("c:/src/x"), "absolute"),
    (added("src\\x"), "backslash"),
    (added("src//x"), "uneven"),
    (added("src/x/"), "uneven"),
    (added(""), "empty"),
    (added("  "), "empty"),
    (added("src/a\nb"), "hidden"),
    (added("src/a\x00b"), "hidden"),
    (added("src/a\x7fb"), "hidden"),
    (added("src/\u202eyp.a"), "hidden"),
    (added("src/a\u2066b"), "hidden"),
    (added("src/a\u200bb"), "hidden"),
    (added("src/a\ufeffb"), "hidden"),
    (added("src/a\u2028b"), "hidden"),
    (added("src/a\ud800b"), "hidden"),
    (added("src/.git/hooks/pre-commit"), "git"),
    (added("src/.GiT/config"), "git"),
    (added(".git"), "git"),
    (added("src/.git::$INDEX_ALLOCATION/x"), "git"),
    (added("src/GIT~1/config"), "git"),
    (added("src/.gitignore"), "within"),
    (added("src/a "), "ending"),
    (added("src/ a"), "ending"),
    (added("src/a."), "ending"),
    (added("src/" + "a" * 256), "long"),
    (added("src/" + "a" * 255), "within"),
    (added("src/" + "é" * 128), "long"),
    (added("src/" + "/".join(["a" * 200] * 21)), "long"),
    (added("src/sub", "160000"), "submodule"),
    (removed("src/a.py", "160000"), "submodule"),
    (added(".gitmodules"), "scope"),
    (added("src/x", "040000"), "mode"),
    (added("src/x", "100664"), "mode"),
    (Entry(path="src/x", status="added"), "mode"),
    (added("src/x", "120000", "a.py"), "within"),
    (added("src/x", "120000", "deep/c.py"), "within"),
    (added("src/deep/x", "120000", "../a.py"), "within"),
    (added("src/deep/x", "120000", "../../README.md"), "within"),
    (added("src/deep/x", "120000", "./c.py"), "within"),
    (added("src/deep/x", "120000", "../../.."), "symlink"),
    (added("src/deep/x", "120000", "../.."), "symlink"),
    (added("src/x", "120000", ".."), "symlink"),
    (added("src/x", "120000", "deep/"), "symlink"),
    (added("src/deep/x", "120000", "../../../x"), "symlink"),
    (added("src/x", "120000", "/etc/passwd"), "symlink"),
    (added("src/x", "120000", "~/x"), "symlink"),
    (added("src/x", "120000", "C:\\x"), "symlink"),
    (added("src/x", "120000", "C:/x"), "symlink"),
    (added("src/x", "120000", "..\\x"), "symlink"),
    (added("src/x", "120000", "deep/../../../x"), "symlink"),
    (added("src/x", "120000", "deep/../a.py"), "symlink"),
    (added("src/x", "120000", "../.git/config"), "symlink"),
    (added("src/x", "120000", ""), "symlink"),
    (added("src/x", "120000"), "symlink"),
    (added("src/x", "120000", "a\nb"), "symlink"),
    (added("src/A.py"), "clash"),
    (added("SRC/new.py"), "scope"),
    (added("src/Deep/new.py"), "clash"),
    (added("src/a.py/new.py"), "clash"),
    (added("src/deep"), "clash"),
    (added("docs/guide.md"), "clash"),
    (added("src/a.py"), "contradictory"),
    (modified("src/none.py"), "contradictory"),
    (removed("src/none.py"), "contradictory"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "expected"), ONE, ids=[f"{expected}-{number}" for number, (_, expected) in enumerate(ONE)]
)
def test_one_path(entry: Entry, expected: str):
    """Each changed path of the table passes or is rejected for the cause beside it."""
    assert judge(entry) == expected


SEVERAL = [
    ("nothing", [], "within"),
    ("all in scope", [modified("src/a.py"), added("src/n.py"), removed("src/b.py")], "within"),
    ("one outside spoils all", [modified("src/a.py"), modified("größe.txt"), modified("uv.lock")], "scope protected"),
    ("a rename inside", [removed("src/a.py"), added("src/z.py")], "within"),
    ("a rename out", [removed("src/a.py"), added("z.py")], "scope"),
    ("a rename in", [removed("größe.txt"), added("src/z.py")], "scope"),
    ("a rename of the letters' case", [removed("src/a.py"), added("src/A.py")], "within"),
    ("a new file beside a changed one", [modified("src/a.py"), added("src/A.py")], "clash"),
    ("listed twice", [modified("src/a.py"), modified("src/a.py")], "twice"),
    ("two new files that clash", [added("src/x.py"), added("src/X.py")], "clash clash"),
    ("two new folders that clash", [added("src/x/1.py"), added("src/X/2.py")], "clash clash"),
    ("two Unicode forms", [added("src/\u00e9.py"), added("src/e\u0301.py")], "clash clash"),
    ("sharp s", [added("src/stra\u00dfe.py"), added("src/STRASSE.py")], "clash clash"),
    ("a file becomes a folder", [removed("src/a.py"), added("src/a.py/x.py")], "within"),
    ("a folder becomes a file", [removed("src/deep/c.py"), added("src/deep")], "within"),
    ("a folder becomes a link", [added("src/deep", "120000", "../docs")], "clash"),
    ("a new file behind a new link", [added("src/l", "120000", "deep"), added("src/l/x.py")], "clash clash"),
]  # fmt: skip


@pytest.mark.parametrize(("entries", "expected"), [row[1:] for row in SEVERAL], ids=[row[0] for row in SEVERAL])
def test_several_paths(entries: list[Entry], expected: str):
    """A change passes whole or not at all, and every rejected path of it is named."""
    assert judge(*entries) == expected


def test_too_many_files():
    """A change too large to be judged is refused whole."""
    entries = [added(f"src/{number}.py") for number in range(1001)]
    assert judge(*entries) == "too-many"
    assert judge(*entries[:1000]) == "within"


def test_a_pre_existing_clash_is_nobodys_fault():
    """Changing a file whose clash was there before is allowed: the change does not make it."""
    assert (
        judge(modified("src/net.h"), scope=Scope(patterns=("**",)), tree=frozenset({"src/net.h", "src/NET.h"}))
        == "within"
    )


def test_the_whole_repository_in_scope_is_not_all():
    """A scope of everything still leaves out what is always protected, and git's own files."""
    everything = Scope(patterns=("**",))
    for path in (".github/a", ".git/config", "src/.gitmodules/../x", ".gitmodules"):
        assert judge(added(path), scope=everything) != "within"
    assert judge(added("any/where"), scope=everything) == "within"


def test_nothing_in_scope_lets_nothing_pass():
    """Without a scope no path passes."""
    assert judge(modified("src/a.py"), scope=Scope()) == "scope"


def test_an_answered_file_is_exact():
    """A file that a person answered widens to itself, not to what it might match or contain, and never to a protected path."""
    scope = Scope(
        files=("src", "docs/*", "conf/key.txt", ".github/workflows/ci.yml", "src/b.py"), protected=("conf/**",)
    )
    assert judge(modified("src/b.py"), scope=scope) == "within"
    assert judge(modified("src/a.py"), scope=scope) == "scope"
    assert judge(modified("docs/Guide.md"), scope=scope) == "scope"
    assert judge(modified("conf/key.txt"), scope=scope) == "protected"
    assert judge(modified(".github/workflows/ci.yml"), scope=scope) == "protected"


def test_the_class_of_a_violation():
    """A protected path weighs more than one that is only outside."""
    for entries, expected in (
        ((modified("größe.txt"),), "fixer-scope-violation"),
        ((modified("größe.txt"), modified("uv.lock")), "protected-path-touched"),
    ):
        result = guard(entries, SCOPE, TREE)
        assert isinstance(result, Violation)
        assert result.fail_class == expected


def test_every_cause_has_words():
    """Nothing is rejected without a sentence for people."""
    assert set(FAULTS) == set(get_args(PathFault))
    used = {
        cause for _, expected in [*ONE, *((None, expected) for _, _, expected in SEVERAL)] for cause in expected.split()
    }
    assert used - {"within"} | {"too-many"} == set(CAUSES)


PROTECTED = [
    ("conf/key.txt", True),
    ("CONF/Key.txt", True),
    ("conf", True),
    ("conf.txt", False),
    ("a/conf/key.txt", False),
    ("uv.lock", True),
    ("UV.LOCK", True),
    ("a/uv.lock", False),
    ("conf:stream/x", True),
    ("\uff43onf/key.txt", True),
    (".github/x/y", True),
    (".github", True),
    ("a/.github/x", False),
    (".githubs/x", False),
]


@pytest.mark.parametrize(("path", "expected"), PROTECTED)
def test_protected_paths(path: str, expected: bool):
    """Protection looks through letter case, Unicode forms and streams, and covers the folder's own place."""
    assert is_protected(path, SCOPE.protected) is expected


@given(st.text(max_size=30))
def test_a_fit_path_stays_inside(path: str):
    """Whatever text is called fit: relative, normal, visible, and never through `..` or `.git`."""
    if path_fault(path) is None:
        parts = path.split("/")
        assert not {"", ".", "..", ".git"} & {part.casefold() for part in parts}
        assert "\\" not in path
        assert path.isprintable() or " " in path or any(char.isspace() for char in path)
        assert path == path.strip()


PARTS = st.sampled_from(["..", ".", "a", "b", ".git", "", "~"])


@given(st.lists(PARTS, min_size=1, max_size=6), st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=3))
def test_a_link_that_may_be_made_ends_inside(target: list[str], path: list[str]):
    """A link that is allowed resolves, part by part, without ever leaving the tree or entering git's files."""
    if link_leaves("/".join(path), "/".join(target)):
        return
    here = path[:-1]
    for part in target:
        if part == "..":
            assert here
            here = here[:-1]
        elif part != ".":
            here = [*here, part]
    assert ".git" not in here
    assert "" not in here


@given(st.lists(st.builds(Entry, path=st.text(alphabet="aA./\\.github\u0301é", max_size=12), status=st.sampled_from(["added", "modified", "removed"]), mode=st.sampled_from([None, "100644", "120000", "160000"]), link_target=st.sampled_from([None, "a", "../.."])), max_size=4))  # fmt: skip
def test_what_passes_is_in_scope_and_fit(entries: list[Entry]):
    """Whatever is changed, a change that passes has only fit, unprotected paths of the scope."""
    result = guard(entries, Scope(patterns=("a/**",), files=("b",)), frozenset({"a/a", "b", ".github/a"}))
    if isinstance(result, Within):
        for entry in entries:
            assert entry.path == "b" or entry.path.startswith("a/")
            assert path_fault(entry.path) is None
            assert not is_protected(entry.path, ALWAYS_PROTECTED)
            assert entry.mode != "160000"


def test_a_large_tree_is_judged_quickly():
    """A thousand changes against a hundred thousand files take about a second at most."""
    tree = frozenset(f"d{number % 300}/e{number % 7}/f{number}.py" for number in range(100_000))
    entries = [added(f"d{number % 300}/new{number}.py") for number in range(1000)]
    before = time.process_time()
    assert isinstance(guard(entries, Scope(patterns=("**",)), tree), Within)
    assert time.process_time() - before < 3
