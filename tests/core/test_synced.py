"""When a synchronisation quarantines its task, from the fold."""

import pytest

from resolver.config import parse_config
from resolver.decide.compose import compose
from resolver.decide.synced import LOST, OUTSIDE, after_sync
from resolver.facts import ActionDone
from resolver.ids import Sha
from tests.core.made import HEAD, NEXT, config, pull, repo, state_of

MANAGED = config(found=True, settings=parse_config("managed: {branches: ['**']}\n"))
UNMANAGED = config(found=True, settings=parse_config("managed: {branches: ['plan/**']}\n"))


def synced(**result):
    """The branch was rebased by us, from the first head to the next."""
    given = {"head": NEXT, "base": "0" * 40, "outside": [], "lost": False, **result}
    return ActionDone(ticket="sync:7#1", key="k", target="sync:7", number=7, result=given)


def made(*facts, settings=MANAGED):
    """What is recorded once that is known."""
    state = state_of(repo(), settings, pull(), *facts, pull(head_sha=NEXT, updated_at=200.0))
    return after_sync(state, state.pulls[7], 500.0)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({}, None),
        ({"outside": ["a.py", "b.py"]}, ("fixer-scope-violation", OUTSIDE, "a.py, b.py")),
        ({"lost": True}, ("base-moved", LOST, "")),
        ({"outside": ["a.py"], "lost": True}, ("base-moved", LOST, "a.py")),
        ({"outside": ["a.py"], "head": HEAD}, None),
    ],
)
def test_c1_what_a_rebase_left_or_lost_quarantines_the_task(result, expected):
    """Only on the head that the rebase made: somebody's push after it is looked at anew."""
    fact = made(synced(**result))
    assert (fact and (fact.fail_class, fact.reason, fact.message)) == expected
    assert fact is None or (fact.cause, fact.heads.head, fact.seq) == ("sync", NEXT, 1)


def test_a_task_that_is_not_managed_is_not_quarantined():
    """Nothing automatic is done on it anyway; a person has asked for the rebase."""
    assert made(synced(lost=True), settings=UNMANAGED) is None


def test_a_quarantine_is_made_once_for_a_head_and_told_whether_it_is_red_or_not():
    """Lifted by an answer, it does not come back on the same head."""
    known = (repo(), MANAGED, pull(), synced(outside=["a.py"]), pull(head_sha=NEXT, updated_at=200.0))
    state = state_of(*known)
    fact = after_sync(state, state.pulls[7], 500.0)
    state = state_of(*known, fact)
    assert after_sync(state, state.pulls[7], 600.0) is None
    held = compose(state, state.pulls[7]).held
    assert (held.always, held.files, held.reason) == (True, ("a.py",), OUTSIDE)


def test_our_own_rebase_is_nobodys_push_however_often_it_is_seen():
    """The regular look shows the head again and again; a question and a quarantine survive that, and end with a push."""
    known = (repo(), MANAGED, pull(), pull(head_sha=NEXT, updated_at=200.0), synced())
    seen = (*known, pull(head_sha=NEXT, updated_at=300.0))
    assert state_of(*known).pulls[7].pushed == state_of(*seen).pulls[7].pushed == HEAD
    theirs = Sha("c" * 40)
    assert state_of(*seen, pull(head_sha=theirs, updated_at=400.0)).pulls[7].pushed == theirs
    back = (pull(head_sha=theirs, updated_at=400.0), pull(head_sha=NEXT, updated_at=500.0))
    assert state_of(*seen, *back).pulls[7].pushed == NEXT
