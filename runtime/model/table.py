"""A model as a table in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..abi import JointSpec


def model_table(title: str, joints: Sequence[JointSpec]) -> str:
    """HTML of the joints and their places in q and v; names are escaped."""
    head = "".join(f"<th>{name}</th>" for name in ("joint", "kind", "parent", "child", "q", "v"))
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in _cells(joint))}</tr>" for joint in joints)
    return f"<p>{escape(title)}</p><table><tr>{head}</tr>{rows}</table>"


def _cells(joint: JointSpec) -> tuple[str, ...]:
    places = (_place("q", joint.q_start, joint.nq), _place("v", joint.v_start, joint.nv))
    return (joint.name, joint.kind, joint.parent, joint.child, *places)


def _place(letter: str, start: int, count: int) -> str:
    return "" if count == 0 else f"{letter}[{start}]" if count == 1 else f"{letter}[{start}:{start + count}]"
