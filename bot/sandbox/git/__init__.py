"""Real git without a process where none is needed: objects and refs are plain files; git itself merges, diffs and serves."""

from bot.sandbox.git.objects import Commit, Entry, ObjectStore, Person
from bot.sandbox.git.refs import Refs
from bot.sandbox.git.repository import Git, create_network

__all__ = ["Commit", "Entry", "Git", "ObjectStore", "Person", "Refs", "create_network"]
