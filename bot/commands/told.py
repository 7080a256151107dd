"""Comments and pressed buttons, in GitHub's JSON, as commands. Pure."""

from __future__ import annotations

import re
from typing import Any

from bot.commands.markdown import read_commands
from bot.objects import Json, seconds
from resolver.commands import Command, Explain, Retry, Sender, Sync
from resolver.facts.commands import Button, CommandGiven
from resolver.ids import PullNumber, Sha
from resolver.secrets import mask

_OURS = re.compile(r"failres:([0-9]+):([0-9a-f]{40,64})")
"""The external id of failres's own check run: the pull request and its head."""

_PRESSED: dict[Button, Command] = {"rerun": Retry(), "sync": Sync(), "explain": Explain()}


def command_in(comment: Json, number: PullNumber) -> CommandGiven | None:
    """Read a comment; None where it holds no command. Raises like a dictionary where GitHub left something out."""
    commands = read_commands(mask(str(comment.get("body") or "")))
    if not commands:
        return None
    return CommandGiven(
        number=number,
        command_id=f"c{int(comment['id'])}",
        comment_id=int(comment["id"]),
        by=sender(comment.get("user"), comment.get("performed_via_github_app")),
        at=seconds(comment.get("created_at")),
        commands=commands,
    )


def press_in(payload: Json, delivery: str) -> CommandGiven | None:
    """Read a press on a button of failres's own check run, which GitHub tells to nobody else."""
    check, pressed = payload["check_run"], (payload.get("requested_action") or {}).get("identifier")
    ours = _OURS.fullmatch(str(check.get("external_id") or ""))
    command = next((command for name, command in _PRESSED.items() if name == pressed), None)
    if ours is None or command is None:
        return None
    return CommandGiven(
        number=PullNumber(int(ours[1])),
        command_id=f"b{delivery}",
        by=sender(payload.get("sender"), None),
        commands=(command,),
        head_sha=Sha(ours[2]),
    )


def sender(user: Json | None, app: Any) -> Sender | None:
    """Read who it was; GitHub shows a deleted account as null."""
    if user is None:
        return None
    app_id = int(app["id"]) if app else None
    return Sender(id=int(user["id"]), login=str(user["login"]), type=str(user.get("type") or "User"), app_id=app_id)
