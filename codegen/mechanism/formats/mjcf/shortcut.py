"""Laws of MJCF actuators: whatever its tag, each is written as one <general>, over that of a default class.

A shortcut such as <position> takes what it does not say from the nearest class whose law <general> or the same shortcut
wrote last, so that no kp or kv of another one comes in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinegen.runtime.errors import shown

from ... import checks
from ..xml_input import Node

# the attributes of a law, and those that shortcuts have in their place
LAW = ("dyntype", "gaintype", "biastype", "gainprm", "biasprm", "dynprm", "inheritrange")
SHORT = ("kp", "kv", "dampratio", "timeconst")
WORDS = {
    "dyntype": ("none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid", "user"),
    "gaintype": ("fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user"),
    "biastype": ("none", "affine", "muscle", "dcmotor", "so3", "user"),
}
COMMON = (
    *("name", "class", "group", "nsample", "interp", "delay", "ctrllimited", "forcelimited", "ctrlrange", "forcerange"),
    *("lengthrange", "gear", "cranklength", "user", "armature", "damping", "joint", "jointinparent", "tendon", "site"),
    *("refsite", "cranksite", "slidersite"),
)
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "general": (*LAW, "actlimited", "actrange", "actdim", "actearly", "body", "input", "ffrange", "velrange"),
    "motor": (),
    "position": (*SHORT, "inheritrange"),
    "velocity": ("kv",),
    "intvelocity": ("kp", "kv", "dampratio", "actlimited", "actrange", "inheritrange"),
    "damper": ("kv",),
    "cylinder": ("timeconst", "area", "diameter", "bias"),
    "muscle": ("timeconst", "tausmooth", "range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"),
    "adhesion": ("gain", "body"),
    "dcmotor": (
        *("cogging", "controller", "inductance", "input", "lugre", "motorconst", "nominal", "resistance"),
        *("saturation", "thermal"),
    ),
}
# laws that no servo has, as far as they matter
OTHERS: dict[str, dict[str, str]] = {
    "intvelocity": {"dyntype": "integrator", "biastype": "affine"},
    "damper": {"gaintype": "affine"},
    "cylinder": {"dyntype": "filter", "biastype": "affine"},
    "muscle": {"dyntype": "muscle", "gaintype": "muscle", "biastype": "muscle"},
    "dcmotor": {"gaintype": "dcmotor"},
}


@dataclass(frozen=True)
class Law:
    """Attributes of <general>, and the tag that wrote them last."""

    writer: str
    values: dict[str, str]


def law_of(node: Node, laws: Sequence[Law]) -> Law:
    """The law that an actuator, or its default, makes of those around it, innermost first.

    ModelError for attributes and numbers that MuJoCo refuses too.
    """
    if node.tag in ATTRIBUTES:
        node.only_attributes(*COMMON, *ATTRIBUTES[node.tag])
    takes = [law for law in laws if node.tag == "general" or law.writer in ("general", node.tag)]
    before = takes[0] if takes else Law("general", {})
    match node.tag:
        case "general":
            return Law(node.tag, before.values | _completed(node, before.values))
        case "motor":
            return Law(node.tag, {})
        case "position":
            return Law(node.tag, _position(node, before))
        case "velocity":
            kv = node.number("kv", _first(before))
            return Law(node.tag, {"biastype": "affine", "gainprm": repr(kv), "biasprm": f"0 0 {-kv!r}"})
    return Law(node.tag, OTHERS.get(node.tag, {}))


def _completed(node: Node, before: dict[str, str]) -> dict[str, str]:
    """What <general> says: the first of several numbers may be given, the rest are those before."""
    result = {}
    for key in LAW:
        if (said := node.element.get(key)) is not None:
            if said not in WORDS.get(key, (said,)):
                raise node.error(f"unknown {key} {shown(said)}{checks.nearest(said, WORDS[key])}")
            words = said.split()
            result[key] = " ".join([*words, *before.get(key, "").split()[len(words) :]])
    return result


def _position(node: Node, before: Law) -> dict[str, str]:
    """gain = kp, bias = -kp q - kv v; a positive third number of biasprm is the ratio to critical damping."""
    own = {key: node.number(key) for key in SHORT if node.element.get(key) is not None}
    for key, value in own.items():
        if value < 0.0 and key != "kp":
            raise node.error(f"{key} must not be negative, got {value:g}")
    if "kv" in own and "dampratio" in own:
        raise node.error("has kv and dampratio; give one")
    kp = own.get("kp", _first(before))
    third = " ".join(before.values.get("biasprm", "").split()[2:3]) or "0"
    if "kv" in own or "dampratio" in own:
        third = repr(own.get("dampratio", -own.get("kv", 0.0)))
    dynamics = before.values.get("dyntype", "none") if before.writer == node.tag else "none"
    if "timeconst" in own:
        dynamics = "filterexact" if own["timeconst"] else "none"
    inherited = node.element.get("inheritrange", before.values.get("inheritrange", "0"))
    if node.element.get("ctrlrange") is not None:
        if node.number("inheritrange", 0.0) > 0.0:
            raise node.error("has ctrlrange and inheritrange; give one")
        inherited = "0"
    written = {"gainprm": repr(kp), "biasprm": f"0 {-kp!r} {third}", "dyntype": dynamics, "inheritrange": inherited}
    return {"biastype": "affine", **written}


def _first(law: Law) -> float:
    """The first number of gainprm, 1 unless it is given (what is no number is told where it is used)."""
    try:
        return float(law.values.get("gainprm", "").split()[0])
    except (IndexError, ValueError):
        return 1.0
