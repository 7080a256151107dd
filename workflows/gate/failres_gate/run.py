"""
One check from its start to its end: the loop between the command, its readers, the records and the clock.

Everything happens in this one thread; what is decided (items, budget, the last line) is decided elsewhere.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable

from failres_gate import processes
from failres_gate.channel import Channel
from failres_gate.events import Event
from failres_gate.lines import Lines
from failres_gate.options import LIMITS, Options
from failres_gate.passing import Passage, same_place
from failres_gate.records import OutputFile, Places, ProgressFile
from failres_gate.signals import ENDING, HANDED_ON, Signals
from failres_gate.terminal import Terminal
from failres_gate.verdict import STALLED, Ending
from failres_gate.watch import Watch

_SOON = 0.05
_LATER = 1.0
_PIPEFULS = 16


class Run:
    """A check that runs. `watch` holds what was seen of it, `open_line` that its last line on stderr has no end."""

    def __init__(self, options: Options, where: Places) -> None:
        self.options = options
        self._signals = Signals()
        self.watch = Watch(options.stall_after, strict=options.strict)
        self.output = OutputFile(where.output)
        self.progress = ProgressFile(options.check, where)
        self.passages: list[Passage] = []
        self._lines: dict[Passage, Lines] = {}
        self._terminal: Terminal | None = None
        self._began = time.monotonic()
        self._stopped = 0
        self._status: int | None = None
        self._lingered = 0.0
        self._blocked = 0.0
        self._ended_at: float | None = None
        self._one_place = same_place(1, 2)
        self.open_line = False
        self._kills_before = processes.memory_kills()
        self._waiting = selectors.SelectSelector()  # the one that takes terminals on every system

    def to_the_end(self) -> Ending:
        """Start the command, watch it, and come back when it is over."""
        self._record("check-start")
        channel, signals = Channel(), self._signals
        processes.adopt_orphans()
        try:
            self._child = self._start(channel)
        except processes.CannotStartError as error:
            self._record("failure")
            return self._close(error.status, refused=str(error))
        else:
            self._loop(channel, signals)
            return self._close(STALLED if self._ended_at is not None else self._code())
        finally:
            channel.close()
            signals.close()
            if self._terminal is not None:
                self._terminal.restore()

    def _record(self, phase: str, **more: object) -> None:
        self.progress.write(phase, time.monotonic() - self._began, **more)

    def notes(self) -> list[str]:
        """What a person should know of the wrapper's own troubles; none of them changes the check's result."""
        sinks = (("the progress records", self.progress.sink), ("the copy of the output", self.output.sink))
        notes = [f"{what} could not be written to {sink.path}: {sink.fault}" for what, sink in sinks if sink.fault]
        if any(lines.too_slow for lines in self._lines.values()):
            notes.append("a --pattern was too slow and was given up; every line counted as progress from then on")
        return notes

    # --- starting -----------------------------------------------------------------------------------------------------

    def _start(self, channel: Channel) -> subprocess.Popen[bytes]:
        out, err = os.isatty(1), os.isatty(2)
        try:
            self._terminal = Terminal(1 if out else 2) if out or err else None
        except OSError:  # no pseudo-terminal to be had: better without colours than without the check
            out = err = False
        ends = [self._end_for(number, shown=shown) for number, shown in ((1, out), (2, err))]
        controlling = 1 if out else 2 if err else None
        stdin = self._input_end()
        streams = processes.Streams(stdin, ends[0], ends[1], controlling)
        try:
            child = processes.start(self.options.command, channel.environment(dict(os.environ)), streams)
        finally:
            for end in {*ends} - {self._terminal.slave if self._terminal else -1}:
                os.close(end)
            if self._terminal is not None:
                self._terminal.started()
        return child

    def _end_for(self, number: int, *, shown: bool) -> int:
        """The command's end of stdout or stderr: the terminal for what is shown on one, else a pipe."""
        if shown and self._terminal is not None:
            if not any(passage.source == self._terminal.master for passage in self.passages):
                self._pass(self._terminal.master, number)
            return self._terminal.slave
        source, end = os.pipe()
        os.set_blocking(source, False)
        self._pass(source, number)
        return end

    def _pass(self, source: int, target: int) -> None:
        passage = Passage(source, target)
        self.passages.append(passage)
        self._lines[passage] = Lines(self.options.patterns)
        self._waiting.register(source, selectors.EVENT_READ, lambda: self._move(passage))

    def _input_end(self) -> int | None:
        terminal = self._terminal
        if terminal is None or not os.isatty(0) or not terminal.hand_over_input():
            return None
        self._waiting.register(0, selectors.EVENT_READ, lambda: self._type(terminal))
        return terminal.slave

    def _type(self, terminal: Terminal) -> None:
        data = b""
        with contextlib.suppress(OSError):
            data = os.read(0, 1_024)
        if not data:
            self._waiting.unregister(0)
            return
        with contextlib.suppress(OSError):
            os.write(terminal.master, data)

    # --- watching -----------------------------------------------------------------------------------------------------

    def _loop(self, channel: Channel, signals: Signals) -> None:
        self._waiting.register(signals.fd, selectors.EVENT_READ, lambda: self._hear_signals(signals))
        if channel.fd >= 0:
            self._waiting.register(channel.fd, selectors.EVENT_READ, lambda: self._hear(channel.read()))
        last = beat = time.monotonic()
        while not self._over():
            wait = self._wait(beat + self.options.heartbeat - last)
            for key, _ in self._waiting.select(wait):
                act: Callable[[], None] = key.data
                act()
            self._reap()
            now = time.monotonic()
            passed, last, self._blocked = min(now - last - self._blocked, wait + LIMITS.slack), now, 0.0
            self.watch.pass_time(passed)
            self._lingered += passed if self._status is not None else 0.0
            if now >= beat + self.options.heartbeat and self._status is None:
                beat = now
                self._look_at_open_lines()
                self._record("heartbeat", item=self.watch.active_item())
            self._mind_the_budget(now)
        self._drain()
        for lines in self._lines.values():
            self._hear(lines.close(), printed=True)
        while channel.fd >= 0 and self._hear(channel.read()):
            pass

    def _wait(self, to_beat: float) -> float:
        """How long nothing needs to be looked at."""
        if self._status is not None or self._ended_at is not None:
            return _SOON
        return max(0.0, min(to_beat, self.watch.left, _LATER))

    def _move(self, passage: Passage) -> bool:
        """Pass on one block; False where there is none (yet)."""
        data = passage.take(LIMITS.block)
        if data:
            self._give(passage, data)
            self.output.write(data)
            if passage.target == 2 or self._one_place:
                self.open_line = not data.endswith(b"\n")
            began = time.monotonic()
            events = self._lines[passage].feed(data)
            self._set_aside(time.monotonic() - began)
            self._hear(events, printed=True)
        if data is None or passage.reader_left:
            self._waiting.unregister(passage.source)
            self.passages.remove(passage)
            passage.close()
        return bool(data)

    def _give(self, passage: Passage, data: bytes) -> None:
        """Pass a block on."""
        began = time.monotonic()
        passage.give(data)
        self._set_aside(time.monotonic() - began)

    def _set_aside(self, took: float) -> None:
        """What a slow reader takes of time, or a pattern, is not the check's."""
        self._blocked += took if took > LIMITS.blocked else 0.0

    def _drain(self) -> None:
        """Pass on what is in the pipes when the wait for more is over; a process left behind may go on for ever."""
        for passage in list(self.passages):
            for _ in range(_PIPEFULS):
                if passage not in self.passages or not self._move(passage):
                    break

    def _hear(self, events: list[Event], *, printed: bool = False) -> bool:
        """Take events in. What is said after a stall, while the check is being ended, changes nothing."""
        if self._ended_at is None:
            for event in events:
                for phase, keys in self.watch.hear(event, printed=printed):
                    self._record(phase, **keys)
        return bool(events)

    def _look_at_open_lines(self) -> None:
        for lines in self._lines.values():
            self._hear(lines.unfinished(), printed=True)

    def _hear_signals(self, signals: Signals) -> None:
        for number in signals.take():
            if number in HANDED_ON:
                self._stopped = number if number in ENDING else self._stopped
                with contextlib.suppress(OSError):
                    os.killpg(self._child.pid, number)
            elif number == signal.SIGWINCH and self._terminal is not None:
                self._terminal.resize()
            elif number == signal.SIGTSTP:
                self._sleep()

    def _sleep(self) -> None:
        """Stop with the command, and go on with it."""
        began = time.monotonic()
        with contextlib.suppress(OSError):
            os.killpg(self._child.pid, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        with contextlib.suppress(OSError):
            os.killpg(self._child.pid, signal.SIGCONT)
        self._blocked += time.monotonic() - began

    def _reap(self) -> None:
        """Bury whoever ended: the command, and the orphans that were adopted."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._child.pid:
                self._status = self._child.returncode = status

    # --- ending -------------------------------------------------------------------------------------------------------

    def _mind_the_budget(self, now: float) -> None:
        if self._ended_at is None:
            if self._status is None and self.watch.stalled:
                self._record("failure", item=self.watch.active_item())
                self._ended_at = now
                processes.ask_to_end(self._child.pid)
        elif now >= self._ended_at + self.options.grace:
            processes.signal_all(self._child.pid, signal.SIGKILL)

    def _over(self) -> bool:
        """Whether there is nothing more to wait for."""
        if self._ended_at is not None:
            if time.monotonic() >= self._ended_at + self.options.grace + LIMITS.linger:
                return True
            if self._status is None or processes.group_lives(self._child.pid) or processes.descendants():
                return False
        if self._status is None:
            return False
        return not self.passages or self._lingered >= LIMITS.linger

    def _code(self) -> int:
        return processes.exit_status(self._status) if self._status is not None else 128 + signal.SIGKILL

    def _close(self, status: int, refused: str = "") -> Ending:
        stalled = self._ended_at is not None
        if status and not stalled and not refused and not self.watch.failed:
            self._record("failure", item=self.watch.active_item())
        self._record("check-end", exitStatus=status)
        self.output.close()
        self.progress.sink.close()
        return Ending(
            status=status,
            output_path=self.output.sink.path,
            excerpt=self.output.last(LIMITS.excerpt),
            stalled=stalled,
            stopped=self._stopped,
            out_of_memory=processes.memory_kills() > self._kills_before,
            disk_full=self.output.sink.full or self.progress.sink.full,
            refused=refused,
        )
