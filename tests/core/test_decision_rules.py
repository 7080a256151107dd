"""Questions and answers: what an answer needs to hold, what each refusal says, and that nothing else ever widens a scope."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands import read_commands
from bot.words.replies import forms, reply_refused
from resolver.answers import Accepted, Reason, Refused, check_answer, choose, widened
from resolver.commands import Answer, Permission, Sender, Standing
from resolver.decisions import (
    KINDS,
    OPTIONS,
    Asking,
    Circumstances,
    Decision,
    Head,
    Kind,
    ask,
    expired,
    is_open,
    kind_for,
)
from resolver.ids import Sha
from resolver.policy import ACTIONS
from resolver.taxonomy import TAXONOMY

H0, H1, H2, B0, B1 = (Sha(letter * 40) for letter in "abcde")
PERSON = Sender(id=1, login="ana")
WRITE = Standing(permission="write")
TREE = frozenset({"src/a.py", "src/deep/b.py", "app/[id]/page.tsx", "README.md", "docs/my notes.md", "secrets/key.txt"})
HERE = Circumstances(head=Head(sha=H0, pushed=H0), base=B0, files=TREE, protected=("secrets/**", "*.lock"))


def asked(kind: Kind = "scope", **more: object) -> Decision:
    """A decision on task t1 at head H0 and base B0, asked at 50 s."""
    values = {"number": 7, "task_id": "t1", "kind": kind, "fail_class": "fixer-scope-violation", "files": ("src/a.py",), "head": Head(sha=H0, pushed=H0), "base": B0}  # fmt: skip
    return ask(Asking.model_validate(values | more), now=50.0)


def answer(line: str) -> Answer:
    """A comment's only line as an answer."""
    (command,) = read_commands(line)
    assert isinstance(command, Answer), command
    return command


def told(result: Accepted | Refused) -> str:
    """`yes`, with files and action, or the reason of the refusal."""
    if isinstance(result, Refused):
        return result.reason
    return " ".join(["yes", *result.scope_files, str(result.action)])


FILES = [
    ("src/a.py", "yes src/a.py resume"),
    ("src/a.py,README.md", "yes src/a.py README.md resume"),
    ("src/new.py", "yes src/new.py resume"),
    ('"docs/my notes.md"', "yes docs/my notes.md resume"),
    ("app/[id]/page.tsx", "yes app/[id]/page.tsx resume"),
    ("größe.py", "yes größe.py resume"),
    ("app/[name]/page.tsx", "glob"),
    ("src/{a,b}.py", "glob"),
    ("src/*.py", "glob"),
    ("**", "glob"),
    ("src/?.py", "glob"),
    ("src/a.py,src/*.py", "glob"),
    ("src", "directory"),
    ("src/", "directory"),
    ("src/deep", "directory"),
    ("app/[id]", "directory"),
    ("new/", "directory"),
    ("src/a.py,src", "directory"),
    (".github/workflows/ci.yml", "protected"),
    (".GitHub/workflows/ci.yml", "protected"),
    (".github", "protected"),
    ("secrets/key.txt", "protected"),
    ("Secrets/other.txt", "protected"),
    ("poetry.lock", "protected"),
    ("src/a.py,secrets/key.txt", "protected"),
    ("../a.py", "bad-path"),
    ("src/../../a.py", "bad-path"),
    ("src/../src/a.py", "bad-path"),
    ("./src/a.py", "bad-path"),
    ("/etc/passwd", "bad-path"),
    ("/src/a.py", "bad-path"),
    ("~/a.py", "bad-path"),
    ("C:/a.py", "bad-path"),
    ("C:a.py", "bad-path"),
    ("src\\\\a.py", "bad-path"),
    ("src//a.py", "bad-path"),
    (".git/config", "bad-path"),
    ("src/.GIT/hooks/x", "bad-path"),
    ("GIT~1/config", "bad-path"),
    ('".git "', "bad-path"),
    ("src/a.py.", "bad-path"),
    ('" "', "bad-path"),
    ("src/a.py,src/a.py", "twice"),
    (",".join(f"f{number}.py" for number in range(50)), "yes " + " ".join(f"f{number}.py" for number in range(50)) + " resume"),
    (",".join(f"f{number}.py" for number in range(51)), "too-many"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "expected"), FILES)
