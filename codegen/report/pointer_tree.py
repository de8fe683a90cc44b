"""The four pointers of every link as a picture: parent and child, brother, real [N98 §3]."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from markupsafe import Markup

from ..mechanism.mechanism import Mechanism
from ..mechanism.types import WORLD
from .svg import add, canvas, clipped, markup

COLUMN, ROW, BOX_WIDTH, BOX_HEIGHT, MARGIN = 182.0, 46.0, 108.0, 26.0, 20.0
LETTERS = 16
SMALL = 900.0  # width up to which the picture may be scaled to its frame


@dataclass
class Node:
    """A link in the picture: where it stands, the joint it hangs by, what it stands for."""

    link: str
    real: str
    joint: str
    children: list[Node] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0


def pointer_tree(mechanism: Mechanism) -> Markup:
    """SVG: root at the left; brothers below each other; virtual links dashed, with an arrow to their real link."""
    nodes = _nodes(mechanism)
    rows = _placed(nodes[WORLD])
    depth = max(node.x for node in nodes.values())
    width = depth + BOX_WIDTH + 2 * MARGIN + 40
    kind = "pointers small" if width <= SMALL else "pointers"
    picture = canvas(width, rows * ROW + 2 * MARGIN, kind, "pointer structure")
    defs = add(picture, "defs")
    marker = add(
        defs, "marker", id="tip", viewBox="0 0 8 8", refX=7, refY=4, markerWidth=7, markerHeight=7, orient="auto"
    )
    add(marker, "path", d="M0 0l8 4l-8 4z", kind="tip")
    for node in nodes.values():
        _branches(picture, node)
    for node in nodes.values():
        if node.real:
            _real(picture, node, nodes[node.real])
    for node in nodes.values():
        _box(picture, node)
    return markup(picture)


def _nodes(mechanism: Mechanism) -> dict[str, Node]:
    hung = {body.link.name: body.joint.name for body in mechanism.tree.bodies}
    hung |= {virtual.name: virtual.joint.name for virtual in mechanism.virtual_links}
    pointers = mechanism.pointers()
    nodes = {row.link: Node(row.link, row.real or "", hung.get(row.link, "")) for row in pointers}
    for row in pointers:
        if row.parent:
            nodes[row.parent].children.append(nodes[row.link])
    return nodes


def _placed(root: Node) -> int:
    """Places all nodes and returns the number of rows; a parent stands beside its first child."""
    rows = 0
    waiting = [(root, 0)]  # no recursion: chains may be long
    while waiting:
        node, level = waiting.pop()
        node.x, node.y = MARGIN + level * COLUMN, MARGIN + rows * ROW + ROW / 2
        waiting += [(child, level + 1) for child in reversed(node.children)]
        rows += not node.children
    return rows


def _branches(picture: Element, node: Node) -> None:
    """Solid to every child, with the joint's name; brothers by a dotted arrow."""
    for child in node.children:
        start, end = node.x + BOX_WIDTH, child.x
        bend = (start + end) / 2
        path = f"M{start:.2f} {node.y:.2f}C{bend:.2f} {node.y:.2f} {bend:.2f} {child.y:.2f} {end:.2f} {child.y:.2f}"
        add(picture, "path", d=path, kind="branch")
        label = clipped(child.joint, 11)
        add(picture, "text", label, x=end - 4, y=child.y - 6, kind="joint-name", title=child.joint)
    for elder, younger in zip(node.children, node.children[1:], strict=False):
        x = elder.x + BOX_WIDTH / 2
        top, bottom = elder.y + BOX_HEIGHT / 2, younger.y - BOX_HEIGHT / 2
        add(picture, "line", x1=x, y1=top, x2=x, y2=bottom - 1, kind="brother", marker_end="url(#tip)")


def _real(picture: Element, node: Node, real: Node) -> None:
    x1, x2 = node.x + BOX_WIDTH, real.x + BOX_WIDTH
    out = max(x1, x2) + 36
    path = f"M{x1:.2f} {node.y:.2f}C{out:.2f} {node.y:.2f} {out:.2f} {real.y:.2f} {x2 + 2:.2f} {real.y:.2f}"
    add(picture, "path", d=path, kind="real", marker_end="url(#tip)")


def _box(picture: Element, node: Node) -> None:
    kind = "virtual" if node.real else "world" if node.link == WORLD else "real-link"
    told = f"{node.link}: virtual, stands for {node.real}" if node.real else node.link
    group = add(picture, "g", kind=kind, title=told)
    top = node.y - BOX_HEIGHT / 2
    add(group, "rect", x=node.x, y=top, width=BOX_WIDTH, height=BOX_HEIGHT, rx=5, kind="box")
    add(group, "text", clipped(node.link, LETTERS), x=node.x + BOX_WIDTH / 2, y=node.y + 4, kind="box-name")
