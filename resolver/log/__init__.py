"""Logs of any CI, read as a stream: which step failed, what failed in it, and the lines that a person needs."""
