"""How fast and how small triage is, beside ripgrep with the same patterns in the same run.

    python bench/triage.py [--size 1G] [--clean 200M] [--runs 3] [--make ../shared/bench/make_log.py]

Each figure is the median of the runs, taken in turns: processor time (user and system) of the whole process of
`failres triage --json FILE` (start, compile, scan, verdict; one thread) against `rg -c -a --no-unicode -f PATTERNS
FILE`. ripgrep only counts lines; it strips no colours, knows no rule, keeps no excerpt and makes no fingerprint. Peak
memory is the kernel's high-water mark of the process (Linux). The warm figure is one 50 KB log in this process.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from resolver.log.classify import classify, load_rules  # noqa: E402 - the checkout is put on the path first

WANTED_RATIO, WANTED_MIB, WANTED_WARM_MS = 0.7, 64.0, 5.0


@dataclass(frozen=True)
class Cost:
    """One process: seconds of processor time, so that the machine's other work counts for neither, and peak MiB."""

    seconds: float
    mib: float


def measure(command: list[str]) -> Cost:
    """Run a command to its end, its output thrown away; ripgrep's 1 only means that nothing was found."""
    peak = 0.0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    pid, status, usage = 0, 0, None
    while pid == 0:
        peak = max(peak, high_water(process.pid))
        time.sleep(0.01)
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1) or usage is None:
        raise SystemExit(f"{command[0]} ended with status {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, peak)


def high_water(pid: int) -> float:
    """The most memory that a process has had, in MiB; 0 where the kernel does not tell."""
    try:
        text = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+) kB", text)
    return int(found[1]) / 1024 if found else 0.0


def patterns(path: Path) -> None:
    """What the scanner looks for, as ripgrep reads it."""
    seen = dict.fromkeys(f"(?i:{p.pattern})" if p.caseless else p.pattern for p in load_rules().loose)
    path.write_text("\n".join(seen) + "\n", "ascii")


def make(maker: Path, folder: Path, profile: str, size: str) -> Path:
    """A generated log; its bytes depend on the arguments alone, so one that is there is used again."""
    path = folder / f"{profile}-{size}.log"
    if not path.exists():
        subprocess.run(
            [sys.executable, str(maker), "--profile", profile, "--size", size, "--seed", "1", "--out", str(path)],
            check=True,
        )
    path.read_bytes() if path.stat().st_size < 1 << 28 else subprocess.run(
        ["cat", str(path)], stdout=subprocess.DEVNULL, check=True
    )
    return path


def median(costs: list[Cost]) -> Cost:
    """The middle of each figure."""
    return Cost(statistics.median(c.seconds for c in costs), max(c.mib for c in costs))


def compare(name: str, log: Path, rg: str | None, listing: Path, runs: int) -> bool:
    """Triage and ripgrep on one log, in turns."""
    ours: list[Cost] = []
    theirs: list[Cost] = []
    for _ in range(runs):
        ours.append(measure([sys.executable, "-m", "bot.cli.triage", "--json", str(log)]))
        if rg:
            theirs.append(measure([rg, "-c", "-a", "--no-unicode", "-f", str(listing), str(log)]))
    mine, megabytes = median(ours), log.stat().st_size / 1e6
    line = f"{name:<12} triage {megabytes / mine.seconds:7.0f} MB/s  {mine.seconds:6.2f} s  {mine.mib:6.1f} MiB"
    good = mine.mib <= WANTED_MIB
    if theirs:
        other = median(theirs)
        ratio = other.seconds / mine.seconds
        line += f"   ripgrep {megabytes / other.seconds:7.0f} MB/s  {other.seconds:6.2f} s  {other.mib:7.1f} MiB"
        line += f"   ratio {ratio:5.2f}"
        good = good and ratio >= WANTED_RATIO
    print(line)
    return good


def warm(log: Path) -> bool:
    """One 50 KB log in a warm process, the best of many: the machine's other work is not ours."""
    with log.open("rb") as file:
        text = file.read(50_000)
    classify(text)
    best = float("inf")
    for _ in range(30):
        started = time.perf_counter()
        classify(text)
        best = min(best, time.perf_counter() - started)
    print(f"{'warm 50 KB':<12} {best * 1e3:.2f} ms")
    return best * 1e3 <= WANTED_WARM_MS


def main() -> int:
    """Print the figures; exit status 1 where one is below what was promised."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="1G")
    parser.add_argument("--clean", default="200M")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--make", type=Path, default=ROOT.parent / "shared" / "bench" / "make_log.py")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "failres-bench-logs")
    options = parser.parse_args()
    if not options.make.is_file():
        print(f"the log generator {options.make} is not there", file=sys.stderr)
        return 2
    options.folder.mkdir(parents=True, exist_ok=True)
    rg = shutil.which("rg")
    if rg is None:
        print("ripgrep is not installed: only triage is measured", file=sys.stderr)
    else:
        version = subprocess.run([rg, "--version"], capture_output=True, text=True, check=True).stdout
        print(
            re.split(r"\s*\n", version)[0], f"· {len(load_rules().loose)} patterns · engine {load_rules().engine.name}"
        )
    listing = options.folder / "patterns.txt"
    patterns(listing)
    mixed = make(options.make, options.folder, "mixed", options.size)
    results = [
        compare(f"mixed {options.size}", mixed, rg, listing, options.runs),
        compare(
            f"clean {options.clean}",
            make(options.make, options.folder, "clean", options.clean),
            rg,
            listing,
            options.runs,
        ),
        compare(
            f"1 line {options.size}", make(options.make, options.folder, "single-line", options.size), None, listing, 1
        ),
        warm(mixed),
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
