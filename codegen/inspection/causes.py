"""The torque of a joint as a table: link × cause → expression (§4)."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from kinegen.runtime.abi import CAUSES
from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.typed import typed

from ..mechanism.mechanism import Mechanism
from ..program.types import Function
from .forms.closed_form import closed_form
from .forms.form import Form
from .forms.polynomial import Atoms
from .latex import latex, upright


@dataclass(frozen=True, repr=False)
class TorqueTable:
    """Closed forms of the terms of one joint: `terms[dof][link][cause]`; their sum is its torque.

    `links`: those at or below the joint that add something. Centrifugal includes Coriolis.
    """

    joint: str
    links: tuple[str, ...]
    terms: tuple[dict[str, dict[str, sympy.Expr]], ...]

    @typed
    def term(self, link: str, cause: str, dof: int = 0) -> sympy.Expr:
        """One expression; 0 for a link that adds nothing. ModelError for an unknown cause or dof."""
        if isinstance(dof, bool) or not isinstance(dof, int):
            raise ModelError(f"dof: expected a whole number, got {shown(dof)}")
        if cause not in CAUSES or not 0 <= dof < len(self.terms):
            raise ModelError(f"joint '{self.joint}' has {len(self.terms)} dofs and causes {', '.join(CAUSES)}")
        return self.terms[dof].get(link, {}).get(cause, sympy.S.Zero)

    def total(self, dof: int = 0) -> sympy.Expr:
        """The torque: the sum of all terms of a dof."""
        return sympy.Add(*(self.term(link, cause, dof) for link in self.links for cause in CAUSES))

    def latex(self) -> str:
        """A table with a row per dof and link, a column per cause."""
        name = r"\text{%s}"
        rows = [" & ".join(("", *(name % cause for cause in CAUSES)))]
        for dof, terms in enumerate(self.terms):
            for link in self.links:
                label = link if len(self.terms) == 1 else f"{link} ({dof})"
                cells = (latex(terms.get(link, {}).get(cause, sympy.S.Zero)) for cause in CAUSES)
                rows.append(" & ".join((upright(label), *cells)))
        body = r" \\ ".join(rows)
        return rf"\begin{{array}}{{l|lll}} {body} \end{{array}}"

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def __repr__(self) -> str:
        lines = [f"Torque of '{self.joint}' by link and cause"]
        for dof, terms in enumerate(self.terms):
            lines += [f"dof {dof}"] if len(self.terms) > 1 else []
            lines += [f"  {link}, {cause}: {expr}" for link, row in terms.items() for cause, expr in row.items()]
        return "\n".join(lines)


def torque_table(mechanism: Mechanism, joint: str, function: Function, atoms: Atoms, *, force: bool) -> TorqueTable:
    """The table of a joint from its `torque_terms`. ModelError if these are too large to read and not forced."""
    try:
        form = closed_form([function], atoms, slice(None), force=force)
    except ModelError as error:
        raise ModelError(
            f"the terms of joint '{joint}' are too large to read ({function.operations} in factored form): "
            f"torque_terms('{joint}', force=True) gives them all the same, a compiled model's torque_terms their values"
        ) from error
    names = [body.link.name for body in mechanism.tree.bodies]
    rows = _rows(form, len(names))
    links = tuple(name for k, name in enumerate(names) if any(any(row[k]) for row in rows))
    return TorqueTable(
        joint,
        links,
        tuple(
            {
                name: {c: x for c, x in zip(CAUSES, row[k], strict=True) if x != 0}
                for k, name in enumerate(names)
                if any(row[k])
            }
            for row in rows
        ),
    )


def _rows(form: Form, count: int) -> list[list[list[sympy.Expr]]]:
    """[dof][link][cause] of stacked (links, causes)."""
    entries = list(form)
    return [
        [entries[3 * (count * dof + k) : 3 * (count * dof + k + 1)] for k in range(count)]
        for dof in range(len(entries) // (3 * count))
    ]
