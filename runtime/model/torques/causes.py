"""Torque as a sum of causes [B]: which link, by which cause, loads which joint (mathematics §4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...abi import CAUSES
from ...analysis.smoothing import require_increase
from ...analysis.values import by_value
from ...arguments import Array, as_array, as_count
from ...errors import ModelError, shown
from ...names.lookup import frames, looked_up, near, require_placed
from ...plotting.causes import Terms, plot_joint
from ...plotting.figures import write_figure
from ...plotting.plot import entry_labels
from ...typed import is_series, typed
from ..batch_axes import batch_of
from ..closed.closure import lengths
from ..closed.loops import Loops
from ..kernels import Kernels

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@by_value
@dataclass(frozen=True)
class Wrench:
    """A force (..., 3) [N] at a world point (..., 3) [m] and a free moment (..., 3) [N m], world axes, acting **on** a
    link of the mechanism; leading axes are batches or frames of a motion. ModelError for what is not three numbers.
    """

    name: str
    link: str
    force: Array
    point: Array
    moment: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not isinstance(self.link, str):
            raise ModelError(f"wrench: its name and its link are text, got {shown(self.name)} and {shown(self.link)}")
        for part in ("force", "point", "moment"):
            value = as_array(f"wrench '{self.name}': {part}", getattr(self, part), (3,))
            object.__setattr__(self, part, value)
        if self.name in CAUSES:
            raise ModelError(f"wrench '{self.name}': this name is a cause already; give it another one")


@by_value
@dataclass(frozen=True)
class TorqueTerms:
    """`values` (..., dofs, links, causes) with the names of its axes; summed over links and causes: `total`.

    Dofs of a closed mechanism are those that lead (`independent`).

    Causes: acceleration (G_i v̇; rotors with the link that their joint moves), centrifugal (Coriolis included: Ġ_i v and
    ω × Iω), gravity, then each external wrench by its name, on the link that it acts on. `owners`: the joint of each
    dof. `quantity`, `unit`: torque [N m], power [W] or work [J]; the torque of dofs that slide, `sliding`, is a force
    [N].
    """

    values: Array
    dofs: tuple[str, ...]
    owners: tuple[str, ...]
    links: tuple[str, ...]
    causes: tuple[str, ...]
    quantity: str = "torque"
    unit: str = "N m"
    sliding: tuple[str, ...] = ()

    @property
    def total(self) -> Array:
        """(..., dofs) sum of all terms: for torques, what the joints exert."""
        return np.asarray(self.values.sum(axis=(-1, -2)))

    @property
    def static(self) -> Array:
        """(..., dofs) the static approximation −Σ (τ_E + r_E × f_E): the external wrenches alone [B]."""
        return np.asarray(self.values[..., len(CAUSES) :].sum(axis=(-1, -2)))

    @property
    def by_cause(self) -> Array:
        """(..., dofs, causes)"""
        return np.asarray(self.values.sum(axis=-2))

    @property
    def by_link(self) -> Array:
        """(..., dofs, links)"""
        return np.asarray(self.values.sum(axis=-1))

    @typed
    def of(self, names: str | Sequence[str]) -> TorqueTerms:
        """The same of joints or single dofs, by name. ModelError for an unknown one."""
        at: list[int] = []
        for name in [names] if isinstance(names, str) else names:
            found = [k for k, pair in enumerate(zip(self.owners, self.dofs, strict=True)) if name in pair]
            if not found:
                raise ModelError(f"no joint or dof {name!r}{near(name, tuple(dict.fromkeys(self.owners)))}")
            at += found
        chosen = np.ascontiguousarray(self.values[..., at, :, :])
        dofs, owners = tuple(self.dofs[k] for k in at), tuple(self.owners[k] for k in at)
        sliding = tuple(dof for dof in dofs if dof in self.sliding)
        return replace(self, values=chosen, dofs=dofs, owners=owners, sliding=sliding)

    def cause(self, cause: str) -> Array:
        """(..., dofs, links) of one cause. ModelError for an unknown one."""
        if not isinstance(cause, str) or cause not in self.causes:
            raise ModelError(f"no cause {shown(cause)}{near(cause, self.causes)}")
        return np.asarray(self.values[..., self.causes.index(cause)])

    def power(self, v: ArrayLike) -> TorqueTerms:
        """Power [W] of every term at the rates v (..., dofs) of the dofs."""
        rates = as_array("v", v, (len(self.dofs),))
        batch_of("power", {"terms": self.values.shape[:-3], "v": rates.shape[:-1]})
        values = self.values * rates[..., None, None]
        return replace(self, values=values, quantity="power", unit="W")

    def work(self, v: ArrayLike, t: ArrayLike) -> TorqueTerms:
        """Work [J] (dofs, links, causes) of every term over a motion: first axis of `values` and v is time t [s].

        ModelError for terms of one state, and for times that do not increase.
        """
        if self.values.ndim < 4:
            raise ModelError(f"work: needs terms over time (n, dofs, links, causes), got shape {self.values.shape}")
        values = self.power(v).values
        times = _times(t, len(values))
        steps = np.diff(times).reshape(-1, *[1] * (values.ndim - 1))
        done = (0.5 * steps * (values[1:] + values[:-1])).sum(axis=0)
        return replace(self, values=done, quantity="work", unit="J")

    def to_xarray(self, t: ArrayLike | None = None) -> Any:
        """An xarray Dataset: `terms` (time, dof, link, cause), `total` and `static` (time, dof); other leading axes are
        called batch_0, ... `t`: the times of the first axis; each dof has its `unit`. ModelError if the package xarray
        is missing, and for times that do not increase.
        """
        try:
            import xarray
        except ImportError as error:
            raise ModelError("to_xarray needs the package 'xarray': pip install 'kinegen[measured]'") from error
        leading = [f"batch_{k}" for k in range(self.values.ndim - 3)]
        coordinates: dict[str, Any] = {"dof": list(self.dofs), "link": list(self.links), "cause": list(self.causes)}
        if t is not None:
            if not leading:
                raise ModelError("to_xarray: t is given, but there is one state only")
            leading[0] = "time"
            coordinates["time"] = _times(t, len(self.values))
        coordinates["joint"] = ("dof", list(self.owners))
        coordinates["unit"] = ("dof", [unit for _, unit in measures(self)])
        data = {"terms": ([*leading, "dof", "link", "cause"], self.values), "total": ([*leading, "dof"], self.total)}
        if self.quantity == "torque":
            data["static"] = ([*leading, "dof"], self.static)
        return xarray.Dataset(data, coordinates, {"quantity": self.quantity, "unit": self.unit})

    @typed
    def plot(
        self,
        t: ArrayLike,
        names: str | Sequence[str],
        path: str | PathLike[str] | None = None,
        *,
        most: int = 8,
        title: str | None = None,
    ) -> Figure:
        """Stacked areas over time t (n): the dofs of joints below each other; on the left by cause, on the right what
        each link's motion and weight and each wrench ask for (the `most` largest links by name, the rest as one); the
        sum as a line, the static approximation dashed.

        Needs matplotlib. Written to `path` if given. ModelError for an unknown joint, values without a time axis,
        or times that do not increase.
        """
        part = self.of(names)
        if part.values.ndim != 4:
            raise ModelError(f"plot: needs terms over time (n, dofs, links, causes), got shape {self.values.shape}")
        times = _times(t, len(part.values))
        said = names if isinstance(names, str) else " and ".join(names)
        measured = measures(part)
        terms = Terms(times, part.values, part.dofs, part.links, part.causes, self.quantity, measured)
        count = as_count("most", most, least=0)
        what = " and ".join(dict.fromkeys(quantity for quantity, _ in measured)).capitalize()
        figure = plot_joint(terms, title or f"{what} of {said} by cause", count)
        return write_figure(figure, path, dpi=110)


def _times(t: ArrayLike, n: int) -> Array:
    """(n) times [s] that increase."""
    times = as_array("t", t, (n,), batch=False)
    require_increase(times, "t")
    return times


def measures(terms: TorqueTerms) -> list[tuple[str, str]]:
    """Quantity and unit of each dof: along one that slides a torque is a force."""
    slides = terms.sliding if terms.quantity == "torque" else ()
    return [("force", "N") if dof in slides else (terms.quantity, terms.unit) for dof in terms.dofs]


class Causes:
    """Torques by cause of a model: the names of their axes are made once."""

    def __init__(self, kernels: Kernels, loops: Loops) -> None:
        self._kernels, self._loops = kernels, loops

    def torque_terms(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: Sequence[Wrench] = ()) -> TorqueTerms:
        """(..., nv, N, 3 + wrenches) torque of every dof by link and cause [B], mathematics §4; labelled.

        Causes: acceleration, centrifugal (and Coriolis), gravity, each wrench that acts on the mechanism from outside.
        All add up to what the joints exert: `inverse_dynamics` less Σ J_hᵀ [f; τ]. No springs, dampers, friction.
        Of a closed mechanism Wᵀ of these, (..., nf, N, 3 + wrenches): what must act along the velocities that lead
        (`independent`; `with_independent` chooses) where nothing else acts: the torques of the motors if these lead.
        """
        inner = self._kernels.of("torque_terms")(q, v, a)
        if isinstance(wrenches, tuple) and not wrenches:
            return self._labelled(self._led(inner, q))
        values, names = with_wrenches(self._kernels, inner, q, wrenches)
        return replace(self._labelled(self._led(values, q)), causes=(*CAUSES, *names))

    def _led(self, values: Array, q: ArrayLike) -> Array:
        """Terms (..., nv, N, causes) in the velocities that lead (..., nf, N, causes)."""
        if not self._kernels.manifest.closed:
            return values
        return np.asarray(np.einsum("...df,...dlc->...flc", self._loops.W(q), values))

    def _labelled(self, values: Array) -> TorqueTerms:
        """As `TorqueTerms(values, ...)`, whose fields are set one by one, at four times the cost."""
        made = object.__new__(TorqueTerms)
        made.__dict__.update(self._labels, values=values)
        return made

    @cached_property
    def _labels(self) -> dict[str, Any]:
        manifest = self._kernels.manifest
        names = [name for _, name in entry_labels(manifest.joints, 1)]
        joints = [joint.name for joint in manifest.joints for _ in range(joint.nv)]
        dofs, owners = (tuple(each[k] for k in self._loops.leaders) for each in (names, joints))
        slides = lengths(manifest)
        sliding = tuple(names[k] for k in self._loops.leaders if slides[k])
        return vars(TorqueTerms(np.zeros(0), dofs, owners, manifest.links, CAUSES, sliding=sliding))


def with_wrenches(
    kernels: Kernels, inner: Array, q: ArrayLike, wrenches: Sequence[Wrench]
) -> tuple[Array, tuple[str, ...]]:
    """`inner` (..., nv, N, 3) and the terms of the wrenches (..., nv, N, 3 + wrenches), with the names of these."""
    if not is_series(wrenches):
        raise ModelError(f"wrenches: expected a sequence of Wrench, got {shown(wrenches)}")
    for wrench in wrenches:
        if not isinstance(wrench, Wrench):
            raise ModelError(f"wrenches: expected a sequence of Wrench, got {shown(wrench)}")
    names = tuple(wrench.name for wrench in wrenches)
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"two wrenches are called '{name}'; give them different names")
    shares = [_wrench_terms(kernels, q, wrench) for wrench in wrenches]
    batches = {f"wrench '{name}'": share[0].shape[:-1] for name, share in zip(names, shares, strict=True)}
    leading = batch_of("torque_terms", {"state": inner.shape[:-3], **batches})
    values = np.zeros((*leading, *inner.shape[-3:-1], len(CAUSES) + len(shares)))
    values[..., : len(CAUSES)] = inner
    for k, (share, link) in enumerate(shares):
        values[..., :, link, len(CAUSES) + k] = share
    return values, names


def _wrench_terms(kernels: Kernels, q: ArrayLike, wrench: Wrench) -> tuple[Array, int]:
    """(..., nv) −J_hᵀ[f; τ] [S (9)], and the link that it acts on."""
    require_placed(kernels.manifest, wrench.link, f"wrench '{wrench.name}': ")
    known = {name: place[0] for name, (place, _) in frames(kernels.manifest).items()}
    if known.get(wrench.link, 0.0) < 0.0 or wrench.link == "world":
        raise ModelError(f"wrench '{wrench.name}': '{wrench.link}' is the world or fixed to it: a wrench does nothing")
    movable = {name: int(place) for name, place in known.items() if place >= 0.0}
    link = looked_up(wrench.link, movable, f"wrench '{wrench.name}': model '{kernels.manifest.name}' has no link")
    pose = kernels.of("link_poses")(q)[..., link, :, :]
    offset = np.einsum("...ji,...j->...i", pose[..., :3, :3], wrench.point - pose[..., :3, 3])
    place = np.concatenate([np.full((*offset.shape[:-1], 1), float(link)), offset], axis=-1)
    try:
        jacobian = kernels.of("frame_jacobian")(q, place)
        force = np.concatenate(np.broadcast_arrays(wrench.force, wrench.moment), axis=-1)
        return -np.einsum("...ij,...i->...j", jacobian, force), link
    except ValueError as error:
        shapes = f"force {wrench.force.shape}, point {wrench.point.shape}, moment {wrench.moment.shape}"
        raise ModelError(f"wrench '{wrench.name}': {shapes} do not fit q {np.shape(q)} ({error})") from error
