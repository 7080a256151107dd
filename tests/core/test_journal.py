"""The journal's schema: every fact survives the way to the store and back."""

import pytest

from resolver.attribution import ChangedFile, Claim, Evidence, NeverRan, OwnMerge, Verdict
from resolver.attribution.outage import OutageMode
from resolver.config import ConfigProblem, parse_config
from resolver.executions import Check
from resolver.facts import (
    ActionDone,
    ActionRefused,
    ActionStarted,
    BaseMoved,
    CommentGone,
    EngineStuck,
    GateAttributed,
    GateReattributed,
    HeadPushed,
    InstallationChanged,
    OutageChanged,
    ProbeDispatched,
    ProbeRemoved,
    PullConfigRead,
    RollupSeen,
    RunsRead,
)
from resolver.facts.landings import BaseChangesRead, Landed, LandedChangesRead, LandingRead, UnseenRead
from resolver.facts.model import ModelReplied, Usage
from resolver.facts.quarantine import QuarantinedAt, QuarantineLifted, TaskQuarantined
from resolver.facts.queue import (
    MergeGroupGone,
    MergeGroupRead,
    MergeGroupSeen,
    MergeQueueRead,
    PullDequeued,
    PullEnqueued,
    QueueEntry,
    RulesRead,
)
from resolver.facts.runs import RunPaused
from resolver.journal import KINDS, Unreadable, from_json, kind_of, once, to_json
from resolver.ledger.events import GroupFailed, ProbeStarted, RerunEnded, RerunStarted, Synced
from resolver.llm import LlmAnswer
from resolver.other_ci import AnnotationsRead, CheckBegun
from resolver.people import Person
from resolver.progress import JobProgressed, JobStalled, StepSeen
from tests.core.made import BASE, HEAD, check_run, config, files, job, pull, repo, run, status, triaged
from tests.core.talk_made import TALK_FACTS

