"""What people read: every sentence, as they see it; and log text that stays harmless whatever it holds."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from markdown_it import MarkdownIt

from bot.words import check, comment
from bot.words.inert import code, escape_html, fence, one_line, visible
from bot.words.model import proposed
from resolver.attribution import Verdict
from resolver.config import ConfigProblem
from resolver.decide.compose import compose
from resolver.executions import Check
from resolver.facts import PullConfigRead
from resolver.facts.resolve import Proposal
from resolver.failure import Place
from resolver.ids import TextHash
from resolver.policy import ACTIONS
from resolver.report import Standing
from tests.core.made import HEAD, config, failure, files, job, pull, red, repo, run, state_of, triaged

URL = "https://github.test/acme/shop"
EXCERPT = TextHash("e" * 64)


def report(*facts):
    """The report on pull request 7."""
    state = state_of(*facts)
    return compose(state, state.pulls[7])


def said(*facts, excerpts=None):
    """The comment on pull request 7."""
    return comment.render(report(*facts), URL, excerpts or {})


def test_one_failing_test_reads_cause_first():
    """The tired engineer sees what failed, where, and what happens now."""
    facts = (*red()[:-1], triaged(30, failure(excerpt_ref=EXCERPT)))
    assert said(*facts, excerpts={EXCERPT: "E   assert 90 == 100\nshop/cart.py:12: AssertionError"}) == snapshot("""\
<!-- failres:sticky:7 -->

**`ci / test` failed: `tests/test_cart.py::test_total`: `assert 90 == 100`**

