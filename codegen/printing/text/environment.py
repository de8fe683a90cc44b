"""The one Jinja environment: templates give the text its shape, Python gives it its content."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate
from math import prod

from jinja2 import Environment, PackageLoader, StrictUndefined

from ...mechanism.types import Number
from ...symbolic.names import comment
from .printer import WIDTH

TEMPLATES = "kinegen.codegen.templates"


def render(template: str, **context: object) -> str:
    """The text of a template of `templates/`; a name that the template uses and `context` lacks is an error."""
    return _environment().get_template(template).render(**context)


@cache
def template_texts() -> tuple[str, ...]:
    """The templates of C, as they are."""
    names = _environment().list_templates(filter_func=lambda name: name.endswith((".c.j2", ".h.j2")))
    return tuple(files(TEMPLATES).joinpath(name).read_text(encoding="utf-8") for name in names)


def _signature(text: str) -> str:
    """A C signature broken after commas where it is longer than a line."""
    lines = [""]
    for part in text.split(", "):
        joined = f"{lines[-1]}, {part}" if lines[-1] else part
        if len(joined) > WIDTH and lines[-1]:
            lines[-1] += ","
            lines.append(f"    {part}")
        else:
            lines[-1] = joined
    return "\n".join(lines)


def bound(value: float) -> str:
    """A bound as C."""
    return repr(value) if math.isfinite(value) else "-HUGE_VAL" if value < 0 else "HUGE_VAL"


def real(value: Number) -> str:
    """A number as C, to the last bit."""
    return repr(float(value))


def reals(values: Iterable[Number]) -> str:
    """Numbers as C, one after the other."""
    return ", ".join(map(real, values))


def starts(rows: Iterable[Sequence[object]]) -> list[int]:
    """Where each of the rows starts if they stand one after the other, and where the last one ends."""
    return [0, *accumulate(map(len, rows))]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(*TEMPLATES.rsplit(".", 1)),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["comment"] = comment
    environment.filters["size"] = prod
    environment.filters["signature"] = _signature
    environment.filters["bound"] = bound
    environment.filters["real"] = real
    environment.filters["reals"] = reals
    environment.filters["starts"] = starts
    return environment
