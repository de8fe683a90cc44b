"""The few lines that join codegen and runtime: Mechanism → Model, Mechanism → Simulator."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, overload

from numpy.typing import ArrayLike

from kinegen.codegen.analysis.contact.rules import ContactRules
from kinegen.codegen.analysis.loops.fit import FIT
from kinegen.codegen.mechanism.elements.rows import NO_ROWS, RowRules
from kinegen.codegen.mechanism.formats.load import load
from kinegen.codegen.mechanism.mechanism import Mechanism
from kinegen.codegen.mechanism.structure.start import Start
from kinegen.codegen.pipeline import compile_mechanism, generate
from kinegen.codegen.printing.selection import ALL, CORE, Selection
from kinegen.runtime.contact.contacts import ContactOptions
from kinegen.runtime.errors import ModelError
from kinegen.runtime.model.model import Model
from kinegen.runtime.model.single import SingleModel
from kinegen.runtime.rollouts.rollout import Rollouts
from kinegen.runtime.rollouts.rollout import rollout as compiled_rollout
from kinegen.runtime.simulation.simulator import Simulator as ModelSimulator
from kinegen.runtime.stepping.given.drive import Controller, Torques
from kinegen.runtime.stepping.given.driven import Course
from kinegen.runtime.stepping.given.loads import WrenchController, Wrenches
from kinegen.runtime.stepping.given.servos import Servo
from kinegen.runtime.topology.library import Library
from kinegen.runtime.typed import typed

from .loading import compiled_model, tell_fit
from .topology import TopologyLibrary
from .visual.look import looking

__all__ = ["Simulator", "compile", "generate", "rollout"]


@overload
def compile(
    mechanism: Mechanism | str | Path,
    *,
    independent: Sequence[str] | None = None,
    at: Start | None = None,
    contacts: bool | ContactRules = True,
    rows: RowRules | None = None,
    fit: float = FIT,
    lanes: bool = False,
    complete: bool = False,
    frames: Sequence[str] = (),
    dtype: Literal["float64"] = "float64",
    target: str = "native",
    cache: str | Path | None = None,
    progress: bool = True,
) -> Model: ...


@overload
def compile(
    mechanism: Mechanism | str | Path,
    *,
    independent: Sequence[str] | None = None,
    at: Start | None = None,
    contacts: bool | ContactRules = True,
    rows: RowRules | None = None,
    fit: float = FIT,
    lanes: bool = False,
    complete: bool = False,
    frames: Sequence[str] = (),
    dtype: Literal["float32"],
    target: str = "native",
    cache: str | Path | None = None,
    progress: bool = True,
) -> SingleModel: ...


@typed
def compile(
    mechanism: Mechanism | str | Path,
    *,
    independent: Sequence[str] | None = None,
    at: Start | None = None,
    contacts: bool | ContactRules = True,
    rows: RowRules | None = None,
    fit: float = FIT,
    lanes: bool = False,
    complete: bool = False,
    frames: Sequence[str] = (),
    dtype: Literal["float64", "float32"] = "float64",
    target: str = "native",
    cache: str | Path | None = None,
    progress: bool = True,
) -> Model | SingleModel:
    """C99 → shared module through cffi, cached by content; of a file, what `kg.load(file)` gives.

    `independent`: joints that are to lead a closed mechanism, as `model.with_independent`.
    `at`: start configuration, joint of the tree → coordinate [m, rad] or its coordinates (nq_j); a closed mechanism is
    assembled near it, with these joints there if its loops close so and moved little if not; its degrees of freedom
    and what leads it are those of the branch it then is on.
    `contacts`: False leaves contact out, `ContactRules` say which shapes may touch; there is contact only if some may.
    `rows`: what the solver of contacts holds row by row in a simulation: loops instead of the closure, stiction,
    connections of some axes.
    `fit`: gap [m, rad] that loops may keep because their dimensions are rounded, at most 1e-4; by default what six
    digits leave, 2e-5, of which a FitWarning tells (`model.loops.misfit`); 0: they must close. What is open by more
    than a hundredth of a loop's own size is refused whatever `fit` is. A FitWarning also tells of loops that close at
    one place and hold a motion there by less than 1/300 of the others, which more digits may set free (parameters at
    their values). Mechanisms with open parameters, libraries of topologies and `kg.derive` know no such gap: there
    loops must close.
    `lanes`: compile the kernels also as code that computes several states at a time, in the lanes of vectors, and the
    packed mass matrix: for batches of thousands of states, 2 to 5 times as fast; the first compilation takes about
    twice as long.
    `complete`: compile at once what few ask for: derivatives, torques by cause, the slower routes to compare with, but
    for steps by lanes, which long rollouts of many simulations compile. Else
    each of these groups is compiled when it is first asked for, which a model in another process, or loaded from its
    folder, cannot do.
    `frames`: links and frames whose pose, Jacobian, velocity, acceleration and bias get straight-line kernels of their
    own, in C `PREFIX_jacobian_of_NAME(q, J)` and the like, which the methods of the model then call: for what a
    controller asks in every cycle. They have lanes too, and may stand at places given by parameters. A float32
    model has them by name: `model.kernel("jacobian_of_NAME")`.
    `dtype`: "float32" gives a `SingleModel`, kernels of single precision: of open trees, what is straight-line code.
    `target`: "native" or a processor name as the compiler's -march takes it; `cache`: folder instead of the user's
    cache directory; `progress`: show a bar when it takes over a second on a terminal. The environment may name the
    compiler (CC), further flags (KINEGEN_CFLAGS, such as "-O0 -g"), the seconds that one of its calls may take
    (KINEGEN_CC_TIMEOUT), the cache (KINEGEN_CACHE) and the size it may grow to (KINEGEN_CACHE_LIMIT, 2GB). Raises
    ModelError if the mechanism cannot be compiled, BuildError if there is no compiler, what it makes does not load or
    computes wrongly, or the cache cannot be written or belongs to others.
    """
    where = Path(cache) if cache else None
    described = load(mechanism) if isinstance(mechanism, (str, Path)) else mechanism

    def compiled(selection: Selection) -> Path:
        return compile_mechanism(
            described,
            contacts=contacts if selection.touching or rows is not None else False,
            rows=rows or NO_ROWS,
            at=at,
            fit=fit,
            selection=selection,
            target=target,
            cache=where,
            progress=progress,
        )

    chosen = replace(ALL if complete else CORE, lanes=bool(lanes), frames=tuple(frames))
    if dtype == SingleModel.computes:
        _require_kernels_only(rows=rows, independent=independent)
        return compiled_model(compiled, looking(described), SingleModel, chosen)
    model = compiled_model(compiled, looking(described), Model, chosen)
    tell_fit(model)
    return model if independent is None else model.with_independent(independent)


def _require_kernels_only(**given: object) -> None:
    """ModelError for an option of what a float32 model has not."""
    for name, value in given.items():
        if value is not None:
            raise ModelError(f"{name}: a float32 model is an open tree and is not simulated; leave it out, or dtype")


class Simulator(ModelSimulator):
    __doc__ = ModelSimulator.__doc__

    def __init__(
        self,
        model: Mechanism | str | Path | Model | TopologyLibrary | Library,
        *,
        dt: float = 1e-3,
        integrator: str = "semi_implicit",
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        tau: Torques | Controller | None = None,
        contacts: bool | ContactOptions | None = None,
        active: Collection[str] | None = None,
        limits: bool = True,
        wrenches: Wrenches | WrenchController | None = None,
        driven: Mapping[str, Course] | None = None,
        servos: Mapping[str, Servo] | None = None,
        work: bool = False,
    ) -> None:
        """`model`: a mechanism, a file of one or a TopologyLibrary is compiled first; the rest as in
        `kinegen.runtime.Simulator`. The loops of a mechanism are cut so that joints in `driven` are in the tree.
        """
        if isinstance(model, (Mechanism, str, Path)):
            model = led(model if isinstance(model, Mechanism) else load(model), driven)
        super().__init__(
            _compiled(model),
            dt=dt,
            integrator=integrator,
            q=q,
            v=v,
            tau=tau,
            contacts=contacts,
            active=active,
            limits=limits,
            wrenches=wrenches,
            driven=driven,
            servos=servos,
            work=work,
        )


def rollout(
    model: Mechanism | str | Path | Model | TopologyLibrary | Library,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    *,
    steps: int,
    dt: float = 1e-3,
    tau: Torques | Controller | Sequence[Controller] | None = None,
    servos: Mapping[str, Servo] | None = None,
    wrenches: Wrenches | WrenchController | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    integrator: str = "semi_implicit",
    contacts: bool | ContactOptions | None = None,
    active: Collection[str] | None = None,
    limits: bool = True,
    every: int = 1,
    lanes: bool | None = None,
    threads: int | None = None,
    progress: bool | Callable[[float], None] = False,
) -> Rollouts:
    """`model`: a mechanism, a file of one or a TopologyLibrary is compiled first; the rest as in
    `kinegen.runtime.rollout`.
    """
    return compiled_rollout(
        _compiled(model),
        q0,
        v0,
        steps=steps,
        dt=dt,
        tau=tau,
        servos=servos,
        wrenches=wrenches,
        parameters=parameters,
        integrator=integrator,
        contacts=contacts,
        active=active,
        limits=limits,
        every=every,
        lanes=lanes,
        threads=threads,
        progress=progress,
    )


def led(mechanism: Mechanism, driven: object) -> Mechanism:
    """With the joints in `driven` (by name) in the tree, its loops cut elsewhere; as it is where they are."""
    names = set(driven) if isinstance(driven, Mapping) else set()
    if not names & {virtual.joint.name for virtual in mechanism.virtual_links}:
        return mechanism
    return mechanism.in_tree(*(joint.name for joint in mechanism.joints if joint.name in names))


def _compiled(model: Mechanism | str | Path | Model | TopologyLibrary | Library) -> Model | Library:
    if isinstance(model, (Mechanism, str, Path)):
        return compile(model)
    return model.library if isinstance(model, TopologyLibrary) else model
