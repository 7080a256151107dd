"""What is said to people outside of GitHub: no pings, links or secrets that come from a title or a log."""

import pytest

from bot.words.inert import reason
from bot.words.notice import LIMIT, notice
from resolver.actions.talk import Notify
from tests.core.made import HEAD
from tests.core.talk_made import REQUESTED


def text_of(title):
    """The notification's text for a pull request of that title."""
    action = Notify(number=7, head_sha=HEAD, title=title, decision=REQUESTED, destination="team")
    return notice(action, "acme/shop", "https://github.test/acme/shop")["text"]


def test_a_title_calls_nobody_and_leads_nowhere():
    """Slack's own marks, mentions and links stand as code; what cannot be seen is gone, and a token is masked."""
    token = "ghp_" + "a1B2c3D4e5" * 4
    told = text_of(f"`<!channel> @all <https://evil.example.org|click>\u202e\n*x* & {token}")
    assert "`'&lt;!channel&gt; @all &lt;https://evil.example.org|click&gt; *x* &amp; [masked github-token]`" in told
    assert told.count("`") % 2 == 0
    assert told.count("<") == 1
    assert "<https://github.test/acme/shop/pull/7|Answer on the pull request>" in told
    parted = text_of(f"{token[:9]}\u200b{token[9:]}")
    assert "[masked github-token]" in parted
    assert token not in parted


def test_it_is_as_long_as_slack_takes():
    """A title of any length is cut."""
    assert len(text_of("x" * 10_000)) < LIMIT


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("the mode of probes is `observe`", "the mode of probes is `observe`"),
        (
            "GitHub refused: @octo/all <img> https://x.test #1",
            "GitHub refused: &#64;octo/all &lt;img&gt; https&#58;//x.test &#35;1",
        ),
        ("the job `@all <b>` of `x`", "the job `@all <b>` of `x`"),
        ("one ` alone and @all", "one &#96; alone and &#64;all"),
        ("nothing in `` it", "nothing in  it"),
    ],
)
def test_a_reason_keeps_its_code_and_nothing_in_it_lives(given, shown):
    """Reasons are ours, with names in backticks, or GitHub's words, which may hold anything."""
    assert reason(given) == shown
