"""Comments and what each does: which lines are commands, what is wrong with the others, and who may command."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands import read_commands
from resolver.commands import Answer, Command, Misread, Stop, Verdict


def short(found: Command | Misread) -> str:
    """A command in a few characters: `stop`, `answer a.py b.py @d-1`, `answer :accept`, `?problem word>meant`."""
    if isinstance(found, Misread):
        told = f"?{found.problem} {found.word}".rstrip()
        return f"{told}>{found.meant}" if found.meant else told
    if isinstance(found, Answer):
        parts = [
            *found.scope_files,
            f":{found.option}" if found.option else "",
            f"@{found.decision}" if found.decision else "",
        ]
        return " ".join(["answer", *(part for part in parts if part)])
    if isinstance(found, Verdict):
        return f"verdict {found.outcome}|{found.reasoning}"
    return found.name


PLAIN = [
    ("nothing", "Thanks, looks good to me.", []),
    ("empty", "", []),
    ("stop", "/failres stop", ["stop"]),
    ("retry", "/failres retry", ["retry"]),
    ("sync", "/failres sync", ["sync"]),
    ("resume", "/failres resume", ["resume"]),
    ("explain", "/failres explain", ["explain"]),
    ("help", "/failres help", ["help"]),
    ("bare prefix", "/failres", ["help"]),
    ("approved", "/failres verdict approved", ["verdict approved|"]),
    ("rejected", "/failres verdict rejected the `retry()` of [x](y) loops", ["verdict rejected|the retry() of x loops"]),
    ("verdict with a comment", "/failres verdict approved fine <!-- not -->", ["verdict approved|fine"]),
    ("after text", "Please go on.\n\n/failres retry", ["retry"]),
    ("next line", "Please go on.\n/failres retry", ["retry"]),
    ("before text", "/failres retry\nThanks!", ["retry"]),
    ("two spaces first", "  /failres stop", ["stop"]),
    ("three spaces first", "   /failres stop", ["stop"]),
    ("blanks between", "/failres \t  stop  ", ["stop"]),
    ("no-break space", "/failres\u00a0stop", ["stop"]),
    ("hard break", "/failres stop  \n/failres retry", ["stop", "retry"]),
    ("backslash break", "/failres stop\\\n/failres retry", ["stop", "retry"]),
    ("capital", "/Failres Stop", ["stop"]),
    ("capitals", "/FAILRES STOP", ["stop"]),
    ("full stop", "/failres stop.", ["stop"]),
    ("bang", "/failres stop!", ["stop"]),
    ("colon", "/failres: stop", ["stop"]),
    ("comma", "/failres, stop", ["stop"]),
    ("mid-line", "please /failres stop", []),
    ("longer word", "/failresses stop", []),
    ("path", "/failres/README.md is gone", []),
    ("other prefix", "/fail stop", []),
    ("mention", "@failres stop", []),
    ("double slash", "//failres stop", []),
    ("stop with words", "/failres stop please, this is wrong", ["stop"]),
    ("explain with words", "/failres explain the second job", ["explain"]),
    ("retry with words", "/failres retry the second job", ["?extra the second job"]),
    ("sync with code", "/failres sync `now`", ["?extra now"]),
    ("retry with an HTML comment", "/failres retry <!-- once -->", ["retry"]),
    ("stop with a line break", "/failres stop<br>", ["stop"]),
    ("crlf", "text\r\n\r\n/failres stop\r\n/failres retry\r\n", ["stop", "retry"]),
    ("lone cr", "/failres stop\r/failres retry", ["stop", "retry"]),
    ("nul", "/failres\0stop", []),
    ("signature", "/failres stop\n--\nBo", ["stop"]),
    ("rule below", "/failres stop\n\n---", ["stop"]),
    ("several", "/failres stop\n/failres resume\n/failres retry", ["stop", "resume", "retry"]),
    ("several, one wrong", "/failres stop\n/failres fly\n/failres retry", ["stop", "?unknown fly", "retry"]),
    ("folded", "<details>\n\n/failres stop\n\n</details>", ["stop"]),
    ("emphasis", "**/failres stop**", []),
    ("emphasised word", "/failres **stop**", ["?unknown **stop**>stop"]),
]  # fmt: skip

HIDDEN = [
    ("quote", "> /failres stop", []),
    ("quote in a quote", ">> /failres stop", []),
    ("quote, answered", "> /failres stop\n\nNo, go on.", []),
    ("quote, then a command", "> why?\n\n/failres explain", ["explain"]),
    ("lazy quote", "> why?\n/failres explain", ["?in-quote"]),
    ("lazy quote in a list", "- > why?\n/failres explain", ["?in-quote"]),
    ("fence in a quote", "> ```\n> /failres stop\n> ```", []),
    ("alert", "> [!NOTE]\n> /failres stop", []),
    ("code span", "`/failres stop`", []),
    ("code span over lines", "a `b\n/failres stop\nc` d", []),
    ("fence", "```\n/failres stop\n```", []),
    ("fence with a language", "```text\n/failres stop\n```", []),
    ("tilde fence", "~~~\n/failres stop\n~~~", []),
    ("open fence", "```\n/failres stop", []),
    ("fence after text", "text\n```\n/failres stop\n```\n", []),
    ("longer fence", "````\n```\n/failres stop\n```\n````", []),
    ("after a fence", "```\nlog\n```\n/failres stop", ["stop"]),
    ("indented code", "    /failres stop", []),
    ("tab", "\t/failres stop", []),
    ("indented after text", "text\n    /failres stop", ["stop"]),
    ("link", "[/failres stop](http://example.invalid)", []),
    ("link over lines", "[a\n/failres stop\nb](http://example.invalid)", []),
    ("link title", '[a](b "\n/failres stop\n")', []),
    ("link definition", "[a]: b '\n/failres stop\n'\n\n[a]", []),
    ("reference link", "[/failres stop]\n\n[/failres stop]: http://example.invalid", []),
    ("image", "![/failres stop](a.png)", []),
    ("image over lines", "![a\n/failres stop\n](a.png)", []),
    ("autolink", "<http://example.invalid/\n/failres stop>", ["?unknown stop>>stop"]),
    ("HTML comment", "<!-- /failres stop -->", []),
    ("HTML comment over lines", "<!--\n/failres stop\n-->", []),
    ("HTML comment over paragraphs", "<!--\n\n/failres stop\n\n-->", []),
    ("HTML comment in text", "a <!--\n/failres stop\n--> b", []),
    ("open HTML comment", "<!--\n\n/failres stop", []),
    ("after an HTML comment", "<!-- a -->\n\n/failres stop", ["stop"]),
    ("behind an HTML comment", "<!-- a --> /failres stop", []),
    ("inline behind an HTML comment", "x\n<!-- a -->/failres stop", []),
    ("HTML attribute", "<img alt='\n/failres stop\n'>", []),
    ("code element", "<code>/failres stop</code>", []),
    ("code element over lines", "see <code>\n/failres stop\n</code>", []),
    ("code element over paragraphs", "<code>\n\n/failres stop\n\n</code>", []),
    ("code element with attribute", '<CODE class="a">\n\n/failres stop\n\n</CODE>', []),
    ("open code element", "<code>\n\n/failres stop", []),
    ("closed code element", "<code>a</code>\n/failres stop", ["stop"]),
    ("closed code element above", "<code>a</code>\n\n/failres stop", ["stop"]),
    ("pre", "<pre>\n\n/failres stop\n\n</pre>", []),
    ("blockquote element", "<blockquote>\n\n/failres stop\n\n</blockquote>", []),
    ("struck out", "<del>\n\n/failres stop\n\n</del>", []),
    ("anchor", "<a href='b'>\n\n/failres stop\n\n</a>", []),
    ("element named in code", "use `<code>` here\n/failres stop", ["stop"]),
    ("element opened in a quote", "> a <code>\n\n/failres stop", []),
    ("element named in a quote", "> a `<code>`\n\n/failres stop", ["stop"]),
    ("element opened in a table", "| <code> |\n|---|\n\n/failres stop", []),
    ("element behind an HTML comment", "<!-- a --><code>\n\n/failres stop", []),
    ("behind an image", "![](a.png)/failres stop", []),
    ("below an image", "![](a.png)\n/failres stop", ["stop"]),
    ("script", "<script>\n/failres stop\n</script>", []),
    ("commented tag", "<!-- <code> -->\n\n/failres stop", ["stop"]),
    ("div", "<div>\n/failres stop\n</div>", []),
    ("table", "| a |\n|---|\n| /failres stop |", []),
    ("table without bars", "a | b\n--|--\n/failres stop | c", []),
    ("heading", "# /failres stop", []),
    ("list", "- /failres stop", []),
    ("numbered list", "1. /failres stop", []),
    ("nested list", "- a\n  - /failres stop\n    - /failres retry", []),
    ("task list", "- [ ] /failres stop", []),
    ("below a list", "- a\n- b\n/failres stop", ["stop"]),
    ("paragraph in a list", "- a\n\n  /failres stop", ["stop"]),
    ("paragraph in a nested list", "- a\n  - b\n\n    /failres stop", ["stop"]),
    ("code in a list", "- a\n\n      /failres stop", []),
    ("escaped", "\\/failres stop", []),
    ("entity", "&#47;failres stop", []),
    ("entity behind", "/failres&#32;stop", []),
    ("zero-width in the word", "/failres st\u200bop", ["?hidden"]),
    ("zero-width in the prefix", "/fail\u200bres stop", ["?hidden"]),
    ("zero-width first", "\u200b/failres stop", ["?hidden"]),
    ("byte order mark first", "\ufeff/failres stop", ["?hidden"]),
    ("bidi override", "/failres \u202epots", ["?hidden"]),
    ("bidi isolate in a path", "/failres answer scopeFiles=a\u2066.py", ["?hidden"]),
    ("soft hyphen", "/failres re\u00adtry", ["?hidden"]),
    ("control", "/failres sto\x07p", ["?hidden"]),
    ("hidden in an entity", "/failres answer scopeFiles=a&#8203;.py", ["?hidden"]),
    ("other letters", "/f\u0430ilres stop", []),
    ("other letters in the word", "/failres st\u043ep", ["?unknown st\u043ep>stop"]),
    ("wide slash", "\uff0ffailres stop", []),
    ("division slash", "\u2215failres stop", []),
    ("right-to-left mark first", "\u200f/failres stop", ["?hidden"]),
    ("right-to-left text first", "\u05d0\u05d1 /failres stop", []),
    ("tag characters", "/failres stop\U000e0061", ["?hidden"]),
    ("combining mark", "/failres stop\u0301", ["?unknown stop\u0301>stop"]),
    ("blank that is none", "/failres\u3164stop", []),
    ("ideographic space", "/failres\u3000stop", ["stop"]),
    ("line separator", "text\u2028/failres stop", []),
    ("form feed", "text\x0c/failres stop", []),
    ("next line", "text\x85/failres stop", []),
    ("carriage returns of all kinds", "a\r\r\n/failres stop\r\n\r/failres retry", ["stop", "retry"]),
    ("fence with carriage returns", "```\r/failres stop\r```\r/failres retry", ["retry"]),
    ("struck out in Markdown", "~~/failres stop~~", []),
    ("struck out over lines", "~~a\n/failres stop\nb~~", []),
    ("below something struck out", "~~a~~\n/failres stop", ["stop"]),
    ("struck out word", "/failres ~~stop~~ retry", ["?unknown ~~stop~~>stop"]),
    ("footnote", "[^1]: /failres stop", []),
    ("footnote over paragraphs", "see [^1]\n\n[^1]: a\n\n    /failres stop", []),
    ("below a link definition", "[a]: http://example.invalid\n/failres stop", ["stop"]),
    ("summary", "<details><summary>/failres stop</summary>\n\na\n</details>", []),
    ("folded without an empty line", "<details>\n/failres stop\n</details>", []),
    ("HTML table", "<table><tr><td>\n\n/failres stop\n\n</td></tr></table>", []),
    ("last row of a table", "a | b\n--|--\n1 | 2\n/failres stop", []),
    ("setext heading", "/failres stop\n===", ["stop"]),
    ("setext heading below text", "text\n/failres stop\n---", ["stop"]),
    ("below a task", "- [x] done\n/failres stop", ["stop"]),
    ("suggestion", "```suggestion\n/failres stop\n```", []),
    ("in a fence with tildes", "~~~suggestion\n/failres stop\n~~~", []),
    ("star and plus", "* /failres stop\n\n+ /failres stop", []),
    ("CDATA", "<![CDATA[\n\n/failres stop\n]]>", []),
    ("processing instruction", "<?php\n\n/failres stop\n?>", []),
    ("two on one line", "/failres retry /failres stop", ["?extra /failres stop"]),
    ("the question as it was written", "- to try once more:\n\n  ```\n  /failres answer try-again decision=d-1\n  ```", []),
    ("a path behind", "/failres.yml is wrong", ["?unknown yml"]),
]  # fmt: skip

BUTTON = "How should this go on?\n\n  *   to try once more:\n/failres answer try-again decision=d-1\n"
MAIL = [
    ("marked mail", f"No.\n\nOn Mon, 5 May 2026 at 18:03, failres[bot] <n@github.com> wrote:\n\n> {BUTTON.replace(chr(10), chr(10) + '> ')}", []),
    ("below a marked mail", "On Mon, 5 May 2026, failres[bot] <n@github.com> wrote:\n\n> why?\n\n/failres explain", ["explain"]),
    ("unmarked mail", f"On Mon, 5 May 2026, failres[bot] <n@github.com> wrote:\n\n{BUTTON}", []),
    ("unmarked mail over lines", f"On Mon, 5 May 2026 at 18:03, failres[bot] <\nn@github.com> wrote:\n\n{BUTTON}", []),
    ("unmarked mail below its sentence", "Am 5. Mai 2026 schrieb failres[bot] <n@github.com>:\n/failres answer accept", []),
    ("mail with a header", f"I will look.\n\nFrom: failres[bot] <n@github.com>\nSent: Monday, 18:03\nTo: octo/shop <shop@noreply.github.com>\nSubject: Re: Docs (#1)\n\n{BUTTON}", []),
    ("mail with a bold header", f"ok\n\n________________________________\n**From:** failres[bot] <n@github.com>\n**Sent:** Monday\n**To:** octo/shop\n\n{BUTTON}", []),
    ("mail in another language", f"ok\n________________________________\nDe : failres[bot] <n@github.com>\nEnvoyé : lundi\nÀ : octo/shop\nObjet : Docs\n\n{BUTTON}", []),
    ("command above a header", f"/failres explain\n\nFrom: failres[bot] <n@github.com>\nSent: Monday\nTo: octo/shop\n\n{BUTTON}", ["explain"]),
    ("command right above a header", f"/failres explain\nFrom: failres[bot] <n@github.com>\nSent: Monday\nTo: octo/shop\n{BUTTON}", ["explain"]),
    ("a header in code", "```\nFrom: a <a@example.org>\nSent: Monday\nTo: b\n```\n/failres stop", ["stop"]),
    ("two named lines", "Cause: a@example.org was away\nRemedy: none\n/failres retry", ["retry"]),
    ("named lines without an address", "Cause: a\nRemedy: none\nNote: b\n/failres retry", ["retry"]),
    ("an address", "Ask ana@example.org first.\n/failres stop", ["stop"]),
]  # fmt: skip

WORDS = [
    ("unknown", "/failres fly", ["?unknown fly"]),
    ("typing error", "/failres retyr", ["?unknown retyr>retry"]),
    ("typing error 2", "/failres explian", ["?unknown explian>explain"]),
    ("another tool's word", "/failres rebase", ["?unknown rebase>sync"]),
    ("another tool's word 2", "/failres rerun", ["?unknown rerun>retry"]),
    ("another tool's word 3", "/failres cancel", ["?unknown cancel>stop"]),
    ("long word", "/failres " + "x" * 500, ["?unknown " + "x" * 60]),
    ("argument without a command", "/failres scopeFiles=a.py", ["?unknown scopeFiles=a.py>answer"]),
    ("code for the word", "/failres `stop`", ["?markup"]),
    ("verdict missing", "/failres verdict", ["?outcome"]),
    ("verdict wrong", "/failres verdict approve", ["?outcome approve>approved"]),
    ("verdict wrong 2", "/failres verdict no", ["?outcome no"]),
    ("escaped full stop", "/failres retry\\.", ["retry"]),
    ("open HTML comment behind", "/failres retry <!-- x", ["?extra <!-- x"]),
    ("code at the word", "/failres retry`x`", ["?extra x"]),
    ("verdict as code at the word", "/failres verdict`approved`", ["?outcome"]),
    ("verdict as code", "/failres verdict `approved`", ["?outcome"]),
]

ANSWERS = [
    ("one file", "/failres answer scopeFiles=a.py", ["answer a.py"]),
    ("two files", "/failres answer scopeFiles=a.py,b/c.py", ["answer a.py b/c.py"]),
    ("with its decision", "/failres answer scopeFiles=a.py decision=d-0a1b", ["answer a.py @d-0a1b"]),
    ("decision first", "/failres answer decision=d-0a1b scopeFiles=a.py", ["answer a.py @d-0a1b"]),
    ("option", "/failres answer accept", ["answer :accept"]),
    ("option with its decision", "/failres answer try-again decision=d-0a1b", ["answer :try-again @d-0a1b"]),
    ("option in capitals", "/failres answer Accept", ["answer :accept"]),
    ("underscores", "/failres answer scopeFiles=src/__init__.py", ["answer src/__init__.py"]),
    ("escaped underscores", "/failres answer scopeFiles=src/\\_\\_init\\_\\_.py", ["answer src/__init__.py"]),
    ("tildes", "/failres answer scopeFiles=a~~b~~.py", ["answer a~~b~~.py"]),
    ("stars stay", "/failres answer scopeFiles=src/*.py", ["answer src/*.py"]),
    ("brackets", "/failres answer scopeFiles=app/[id]/page.tsx", ["answer app/[id]/page.tsx"]),
    ("blank in quotes", '/failres answer scopeFiles="my file.py",b.py', ["answer my file.py b.py"]),
    ("comma in quotes", '/failres answer scopeFiles="a,b.py"', ["answer a,b.py"]),
    ("single quotes", "/failres answer scopeFiles='my file.py'", ["answer my file.py"]),
    ("curly quotes", "/failres answer scopeFiles=\u201cmy file.py\u201d", ["answer my file.py"]),
    ("apostrophe", "/failres answer scopeFiles=it's.py", ["answer it's.py"]),
    ("apostrophe in quotes", "/failres answer scopeFiles=\"it's.py\"", ["answer it's.py"]),
    ("escaped quote", '/failres answer scopeFiles="a\\"b.py"', ['answer a"b.py']),
    ("escaped quotes", '/failres answer scopeFiles=\\"a\\".py', ['answer "a".py']),
    ("sign behind a comma", "/failres answer a,b=c", ["?list a,b=c"]),
    ("escaped comma", "/failres answer scopeFiles=a\\,b.py", ["answer a,b.py"]),
    ("equals sign in a path", "/failres answer scopeFiles=a=b.py", ["answer a=b.py"]),
    ("ampersand", "/failres answer scopeFiles=a&amp;b.py", ["answer a&b.py"]),
    ("other letters", "/failres answer scopeFiles=größe/日本.py", ["answer größe/日本.py"]),
    ("dots stay", "/failres answer scopeFiles=../a.py", ["answer ../a.py"]),
    ("nothing", "/failres answer", ["?nothing"]),
    ("only the decision", "/failres answer decision=d-1", ["?nothing"]),
    ("both", "/failres answer accept scopeFiles=a.py", ["?both"]),
    ("unbalanced", '/failres answer scopeFiles="a.py', ["?quotes a.py"]),
    ("unbalanced at the end", '/failres answer scopeFiles=a.py"', ["?quotes a.py"]),
    ("unbalanced single", "/failres answer scopeFiles='a.py", ["?quotes a.py"]),
    ("quote inside", '/failres answer scopeFiles=a"b".py', ["?quotes a"]),
    ("text behind a quote", '/failres answer scopeFiles="a.py"b', ["?quotes a.py"]),
    ("curly, not closed", "/failres answer scopeFiles=\u201ca.py", ["?quotes a.py"]),
    ("blank after the comma", "/failres answer scopeFiles=a.py, b.py", ["?list a.py,"]),
    ("two commas", "/failres answer scopeFiles=a.py,,b.py", ["?list a.py,,b.py"]),
    ("comma first", "/failres answer scopeFiles=,a.py", ["?list ,a.py"]),
    ("no files", "/failres answer scopeFiles=", ["?list"]),
    ("empty quotes", '/failres answer scopeFiles=""', ["?list"]),
    ("two decisions", "/failres answer accept decision=d-1,d-2", ["?list d-1,d-2"]),
    ("files twice", "/failres answer scopeFiles=a.py scopeFiles=b.py", ["?twice scopeFiles"]),
    ("decision twice", "/failres answer accept decision=d-1 decision=d-2", ["?twice decision"]),
    ("two options", "/failres answer accept redo", ["?option accept redo"]),
    ("small letters in the key", "/failres answer scopefiles=a.py", ["?key scopefiles>scopeFiles"]),
    ("hyphen in the key", "/failres answer scope-files=a.py", ["?key scope-files>scopeFiles"]),
    ("other key", "/failres answer files=a.py", ["?key files>scopeFiles"]),
    ("far key", "/failres answer x=1", ["?key x"]),
    ("key without its sign", "/failres answer scopeFiles a.py", ["?key scopeFiles>scopeFiles"]),
    ("colon for the sign", "/failres answer scopeFiles:a.py", ["?key scopeFiles:a.py>scopeFiles"]),
    ("path without its key", "/failres answer a.py", ["?option a.py"]),
    ("code", "/failres answer scopeFiles=`a.py`", ["?markup scopeFiles=a.py"]),
    ("all as code", "/failres answer `scopeFiles=a.py`", ["?markup scopeFiles=a.py"]),
    ("link", "/failres answer scopeFiles=[a.py](b.py)", ["?markup scopeFiles=a.py"]),
    ("HTML", "/failres answer scopeFiles=a<b>.py", ["?markup scopeFiles=a<b>.py"]),
    ("HTML comment", "/failres answer scopeFiles=a<!-- b -->.py", ["?option .py"]),
    ("HTML comment behind", "/failres answer scopeFiles=a.py <!-- b -->", ["answer a.py"]),
    ("next line is no part", "/failres answer scopeFiles=a.py,\nb.py", ["?list a.py,"]),
]  # fmt: skip

TABLE = PLAIN + HIDDEN + MAIL + WORDS + ANSWERS


@pytest.mark.parametrize(("body", "expected"), [(body, expected) for _, body, expected in TABLE], ids=[f"{name}-{number}" for number, (name, _, _) in enumerate(TABLE)])  # fmt: skip
def test_what_a_comment_commands(body: str, expected: list[str]):
    """Each comment of the table gives exactly the commands, and the complaints, that stand beside it."""
    assert [short(found) for found in read_commands(body)] == expected


def test_the_table_is_large():
    """The table has the eighty comments and more that it was asked for, all different."""
    bodies = [body for _, body, _ in TABLE]
    assert len(bodies) == len(set(bodies)) > 80


def test_ten_commands_and_stop():
    """Of many commands ten are read and the rest is said not to be; a stop is heard wherever it stands."""
    found = read_commands("/failres retry\n" * 40 + "/failres stop\n" + "/failres sync\n")
    assert [short(each) for each in found] == ["retry"] * 10 + ["?too-many", "stop"]


def test_a_comment_longer_than_githubs_limit():
    """A body that GitHub would not take is not read, and says so only if it commands."""
    assert read_commands("x" * 70_000) == ()
    assert read_commands("/failres stop\n" + "x" * 70_000) == (Misread(problem="too-long"),)


LONG = ("a: @b.c\n", "a@b.c:\n", "1@", "~~", "~~a\n", "a", "[", "![", "`", "` `` ", "<", "<b>", "<!--", "<code", "> ", "- ", "\\", "&#[<", '[\n"', "*", "_a_ ", "a\n", "|a|\n|-|\n", "[a]: b\n", "/failres stop\n", '/failres answer scopeFiles="', "> q\n/failres stop\n")  # fmt: skip


@pytest.mark.parametrize("part", LONG)
def test_time_grows_with_the_length_alone(part: str):
    """Eight times the text takes nowhere near 64 times the time, whatever it repeats."""

    def took(length: int) -> float:
        body = (part * (length // len(part) + 1))[: length - 15] + "\n\n/failres stop"
        best = 9.0
        for _ in range(2):
            before = time.process_time()
            read_commands(body)
            best = min(best, time.process_time() - before)
        return best

    short_time = took(1_000)
    assert took(8_000) < max(32 * short_time, 0.05)


def test_65000_characters():
    """A command at the end of the longest comment is found."""
    body = ("All of this is text, with `code` and [links](x).\n" * 1400)[:65_000]
    assert read_commands(body + "\n\n/failres stop") == (Stop(),)
    assert read_commands(body + "\n\n> /failres stop") == ()


@given(st.text(alphabet=st.sampled_from("/failres stop\n`>-<![]()\"'\\=,.*_~&#;\t\u200b"), max_size=200))
def test_any_text_is_read(text: str):
    """No text makes the reader fail, and what it gives are commands and complaints only."""
    for found in read_commands(f"/failres answer {text}"):
        assert short(found)


@given(st.text(max_size=60).filter(lambda text: "\n" not in text and "\r" not in text))
def test_f6_a_quoted_or_fenced_command_is_never_one(text: str):
    """Whatever a line says, in a quote or a fence that it cannot leave it commands nothing."""
    line = f"/failres {text}"
    assert read_commands(f"> {line}") == ()
    assert read_commands(f"> a\n> {line}") == ()
    assert read_commands(f"- a\n  > b\n  > {line}") == ()
    assert read_commands(f"~~~~~~~~\n{line}\n") == ()
    assert read_commands(f"    {line}") == ()
