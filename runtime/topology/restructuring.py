"""Changes of structure at once: connections made and cut, with the right impulse [N98 §4]."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import Array, as_array, as_number
from ..contact.contacts import ContactOptions
from ..contact.state import contact_state
from ..errors import ModelError
from ..model.joint_motion import matrix
from ..model.model import Model
from ..simulation.drive import Controller, Drive, Torques
from ..simulation.recorder import Recorder
from ..simulation.simulator import Simulator
from ..simulation.trajectory import Event
from .extension import moved_state
from .library import Library, TopologyWarning
from .switched_stepper import SwitchedStepper

TOLERANCE = 1e-3
"""Gap [m, rad] at a declared pose that is closed without a word."""


@dataclass(frozen=True)
class Impact:
    """What making connections did: time [s], impulses by name, jump of v (nv).

    An impulse (6) is [force; moment] times time on link_b at the joint's frame, world axes; link_a gets the opposite.
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


class ChangingSimulator(Simulator):
    """A simulator of a library, as far as its structure goes; `TopologySimulator` has the events."""

    def __init__(
        self,
        library: Library,
        *,
        dt: float = 1e-3,
        integrator: str = "semi_implicit",
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        tau: Torques | Controller | None = None,
        contacts: bool | ContactOptions | None = None,
        active: Collection[str] | None = None,
        limits: bool = True,
    ) -> None:
        model = library.model
        self._library = library
        self._integrator, self._limits, self._contact_options = integrator, limits, contacts
        self._dt = as_number("dt", dt, positive=True)
        self._model = model
        self._q = self._checked_q(model.q0 if q is None else q)
        self._v = as_array("v", np.zeros(model.nv) if v is None else v, (model.nv,), batch=False).copy()
        state = contact_state(model, contacts)
        self._switching = self._stepper = SwitchedStepper(library, integrator, self._dt, limits, state)
        names = library.initial if active is None else library.checked(active)
        self._switching.begin(names, self._q, self._v)
        self._t0, self._steps, self._within = 0.0, 0, 0.0
        self._drive = Drive(model, tau, 0)
        self._events: list[Event] = []
        self._recording: Recorder | None = None

    # ---- Structure

    @property
    def library(self) -> Library:
        return self._library

    @property
    def active(self) -> frozenset[str]:
        """Connections, and joints that can be cut, that hold just now."""
        return self._switching.active

    @property
    def model(self) -> Model:
        """The model of the present structure: H, W, forward dynamics and so on."""
        return self._switching.model()

    @property
    def t(self) -> float:
        """Time [s]; between two steps only right at an event."""
        return self._t0 + self._steps * self._dt + self._within

    @property
    def events(self) -> tuple[Event, ...]:
        """(t, what, to what) of all that happened."""
        return tuple(self._events)

    def connect(self, *connections: Any, pose_b: Any = None, tolerance: float = TOLERANCE) -> Impact:
        """Make connections, all at once, with the velocity boundary condition [N98 (20)-(33)].

        Names, or new Connections (which are built first, with a warning). `pose_b`: a Pose or (4, 4) where the joint's
        frame stands in link_b, or "current" for where the links stand; by default what was declared, else "current".
        A pose must be at most `tolerance` [m, rad] away and is then closed exactly. ModelError names what is not
        there, active already or too far apart; nothing has changed then.
        """
        names = self._named(connections, "connect")
        self._require_open(names, "connect")
        poses = {name: self._wanted_pose(name, pose_b) for name in names}
        known = {name: pose for name, pose in poses.items() if pose is not None}
        return self._change(names, (), known, _tolerance(tolerance))

    def cut(self, *names: str) -> None:
        """Let go of connections or cut joints, all at once; v stays. ModelError names what is not connected.

        A joint of the tree that was not declared in `cuts` is made one that can be cut first, with a warning: q and v
        then get entries for its free subtree, in what `run` has recorded as well.
        """
        cut = self._named(names, "cut")
        self._require_active(cut)
        self._change((), cut, {}, TOLERANCE)

    def switch(self, connect: Collection[str] = (), cut: Collection[str] = (), tolerance: float = TOLERANCE) -> Impact:
        """Cut some and make others in the same instant: first all cuts, then all connections together.

        ModelError as for `connect` and `cut`, and for a name that is in both.
        """
        self._library.checked(connect), self._library.checked(cut)
        made, gone = tuple(dict.fromkeys(connect)), tuple(dict.fromkeys(cut))
        for name in made:
            if name in gone:
                raise ModelError(f"switch: '{name}' is both connected and cut; cut it, then connect it")
        self._require_open(made, "switch")
        self._require_active(gone)
        poses = {name: self._wanted_pose(name, None) for name in made}
        known = {k: x for k, x in poses.items() if x is not None}
        return self._change(made, gone, known, _tolerance(tolerance))

    def set_parameters(self, values: Mapping[str, float]) -> None:
        """Run-time parameters from here on, by name; not those of connections. ModelError for an unknown one."""
        self._switching.set_parameters(values)

    def wrench(self, name: str) -> Array:
        """(6) [force; moment] that link_b gets through a connection at its frame, world axes; 0 while it is cut."""
        spec = self._library.switch(name)
        tau = self._drive.torques(self._steps, 1, self.t, self._q, self._v)
        found = self._switching.wrenches(self._q, self._v, tau[0].copy() if tau.ndim == 2 else tau)
        wrench: Array = found[spec.loop] * (-1.0 if spec.turned else 1.0)
        return wrench

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

    def _change(
        self, connect: Collection[str], cut: Collection[str], poses: dict[str, Array], tolerance: float
    ) -> Impact:
        before = self._v.copy()
        wanted = (self.active - frozenset(cut)) | frozenset(connect)
        impulses = self._switching.restructure(wanted, poses, tolerance, self._q, self._v)
        self._events += [(self.t, "cut", name) for name in cut] + [(self.t, "connect", name) for name in connect]
        specs = [self._library.switch(name) for name in connect]
        made = {spec.name: impulses[spec.loop] * (-1.0 if spec.turned else 1.0) for spec in specs}
        return Impact(self.t, made, self._v - before)

    def _wanted_pose(self, name: str, pose_b: Any) -> Array | None:
        """(4, 4) frame in link_b, None for where the links stand; in the C's own terms."""
        spec = self._library.switch(name)
        if pose_b is None:
            pose = matrix(spec.given) if spec.given else None
        elif isinstance(pose_b, str):
            if pose_b != "current":
                raise ModelError(f"pose_b: expected a Pose, a (4, 4) array or 'current', got {pose_b!r}")
            pose = None
        elif hasattr(pose_b, "rotation"):
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = np.array(pose_b.rotation, dtype=float), np.array(pose_b.xyz, dtype=float)
        else:
            pose = as_array("pose_b", pose_b, (4, 4), batch=False)
            R = pose[:3, :3]
            if not (np.allclose(R @ R.T, np.eye(3), atol=1e-6) and np.linalg.det(R) > 0.0 and pose[3, 3] == 1.0):
                raise ModelError(f"pose_b: expected a rotation and a place, [R p; 0 0 0 1], got {pose.tolist()}")
        return pose

    def _named(self, given: Collection[Any], what: str) -> tuple[str, ...]:
        """Names, after building what was not foreseen."""
        if not given:
            raise ModelError(f"{what}: expected a name")
        for item in given:
            if not isinstance(item, str) and (what == "cut" or not isinstance(getattr(item, "name", None), str)):
                raise ModelError(f"{what}: expected names{' or Connections' * (what != 'cut')}, got {item!r}")
        if len(given) > len({item if isinstance(item, str) else item.name for item in given}):
            raise ModelError(f"{what}: a name is given twice in {', '.join(map(repr, given))}")
        new = [item for item in given if not isinstance(item, str)]
        names = tuple(item if isinstance(item, str) else getattr(item, "name", "") for item in given)
        tree = {joint.name for joint in self._library.model.manifest.joints}
        lost = [name for name in names if what == "cut" and name not in self._library.names and name in tree]
        if new or lost:
            self._extend(new, lost)
        return tuple(self._library.switch(name).name for name in names)

    def _extend(self, connections: list[Any], cuts: list[str]) -> None:
        """Another library with these as well; the state goes over by name."""
        what = ", ".join([*(getattr(c, "name", "?") for c in connections), *cuts])
        old, before = self._library, self._switching
        self._library = old.extended(connections, cuts)
        warnings.warn(
            f"{what}: not foreseen in library '{old.name}', which is built anew while the motion waits; declare it in "
            "the TopologyLibrary",
            TopologyWarning,
            stacklevel=4,
        )
        model = self._library.model
        q, v = moved_state(old.model, model, self._q, self._v)
        state = contact_state(model, self._contact_options)
        stepper = SwitchedStepper(self._library, self._integrator, self._dt, self._limits, state)
        stepper.take_over(before)
        stepper.place(q, v)
        self._model, self._q, self._v = model, q, v
        self._switching = self._stepper = stepper
        self._drive = self._drive.moved(model, self._steps)
        if self._recording:
            self._recording.move(model)


def _tolerance(value: float) -> float:
    number = as_number("tolerance", value)
    if number < 0.0:
        raise ModelError(f"tolerance: expected a length or angle of at least 0, got {value!r}")
    return number
