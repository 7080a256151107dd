"""Runs one job: as a Python function over the tree, or its real steps in a checkout."""
