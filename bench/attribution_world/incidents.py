"""
Seeded incidents: repositories of many kinds in which one thing goes wrong, or two.

The figures are the generator's own idea of real life (how often bases move, how quiet test runners are, how flaky tests
are); no rule of a judge is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from attribution_world.logs import Test
from attribution_world.world import Cause, Pull, Trouble, World, sha_of

HOUR = 3600.0
T0 = 1_790_000_000.0

STYLES = {"pytest": 34, "pytest-v": 14, "jest": 20, "go-v": 12, "cargo": 14, "pytest-q": 3, "go": 3}
"""How repositories print their tests; the last two name nothing that passed."""

RATES = {0.02: 45, 0.05: 25, 0.1: 15, 0.2: 9, 0.3: 5, 0.5: 1}
"""How often a flaky test fails, and how many tests are so."""

PACES = {"quiet": 15, "normal": 60, "busy": 25}

EPISODES = {
    "base": 30, "external": 12, "dependency": 5, "task": 75, "flake": 110, "new-flake": 22, "drift": 34,
    "busy-base": 8, "busy-task": 22, "busy-flake": 16, "stall-task": 14, "stall-base": 8, "trouble": 36, "outage": 5,
    "task-and-flake": 14, "base-and-task": 14,
}  # fmt: skip
"""How many episodes of each kind make a whole run; some have several pull requests."""


def _pick(random: Random, weights: dict[Any, int]) -> Any:
    return random.choices(list(weights), list(weights.values()))[0]


def episodes(share: float = 1.0, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Give (seed, kind) of each episode."""
    for kind, count in EPISODES.items():
        for number in range(max(1, round(count * share))):
            yield f"{kind}-{number}" + (f"-{seed}" if seed else ""), kind


def build(seed: str, kind: str, policy: str) -> World:
    """Make the world of an episode; the same for every policy."""
    random = Random(seed)
    pace = "busy" if kind.startswith("busy") else _pick(random, PACES)
    style = _pick(random, STYLES)
    world = World(
        seed,
        policy,
        style,
        _tests(style, random),
        _commits(seed, pace, random),
        {"quiet": 0.9, "normal": 0.8, "busy": 0.45}[pace],
    )
    world.troubles.append(Trouble(0, float("inf"), 0.01, "net"))
    for _ in range(random.choices((0, 1, 2, 3, 4), (25, 30, 25, 12, 8))[0]):
        world.causes.append(_flake(world, random))
    for number in range(14):
        at = T0 - random.uniform(1, 48) * HOUR
        world.past.append(
            Pull(number + 1, f"dev{number % 6}", sha_of(seed, "past", number), world.base_index(at), at, [])
        )
    _HAPPENINGS[kind](world, random)
    return world


def _tests(style: str, random: Random) -> tuple[Test, ...]:
    ends = {"jest": "src/{}.test.ts", "go": "{}/{}_test.go", "go-v": "{}/{}_test.go", "cargo": "src/{}.rs"}.get(
        style, "tests/test_{}.py"
    )
    words = ["cache", "loader", "queue", "session", "parser", "router"]
    found: list[Test] = []
    for word in words[: random.randint(3, 6)]:
        for number in range(random.randint(2, 6)):
            name = f"{word}_case_{number}"
            named = {"jest": f"handles {word} case {number}", "cargo": name}.get(style, f"test_{name}")
            named = f"Test{word.title()}Case{number}" if style.startswith("go") else named
            found.append(Test(ends.format(word, word), named, 10 + 12 * number))
    return tuple(found)


def _commits(seed: str, pace: str, random: Random) -> list[tuple[str, float]]:
    found, at = [], T0 - 60 * HOUR
    while at < T0 + 20 * HOUR:
        found.append((sha_of(seed, "base", len(found)), at))
        near = pace == "busy" and T0 - 2 * HOUR < at < T0 + 8 * HOUR
        at += (
            random.uniform(60, 200)
            if near
            else random.uniform(20, 120) * 60
            if pace != "quiet"
            else random.uniform(3, 10) * HOUR
        )
    return found


