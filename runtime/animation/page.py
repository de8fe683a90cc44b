"""A motion as one HTML file that needs nothing but a browser: its own small WebGL viewer, and no request."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import Array
from ..files import page_path, written
from ..visual.look import WORLD, Look, Rod, Surface
from ..visual.packing import TURN, packed, packed_surface, quaternions
from ..visual.simplify import coarser, rough_surfaces, share
from .clip import Clip

SCRIPTS = ("maths.js", "clip.js", "software.js", "painter.js", "camera.js", "scene.js", "player.js")
TRIANGLES = 110_000
"""Most triangles of all surfaces together, unless told otherwise: about 1.3 MB."""
ROUGH = 6_000
"""Triangles that are drawn while something moves where there is no graphics card: thirty frames a second of them."""


def page(clip: Clip, look: Look, triangles: int = TRIANGLES) -> str:
    """The HTML. Names are escaped in its title, and JSON without markup elsewhere. Same input, same text."""
    script = "\n".join(page_file(name) for name in SCRIPTS)
    return filled(page_file("page.html"), clip.name, page_file("style.css"), _data(clip, look, triangles), script)


def filled(template: str, title: str, style: str, data: object, script: str) -> str:
    """A page of its parts: `data` as JSON."""
    rest, result = template, []
    parts = {"TITLE": html.escape(title), "STYLE": style, "DATA": json_of(data), "SCRIPT": script}
    for place, text in parts.items():
        before, _, rest = rest.partition(f"<!--{place}-->")
        result += [before, text]
    return "".join([*result, rest])


def json_of(data: object) -> str:
    """JSON in which nothing ends an element or a line, or opens a comment: for pages and for scripts."""
    told = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        told = told.replace(sign, f"\\u{ord(sign):04x}")
    return told


def write_page(path: str | PathLike[str], text: str) -> Path:
    """ModelError if it cannot be written, or the name does not end as pages do."""
    target = page_path(path, "an animation")
    with written(target) as draft:
        draft.write_text(text, encoding="utf-8")
    return target


def frame(text: str, height: int = 480) -> str:
    """The page inside another one, such as a notebook: it can run its script and nothing else."""
    style = f"width: 100%; height: {height}px; border: 0"
    return f'<iframe srcdoc="{html.escape(text)}" sandbox="allow-scripts" style="{style}"></iframe>'


def _data(clip: Clip, look: Look, triangles: int) -> dict[str, Any]:
    """What clip.js reads. Links are numbers, -1 for the world."""
    number = _numbers(clip.links)
    return {
        "name": clip.name,
        "links": clip.links,
        "t": packed(clip.t, "<f8"),
        "places": packed(clip.poses[..., :3, 3], "<f4"),
        "turns": packed(np.rint(TURN * quaternions(clip.poses[..., :3, :3])), "<i2"),
        "com": None if clip.com is None else packed(clip.com, "<f4"),
        "contacts": _contacts(clip),
        "connections": [{"name": c.name, "link": number[c.link], "point": c.point} for c in clip.connections],
        "active": packed(clip.active, "<u1"),
        "events": [[t, str(what), str(to)] for t, what, to in clip.events],
        **drawn(look, clip.links, triangles),
    }


def drawn(look: Look, links: Sequence[str], triangles: int) -> dict[str, Any]:
    """What scene.js draws of a mechanism; links are numbers, -1 for the world."""
    number = _numbers(links)
    parts = [part for part in look.parts if part.link in number]
    most = share([len(surface.triangles) for surface in look.surfaces], triangles)
    fine = tuple(coarser(surface, most) for surface in look.surfaces)
    rough = rough_surfaces(replace(look, surfaces=fine), ROUGH)
    rods = [rod for rod in look.rods if rod.link_a in number and rod.link_b in number]
    return {
        "up": _short(look.up),
        "notes": look.notes,
        "surfaces": [_packed(*both) for both in zip(fine, rough, strict=True)],
        "parts": [[number[p.link], p.surface, _short(p.place), _short(p.colour), p.kind] for p in parts],
        "grounds": [[number[g.link], _short(g.place)] for g in look.grounds if g.link in number],
        "rods": [[number[r.link_a], r.point_a, number[r.link_b], r.point_b] for r in rods],
    }


def _packed(fine: Surface, rough: Surface) -> dict[str, Any]:
    """A surface; `rough`: what is drawn in its place while frames would take too long, null where that saves little."""
    saves = len(rough.triangles) < 0.7 * len(fine.triangles)
    return {**packed_surface(fine), "rough": packed_surface(rough) if saves else None}


def _numbers(links: Sequence[str]) -> dict[str, int]:
    return {name: i for i, name in enumerate(links)} | {WORLD: -1}


def _contacts(clip: Clip) -> dict[str, str]:
    """`starts` (k + 1) of each frame in `values` (m, 6): point [m] and force [N] on the second link, in world."""
    if clip.contacts is None:
        return {"starts": packed(np.zeros(len(clip.t) + 1), "<u4"), "values": ""}
    records = clip.contacts.records
    values = np.hstack([records["point"], records["force"]]).reshape(-1, 6)
    return {"starts": packed(clip.contacts.starts, "<u4"), "values": packed(values, "<f4")}


def _short(values: Sequence[float] | Array) -> list[float]:
    """Seven digits are more than is seen; −0 is 0."""
    return [float(f"{float(x):.7g}") + 0.0 for x in np.ravel(np.asarray(values, dtype=np.float64))]


def stick_look(joints: Sequence[tuple[str, str]]) -> Look:
    """Where nothing is known of the mechanism but its joints (parent, child): lines between their frames."""
    origin = (0.0, 0.0, 0.0)
    return Look(rods=tuple(Rod(parent, origin, child, origin) for parent, child in joints if parent != WORLD))


@cache
def page_file(name: str) -> str:
    """A text that pages are made of."""
    return (files("kinegen.runtime.animation") / "page" / name).read_text(encoding="utf-8")
