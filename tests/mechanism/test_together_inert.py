"""Joints that together move nothing with inertia, though each of them by itself does."""

from __future__ import annotations

import pytest

import kinegen as kg

BOX = ((0.01, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.03))


def on_a_thin_base(kind: str, **base: object) -> kg.Mechanism:
    """A floating link, thin if nothing is said of it, that carries a heavy one by a joint of this kind."""
    links = (kg.Link("thin", **base), kg.Link("heavy", mass=1.0, com=(0.0, 0.0, 0.3), inertia=BOX))  # type: ignore[arg-type]
    return kg.Mechanism("m", links, (kg.Joint("float", "free", "world", "thin"), kg.Joint("s", kind, "thin", "heavy")))


@pytest.mark.parametrize("kind", ["spherical", "revolute", "prismatic", "universal"])
def test_they_are_refused_by_name(kind: str) -> None:
    with pytest.raises(kg.ModelError, match=r"joints 'float', 's' can move together .* one of the links 'thin' mass"):
        kg.compile(on_a_thin_base(kind))


def test_a_little_inertia_is_enough() -> None:
    """A point mass away from the hinge turns with it, and so does the least of boxes; a rotor helps as well."""
    small = tuple(tuple(1e-9 * x for x in row) for row in BOX)
    for base in ({"mass": 1e-6, "inertia": small}, {"mass": 1e-6, "com": (0.1, 0.1, 0.0), "inertia": small}):
        assert kg.compile(on_a_thin_base("revolute", **base)).nv == 7
