"""State into GitHub's JSON, as REST answers and webhooks both hold it. Reads, never alters."""

from bot.sandbox.objects.accounts import association, installation, integration, simple_user
from bot.sandbox.objects.actions import artifact, cache, job, workflow, workflow_run
from bot.sandbox.objects.checks import annotation, check_run, check_suite, simple_status, status
from bot.sandbox.objects.comments import issue, issue_comment, issue_of_pull, label, reaction, reaction_rollup
from bot.sandbox.objects.commits import commit, diff_entry, git_commit, simple_commit
from bot.sandbox.objects.pulls import pull_request, pull_request_minimal, pull_request_simple, review
from bot.sandbox.objects.repositories import full_repository, minimal_repository, repository

__all__ = [
    "annotation",
    "artifact",
    "association",
    "cache",
    "check_run",
    "check_suite",
    "commit",
    "diff_entry",
    "full_repository",
    "git_commit",
    "installation",
    "integration",
    "issue",
    "issue_comment",
    "issue_of_pull",
    "job",
    "label",
    "minimal_repository",
    "pull_request",
    "pull_request_minimal",
    "pull_request_simple",
    "reaction",
    "reaction_rollup",
    "repository",
    "review",
    "simple_commit",
    "simple_status",
    "simple_user",
    "status",
    "workflow",
    "workflow_run",
]
