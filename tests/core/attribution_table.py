"""
The notation of the attribution table: a row of text becomes a case, and a case's answer becomes text again.

Executions stand in the order of time, ten minutes apart, the last one just ended. One is `WHERE.RESULT[marks]`:

    WHERE    h the task's head          b1 base commit b1, by a push        p1 a probe on b1
             q the task in a group      o another person's task             a the same author's other task
             m1 base commit b1, which is the task's own earlier merge       e an earlier head of the task
             u1 base commit b1, of which it is not read yet by whom it came
    RESULT   F failed so                G passed, the item named            C passed, only its file named
             Q passed, nothing named    X another item failed               Y this item failed in another way
             Z other items failed, this one passed                          I the network failed
             K cancelled                S skipped                           E green, but the step did not run
             L failed, log not read     M failed, no log                    N failed, the log names nothing
             D its runner died
             R still running            N# counted # items (after G or F, such as Q7)
    marks    @b1 tested with b1, @? with an unknown base; ~8h older by so much, ~never without times
             %x another configuration; ^ as for a fork; = the same run as the execution before, next attempt
             ! told to run this item first

The base line is b0 … b4; the task was tested with b2, which is the base unless `base=` says otherwise.
"""

from __future__ import annotations

import re

from resolver.attribution import (
    Attribution,
    Case,
    ChangedFile,
    Claim,
    Diff,
    DriftVerdict,
    NeverRan,
    Refusal,
    TaskFacts,
    Undecided,
    Verdict,
    WantBase,
)
from resolver.executions import Check, Execution, FailedItem
from resolver.failure import Place
from resolver.ids import Fingerprint, Sha

NOW = 1_000_000.0
SLOT = 600.0
PRINT = Fingerprint("v1-00000000000000f0")
OTHER = Fingerprint("v1-00000000000000aa")
ITEM = "tests/test_a.py::test_x"
CHECK = Check(workflow=".github/workflows/ci.yml", job="test")
LINE = tuple(Sha(f"b{n}") for n in range(5))
_TOKEN = re.compile(r"(?P<where>[a-z]\d?)\.(?P<result>[A-Z])(?P<tests>\d*)(?P<marks>[@~%^=!].*)?$")
_PLACE = (Place(path="src/a.py", line=12),)

_KINDS = {
    "test": FailedItem(fingerprint=PRINT, item=ITEM, places=_PLACE),
    "job": FailedItem(fingerprint=PRINT, job_level=True, kind="unknown", fail_class="unknown"),
    "lint": FailedItem(fingerprint=PRINT, kind="lint", places=_PLACE),
    "build": FailedItem(fingerprint=PRINT, kind="build", places=_PLACE),
    "type": FailedItem(fingerprint=PRINT, kind="type", places=_PLACE),
    "stall": FailedItem(fingerprint=PRINT, item=ITEM, kind="stall", fail_class="task-stalled", stalled=True),
    "step": FailedItem(
        fingerprint=PRINT, item="Run tests", kind="stall", fail_class="task-stalled", stalled=True, step=True
    ),
    "dep": FailedItem(fingerprint=PRINT, job_level=True, kind="dependency", fail_class="dep-provision-failed"),
    "disk": FailedItem(fingerprint=PRINT, job_level=True, kind="disk", fail_class="disk-space-low"),
    "lock": FailedItem(fingerprint=PRINT, job_level=True, kind="lockfile", fail_class="lockfile-out-of-sync"),
    "files": FailedItem(fingerprint=PRINT, job_level=True, kind="artifacts", fail_class="artifacts-missing"),
    "oom": FailedItem(fingerprint=PRINT, job_level=True, kind="oom", fail_class="gate-red-env"),
}
_NETWORK = FailedItem(
    fingerprint=Fingerprint("v1-00000000000000ee"), job_level=True, kind="network", fail_class="gate-red-env"
)
_DIFFS = {
    "adds": ChangedFile(path="tests/test_a.py", status="added", lines=((1, 90),)),
    "changes": ChangedFile(path="tests/test_a.py", lines=((3, 4),), text="def test_x():"),
    "beside": ChangedFile(path="tests/test_a.py", lines=((3, 4),), text="def test_y():"),
    "touches": ChangedFile(path="src/a.py", lines=((10, 14),)),
    "elsewhere": ChangedFile(path="src/b.py", lines=((1, 9),)),
}


def executions(text: str, item: FailedItem) -> tuple[Execution, ...]:
    """Read the executions of a row."""
    tokens = text.split()
    found: list[Execution] = []
    for number, token in enumerate(tokens):
        ended = NOW - 60 - SLOT * (len(tokens) - 1 - number)
        found.append(_execution(token, number, ended, item, found[-1] if found else None))
    return tuple(found)


def _execution(token: str, number: int, ended: float, item: FailedItem, before: Execution | None) -> Execution:
    parsed = _TOKEN.match(token)
    assert parsed is not None, token
    marks = dict(re.findall(r"([@~%^=!])([\w?]*)", parsed["marks"] or ""))
    older = marks.get("~", "0h")
    times = (None, None)
    if older != "never":
        ended -= float(older.removesuffix("h")) * 3600
        times = (ended - 300, None if parsed["result"] == "R" else ended)
    again = "=" in marks and before is not None
    return Execution(
        **_where(parsed["where"], number, marks),
        **_result(parsed["result"], item),
        run=before.run if again and before else 100 + number,
        attempt=before.attempt + 1 if again and before else 1,
        job_id=number + 1,
        started_at=times[0],
        finished_at=times[1],
        tests=int(parsed["tests"]) if parsed["tests"] else None,
        configuration=marks.get("%", ""),
        told_item=ITEM if "!" in marks else "",
    )


