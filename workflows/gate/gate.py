#!/usr/bin/env python3
"""Run a check and watch it: `python3 gate.py [options] -- COMMAND`. Needs Python 3.8 or newer and nothing else."""

from __future__ import annotations

import os
import sys


def run(arguments: list[str]) -> int:
    """Run the check; a system without process groups is told so instead of being half served."""
    if os.name != "posix":
        sys.stderr.write("failres gate: this needs Linux or macOS; run the check without it\n")
        return 126
    from failres_gate.main import main  # noqa: PLC0415 - its modules cannot be loaded elsewhere

    return main(arguments)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
