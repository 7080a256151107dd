"""Which lines of a log a person must see."""

from __future__ import annotations

from collections.abc import Sequence

from resolver.log.drafts import Draft, Statement

MOST = 15
_APART = 1


def choose_lines(
    drafts: Sequence[Draft], summaries: Sequence[Statement], exits: Sequence[Statement]
) -> tuple[int, ...]:
    """At most 15 line numbers, most important first: the primary failure, the others, summaries, the exit."""
    heads = sorted(d.first_line for d in drafts if d.rule.kind == drafts[0].rule.kind)
    first = [*heads[:1], *(n for n in (drafts[0].at_lines if drafts else ()) if n not in heads[:1])]
    others = [*heads[1:12], *(line for d in drafts[1:12] for line in d.at_lines[1:2])]
    ends = [s.at for s in sorted(summaries, key=lambda s: (-s.rule.weight, -s.at))[:4]]
    wanted = [*first[:3], *ends[:2], *others[:8], *first[3:], *ends[2:], *(s.at for s in exits[-2:]), *others[8:]]
    chosen: list[int] = []
    for line in wanted:
        if len(chosen) < MOST and all(abs(line - other) > _APART for other in chosen):
            chosen.append(line)
    return tuple(chosen)
