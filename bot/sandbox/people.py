"""
The people of a story and what they do, in the words of a story.

Each verb checks that the person may do it and changes the state through `changes/`, so that what follows on GitHub
follows here: webhooks, workflow runs, synchronised pull requests. `Refused` is what GitHub's page would say no with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, Protocol

from bot.sandbox.changes import checks, comments, labels, pulls, pushes, repositories, reviews, statuses
from bot.sandbox.changes.accounts import add_account, add_app, install
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.permissions import at_least
from bot.sandbox.queueing import Queueing
from bot.sandbox.state import (
    Account,
    Act,
    Actor,
    App,
    CheckRun,
    Comment,
    GitHub,
    Job,
    Pull,
    Repository,
    Review,
    Role,
    Status,
    WorkflowRun,
)

ROLES: Mapping[str, Role | None] = {
    "admin": "admin",
    "maintainer": "maintain",
    "author": "write",
    "reader": "read",
    "outsider": None,
}
"""Who there is by default, and their right in every repository of the story."""

Files = Mapping[str, bytes | str | None]


class Workflows(Protocol):
    """What is asked of the CI."""

    def register(self, repo: Repository) -> None:
        """Know the workflow files of the default branch."""
        ...

    async def rerun(self, act: Act, run: WorkflowRun, *, failed_only: bool) -> None:
        """Run all or the failed jobs again."""
        ...

    async def rerun_job(self, act: Act, run: WorkflowRun, job: Job) -> None:
        """Run one job again."""
        ...


class Muted(Protocol):
    """What is silenced by `quietly`."""

    muted: bool


class People(Queueing):
    """Verbs over one GitHub. People are named by login; `repo` may be left out once there is one."""

    def __init__(self, github: GitHub, owner: Account, ci: Workflows, hooks: Muted) -> None:
        self.github = github
        self.owner = owner
        self._ci = ci
        self._hooks = hooks
        self._repo: Repository | None = None
        for login in ROLES:
            add_account(github, login)

    def account(self, login: str) -> Account:
        """A person by login; one that is new is made, with no rights."""
        return self.owner if login == self.owner.login else add_account(self.github, login)

    def repo(
        self,
        name: str = "demo",
        files: Mapping[str, bytes | str] | None = None,
        workflows: Mapping[str, str | Sequence[str]] | None = None,
        *,
        private: bool = False,
    ) -> Repository:
        """
        Make a repository of the owner's, with the default people's rights; later verbs mean it.

        `workflows`: file name (`ci.yml`) to its text, or to the names of jobs whose steps are one `run` line each.
        """
        content: dict[str, bytes | str] = {"README.md": f"# {name}\n", **(files or {})}
        for file, given in (workflows or {}).items():
            text = given if isinstance(given, str) else workflow_text(file.partition(".")[0], given)
            content[f".github/workflows/{file}"] = text
        made = repositories.create_repository(self.github, self.owner, name, content, private=private)
        for login, role in ROLES.items():
            if role is not None:
                repositories.set_role(made, self.account(login), role)
        self._ci.register(made)
        self._repo = made
        return made

    @contextmanager
    def quietly(self) -> Iterator[People]:
        """Do things of which no webhook tells."""
        before, self._hooks.muted = self._hooks.muted, True
        try:
            yield self
        finally:
            self._hooks.muted = before

    # Branches and pull requests.

    def push(
        self,
        branch: str,
        changes: Files,
        *,
        by: str = "author",
        message: str = "Change",
        start: str | None = None,
        fork: bool = False,
        repo: Repository | None = None,
    ) -> str:
        """Commit files (None deletes one) and push them, to the person's fork with `fork`. Gives the commit."""
        act = self._act(by, repo, "read" if fork else "write")
        if fork:
            act = act.elsewhere(self.fork(by, repo=repo))
        return pushes.push_files(act, branch, changes, message, start=start)

    def force_push(self, branch: str, commit: str, *, by: str = "author", repo: Repository | None = None) -> None:
        """Point a branch at a commit that is there, whatever it held."""
        pushes.move_ref(self._act(by, repo, "write"), f"refs/heads/{branch}", commit, force=True)

    def delete_branch(self, branch: str, *, by: str = "author", repo: Repository | None = None) -> None:
        """Delete a branch. GitHub: an open pull request from it is closed."""
        pushes.delete_ref(self._act(by, repo, "write"), f"refs/heads/{branch}")

    def fork(self, by: str = "outsider", *, repo: Repository | None = None) -> Repository:
        """The person's fork, made when it is not there."""
        parent, account = self._in(repo), self.account(by)
        for other in self.github.repositories.values():
            if other.fork_of == parent.id and other.owner is account:
                return other
        return repositories.fork(self.github, parent, account)

    def open_pull(
        self,
        branch: str,
        changes: Files | None = None,
        *,
        by: str = "author",
        title: str | None = None,
        body: str | None = None,
        base: str = "main",
        draft: bool = False,
        fork: bool = False,
        repo: Repository | None = None,
    ) -> Pull:
        """Push changes (where given) and open a pull request, from the person's fork with `fork`."""
        name = title or branch.replace("-", " ").capitalize()
        if changes is not None:
            self.push(branch, changes, by=by, message=name, start=base, fork=fork, repo=repo)
        head_repo = self.fork(by, repo=repo) if fork else None
        act = self._act(by, repo, "read")
        return pulls.open_pull(act, title=name, head=branch, base=base, body=body, head_repo=head_repo, draft=draft)

    async def merge(
        self,
        pull: Pull,
        *,
        by: str = "maintainer",
        method: Literal["merge", "squash", "rebase"] = "merge",
        repo: Repository | None = None,
    ) -> str:
        """Merge a pull request; gives the commit that landed."""
        return await pulls.merge_pull(self._act(by, repo, "write"), pull, method=method)

    def close(self, pull: Pull, *, by: str = "author", repo: Repository | None = None) -> None:
        """Close a pull request: its author or somebody with triage rights."""
        pulls.close_pull(self._act(by, repo, "read" if pull.author.login == by else "triage"), pull)

    def reopen(self, pull: Pull, *, by: str = "author", repo: Repository | None = None) -> None:
        """Open a closed pull request again."""
        pulls.reopen_pull(self._act(by, repo, "read" if pull.author.login == by else "triage"), pull)

    def ready(self, pull: Pull, *, by: str = "author", draft: bool = False, repo: Repository | None = None) -> None:
        """Mark a draft as ready for review, or turn it into a draft again."""
        pulls.set_draft(self._act(by, repo, "read" if pull.author.login == by else "write"), pull, draft=draft)

    def edit_pull(
        self,
        pull: Pull,
        *,
        by: str = "author",
        title: str | None = None,
        body: str | None = None,
        base: str | None = None,
        repo: Repository | None = None,
    ) -> None:
        """Change a pull request's title, text or base."""
        act = self._act(by, repo, "read" if pull.author.login == by else "write")
        pulls.edit_pull(act, pull, title=title, body=body, base=base)

    def label(self, pull: Pull, name: str, *, by: str = "maintainer", repo: Repository | None = None) -> None:
        """Put a label on."""
        labels.add_label(self._act(by, repo, "triage"), pull.number, name)

    def unlabel(self, pull: Pull, name: str, *, by: str = "maintainer", repo: Repository | None = None) -> None:
        """Take a label off."""
        labels.remove_label(self._act(by, repo, "triage"), pull.number, name)

    def review(
        self,
        pull: Pull,
        verdict: reviews.Verdict,
        body: str = "",
        *,
        by: str = "maintainer",
        repo: Repository | None = None,
    ) -> Review:
        """Review a pull request at its head."""
        return reviews.submit_review(self._act(by, repo, "read"), pull, verdict, body)

    # Conversation.

    def comment(self, pull: Pull, body: str, *, by: str = "author", repo: Repository | None = None) -> Comment:
        """Comment on a pull request; anybody who can read may."""
        return comments.add_comment(self._act(by, repo, "read"), pull.number, body)

    def edit_comment(
        self, comment: Comment, body: str, *, by: str | None = None, repo: Repository | None = None
    ) -> None:
        """Change a comment's text: its author, or somebody with write access."""
        login = by or comment.author.login
        comments.edit_comment(self._act(login, repo, self._for(comment, login)), comment, body)

    def delete_comment(self, comment: Comment, *, by: str | None = None, repo: Repository | None = None) -> None:
        """Delete a comment: its author, or somebody with write access."""
        login = by or comment.author.login
        comments.delete_comment(self._act(login, repo, self._for(comment, login)), comment)

    def react(self, to: Comment | Pull, content: str, *, by: str = "author", repo: Repository | None = None) -> None:
        """React to a comment or a pull request's text."""
        comments.react(self._act(by, repo, "read"), to, content)

    # Checks.

    async def rerun(
        self,
        what: WorkflowRun | Job,
        *,
        by: str = "maintainer",
        failed_only: bool = True,
        repo: Repository | None = None,
    ) -> None:
        """Run the failed jobs of a run again (or all, or one job), as by the button in the Actions tab."""
        act = self._act(by, repo, "write")
        if isinstance(what, Job):
            await self._ci.rerun_job(act, act.repo.runs[what.run_id], what)
        else:
            await self._ci.rerun(act, what, failed_only=failed_only)

    def rerequest(self, check_run: CheckRun, *, by: str = "maintainer", repo: Repository | None = None) -> None:
        """Press Re-run on an App's own check run: only that App hears of it."""
        checks.rerequest_run(self._act(by, repo, "write"), check_run)

    def press(self, check_run: CheckRun, button: str, *, by: str = "author", repo: Repository | None = None) -> None:
        """Press a button of a check run, by its label or identifier. GitHub shows them to people with write access."""
        found = [one["identifier"] for one in check_run.actions if button in {one["label"], one["identifier"]}]
        if not found:
            raise Refused(422, f"{check_run.name} has no button {button}")
        checks.press(self._act(by, repo, "write"), check_run, found[0])

    # Another CI.

    def report_check(
        self,
        on: Pull | str,
        name: str,
        conclusion: str | None,
        *,
        ci: str = "Other CI",
        output: Mapping[str, Any] | None = None,
        details_url: str | None = None,
        repo: Repository | None = None,
    ) -> CheckRun:
        """Another CI's App reports a check run on a head or a commit; without a conclusion it still runs.

        `output` is as the API takes it: `title`, `summary`, `text`, `annotations`.
        """
        act = self._of_app(ci, repo)
        fields: dict[str, Any] = {"name": name, "head_sha": _commit(on), "status": "in_progress"}
        if conclusion is not None:
            fields |= {"status": "completed", "conclusion": conclusion}
        if output is not None:
            fields["output"] = output
        if details_url is not None:
            fields["details_url"] = details_url
        return checks.create_check_run(act, self._app(ci), fields)

    def report_status(
        self,
        on: Pull | str,
        context: str,
        state: str,
        description: str | None = None,
        *,
        ci: str = "Other CI",
        target_url: str | None = None,
        repo: Repository | None = None,
    ) -> Status:
        """Another CI's App sets a commit status on a head or a commit."""
        act = self._of_app(ci, repo)
        return statuses.set_status(
            act, _commit(on), state=state, context=context, description=description, target_url=target_url
        )

    def _app(self, name: str) -> App:
        """An App that may report, made and installed on the owner's account when it is not there."""
        known = next((app for app in self.github.apps.values() if app.name == name), None)
        if known is None:
            manifest = {"name": name, "default_permissions": {"checks": "write", "statuses": "write"}}
            known = add_app(self.github, manifest, owner=self.owner)
            install(self.github, known, self.owner, quiet=True)
        return known

    def _of_app(self, name: str, repo: Repository | None) -> Act:
        app = self._app(name)
        return Act(self.github, self._in(repo), Actor(app.bot, app))

    # The repository.

    def rename(self, name: str, *, by: str = "admin", repo: Repository | None = None) -> None:
        """Rename the repository; the old name leads to it."""
        act = self._act(by, repo, "admin")
        repositories.rename(self.github, act.repo, name, act.by)

    def _in(self, repo: Repository | None) -> Repository:
        found = repo or self._repo
        if found is None:
            raise LookupError("there is no repository yet: call repo() first")
        return found

    def _act(self, login: str, repo: Repository | None, wanted: Role) -> Act:
        """The person's act, if their role is enough."""
        where, account = self._in(repo), self.account(login)
        if not at_least(repositories.role_of(where, account), wanted):
            raise Refused(403, f"{login} needs {wanted} access to {where.full_name}")
        return Act(self.github, where, Actor(account))

    def _for(self, comment: Comment, login: str) -> Role:
        return "read" if comment.author.login == login else "write"


def _commit(on: Pull | str) -> str:
    return on.head_sha if isinstance(on, Pull) else on


def workflow_text(name: str, jobs: Sequence[str]) -> str:
    """A workflow file for pushes to main and pull requests, with simple jobs for which functions stand in stories."""
    steps = "    steps:\n      - uses: actions/checkout@v4\n      - run: make"
    parts = [f"  {job}:\n    runs-on: ubuntu-latest\n{steps} {job}\n" for job in jobs]
    return f"name: {name}\non:\n  push:\n    branches: [main]\n  pull_request:\njobs:\n" + "".join(parts)
