"""What people ask of failres, in comments and by buttons, as commands. Pure; who may command is not judged here."""

from __future__ import annotations

from bot.commands.markdown import read_commands
from bot.commands.told import command_in, press_in

__all__ = ["command_in", "press_in", "read_commands"]
