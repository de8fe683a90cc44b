"""The one contract between generated code and runtime: plain data, no SymPy, no functions.

A compiled model is a folder with a shared module and `manifest.json`; the manifest is a `Manifest` in JSON.
Every kernel is a C function that takes, in this order, the run-time parameters (only if the model has any),
its inputs and its outputs, all `double` arrays (of a float32 model `float` ones) in row-major order:

    void NAME_kernel([const double *p,] const double *in_1, ..., double *out_1, ...);
    void NAME_kernel_batch(long n, [const double *p,] const double *in_1, long stride_1, ..., double *out_1, ...);

In the batch form stride_i is the distance in numbers between two states of input i (0 repeats one state for all);
outputs are dense. A kernel compiled with lanes has a third form, in which entry k of state i of an array stands at
x + i*x_state + k*x_entry; it gives the first state of which it saw a number that is not finite (of some: above LARGE),
else -1:

    long NAME_kernel_lanes(long n, [const double *p,] const double *in_1, long in_1_state, long in_1_entry, ...,
                           double *out_1, long out_1_state, long out_1_entry);
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any

from .errors import ModelError
from .pairs import NO_PAIRS, Pairs

ABI_VERSION = 13

LARGE = 1e40
"""The largest number of a description, a parameter or a state: kernels of sums and products of such cannot overflow."""

SNAP = 1e-12
"""Numbers of a description, and of what is derived from it, that are so near to 0 or ±1 are meant to be 0 or ±1."""

SEMI_IMPLICIT, RK4 = "semi_implicit", "rk4"

INTEGRATORS = {SEMI_IMPLICIT: "semi-implicit Euler", RK4: "Runge-Kutta 4"}
"""By which a step may be made, and what they are called, in the order of the C enum."""

CONFIGURATIONS = ("q", "q0", "q1")
"""Arguments of kernels that hold rotations, where joints have any."""


@dataclass(frozen=True)
class Precision:
    """The numbers of a model: `dtype` of its arrays, their type `scalar` in C.

    `large`: beyond it a number is looked at more closely; `bounded`: up to there sums and products are finite for sure.
    `unit`: how far the norm of a quaternion or of a cosine-sine pair may be off 1.
    """

    dtype: str
    scalar: str
    large: float
    bounded: bool
    unit: float


PRECISIONS = {
    "float64": Precision("float64", "double", LARGE, True, 1e-6),
    "float32": Precision("float32", "float", 3.4028234663852886e38, False, 1e-5),
}
"""By dtype. A quaternion that was normalised as floats is off by up to 3e-7."""


@dataclass(frozen=True)
class ArraySpec:
    """One array argument of a kernel: its name in mathematics' notation and its shape without batch axes."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class KernelSpec:
    """A kernel: C function, arguments, counted operations per call, and the route that was chosen and why.

    `operations`: of a loop (its `route` ends so) those of the straight-line code ahead of it alone, as `counted` tells;
    `function` is empty where the result has no entries, because nothing moves: then there is nothing to call. `lanes`:
    the C function that computes several states at a time, empty if there is none; `frame`: the link or frame that it is
    of, empty for all others.
    """

    name: str
    function: str
    inputs: tuple[ArraySpec, ...]
    outputs: tuple[ArraySpec, ...]
    operations: dict[str, int] = field(default_factory=dict)
    route: str = ""
    reason: str = ""
    lanes: str = ""
    frame: str = ""

    @property
    def counted(self) -> dict[str, int]:
        """Operations of a whole call; empty for a loop, which counts at run time."""
        return {} if self.route.endswith("loop") else self.operations


@dataclass(frozen=True)
class JointSpec:
    """A joint of the tree: where its entries stand in q (nq_j) and v (nv_j), and its limits.

    A cut joint stands so in the coordinates and velocities of the cut joints, loop after loop.
    """

    name: str
    kind: str
    parent: str
    child: str
    q_start: int
    nq: int
    v_start: int
    nv: int
    actuated: bool
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity: tuple[float, ...]
    effort: tuple[float, ...]


@dataclass(frozen=True)
class FrameSpec:
    """A name that poses and Jacobians may be asked for: a link, or a frame fixed to one (xyz, rotation row-major)."""

    name: str
    link: int
    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


