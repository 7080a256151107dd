"""What failres says to a command: one line of refusal with a correct example, or the list of commands.

Words of people are repeated inert. Every refusal names its reason and what would have been right.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final, assert_never

from bot.words.inert import code, one_line
from resolver.answers import Reason, Refused
from resolver.commands import NAMES, Denied, Misread, Name, Problem
from resolver.decisions import ANSWER_LIMITS, KINDS, Decision, Word
from resolver.records import Record
from resolver.tree_paths import FAULTS


class CommandWords(Record):
    """How one command is written and what it does."""

    example: str
    meaning: str


COMMANDS: Final[Mapping[Name, CommandWords]] = MappingProxyType(
    {
        "answer": CommandWords(
            example="/failres answer scopeFiles=src/a.py,src/b.py",
            meaning="answers the open question with files that the fix may also change, or with one of its options",
        ),
        "retry": CommandWords(example="/failres retry", meaning="runs the failed check once more, within the limits"),
        "sync": CommandWords(example="/failres sync", meaning="brings the branch up to date with its base"),
        "stop": CommandWords(
            example="/failres stop", meaning="ends everything automatic on this pull request; anybody may"
        ),
        "resume": CommandWords(example="/failres resume", meaning="takes a stop back"),
        "explain": CommandWords(example="/failres explain", meaning="shows all evidence"),
        "help": CommandWords(example="/failres help", meaning="shows this list"),
        "verdict": CommandWords(
            example="/failres verdict rejected the second criterion is not met",
            meaning="judges a story's attempt, approved or rejected; arbiters only",
        ),
    }
)

OPTION_WORDS: Final[Mapping[Word, str]] = MappingProxyType(
    {
        "try-again": "try once more",
        "accept": "leave it as it is and go on with the rest",
        "redo": "keep a copy of the draft and make it anew",
        "reroute": "let the next adapter try",
        "noted": "say that somebody takes care of it",
    }
)

OPTIONS_OF_OTHERS: Final[Mapping[str, Word]] = MappingProxyType(
    {
        **dict.fromkeys(("again", "retry", "rerun", "re-run", "try", "retest"), "try-again"),
        **dict.fromkeys(("ok", "ignore", "skip", "leave", "close", "wontfix"), "accept"),
        **dict.fromkeys(("me", "mine", "done", "yes"), "noted"),
    }
)
"""What people write for an option; it is never taken for one, and only says which was meant."""

_PROBLEMS: Final[Mapping[Problem, str]] = MappingProxyType(
    {
        "unknown": "There is no command {word}",
        "hidden": "The line has characters that cannot be seen, so it was not read",
        "in-quote": "Without an empty line above it, the line belongs to the quote and was not read",
        "quotes": "A quotation mark is not closed, or stands inside a name, near {word}",
        "markup": "Code, links, images and HTML are not read here{near}",
        "extra": "This command takes nothing after it: {word}",
        "key": "An answer has no part {word}",
        "twice": "An answer says {word} a second time or more",
        "nothing": "The answer is missing",
        "both": "An answer has either files or an option, not both",
        "list": "The list {word} has an empty entry or a blank after a comma, or should be one value",
        "option": "An option is one word, and files are named with scopeFiles=, unlike {word}",
        "outcome": "A verdict is approved or rejected, not {word}",
        "too-many": "One comment may hold ten commands; the others were not read",
        "too-long": "The comment is longer than GitHub allows, so it was not read",
    }
)

_DENIALS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "no-rights": "Commands are for people with write access to this repository",
        "rights-unread": "GitHub did not tell whether you have write access, so nothing was done",
        "through-app": "The comment came through an App that is not allowed to command here; write it on GitHub itself",
        "not-for-apps": "An App may not decide about scope, gate or a story; a person with write access may",
        "not-arbiter": "A verdict is for the story's arbiters",
    }
)

_REFUSALS: Final[Mapping[Reason, str]] = MappingProxyType(
    {
        "none-open": "No question is open on this pull request",
        "ambiguous": "Several questions are open, so say which one is meant",
        "unknown-decision": "No question here is called {word}",
        "answered": "This question has its answer already",
        "head-moved": "The question was about an earlier commit and ended when somebody pushed",
        "base-moved": "The question was about an earlier base and ended when the base moved",
        "rights-unread": _DENIALS["rights-unread"],
        "no-rights": _DENIALS["no-rights"],
        "not-for-apps": _DENIALS["not-for-apps"],
        "no-such-option": "{word} is none of this question's options ({options})",
        "files-not-asked": "This question cannot be answered with files",
        "glob": "{word} is a pattern; name each file by its whole path",
        "directory": "{word} is a folder; name each file by its whole path",
        "protected": "{word} is protected and is never changed by a fix",
        "bad-path": "{word} is no path that may be written: {fault}",
        "twice": "A file is named twice",
        "too-many": f"An answer may name at most {ANSWER_LIMITS.files} files",
    }
)


LONGEST_FORM: Final = 300
"""A longer reply is no example any more; the question itself shows it."""


def example(name: Name) -> str:
    """A correct command, as code."""
    return code(COMMANDS[name].example)


def reply_misread(misread: Misread, asked: Decision | None = None) -> str:
    """One line: what was wrong, and what would have been right; `asked` is the question that may have been meant."""
    word = code(misread.word)
    said = _PROBLEMS[misread.problem].format(word=word, near=f": {word}" if misread.word else "")
    if misread.problem == "unknown":
        meant = next((name for name in NAMES if name == misread.meant), None)
        if meant is None:
            return f"{said}; see {example('help')}."
        return f"{said}; {_did_you_mean(_example(meant, asked, misread.word))}"
    if misread.problem in ("key", "outcome") and misread.meant is not None:
        form = f"{misread.meant}=" if misread.problem == "key" else f"/failres verdict {misread.meant}"
        return f"{said}; {_did_you_mean(code(form))} For example: {_example(misread.command, asked, misread.word)}."
    return f"{said}. For example: {_example(misread.command, asked, misread.word)}."


def _did_you_mean(form: str) -> str:
    return f"did you mean {form}?"


def _example(name: Name | None, asked: Decision | None, word: str) -> str:
    """A command that would be right here, as code: an answer is one to the open question, near to what was written."""
    if name != "answer" or asked is None or not forms(asked):
        return example(name or "help")
    return _shown(_nearest(asked, word))


def _nearest(asked: Decision, word: str) -> str:
    """The reply whose option a word is like or means, else the first one."""
    replies = forms(asked)
    plain = "-".join(word.casefold().strip(" .,;:!?").partition(" decision=")[0].split())
    near = get_close_matches(plain, asked.options, n=1, cutoff=0.7)
    meant = OPTIONS_OF_OTHERS.get(plain, near[0] if near else None)
    return next((each for each in replies if each.startswith(f"/failres answer {meant} ")), replies[0])


def _shown(form: str) -> str:
    """A reply as code; one that is too long to be shown whole is no example any more."""
    whole = one_line(form, LONGEST_FORM) == form
    return code(form, LONGEST_FORM) if whole else example("answer")


def reply_denied(denied: Denied) -> str:
    """One line for somebody who may not command; `stop` is always left to them."""
    return f"{_DENIALS[denied.why]}. Anybody may write {example('stop')}."


def reply_refused(refused: Refused) -> str:
    """One line: why an answer changes nothing, and one that would have been right."""
    fault = FAULTS[refused.fault] if refused.fault is not None else ""
    options = (
        ", ".join(code(word) for word in (refused.decision.options if refused.decision else ())) or "it takes no answer"
    )
    said = _REFUSALS[refused.reason].format(word=code(refused.word), fault=fault, options=options)
    return f"{said}. {_right_answer(refused)}"


def _right_answer(refused: Refused) -> str:
    match refused.reason:
        case "none-open" | "answered" | "head-moved" | "base-moved":
            return f"Nothing was changed; {example('explain')} shows how things stand."
        case "rights-unread" | "no-rights" | "not-for-apps":
            return f"Anybody may write {example('stop')}."
        case "ambiguous" | "unknown-decision":
            if not refused.others:
                return f"Nothing is open; {example('explain')} shows how things stand."
            open_ones = ", ".join(code(each) for each in refused.others)
            return f"Open are {open_ones}; end the answer with {code(f'decision={refused.others[0]}')}."
        case (
            "no-such-option"
            | "files-not-asked"
            | "glob"
            | "directory"
            | "protected"
            | "bad-path"
            | "twice"
            | "too-many"
        ):
            asked = refused.decision
            if asked is not None and not forms(asked):
                return f"Nothing was changed; {example('explain')} shows how things stand."
            if asked is not None and refused.reason == "no-such-option":
                asked = asked.model_copy(update={"files": ()})  # an option was meant
            return f"For example: {_example('answer', asked, refused.word)}."
        case _:
            assert_never(refused.reason)


def forms(decision: Decision) -> tuple[str, ...]:
    """The exact replies that answer a decision, to be copied; the first has the files, where some were asked for."""
    end = f" decision={decision.decision_id}"
    options = tuple(f"/failres answer {word}{end}" for word in decision.options)
    if not KINDS[decision.kind].files or not decision.files:
        return options
    files = ",".join(_written(file) for file in decision.files)
    return (f"/failres answer scopeFiles={files}{end}", *options)


def _written(file: str) -> str:
    """A path as an answer writes it: quoted where blanks, commas or other signs would part it."""
    plain = all(char.isalnum() or char in "/._-+@" for char in file)
    if plain:
        return file
    safe = "".join(f"\\{char}" if char in _MARKS else char for char in file)
    return f'"{safe}"'


_MARKS: Final = frozenset("\"'\\`[]<>&!#()*{}|")
"""What Markdown or an answer would read as something else; a backslash keeps it a letter."""


def help_text() -> str:
    """The commands, one a line, as Markdown."""
    lines = [f"- {code(row.example)} {row.meaning}" for row in COMMANDS.values()]
    return "\n".join(("Write one of these at the beginning of a line of a new comment:", "", *lines))
