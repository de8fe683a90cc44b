"""The spanning tree of a mechanism, and a virtual link for every joint that closes a loop [N98 §3, mathematics §2]."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kinegen.runtime.errors import ModelError

from ..elements.joint import Joint
from ..elements.link import Link
from ..types import WORLD
from .mimics import resolve_mimics


@dataclass(frozen=True)
class Body:
    """A link of the tree with the joint it hangs on.

    `parent` is the index of the parent body, -1 for world. Its joint owns q[q_start : q_start + nq] and
    v[v_start : v_start + nv]; a mimic joint has nq = nv = 0 and the starts of the joint it follows.
    """

    index: int
    link: Link
    joint: Joint
    parent: int
    q_start: int
    v_start: int
    nq: int
    nv: int


@dataclass(frozen=True)
class VirtualLink:
    """The child side of a joint that closes a loop: no mass, `real` names the link (or world) behind it [N98 §3.2]."""

    name: str
    real: str
    joint: Joint


@dataclass(frozen=True)
class SpanningTree:
    """Bodies in depth-first preorder (parents first, siblings in listed order), loop joints apart; sizes of q and v."""

    bodies: tuple[Body, ...]
    virtual_links: tuple[VirtualLink, ...]
    nq: int
    nv: int

    @property
    def followers(self) -> dict[str, str]:
        """Joint that mimics -> joint that it follows."""
        return {body.joint.name: body.joint.mimic.joint for body in self.bodies if body.joint.mimic}


def spanning_tree(links: Sequence[Link], joints: Sequence[Joint]) -> SpanningTree:
    """Links and joints, in any order -> the tree that they span.

    The first listed joint that hangs a new link on the tree is taken, again and again; a joint whose child hangs there
    already closes a loop, and so does one with `cut`. Joints whose motion is given are in the tree (`closing`).
    ModelError names a link that hangs on nothing, and a mimic that cannot be followed.
    """
    chosen = _tree_joints(joints)
    _check_hanging(links, joints, chosen)
    by_child = {joint.child: joint for joint in chosen}
    loops = [joint for joint in joints if by_child.get(joint.child) is not joint]
    resolved = {joint.name: joint for joint in resolve_mimics(chosen, loops)}
    children: dict[str, list[str]] = {}
    for joint in joints:
        if by_child.get(joint.child) is joint:
            children.setdefault(joint.parent, []).append(joint.child)
    by_name = {link.name: link for link in links}
    ordered = [(by_name[name], resolved[by_child[name].name]) for name in _preorder(children)]
    bodies, nq, nv = _number(ordered)
    return SpanningTree(bodies, _virtual_links(loops, set(by_name)), nq, nv)


def closing(joints: Sequence[Joint], kept: Collection[str]) -> frozenset[str]:
    """Joints that close loops so that those in `kept` are in the tree: the others that hold the same child.

    ModelError where two of `kept` hold one child.
    """
    holders: dict[str, str] = {}
    for joint in joints:
        if joint.name in kept and (other := holders.setdefault(joint.child, joint.name)) != joint.name:
            raise ModelError(
                f"joints '{other}' and '{joint.name}' are both to be in the tree, and both end in link "
                f"'{joint.child}'; describe one of them the other way round, from '{joint.child}' to '{joint.parent}'"
            )
    return frozenset(j.name for j in joints if j.child in holders and j.name not in kept)


def _tree_joints(joints: Sequence[Joint]) -> list[Joint]:
    """The joints that hang a new link, always the first listed one that can."""
    from_parent: dict[str, list[int]] = {}
    closed = closing(joints, {joint.name for joint in joints if joint.motion})
    for i, joint in enumerate(joints):
        if not joint.cut and joint.name not in closed:
            from_parent.setdefault(joint.parent, []).append(i)
    hanging, chosen, candidates = {WORLD}, [], list(from_parent.get(WORLD, ()))
    heapq.heapify(candidates)
    while candidates:
        joint = joints[heapq.heappop(candidates)]
        if joint.child not in hanging:
            hanging.add(joint.child)
            chosen.append(joint)
            for i in from_parent.get(joint.child, ()):
                heapq.heappush(candidates, i)
    return chosen


def _check_hanging(links: Sequence[Link], joints: Sequence[Joint], chosen: Sequence[Joint]) -> None:
    """Every link must hang on world; the first that does not is named, with what to do."""
    hanging = {joint.child for joint in chosen}
    lost = [link.name for link in links if link.name not in hanging]
    if not lost:
        return
    for joint in joints:
        if joint.motion and joint.child in lost and joint.parent in lost:
            raise ModelError(
                f"joint '{joint.name}' has a motion and so is in the tree, where '{joint.child}' would hang on itself; "
                f"describe the joint the other way round, from '{joint.child}' to '{joint.parent}'"
            )
        if joint.wheel and joint.child in lost and (joint.parent in hanging or joint.parent == WORLD):
            raise ModelError(
                f"joint '{joint.name}' rolls and carries nothing: link '{joint.child}' hangs on no other joint; add "
                f"Joint('{joint.child}_free', 'free', parent='world', child={joint.child!r}), or an axle"
            )
        if joint.cut and joint.child in lost and (joint.parent in hanging or joint.parent == WORLD):
            raise ModelError(f"joint '{joint.name}' is to be cut, but link '{joint.child}' hangs on no other joint")
    children = {joint.child for joint in joints}
    roots = [name for name in lost if name not in children]
    if not roots:
        names = ", ".join(f"'{j.name}'" for j in joints if j.child in lost)
        raise ModelError(
            f"links {', '.join(map(repr, lost))} hang on each other in a cycle (joints {names}) and not on world; "
            f"add a joint from world, for instance Joint('root', 'free', parent='world', child={lost[0]!r})"
        )
    raise ModelError(
        f"link '{roots[0]}' has no joint to a parent; for a floating link add "
        f"Joint('{roots[0]}_free', 'free', parent='world', child={roots[0]!r}), or a 'fixed' one to hold it"
    )


def _preorder(children: dict[str, list[str]]) -> list[str]:
    order: list[str] = []
    stack = list(reversed(children.get(WORLD, [])))
    while stack:
        name = stack.pop()
        order.append(name)
        stack.extend(reversed(children.get(name, [])))
    return order


def _number(ordered: Sequence[tuple[Link, Joint]]) -> tuple[tuple[Body, ...], int, int]:
    """Bodies with their places in q and v."""
    starts: dict[str, tuple[int, int]] = {}
    nq = nv = 0
    for _, joint in ordered:
        if joint.mimic is None:
            starts[joint.name] = (nq, nv)
            nq, nv = nq + joint.nq, nv + joint.nv
    index = {link.name: i for i, (link, _) in enumerate(ordered)} | {WORLD: -1}
    bodies = []
    for i, (link, joint) in enumerate(ordered):
        q_start, v_start = starts[joint.mimic.joint if joint.mimic else joint.name]
        sizes = (0, 0) if joint.mimic else (joint.nq, joint.nv)
        bodies.append(Body(i, link, joint, index[joint.parent], q_start, v_start, *sizes))
    return tuple(bodies), nq, nv


def _virtual_links(loops: Sequence[Joint], taken: set[str]) -> tuple[VirtualLink, ...]:
    """One for each loop joint, named LINK_v, LINK_v2, ..."""
    result = []
    for joint in loops:
        name, count = f"{joint.child}_v", 1
        while name in taken:
            count += 1
            name = f"{joint.child}_v{count}"
        taken.add(name)
        result.append(VirtualLink(name, joint.child, joint))
    return tuple(result)
