"""A recorded motion: states over time, what follows from them, files and plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..abi import JointSpec
from ..analysis.work import Work
from ..animation.animate import animation, in_notebook, video
from ..animation.page import write_page
from ..arguments import Array, as_array, as_count, as_floats, as_place, as_rows
from ..contact.contacts import ContactHistory
from ..contact.plot import plot_contacts
from ..errors import ModelError, shown
from ..events.agenda import Event
from ..files import in_file
from ..kinds import KINDS
from ..model.model import Model
from ..names.lookup import named_values, near_joint
from ..plotting.figures import write_figure
from ..plotting.plot import plot_motion
from ..typed import typed
from ..walking.footsteps import over_ground, plot_footsteps
from .stored.columns import columns, frame, write_csv
from .stored.npz import LARGEST
from .stored.trajectory_file import read_trajectory, require_motion_of, require_structures_of, write_trajectory
from .turns import assigned_at, count_turns, made_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Trajectory:
    """t (n) [s], q (n, nq), v (n, nv), tau (n, nv): states, and torques of the steps that start at them; of the last
    state, from which none was made, those of the step that ended there (zero where none did).

    Layouts as in `Model`, quaternions [x y z w]. `joints` say where entries stand, `cut_tau` are the torques of the cut
    joints' velocities, if there are any. `events`: (t, what, to what). Where the structure or a parameter changes,
    `structures` are the values of the model's parameters and `structure_of` (n) tells which ones a state belongs to.
    `contacts[i]`: contacts of the step that starts at state i (none for the last), None where there was no contact.
    Where events divided a step, `tau` and forces are means over it, and contacts those of all its parts.
    `work`: what all sources did until then, None where the simulator was not asked to sum it up.
    `energy` and `momentum` are computed when first asked for. Slices (`trajectory[10:20]`) are trajectories.
    """

    def __init__(
        self,
        t: Any,
        q: Any,
        v: Any,
        tau: Any,
        *,
        name: str = "",
        joints: Sequence[JointSpec] = (),
        events: Sequence[Event] = (),
        model: Model | None = None,
        energy: Any = None,
        momentum: Any = None,
        contacts: ContactHistory | None = None,
        cut_tau: Any = None,
        structures: Any = None,
        structure_of: Any = None,
        work: Any = None,
    ) -> None:
        """ModelError if the sizes do not fit each other or the joints."""
        times = as_floats("t", t, "(n,)")
        self.t = as_array("t", times, (times.size,), batch=False)
        n = len(self.t)
        if not isinstance(joints, Sequence) or not all(isinstance(joint, JointSpec) for joint in joints):
            raise ModelError(f"joints: expected a sequence of JointSpec, got {shown(joints)}")
        nq = max((j.q_start + j.nq for j in joints), default=0)
        nv = max((j.v_start + j.nv for j in joints), default=0)
        self.q = as_array("q", q, (n, nq), batch=False)
        self.v = as_array("v", v, (n, nv), batch=False)
        self.tau = as_array("tau", tau, (n, nv), batch=False)
        self.name = name
        self.joints = tuple(joints)
        if not isinstance(events, Sequence) or isinstance(events, str):
            raise ModelError(f"events: expected a sequence of (t, what, to what), got {shown(events)}")
        self.events = tuple(events)
        self.model = model
        if contacts is not None and not (isinstance(contacts, ContactHistory) and len(contacts) == n):
            raise ModelError(f"contacts: expected a history of {n} states, got {shown(contacts)}")
        self.contacts = contacts
        self.cut_tau = None if cut_tau is None else as_rows("cut_tau", cut_tau, n)
        self.work = None if work is None else Work.of_table(work.table() if isinstance(work, Work) else work, n, nv)
        if (structures is None) != (structure_of is None):
            raise ModelError("structures: give structure_of as well, or neither")
        rows = np.zeros((0, 0)) if structures is None else as_rows("structures", structures)
        self.structures: Any = None if structures is None else rows
        self.structure_of: Any = None if structures is None else _places(structure_of, n, rows)
        if energy is not None:
            self.__dict__["energy"] = as_array("energy", energy, (n, 2), batch=False)
        if momentum is not None:
            self.__dict__["momentum"] = as_array("momentum", momentum, (n, 6), batch=False)

    @cached_property
    def energy(self) -> Array:
        """(n, 2) kinetic energy, potential energy of gravity [J]."""
        return self._of_states("energy", 2, lambda model, q, v: model.energy(q, v))

    @cached_property
    def momentum(self) -> Array:
        """(n, 6) [linear; angular about the centre of mass] momentum, world axes."""
        return self._of_states("momentum", 6, lambda model, q, v: model.momentum(q, v))

    @cached_property
    def closure_gap(self) -> Array:
        """(n) largest residual of the loops, and of what else is connected in a state [m, rad]; 0 in a tree."""

        def gap(model: Model, q: Array, v: Array) -> Array:
            return np.asarray(np.abs(model.closure_residual(q)).max(axis=-1, initial=0.0, keepdims=True))

        return self._of_states("closure_gap", 1, gap)[:, 0]

    def joint(self, name: str) -> tuple[Array, Array, Array]:
        """(n, nq_j) q, (n, nv_j) v and (n, nv_j) tau of one joint; of a cut joint as well where the model is known.

        The angles of a cut joint are counted over turns from state to state, from within half a turn of 0, or within
        its limits, in the first one, and anew where it is made during the run, or q assigned, as the simulator
        (`kg.angle`) does: of a later run, and of a slice, whole turns may be missing that it counts.
        Of the two quaternions of an orientation each row has the one that is nearer to the row before.
        """
        for j in self.joints if isinstance(name, str) else ():
            if j.name == name:
                dofs = slice(j.v_start, j.v_start + j.nv)
                return self.q[:, j.q_start : j.q_start + j.nq], self.v[:, dofs], self.tau[:, dofs]
        for j in self.model.manifest.loops if self.model and isinstance(name, str) else ():
            if j.name == name:
                return self._cut_joint(j)
        known = f"; it has: {', '.join(j.name for j in self.joints)}"
        if self.model:
            known = near_joint(self.model.manifest, name, [j.name for j in self.joints])
        raise ModelError(f"the trajectory has no joint {shown(name)}{known}")

    @typed
    def save(self, path: str | PathLike[str]) -> None:
        """Write an npz file, energy and momentum included where they are known or the model can tell.

        ModelError for another suffix than .npz, and if the file cannot be written.
        """
        extra = dict(self.contacts.arrays()) if self.contacts is not None else {}
        for quantity in ("energy", "momentum"):
            known = self.model is not None and self.model.manifest.has(quantity)
            if known or quantity in self.__dict__:
                extra[quantity] = getattr(self, quantity)
        if self.cut_tau is not None:
            extra["cut_tau"] = self.cut_tau
        if self.work is not None:
            extra["work"] = self.work.table()
        if self.structures is not None:
            extra |= {"structures": self.structures, "structure_of": self.structure_of}
        write_trajectory(path, self.name, self.joints, self.events, self.t, self.q, self.v, self.tau, extra)

    @classmethod
    @typed
    def load(cls, path: str | PathLike[str], model: Model | None = None, *, largest: int = LARGEST) -> Trajectory:
        """Read what `save` wrote. ModelError if it is no such file, its contents do not fit each other, or it is no
        motion of `model`: of other joints, of joints that stand elsewhere in q and v, or of other connections.

        Arrays that would take more than `largest` bytes (1 GiB) are refused, unless the file is as large itself.
        """
        contents = read_trajectory(path, as_count("largest", largest, least=0))
        with in_file(path):
            read = cls(**contents, model=model)
            if model is not None:
                require_motion_of(model.manifest, read.name, read.joints)
                require_structures_of(model.manifest, read.structures)
        return read

    @typed
    def plot(self, path: str | PathLike[str] | None = None, joints: Sequence[str] | None = None) -> Figure:
        """Coordinates, velocities and torques over time, labelled by joint; written to `path` if given.

        `joints`: which ones, cut joints too where the model is known; by default all of the tree. Needs matplotlib.
        """
        named = () if joints is None else tuple(joints)
        for name in named:
            self.joint(name)
        shown = [j for j in self.joints if j.nv and (joints is None or j.name in named)]
        motion: tuple[Array, ...] = self.q, self.v, self.tau
        for j in self.model.manifest.loops if self.model else ():
            if j.nv and j.name in named:
                shown.append(replace(j, q_start=motion[0].shape[1], v_start=motion[1].shape[1]))
                motion = tuple(np.hstack(both) for both in zip(motion, self._cut_joint(j), strict=True))
        q, v, tau = motion
        return write_figure(plot_motion(self.name, self.t, q, v, tau, shown), path)

    @typed
    def plot_contacts(self, path: str | PathLike[str] | None = None, links: Sequence[str] | None = None) -> Figure:
        """Contact force and centre of pressure over time of `links`, by default of all that ever touched but "world".

        Written to `path` if given. ModelError if there was no contact. Needs matplotlib.
        """
        return write_figure(plot_contacts(self.name, self.t, self.contacts, links), path)

    @typed
    def plot_footsteps(
        self,
        path: str | PathLike[str] | None = None,
        *,
        zmp: ArrayLike = (),
        point: ArrayLike = (0, 0, 0),
        normal: ArrayLike = (0, 0, 1),
    ) -> Figure:
        """A walk from above: feet, support polygons, paths of ZMP, mass centre, capture point; ZMP and margins over t.

        `zmp` (n, 3): the planned one, if any. The floor goes through `point` with `normal`. Written to `path` if given.
        ModelError without a model or contacts with "world". Needs matplotlib.
        """
        paths = self._of_states("plot_footsteps", 6, lambda model, q, v: over_ground(model, q, v, point, normal))
        return write_figure(plot_footsteps(self.name, self.t, paths, self.contacts, (point, normal), zmp), path)

    def to_pandas(self) -> Any:
        """A DataFrame over `time` [s]: "knee", "hip qx" of q, "v(knee)" of v, "tau(knee)" of tau. Needs pandas."""
        return frame(self.t, columns(self.joints, self.q, self.v, self.tau))

    @typed
    def to_csv(self, path: str | PathLike[str]) -> Path:
        """Write the columns of `to_pandas`, `time` first, in full precision; `kinegen explain` reads them.

        ModelError for another suffix than .csv, for a joint with a comma or quote in its name, where two columns would
        have one name, or if it cannot be written.
        """
        return write_csv(path, self.t, columns(self.joints, self.q, self.v, self.tau))

    @typed
    def html(self, path: str | PathLike[str], *, fps: float = 30.0) -> Path:
        """Write the motion as one page that opens offline in any browser and plays: the mechanism in three dimensions.

        Visuals of its file, else the shapes that touch, else sticks; contact forces, what is connected, the mass
        centre. `fps`: frames a second, recorded states nearest to even times. Returns the path. ModelError if the
        trajectory has no model, its times run back, or the file cannot be written. Where the model was loaded from a
        folder there are lines between its joints only; kg.animate(mechanism, trajectory, path) shows all.
        """
        return write_page(path, animation(self, fps))

    @typed
    def video(self, path: str | PathLike[str], *, fps: float = 25.0) -> Path:
        """Write the motion as a .gif, or with ffmpeg as .mp4, .webm and the like; as it looks in `html`, simplified.

        As fast as it was: where fewer states are recorded than `fps` [1/s], each is shown for longer. Returns the path.
        ModelError as `html`, for other suffixes, a .gif of more than 50 fps, and where matplotlib or ffmpeg is missing
        or fails.
        """
        return video(self, path, fps)

    def by_structure(self, quantity: str) -> Iterator[tuple[Any, Model]]:
        """States of one structure, as an index, with the model in it."""
        model = self._model_of(quantity)
        if self.structures is None:
            yield slice(None), model
            return
        require_structures_of(model.manifest, self.structures)
        for k in np.unique(self.structure_of):
            values = named_values(model.manifest, self.structures[k])
            yield np.flatnonzero(self.structure_of == k), model.with_parameters(values)

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, index: int | slice) -> Trajectory:
        if not isinstance(index, slice):
            at = as_place("trajectory", index, len(self))
            index = slice(at, at + 1)
        quantities = [name for name in ("energy", "momentum") if name in self.__dict__]
        known: dict[str, Any] = {name: self.__dict__[name][index] for name in quantities}
        t = self.t[index]
        events = [e for e in self.events if len(t) and t.min() <= e[0] <= t.max()]
        arrays = (t, self.q[index], self.v[index], self.tau[index])
        known["contacts"] = self.contacts.window(index) if self.contacts is not None else None
        known["cut_tau"] = self.cut_tau[index] if self.cut_tau is not None else None
        known["work"] = self.work.table()[index] if self.work is not None else None
        if self.structures is not None:
            known |= {"structures": self.structures, "structure_of": self.structure_of[index]}
        return Trajectory(*arrays, name=self.name, joints=self.joints, events=events, model=self.model, **known)

    def __repr__(self) -> str:
        span = f"{self.t[0]:g} to {self.t[-1]:g} s" if len(self) else "empty"
        return f"Trajectory({self.name!r}, {len(self)} states, {span})"

    def _repr_html_(self) -> str | None:
        return in_notebook(self)

    def _of_states(self, what: str, size: int, of: Callable[[Model, Array, Array], Array]) -> Array:
        """(n, size) `of` the model, q and v of each structure."""
        found = np.zeros((len(self), size))
        for states, model in self.by_structure(what):
            found[states] = of(model, self.q[states], self.v[states])
        return found

    def _cut_joint(self, joint: JointSpec) -> tuple[Array, Array, Array]:
        q, v = np.zeros((len(self), joint.nq)), np.zeros((len(self), joint.nv))
        for states, model in self.by_structure("joint"):
            q[states], v[states] = model.loop_joint(joint.name, self.q[states], self.v[states])
        count_turns(joint, q, self._made(joint.name))
        turned = KINDS[joint.kind].rotation
        if turned and turned.stop - turned.start == 4:
            x = q[:, turned]
            back = np.einsum("ij,ij->i", x[1:], x[:-1]) < 0.0
            q[1:, turned] *= np.where(np.logical_xor.accumulate(back), -1.0, 1.0)[:, None]
        dofs = slice(joint.v_start, joint.v_start + joint.nv)
        return q, v, np.zeros_like(v) if self.cut_tau is None else self.cut_tau[:, dofs]

    def _made(self, name: str) -> NDArray[np.intp]:
        """States, but the first, that are the first since the cut joint was made or q was assigned."""
        assigned = assigned_at(self.t, self.events)
        for switch in self.model.manifest.switches if self.model and self.structures is not None else ():
            if switch.name == name:
                return np.union1d(made_at(switch, self.t, self.structures, self.structure_of, self.events), assigned)
        return assigned

    def _model_of(self, quantity: str) -> Model:
        if self.model is None:
            raise ModelError(f"{quantity}: the trajectory has no model; use Trajectory.load(path, model=model)")
        return self.model


def _places(value: Any, n: int, structures: Array) -> NDArray[np.int64]:
    """(n) places in `structures`."""
    places, count = np.asarray(value), len(structures)
    if places.shape != (n,) or places.dtype.kind not in "iu" or (n and not 0 <= places.min() <= places.max() < count):
        raise ModelError(f"structure_of: expected {n} whole numbers below {count}, got {shown(value)}")
    return places.astype(np.int64)
