"""Deliveries' bodies, from GitHub's published examples with the values of this world put in."""

from __future__ import annotations

import copy
import gzip
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "tests" / "server" / "examples" / "webhooks.json.gz"
REPO, INSTALLATION, OWNER, NAME = 4_711, 77, "acme", "mono"
ACTIONS = {"id": 15_368, "slug": "github-actions", "name": "GitHub Actions"}


def stamp(at: float) -> str:
    """GitHub's form of a time."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Form:
    """A body with places to fill in: `{"a": "@x@"}` takes `x`. As large as GitHub's own, and quickly made."""

    def __init__(self, payload: dict[str, Any]) -> None:
        self._parts = re.split(r'"@(\w+)@"', json.dumps(payload))

    def fill(self, **values: Any) -> str:
        """Give the body."""
        return "".join(json.dumps(values[part]) if n % 2 else part for n, part in enumerate(self._parts))


class Forms:
    """One form for each sort of delivery."""

    def __init__(self) -> None:
        self._examples = json.loads(gzip.decompress(EXAMPLES.read_bytes()))
        self.job = Form(self._job())
        self.run = Form(self._run())
        self.check_run = Form(self._check_run())
        self.check_suite = Form(self._check_suite())
        self.pull = Form(self._pull())
        self.push = Form(self._push())
        self.comment = Form(self._comment())

    def _example(self, event: str, action: str | None) -> dict[str, Any]:
        found = next(one for one in self._examples[event] if one.get("action") == action)
        whole: dict[str, Any] = copy.deepcopy(found)
        repository = copy.deepcopy(self._examples["workflow_job"][0]["repository"])
        repository |= {"id": REPO, "name": NAME, "full_name": f"{OWNER}/{NAME}", "default_branch": "main"}
        whole["repository"] = repository
        whole["installation"] = {"id": INSTALLATION}
        if action is not None:
            whole["action"] = "@action@"
        return whole

    def _job(self) -> dict[str, Any]:
        whole = self._example("workflow_job", "completed")
        whole["workflow_job"] |= {
            name: f"@{name}@"
            for name in ("id", "run_id", "name", "head_sha", "head_branch", "status", "conclusion", "workflow_name")
        }
        whole["workflow_job"] |= {
            "run_attempt": 1,
            "created_at": "@created_at@",
            "started_at": "@started_at@",
            "completed_at": "@completed_at@",
            "steps": "@steps@",
            "runner_name": "@runner@",
        }
        return whole

    def _run(self) -> dict[str, Any]:
        whole = self._example("workflow_run", "completed")
        whole["workflow_run"] |= {
            name: f"@{name}@"
            for name in ("id", "head_sha", "head_branch", "status", "conclusion", "path", "event", "updated_at")
        }
        whole["workflow_run"] |= {"run_attempt": 1, "name": "@path@", "head_repository": {"owner": {"login": OWNER}}}
        return whole

    def _check_run(self) -> dict[str, Any]:
        whole = self._example("check_run", "completed")
        whole["check_run"] |= {name: f"@{name}@" for name in ("id", "name", "head_sha", "status", "conclusion")}
        whole["check_run"]["app"] = whole["check_run"]["check_suite"]["app"] = ACTIONS
        return whole

    def _check_suite(self) -> dict[str, Any]:
        whole = self._example("check_suite", "completed")
        whole["check_suite"] |= {name: f"@{name}@" for name in ("id", "head_sha", "status", "conclusion")}
        whole["check_suite"]["app"] = ACTIONS
        return whole

    def _pull(self) -> dict[str, Any]:
        whole = self._example("pull_request", "opened")
        whole["number"] = "@number@"
        whole["pull_request"] |= {"number": "@number@", "title": "@title@", "updated_at": "@updated_at@"}
        whole["pull_request"] |= {"state": "open", "labels": [], "draft": False, "merged": False, "merged_at": None}
        whole["pull_request"]["head"] |= {"sha": "@head_sha@", "ref": "@head_ref@"}
        whole["pull_request"]["head"]["repo"] = whole["repository"]
        whole["pull_request"]["head"]["user"] |= {"login": OWNER}
        whole["pull_request"]["base"] |= {"ref": "main", "sha": "@base_sha@"}
        whole["pull_request"]["base"]["repo"] = whole["repository"]
        whole["pull_request"]["user"] = whole["sender"] = "@author@"
        return whole

    def _push(self) -> dict[str, Any]:
        whole = self._example("push", None)
        whole |= {"ref": "@ref@", "before": "@before@", "after": "@after@", "commits": "@commits@"}
        whole |= {"forced": False, "created": False, "deleted": False}
        return whole

    def _comment(self) -> dict[str, Any]:
        whole = self._example("issue_comment", "created")
        whole["issue"] |= {"number": "@number@", "pull_request": {"url": ""}}
        whole["comment"] |= {"id": "@id@", "body": "@body@", "created_at": "@created_at@"}
        whole["comment"] |= {"performed_via_github_app": None}
        whole["comment"]["user"] = whole["sender"] = "@author@"
        return whole