def _flake(world: World, random: Random, *, since: int = 0) -> Cause:
    test = random.choice(world.tests)
    slow = random.random() < 0.5
    cause = Cause("flake", "test", "test", test, test.file, test.line, got=str(random.randrange(21, 99)), slow=slow)
    cause.rate = _pick(random, RATES)
    cause.varies = not slow and random.random() < 0.2
    cause.from_base = since
    return cause


def _source(world: World, random: Random) -> str:
    end = {"jest": "ts", "go": "go", "go-v": "go", "cargo": "rs"}.get(world.style, "py")
    return f"src/{random.choice(('engine', 'api', 'model', 'store'))}.{end}"


def _patch(first: int, lines: int, heading: str = "") -> str:
    added = "".join(f"+    changed_{n} = {n}\n" for n in range(lines))
    return f"@@ -{first},6 +{first},{6 + lines} @@ {heading}\n a\n b\n c\n{added} d\n e\n f"


def _pull(world: World, random: Random, at: float, files: list[dict[str, Any]] | None = None) -> Pull:
    number = 100 + len(world.pulls)
    default = [
        {"filename": _source(world, random), "status": "modified", "patch": _patch(random.randrange(100, 300), 6)}
    ]
    author = f"dev{random.randrange(40)}"
    head = sha_of(world.seed, "head", number)
    pull = Pull(number, author, head, world.base_index(at), at, files if files is not None else default)
    world.pulls.append(pull)
    return pull


def _defect(world: World, random: Random, truth: str, kind: str | None = None) -> Cause:
    """Something that is broken for sure: a test, a lint rule or type, or code that does not compile."""
    kind = kind or _pick(random, {"test": 62, "lint": 20, "build": 18})
    if kind == "build" and not world.style.startswith(("go", "cargo")):
        kind = "lint"
    if kind in ("test", "stall"):
        test = random.choice(world.tests)
        return Cause(truth, "test", kind, test, test.file, test.line, got=str(random.randrange(100, 999)))
    check = "static" if kind == "lint" else "test"
    return Cause(
        truth, check, kind, None, _source(world, random), random.randrange(20, 90), got=f"name_{random.randrange(1000)}"
    )


def _base(world: World, random: Random, *, kind: str | None = None, tasks: int | None = None) -> list[Pull]:
    cause = _defect(world, random, "base-defect" if kind != "stall" else "gate-stalled", kind)
    begun = T0 - random.uniform(0.2, 8) * HOUR
    cause.from_base = world.base_index(begun)
    if random.random() < 0.3:
        cause.until_base = world.base_index(T0 + random.uniform(6, 12) * HOUR) + 1
    world.causes.append(cause)
    return [_pull(world, random, T0 + random.uniform(0, 2) * HOUR) for _ in range(tasks or random.randint(1, 4))]


def _external(world: World, random: Random) -> None:
    cause = _defect(world, random, "base-defect", "test")
    cause.from_time = T0 - random.uniform(0.1, 10) * HOUR
    world.causes.append(cause)
    for _ in range(random.randint(1, 4)):
        _pull(world, random, T0 + random.uniform(0, 2) * HOUR)


def _dependency(world: World, random: Random) -> None:
    world.troubles.insert(0, Trouble(T0 - random.uniform(0.1, 10) * HOUR, T0 + 15 * HOUR, 1.0, "dependency"))
    for _ in range(random.randint(1, 3)):
        _pull(world, random, T0 + random.uniform(0, 2) * HOUR)


def _task(world: World, random: Random, kind: str | None = None) -> None:
    truth = "gate-stalled" if kind == "stall" else "task-defect"
    for _ in range(random.randint(1, 2)):
        cause = _defect(world, random, truth, kind)
        pull = _pull(world, random, T0 + random.uniform(0, 2) * HOUR, _files(world, random, cause))
        cause.pull = pull.number
        world.causes.append(cause)


