"""Who is told of a question outside of GitHub: each destination that the configuration names, once for each question.

The comment goes first, so that there is something to lead to; where it is held back, nobody waits for it for long.
"""

from __future__ import annotations

from resolver.actions.talk import Notify
from resolver.decide.due import Due, earlier
from resolver.decide.endings import how_it_ended
from resolver.decide.here import Here
from resolver.decide.rights import config_of, silence


def notices(here: Here) -> Due:
    """Tell of the questions that are open."""
    state, pull, now = here.state, here.pull, here.now
    destinations = config_of(state, pull).notifications.destinations
    if not destinations or silence(state, pull) is not None:
        return Due()
    actions: list[Notify] = []
    again_at: float | None = None
    for asked in pull.talk.decisions.values():
        effect = pull.effects.get(f"decision:{asked.decision_id}")
        comment = effect.result.get("decisionComment") if effect is not None else None
        patience = asked.asked_at + here.limits.notice_patience
        if how_it_ended(state, pull, asked) is not None:
            continue
        if comment is None and now < patience:
            again_at = earlier(again_at, patience)
            continue
        actions += [
            Notify(
                number=pull.seen.number,
                head_sha=pull.seen.head_sha,
                title=pull.seen.title,
                decision=asked,
                destination=destination,
                comment_id=comment,
            )
            for destination in dict.fromkeys(destinations)
        ]
    return Due(tuple(actions), again_at)
