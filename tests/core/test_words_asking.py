"""How people are asked: what they read before they answer, and what they are told helps."""

from __future__ import annotations

from inline_snapshot import snapshot

from bot.words.asking import happened
from bot.words.probe import no_way
from bot.words.remedies import REMEDIES, remedy_for
from resolver.policy import CRASH
from resolver.probes import NoProbe
from resolver.taxonomy import TAXONOMY
from tests.core.talk_made import REQUESTED
from tests.core.test_words_beside import verdict


def test_what_helps():
    """Each remedy is for a class that there is, ends a sentence, and tells nobody to look at what is not there."""
    for fail_class, words in REMEDIES.items():
        assert fail_class in {*TAXONOMY, CRASH}
        assert words[0].islower()
        assert remedy_for(fail_class) == f"**What helps:** {words}."
        assert not words.endswith(".")
    assert remedy_for("gate-red-code") is None


def test_a_question_says_what_failed_and_why_people_are_asked():
    """The failure's own words are masked and inert; the ways in which a base cannot be asked are left to the bundle."""
    token = "ghp_" + "a1B2" * 9
    asked = REQUESTED.model_copy(
        update={
            "because": verdict(),
            "fail_class": "registry-auth-missing",
            "message": f"401 for @acme with {token} at https://evil.test",
            "why": no_way(NoProbe(reasons=("dispatch: none", "push of a branch: `off`"))) + "; it failed again",
        }
    )
    assert happened(asked) == snapshot(
        "`test` failed. A registry refused access: `401 for @acme with [masked github-token] at https://evil.test`. People are asked because the check cannot be run on the clean base; it failed again."
    )