def test_files_that_an_answer_may_name(written: str, expected: str):
    """Exact, unprotected paths of files inside the repository widen; one wrong path among them refuses the whole answer."""
    result = check_answer(asked(), answer(f"/failres answer scopeFiles={written}"), PERSON, WRITE, HERE)
    assert told(result) == expected


@pytest.mark.parametrize(
    ("permission", "expected"),
    [("none", "no-rights"), ("read", "no-rights"), ("triage", "no-rights"), (None, "rights-unread"), ("write", "yes src/a.py resume"), ("maintain", "yes src/a.py resume"), ("admin", "yes src/a.py resume")],
)  # fmt: skip
def test_rights(permission: Permission | None, expected: str):
    """Write access at the time of reading, or nothing; not told is not proven."""
    result = check_answer(
        asked(), answer("/failres answer scopeFiles=src/a.py"), PERSON, Standing(permission=permission), HERE
    )
    assert told(result) == expected


@pytest.mark.parametrize(
    ("kind", "line", "expected"),
    [
        ("scope", "scopeFiles=src/a.py", "not-for-apps"),
        ("scope", "accept", "not-for-apps"),
        ("fix-flaky-test", "noted", "not-for-apps"),
        ("landing", "try-again", "not-for-apps"),
        ("base-repair", "try-again", "not-for-apps"),
        ("failure", "try-again", "yes resume"),
        ("failure", "scopeFiles=src/a.py", "not-for-apps"),
        ("run-paused", "try-again", "yes resume"),
    ],
)
@pytest.mark.parametrize(
    "by", [Sender(id=2, login="q[bot]", type="Bot", app_id=5), Sender(id=1, login="ana", app_id=5)]
)
def test_apps_never_decide_about_scope_or_gate(kind: Kind, line: str, expected: str, by: Sender):
    """Even an allowed App, or a person's words through one, answers only what touches neither scope nor gate."""
    assert told(check_answer(asked(kind), answer(f"/failres answer {line}"), by, WRITE, HERE)) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_options(kind: Kind):
    """Each kind takes its own options, with the action of the closed set that they stand for, and no other word."""
    decision = asked(kind)
    assert decision.question
    for word, action in OPTIONS.items():
        result = check_answer(decision, Answer(option=word), PERSON, WRITE, HERE)
        assert told(result) == (f"yes {action}" if word in decision.options else "no-such-option")
        assert action is None or action in ACTIONS
    assert told(check_answer(decision, Answer(option="weaken-gate"), PERSON, WRITE, HERE)) == "no-such-option"
    assert told(check_answer(decision, Answer(), PERSON, WRITE, HERE)) == "no-such-option"
    files = check_answer(decision, Answer(scope_files=("src/a.py",)), PERSON, WRITE, HERE)
    assert told(files) == ("yes src/a.py resume" if KINDS[kind].files else "files-not-asked")
    if not decision.options:
        return  # it only tells
    both = check_answer(decision, Answer(option=decision.options[0], scope_files=("src/a.py",)), PERSON, WRITE, HERE)
    assert told(both) == "no-such-option"


