"""The scenarios: what happens to people, played by the real failres on the embedded GitHub.

Each is one file with a `play` that acts, lets things settle, and says with `expect` what must then be so.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.cli.scenarios.bad_config import BAD_CONFIG
from bot.cli.scenarios.fork import FORK
from bot.cli.scenarios.llm_rung import LLM_RUNG
from bot.cli.scenarios.noise import NOISE
from bot.cli.scenarios.queue import QUEUE
from bot.cli.scenarios.red_check import RED_CHECK
from bot.cli.scenarios.resolving import RESOLVING
from bot.cli.scenarios.scenario import Scenario
from bot.cli.scenarios.stalls import STALL, STALL_WRAPPED
from bot.cli.scenarios.surroundings import SURROUNDINGS
from bot.cli.scenarios.third_party import THIRD_PARTY
from bot.cli.scenarios.whose import WHOSE

SCENARIOS: Mapping[str, Scenario] = {
    one.name: one
    for one in (
        RED_CHECK,
        NOISE,
        FORK,
        BAD_CONFIG,
        *WHOSE,
        QUEUE,
        *SURROUNDINGS,
        *RESOLVING,
        LLM_RUNG,
        STALL,
        STALL_WRAPPED,
        THIRD_PARTY,
    )
}
"""All scenarios by name, the main one first."""
