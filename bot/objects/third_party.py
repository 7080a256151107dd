"""What other CI tells GitHub, as facts: check runs of Apps other than Actions, their annotations, commit statuses.
Pure.

Texts are masked before anything else sees them; links are kept only where they are nothing but a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.objects import Json, seconds, understood
from bot.objects.annotations import annotations_of
from resolver.conclusions import Meaning, meaning
from resolver.executions import Check
from resolver.ids import Sha
from resolver.other_ci import (
    AnnotationsRead,
    CheckBegun,
    CheckFinished,
    StatusSeen,
    check_of_app,
    check_of_context,
)
from resolver.other_ci.output import Output, read_annotations, read_output

ACTIONS = "github-actions"
"""The slug of the App under which Actions reports its jobs; those are known as jobs."""

_LINK = re.compile(r"https?://[A-Za-z0-9._~:/?#@!$&*+,;=%-]{1,2000}")


def check_finished(run: Json) -> CheckFinished | None:
    """Read a check run of another App; Actions' own, and one that has not ended, is no fact."""
    with understood("check run"):
        app = run.get("app") or {}
        slug = str(app.get("slug") or app.get("name") or app["id"])
        if slug == ACTIONS or run.get("status") != "completed" or not run.get("conclusion"):
            return None
        output = run.get("output") or {}
        given = Output(**{name: str(output.get(name) or "") for name in Output.model_fields})
        name, conclusion = str(run["name"]), str(run["conclusion"])
        red = meaning(conclusion) is Meaning.FAILED
        kept = given.kept() if red else Output()  # what is kept is what is read: a turn has no time for more
        return CheckFinished(
            check_run_id=int(run["id"]),
            app_id=int(app["id"]),
            app=slug,
            name=name,
            external_id=str(run.get("external_id") or ""),
            head_sha=Sha(str(run["head_sha"])),
            conclusion=conclusion,
            started_at=seconds(run.get("started_at")),
            completed_at=seconds(run.get("completed_at")),
            url=link(run.get("details_url")) or link(run.get("html_url")),
            title=kept.title,
            summary=kept.summary,
            text=kept.text,
            annotations=int(output.get("annotations_count") or 0),
            findings=read_output(check_of_app(slug, name), conclusion, kept) if red else (),
        )


def check_begun(run: Json) -> CheckBegun | None:
    """Read a check run of another App that has not ended."""
    with understood("check run"):
        app = run.get("app") or {}
        slug = str(app.get("slug") or app.get("name") or app["id"])
        if slug == ACTIONS or run.get("status") == "completed":
            return None
        number, sha = int(run["id"]), Sha(str(run["head_sha"]))
        return CheckBegun(check_run_id=number, app_id=int(app["id"]), app=slug, name=str(run["name"]), head_sha=sha)


def status_seen(status: Json, sha: str) -> StatusSeen:
    """Read a commit status, as a webhook or a listing shows it."""
    with understood("commit status"):
        state, context = str(status["state"]), str(status["context"])
        described = Output(title=str(status.get("description") or "")).kept()
        seen = StatusSeen(
            status_id=int(status["id"]),
            head_sha=Sha(sha),
            context=context,
            state=state,
            description=described.title,
            url=link(status.get("target_url")),
            at=seconds(status.get("updated_at") or status["created_at"]) or 0.0,
        )
        if meaning(seen.conclusion) is not Meaning.FAILED:
            return seen
        return seen.model_copy(update={"findings": read_output(check_of_context(context), state, described)})


def annotations_read(
    check: Check, check_run_id: int, head_sha: Sha, completed_at: float | None, listed: Iterable[Json]
) -> AnnotationsRead:
    """Read the annotations of a failed check run; one that is not understood is left out."""
    findings, capped = read_annotations(check, annotations_of(listed))
    return AnnotationsRead(
        check_run_id=check_run_id, head_sha=head_sha, completed_at=completed_at, findings=findings, capped=capped
    )


def link(address: object) -> str:
    """Give an address that may stand in Markdown and be clicked, else nothing."""
    return address if isinstance(address, str) and _LINK.fullmatch(address) else ""