def test_every_class_asks_a_kind():
    """Each failure class, at each of its scopes, has a kind of question; some have their own."""
    kinds = {(key, scope): kind_for(key, scope) for key, row in TAXONOMY.items() for scope in row.scopes}
    special = {case: kind for case, kind in kinds.items() if kind != "failure"}
    assert special == {
        ("fixer-scope-violation", "task"): "scope",
        ("land-failed", "run"): "landing",
        ("land-blocked-unreviewed", "run"): "landing",
        ("budget-exceeded", "run"): "run-paused",
        ("plan-invalid", "run"): "plan",
        ("journal-corrupt", "run"): "stopped",
        ("not-a-git-repo", "run"): "reach",
        ("base-moved", "task"): "interrupted",
        ("journal-state-unknown", "task"): "interrupted",
        ("journal-append-failed", "task"): "interrupted",
    }
    assert set(kinds.values()) <= set(KINDS)


def test_only_what_is_offered():
    """A question offers what can be carried out; the rest of its kind's options is refused."""
    decision = asked("failure", offered=("accept", "noted"))
    assert decision.options == ("accept",)
    assert told(check_answer(decision, Answer(option="redo"), PERSON, WRITE, HERE)) == "no-such-option"


MOMENTS = [
    ("unchanged", {}, "yes src/a.py resume", "yes src/a.py resume"),
    ("our own commit on top", {"head": Head(sha=H1, pushed=H0)}, "yes src/a.py resume", "yes src/a.py resume"),
    ("a person's push", {"head": Head(sha=H1, pushed=H1)}, "head-moved", "head-moved"),
    ("our commit on a person's push", {"head": Head(sha=H2, pushed=H1)}, "head-moved", "head-moved"),
    ("the base moved", {"base": B1}, "yes src/a.py resume", "base-moved"),
    ("answered before", {"answered": "this"}, "answered", "answered"),
]


@pytest.mark.parametrize(
    ("changes", "of_scope", "of_base"), [row[1:] for row in MOMENTS], ids=[row[0] for row in MOMENTS]
)
def test_an_answer_is_bound_to_its_moment(changes: dict[str, object], of_scope: str, of_base: str):
    """A person's push ends every question, another base those about the base; our own commits end none; each is answered once."""
    for kind, expected in (("scope", of_scope), ("base-repair", of_base)):
        decision = asked(kind)
        values = changes | ({"answered": frozenset({decision.decision_id})} if "answered" in changes else {})
        here = HERE.model_copy(update=values)
        result = check_answer(decision, answer("/failres answer scopeFiles=src/a.py"), PERSON, WRITE, here)
        assert told(result) == expected
        assert is_open(decision, here) == expected.startswith("yes")


def test_an_answer_for_another_decision():
    """An answer that names another decision than the one it is checked against changes nothing."""
    result = check_answer(asked(), Answer(option="accept", decision="d-other"), PERSON, WRITE, HERE)
    assert told(result) == "unknown-decision"


def test_the_same_question_is_asked_once():
    """Asked again about the same heads it has the same id; another head, task, class or earlier answer makes another; the base only where it matters."""
    first = asked()
    assert asked(head=Head(sha=H1, pushed=H0)).decision_id == first.decision_id
    assert asked(files=("b.py",)).decision_id == first.decision_id
    assert asked(base=B1).decision_id == first.decision_id
    assert asked("base-repair", base=B1).decision_id != asked("base-repair").decision_id
    others = [asked(head=Head(sha=H1, pushed=H1)), asked(task_id="t2"), asked("failure"), asked(fail_class="unknown"), asked(earlier=1), asked(number=8)]  # fmt: skip
    assert len({first.decision_id, *(each.decision_id for each in others)}) == len(others) + 1


def test_a_question_names_only_fit_files():
    """A rejected file that no answer could name, or whose name could mislead, is not offered for copying."""
    wished = ("src/a.py", "../x", "src/a.py", "a\u202eb", ".github/x.yml", "uv.lock", "a*.py", "what?.py", "[id].tsx")
    assert asked(files=wished, protected=("*.lock",)).files == ("src/a.py", "[id].tsx")
    assert len(asked(files=tuple(f"{number}.py" for number in range(60))).files) == 50