def _files(world: World, random: Random, cause: Cause) -> list[dict[str, Any]]:
    """What a pull request with this defect changed: often the failing place itself, often something that it uses."""
    if cause.test is None:
        inside = random.random() < 0.88
        first = cause.line - 5 if inside else cause.line + 200
        return [{"filename": cause.path, "status": "modified", "patch": _patch(first, 6)}]
    source = {"filename": _source(world, random), "status": "modified", "patch": _patch(random.randrange(100, 300), 6)}
    if random.random() < 0.2:
        return [
            source,
            {
                "filename": cause.path,
                "status": "modified",
                "patch": _patch(cause.line - 4, 2, f"def {cause.test.name}():"),
            },
        ]
    return [source]


def _flaky(world: World, random: Random, *, new: bool = False) -> None:
    if new:
        world.causes.append(_flake(world, random, since=world.base_index(T0 - random.uniform(0.1, 3) * HOUR)))
        flake = world.causes[-1]
    else:
        world.causes.append(_flake(world, random))
        flakes = [cause for cause in world.causes if cause.truth == "flake"]
        flake = random.choices(flakes, [cause.rate for cause in flakes])[0]
    _pull(world, random, T0 + random.uniform(0, 2) * HOUR).forced = flake


def _drift(world: World, random: Random) -> None:
    """The base was broken when the run was made, and mended while it ran."""
    cause = _defect(world, random, "base-drift")
    at = T0 + random.uniform(0, 1) * HOUR
    tested = world.base_index(at)
    cause.from_base = max(0, tested - random.randint(0, 2))
    cause.until_base = tested + 1
    when = at + random.uniform(20, 45)
    world.commits[tested + 1 :] = [
        (sha_of(world.seed, "mended"), when),
        *((sha, max(t, when + 60)) for sha, t in world.commits[tested + 1 :]),
    ]
    world.causes.append(cause)
    _pull(world, random, at)


def _one_trouble(world: World, random: Random) -> None:
    looks = random.choice(("timeout", "dns", "reset", "lost"))
    _pull(world, random, T0 + random.uniform(0, 2) * HOUR).trouble = looks


def _outage(world: World, random: Random) -> None:
    world.troubles.insert(0, Trouble(T0 - 600, T0 + random.uniform(0.8, 1.6) * HOUR, 0.92, "net"))
    for _ in range(random.randint(6, 10)):
        _pull(world, random, T0 + random.uniform(0, 0.4) * HOUR).trouble = "timeout"


def _task_and_flake(world: World, random: Random) -> None:
    _task(world, random, "test")
    world.causes.append(_flake(world, random))
    for pull in world.pulls:
        pull.forced = world.causes[-1]


def _base_and_task(world: World, random: Random) -> None:
    for pull in _base(world, random, kind="test", tasks=2):
        cause = _defect(world, random, "task-defect", "test")
        cause.pull = pull.number
        world.causes.append(cause)


def _new_flake(world: World, random: Random) -> None:
    _flaky(world, random, new=True)


def _stalled_task(world: World, random: Random) -> None:
    _task(world, random, "stall")


def _stalled_base(world: World, random: Random) -> None:
    _base(world, random, kind="stall")


_HAPPENINGS: dict[str, Callable[[World, Random], object]] = {
    "base": _base,
    "busy-base": _base,
    "external": _external,
    "dependency": _dependency,
    "task": _task,
    "busy-task": _task,
    "flake": _flaky,
    "busy-flake": _flaky,
    "new-flake": _new_flake,
    "drift": _drift,
    "stall-task": _stalled_task,
    "stall-base": _stalled_base,
    "trouble": _one_trouble,
    "outage": _outage,
    "task-and-flake": _task_and_flake,
    "base-and-task": _base_and_task,
}
