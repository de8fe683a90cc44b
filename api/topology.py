"""Mechanism with all connections that it may get and lose → one compiled library of every topology."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from kinegen.codegen.analysis.contact.rules import ContactRules
from kinegen.codegen.mechanism.elements.rows import NO_ROWS, RowRules
from kinegen.codegen.mechanism.mechanism import Mechanism
from kinegen.codegen.mechanism.structure.topology import Connection, topologies
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.codegen.printing.selection import CORE, Selection
from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import InternalError, ModelError, shown
from kinegen.runtime.model.model import Model
from kinegen.runtime.topology.library import Extension, Library
from kinegen.runtime.typed import typed

from .loading import compiled_model, tell_fit
from .visual.look import looking


class TopologyLibrary:
    """A mechanism with n declared connections, and joints that may be cut: one tree and n closure kernels, so that
    every one of the 2ⁿ subsets can be active without compiling again.

    `connections`: what may be connected while it moves; `cuts`: names of joints that may be cut (they are active from
    the beginning). Loops of the mechanism that are not named stay closed. `contacts`, `frames`, `target`, `cache` as in
    `compile`; links that hang together, through joints that can be cut too while they hold, do not touch each other,
    the two links of a connection not while it is active. `rows`: libraries hold no rows, since the closure
    holds their connections and cuts and none are solved beside it. ModelError refuses `Rows` between links (declare a
    connection instead), loops=True, and friction=True where a joint has dry friction; the rules that are left, those
    of a mechanism without it among them, hold nothing.
    ModelError for a name that is taken or not there.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        connections: Sequence[Connection] = (),
        cuts: Sequence[str] = (),
        *,
        contacts: bool | ContactRules = True,
        rows: RowRules | None = None,
        frames: Sequence[str] = (),
        target: str = "native",
        cache: str | Path | None = None,
    ) -> None:
        self.topologies = topologies(mechanism, connections, cuts)
        self.mechanism = mechanism
        self.connections = tuple(connections)
        self.cuts = tuple(cuts)
        self._contacts, self._rows = _options(contacts, rows)
        if self._rows.loops:
            raise ModelError(
                f"rows: loops=True: the loops of library '{mechanism.name}' come and go, which the closure does and "
                "rows do not; leave loops=False"
            )
        self._chosen = replace(CORE, frames=_names(frames))
        self._target, self._cache = target, Path(cache) if isinstance(cache, str | Path) and cache else None
        self._library: Library | None = None

    def precompile(self, progress: bool = False) -> TopologyLibrary:
        """Compile it, or take it from the cache; in parallel, in a time that grows with the number of connections.

        `progress`: a bar on a terminal when it takes over a second.
        """
        if self._library is None:
            expanded = self.topologies

            def compiled(selection: Selection) -> Path:
                return compile_mechanism(
                    expanded.mechanism,
                    switches=expanded.switches,
                    contacts=self._contacts if selection.core or self._rows != NO_ROWS else False,
                    rows=self._rows,
                    fit=0.0,
                    selection=selection,
                    target=self._target,
                    cache=self._cache,
                    progress=progress,
                )

            model = compiled_model(compiled, looking(expanded.mechanism), Model, self._chosen)
            tell_fit(model)
            joints = frozenset(joint.name for joint in self.mechanism.joints)
            self._library = Library(model, Extension(self._extended, joints, self.connections))
        return self

    @property
    def library(self) -> Library:
        """The compiled library, which the simulator steps; its `model.module.folder` runs without SymPy."""
        self.precompile()
        if self._library is None:
            raise InternalError("precompile leaves a library")
        return self._library

    @property
    def model(self) -> Model:
        """The tree's model with what is active from the beginning."""
        return self.library.model

    def with_parameters(self, values: Mapping[str, float] | None = None, /, **named: float) -> Library:
        """The compiled library with these run-time parameters set; see `Library.with_parameters`."""
        return self.library.with_parameters(values, **named)

    @typed
    def with_active(self, active: Collection[str], q: ArrayLike | None = None) -> Model:
        """The model with just these connections; see `Library.with_active`."""
        return self.library.with_active(active, q)

    @typed
    def state(
        self, q: Mapping[str, ArrayLike] | None = None, v: Mapping[str, ArrayLike] | None = None
    ) -> tuple[Array, Array]:
        """(nq), (nv) from coordinates and speeds by joint, joints that can be cut included; see `Library.state`."""
        return self.library.state(q, v)

    def _extended(self, connections: object, cuts: Collection[str]) -> Library:
        more = tuple(connections) if isinstance(connections, Sequence) else ()
        larger = TopologyLibrary(
            self.mechanism,
            (*self.connections, *more),
            (*self.cuts, *cuts),
            contacts=self._contacts,
            rows=self._rows,
            frames=self._chosen.frames,
            target=self._target,
            cache=self._cache,
        )
        return larger.library


def _options(contacts: Any, rows: Any) -> tuple[bool | ContactRules, RowRules]:
    """What touches, and what is held by rows."""
    if not isinstance(contacts, bool | ContactRules):
        raise ModelError(f"contacts: expected True, False or ContactRules, got {shown(contacts)}")
    if not isinstance(rows, RowRules | None):
        raise ModelError(f"rows: expected RowRules, got {shown(rows)}")
    return contacts, rows or NO_ROWS


def _names(frames: Any) -> tuple[str, ...]:
    """Those of frames; one name alone is no list of its letters."""
    if isinstance(frames, str) or not isinstance(frames, Sequence) or not all(isinstance(x, str) for x in frames):
        raise ModelError(f"frames: expected names in a list, got {shown(frames)}")
    return tuple(frames)
