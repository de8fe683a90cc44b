"""kinegen inspect: what a mechanism consists of, and what its equations cost."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.mechanism.elements.joint_options import UNLIMITED
from kinegen.runtime.errors import ModelError

from ..models import Root, read_model
from ..outputs import check_outputs, make_folder_of
from .kernels import kernel_table
from .terminal import activity, show, table


def run(model: str, root: Root | None, latex: bool, html: Path | None = None, parameters: tuple[str, ...] = ()) -> None:
    """Pointers, joints, parameters and kernels as tables, the equations of motion as LaTeX, or a page about it all."""
    if latex and html is not None:
        raise ModelError("--latex and --html: each shows something else instead of the tables; give one of them")
    check_outputs([model], {} if html is None else {"html": html})
    mechanism = read_model(model, root, parameters=parameters)
    if html is not None:
        _write_page(mechanism, html)
        return
    if latex:
        _print_latex(mechanism)
        return
    show(_pointers(mechanism), "", _joints(mechanism), "")
    if mechanism.parameters:
        show(f"run-time parameters: {', '.join(escape(symbol.name) for symbol in mechanism.parameters)}", "")
    from kinegen.codegen.pipeline import generate

    with activity("deriving") as advance:
        sources = generate(mechanism, advance=advance)
    show(kernel_table(sources.manifest))
    if mechanism.virtual_links:
        _print_loops(mechanism)


def _write_page(mechanism: Mechanism, html: Path) -> None:
    from ..drawing.report import report

    make_folder_of(html)
    with activity("writing") as advance:
        report(mechanism, html, advance=advance)
    show(f"{escape(str(html))}: {html.stat().st_size / 1024:.0f} kB, open it in a browser")


def _print_loops(mechanism: Mechanism) -> None:
    """The loops' equations, H, W and S, if they can be read; ASCII where the output takes nothing else."""
    from kinegen.codegen.inspection.equations import derive
    from kinegen.codegen.inspection.forms.paper import loop_lines

    with activity("deriving"):
        lines = list(loop_lines(derive(mechanism), unicode="utf" in (sys.stdout.encoding or "").lower()))
    print("", *lines, sep="\n\n")


def _pointers(mechanism: Mechanism) -> Table:
    pointers = mechanism.pointers()
    virtual = any(row.real for row in pointers)
    columns = ("link", "parent", "child", "brother", *(("real",) if virtual else ()), "mass [kg]")
    shown = table(f"links of {escape(mechanism.name)}", *columns, right=("mass [kg]",))
    masses = {link.name: link.mass for link in mechanism.links}
    for row in pointers:
        mass = masses.get(row.link)
        text = "" if mass is None else f"{mass:.4g}" if isinstance(mass, (int, float)) else str(mass)
        names = (row.link, row.parent, row.child, row.brother, *((row.real,) if virtual else ()))
        shown.add_row(*(escape(name or "-") for name in names), escape(text))
    return shown


def _joints(mechanism: Mechanism) -> Table:
    tree = mechanism.tree
    shown = table(
        f"joints: nq = {tree.nq}, nv = {tree.nv}",
        "joint",
        "kind",
        "parent",
        "child",
        "q",
        "v",
        "limits",
        fold=("limits",),
    )
    for body in tree.bodies:
        joint = body.joint
        limits = ", ".join(f"{low:.3g} .. {high:.3g}" for low, high in joint.limits if (low, high) != UNLIMITED)
        shown.add_row(
            *map(escape, (joint.name, joint.described, joint.parent, joint.child)),
            _span(body.q_start, body.nq),
            _span(body.v_start, body.nv),
            limits or "-",
        )
    for virtual in mechanism.virtual_links:
        joint = virtual.joint
        shown.add_row(*map(escape, (joint.name, f"{joint.described}, cut", joint.parent, joint.child)), "-", "-", "-")
    return shown


def _span(start: int, count: int) -> str:
    """Which entries: 7, or 7-10."""
    if count == 0:
        return "-"
    return str(start) if count == 1 else f"{start}-{start + count - 1}"


def _print_latex(mechanism: Mechanism) -> None:
    """M v̇ + c + g = τ + Kᵀλ written out, then H, W, S of loops. ModelError if the mechanism is too large for that."""
    from kinegen.codegen.inspection.equations import derive
    from kinegen.codegen.inspection.forms.polynomial import IllegibleError

    with activity("deriving"):
        eq = derive(mechanism)
        try:
            lines = [eq.latex()]
            if mechanism.virtual_links:
                lines += [f"{name} = {form.latex()}" for name, form in (("H", eq.H), ("W", eq.W), ("S", eq.S))]
        except IllegibleError as refusal:
            raise ModelError(
                f"mechanism '{mechanism.name}': the closed form of its equations is too large to read: --html FILE "
                "writes a page with those that can be read, and Python prints their factored forms, "
                "kg.derive(mechanism).program('mass_matrix')"
            ) from refusal
    print(*lines, sep="\n")
