"""What needs an extra says so, with the command that installs it: each with its packages hidden."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.build.toolchain import find_compiler
from kinegen.codegen.inspection.factored import Factored
from kinegen.codegen.mechanism.geometry.meshes import _load
from kinegen.codegen.mechanism.geometry.polyhedron import _quickhull
from kinegen.runtime.contact.exact import require_clarabel
from kinegen.runtime.model.closed.actuation import _solver
from kinegen.runtime.viewer.server import open_server

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


def terms() -> object:
    values = np.zeros((3, 1, 1, 1))
    return kg.TorqueTerms(values, ("a",), ("a",), ("l",), ("gravity",)).to_xarray()


def gravity() -> Factored:
    link = kg.Link("a", mass=1.0, com=(1, 0, 0))
    return kg.derive(kg.Mechanism("m", [link], [kg.Joint("j", "revolute", "world", "a")])).program("gravity")


def pendulum() -> kg.Model:
    return kg.compile(kg.load("examples/double_pendulum.urdf"))


NEEDS: dict[str, tuple[str, str, Callable[[], object]]] = {
    "torque limits": ("qp", "daqp", _solver),
    "exact contact": ("exact", "clarabel", require_clarabel),
    "exact contact, matrices": ("exact", "scipy", require_clarabel),
    "xarray": ("measured", "xarray", terms),
    "meshes": ("mesh", "trimesh", lambda: _load(Path("a.stl"))),
    "meshes of COLLADA": ("mesh", "collada", lambda: _load(Path("a.dae"))),
    "hulls": ("mesh", "scipy.spatial", lambda: _quickhull(np.eye(4)[:, :3])),
    "the viewer": ("view", "viser", lambda: open_server("m", "127.0.0.1", 0)),
    "functions of CasADi": ("casadi", "casadi", lambda: gravity().casadi()),
    "functions for JAX": ("jax", "jax", lambda: kg.jax.functions(pendulum())),
    "functions for PyTorch": ("torch", "torch", lambda: kg.torch.functions(pendulum())),
    "a compiler": ("cc", "ziglang", lambda: find_compiler({"PATH": "/nowhere"})),
}


@pytest.mark.parametrize("what", NEEDS)
def test_a_missing_extra_is_named_with_its_command(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    extra, package, use = NEEDS[what]
    known = importlib.util.find_spec
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == package else known(name, *rest)
    )
    with pytest.raises(kg.KinegenError, match=rf"pip install 'kinegen\[{extra}\]'"):
        use()


def test_every_extra_is_looked_at() -> None:
    """All but what tests need; and what an extra installs is what tests have, but for PyTorch, which is too large."""
    extras = PROJECT["optional-dependencies"]
    assert set(extras) - {"test"} == {extra for extra, _, _ in NEEDS.values()}
    assert {need for extra in extras if extra != "torch" for need in extras[extra]} <= set(extras["test"])
