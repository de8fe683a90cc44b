"""kinegen explain: which link, by which cause, loads a joint over a motion; of loops, a joint that leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path

import numpy as np
from rich.markup import escape
from rich.table import Table

from kinegen.runtime.analysis.smoothing import Smoothing
from kinegen.runtime.arguments import Array
from kinegen.runtime.errors import ModelError
from kinegen.runtime.measured.plates import PlateRecord, read_forces
from kinegen.runtime.measured.states import States, read_states
from kinegen.runtime.model.closed.closure import dof_names
from kinegen.runtime.model.model import Model
from kinegen.runtime.model.torques.causes import TorqueTerms, measures
from kinegen.runtime.plotting.plot import entry_labels

from ..models import Root, read_model
from ..outputs import check_outputs, make_folder_of
from ..scenes.scene import read_scene
from ..scenes.simulated import simulator_of
from .animate import told_by_scene
from .demonstration import build_timed, generate_timed
from .terminal import activity, show, table

SHOWN = 8
"""Most links in the table."""

OPEN = 1e-3
"""Gap [m, rad] from which a motion does not close the loops: tables are rounded."""


def run(
    model: str,
    motion: Path,
    joint: str,
    root: Root | None,
    cutoff: float | None,
    plot: Path | None,
    forces: Sequence[str],
) -> None:
    """Tables of what makes the joint's torque and work, and a picture if asked for."""
    told = _told(forces)
    check_outputs((model, motion, *(each.file for each in told)), {} if plot is None else {"plot": plot})
    plates = [(each.read(told), each.link) for each in told]
    built = _compiled(model, root)
    joint = _labels(built).get(joint, joint)
    states = read_states(built, motion, Smoothing(cutoff) if cutoff else Smoothing.none())
    if built.manifest.closed:
        built = _led_by(built, joint, states, motion)
    wrenches = [plate.on(link, states.t) for plate, link in plates]
    wrenches += [wrench for wrench in states.contacts if wrench.link not in {link for _, link in plates}]
    terms = built.torque_terms(states.q, states.v, states.a, wrenches)
    part = terms.of(joint)
    moves = [k for k, *names in zip(built.loops.leaders, terms.owners, terms.dofs, strict=True) if joint in names]
    work = part.work(states.v[:, moves], states.t)
    show(
        f"[bold]{escape(joint)}[/] of {escape(built.name)}: {len(states.t)} frames, "
        f"{states.t[0]:g} to {states.t[-1]:g} s"
    )
    if built.manifest.closed:
        show(f"closed: what must act there where nothing acts but along {escape(', '.join(terms.dofs))}")
    for k in range(len(part.dofs)):
        show("", _causes(part, work, k), "", _links(part, work, k))
    if plot is not None:
        make_folder_of(plot)
        part.plot(states.t, joint, plot)
        show("", f"[green]plot[/]  {escape(str(plot))}")


def _compiled(model: str, root: Root | None) -> Model:
    """The model, or that of a scene with its gravity and parameters. ModelError where connections come and go."""
    scene = read_scene(model) if told_by_scene(model, root) else None
    if scene and scene.structure.changes:
        raise ModelError(f"{model}: forces of connections that come and go are not explained; give a scene without")
    mechanism = scene.mechanism() if scene else read_model(model, root)
    with activity("deriving") as advance:
        sources, deriving = generate_timed(mechanism, advance)
    built = build_timed(sources, deriving).model
    return simulator_of(scene, built).model if scene else built


def _labels(model: Model) -> dict[str, str]:
    """Names of the entries of v, "ball[2]", as errors have them -> those of the tables, "ball wz"."""
    labels = (label for _, label in entry_labels(model.manifest.joints, 1))
    return dict(zip(dof_names(model.manifest), labels, strict=True))


