"""Who may command: people, outsiders, bots and Apps, edited and deleted comments, and what each is told."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from bot.commands import read_commands
from bot.words.replies import COMMANDS, help_text, reply_denied, reply_misread
from resolver.commands import (
    NAMES,
    CommandRules,
    Comment,
    Denied,
    Misread,
    Permission,
    Permit,
    Permitted,
    Sender,
    Standing,
    permit,
)

RULES = CommandRules(allowed_apps=(500,))
PERSON = Sender(id=1, login="ana")
BOT = Sender(id=10, login="helper[bot]", type="Bot", app_id=600)
NAMELESS_BOT = Sender(id=11, login="ci", type="Bot")
ALLOWED = Sender(id=12, login="queue[bot]", type="Bot", app_id=500)
THROUGH = Sender(id=1, login="ana", app_id=600)
THROUGH_ALLOWED = Sender(id=1, login="ana", app_id=500)
FAKE = Sender(id=13, login="failres[bot]", type="User")
ORGANISATION = Sender(id=14, login="acme", type="Organization")

WRITE = Standing(permission="write")
ARBITER = Standing(permission="write", arbiter=True)
FILES = "/failres answer scopeFiles=a.py"


def short(told: Permit) -> str:
    """`yes`, `no: why` or `ignored: why`."""
    if isinstance(told, Permitted):
        return "yes"
    return f"{'no' if isinstance(told, Denied) else 'ignored'}: {told.why}"


TABLE = [
    ("a writer retries", "/failres retry", PERSON, WRITE, "created", "yes"),
    ("a maintainer retries", "/failres retry", PERSON, Standing(permission="maintain"), "created", "yes"),
    ("an administrator retries", "/failres retry", PERSON, Standing(permission="admin"), "created", "yes"),
    ("a writer answers with files", FILES, PERSON, WRITE, "created", "yes"),
    ("a writer explains", "/failres explain", PERSON, WRITE, "created", "yes"),
    ("a writer asks for help", "/failres help", PERSON, WRITE, "created", "yes"),
    ("a writer lifts a stop", "/failres resume", PERSON, WRITE, "created", "yes"),
    ("triage is not enough", "/failres retry", PERSON, Standing(permission="triage"), "created", "no: no-rights"),
    ("reading is not enough", "/failres sync", PERSON, Standing(permission="read"), "created", "no: no-rights"),
    ("an outsider", "/failres retry", PERSON, Standing(permission="none"), "created", "no: no-rights"),
    ("an outsider asks", "/failres explain", PERSON, Standing(permission="none"), "created", "no: no-rights"),
    ("an outsider answers", FILES, PERSON, Standing(permission="read"), "created", "no: no-rights"),
    ("an outsider lifts a stop", "/failres resume", PERSON, Standing(permission="read"), "created", "no: no-rights"),
    ("an outsider mistypes", "/failres retyr", PERSON, Standing(permission="read"), "created", "no: no-rights"),
    ("an outsider stops", "/failres stop", PERSON, Standing(permission="none"), "created", "yes"),
    ("rights not told", "/failres retry", PERSON, Standing(permission=None), "created", "no: rights-unread"),
    ("rights not told, arbiter", "/failres verdict approved", PERSON, Standing(permission=None, arbiter=True), "created", "no: rights-unread"),
    ("rights not told, stop", "/failres stop", PERSON, Standing(permission=None), "created", "yes"),
    ("an arbiter judges", "/failres verdict approved", PERSON, ARBITER, "created", "yes"),
    ("a writer judges", "/failres verdict approved", PERSON, WRITE, "created", "no: not-arbiter"),
    ("an arbiter without rights", "/failres verdict approved", PERSON, Standing(permission="read", arbiter=True), "created", "no: no-rights"),
    ("a bot", "/failres retry", BOT, WRITE, "created", "ignored: bot"),
    ("a bot stops", "/failres stop", BOT, WRITE, "created", "ignored: bot"),
    ("a bot answers", FILES, BOT, WRITE, "created", "ignored: bot"),
    ("a bot without an App", "/failres retry", NAMELESS_BOT, WRITE, "created", "ignored: bot"),
    ("an organisation", "/failres retry", ORGANISATION, WRITE, "created", "ignored: bot"),
    ("an allowed App", "/failres retry", ALLOWED, WRITE, "created", "yes"),
    ("an allowed App stops", "/failres stop", ALLOWED, Standing(permission="none"), "created", "yes"),
    ("an allowed App without rights", "/failres retry", ALLOWED, Standing(permission="read"), "created", "no: no-rights"),
    ("an allowed App, rights not told", "/failres retry", ALLOWED, Standing(permission=None), "created", "no: rights-unread"),
    ("an allowed App answers", "/failres answer accept", ALLOWED, WRITE, "created", "yes"),
    ("an allowed App widens", FILES, ALLOWED, WRITE, "created", "no: not-for-apps"),
    ("an allowed App judges", "/failres verdict approved", ALLOWED, ARBITER, "created", "no: not-for-apps"),
    ("a person through an App", "/failres retry", THROUGH, WRITE, "created", "no: through-app"),
    ("a person through an App stops", "/failres stop", THROUGH, WRITE, "created", "yes"),
    ("a person through an App widens", FILES, THROUGH, WRITE, "created", "no: through-app"),
    ("a person through an allowed App widens", FILES, THROUGH_ALLOWED, WRITE, "created", "no: not-for-apps"),
    ("a person through an allowed App retries", "/failres retry", THROUGH_ALLOWED, WRITE, "created", "yes"),
    ("a login that ends in [bot] proves nothing", "/failres retry", FAKE, Standing(permission="read"), "created", "no: no-rights"),
    ("an edited comment", "/failres retry", PERSON, WRITE, "edited", "ignored: edited"),
    ("an edited stop", "/failres stop", PERSON, WRITE, "edited", "ignored: edited"),
    ("a deleted comment", "/failres retry", PERSON, WRITE, "deleted", "ignored: deleted"),
    ("a deleted answer", FILES, PERSON, WRITE, "deleted", "ignored: deleted"),
    ("an account that is gone", "/failres retry", None, WRITE, "created", "ignored: gone"),
    ("a writer mistypes", "/failres retyr", PERSON, WRITE, "created", "yes"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "by", "standing", "change", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_who_may(body: str, by: Sender | None, standing: Standing, change: str, expected: str):
    """Each sender of the table may give the command or not, for the reason beside it."""
    (command,) = read_commands(body)
    comment = Comment.model_validate({"comment_id": 5, "by": by, "change": change})
    assert short(permit(command, comment, standing, RULES)) == expected


@pytest.mark.parametrize("permission", ["none", "read", "triage", None])
@pytest.mark.parametrize("name", sorted(set(NAMES) - {"stop"}))
def test_without_write_access_only_stop(name: str, permission: Permission | None):
    """No command but `stop` is for people whose write access is not proven, arbiters or not."""
    (command,) = read_commands(COMMANDS[next(each for each in NAMES if each == name)].example)
    told = permit(command, Comment(comment_id=5, by=PERSON), Standing(permission=permission, arbiter=True), RULES)
    assert isinstance(told, Denied)


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_a_command(name: str):
    """The example of each command reads as that command."""
    (command,) = read_commands(COMMANDS[next(each for each in NAMES if each == name)].example)
    assert not isinstance(command, Misread)
    assert command.name == name


def test_the_help_commands_nothing():
    """The list of commands names all of them, and is no command itself when somebody pastes it."""
    assert read_commands(help_text()) == ()
    assert all(f"`{row.example}`" in help_text() for row in COMMANDS.values())


REPLIES = [
    ("/failres retyr", "There is no command `retyr`; did you mean `/failres retry`?"),
    ("/failres fly", "There is no command `fly`; see `/failres help`."),
    ("/failres @ana", "There is no command `@ana`; see `/failres help`."),
    ("/failres `stop`", "Code, links, images and HTML are not read here. For example: `/failres help`."),
    ("/failres retry now", "This command takes nothing after it: `now`. For example: `/failres retry`."),
    ("/failres verdict approve", "A verdict is approved or rejected, not `approve`; did you mean `/failres verdict approved`? For example: `/failres verdict rejected the second criterion is not met`."),
    ("/failres answer files=a.py", "An answer has no part `files`; did you mean `scopeFiles=`? For example: `/failres answer scopeFiles=src/a.py,src/b.py`."),
    ('/failres answer scopeFiles="a', "A quotation mark is not closed, or stands inside a name, near `a`. For example: `/failres answer scopeFiles=src/a.py,src/b.py`."),
    ("> a\n/failres stop", "Without an empty line above it, the line belongs to the quote and was not read. For example: `/failres help`."),
]  # fmt: skip


@pytest.mark.parametrize(("body", "reply"), REPLIES)
def test_a_refusal_is_one_line_with_an_example(body: str, reply: str):
    """What is wrong and what would be right stand in one line."""
    (misread,) = read_commands(body)
    assert isinstance(misread, Misread)
    assert reply_misread(misread) == reply


@pytest.mark.parametrize("body", ["/failres `stop` @all", "/failres a`b|@all", '/failres answer scopeFiles="@all\n', "/failres answer @all=1", "/failres " + "`" * 70])  # fmt: skip
def test_replies_are_inert_and_no_commands(body: str):
    """A reply repeats people's words as code and on one line, so that they neither mention, link nor command."""
    (misread,) = read_commands(body)
    assert isinstance(misread, Misread)
    reply = reply_misread(misread)
    assert "\n" not in reply
    assert read_commands(reply) == ()
    (line,) = [token for token in MarkdownIt("commonmark").parse(reply) if token.type == "inline"]
    assert {child.type for child in line.children or ()} <= {"text", "code_inline"}
    assert not any("@" in child.content for child in line.children or () if child.type == "text")


def test_who_may_not_is_told_what_everybody_may():
    """A denial says why, and that `stop` is open to everybody."""
    for why in ("no-rights", "rights-unread", "through-app", "not-for-apps", "not-arbiter"):
        reply = reply_denied(Denied.model_validate({"why": why}))
        assert "\n" not in reply
        assert reply.endswith("Anybody may write `/failres stop`.")
