"""Runs the judges over the world: the real decision code, and simpler policies beside it."""