CHECK = Check(workflow=".github/workflows/ci.yml", job="test")
VERDICT = Verdict(
    klass="base-defect",
    check=CHECK,
    item="tests/test_cart.py::test_total",
    fingerprint="v1-0123456789abcdef",
    evidence=(
        Evidence(
            role="red",
            side="base",
            run=20,
            attempt=1,
            job_id=30,
            commit=BASE,
            tested_base=None,
            fingerprints=("v1-0123456789abcdef",),
            strength="strong",
            age=60.0,
        ),
    ),
    strength="strong",
    next_action="repair",
    reason="it fails so on the clean base",
    causes=(NeverRan(check=CHECK, why="path", landed=4, commit=BASE), OwnMerge(landed=4, commit=BASE)),
    claims=(Claim(says="intermittent"),),
)
QUARANTINE_FACTS = (
    TaskQuarantined(
        number=7,
        task_id="pr-7",
        run_id="pr-7",
        seq=1,
        fail_class="gate-red-env",
        fingerprint="v1-0123456789abcdef",
        message="could not resolve host",
        heads=QuarantinedAt(head=HEAD, pushed=HEAD, base=BASE),
        evidence=VERDICT.evidence,
        snapshot_bundle="handoff/pr-7/1.md",
        check=CHECK,
        cause="breaker",
        reason="3 resolutions of this class of failure on this task were made, and no more than 3 are",
        at=5.0,
    ),
    QuarantineLifted(number=7, task_id="pr-7", seq=1, base=HEAD, at=6.0),
    RunPaused(run_id="pr-7", number=7, seq=1, count=10, limit=10, reason="10 were made", at=7.0),
)
LANDED = Landed(pull=4, title="Coupons", head_ref="coupons", head_repo_id=1, head_sha=HEAD, base_ref="main")
PROBLEM = ConfigProblem(line=3, column=1, path="enabled", message="must be true or false")
FACTS = [
    *TALK_FACTS,
    OutageChanged(mode=OutageMode(since=5.0, over_at=6.0, reason="9 new failures at one head")),
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
    JobProgressed(
        job_id=30,
        run_id=20,
        attempt=1,
        name="test",
        workflow="ci",
        head_sha=HEAD,
        status="in_progress",
        since=100.0,
        seen_at=101.0,
        steps=(StepSeen(number=2, name="Test", status="in_progress", started_at=101.0),),
    ),
    JobStalled(
        job_id=30,
        run_id=20,
        attempt=1,
        name="test",
        workflow="ci",
        head_sha=HEAD,
        step_number=2,
        step="Test",
        since=101.0,
        seen_at=701.0,
        budget=600.0,
        source="history",
        samples=12,
    ),
    check_run(),
    status(),
    CheckBegun(check_run_id=71, app_id=44, app="acme-ci", name="build", head_sha=HEAD),
    AnnotationsRead(check_run_id=70, head_sha=HEAD, completed_at=108.0, findings=check_run().findings, capped=2),
    RollupSeen(head_sha=HEAD, failed=1, passed=2),
    RunsRead(head_sha=HEAD, at=5.0, rollup=RollupSeen(head_sha=HEAD, failed=1, passed=2)),
    ActionStarted(ticket="check:7#1", key="check:7@1", target="check:7", type="post-check", number=7, at=5.0),
    ActionDone(ticket="check:7#1", key="check:7@1", target="check:7", number=7, result={"checkRunId": 4}),
    ActionRefused(ticket="check:7#1", key="check:7@1", target="check:7", number=None, reason="no", retry_at=9.0),
    HeadPushed(number=7, head_sha=HEAD, by=Person(id=5, login="ana"), at=5.0),
    GateAttributed(**VERDICT.model_dump(), number=7, head_sha=HEAD, task_id="pr-7", at=5.0),
    GateReattributed(
        check=CHECK,
        fingerprint="v1-0123456789abcdef",
        was="flake",
        now="task-defect",
        kind="withdrawn",
        reason="it failed again",
        evidence=VERDICT.evidence,
        number=7,
        head_sha=HEAD,
    ),
    ProbeDispatched(
        probe_id="probe:1", check=CHECK, base_sha=BASE, commit=HEAD, branch="failres/probe/x", run_id=None, nonce="n"
    ),
    ProbeRemoved(probe_id="probe:1", reason="it has reported"),
    RerunStarted(
        id="rerun:20:1",
        at=5.0,
        task="pr-7",
        head=HEAD,
        workflow="ci.yml",
        check=CHECK.key,
        fingerprints=("v1-0123456789abcdef",),
        purpose="evidence",
    ),
    RerunEnded(id="rerun:20:1:ended", rerun="rerun:20:1", at=6.0, useful=True),
    ProbeStarted(id="probe:1", at=5.0, check=CHECK.key, commit=BASE),
    Synced(id="sync:1", at=5.0, task="pr-7", base=BASE, head=HEAD, drift=True),
    *QUARANTINE_FACTS,
    ModelReplied(
        number=7,
        head_sha=HEAD,
        fail_class="unknown",
        attempt=1,
        call=2,
        at=5.0,
        answer=LlmAnswer(action="resume", rationale="a mirror was away", confidence="medium"),
        usage=Usage(model="small", prompt_tokens=900, completion_tokens=30, seconds=1.25, cost=0.001),
    ),
    LandingRead(commit=BASE, landed=LANDED),
    LandedChangesRead(pull=4, changes=(ChangedFile(path="shop.py", lines=((1, 2),), text="x", blob="b" * 40),)),
    UnseenRead(commit=BASE, check=CHECK, pull=4, why="draft"),
    BaseChangesRead(number=7, head_sha=HEAD, base_sha=BASE, at=5.0, files=(ChangedFile(path="a.py", blob="c"),)),
    MergeGroupSeen(head_sha=HEAD, base_ref="main", base_sha=BASE, number=7, at=5.0, task_head=HEAD),
    MergeGroupRead(head_sha=HEAD, number=7, parents=(BASE, HEAD)),
    MergeGroupGone(head_sha=HEAD, number=7, reason="invalidated"),
    PullEnqueued(number=7, head_sha=HEAD, at=5.0),
    PullDequeued(number=7, head_sha=HEAD, at=6.0, reason="CI_FAILURE"),
    MergeQueueRead(ref="main", at=5.0, entries=(QueueEntry(number=7, head_sha=HEAD, enqueued_at=4.0),)),
    RulesRead(ref="main", queue=True, timeout=3_600.0, required=("unit",)),
    GroupFailed(id="group:1", at=5.0, base=BASE, heads=(HEAD,)),
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


def test_a_verdicts_record_has_the_specifications_names():
    """`gate.attributed {taskId, check, class, fingerprint, evidence[], nextAction}`."""
    given = GateAttributed(**VERDICT.model_dump(), number=7, head_sha=HEAD, task_id="pr-7", at=5.0)
    written = to_json(given)
    assert (kind_of(given), written["class"], written["nextAction"]) == ("gate.attributed", "base-defect", "repair")
    assert {"taskId", "check", "fingerprint", "evidence"} <= set(written)
