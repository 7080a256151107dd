"""Whose change a base commit is, and what stands beside a case: from facts, by the fold, as tables."""

import pytest

from resolver.attribution import ChangedFile, Claim, NeverRan, OwnMerge
from resolver.casework import make_case
from resolver.config import RepoConfig, parse_config
from resolver.facts import BaseMoved
from resolver.facts.landings import BaseChangesRead, Landed, LandedChangesRead, LandingRead, UnseenRead
from resolver.ids import PullNumber, Sha
from resolver.people import Person
from resolver.state.landings import KEPT, Landings, whose
from tests.core.made import BASE, HEAD, NEXT, files, job, looked_at_base, pull, red, run, state_of, triaged

MINE = (ChangedFile(path="shop.py", lines=((1, 2),), text="def total():\nreturn 1\nreturn 2"),)
OTHER = (ChangedFile(path="shop.py", lines=((1, 2),), text="def total():\nreturn 3\nreturn 4"),)
GONE = (ChangedFile(path="old.py", status="removed"),)


def landed(**changes):
    """Pull request 4, which had landed from the same branch."""
    given = {"pull": 4, "title": "Coupons", "head_ref": "coupons", "head_repo_id": 1, "head_sha": NEXT}
    return Landed(**{**given, "base_ref": "main", **changes})


@pytest.mark.parametrize(
    ("title", "before", "theirs", "expected"),
    [
        ("Add coupons", landed(), MINE, "earlier-merge"),
        ("Add coupons", landed(), None, "unread"),
        ("Add coupons", landed(), OTHER, "no"),
        ("Add coupons", landed(), (), "no"),
        ("Add coupons", landed(), GONE, "no"),
        ("Add coupons", landed(head_ref="else"), MINE, "no"),
        ("Add coupons", landed(head_repo_id=2), MINE, "no"),
        ("Add coupons", landed(head_repo_id=None, head_ref="else"), MINE, "no"),
        ("Add coupons", landed(base_ref="release"), MINE, "no"),
        ("Add coupons", landed(pull=7), MINE, "no"),
        ("Coupons (#9)", landed(head_ref="else"), MINE, "earlier-merge"),
        ('Revert "Revert "Coupons""', landed(head_ref="else"), MINE, "earlier-merge"),
        ('Reapply "Coupons" (#9)', landed(head_ref="else"), MINE, "earlier-merge"),
        ("[Reland] coupons", landed(head_ref="else"), MINE, "earlier-merge"),
        ("Coupons and more", landed(head_ref="else"), MINE, "no"),
    ],
)
def test_a2_the_same_change_is_known_by_its_branch_or_title_and_by_its_lines(title, before, theirs, expected):
    """A branch or title alone is not enough, since bots use both again; the lines must be most of what had landed."""
    known = Landings().take(LandingRead(commit=BASE, landed=before))
    if theirs is not None:
        known = known.take(LandedChangesRead(pull=before.pull, changes=theirs))
    assert whose(known, pull(title=title), MINE, BASE) == expected


def test_a2_whose_commit_it_is_is_unread_until_it_is_read():
    """Nobody is excused by a commit of which it is not known whose it is; one that was pushed is nobody's."""
    assert whose(Landings(), pull(), MINE, BASE) == "unread"
    assert whose(Landings().take(LandingRead(commit=BASE)), pull(), MINE, BASE) == "no"
    assert whose(Landings().take(LandingRead(commit=BASE)), pull(), None, BASE) == "unread"


def test_what_is_remembered_of_landings_is_bounded():
    """The newest are kept."""
    known = Landings()
    for number in range(KEPT + 5):
        known = known.take(LandingRead(commit=Sha(f"{number:040x}")))
    assert len(known.by_commit) == KEPT
    assert Sha(f"{KEPT + 4:040x}") in known.by_commit


BROKEN = (looked_at_base(), run(60, BASE, event="push", head_branch="main"), job(90, head=BASE, run_id=60))


def case_of(*facts, config=None):
    """The case of pull request 7, red on a base that is red in the same way."""
    state = state_of(*red(), *BROKEN, triaged(90, head=BASE), *facts)
    return make_case(state, state.pulls[7], 1_000.0, config or RepoConfig())


def sides(case, side):
    """What is known of one side: whose it is, and how it ended."""
    return [(each.own, each.result) for each in case.executions if each.side == side]


