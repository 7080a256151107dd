"""Writing on GitHub: each function first looks for what is already there."""
