"""What a probe's draft pull request says to everybody whom it wakes, and why a check cannot be probed at all. Pure."""

from __future__ import annotations

from bot.words.commits import commit
from bot.words.inert import code, one_line
from resolver.probes import NoProbe, ProbeWanted

NO_WAY = "the check cannot be run on the clean base"
SETUP = "`failres setup workflows`"
"""The command that brings the cheapest way, as the reason for its absence names it."""


def title(wanted: ProbeWanted) -> str:
    """One line, plain text."""
    return one_line(f"failres probe: {wanted.check.job} on {wanted.base_ref} (closes by itself)", 120)


def body(wanted: ProbeWanted, a_day: int) -> str:
    """What it is, what becomes of it, and who allowed it; `a_day` is how many the configuration allows."""
    base, file = code(wanted.base_ref), code(wanted.check.workflow)
    return f"""\
**This changes nothing, and nobody has to look at it.**

A check is red on a pull request. To find out whether {base} itself is broken, failres runs the check \
{code(wanted.check.job)} of {file} on {base} at {commit(wanted.base_sha)} in the way in which a pull request \
runs it: with an empty commit.

failres closes this pull request and removes its branch once the check has ended. Please do not merge it, push to it \
or mark it as ready.

{code("probes.draftPull")} in {code(".github/failres.yml")} allows this, at most {a_day} times a day.

<!-- failres:probe:{wanted.nonce} -->"""


def no_way(answer: NoProbe) -> str:
    """Say why a check cannot be asked of its base: each way with its reason, the cheapest first."""
    return f"{NO_WAY} ({', '.join(answer.reasons)})"


def in_short(why: str) -> list[str]:
    """Part the reasons of a verdict; the ways in which a base cannot be asked are for who looks closer."""
    told = [each for each in why.split("; ") if each and each != "no class is proven"]
    return [_way(each) if each.startswith(f"{NO_WAY} (") else each for each in told]


def _way(why: str) -> str:
    """The same in short, with what a person can do about it: nothing helps where the base does not have the check."""
    helps = SETUP in why and "dispatch: the base does not have" not in why
    return f"{NO_WAY} ({SETUP} would make that possible)" if helps else NO_WAY
