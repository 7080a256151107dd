"""The wrapper's two words of its own, before and after the command's, and its exit status."""

from __future__ import annotations

from failres_gate.options import read
from failres_gate.passing import fill_streams, say, say_bytes
from failres_gate.records import places
from failres_gate.run import Run
from failres_gate.verdict import last_line


def main(arguments: list[str]) -> int:
    """Run the check. The result is the command's own exit status, 124 after a stall, 127 or 126 if it did not start."""
    fill_streams()
    options = read(arguments)
    where = places(options)
    run = Run(options, where)
    say(f"failres gate: {options.check}: progress in {where.progress}, output in {where.output}")
    ending = run.to_the_end()
    notes = run.notes()
    if ending.refused:
        notes.append(ending.refused)
    if run.open_line and (notes or ending.status):
        say("")
    for note in notes:
        say(f"failres gate: {note}")
    if ending.status:
        say_bytes(last_line(ending, run.watch))
    return ending.status
