"""A registry that is not idempotent keeps the process from starting."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
START = "import sys; from bot.cli.main import main; sys.exit(main(['serve']))"


def start(repairs: Path) -> subprocess.CompletedProcess[str]:
    """Start the server with that folder's `repairs`, without any settings."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FAILRES_")}
    environment["PYTHONPATH"] = os.pathsep.join((str(repairs), str(ROOT)))
    command = [sys.executable, "-c", START]
    return subprocess.run(
        command, cwd=repairs, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_an_entry_that_is_not_idempotent_fails_the_start(tmp_path):
    """With one entry changed the start does not even come as far as its settings, which are missing."""
    shutil.copytree(ROOT / "repairs", tmp_path / "repairs")
    path = tmp_path / "repairs" / "environment.py"
    path.write_text(path.read_text().replace("idempotent=True", "idempotent=False", 1))
    changed = start(tmp_path)
    assert changed.returncode != 0
    assert "NotIdempotent: not idempotent: provision-deps" in changed.stderr
    assert "FAILRES_APP_ID" not in changed.stderr