SIGNS: dict[str, Callable[[Any], Any]] = {
    "": lambda x: True,
    "positive": lambda x: x > 0.0,
    "not negative": lambda x: x >= 0.0,
    "negative": lambda x: x < 0.0,
    "not positive": lambda x: x <= 0.0,
    "not zero": lambda x: x != 0.0,
}
"""What may be asked of the value of a parameter, or of each in an array, in the words of messages."""


INERTIAL = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
"""Inertial parameters of a link, in Pinocchio's order: mass, first moments m c, moments of inertia about the origin of
the link's frame, in its axes."""

PER_LINK = len(INERTIAL)

MOMENTS = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
"""Rows and columns of the moments of inertia in that order."""

SCANNED = ("mx", "my", "Ixx", "Ixy", "Ixz", "Iyz", "Izz", "mz", "m", "Iyy")
"""The same in the order in which base parameters are chosen: the columns of a link are taken one after the other, each
that does not depend on those before. What a joint about z cannot feel comes last, so that it goes to the link that
carries it."""

CAUSES = ("acceleration", "centrifugal", "gravity")
"""Of torques: those that every motion has, in the order of the kernel torque_terms; wrenches follow."""


@dataclass(frozen=True)
class ParameterSpec:
    """A run-time parameter: a symbol that the description left open. `sign`: one of SIGNS, what its value must be."""

    name: str
    default: float | None = None
    sign: str = ""


@dataclass(frozen=True)
class SwitchSpec:
    """A cut joint that can be active or not: its loop, and where its flag and its open frame stand in the parameters.

    Poses are (12) rows of [R | p]: `declared` in link_a, `given` in link_b (empty: taken when it is connected).
    The joint goes from link_a to link_b. `base`: the free joint of the subtree that a cut leaves behind, empty for a
    connection. `axes`, `pitch`: of the joint, three numbers an axis.
    """

    name: str
    loop: int
    flag: int
    pose: tuple[int, ...]
    link_a: str
    link_b: str
    declared: tuple[float, ...]
    given: tuple[float, ...]
    active: bool
    base: str = ""
    axes: tuple[float, ...] = ()
    pitch: float = 0.0


@dataclass(frozen=True)
class RowSpec:
    """A block of rows that the contact solver holds: axes or turns locked between two links, or friction of entry `dof`
    of v.
    """

    name: str
    parent: str
    child: str
    kind: str
    dof: int = -1


