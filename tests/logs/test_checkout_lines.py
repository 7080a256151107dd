"""The tested base is what the run itself says: the checkout's line, whatever the event, the depth and the `ref:` are."""

import pytest

from resolver.ids import Sha
from resolver.log import tested_base

HEAD, BASE, OTHER = "a" * 40, "b" * 40, "c" * 40
MERGE = f"HEAD is now at 1234567 Merge {HEAD} into {BASE}\n"
GROUP = f"HEAD is now at 7654321 Merge pull request #7 from octo/docs\n[command]/usr/bin/git log -1\n{'7' * 40}\n"
ROWS = {
    "a pull request": (MERGE, BASE, False),
    "with the runner's times and colours": (f"2026-09-21T14:13:20.1234567Z \x1b[36m{MERGE}", BASE, False),
    "no checkout": ("make test\nok\n", None, False),
    "the checkout's line is missing": (f"[command]/usr/bin/git log -1 --format=%H\n{HEAD}\n", None, False),
    "a push of the branch": (f"HEAD is now at {HEAD[:7]} Say more\n", None, True),
    "a longer abbreviation": (f"HEAD is now at {HEAD[:12]} Say more\n", None, True),
    "ref: the head": (f"Note: switching to '{HEAD}'.\nHEAD is now at {HEAD[:9]} x\n", None, True),
    "ref: another commit": (f"HEAD is now at {OTHER[:7]} Say more\n", None, False),
    "pull_request_target, the base": (f"HEAD is now at {BASE[:7]} Merge pull request #6\n", None, False),
    "a merge group": (GROUP, None, False),
    "a run of an older head": (f"HEAD is now at 1234567 Merge {OTHER} into {BASE}\n", None, False),
    "the merge, then the head in a second directory": (f"{MERGE}HEAD is now at {HEAD[:7]} x\n", BASE, False),
    "the head, then the merge": (f"HEAD is now at {HEAD[:7]} x\n{MERGE}", BASE, False),
    "another repository first": (f"HEAD is now at {OTHER[:7]} Tools\nHEAD is now at {HEAD[:7]} x\n", None, False),
    "a second merge counts for nothing": (f"{MERGE}Merge {HEAD} into {OTHER}\n", BASE, False),
    "short of an abbreviation": (f"HEAD is now at {HEAD[:4]}\n", None, False),
}


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(("log", "base", "bare"), ROWS.values(), ids=ROWS)
def test_c6_the_tested_base_is_read_from_the_log(log, base, bare, size):
    """In whatever pieces a log comes: its base, or that the head was tested as it is, or nothing."""
    scan, data = tested_base.TestedBaseScan(Sha(HEAD)), log.encode()
    for at in range(0, len(data), size):
        scan.feed(data[at : at + size])
    assert (scan.close(), scan.head_itself) == (base, bare)
