"""A compiled mechanism whose connections come and go: every subset of them, in one module (§9) [N98 §4]."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..abi import JointSpec, SwitchSpec
from ..arguments import Array, as_array, as_floats, off_unit_message
from ..errors import ModelError, shown
from ..kinds import KINDS
from ..model.joint_motion import joint_pose, joint_twist, matrix
from ..model.model import Model
from ..names.lookup import looked_up, named_values, near_joint, own_parameters
from ..rotations import quaternion
from ..typed import is_series


@dataclass(frozen=True)
class Extension:
    """What a library can become that was not foreseen: `build` gives one with these connections and joints to cut as
    well; `joints`: all those of its mechanism, by name; `connections`: what it has, as declared."""

    build: Callable[[object, Collection[str]], Library]
    joints: frozenset[str]
    connections: tuple[object, ...]


class Library:
    """The model of a tree with all connections that were declared, as switches.

    q (nq) and v (nv) are those of the tree; they keep their size and meaning whatever is active. A joint of the tree
    that may be cut is a switch as well: its subtree hangs on world by a free joint, so that its own coordinates are
    derived (`model.loop_joint`); `state` turns coordinates by joint into q and v.
    """

    def __init__(self, model: Model, extend: Extension | None = None) -> None:
        if not model.manifest.switches:
            raise ModelError(f"model '{model.name}' has no connections that could be made or cut")
        self.model = model
        self._extend = extend
        self._switches = {switch.name: switch for switch in model.manifest.switches}

    @classmethod
    def load(cls, folder: str | Path) -> Library:
        """The library compiled into `folder`; needs neither SymPy nor a compiler."""
        return cls(Model.load(folder))

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def names(self) -> tuple[str, ...]:
        """Connections, and joints that can be cut."""
        return tuple(self._switches)

    @property
    def initial(self) -> frozenset[str]:
        """What is active from the beginning: the joints of the tree that can be cut."""
        return frozenset(name for name, switch in self._switches.items() if switch.active)

    def switch(self, name: str) -> SwitchSpec:
        """ModelError with the nearest names for an unknown one."""
        return looked_up(name, self._switches, f"library '{self.name}' has no connection")

    def checked(self, what: str, names: Collection[str]) -> frozenset[str]:
        """The names of the argument `what`, all of them known."""
        if isinstance(names, str):
            raise ModelError(f"{what}: expected a set of names, got the text {names!r}; write {{{names!r}}}")
        if not isinstance(names, Collection) or not is_series(names):
            raise ModelError(f"{what}: expected a set of names, got {shown(names)}")
        missing = f"{what}: library '{self.name}' has no connection"
        return frozenset(looked_up(name, self._switches, missing).name for name in names)

    def unforeseen(self, names: Collection[str]) -> list[str]:
        """Joints of the mechanism among these that were not declared as ones that can be cut."""
        manifest = self.model.manifest
        joints = {joint.name for joint in (*manifest.joints, *manifest.loops)} | set(manifest.followers)
        joints |= self._extend.joints if self._extend else frozenset()
        return [name for name in names if name not in self._switches and name in joints]

    def missing(self, connections: Collection[Any]) -> list[Any]:
        """Those that it does not have already: a connection that is equal to one of its own is that one."""
        return [item for item in connections if self._extend is None or item not in self._extend.connections]

    def extended(self, connections: object, cuts: Collection[str]) -> Library:
        """A library with further connections and cuts, and the parameters of this one. ModelError where nothing can be
        built."""
        if self._extend is None:
            raise ModelError(
                f"library '{self.name}' was loaded compiled, or made of a model alone, and cannot be extended without "
                "its mechanism; declare the connection or cut in the TopologyLibrary that it comes from, or simulate "
                "that (with other parameters: its with_parameters(...))"
            )
        own, known = own_parameters(self.model.manifest), self.model.parameters
        values = {name: value for name, value in known.items() if name in own and value is not None}
        return self._extend.build(connections, cuts).with_parameters(values)

    def with_parameters(self, values: Mapping[str, float] | None = None, /, **named: float) -> Library:
        """The same library with these run-time parameters set, by mapping or keyword; this one is untouched.

        ModelError names what is no parameter of its model, and values that are none.
        """
        return Library(self.model.with_parameters(values, **named), self._extend)

    def with_active(self, active: Collection[str], q: ArrayLike | None = None) -> Model:
        """The model with just these connections, made where the links stand at q (nq) unless a pose is declared.

        `q` may be left out if all of them have declared poses.
        """
        values = self.values_at(active, None if q is None else as_array("q", q, (self.model.nq,), batch=False))
        return self.model.with_parameters(named_values(self.model.manifest, values))

    def values_at(self, active: Collection[str], q: Array | None) -> Array:
        """(..., P) parameters of the C with just these connections, made where the links stand at q (..., nq) unless a
        pose is declared; ModelError where q is needed and None."""
        names = self.checked("active", active)
        batch = () if q is None else q.shape[:-1]
        values = np.broadcast_to(self.model.parameter_values(), (*batch, len(self.model.manifest.parameters))).copy()
        for name, spec in self._switches.items():
            values[..., spec.flag] = name in names
            if name not in names or spec.given:
                continue
            if q is None:
                raise ModelError(f"connection '{name}' is made where the links stand: give q")
            values[..., list(spec.pose)] = self.pose_now(name, q)[..., :3, :].reshape(*batch, 12)
        return values

    def pose_now(self, name: str, q: Array) -> Array:
        """(..., 4, 4) pose in link_b of the joint's frame as it stands in link_a, at q (..., nq)."""
        spec = self.switch(name)
        a, b = self._link_pose(q, spec.link_a), self._link_pose(q, spec.link_b)
        return np.asarray(np.linalg.solve(b, a @ matrix(spec.declared)), dtype=np.float64)

    def gap(self, name: str, q: ArrayLike) -> float:
        """How far link_b is at q (nq) from where the connection was declared to be made, in the directions that it
        locks: its distance [m] or its angle [rad], the larger number; 0 if it was declared nowhere. ModelError for an
        unknown name."""
        if not self.switch(name).given:
            return 0.0
        offsets = self.with_active({name}).kernel("closure_offsets")(q)
        return float(offsets[..., self.switch(name).loop, :].max())

    def state(
        self, q: Mapping[str, ArrayLike] | None = None, v: Mapping[str, ArrayLike] | None = None
    ) -> tuple[Array, Array]:
        """(nq), (nv): the tree's q and v with joints at these coordinates and speeds, cut ones included.

        What is not named is neutral and at rest. Subtrees that hang free, for a joint that can be cut, are placed and
        moved by that joint, or by their free joint free_LINK where that is named in its place. ModelError for unknown
        joints, wrong sizes, rotations off unit norm, and where both are named.
        """
        manifest = self.model.manifest
        at, speed = dict(() if q is None else q), dict(() if v is None else v)
        own = {joint.name: joint for joint in manifest.joints}
        lost = {spec.name: manifest.loops[spec.loop] for spec in self._switches.values() if spec.base}
        for name in (*at, *speed):
            if name not in own and name not in lost:
                known = near_joint(manifest, name, [*own, *lost])
                raise ModelError(f"library '{self.name}' has no joint {name!r} to place{known}")
        out_q, out_v = self.model.neutral(), np.zeros(manifest.nv)
        for name, joint in own.items():
            part = slice(joint.q_start, joint.q_start + joint.nq)
            out_q[part] = _entries(name, at.get(name, out_q[part]), joint.nq)
            out_v[joint.v_start : joint.v_start + joint.nv] = _entries(name, speed.get(name, 0.0), joint.nv)
        for spec in map(self.switch, lost):
            _require_one(spec, at, speed)
        hung = [self._switches[name] for name in lost if self._switches[name].base not in at]
        for _ in hung:  # a subtree may hang on another one: as many rounds as there are
            for spec in hung:
                joint = lost[spec.name]
                start = KINDS[joint.kind].neutral if spec.name not in at else at[spec.name]
                coordinates = self._unit(joint, _entries(spec.name, start, joint.nq))
                rates = None if spec.base in speed else _entries(spec.name, speed.get(spec.name, 0.0), joint.nv)
                self._hang(spec, joint, own[spec.base], coordinates, rates, out_q, out_v)
        return out_q, out_v

    def _unit(self, joint: JointSpec, q: Array) -> Array:
        """q (nq_j) itself. ModelError if a rotation in it is off unit norm."""
        part = KINDS[joint.kind].rotation
        if part and abs(np.linalg.norm(q[part]) - 1.0) > self.model.manifest.precision.unit:
            raise ModelError(off_unit_message("state", joint.name, part.start, q[part]))
        return q

    def _hang(
        self, spec: SwitchSpec, joint: JointSpec, base: JointSpec, q: Array, v: Array | None, out_q: Array, out_v: Array
    ) -> None:
        """Entries of the free joint `base` such that the cut joint has coordinates q and speeds v, in place; those of
        out_v stay where v is None."""
        given = matrix(spec.given)
        parent = self._link_pose(out_q, spec.link_a) @ matrix(spec.declared)
        child = parent @ joint_pose(joint, spec, q) @ np.linalg.inv(given)
        out_q[base.q_start : base.q_start + 3] = child[:3, 3]
        out_q[base.q_start + 3 : base.q_start + 7] = quaternion(child[:3, :3])
        if v is None:
            return
        own = slice(base.v_start, base.v_start + 6)
        twists = self.model.kernel("cut_twists").call(out_q)[6 * spec.loop : 6 * spec.loop + 6]
        out_v[own] = 0.0
        missing = joint_twist(joint, spec, q, v) - twists @ out_v
        out_v[own] = np.linalg.solve(twists[:, own], missing)

    def _link_pose(self, q: Array, link: str) -> Array:
        if link == "world":
            return np.eye(4)
        pose: Array = self.model.link_poses(q)[..., self.model.link_names.index(link), :, :]
        return pose


def _require_one(spec: SwitchSpec, at: Collection[str], speed: Collection[str]) -> None:
    """ModelError where a joint that can be cut and the free joint of its subtree are both to tell where it is, or how
    it moves."""
    if (spec.base in at and (spec.name in at or spec.name in speed)) or (spec.base in speed and spec.name in speed):
        raise ModelError(
            f"state: '{spec.name}' and '{spec.base}' both tell how the same links stand or move; name '{spec.name}' "
            f"alone, or '{spec.base}', the free joint that they hang on, alone"
        )


def _entries(name: str, value: ArrayLike, size: int) -> Array:
    """(size) numbers of one joint; a single number serves for all."""
    given = as_floats(name, value, f"({size},)")
    if given.ndim > 1 or (given.ndim == 1 and given.shape != (size,)) or (size != 1 and given.ndim == 0 and given != 0):
        raise ModelError(f"joint '{name}': expected {size} number{'s' * (size != 1)}, got shape {given.shape}")
    if not np.isfinite(given).all():
        raise ModelError(f"joint '{name}': expected finite numbers, got {shown(value)}")
    return np.broadcast_to(given, (size,))
