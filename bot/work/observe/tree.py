"""Which files exist at a commit, so that what a log names can be mapped to them."""

from __future__ import annotations

from bot.work.place import Place
from resolver.ids import Sha


async def files_at(place: Place, sha: Sha) -> frozenset[str]:
    """Give the files at a commit, in one call.

    GitHub cuts a tree off at 100,000 entries or 7 MB; what it left out is then not found, and no annotation is put
    there.
    """
    tree = await place.installation.get(place.path("/git/trees/{sha}", sha=sha), recursive=1)
    return frozenset(str(entry["path"]) for entry in tree["tree"] if entry["type"] == "blob")