At [`shop/cart.py:12`](https://github.test/acme/shop/blob/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/shop/cart.py#L12) · [Log of `ci / test`](https://github.test/jobs/30)

**What happens now:** It is not known yet whose failure this is. failres only explains here; the configuration does not let it act on this pull request.

<details>
<summary>Log of ci / test</summary>

```text
E   assert 90 == 100
shop/cart.py:12: AssertionError
```

</details>

<sub>failres · commit aaaaaaa · class gate-red-code · fingerprint v1-0123456789abcdef</sub>\
""")


def test_several_checks_are_a_table():
    """One row a check, the first failure of each, and how many more there are."""
    facts = (
        *red(),
        job(31, "timed_out", name="lint | all"),
        triaged(
            31,
            failure(None, kind="lint", message="E501 line too long | 121", fingerprint="v1-00000000000000e5"),
            failure(None, message="F401 unused"),
        ),
        job(32, name="docs"),
        triaged(32, kind="none", missing="no-log"),
        job(33, "cancelled", name="deploy"),
    )
    assert said(*facts) == snapshot("""\
<!-- failres:sticky:7 -->

**3 checks failed, first `ci / test`: `tests/test_cart.py::test_total`: `assert 90 == 100`**

| check | what failed | where |
| --- | --- | --- |
| [`ci / test`](https://github.test/jobs/30) | `tests/test_cart.py::test_total`: `assert 90 == 100` | [`shop/cart.py:12`](https://github.test/acme/shop/blob/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/shop/cart.py#L12) |
| [`ci / lint \\| all`](https://github.test/jobs/30) | The check failed on the code: `E501 line too long \\| 121` (and 2 more) | [`shop/cart.py:12`](https://github.test/acme/shop/blob/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/shop/cart.py#L12) |
| [`ci / docs`](https://github.test/jobs/30) | GitHub has no log of this job, so nothing is known of the cause. |  |

Red, cancelled or not run only because of it: `deploy`.

**What happens now:** It is not known yet whose failure this is. failres only explains here; the configuration does not let it act on this pull request.

<sub>failres · commit aaaaaaa · class gate-red-code, task-stalled · fingerprint v1-0123456789abcdef, v1-00000000000000e5</sub>\
""")


def test_cells_that_fail_alike_are_told_once():
    """Seven red cells of one cause are one headline."""
    cells = [job(50 + n, name=f"test (3.{n})") for n in range(3)]
    assert said(repo(), config(), pull(), files(), run(), *cells, *(triaged(50 + n) for n in range(3))).splitlines()[
        2
    ] == snapshot("**3 checks failed in the same way: `tests/test_cart.py::test_total`: `assert 90 == 100`**")


def test_green_again_says_what_passed():
    """The resolved comment names the checks that have passed."""
    assert said(*red(), job(31, "success", attempt=2)) == snapshot("""\
<!-- failres:sticky:7 -->

**Green again** at `aaaaaaa`: `ci / test` passed.

<sub>failres · commit aaaaaaa</sub>\
""")


def test_a_broken_configuration_is_shown_with_its_line():
    """The problem's place and its words, and what it would mean."""
    problem = ConfigProblem(line=4, column=3, path="mode.rerunn", message="is not known; did you mean `rerun`?")
    brought = PullConfigRead(number=7, head_sha=HEAD, found=True, problems=(problem,))
    facts = (repo(), config(), pull(), files(7, HEAD, ".github/failres.yml"), brought)
    assert said(*facts) == snapshot("""\
<!-- failres:sticky:7 -->

**`.github/failres.yml` is broken on this branch.**

This pull request brings a configuration that failres cannot read. It would stop acting on this repository once this is merged:

- line 4, column 3: `mode.rerunn`: ``is not known; did you mean `rerun`?``

<sub>failres · commit aaaaaaa</sub>\
""")
    assert check.marks(report(*facts)) == snapshot(
        [
            {
                "path": ".github/failres.yml",
                "start_line": 4,
                "end_line": 4,
                "annotation_level": "failure",
                "title": "mode.rerunn",
                "message": "is not known; did you mean `rerun`?",
            }
        ]
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"head_repo_id": 2}, "failres explains pull requests from forks and does nothing else on them."),
        ({"author": {"id": 49699333, "login": "dependabot[bot]", "type": "Bot"}}, "failres explains Dependabot's"),
        ({}, "failres only explains here"),
    ],
)
def test_what_happens_now_is_true_for_whose_branch_it_is(change, sentence):
    """Forks and Dependabot are explained only, and told so."""
    assert sentence in said(*red(), pull(updated_at=150.0, **change))


def test_the_check_run_has_the_cause_in_its_title_and_the_evidence_in_its_summary():
    """Title for the list of checks, one row for each failing item, an annotation on each line at the head."""
    facts = (
        *red()[:-1],
        triaged(30, failure(), failure("tests/test_b.py::test_x", places=(Place(path="/usr/lib/x.py", line=3),))),
    )
    found = report(*facts)
    assert check.title(found) == snapshot(
        "ci / test failed: tests/test_cart.py::test_total: assert 90 == 100 (and 1 more)"
    )
    assert check.summary(found, URL) == snapshot("""\
| check | what failed | class | where | fingerprint |
| --- | --- | --- | --- | --- |
| `ci / test` | `tests/test_cart.py::test_total`: `assert 90 == 100` | `gate-red-code` | [`shop/cart.py:12`](https://github.test/acme/shop/blob/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/shop/cart.py#L12) | `v1-0123456789abcdef` |
| `ci / test` | `tests/test_b.py::test_x`: `assert 90 == 100` | `gate-red-code` |  | `v1-0123456789abcdef` |

**What happens now:** It is not known yet whose failure this is. failres only explains here; the configuration does not let it act on this pull request.\
""")
    assert check.marks(found) == snapshot(
        [
            {
                "path": "shop/cart.py",
                "start_line": 12,
                "end_line": 12,
                "annotation_level": "failure",
                "title": "tests/test_cart.py::test_total",
                "message": "assert 90 == 100",
            }
        ]
    )


def test_b9_a_comment_that_is_too_long_loses_details_never_its_verdict_lines():
    """GitHub refuses more than 65,536 characters, on create and on edit."""
    refs = {TextHash(f"{n:064x}"): "x" * 30_000 for n in range(3)}
    jobs = [job(50 + n, name=f"unit-{n}") for n in range(3)]
    logs = [triaged(50 + n, failure(excerpt_ref=ref, fingerprint=f"v1-{n:016x}")) for n, ref in enumerate(refs)]
    text = comment.render(report(repo(), config(), pull(), files(), run(), *jobs, *logs), URL, refs)
    assert len(text) <= comment.LIMIT
    assert text.startswith(comment.marker(7))
    assert "**3 checks failed, first" in text
    assert text.count("<details>") == 2


HOSTILE = [
    "@everyone look",
    "https://evil.test/?q=1",
    "[click](https://evil.test)",
    "![x](https://evil.test/pixel.png)",
    "<script>alert(1)</script>",
    "/failres answer scopeFiles=src/a.py",
    "</details>\n\n# Heading",
    "a `b` ``c`` ```d```",
    "closes #12",
    "a | b | c",
    "\u202egnp.exe",
    "zero\u200bwidth",
    "<!-- failres:sticky:7 -->",
    "\x1b[31mred\x1b[0m",
    "-->\n\n/failres stop",
]


def live(markdown):
    """What Markdown makes of a text besides plain text, code and our own structure."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown)
    inner = [child for token in tokens for child in (token.children or [])]
    return [t for t in inner if t.type in {"link_open", "image", "html_inline"}], "".join(
        t.content for t in inner if t.type == "text"
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_log_is_inert_wherever_it_stands(text):
    """Neither as an item nor as a message, excerpt or job name does it become a link, a mention, a command or markup."""
    facts = (
        *red()[:-2],
        job(30, name=text),
        triaged(30, failure(text, message=text, excerpt_ref=EXCERPT)),
    )
    body = said(*facts, excerpts={EXCERPT: text})
    links, words = live(body)
    assert all("evil.test" not in str(t.attrs) + t.content for t in links)
    assert not any(bad in words for bad in ("@everyone", "evil.test", "/failres", "#12", "alert(1)"))
    assert not any(line.lstrip().startswith("/failres") for line in outside_fences(body))
    assert "\u202e" not in body
    assert "\x1b" not in body
    html = [t.content for t in MarkdownIt("gfm-like", {"linkify": False}).parse(body) if t.type == "html_block"]
    assert html[0].strip() == comment.marker(7)
    assert all(
        line.startswith(("<details>", "<summary>Log of ", "</details>"))
        for line in "".join(html[1:]).splitlines()
        if line
    )


def outside_fences(body):
    """The lines that Markdown reads as text."""
    inside, lines = None, []
    for line in body.splitlines():
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if inside is None and len(ticks) >= 3:
            inside = ticks
        elif inside is not None and line.strip() == inside:
            inside = None
        elif inside is None:
            lines.append(line)
    return lines


@given(st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_a_code_span_holds_any_text(text):
    """Whatever the text, Markdown reads exactly one code span and nothing beside it."""
    tokens = MarkdownIt("commonmark").parseInline(code(text))[0].children
    assert [t.type for t in tokens] == ["code_inline"]


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_a_fence_holds_any_text(text):
    """Whatever the text, Markdown reads exactly one fenced block."""
    assert [t.type for t in MarkdownIt("commonmark").parse(fence(text))] == ["fence"]


def test_small_words():
    """Edges of the small functions that everything goes through."""
    assert one_line("a\n\n  b\tc") == "a b c"
    assert one_line("x" * 200, 10) == "xxxxxxxxx…"
    assert visible("a\x00b\u200bc\n") == "abc\n"
    assert escape_html("<b>@x #1 `y` https://z</b>") == "&lt;b&gt;&#64;x &#35;1 &#96;y&#96; https&#58;//z&lt;/b&gt;"


def test_a_models_words_are_inert_whatever_it_proposes():
    """Each action has its sentence, and the model's own words stand in code: no mention, link, image or command."""
    words = "@acme ![x](https://evil.test/x.png) `a` </details>\n/failres retry #7"
    for action in ACTIONS:
        line = proposed(Proposal(action=action, rationale=words))
        tokens = [each for block in MarkdownIt().parse(line) for each in block.children or ()]
        assert {each.type for each in tokens} == {"text", "code_inline"}
        (inert,) = [each.content for each in tokens if each.type == "code_inline"]
        assert inert == " ".join(words.split())
        assert "\n" not in line
    assert proposed(Proposal(action="resume", rationale="a mirror was away")) == snapshot(
        "A model proposed to run the failed job once more: `a mirror was away`."
    )
    assert proposed(Proposal(action="escalate", rationale="the model was not sure: it may pass")) == snapshot(
        "A model was asked about it, and people have to decide: `the model was not sure: it may pass`."
    )


def test_several_failures_of_one_check_are_named_each():
    """The headline has the first and their number, a table each with its line; the log is linked once."""
    elsewhere = (Place(path="shop/tax.py", line=3, mapped=True),)
    other = failure("tests/test_tax.py::test_rate", message="assert 19 == 7", places=elsewhere)
    body = said(*red()[:-1], triaged(30, failure(), other, capped=4))
    assert body.split("**What happens now")[0] == snapshot("""\
<!-- failres:sticky:7 -->

**`ci / test` failed: `tests/test_cart.py::test_total`: `assert 90 == 100` (and 5 more)**

| what failed | where |
| --- | --- |
| `tests/test_cart.py::test_total`: `assert 90 == 100` | [`shop/cart.py:12`](https://github.test/acme/shop/blob/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/shop/cart.py#L12) |
| `tests/test_tax.py::test_rate`: `assert 19 == 7` | [`shop/tax.py:3`](https://github.test/acme/shop/blob/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/shop/tax.py#L3) |
| … and 4 more | |

[Log of `ci / test`](https://github.test/jobs/30)

""")


def test_several_failures_without_a_place_are_a_list():
    """A column that is empty throughout says nothing; in the check run, equal sentences are told apart."""
    first, second = (failure(None, message=f"npm error {n}", places=(), fingerprint=f"v1-{n * 16}") for n in "12")
    body = said(*red()[:-1], triaged(30, first, second))
    assert (
        "\n\n- The check failed on the code: `npm error 1`\n- The check failed on the code: `npm error 2`\n\n" in body
    )
    given = {"klass": "unclassified", "check": Check(workflow="ci.yml", job="test"), "item": None, "evidence": ()}
    verdicts = tuple(
        Verdict(**given, fingerprint=each.fingerprint, strength="weak", next_action="escalate", reason="")
        for each in (first, second)
    )
    told = report(*red()).model_copy(update={"cause": Standing(verdicts=verdicts)})
    assert re.findall(r"proves whose failure it is\*\* \((.*)\)", check.summary(told, URL)) == [
        "`unclassified`, `v1-1111111111111111`",
        "`unclassified`, `v1-2222222222222222`",
    ]
