"""The report: one page that opens offline, with everything inline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from kinegen.runtime.errors import ModelError
from kinegen.runtime.files import page_path, written

from ..inspection.equations import Equations, derive
from ..mechanism.mechanism import Mechanism
from ..pipeline import generate
from ..printing.sources import Sources
from ..program.types import Function
from .drawing import FEW, drawing
from .formulas import LOOPS, TREE, Formula, closed_bias, formula, formulas, own_forces
from .geometry import Array, geometry
from .listing import Listing, colours, listing
from .pairs import PAIRS
from .pointer_tree import pointer_tree
from .sparsity import share, sparsity
from .tables import Table, joints_table, kernels_table, links_table, short

SAME = ("M", "g", "c", "H")  # equations that stand both among the equations and beside the C
Told = Callable[[str], None]


@dataclass(frozen=True)
class Pair:
    """A kernel's equation and the C that computes it."""

    kernel: str
    equation: Formula
    code: Listing


@dataclass(frozen=True)
class Matrix:
    """A sparsity picture under its name."""

    name: str
    meaning: str
    picture: Markup
    share: str


@dataclass(frozen=True)
class Page:
    """What `report.html.j2` shows, from top to bottom; `told` says how the drawing is to be read; `own`: letters of
    what joints exert of themselves."""

    name: str
    facts: tuple[tuple[str, str], ...]
    drawing: Markup
    told: str
    pointers: Markup
    many: bool
    gravity: str
    parameters: tuple[str, ...]
    links: Table
    joints: Table
    matrices: tuple[Matrix, ...]
    velocities: tuple[tuple[str, str], ...]
    loops: tuple[Formula, ...]
    tree: tuple[Formula, ...]
    own: tuple[str, ...]
    kernels: Table
    pairs: tuple[Pair, ...]
    colours: Markup  # style rules of pygments


def write_report(mechanism: Mechanism, path: str | Path, q: Array | None, advance: Told) -> Path:
    """The page as a file; `q` (nq): a configuration, None for one that is found. ModelError if it cannot be written, or
    its name does not end as pages do."""
    target = page_path(path, "a report")
    text = page(mechanism, q, advance)
    with written(target) as draft:
        draft.write_text(text, encoding="utf-8")
    return target


def page(mechanism: Mechanism, q: Array | None = None, advance: Told = lambda stage: None) -> str:
    """The HTML."""
    eq = derive(mechanism)
    sources = generate(mechanism, advance=advance)
    advance("drawing")
    scene = geometry(mechanism, q)
    closed = bool(mechanism.virtual_links)
    own = own_forces(mechanism)
    tree = formulas(eq, (*TREE, *own), advance)
    loops = formulas(eq, (*LOOPS, closed_bias(own)), advance) if closed else []
    advance("code")
    shown = Page(
        name=mechanism.name,
        facts=tuple(_facts(mechanism, sources)),
        drawing=drawing(scene, mechanism.name),
        told=scene.told,
        pointers=pointer_tree(mechanism),
        many=len(mechanism.links) > FEW,
        gravity=", ".join(map(short, mechanism.gravity)),
        parameters=tuple(symbol.name for symbol in mechanism.parameters),
        links=links_table(mechanism),
        joints=joints_table(mechanism),
        matrices=tuple(_matrices(eq)),
        velocities=_velocities(eq) if closed else (),
        loops=tuple(loops),
        tree=tuple(tree),
        own=tuple(quantity.left for quantity in own),
        kernels=kernels_table(sources.manifest),
        pairs=tuple(_pairs(eq, sources, [*tree, *loops], advance)),
        colours=Markup(colours()),
    )
    text: str = _template().render(page=shown)
    return text


def _facts(mechanism: Mechanism, sources: Sources) -> list[tuple[str, str]]:
    tree = mechanism.tree
    free = len(sources.manifest.independent) if sources.manifest.independent else tree.nv
    facts = [("links", str(len(mechanism.links))), ("joints", str(len(mechanism.joints)))]
    facts += [("loops", str(len(mechanism.virtual_links)))] if mechanism.virtual_links else []
    facts += [("nq", str(tree.nq)), ("nv", str(tree.nv)), ("degrees of freedom", str(free))]
    mass = sum((link.mass for link in mechanism.links), start=0.0)
    facts += [("mass", f"{short(mass)} kg")]
    lines = sum(text.count("\n") for text in sources.files.values())
    return [*facts, ("lines of C", f"{lines:,}")]


def _velocities(eq: Equations) -> tuple[tuple[str, str], ...]:
    """(role, names) of the velocities, if the loop equations can be read."""
    try:
        named = (("independent", eq.v_G), ("dependent", eq.v_S), ("actuated", eq.v_A))
    except ModelError:
        return ()
    roles = [(role, ", ".join(symbol.name for symbol in form) or "none") for role, form in named]
    cut = [f"{symbol} = {angle}" for symbol, angle in eq.cut_angles.items()]
    return (*roles, ("angles of cut joints", ", ".join(cut))) if cut else tuple(roles)


def _matrices(eq: Equations) -> list[Matrix]:
    named = [("M", "mass matrix", "mass_matrix_composite"), ("G", "COG Jacobian, six rows a link", "cog_jacobian")]
    if eq.mechanism.virtual_links:
        named.append(("J_C", "loop Jacobian, six rows a loop; tree, then cut joints", "closure_jacobian"))
    found = []
    for name, meaning, program in named:
        function: Function = eq.program(program).function
        found.append(Matrix(name, meaning, sparsity(function, name), share(function)))
    return found


def _pairs(eq: Equations, sources: Sources, shown: Sequence[Formula], advance: Told) -> list[Pair]:
    """Equations that were shown above are not derived again, and to be copied there."""
    known = {formula.name: formula for formula in shown if formula.name in SAME}
    found = []
    for kernel, quantity in PAIRS:
        code = listing(sources.files, f"{sources.manifest.prefix}_{kernel}")
        if code is None:
            continue
        advance(f"code: {kernel}")
        same = known.get(quantity.left)
        equation = replace(same, meaning=quantity.meaning, copies=()) if same else formula(eq, quantity)
        found.append(Pair(kernel, equation, code))
    return found


@cache
def _template() -> Any:
    """Every value is escaped but what this package made itself (Markup)."""
    environment = Environment(
        loader=PackageLoader("kinegen.codegen", "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report/report.html.j2")