def test_without_files_only_options_are_shown():
    """Where no file was asked for, no invented path is offered for copying."""
    decision = asked(files=())
    assert forms(decision) == (f"/failres answer accept decision={decision.decision_id}",)


def test_which_question_is_answered():
    """Named, or the only open one; else the answer says what is open."""
    one, two = asked(), asked("failure")
    over = asked(head=Head(sha=H1, pushed=H1))
    done = HERE.model_copy(update={"answered": frozenset({one.decision_id})})
    assert choose([one], Answer(option="accept"), HERE) == one
    assert choose([one, two], Answer(option="accept", decision=two.decision_id), HERE) == two
    assert choose([one, two], Answer(option="accept"), done) == two
    assert choose([over, two], Answer(option="accept"), HERE) == two
    several = choose([one, two], Answer(option="accept"), HERE)
    assert isinstance(several, Refused)
    assert (several.reason, several.others) == ("ambiguous", (one.decision_id, two.decision_id))
    unknown = choose([one, over], Answer(option="accept", decision="d-x"), HERE)
    assert isinstance(unknown, Refused)
    assert (unknown.reason, unknown.others) == ("unknown-decision", (one.decision_id,))
    for asked_before, here, reason in (
        ([], HERE, "none-open"),
        ([one], done, "answered"),
        ([over], HERE, "head-moved"),
    ):
        late = choose(asked_before, Answer(option="accept"), here)
        assert isinstance(late, Refused)
        assert late.reason == reason


def test_a_widened_scope_ends():
    """The files of an answer hold for its own task, until somebody else pushes or, for a base's decision, the base is another."""
    scope = check_answer(asked(), Answer(scope_files=("src/a.py", "b.py")), PERSON, WRITE, HERE)
    base = check_answer(asked("base-repair"), Answer(scope_files=("b.py", "c.py")), PERSON, WRITE, HERE)
    assert isinstance(scope, Accepted)
    assert isinstance(base, Accepted)
    both = [scope, base]
    assert widened(both, "t1", Head(sha=H0, pushed=H0), B0) == ("src/a.py", "b.py", "c.py")
    assert widened(both, "t1", Head(sha=H2, pushed=H0), B0) == ("src/a.py", "b.py", "c.py")
    assert widened(both, "t1", Head(sha=H0, pushed=H0), B1) == ("src/a.py", "b.py")
    assert widened(both, "t1", Head(sha=H1, pushed=H1), B0) == ()
    assert widened(both, "t2", Head(sha=H0, pushed=H0), B0) == ()


PATHS = st.lists(st.sampled_from(["src/a.py", "README.md", "new.py", "src", "src/*", "../a", "/a", ".github/x", "secrets/key.txt", "a\\b", "", ".git/x", "a\u200bb", "src/"]), max_size=4)  # fmt: skip
ANSWERS = st.builds(
    Answer,
    scope_files=PATHS.map(tuple),
    option=st.sampled_from([None, None, "accept", "try-again", "noted", "fly"]),
    decision=st.sampled_from([None, "this", "d-x"]),
)
SENDERS = st.builds(
    Sender,
    id=st.just(1),
    login=st.just("ana"),
    type=st.sampled_from(["User", "Bot"]),
    app_id=st.sampled_from([None, 5]),
)
STANDINGS = st.builds(
    Standing, permission=st.sampled_from([None, "none", "read", "triage", "write", "admin"]), arbiter=st.booleans()
)
PLACES = st.tuples(st.sampled_from([H0, H1, H2]), st.sampled_from([H0, H1]), st.sampled_from([B0, B1]))
FIT = {"src/a.py", "README.md", "new.py"}