def test_a2_a_red_of_the_base_counts_only_once_its_landing_is_known():
    """`unread` first, then nobody's or the task's own; the latter is named, and its base is not asked any more."""
    again = (LandingRead(commit=BASE, landed=landed()), LandedChangesRead(pull=4, changes=MINE))
    changed = files().model_copy(update={"changes": MINE})
    assert sides(case_of(), "base") == [("unread", "failed")]
    assert sides(case_of(LandingRead(commit=BASE)), "base") == [("no", "failed")]
    assert sides(case_of(*again, changed), "base") == [("earlier-merge", "failed")]
    assert case_of(*again, changed).own_merges == (OwnMerge(landed=PullNumber(4), commit=BASE),)
    assert [each.kind for each in case_of(*again, changed).refusals] == ["base"]
    assert case_of(LandingRead(commit=BASE)).refusals == ()


@pytest.mark.parametrize(("author", "own"), [(5, "same-author"), (6, "no")])
def test_a2_the_same_authors_other_tasks_are_marked(author, own):
    """What fails in the same way on another task of the same person is no hint at the base."""
    person = Person(id=author, login="somebody")
    other = pull(8, head_sha=NEXT, head_ref="other", author=person)
    theirs = (other, run(21, NEXT), job(40, head=NEXT, run_id=21), triaged(40, head=NEXT, run_id=21))
    case = case_of(*theirs)
    assert [each.own for each in case.executions if each.task == "pr-8"] == [own]


def test_a21_the_filter_that_kept_a_check_off_the_landing_is_named():
    """Only where the base fails since that landing, and only once the filter was read."""
    check = case_of().executions[0].check
    known = (LandingRead(commit=BASE, landed=landed(head_ref="else")),)
    assert case_of(*known).never_ran == ()
    unseen = UnseenRead(commit=BASE, check=check, pull=4, why="path")
    expected = NeverRan(check=check, why="path", landed=PullNumber(4), commit=BASE)
    assert case_of(*known, unseen).never_ran == (expected,)
    assert case_of(*known, unseen.model_copy(update={"why": None})).never_ran == ()
    assert case_of(*known, unseen.model_copy(update={"commit": NEXT})).never_ran == ()


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (("intermittent",), ("intermittent",)),
        (("CI: Flaky test", "bug"), ("CI: Flaky test",)),
        (("manual-override", "known-failure"), ("manual-override", "known-failure")),
        (("failres:flaky",), ()),
        (("bug",), ()),
        ((), ()),
    ],
)
def test_a17_a6_labels_that_speak_of_a_failure_are_claims(labels, said):
    """Other labels, and failres's own, claim nothing; a label that is gone is claimed no more."""
    assert case_of(pull(labels=labels, updated_at=101.0)).claims == tuple(Claim(says=each) for each in said)
    assert case_of(pull(labels=labels, updated_at=101.0), pull(updated_at=102.0)).claims == ()


def test_a17_which_labels_are_claims_is_the_repositorys_to_say():
    """The configuration's list is the only one."""
    config = parse_config("attribution: {claims: ['triage/*']}\n")
    labels = pull(labels=("flaky", "triage/infra"), updated_at=101.0)
    assert case_of(labels, config=config).claims == (Claim(says="triage/infra"),)


A, B = "a" * 40, "b" * 40


@pytest.mark.parametrize(
    ("mine", "base", "only"),
    [
        ((ChangedFile(path="tax.py", blob=A),), (ChangedFile(path="tax.py", blob=A),), ("tax.py",)),
        ((ChangedFile(path="tax.py", blob=A),), (ChangedFile(path="tax.py", blob=B),), ()),
        ((ChangedFile(path="tax.py", blob=A),), (ChangedFile(path="till.py", blob=A),), ()),
        ((ChangedFile(path="tax.py"),), (ChangedFile(path="tax.py"),), ()),
        (
            (ChangedFile(path="tax.py", blob=A, status="removed"),),
            (ChangedFile(path="tax.py", blob=A, status="modified"),),
            (),
        ),
    ],
)
def test_drift_by_the_bases_changes_is_known_by_what_the_files_hold(mine, base, only):
    """A file of the diff that holds exactly what it holds on the base was changed by the base only."""
    read = BaseChangesRead(number=7, head_sha=HEAD, base_sha=NEXT, at=1.0, files=base)
    changed = files().model_copy(update={"changes": mine})
    assert case_of(changed, read).task.base_only == only
    assert case_of(changed, read, pull(head_sha=NEXT, updated_at=200.0)).task.base_only == ()


def test_what_the_base_changed_is_unread_only_where_it_can_be_compared():
    """Without the base, or what the files hold, nothing is waited for."""
    known = files().model_copy(update={"changes": (ChangedFile(path="tax.py", blob=A),)})
    moved = BaseMoved(ref="main", sha=NEXT, config_touched=False)
    assert case_of(known, moved).task.base_unread
    assert not case_of(known.model_copy(update={"truncated": True}), moved).task.base_unread
    assert not case_of(files(), moved).task.base_unread
