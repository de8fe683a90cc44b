"""Numbers of a mechanism made into run-time parameters, found by what they are and whose: "mass of arm_*"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Generic

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.names.latin import parameter_name
from kinegen.runtime.typed import typed

from .. import checks
from ..mechanism import Mechanism, require_mechanism
from ..types import WORLD, Number
from .joint import Joint
from .link import Link
from .parameter import Parameter
from .quantities import NOT_YET, OF_JOINTS, OF_LINKS, XYZ, Owner, Quantity, shape_labels, with_frictions

GRAVITY = "gravity"
WILD = "a wildcard takes links with mass and joints that move but do not float; say its very name"
WORDS = tuple(dict.fromkeys((GRAVITY, *OF_LINKS, *OF_JOINTS)))


@typed
def parametrise(mechanism: Mechanism, *patterns: str) -> Mechanism:
    """The mechanism with numbers made into run-time parameters, which by default are what they were in the description.

    `patterns`: "mass of load", "com of *", "inertia of arm_*" (about the mass centre), of links; "damping of *",
    "stiffness of", "rest of", "friction of" (dry), "armature of", "pitch of", "origin of", "child_origin of" (where the
    joint's frame is, not how it is turned), "multiplier of" and "offset of" followers, of joints; "friction of foot",
    where no joint is called so, of all shapes of a link or of "world"; "gravity". Wildcards are * ? [abc]; "mass, com,
    inertia of *" says several at once. A wildcard takes links that have mass and joints that move, without free ones;
    armature of joints of the tree.

    Parameters are called WHAT_NAME, or WHAT_NAME_ENTRY where there are several: mass_load, com_load_x, inertia_load_xy,
    damping_hip_wx, gravity_z. Greek letters are written by name, accents left out, and of other letters their numbers
    in Unicode stand: mass_theta of θ, mass_u81c2 of 臂; what is neither letter nor digit becomes "_": mass_arm_1 of
    "arm-1". What is a symbol already stays as it is.
    ModelError for a pattern that names nothing, with near names, and for what cannot be a run-time parameter.
    """
    require_mechanism(mechanism, "parametrise")
    if not patterns:
        raise ModelError('parametrise: give patterns such as "mass of *"')
    table = _Table(mechanism)
    for pattern in patterns:
        table.add(pattern)
    return table.mechanism


class _Table:
    """The mechanism so far, and which names of parameters are taken by what."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.taken = {symbol.name: "a symbol of the mechanism" for symbol in mechanism.parameters}

    def add(self, pattern: str) -> None:
        if pattern.strip() == GRAVITY:
            x, y, z = self._symbols(GRAVITY, "", XYZ, self.mechanism.gravity)
            self.mechanism = replace(self.mechanism, gravity=(x, y, z))
            return
        said = re.fullmatch(r"\s*(.+?)\s+of\s+(.+?)\s*", pattern)
        if said is None:
            word = pattern.split(" ")[0]
            near = f": of which one? '{word} of *' are all" if word in WORDS else checks.nearest(word, WORDS)
            raise ModelError(f'parametrise: {shown(pattern)} does not read as "WHAT of NAME"{near}')
        for word in re.split(r"\s*,\s*", said[1]):
            self._one(word, said[2])

    def _one(self, word: str, name: str) -> None:
        what = f'parametrise: "{word} of {name}"'
        links, joints = self.mechanism.links, self.mechanism.joints
        if word in NOT_YET:
            raise ModelError(f"{what}: it cannot be a run-time parameter: {NOT_YET[word]}")
        if word == "friction" and name == WORLD and (shapes := self.mechanism.shapes):
            values = self._symbols(word, WORLD, shape_labels(shapes), [shape.friction for shape in shapes])
            self.mechanism = replace(self.mechanism, shapes=with_frictions(shapes, values))
        elif word in OF_LINKS and not (word in OF_JOINTS and (_fit(name, joints) or not _fit(name, links))):
            made = self._changed(what, word, OF_LINKS[word], _matching(what, name, links))
            self.mechanism = replace(self.mechanism, links=tuple(made.get(x.name, x) for x in links))
        elif word in OF_JOINTS:
            changed = self._changed(what, word, OF_JOINTS[word], self._of_tree(word, _matching(what, name, joints)))
            self.mechanism = replace(self.mechanism, joints=tuple(changed.get(x.name, x) for x in joints))
        else:
            raise ModelError(f"{what}: unknown quantity {shown(word)}{checks.nearest(word, [*WORDS, *NOT_YET])}")

    def _of_tree(self, word: str, found: _Found[Joint]) -> _Found[Joint]:
        """Joints that close loops have no rotor; one that is named is left to be refused when it is compiled."""
        if word != "armature" or found.named:
            return found
        loops = {virtual.joint.name for virtual in self.mechanism.virtual_links}
        return _Found(tuple(joint for joint in found.owners if joint.name not in loops), False)

    def _changed(self, what: str, word: str, kind: Quantity[Owner], found: _Found[Owner]) -> dict[str, Owner]:
        """Those with symbols, by name. ModelError if none of them can have any."""
        taken = [x for x in found.owners if not kind.lacking(x) and (found.named or kind.usual(x))]
        if not taken:
            lacking = [f"'{x.name}': {kind.lacking(x)}" for x in found.owners if kind.lacking(x)]
            reason = f": {lacking[0]}" if lacking else f": {WILD}"
            raise ModelError(f"{what}: nothing there has one that could be a run-time parameter{reason}")
        return {x.name: kind.write(x, self._symbols(word, x.name, kind.labels(x), kind.read(x))) for x in taken}

    def _symbols(self, word: str, owner: str, labels: Sequence[str], values: Sequence[Number]) -> tuple[Number, ...]:
        """The numbers as parameters; what is symbolic stays."""
        found: list[Number] = []
        for label, value in zip(labels, values, strict=True):
            name = parameter_name(word, owner, label)
            if isinstance(value, float) and name in self.taken:
                raise ModelError(
                    f"parametrise: {word} of '{owner}' would be called {name}, as {self.taken[name]} is; rename one"
                )
            if isinstance(value, float):
                self.taken[name] = f"{word} of '{owner}'"
            found.append(Parameter(name, value) if isinstance(value, float) else value)
        return tuple(found)


@dataclass(frozen=True)
class _Found(Generic[Owner]):
    """Links or joints that a pattern takes; `named`: it is the very name of one."""

    owners: tuple[Owner, ...]
    named: bool


def _fit(name: str, owners: Iterable[Link | Joint]) -> bool:
    return any(fnmatchcase(owner.name, name) for owner in owners)


def _matching(what: str, name: str, owners: Sequence[Owner]) -> _Found[Owner]:
    """That of the very name, else those that the wildcards take. ModelError if there are none."""
    named = tuple(owner for owner in owners if owner.name == name)
    found = named or tuple(owner for owner in owners if fnmatchcase(owner.name, name))
    if not found:
        kind = "joint" if owners and isinstance(owners[0], Joint) else "link"
        raise ModelError(f"{what}: there is no such {kind}{checks.nearest(name, [x.name for x in owners])}")
    return _Found(found, bool(named))
