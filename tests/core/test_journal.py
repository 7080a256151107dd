"""The journal's schema: every fact survives the way to the store and back."""

import pytest

from resolver.config import ConfigProblem, parse_config
from resolver.facts import (
    ActionDone,
    ActionRefused,
    ActionStarted,
    BaseMoved,
    CommentGone,
    EngineStuck,
    InstallationChanged,
    PullConfigRead,
    RollupSeen,
    RunsRead,
)
from resolver.journal import KINDS, Unreadable, from_json, kind_of, once, to_json
from tests.core.made import BASE, HEAD, config, files, job, pull, repo, run, triaged

PROBLEM = ConfigProblem(line=3, column=1, path="enabled", message="must be true or false")
FACTS = [
    repo(),
    InstallationChanged(installation_id=9, active=False, at=1.0),
    pull(labels=("failres:stop",)),
    files(),
    BaseMoved(ref="main", sha=BASE, config_touched=None),
    config(),
    config(found=True, settings=parse_config("managed:\n  branches: ['plan/**']\nledger: {}\n")),
    config(found=True, problems=(PROBLEM,)),
    PullConfigRead(number=7, head_sha=HEAD, found=True, problems=(PROBLEM,)),
    run(),
    job(),
    triaged(),
    RollupSeen(head_sha=HEAD, failed=1, passed=2),
    RunsRead(head_sha=HEAD, at=5.0, rollup=RollupSeen(head_sha=HEAD, failed=1, passed=2)),
    ActionStarted(ticket="check:7#1", key="check:7@1", target="check:7", type="post-check", number=7, at=5.0),
    ActionDone(ticket="check:7#1", key="check:7@1", target="check:7", number=7, result={"checkRunId": 4}),
    ActionRefused(ticket="check:7#1", key="check:7@1", target="check:7", number=None, reason="no", retry_at=9.0),
    CommentGone(number=7, comment_id=1),
    EngineStuck(number=7, head_sha=HEAD, error="KeyError"),
]


@pytest.mark.parametrize("fact", FACTS, ids=kind_of)
def test_every_fact_comes_back_as_it_was(fact):
    """A fact read from its record equals the fact that was written."""
    assert from_json(kind_of(fact), to_json(fact)) == fact


def test_every_kind_is_tried_above():
    """No kind of record is left out of the round trip."""
    assert {kind_of(fact) for fact in FACTS} == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "data", "why"),
    [
        ("pull.observed", {"v": 2, "number": 7}, "its schema version is 2, this one reads 1"),
        ("pull.observed", {"number": 7}, "its schema version is None, this one reads 1"),
        ("pull.dreamt", {"v": 1, "number": 7}, "this version knows no such record"),
        ("comment.gone", {"v": 1, "number": 7}, "commentId: Field required"),
        ("comment.gone", {"v": 1, "number": 7, "commentId": 1, "mood": "good"}, "mood: Extra inputs are not permitted"),
    ],
)
def test_what_cannot_be_read_is_a_value_that_names_its_pull_request(kind, data, why):
    """A record of another version, an unknown kind or a damaged one stops one pull request and tells why."""
    assert from_json(kind, data) == Unreadable(kind=kind, number=7, why=why)


def test_a_job_told_twice_has_one_identity_and_a_base_that_moves_back_has_none():
    """Executions are counted once; what may return to an earlier value is compared with the state instead."""
    assert once(job()) == once(job(url="elsewhere"))
    assert once(job()) != once(job(job_id=31))
    assert once(BaseMoved(ref="main", sha=BASE, config_touched=True)) is None
