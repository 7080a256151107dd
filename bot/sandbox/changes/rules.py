"""
Which rules hold for a branch, and what a pull request still lacks to be merged into it.

GitHub: `success`, `neutral` and `skipped` satisfy a required check, `stale` and absence do not (GITHUB.md 5.37). Rules
come from the repository's active rulesets and from classic protection; the strictest of both holds.
"""

from __future__ import annotations

import fnmatch
from typing import Any, Literal

from bot.sandbox.changes.checks import latest
from bot.sandbox.records import Pull
from bot.sandbox.state import Repository

_SATISFIED = {"success", "neutral", "skipped"}


def applies(repo: Repository, ruleset: dict[str, Any], branch: str) -> bool:
    """Whether an active ruleset's conditions name a branch (which need not exist)."""
    if ruleset.get("enforcement", "active") != "active":
        return False
    names = ruleset.get("conditions", {}).get("ref_name", {"include": ["~ALL"], "exclude": []})

    def fits(pattern: str) -> bool:
        if pattern == "~DEFAULT_BRANCH":
            return branch == repo.default_branch
        return pattern == "~ALL" or fnmatch.fnmatchcase(f"refs/heads/{branch}", pattern)

    return any(map(fits, names["include"])) and not any(map(fits, names["exclude"]))


def rules_of(repo: Repository, branch: str, kind: str) -> list[dict[str, Any]]:
    """The parameters of each active rule of one type for a branch, classic protection's required checks among them."""
    found = [
        rule.get("parameters", {})
        for ruleset in repo.rulesets
        if applies(repo, ruleset, branch)
        for rule in ruleset["rules"]
        if rule["type"] == kind
    ]
    classic = repo.protection.get(branch, {}).get("required_status_checks")
    if kind == "required_status_checks" and classic is not None:
        checks = [{"context": one["context"], "integration_id": one.get("app_id")} for one in classic["checks"]]
        strict = classic.get("strict", False)
        found.append({"required_status_checks": checks, "strict_required_status_checks_policy": strict})
    return found


def lacking(repo: Repository, pull: Pull) -> str | None:
    """What keeps a pull request from being merged, in GitHub's words, or `None`."""
    for parameters in rules_of(repo, pull.base_ref, "required_status_checks"):
        for check in parameters["required_status_checks"]:
            if not _passed(repo, pull.head_sha, check):
                return f'Required status check "{check["context"]}" is expected.'
    if is_behind(repo, pull):
        return "Head branch is out of date. Review and try the merge again."
    for parameters in rules_of(repo, pull.base_ref, "pull_request"):
        needed = parameters.get("required_approving_review_count", 0)
        verdicts = {one.author.login: one.state for one in pull.reviews if one.state != "COMMENTED"}
        if "CHANGES_REQUESTED" in verdicts.values():
            return "Changes have been requested by a reviewer with write access."
        if list(verdicts.values()).count("APPROVED") < needed:
            return f"At least {needed} approving review is required by reviewers with write access."
    return None


def required_state(repo: Repository, branch: str, sha: str) -> Literal["passed", "failed", "waiting"]:
    """What a branch's required checks come to on a commit: one that has not reported is waited for."""
    states = {
        _state(repo, sha, check)
        for parameters in rules_of(repo, branch, "required_status_checks")
        for check in parameters["required_status_checks"]
    }
    return "failed" if "failed" in states else "waiting" if "waiting" in states else "passed"


def _state(repo: Repository, sha: str, check: dict[str, Any]) -> Literal["passed", "failed", "waiting"]:
    if _passed(repo, sha, check):
        return "passed"
    context, app_id = check["context"], check.get("integration_id")
    runs = latest([run for run in repo.check_runs.values() if run.head_sha == sha and run.name == context])
    runs = [run for run in runs if app_id in (None, run.app.id)]
    if runs:
        return "failed" if all(run.status == "completed" for run in runs) else "waiting"
    states = [one.state for one in repo.statuses if one.sha == sha and one.context == context]
    return "failed" if app_id is None and states[-1:] in (["failure"], ["error"]) else "waiting"


def is_behind(repo: Repository, pull: Pull) -> bool:
    """Whether a strict rule wants the head to hold the base's tip, and it does not."""
    rules = rules_of(repo, pull.base_ref, "required_status_checks")
    tip = repo.git.branch(pull.base_ref)
    strict = any(rule.get("strict_required_status_checks_policy") for rule in rules)
    return strict and tip is not None and not repo.git.is_ancestor(tip, pull.head_sha)


def _passed(repo: Repository, sha: str, check: dict[str, Any]) -> bool:
    context, app_id = check["context"], check.get("integration_id")
    runs = latest([run for run in repo.check_runs.values() if run.head_sha == sha and run.name == context])
    if app_id is not None:
        runs = [run for run in runs if run.app.id == app_id]
    if runs:
        return all(run.conclusion in _SATISFIED for run in runs)
    states = [one.state for one in repo.statuses if one.sha == sha and one.context == context]
    return app_id is None and states[-1:] == ["success"]
