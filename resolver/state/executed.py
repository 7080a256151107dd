"""What a commit keeps of an execution.

A busy repository ends hundreds of jobs at each push, nearly all of them green: what a green one keeps decides how much
memory a repository takes, and how long Python looks for garbage in it.
"""

from __future__ import annotations

from resolver.conclusions import Meaning, meaning
from resolver.facts import JobFinished

_GIVEN: set[str] = set()
"""The one list of given fields of all that is kept: pydantic's own is a set of 700 bytes for each value."""


def kept(job: JobFinished) -> JobFinished:
    """Give what is kept of an execution: of one that passed no step but those that did not pass.

    A step that failed elsewhere may have been skipped here. How long steps took is folded into the step history.
    """
    if meaning(job.conclusion) is not Meaning.PASSED:
        return job
    steps = tuple(step for step in job.steps if meaning(step.conclusion) in (Meaning.FAILED, Meaning.NOTHING))
    return JobFinished.model_construct(_GIVEN, **{**dict(job), "steps": steps})
