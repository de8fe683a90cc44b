"""What loops and contacts remember, as bytes that are told apart from damaged ones and from those of another model."""

from __future__ import annotations

import hashlib

from ..abi import Manifest
from ..errors import ModelError

VERSION = b"kg1"
SIZE = 16
"""Bytes of the digest that stands before the memory."""


def seal(manifest: Manifest, memory: bytes) -> bytes:
    """The memory, with a digest of it and of the model's layout in front."""
    return _digest(manifest, memory) + memory


def unseal(manifest: Manifest, sealed: bytes) -> bytes:
    """The memory, by which C indexes arrays. ModelError unless `seal` made these bytes for a model of this layout."""
    if not isinstance(sealed, bytes) or sealed[:SIZE] != _digest(manifest, sealed[SIZE:]):
        raise ModelError(
            f"state: it is damaged or belongs to another model than '{manifest.name}'; restore what `save` gave"
        )
    return sealed[SIZE:]


def _digest(manifest: Manifest, memory: bytes) -> bytes:
    layout = [manifest.prefix, *(f"{joint.name} {joint.kind}" for joint in (*manifest.joints, *manifest.loops))]
    return hashlib.blake2b(VERSION + "\n".join(layout).encode() + memory, digest_size=SIZE).digest()
