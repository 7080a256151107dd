"""
`failres triage LOG…`: read logs as the bot reads them, and say for people (or, with `--json`, for programs) what
failed and why.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from bot.words.lists import rows
from resolver.log.classify import LogContext, LogScan, Triage

ITEMS = 20
READ = 262_144
"""Bytes read at a time."""
_CONTEXT = 2


class UnreadableLogError(Exception):
    """The input is no log; the message says what it is instead."""


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("triage", help="say what failed in a CI log", description=__doc__)
    add_arguments(parser)
    parser.set_defaults(run=run)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("logs", nargs="+", metavar="LOG", help="a log file, .gz or .zip too; - reads standard input")
    parser.add_argument("--json", action="store_true", help="one JSON object a line and log")
    parser.add_argument("--explain", action="store_true", help="list which lines matched which rules, and what decided")
    parser.add_argument("--check", default="", help="the check's name, which is part of fingerprints")


def run(args: argparse.Namespace) -> int:
    """0 where every log was read (whatever it says), 2 where one could not be."""
    bad = 0
    for name in args.logs:
        try:
            for label, stream in open_logs(name):
                triage = read_log(stream, LogContext(check=args.check))
                print(
                    json.dumps(as_json(label, triage))
                    if args.json
                    else as_text(label, name, triage, explain=args.explain),
                    flush=True,
                )
        except (UnreadableLogError, OSError) as error:
            bad += 1
            reason = str(error) if isinstance(error, UnreadableLogError) else f"{error.strerror or error}"
            print(
                json.dumps({"file": name, "error": reason}) if args.json else f"{name}: {reason}",
                file=sys.stdout if args.json else sys.stderr,
            )
    return 2 if bad else 0


def read_log(stream: IO[bytes], context: LogContext) -> Triage:
    """Triage a stream. Raises UnreadableLogError for empty and for binary input."""
    scan = LogScan(context)
    try:
        chunk = stream.read(READ)
        if not chunk:
            raise UnreadableLogError("empty: there is no log to read")
        if _is_binary(chunk):
            raise UnreadableLogError("binary: this is not a text log")
        while chunk:
            scan.feed(chunk)
            chunk = stream.read(READ)
    except (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile) as error:
        raise UnreadableLogError(f"damaged archive: {error}") from error
    return scan.close()


def open_logs(name: str) -> Iterator[tuple[str, IO[bytes]]]:
    """The logs of one argument: a .zip holds several, in the order of their names."""
    if name == "-":
        yield "-", _unpacked(sys.stdin.buffer)
        return
    with Path(name).open("rb") as file:
        if file.peek(4)[:4] == b"PK\x03\x04":
            yield from _zipped(name, file)
        else:
            yield name, _unpacked(file)


def _zipped(name: str, file: IO[bytes]) -> Iterator[tuple[str, IO[bytes]]]:
    try:
        with zipfile.ZipFile(file) as archive:
            for entry in sorted(archive.namelist()):
                if not entry.endswith("/"):
                    with archive.open(entry) as stream:
                        yield f"{name}/{entry}", stream
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise UnreadableLogError(f"damaged archive: {error}") from error


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)  # type: ignore[type-var]
    return gzip.open(buffered, "rb") if buffered.peek(2)[:2] == b"\x1f\x8b" else buffered  # type: ignore[return-value]


def _is_binary(chunk: bytes) -> bool:
    """Executables, images and archives begin with bytes that no log has many of."""
    head = chunk[:4096]
    control = sum(1 for byte in head if byte < 9 or 13 < byte < 27)
    return control > len(head) * 0.3 or head.startswith(
        (b"\x7fELF", b"\x89PNG", b"MZ\x90", b"%PDF", b"\xfd7zXZ", b"BZh")
    )


def as_json(label: str, triage: Triage) -> dict[str, Any]:
    """The object that `--json` prints for one log."""
    return {
        "file": label,
        "failClass": triage.fail_class,
        "kind": triage.kind,
        "items": list(triage.items),
        "errors": [place.model_dump(mode="json") for place in triage.errors],
        "keyLines": list(triage.key_lines),
        "fingerprint": triage.fingerprint,
        "failures": [finding.model_dump(mode="json", by_alias=True) for finding in triage.findings],
        "flaky": list(triage.flaky),
        "exitStatus": triage.exit_status,
        "lines": triage.lines,
        "bytes": triage.bytes,
        "capped": triage.capped,
        "why": triage.why,
    }


def as_text(label: str, name: str, triage: Triage, *, explain: bool) -> str:
    """What a person reads: the cause in one line, then the evidence."""
    return "\n".join(_report(label, name, triage, explain=explain)) + "\n"


def _report(label: str, name: str, triage: Triage, *, explain: bool) -> Iterator[str]:
    if triage.kind == "none":
        yield f"{label}: nothing failed ({triage.lines} lines)"
    else:
        first = triage.findings[0]
        where = f" in {first.item}" if first.item else ""
        yield f"{label}: {triage.kind}{where}: {first.message.splitlines()[0] if first.message else 'no message'}"
        yield f"  class {triage.fail_class}, rule {triage.why}, exit status {triage.exit_status}"
        yield f"  fingerprint {triage.fingerprint}"
        failing = [f"  failing: {item}" for item in triage.items]
        yield from rows(failing, ITEMS, last="  {}".format, beyond=triage.capped)
        yield from (
            f"  at {p.path}:{p.line}: {p.message.splitlines()[0] if p.message else ''}"
            for p in triage.errors[:10]
            if p.path
        )
        yield from (f"  flaky: {item} failed and then passed" for item in triage.flaky[:10])
        yield from _key_lines(name, triage)
    if explain:
        yield "  lines that matched a rule (the first rule of a line speaks; the heaviest finding decides):"
        for c in triage.considered:
            won = ">" if c.rule == triage.why else " "
            yield f"  {won} {c.line:>7}  {c.rule:<28} {c.kind:<12} {c.weight:>3}  {c.text}"


def _key_lines(name: str, triage: Triage) -> Iterator[str]:
    """The lines themselves, where the log can be read a second time."""
    path = Path(name)
    if name == "-" or not path.is_file() or name.endswith((".gz", ".zip")):
        yield f"  key lines: {', '.join(map(str, triage.key_lines))}"
        return
    wanted = {n for line in triage.key_lines[:6] for n in range(line - _CONTEXT, line + _CONTEXT + 1)}
    last = 0
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if number > max(wanted, default=0):
                return
            if number in wanted:
                if last and number > last + 1:
                    yield "        ⋮"
                last = number
                yield f"  {'>' if number in triage.key_lines else ' '} {number:>6} {_shown(raw)}"


def _shown(raw: bytes) -> str:
    from resolver.log.lines import clean_text  # noqa: PLC0415 - only people need it
    from resolver.secrets import mask  # noqa: PLC0415

    return mask(clean_text(raw))[:200]


def main(arguments: list[str] | None = None) -> int:
    """Run the command by itself."""
    parser = argparse.ArgumentParser(prog="failres triage", description=__doc__)
    add_arguments(parser)
    return run(parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
