"""<tendon> of MJCF: sums of joints, which actuators drive and equalities hold."""

from __future__ import annotations

from ... import checks
from ..xml_input import Node
from .body import Bodies
from .input import Compiler, alone, limited, linear

Tendon = list[tuple[str, float]]  # joints and their coefficients
FORCES = ("stiffness", "damping", "frictionloss", "armature")
# what counts for nothing where there are no forces and no limits
IDLE = (
    *("name", "class", "group", "user", "width", "material", "rgba", "limited", "range", "margin", "springlength"),
    *("solreflimit", "solimplimit", "solreffriction", "solimpfriction"),
)


def fixed_tendons(root: Node, bodies: Bodies) -> dict[str, Tendon]:
    """The tendons by name, which may only hand forces on; every other kind of tendon is refused by name."""
    result: dict[str, Tendon] = {}
    for section in root.children("tendon"):
        section.only("fixed", "spatial")
        for node in section.elements():
            if node.tag == "spatial":
                raise node.error("spatial tendons are not supported; remove it")
            _bare(node, bodies.settings)
            node.only("joint")
            parts = node.children("joint")
            over = [(part.text("joint"), part.number("coef")) for part in parts]
            for part, (name, _) in zip(parts, over, strict=True):
                part.only()
                if name not in bodies.nodes:
                    raise node.error(f"there is no joint {name!r}{checks.nearest(name, [*bodies.nodes])}")
            result[alone(node, node.text("name", ""), result)] = over
    return result


def _bare(node: Node, settings: Compiler) -> None:
    """ModelError if the tendon has forces or limits of its own, said by itself or by its default class."""
    node.only_attributes(*IDLE, *FORCES)
    for attribute in FORCES:
        if linear(node, attribute) != 0.0:
            raise node.error(f"'{attribute}' is not supported for tendons; give it to the joints")
    if limited(node, "limited", "range", settings) is not None:
        raise node.error("limits of tendons are not supported; give them to the joints")
