"""What all tests share: their temporary files lie in memory where there is enough of it."""

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
ENOUGH = 4 << 30


def pytest_configure():
    """Stores sync each commit to the disk, and a story makes hundreds of commits."""
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