def _where(where: str, number: int, marks: dict[str, str]) -> dict[str, object]:
    tested = {"?": None}.get(marks.get("@", "b2"), marks.get("@", "b2"))
    pull = CHECK.model_copy(update={"fork": "^" in marks})
    push = pull.model_copy(update={"event": "push"})
    commit = f"b{where[1:]}"
    match where[0]:
        case "h":
            return {"check": pull, "commit": "h", "side": "task", "task": "pr-1", "tested_base": tested}
        case "e":
            return {"check": pull, "commit": "e", "side": "task", "task": "pr-1", "tested_base": tested, "own": "no"}
        case "q":
            group = pull.model_copy(update={"event": "merge_group"})
            return {
                "check": group,
                "commit": f"q{number}",
                "head": "h",
                "side": "group",
                "task": "pr-1",
                "tested_base": tested,
            }
        case "o":
            return {
                "check": pull,
                "commit": f"o{number}",
                "side": "task",
                "task": f"pr-{number + 2}",
                "tested_base": tested,
            }
        case "a":
            return {
                "check": pull,
                "commit": "a",
                "side": "task",
                "task": "pr-9",
                "tested_base": tested,
                "own": "same-author",
            }
        case "b":
            return {"check": push, "commit": commit, "side": "base"}
        case "m" | "u":
            own = "earlier-merge" if where[0] == "m" else "unread"
            return {"check": push, "commit": commit, "side": "base", "own": own}
        case _:
            return {"check": push.model_copy(update={"event": "workflow_dispatch"}), "commit": commit, "side": "probe"}


def _result(letter: str, item: FailedItem) -> dict[str, object]:
    other = FailedItem(fingerprint=OTHER, item="tests/test_b.py::test_z")
    match letter:
        case "F":
            return {"result": "failed", "items": (item,)}
        case "G":
            return {"result": "passed", "passed_items": (ITEM,)}
        case "C":
            return {"result": "passed", "passed_items": ("tests/test_a.py",)}
        case "Q":
            return {"result": "passed"}
        case "E":
            return {"result": "passed", "step_ran": False}
        case "X":
            return {"result": "failed", "items": (other,)}
        case "Y":
            return {"result": "failed", "items": (FailedItem(fingerprint=OTHER, item=ITEM),)}
        case "Z":
            return {"result": "failed", "items": (other,), "passed_items": (ITEM,)}
        case "I":
            return {"result": "infrastructure", "items": (_NETWORK,)}
        case "L" | "M" | "D":
            return {"result": "failed", "log": {"L": "unread", "M": "missing", "D": "died"}[letter]}
        case _:
            return {"result": {"N": "failed", "K": "cancelled", "S": "nothing", "R": "running"}[letter]}


def case(row: str, facts: str) -> Case:
    """Read a row's executions and facts."""
    said = dict(part.partition("=")[::2] for part in facts.split())
    item = _KINDS[said.get("kind", "test")]
    diff = Diff(files=(_DIFFS[said["diff"]],)) if "diff" in said else None
    refusals = [Refusal(kind=kind, reason=f"no {kind}") for kind in said.get("no", "").split(",") if kind]
    refusals += [Refusal(kind="row", reason="it was taken")] if "rowdone" in said else []
    refusals += [
        Refusal(kind=kind, reason="later", until=NOW + 60) for kind in said.get("later", "").split(",") if kind
    ]
    refusals += [
        Refusal(kind="base", reason="no probe", commit=Sha(sha)) for sha in said.get("noprobe", "").split(",") if sha
    ]
    return Case(
        task=TaskFacts(
            task="pr-1",
            head=Sha("h"),
            base=None if said.get("base") == "?" else Sha(said.get("base", "b2")),
            base_line=LINE[: int(said.get("base", "b2")[1:]) + 1] if said.get("base") != "?" else (),
            diff=diff,
            base_only=("src/base.py",) if "baseonly" in said else (),
            base_unread="baseunread" in said,
            people_pushed_at=(NOW - 7200.0,),
            stacked_runs="plan" in said,
            drift="strict" if "strict" in said else "proven",
            drift_verdicts=(DriftVerdict(fingerprint=PRINT, at=NOW - float(said["drifted"]) * 3600),)
            if "drifted" in said
            else (),
        ),
        executions=executions(row, item),
        now=NOW,
        refusals=tuple(refusals),
        flaked=frozenset({PRINT}) if "flaked" in said else frozenset(),
        flakes_in_window=frozenset({CHECK}) if "again" in said else frozenset(),
        never_ran=(NeverRan(check=CHECK, why=said["unseen"]),) if "unseen" in said else (),
        claims=(Claim(by="sheriff", says=said["claim"]),) if "claim" in said else (),
        outage="outage" in said,
    )


def told(answer: Attribution) -> str:
    """Write the answer for the row's failure: `class → action`, `want …`, or `nothing`."""
    said = sorted({_outcome(each) for each in answer.outcomes if each.fingerprint != OTHER})
    return "; ".join(said) or "nothing"


def _outcome(outcome: Verdict | Undecided) -> str:
    if isinstance(outcome, Verdict):
        return f"{outcome.klass} → {outcome.next_action}"
    want = outcome.wants[0]
    where = f" {want.commit}" if isinstance(want, WantBase) else ""
    more = " more" if isinstance(want, WantBase) and want.another else ""
    return f"want {want.kind}{where}{more}"
