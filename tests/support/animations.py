"""A page of an animation read back: its JSON, the frames and the surfaces in it."""

from __future__ import annotations

import base64
import json
from html.parser import HTMLParser
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Elements(HTMLParser):
    """Tags in order, and the text of every element by its id or tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: dict[str, str] = {}
        self.frame = ""  # the page in an iframe
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.frame = dict(attrs).get("srcdoc") or self.frame
        self._open = dict(attrs).get("id") or tag

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        self.texts[self._open] = self.texts.get(self._open, "") + data


def data_of(text: str) -> dict[str, Any]:
    """The JSON of a page."""
    found: dict[str, Any] = json.loads(Elements(text).texts["data"])
    return found


def unpacked(text: str, kind: str, *shape: int) -> Array:
    """Entries of the dtype `kind`, as floats."""
    return np.frombuffer(base64.b64decode(text), dtype=kind).astype(float).reshape(shape)


def poses_of(data: dict[str, Any]) -> Array:
    """(k, N, 4, 4) poses of the links in every frame."""
    links = len(data["links"])
    places = unpacked(data["places"], "<f4", -1, links, 3)
    x, y, z, w = np.moveaxis(unpacked(data["turns"], "<i2", -1, links, 4) / 32767.0, -1, 0)
    poses = np.zeros((*places.shape[:2], 4, 4))
    poses[..., :3, 3], poses[..., 3, 3] = places, 1.0
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    poses[..., :3, :3] = np.moveaxis(np.array(rows), (0, 1), (-2, -1))
    return poses


def surface_of(packed: dict[str, Any]) -> tuple[Array, npt.NDArray[np.int64]]:
    """(n, 3) corners, (f, 3) triangles."""
    grid = unpacked(packed["vertices"], "<u2", -1, 3)
    kind = "<u4" if packed["wide"] else "<u2"
    return packed["low"] + grid * packed["step"], unpacked(packed["triangles"], kind, -1, 3).astype(np.int64)


def volume(vertices: Array, triangles: npt.NDArray[np.int64]) -> float:
    """Within a closed surface whose triangles face outwards: Σ a·(b × c)/6."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)
