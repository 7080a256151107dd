"""pytest's entry point to the plugin; any Python can read this file, and where it is too old nothing is told."""

import sys

if sys.version_info >= (3, 7):  # noqa: UP036 - other people's sessions may be older
    from failres_gate_pytest.teller import pytest_configure

    __all__ = ["pytest_configure"]
