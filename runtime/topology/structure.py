"""What is connected while a mechanism moves: connections made and cut, with the right impulse [N98 §4]."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..analysis.values import by_value
from ..arguments import Array, as_number, as_pose
from ..errors import ModelError, about, shown
from ..model.joint_motion import matrix
from ..model.model import Model
from ..names.lookup import looked_up
from ..stepping.closing import Closing
from ..stepping.settings import Settings
from .library import Library
from .switches import Switches

TOLERANCE = 1e-3
"""Gap [m, rad] at a declared pose that is closed without a word."""


@by_value
@dataclass(frozen=True)
class Impact:
    """What making connections did: time [s], impulses of those that were made, by name, jump of v (nv).

    An impulse (6) is [force; moment] times time on link_b at the joint's frame, world axes; link_a gets the opposite.
    Connections and cut joints that were active before and stay so pass on a part of the blow, which is in `delta_v` but
    not among `impulses`.
    """

    t: float
    impulses: Mapping[str, Array]
    delta_v: Array

    @property
    def impulse(self) -> Array:
        """(6) of the only connection. ModelError if several were made at once."""
        if len(self.impulses) != 1:
            raise ModelError(f"impulse: {len(self.impulses)} connections were made at once; see impulses")
        return next(iter(self.impulses.values()))


@by_value
@dataclass(frozen=True)
class Transition:
    """Connections to make and to cut in one instant: first all cuts, then all connections together.

    `poses`: (4, 4) frames in link_b, at most `tolerance` [m, rad] away; others are connected where the links stand.
    """

    connect: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    poses: Mapping[str, Array] = field(default_factory=dict)
    tolerance: float = TOLERANCE


class Structure:
    """The present structure of a library that is simulated: what is active, and the stepper that reads it."""

    def __init__(self, library: Library, settings: Settings) -> None:
        self.library, self._settings = library, settings
        self.switches = Switches(library)
        switches = self.switches
        self._closing = Closing(library.model, switches.closure, switches.values, switches.assemble)
        self.stepper = settings.stepper(library.model, self._closing, switches.values)

    @property
    def active(self) -> frozenset[str]:
        """Connections, and joints that can be cut, that hold just now."""
        return self.switches.active

    def model(self) -> Model:
        """The model of the present structure."""
        return self.switches.model()

    @about("active")
    def initial(self, active: Collection[str] | None) -> frozenset[str]:
        """What is active from the beginning: by default the joints that can be cut."""
        return self.library.initial if active is None else self.library.checked("active", active)

    # ---- Transitions: ModelError for what cannot be

    def connecting(self, names: tuple[str, ...], pose_b: Any, tolerance: float) -> Transition:
        """Make these, none of which may be active."""
        self._require_open(names, "connect")
        return Transition(names, (), self._poses(names, pose_b), _tolerance(tolerance))

    def cutting(self, names: tuple[str, ...]) -> Transition:
        """Let go of these, all of which must be active."""
        self._require_active(names)
        return Transition((), names)

    def switching(self, connect: Collection[str], cut: Collection[str], tolerance: float) -> Transition:
        """Cut some and make others; a name cannot be in both."""
        self.library.checked("connect", connect), self.library.checked("cut", cut)
        made, gone = tuple(dict.fromkeys(connect)), tuple(dict.fromkeys(cut))
        for name in made:
            if name in gone:
                raise ModelError(f"switch: '{name}' is both connected and cut; cut it, then connect it")
        self._require_open(made, "switch")
        self._require_active(gone)
        return Transition(made, gone, self._poses(made, None), _tolerance(tolerance))

    def carry_out(self, transition: Transition, t: float, q: Array, v: Array) -> Impact:
        """The transition at time t, with its velocity boundary condition [N98 (20)-(33)]; q, v in place.

        ModelError, and nothing has changed, where frames are too far apart or cannot be closed, and where new
        connections leave a driven joint no motion of its own.
        """
        rate, drives = v.copy(), bool(transition.connect) and self._closing.drives
        before, saved, values = q.copy(), self._closing.save() if drives else b"", self.switches.values.copy()
        wanted = (self.active - frozenset(transition.cut)) | frozenset(transition.connect)
        poses, memory = dict(transition.poses), self._closing.memory
        impulses = self.switches.restructure(wanted, poses, transition.tolerance, q, v, memory)
        try:
            if drives:
                self._closing.require_free(q, f"connect {', '.join(map(repr, transition.connect))}", "connect")
        except ModelError:
            q[:], v[:], self.switches.values[:] = before, rate, values
            self._closing.restore(saved)
            raise
        specs = [self.library.switch(name) for name in transition.connect]
        made = {spec.name: impulses[spec.loop] for spec in specs}
        return Impact(t, made, v - rate)

    def wrench(self, name: str, q: Array, v: Array, tau: Array) -> Array:
        """(6) [force; moment] that link_b, or the child, gets through a connection or a joint that closes a loop, at
        its frame, world axes; 0 while it is cut."""
        loops = {joint.name: i for i, joint in enumerate(self.library.model.manifest.loops)}
        loop = looked_up(name, loops, f"library '{self.library.name}' has no connection or cut joint")
        found: Array = self.switches.wrenches(self.stepper.prepared(), q, v, tau)[loop]
        return found

    # ---- What was not foreseen

    def extended(self, connections: list[Any], cuts: list[str]) -> Structure:
        """A structure of a library with these as well, and the same active. ModelError where nothing can be built."""
        larger = Structure(self.library.extended(connections, cuts), self._settings)
        larger.switches.take_over(self.switches)
        return larger

    # ---- For these methods

    def _require_open(self, names: Collection[str], what: str) -> None:
        for name in names:
            if name in self.active:
                raise ModelError(f"{what}: '{name}' is connected already; cut it first")

    def _require_active(self, names: Collection[str]) -> None:
        for name in names:
            if name not in self.active:
                active = ", ".join(sorted(self.active)) or "nothing"
                raise ModelError(f"cut: '{name}' is not connected; active: {active}")

    def _poses(self, names: Collection[str], pose_b: Any) -> dict[str, Array]:
        """Frames in link_b of those that are not connected where the links stand."""
        found = {}
        for name in names:
            given = self.library.switch(name).given
            pose = _pose(pose_b) if pose_b is not None else matrix(given) if given else None
            if pose is not None:
                found[name] = pose
        return found


def named(given: Collection[Any], what: str) -> tuple[tuple[str, ...], list[Any]]:
    """Names of what is to be connected or cut, and the Connections among it. ModelError for what has no name."""
    if not given:
        raise ModelError(f"{what}: expected a name")
    for item in given:
        if not isinstance(item, str) and (what == "cut" or not hasattr(item, "pose_b")):  # of a part not imported here
            raise ModelError(f"{what}: expected names{' or Connections' * (what != 'cut')}, got {shown(item)}")
    names = tuple(item if isinstance(item, str) else item.name for item in given)
    if len(names) > len(set(names)):
        raise ModelError(f"{what}: a name is given twice in {', '.join(map(repr, names))}")
    return names, [item for item in given if not isinstance(item, str)]


def _pose(pose_b: Any) -> Array | None:
    """(4, 4) from a Pose or an array; None for "current"."""
    if isinstance(pose_b, str):
        if pose_b != "current":
            raise ModelError(f"pose_b: expected a Pose, a (4, 4) array or 'current', got {pose_b!r}")
        return None
    if hasattr(pose_b, "numeric"):  # a Pose, of a part that this one does not import
        if not pose_b.numeric:
            symbols = ", ".join(sorted(map(str, pose_b.free_symbols)))
            raise ModelError(f"pose_b: expected a Pose of numbers, this one holds {symbols}; give their values")
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = np.array(pose_b.rotation, dtype=float), np.array(pose_b.xyz, dtype=float)
        return pose
    return as_pose("pose_b", pose_b, batch=False)


def _tolerance(value: float) -> float:
    number = as_number("tolerance", value)
    if number < 0.0:
        raise ModelError(f"tolerance: expected a length or angle of at least 0, got {shown(value)}")
    return number
