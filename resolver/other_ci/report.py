"""Another CI's failures as they appear in a report, beside the failed jobs."""

from __future__ import annotations

from resolver.failure import Failure, Finding
from resolver.other_ci import CheckFinished, ThirdParty, third_party_id
from resolver.other_ci.case import annotated, findings
from resolver.report import FailedCheck
from resolver.runs import run_id
from resolver.state import Head, Pull


def failed_check(pull: Pull, head: Head, told: ThirdParty, event: str = "") -> FailedCheck:
    """Give the report's row of a failed check run or status; `event` is that of merge groups where it is of one."""
    read = annotated(head, told) if isinstance(told, CheckFinished) else None
    return FailedCheck(
        check=third_party_id(told),
        workflow="",
        job=told.label,
        event=event,
        conclusion=told.conclusion or "",
        run_id=0,
        attempt=1,
        job_id=0,
        url=told.url,
        failures=tuple(_failure(pull, each) for each in findings(head, told)),
        capped=read.capped if read is not None and read.findings else 0,
        third_party=True,
        check_run_id=told.check_run_id if isinstance(told, CheckFinished) else 0,
    )


def _failure(pull: Pull, finding: Finding) -> Failure:
    content = {name: getattr(finding, name) for name in Finding.model_fields if name != "places"}
    changed = pull.files.files if pull.files else ()
    return Failure(
        **content,
        # An output names files as its CI saw them; those that the pull request changes are known to be there.
        places=tuple(at.model_copy(update={"mapped": at.mapped or at.path in changed}) for at in finding.places),
        task_head=pull.seen.head_sha,
        run_id=run_id(pull.seen),
        workflow_run_id=0,
        run_attempt=1,
    )
