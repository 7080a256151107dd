"""
Collect what the rules find, line after line, in bounded memory.

The collector knows three things of a log's structure: the step (the runner's `##[group]Run …`), the section of a
tool's output (a rule says where one begins, and whether anything in it counts), and the current item (details and
places belong to it).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from resolver.log.blocks import Window
from resolver.log.drafts import CollectLimits, Draft, Spot, Statement
from resolver.log.lines import CleanLine
from resolver.log.near import excerpt, lines_after, lines_before, step_end
from resolver.log.rulebook import Near, Rule, compiled
from resolver.log.structured import line_at_end

_ALWAYS = frozenset({"section", "mark", "exit", "pass", "summary"})
Groups = dict[str, str]


@dataclass(slots=True)
class Hit:
    """One line that a rule matched."""

    rule: Rule
    groups: Groups
    line: int
    text: str
    window: Window
    start: int
    end: int


class Collector:
    """What is known so far; `verdict.conclude` reads it at the end."""

    def __init__(self, limits: CollectLimits | None = None, sections: dict[str, bool] | None = None) -> None:
        self.limits = limits or CollectLimits()
        self.ignored = sections or {}
        self.drafts: dict[tuple[str, str], Draft] = {}
        self.spots: list[Spot] = []
        self.statements: list[Statement] = []
        self.flaky: dict[str, int] = {}
        self.failing: set[int] = set()
        self.segment = 0
        self.inside: bool | None = None
        self.section = ""
        self.script = False
        self.capped = 0
        self.job_ended = False
        self.errors_marked = 0
        self.structured: str | None = None
        self.matcher_marks: list[tuple[int, str, bool]] = []
        self.current: Draft | None = None
        self._current_at = 0
        self._subjects = 0
        self._consumed = 0
        self._backs: dict[str, tuple[int, Groups]] = {}

    def admits(self, rule: Rule) -> bool:
        """Whether a rule may speak here: inside its sections, and nowhere where nothing counts."""
        if self.script:
            return rule.role == "mark"
        if rule.when and self.section not in rule.when:
            return False
        return rule.role in _ALWAYS or not self.ignored.get(self.section, False)

    def enter(self, *, inside: bool) -> None:
        """Enter or leave the part of the log that the steps call failed; from then on that alone decides."""
        self.inside = inside
        self.new_segment()

    def new_segment(self) -> None:
        """Begin another step."""
        self.segment += 1
        self.section = ""
        self.current = None
        if self.inside:
            self.failing.add(self.segment)

    def take(self, hit: Hit) -> bool | None:
        """
        Take one hit in. False where another rule may speak about the line too; None where this one has nothing to say
        after all.
        """
        rule = hit.rule
        if hit.line <= self._consumed and rule.role != "mark":
            return True
        self._look_around(hit)
        if (rule.need and not hit.groups.get(rule.need)) or (rule.reject and hit.groups.get(rule.reject)):
            return None
        if rule.section is not None and rule.role != "mark":
            self.section = rule.section
            if rule.role == "section":
                self.current = None
        match rule.role:
            case "item" | "subject" | "error" | "cause" | "flaky":
                self._name(hit)
            case "detail":
                self._detail(hit)
            case "place":
                self._place(hit)
            case "summary" | "exit" | "pass":
                self._state(hit)
            case "mark":
                self._mark(hit)
            case "section" | "note":
                pass
        return rule.role != "mark"

    def _name(self, hit: Hit) -> None:
        match hit.rule.role:
            case "flaky":
                name = hit.groups.get("item", hit.text)
                if len(self.flaky) < self.limits.findings:
                    self.flaky.setdefault(name.strip(), hit.line)
            case "error":
                self._error(hit)
            case "cause":
                self._cause(hit)
            case _:
                self._item(hit)

    def _look_around(self, hit: Hit) -> None:
        """Fill groups that the line does not say from its neighbours."""
        for near in hit.rule.ahead:
            found = _find(near, lines_after(hit.window, hit.end, near.within))
            if near.within == 1 and "item" in found and "item" not in hit.groups:
                self._consumed = hit.line + 1
            _fill(hit.groups, found)
        for near in hit.rule.back:
            last, groups = self._backs.get(hit.rule.id, (0, {}))
            reach = hit.line - last - 1 if groups else near.within
            found = _find(near, lines_before(hit.window, hit.start, min(near.within, max(0, reach))))
            groups = found or (groups if reach < near.within else {})
            self._backs[hit.rule.id] = (hit.line, groups)
            _fill(hit.groups, groups)

    def _item(self, hit: Hit) -> None:
        rule, groups = hit.rule, hit.groups
        item = groups.get("item", "").strip()
        key = (groups.get("key") or item).strip()
        if not key:
            return
        failed = rule.role == "item"
        draft = self.drafts.get((rule.tool, key))
        if draft is None:
            if not self._room(failed=failed):
                return
            draft = self._draft(hit, key)
            draft.failed = failed
        elif failed and not draft.failed:
            draft.failed, draft.rule, draft.at, draft.segment = True, rule, hit.line, self.segment
        if item and (not draft.item or groups.get("key") or (len(item) > len(draft.item) and failed)):
            draft.item = item
        self._add(draft, hit)
        self.current, self._current_at = draft, hit.line

    def _room(self, *, failed: bool) -> bool:
        if failed:
            if len(self.drafts) - self._subjects >= self.limits.findings:
                self.capped += 1
                return False
            return True
        if self._subjects >= self.limits.subjects:
            oldest = next((k for k, d in self.drafts.items() if not d.failed), None)
            if oldest is None:
                self._subjects = 0
            else:
                del self.drafts[oldest]
                self._subjects -= 1
        self._subjects += 1
        return True

    def _draft(self, hit: Hit, key: str) -> Draft:
        draft = Draft(hit.rule, hit.line, self.segment, key=key)
        draft.saw(hit.line, self.limits.lines_of_draft)
        self.drafts[hit.rule.tool, key] = draft
        if len(self.drafts) - self._subjects <= self.limits.excerpts and hit.rule.role != "subject":
            draft.excerpt = excerpt(hit.window, hit.start, hit.end, before=6, after=24, limit=4_096)
        return draft

    def _error(self, hit: Hit) -> None:
        groups = hit.groups
        where = f"{groups.get('path', '')}:{groups.get('line', '')}" if groups.get("path") else ""
        message = groups.get("message", "").strip()
        if not (message and where) and not (hit.rule.tail and not message):
            message = hit.text.strip() if not message or message in hit.text else message
        key = "\0".join((hit.rule.kind, where, groups.get("item", ""), groups.get("code", ""), message[:300]))
        draft = self.drafts.get((hit.rule.tool, key))
        if draft is None:
            if not self._room(failed=True):
                return
            draft = self._draft(hit, key)
            draft.item = groups.get("item")
        self._add(draft, hit, message)
        self.current, self._current_at = draft, hit.line

    def _cause(self, hit: Hit) -> None:
        current = self.current
        near = hit.line - self._current_at <= self.limits.cause_reach
        if current is not None and near and current.rule.role in ("item", "subject"):
            if not current.message:
                self._add(current, hit, hit.groups.get("message", "" if hit.rule.tail else hit.text).strip())
            return
        self._error(hit)

    def _detail(self, hit: Hit) -> None:
        current = self.current
        if (
            current is None
            or current.rule.tool != hit.rule.tool
            or hit.line - self._current_at > self.limits.detail_reach
        ):
            return
        self._add(current, hit, hit.groups.get("message", hit.text).strip())

    def _place(self, hit: Hit) -> None:
        if hit.groups.get("key"):
            self._item(hit)
            return
        current = self.current
        mine = current is not None and current.rule.tool == hit.rule.tool
        if mine and current is not None and hit.line - self._current_at <= self.limits.detail_reach:
            self._add(current, hit, hit.groups.get("message", ""))
        else:
            self._spot(hit, hit.groups.get("message", hit.text), hit.rule.weight or 30)

    def _add(self, draft: Draft, hit: Hit, message: str | None = None) -> None:
        """Let a draft learn from a hit."""
        limits, groups = self.limits, hit.groups
        text = (message if message is not None else groups.get("message", "")).strip()
        if text and not draft.message:
            draft.message = text
        elif text and len(draft.parts) < limits.message_parts and _is_news(text, draft):
            draft.parts.append(text[:500])
        if hit.rule.tail and not draft.parts:
            draft.parts.extend(_tail(hit, limits.message_parts))
            if not draft.message and draft.parts:
                draft.message = draft.parts.pop(0)
        draft.type = draft.type or groups.get("type", "") or groups.get("code", "") or _type(draft.message)
        draft.saw(hit.line, limits.lines_of_draft)
        if hit.rule.lead:
            draft.lead_line = hit.line
        if groups.get("path"):
            self._spot(hit, text or draft.message, draft.weight, draft)
            if draft.path is None:
                draft.path, draft.line, draft.col = (
                    groups["path"],
                    _number(groups.get("line")),
                    _number(groups.get("col")),
                )

    def _spot(self, hit: Hit, message: str, weight: int, draft: Draft | None = None) -> None:
        spots = self.spots if draft is None else draft.spots
        if len(spots) >= (self.limits.places if draft is None else self.limits.places_of_draft):
            return
        groups = hit.groups
        spots.append(
            Spot(
                groups.get("path"),
                _number(groups.get("line")),
                _number(groups.get("col")),
                message.strip()[:1_000],
                hit.line,
                weight,
                self.segment,
            )
        )

    def _state(self, hit: Hit) -> None:
        status = _number(hit.groups.get("status"))
        rule = hit.rule
        if rule.role == "exit" and status != 0 and rule.kind == "step" and self.inside is None:
            self.failing.add(self.segment)
        if len(self.statements) >= self.limits.summaries:
            same = next((s for s in self.statements if s.rule is rule), self.statements[0])
            self.statements.remove(same)
        if hit.groups.get("container"):
            self._hold(rule.tool, hit.groups["container"])
        message = hit.groups.get("message", hit.text).strip()
        bad = rule.role == "summary" or (rule.role == "exit" and status != 0)
        near = step_end(hit.window, hit.start, hit.end, before=24, limit=4_096) if bad else ""
        self.statements.append(Statement(rule, hit.line, self.segment, message, status, near))
        if rule.role == "exit" and rule.kind == "step" and status == 0:
            self.new_segment()

    def _hold(self, tool: str, container: str) -> None:
        """Say what holds the tool's items since the last such line: Go names the package below the tests in it.

        An item of the same name that comes later is another one.
        """
        for place, draft in list(self.drafts.items()):
            if draft.rule.tool == tool and draft.segment == self.segment and not draft.container:
                draft.container = container
                self.drafts[tool, f"{container} > {draft.key}"] = self.drafts.pop(place)

    def _mark(self, hit: Hit) -> None:
        match hit.rule.kind:
            case "step":
                self.new_segment()
                self.script = True
            case "plain-step" | "post":
                self.new_segment()
            case "endgroup":
                self.script = False
            case "job-end":
                self.job_ended = True
            case "matcher-on" | "matcher-off":
                self.matcher_marks.append((hit.line, hit.groups.get("what", "").strip(), hit.rule.kind == "matcher-on"))
            case "structured":
                self.structured = line_at_end(hit.window, hit.start, hit.end) or self.structured
            case "marked":
                self.errors_marked += 1


def _fill(groups: Groups, found: Groups) -> None:
    for name, value in found.items():
        if not groups.get(name):
            groups[name] = value


def _find(near: Near, lines: Iterable[CleanLine]) -> Groups:
    stop = compiled(near.stop) if near.stop is not None else None
    pattern = compiled(near.pattern)
    for line in lines:
        found = pattern.groups(line.data)
        if found is not None:
            return found
        if stop is not None and stop.finds(line.data):
            return {}
    return {}


def _tail(hit: Hit, limit: int) -> list[str]:
    """Lines that belong to the message: up to the rule's count, ended by its `until` or a frame of a stack."""
    until = compiled(hit.rule.until or r"^\s*at .*[:(]|^\s*File \"")
    found: list[str] = []
    for line in lines_after(hit.window, hit.end, hit.rule.tail + 2):
        if until.finds(line.data) or len(found) >= min(hit.rule.tail, limit):
            break
        if line.text.strip():
            found.append(line.text.strip()[:300])
    return found


def _is_news(text: str, draft: Draft) -> bool:
    """Whether a line says more than the draft's message; a summary often repeats it, cut short."""
    known = draft.full_message()
    return text not in known and not (text.endswith("...") and text[:-3] in known)


_TYPE = re.compile(r"(?:[A-Za-z_]\w*[.:]+){0,6}([A-Z]\w*(?:Error|Exception|Failure|Failed|Timeout|Interrupt|Exit))\b")


def _type(message: str) -> str:
    """The error type that a message begins with."""
    found = _TYPE.match(message)
    return found[1] if found else ""


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None