def _led_by(model: Model, joint: str, states: States, motion: Path) -> Model:
    """The closed model with this joint, or the entry so called, among those that lead where the motion starts.

    ModelError if it cannot lead there, and for a motion that leaves loops open.
    """
    gaps = np.abs(model.closure_residual(states.q)).max(axis=1)
    if gaps.max() > OPEN:
        k = int(np.argmax(gaps > OPEN))
        raise ModelError(
            f"{motion}: frame {k + 1} leaves loops of model '{model.name}' open by {gaps[k]:.3g} m or rad; give the "
            "coordinates of all joints of the loops, closed (model.assemble)"
        )
    owners = [spec.name for spec in model.manifest.joints for _ in range(spec.nv)]
    entries = zip(owners, _labels(model).items(), strict=True)
    pins = [name for owner, (name, label) in entries if joint in (owner, label)]
    return model.with_independent(pins or [joint], states.q[0])


@dataclass(frozen=True)
class _Forces:
    """What FILE[:PREFIX]=LINK says."""

    file: str
    prefix: str
    link: str

    def read(self, told: Sequence[_Forces]) -> PlateRecord:
        """The record, called by its link, and numbered where several push that one."""
        same = [each for each in told if each.link == self.link]
        number = f" {same.index(self) + 1}" if len(same) > 1 else ""
        name = f"force{number} on {self.link}"
        parts = {"force": "ground_force_v", "point": "ground_force_p", "torque": "ground_torque_"}
        return read_forces(self.file, name, **{part: self.prefix + column for part, column in parts.items()})


def _told(texts: Sequence[str]) -> list[_Forces]:
    """ModelError for what is not written so, and for what is given twice."""
    found: list[_Forces] = []
    for text in texts:
        source, equals, link = text.rpartition("=")
        marks = [k for k, letter in enumerate(source) if letter == ":"]
        ends = [k for k in [len(source), *reversed(marks)] if isfile(source[:k])]  # a file's name may have ':'
        end = (ends or marks or [len(source)])[0]
        forces = _Forces(source[:end], source[end + 1 :], link)
        if not (forces.file and equals and link):
            raise ModelError(f"--forces {text}: expected FILE=LINK or FILE:PREFIX=LINK, such as grf.mot:1_=foot_l")
        if forces in found:
            raise ModelError(f"--forces {text} is given twice; give it once")
        found.append(forces)
    return found


COLUMNS = ("mean size", "largest", "work [J]")


def _causes(part: TorqueTerms, work: TorqueTerms, dof: int) -> Table:
    shown = table(f"{escape(part.dofs[dof])} by cause [{measures(part)[dof][1]}]", "cause", *COLUMNS, right=COLUMNS)
    for c, cause in enumerate(part.causes):
        values = part.by_cause[:, dof, c]
        shown.add_row(escape(cause), *_figures(values), f"{work.by_cause[dof, c]:.4g}")
    shown.add_row("[bold]sum[/]", *_figures(part.total[:, dof]), f"{work.total[dof]:.4g}")
    return shown


def _links(part: TorqueTerms, work: TorqueTerms, dof: int) -> Table:
    shown = table(f"{escape(part.dofs[dof])} by link [{measures(part)[dof][1]}]", "link", *COLUMNS, right=COLUMNS)
    size = np.abs(part.by_link[:, dof]).mean(axis=0)
    order = [int(i) for i in np.argsort(-size) if size[i] > 0.0]
    for i in order[:SHOWN]:
        shown.add_row(escape(part.links[i]), *_figures(part.by_link[:, dof, i]), f"{work.by_link[dof, i]:.4g}")
    if len(order) > SHOWN:
        rest = order[SHOWN:]
        together = part.by_link[:, dof, rest].sum(axis=1)
        shown.add_row(f"other {len(rest)}", *_figures(together), f"{work.by_link[dof, rest].sum():.4g}")
    return shown


def _figures(values: Array) -> tuple[str, str]:
    return f"{np.abs(values).mean():.4g}", f"{values[np.argmax(np.abs(values))]:.4g}"
