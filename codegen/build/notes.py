"""Notes in the cache: small facts that save work, each in a file of its own, sealed against being changed by others."""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from pathlib import Path

from kinegen.runtime.errors import ForeignError
from kinegen.runtime.trust.private import own_folder, read_file
from kinegen.runtime.trust.seal import cache_secret, is_seal, seal_of

from .cache import make_room


def read_note(directory: Path, room: str, name: str) -> object:
    """What was noted under a name (32 hexadecimal digits), as JSON gives it; None if there is no note that is ours."""
    try:
        with own_folder(directory, room) as at:
            told = json.loads(read_file(at, f"{name}.json", own=True))
        note = told["note"]
        return note if is_seal(told["seal"], cache_secret(directory), room, _text(name, note)) else None
    except ForeignError:
        raise
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def write_note(directory: Path, room: str, name: str, note: object) -> None:
    """Note it in one step, if that can be done: a cache that cannot be written is a matter for the build that needs to.

    ForeignError if the cache is not ours alone.
    """
    with suppress(OSError):
        seal = seal_of(cache_secret(directory), room, _text(name, note))
        path = make_room(directory, room)
        draft = path / f".{secrets.token_hex(16)}"
        try:
            draft.write_text(json.dumps({"note": note, "seal": seal}), encoding="utf-8")
            draft.chmod(0o600)
            draft.replace(path / f"{name}.json")
        finally:
            draft.unlink(missing_ok=True)


def _text(name: str, note: object) -> bytes:
    return json.dumps([name, note], sort_keys=True).encode()
