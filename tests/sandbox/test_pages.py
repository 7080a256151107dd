"""The pages read like a pull request, are safe to look at, and act only through their own forms."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from bot.sandbox.changes import checks, comments, pushes
from bot.sandbox.changes.pulls import find_mergeable
from bot.sandbox.ci.runner.function_job import failed, passed
from bot.sandbox.pages.markdown import render
from bot.sandbox.people import workflow_text
from bot.sandbox.state import Pull
from tests.sandbox.lab import Lab


@dataclass
class Page:
    """A page as it came."""

    status: int
    html: str

    @property
    def words(self) -> str:
        """The page's text without tags."""
        return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", self.html))


async def get(lab: Lab, path: str, host: str | None = None) -> Page:
    """Look at a page."""
    headers = {"Host": host} if host else {}
    async with lab.session.get(lab.sandbox.web_url + path, headers=headers) as response:
        return Page(response.status, await response.text())


async def post(lab: Lab, path: str, fields: dict[str, str]) -> Page:
    """Send a form."""
    async with lab.session.post(lab.sandbox.web_url + path, data=fields, allow_redirects=False) as response:
        return Page(response.status, await response.text())


async def story(lab: Lab) -> Pull:
    """A pull request with a red job, an App's check with buttons, a conversation."""
    pull = lab.pull("feature", {"app.py": "x = 2\n", ".github/workflows/ci.yml": workflow_text("CI", ["unit", "lint"])})
    lab.sandbox.ci.job("unit", lambda _: failed("::error file=app.py,line=1,title=Wrong::x should be 1", "<b>raw</b>"))
    lab.sandbox.ci.job("lint", lambda _: passed())
    await lab.sandbox.ci.advance()
    bot = lab.act("author")
    fields = {
        "name": "explainer",
        "head_sha": pull.head_sha,
        "conclusion": "neutral",
        "output": {"title": "x is wrong", "summary": "**because** | of"},
        "actions": [{"label": "Explain", "description": "Why", "identifier": "explain"}],
    }
    checks.create_check_run(bot, lab.sandbox.app, fields)
    said = comments.add_comment(
        bot, pull.number, "A | b\n--|--\n1 | 2\n\n<details><summary>more</summary>\n\nin it\n\n</details>"
    )
    comments.react(lab.act("maintainer"), said, "eyes")
    old = comments.add_comment(lab.act("maintainer"), pull.number, "old news")
    comments.minimize_comment(old, "OUTDATED")
    await find_mergeable(bot, pull)
    return pull


async def test_the_conversation_reads_like_a_pull_request(lab: Lab) -> None:
    """Title, branches, comments with tables and folds, hidden ones folded, checks with their state, the merge state."""
    pull = await story(lab)
    page = await get(lab, f"/octo/app/pull/{pull.number}")
    assert page.status == 200
    for wanted in (
        "Change feature #1",
        "wants to merge 1 commit into main from feature",
        "Some checks were not successful",
        "1 failing, 1 successful, 1 neutral or skipped checks",
        "CI / unit (pull_request) Failed",
        "explainer x is wrong",
        "This branch has no conflicts with the base branch",
        "this comment was marked as outdated.",
        "Comment as",
    ):
        assert wanted in page.words
    assert "<td>1</td>" in page.html
    assert "<details><summary>more</summary>" in page.html
    assert 'title="maintainer">👀 1' in page.html


async def test_checks_files_commits_and_logs(lab: Lab) -> None:
    """The other pages: output and annotations, the diff with the annotation on its line, the job's log with groups folded."""
    pull = await story(lab)
    path = f"/octo/app/pull/{pull.number}"
    shown = await get(lab, f"{path}/checks")
    assert "app.py#L1 Wrong x should be 1" in shown.words
    assert "<strong>because</strong>" in shown.html
    files = await get(lab, f"{path}/files")
    assert '<tr class="removed"><td class="number">1</td><td class="number"></td><td>-x = 1</td></tr>' in files.html
    added = files.html.index(">+x = 2<")
    assert added < files.html.index("x should be 1")
    assert "Change feature" in (await get(lab, f"{path}/commits")).words
    assert "+x = 2" in (await get(lab, f"/octo/app/commit/{pull.head_sha}")).words
    blob = await get(lab, f"/octo/app/blob/{pull.head_sha}/app.py")
    assert '<tr id="L1"><td class="number">1</td><td>x = 2</td></tr>' in blob.html

    run = next(iter(lab.repo.runs.values()))
    assert "Attempt 1" in (await get(lab, f"/octo/app/actions/runs/{run.id}")).words
    log = await get(lab, f"/octo/app/actions/runs/{run.id}/job/{run.latest.jobs[0].id}")
    assert "&lt;b&gt;raw&lt;/b&gt;" in log.html
    assert "<summary>Run make unit</summary>" in log.html
    assert '<div class="error">##[error]Process completed with exit code 1.</div>' in log.html


