"""MJCF, MuJoCo's own format: bodies with several joints each, equality constraints as loops and couplings."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from ... import checks
from ...algebra import scale
from ...elements.joint import Joint
from ...elements.link import Link
from ...mechanism import Mechanism
from ...pose import to_quaternion
from ...types import WORLD, Vector
from ..xml_input import Node
from .asset import assets
from .body import Bodies
from .drive import drive
from .equality import close, couple, is_active, tie
from .input import Compiler, choice, compiler, parse_mjcf
from .tendon import Tendon, fixed_tendons
from .visual import materials

# what does not change the motion, or is only asked for in simulators
IGNORED = ("size", "visual", "statistic", "asset", "sensor", "keyframe", "custom", "extension", "default", "compiler")
READ = ("option", "worldbody", "equality", "actuator", "tendon", "contact", "deformable")
FLUID = ("density", "viscosity")
# what <flag> can switch off, and the options of joints that go with it
SWITCHES: dict[str, tuple[str, ...]] = {
    "spring": ("stiffness",),
    "damper": ("damping",),
    "passive": ("stiffness", "damping"),
    "limit": ("limits",),
    "frictionloss": ("friction",),
    "equality": (),
    "constraint": ("limits", "friction"),
    "actuation": ("actuated",),
    "contact": (),
}
OPTION = (
    *("timestep", "apirate", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance"),
    *("mpr_tolerance", "sleep_tolerance", "gravity", "wind", "magnetic", *FLUID, "o_margin", "o_solref", "o_solimp"),
    *("o_friction", "integrator", "cone", "jacobian", "solver", "iterations", "ls_iterations", "noslip_iterations"),
    *("ccd_iterations", "mpr_iterations", "sdf_iterations", "sdf_initpoints", "actuatorgroupdisable"),
)
FLAG = (
    *("gravity", *SWITCHES, "clampctrl", "warmstart", "filterparent", "refsafe", "sensor", "midphase", "eulerdamp"),
    *("autoreset", "nativeccd", "island", "override", "energy", "fwdinv", "invdiscrete", "multiccd", "sleep"),
    *("diagexact", "ipc", "speculative"),
)
# what else <flag> can say of the motion, and is not read
UNREAD = {"filterparent": "disable", "clampctrl": "disable", "override": "enable"}


def read_mjcf(file: Path, *, root: str, mimic: str) -> Mechanism:
    """The bodies and joints of the file as they are (nothing merged; inertias are not judged here).

    q and v are MuJoCo's, joint for joint, but for quaternions (x y z w here); hinges and slides stand where the file
    puts them at q = `ref`, a free joint at its `rest`, and there a motion starts. Several joints in a body stand in
    sequence, with massless links BODY_1, BODY_2, ... between. A joint is actuated if an actuator acts on it, or on one
    that follows it; efforts of several add up. <connect> and <weld> close loops (spherical, fixed; `cut`); inactive
    ones are left out. `root` "free" lets the one body float that stands on world without a joint; "fixed" is what the
    file says. `mimic` "independent" drops joint equalities. Geoms with contype or conaffinity become shapes, those of
    groups 0 to 2 visuals; sites become frames. Control laws of actuators are read by `read_joint_servos`.
    """
    document = parse_mjcf(file)
    document.only(*IGNORED, *READ)
    _refuse_soft(document)
    settings = compiler(document)
    bodies = read_bodies(document, settings)
    joints = {joint.name: joint for joint in bodies.joints}
    tendons = fixed_tendons(document, bodies)
    off = switched_off(document)
    touching = not off & {"contact", "constraint"}
    links = bodies.links if touching else [replace(link, shapes=()) for link in bodies.links]
    loops = equalities(document, bodies, joints, tendons, mimic, off)
    drive(document, bodies, joints, tendons)
    hung = [_without(_floating(document, bodies, joint, root), off) for joint in joints.values()]
    with document.located():
        return Mechanism(
            document.text("model", "") or file.stem,
            _scaled(links, settings.settotalmass),
            [*hung, *loops],
            _gravity(document, off),
            bodies.frames(),
            bodies.shapes if touching else (),
            unphysical="allow",
            excluded=_excluded(document, bodies),
            visuals=bodies.visuals,
        )


def _refuse_soft(document: Node) -> None:
    """ModelError for soft bodies; skins are only looks."""
    for section in document.children("deformable"):
        for node in section.children("flex"):
            raise node.error("is not supported: it is soft; remove it, or make it of bodies and joints")
        section.only("skin")


def read_bodies(document: Node, settings: Compiler) -> Bodies:
    """The bodies of the file; ModelError if there are none."""
    bodies = Bodies(settings, assets(document, settings), materials(document))
    for section in document.children("worldbody"):
        section.only_attributes()
        bodies.read_world(section)
    if not bodies.links:
        raise document.error("has no <body>")
    return bodies


def equalities(
    document: Node, bodies: Bodies, joints: dict[str, Joint], tendons: dict[str, Tendon], mimic: str, off: set[str]
) -> list[Joint]:
    """Loop joints; couplings change `joints`. None if equalities are switched off."""
    loops: list[Joint] = []
    for section in [] if off & {"equality", "constraint"} else document.children("equality"):
        section.only("connect", "weld", "joint", "tendon")
        for node in section.elements():
            node.only()
            if not is_active(node):
                continue
            with node.located():
                if node.tag in ("joint", "tendon"):
                    made = couple(node, bodies, joints) if node.tag == "joint" else tie(node, bodies, joints, tendons)
                    if mimic == "exact":
                        joints[made.name] = made
                else:
                    loops.append(close(node, bodies))
                    bodies.nodes[loops[-1].name] = node
    return loops


def _floating(document: Node, bodies: Bodies, joint: Joint, root: str) -> Joint:
    """The joint itself, or with root="free" a free joint in place of the one that fixes the moving body to world."""
    if root == "fixed" or joint.parent != WORLD or joint.kind == "free":
        return joint
    welded = [j for j in bodies.joints if j.parent == WORLD and j.kind == "fixed" and _moves(j.child, bodies)]
    if joint.kind != "fixed":
        if not welded:
            raise document.error(f"joint '{joint.name}' holds '{joint.child}' to world; use root='fixed'")
        return joint
    if joint not in welded:
        return joint
    if len(welded) > 1:
        names = ", ".join(f"'{j.child}'" for j in welded)
        raise document.error(f"the bodies {names} stand on world; give the one that floats a <freejoint/>")
    name = checks.untaken("root_joint", bodies.nodes)
    return Joint(name, "free", WORLD, joint.child, rest=(*joint.origin.xyz, *to_quaternion(joint.origin.rotation)))


def _moves(link: str, bodies: Bodies) -> bool:
    below = [joint for joint in bodies.joints if joint.parent == link]
    return any(joint.kind != "fixed" or _moves(joint.child, bodies) for joint in below)


def switched_off(document: Node) -> set[str]:
    """Names of what <option><flag> disables."""
    off: set[str] = set()
    for option in document.children("option"):
        option.only("flag")
        option.only_attributes(*OPTION)
        for flag in option.children("flag"):
            flag.only()
            flag.only_attributes(*FLAG)
            for name in ("gravity", *SWITCHES):
                if choice(flag, name, "enable", "enable", "disable") == "disable":
                    off.add(name)
            for name, word in UNREAD.items():
                if flag.text(name, "") == word:
                    flag.tell(f"{name}='{word}' is not read")
    return off


def _without(joint: Joint, off: set[str]) -> Joint:
    """The joint without what is switched off."""
    plain: dict[str, Any] = {"limits": None, "actuated": False, "stiffness": 0.0, "damping": 0.0, "friction": 0.0}
    gone = {option: plain[option] for name in off & SWITCHES.keys() for option in SWITCHES[name]}
    return replace(joint, **gone) if gone else joint


def _gravity(document: Node, off: set[str]) -> Vector:
    """<option gravity>; forces of the air are refused."""
    gravity: Vector = (0.0, 0.0, -9.81)
    for option in document.children("option"):
        gravity = option.vector("gravity", gravity)
        for attribute in FLUID:
            if option.number(attribute, 0.0) != 0.0:
                raise option.error(f"'{attribute}': forces of the air are not supported; set it to 0")
    return (0.0, 0.0, 0.0) if "gravity" in off else gravity


def _scaled(links: list[Link], total: float) -> list[Link]:
    """Masses and inertias in proportion, so that they add up to `total` if it is positive."""
    found = math.fsum(float(link.mass) for link in links)
    if total <= 0.0 or found == 0.0:
        return links
    factor = total / found
    return [_times(factor, link) for link in links]


def _times(factor: float, link: Link) -> Link:
    x, y, z = (scale(factor, row) for row in link.inertia)
    return replace(link, mass=factor * link.mass, inertia=(x, y, z))


def _excluded(document: Node, bodies: Bodies) -> list[tuple[str, str]]:
    """Pairs of bodies that never touch; a warning says that explicit pairs of geoms are not read."""
    result = []
    for section in document.children("contact"):
        section.only("pair", "exclude")
        for node in section.children("exclude"):
            node.only()
            ends = [node.text(key) for key in ("body1", "body2")]
            for body in ends:
                if body not in bodies.at:
                    raise node.error(f"there is no body {body!r}{checks.nearest(body, [*bodies.at])}")
            if ends[0] != ends[1]:  # what never touches anyway
                result.append((ends[0], ends[1]))
        if section.children("pair"):
            section.tell("pairs of geoms with contact of their own are not read")
    return result