@given(st.lists(st.tuples(st.sampled_from(sorted(KINDS)), ANSWERS, SENDERS, STANDINGS, PLACES), max_size=12))
def test_nothing_widens_but_a_right_answer(
    events: list[tuple[Kind, Answer, Sender, Standing, tuple[Sha, Sha, Sha]]],
):
    """Whatever comes in whatever order: each question is answered once, and only fit files of a person with write access, on the head and base asked about, widen anything."""
    answered: frozenset[str] = frozenset()
    accepted: list[Accepted] = []
    for kind, given_answer, by, standing, (sha, pushed, base) in events:
        decision = asked(kind)
        said = (
            given_answer.model_copy(update={"decision": decision.decision_id})
            if given_answer.decision == "this"
            else given_answer
        )
        here = HERE.model_copy(update={"head": Head(sha=sha, pushed=pushed), "base": base, "answered": answered})
        result = check_answer(decision, said, by, standing, here)
        if isinstance(result, Refused):
            assert reply_refused(result).count("\n") == 0
            continue
        assert result.decision_id not in answered
        assert standing.permission in ("write", "admin")
        assert pushed == H0 or not KINDS[decision.kind].head
        assert expired(decision, here) is None
        assert result.action is None or result.action in ACTIONS
        if result.scope_files:
            assert by.type == "User"
            assert by.app_id is None
            assert kind in ("scope", "base-repair")
            assert set(result.scope_files) <= FIT
            assert said.option is None
        answered |= {result.decision_id}
        accepted.append(result)
    assert len({each.decision_id for each in accepted}) == len(accepted)
    assert set(widened(accepted, "t1", HERE.head, B0)) <= FIT


NAMES = st.text(
    alphabet=st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters="\\*?"),
    min_size=1,
    max_size=12,
)


@given(st.lists(st.one_of(NAMES, NAMES.map(lambda name: f"a {name},b")), min_size=1, max_size=3, unique=True))
def test_the_reply_to_copy_is_the_right_answer(files: list[str]):
    """The first reply that a question shows, pasted into a comment, names exactly the files that were asked for."""
    decision = asked(files=tuple(files))
    if not decision.files:
        return
    assert answer(forms(decision)[0]) == Answer(scope_files=decision.files, decision=decision.decision_id)


@pytest.mark.parametrize("kind", KINDS)
def test_every_reply_to_copy_is_accepted(kind: Kind):
    """Each reply that a question shows is a right answer to it."""
    decision = asked(kind)
    for form in forms(decision):
        assert isinstance(check_answer(decision, answer(form), PERSON, WRITE, HERE), Accepted), form


REPLIES = [
    ("/failres answer fly", "`fly` is none of this question's options (`accept`). For example: `/failres answer accept decision={id}`."),
    ("/failres answer scopeFiles=src/*.py", "`src/*.py` is a pattern; name each file by its whole path. For example: `{form}`."),
    ("/failres answer scopeFiles=src", "`src` is a folder; name each file by its whole path. For example: `{form}`."),
    ("/failres answer scopeFiles=.github/a.yml", "`.github/a.yml` is protected and is never changed by a fix. For example: `{form}`."),
    ("/failres answer scopeFiles=../a", "`../a` is no path that may be written: it has a . or .. part. For example: `{form}`."),
]  # fmt: skip


@pytest.mark.parametrize(("line", "reply"), REPLIES)
def test_a_refusal_shows_a_right_answer(line: str, reply: str):
    """One line: the reason, and a reply that would be accepted."""
    decision = asked()
    result = check_answer(decision, answer(line), PERSON, WRITE, HERE)
    assert isinstance(result, Refused)
    assert reply_refused(result) == reply.format(
        id=decision.decision_id, form=f"/failres answer scopeFiles=src/a.py decision={decision.decision_id}"
    )


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_reason_has_words(kind: Kind):
    """No refusal is without a sentence, whatever was asked, and none spans two lines."""
    for reason in get_args(Reason):
        said = reply_refused(Refused(reason=reason, word="x", fault="outside", decision=asked(kind), others=("d-1",)))
        assert "()" not in said
        assert said.endswith((".", "?"))
        assert "{" not in said
        assert "\n" not in said