async def test_a_markdown_file_is_read_as_text_also_on_a_branch_with_slashes(lab: Lab) -> None:
    """The branch's name is found in the address; `?plain=1` shows the lines."""
    pushes.push_files(lab.act(), "notes/of/us", {"a/b.md": "# Title\n\none\ntwo <script>x</script>\n"}, "Notes")
    shown = await get(lab, "/octo/app/blob/notes/of/us/a/b.md")
    assert (shown.status, "<h1>Title</h1>" in shown.html, "<script" in shown.html) == (200, True, False)
    assert "<p>one\ntwo" in shown.html
    plain = await get(lab, "/octo/app/blob/notes/of/us/a/b.md?plain=1")
    assert '<td class="number">1</td><td># Title</td>' in plain.html
    assert (await get(lab, "/octo/app/blob/notes/of/a/b.md")).status == 404


async def test_the_lists_lead_to_the_pull_request(lab: Lab) -> None:
    """The first page names the repository, its page the pull request and the runs."""
    pull = await story(lab)
    assert 'href="/octo/app"' in (await get(lab, "/")).html
    listed = await get(lab, "/octo/app")
    assert f'href="/octo/app/pull/{pull.number}"' in listed.html
    assert "Workflow runs" in listed.words
    for path in (
        "/octo/none",
        "/octo/app/pull/99",
        "/octo/app/runs/1",
        "/octo/app/commit/abc",
        "/octo/app/blob/main/none.py",
        "/octo/app/actions/runs/1",
    ):
        assert (await get(lab, path)).status == 404


def token_of(page: Page) -> str:
    """The hidden field of a page's form."""
    found = re.search(r'name="token" value="([^"]+)"', page.html)
    assert found is not None
    return found[1]


async def test_a_comment_is_made_as_the_chosen_person(lab: Lab) -> None:
    """The form comments as whom it says, with the same effects as any comment."""
    pull = await story(lab)
    path = f"/octo/app/pull/{pull.number}"
    token = token_of(await get(lab, path))
    answer = await post(lab, f"{path}/comment", {"by": "maintainer", "body": "one\r\ntwo", "token": token})
    assert answer.status == 303
    newest = list(lab.repo.comments.values())[-1]
    assert (newest.author.login, newest.body) == ("maintainer", "one\ntwo")
    assert (await post(lab, f"{path}/comment", {"by": "maintainer", "body": " ", "token": token})).status == 422
    assert (await post(lab, f"{path}/comment", {"by": "nobody", "body": "x", "token": token})).status == 422


async def test_forms_of_other_pages_are_refused(lab: Lab) -> None:
    """Without the page's own token nothing happens; another host name is refused whatever it asks."""
    pull = await story(lab)
    before = len(lab.repo.comments)
    path = f"/octo/app/pull/{pull.number}"
    assert (await post(lab, f"{path}/comment", {"by": "author", "body": "x", "token": "guess"})).status == 403
    assert (await get(lab, path, host="evil.example")).status == 403
    assert len(lab.repo.comments) == before


async def test_a_button_is_pressed_with_rights_only(lab: Lab) -> None:
    """Pressing a check's button needs write access."""
    pull = await story(lab)
    token = token_of(await get(lab, f"/octo/app/pull/{pull.number}"))
    run = next(run for run in lab.repo.check_runs.values() if run.name == "explainer")
    heard: list[str | None] = []
    lab.sandbox.github.listeners.append(lambda happening: heard.append(happening.action))
    fields = {"button": "explain", "token": token}
    assert (await post(lab, f"/octo/app/runs/{run.id}/press", {**fields, "by": "outsider"})).status == 403
    assert heard == []
    assert (await post(lab, f"/octo/app/runs/{run.id}/press", {**fields, "by": "author"})).status == 303
    assert heard == ["requested_action"]


UNSAFE = [
    ("<script>alert(1)</script>after", "after"),
    ("<img src=x onerror=alert(1)>", ""),
    ('<a href="javascript:alert(1)">x</a>', '<a rel="nofollow noopener">x</a>'),
    ('<a href=" javascript:alert(1)">x</a>', '<a rel="nofollow noopener">x</a>'),
    ('<a href="java\tscript:alert(1)">x</a>', '<a rel="nofollow noopener">x</a>'),
    (
        '<a href="https://e.org/?a=1&b" onclick="x()">x</a>',
        '<a href="https://e.org/?a=1&amp;b" rel="nofollow noopener">x</a>',
    ),
    ("<div style='position:fixed'><b>bold", "<div><b>bold"),
    ("<!-- marker -->shown", "shown"),
    ("<svg><script>1</script></svg>ok", "ok"),
    ("</article></main><b>x</b>", "<b>x</b>"),
    ("<details open><summary>s</summary>t", '<details open=""><summary>s</summary>t'),
]


@pytest.mark.parametrize(("given", "wanted"), UNSAFE)
def test_comments_are_made_safe(given: str, wanted: str) -> None:
    """Scripts, handlers, foreign addresses and styles go; what is kept is closed."""
    html = render(given)
    assert wanted in html
    assert not re.search(r"script|onerror|onclick|javascript|style=|<img|</article", html)
    assert html.count("<b>") == html.count("</b>")
