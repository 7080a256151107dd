"""Real git: objects and refs are plain files, written and read without a process; git itself merges and serves."""

from bot.sandbox.git.objects import Commit, Entry, ObjectStore, Person
from bot.sandbox.git.refs import Refs
from bot.sandbox.git.repository import Git

__all__ = ["Commit", "Entry", "Git", "ObjectStore", "Person", "Refs"]
