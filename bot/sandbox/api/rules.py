"""Rulesets and classic branch protection, as they were set on the repository."""

from __future__ import annotations

from typing import Any

from bot.sandbox.api.call import Call, Reply, Table, found, route
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.changes.rules import applies


async def branch_rules(call: Call) -> Reply:
    """`GET rules/branches/{branch}`: the active rules of a branch, which need not exist."""
    branch = call.parameters["branch"]
    rules = [
        {
            **rule,
            "ruleset_source_type": "Repository",
            "ruleset_source": call.repo.full_name,
            "ruleset_id": ruleset["id"],
        }
        for ruleset in call.repo.rulesets
        if applies(call.repo, ruleset, branch)
        for rule in ruleset["rules"]
    ]
    return call.page(rules, lambda rule: rule)


async def list_rulesets(call: Call) -> Reply:
    """`GET rulesets`: without their rules."""
    return call.page(
        call.repo.rulesets, lambda one: {key: value for key, value in _shown(call, one).items() if key != "rules"}
    )


async def get_ruleset(call: Call) -> Reply:
    """`GET rulesets/{id}`."""
    number = call.number("ruleset_id")
    return Reply(body=_shown(call, found(next((one for one in call.repo.rulesets if one["id"] == number), None))))


def _shown(call: Call, ruleset: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": f"ruleset {ruleset['id']}",
        "target": "branch",
        "enforcement": "active",
        **ruleset,
        "source_type": "Repository",
        "source": call.repo.full_name,
    }


async def status_checks(call: Call) -> Reply:
    """`GET branches/{branch}/protection/required_status_checks`: classic protection's required checks."""
    branch = call.parameters["branch"]
    required = call.repo.protection.get(branch, {}).get("required_status_checks")
    if required is None:
        raise Refused(
            404, "Branch not protected" if branch not in call.repo.protection else "Required status checks not enabled"
        )
    url = f"{call.github.api_url}/repos/{call.repo.full_name}/branches/{branch}/protection/required_status_checks"
    checks = [{"app_id": None, **one} for one in required.get("checks", [])]
    body = {
        "url": url,
        "strict": required.get("strict", False),
        "contexts": [one["context"] for one in checks],
        "contexts_url": f"{url}/contexts",
        "checks": checks,
    }
    return Reply(body=body)


ROUTES: Table = {
    "repos/get-branch-rules": route(branch_rules, "metadata:read"),
    "repos/get-repo-rulesets": route(list_rulesets, "metadata:read"),
    "repos/get-repo-ruleset": route(get_ruleset, "metadata:read"),
    "repos/get-status-checks-protection": route(status_checks, "administration:read"),
}
