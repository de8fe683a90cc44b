"""What stands where in the memory of a module of WebAssembly: names, places and sizes, as JavaScript reads them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..abi import JointSpec, Manifest
from ..kinds import KINDS
from ..names.lookup import own_parameters
from ..structs import CONDITION, CONTACT, Struct
from ..thresholds import INSTANT


def layout_of(manifest: Manifest) -> dict[str, Any]:
    """Joints with their entries of q and v, links, parameters, what can be connected; `instant`: part of a step
    within which two moments are the same; places within shared structs.

    Entries of joints that close loops stand behind those of the tree, as those of their torques and servos do.
    """
    return {
        "name": manifest.name,
        "nq": manifest.nq,
        "nv": manifest.nv,
        "links": list(manifest.links),
        "joints": [_joint(joint) for joint in manifest.joints],
        "cut": [_joint(joint, manifest.nq, manifest.nv) for joint in manifest.loops if joint.nv],
        "loops": [loop.name for loop in manifest.loops],
        "parameters": parameters_of(manifest),
        "switches": _switches(manifest),
        "pairs": len(manifest.touching),
        "touching": [list(pair) for pair in manifest.touching],
        "instant": INSTANT,
        "contact": _places(CONTACT, "pair", "gap", "point", "normal", "force"),
        "condition": _places(CONDITION, "armed", "fired"),
    }


def _joint(joint: JointSpec, q: int = 0, v: int = 0) -> dict[str, Any]:
    """Entries from q and v on; `adds`: its coordinates add, so that a slider can set each of them; bounds that are
    not finite are null."""
    kind = KINDS[joint.kind]
    return {
        "name": joint.name,
        "kind": joint.kind,
        "q": q + joint.q_start,
        "nq": joint.nq,
        "v": v + joint.v_start,
        "nv": joint.nv,
        "adds": not kind.group and joint.nv > 0,
        "linear": [bool(linear) for linear in kind.linear],
        "lower": finite(joint.lower),
        "upper": finite(joint.upper),
        "effort": finite(joint.effort),
    }


def finite(values: Sequence[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]


def parameters_of(manifest: Manifest) -> list[dict[str, Any]]:
    """Those of the description; what tells of connections is left out."""
    own = own_parameters(manifest)
    return [{"name": name, "place": place, "sign": manifest.parameters[place].sign} for name, place in own.items()]


def _switches(manifest: Manifest) -> list[dict[str, Any]]:
    number = {name: place for place, name in enumerate(manifest.links)}
    found = []
    for switch in manifest.switches:
        point = list(switch.declared[3::4]) if len(switch.declared) == 12 else [0.0, 0.0, 0.0]
        told = {"name": switch.name, "loop": switch.loop, "flag": switch.flag, "pose": list(switch.pose)}
        link = number.get(switch.link_a, -1)
        found.append({**told, "given": list(switch.given), "link": link, "point": point})
    return found


def _places(struct: Struct, *names: str) -> dict[str, int]:
    dtype = struct.dtype_32
    assert dtype.fields is not None
    return {"size": dtype.itemsize, **{name: dtype.fields[name][1] for name in names}}
