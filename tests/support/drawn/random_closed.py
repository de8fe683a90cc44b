"""Random closed mechanisms by number, and the verdict on each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from support.maximal.assembly import Assembly

from .families import FAMILIES
from .spots import made, manner
from .truth import Truth, truth
from .verdict import Verdict, judged, straight_line


def drawn_closed(seed: int, number: int, family: str = "") -> tuple[str, Assembly, Truth, bool]:
    """(family, mechanism, what it does, whether it is compiled for its configuration); `family`: only of this one."""
    rng = np.random.default_rng([seed, number])
    names, shares = list(FAMILIES), [share for _, share in FAMILIES.values()]
    name = family or str(rng.choice(names, p=shares))
    assembly = made(rng, f"closed{number}", FAMILIES[name][0](rng), manner(rng))
    return name, assembly, truth(assembly, rng), bool(rng.random() < 0.5)


def closed_verdict(seed: int, number: int, folder: Path | None, family: str = "") -> tuple[str, Verdict]:
    """(family, verdict) with models compiled in a folder; None: of what is decided before."""
    name, assembly, facts, at = drawn_closed(seed, number, family)
    return name, straight_line(facts, at) if folder is None else judged(assembly, facts, at, folder)