@dataclass(frozen=True)
class Manifest:
    """Everything that the runtime must know of a compiled model."""

    name: str
    prefix: str
    module: str
    nq: int
    nv: int
    links: tuple[str, ...]
    joints: tuple[JointSpec, ...]
    frames: tuple[FrameSpec, ...]
    parameters: tuple[ParameterSpec, ...]
    kernels: tuple[KernelSpec, ...]
    neutral: tuple[float, ...]
    sources: tuple[str, ...]
    integrators: tuple[str, ...] = ()
    loops: tuple[JointSpec, ...] = ()  # cut joints
    switches: tuple[SwitchSpec, ...] = ()  # loops that can be active or not
    independent: tuple[int, ...] = ()  # entries of v from which the closure gives the others; empty: not known yet
    touching: Pairs = NO_PAIRS  # links, or "world", of every pair of shapes that may touch
    contact_capacity: int = 0  # points of contact, stops and rows that a step has room for
    rows: tuple[RowSpec, ...] = ()  # what the contact solver holds beside contacts
    rolling: tuple[str, ...] = ()  # cut joints whose rows x and y hold velocities only
    misfit: float = 0.0  # gap that rounded dimensions leave in loops that count as closed
    unit_length: float = 1.0  # [m] gaps of loops are in metres, angles of them times this: not 1 for tiny and huge ones
    start: tuple[float, ...] = ()  # q from which a motion starts, before limits and loops; empty: neutral
    pattern: tuple[tuple[int, ...], ...] = ()  # of a packed M: columns of each row up to the diagonal; empty: no kernel
    further: dict[str, str] = field(default_factory=dict)  # kernel that is not here → group it is compiled with
    followers: dict[str, str] = field(default_factory=dict)  # joint that mimics → joint that it follows
    unplaced: tuple[str, ...] = ()  # frames at places given by parameters, which kernels of their own know alone
    moved: tuple[str, ...] = ()  # joints whose motion the model gives, in the order of the kernel prescribed_motion
    reference: tuple[float, ...] = ()  # closed q (9 decimals) where `independent` was found; empty: not known
    dtype: str = "float64"  # one of PRECISIONS
    abi: int = ABI_VERSION

    @property
    def precision(self) -> Precision:
        """What it computes with."""
        return PRECISIONS[self.dtype]

    @property
    def closed(self) -> bool:
        """The mechanism has loops."""
        return bool(self.loops)

    def kernel(self, name: str) -> KernelSpec:
        """The kernel of that name; ModelError with the names there are, if there is none."""
        for kernel in self.kernels:
            if kernel.name == name:
                return kernel
        known = ", ".join(self.routes)
        remedy = "" if self.dtype == "float64" else f"; of {self.dtype} there are no others: compile without dtype"
        raise ModelError(f"model '{self.name}' has no kernel '{name}'; it has: {known}{remedy}")

    def has(self, name: str) -> bool:
        """There is a kernel of that name; those of `further` are none yet."""
        return any(kernel.name == name for kernel in self.kernels)

    @property
    def routes(self) -> tuple[str, ...]:
        """Names of all kernels, those too that are compiled when they are first asked for."""
        return (*(kernel.name for kernel in self.kernels), *self.further)

    def to_json(self) -> str:
        return self._json

    @cached_property
    def _json(self) -> str:
        own = {f.name: getattr(self, f.name) for f in fields(self)}
        return json.dumps(own, indent=1, sort_keys=True, default=asdict) + "\n"

    @staticmethod
    def from_json(text: str) -> Manifest:
        """Inverse of `to_json`. Raises ModelError if the text is damaged or of another ABI."""
        try:
            data: dict[str, Any] = json.loads(text)
            found = data["abi"]
            if found != ABI_VERSION:
                raise ModelError(f"manifest has ABI {found}, this kinegen reads {ABI_VERSION}: compile the model again")
            if not all(type(data[key]) is kind for key, kind in _KINDS.items()):
                raise TypeError(f"one of {', '.join(_KINDS)} is of another kind")
            if data.get("dtype", "float64") not in PRECISIONS:
                raise ValueError(f"numbers of {data['dtype']!r}")
            return Manifest(
                **{
                    **data,
                    "links": tuple(data["links"]),
                    **{
                        key: tuple(JointSpec(**{k: _tuples(x) for k, x in j.items()}) for j in data[key])
                        for key in ("joints", "loops")
                    },
                    "frames": tuple(FrameSpec(**{k: _tuples(x) for k, x in f.items()}) for f in data["frames"]),
                    "switches": tuple(SwitchSpec(**{k: _tuples(x) for k, x in s.items()}) for s in data["switches"]),
                    "parameters": tuple(ParameterSpec(**p) for p in data["parameters"]),
                    "kernels": tuple(_kernel(k) for k in data["kernels"]),
                    "neutral": tuple(data["neutral"]),
                    "start": tuple(data["start"]),
                    "reference": tuple(data["reference"]),
                    "sources": tuple(data["sources"]),
                    "integrators": tuple(data["integrators"]),
                    "independent": tuple(data["independent"]),
                    "rows": tuple(RowSpec(**r) for r in data["rows"]),
                    "further": {str(name): str(group) for name, group in data.get("further", {}).items()},
                    "followers": {str(name): str(leader) for name, leader in data.get("followers", {}).items()},
                    "unplaced": tuple(data.get("unplaced", ())),
                    "moved": tuple(data.get("moved", ())),
                    "rolling": tuple(data.get("rolling", ())),
                    "pattern": tuple(tuple(row) for row in data.get("pattern", ())),
                    "touching": Pairs(**{key: tuple(map(_tuples, x)) for key, x in data["touching"].items()}),
                }
            )
        except ModelError:
            raise
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise ModelError(f"manifest is damaged ({error}): compile the model again") from error


_KINDS = {"name": str, "prefix": str, "module": str, "nq": int, "nv": int, "contact_capacity": int}
"""Entries whose type is looked at when a manifest is read: by these names and sizes Python finds the compiled code and
makes its arrays, before it asks that code."""


def _tuples(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _kernel(data: dict[str, Any]) -> KernelSpec:
    arrays = {
        side: tuple(ArraySpec(a["name"], tuple(a["shape"])) for a in data[side]) for side in ("inputs", "outputs")
    }
    return KernelSpec(**{**data, **arrays})
