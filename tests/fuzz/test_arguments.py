"""Everything public, called with what nobody would give: a KinegenError; nothing else comes out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg
from support.fuzz.arguments import names, working
from support.fuzz.public import everything, owners
from support.fuzz.receivers import LEFT_OUT, RECEIVERS
from support.fuzz.run import call, elsewhere
from support.fuzz.working import SELF, WORKS

COUNT, MORE_OF_EACH = 5, range(5, 8)
"""Strange calls of each, and those left to the sweep."""

MORE = ("play", "Mechanism.check_dynamics", "Trajectory.plot_footsteps")
"""Left to the sweep: most of their strange calls are fine, and each compiles a page or derives or draws as much."""


def test_everything_public_is_called_or_left_out_for_a_reason() -> None:
    """A new name is called without another word; the tables name nothing that is gone."""
    public = everything()
    assert set(LEFT_OUT) | set(RECEIVERS) | set(WORKS) | set(SELF) <= set(public) | set(owners())
    assert all(LEFT_OUT.values())
    assert {item.owner for item in public.values()} - {""} - set(LEFT_OUT) <= set(RECEIVERS)
    assert len(names()) > 300


@pytest.mark.filterwarnings("ignore")
def test_every_call_works_before_it_is_made_strange() -> None:
    """Else all that follows would be refused for the same reason, whatever is strange in it."""
    failed = {}
    for name in names():
        try:
            with elsewhere():
                working(name)()
        except Exception as error:  # told with its name below
            failed[name] = error
    assert failed == {}


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.sweep if n in MORE else ()) for n in names()])
def test_no_argument_is_a_crash(name: str) -> None:
    assert call(range(COUNT), [name]).findings == ()


@pytest.mark.sweep
def test_further_strange_calls_are_no_crash() -> None:
    assert call(MORE_OF_EACH, names()).findings == ()


FOUND = [
    *(("compile", "cache", "a\0b"), ("compile", "cache", "\ud800"), ("Connection", "pose_b", 10**5000)),
    *(("Model.load", "folder", None), ("save", "path", 3), ("report", "path", ["a"]), ("tour", "what", b"a")),
    *(("Model.q_slice", "joint", ["elbow"]), ("Model.frame_pose", "frame", {}), ("Mechanism.joint", "name", np.eye(2))),
    *(("Model.assemble", "hold", 3), ("Model.assemble", "hold", np.eye(2)), ("bushing", "axes", np.eye(2))),
    *(("Trajectory", "events", None), ("Trajectory", "contacts", 1.0), ("Markers", "names", np.zeros(3, complex))),
    *(("Markers", "file", 10**5000), ("PlateRecord", "file", 10**5000), ("Motion", "t", object())),
    *(
        ("linearize", "model", 1),
        ("equilibrium", "model", "a"),
        ("rollout", "parameters", "a"),
        ("derive", "independent", 1),
    ),
    *(("inverse_dynamics_from_motion", "motion", 1), ("Motion", "segments", [np.eye(2)])),
    *(("TorqueTable.total", "dof", np.eye(2)), ("Factored.lambdify", "modules", "upper"), ("Table.column", "name", {})),
    *(("Factored.evaluate", "precision", 10**9), ("layouts.to_drake", "model", 1), ("Sources.write", "folder", None)),
    *(("ContactWrenchCone.of_points", "normals", np.zeros((1, 0, 3))), ("Footstep", "side", np.zeros((0, 3)))),
    ("Simulator.when", "condition", replace(kg.distance("upper", "lower") < 1.0, sign=[1.0])),
    *(("Equations.J_L", "joint", np.zeros(3, "f8,i4")), ("ImmutableDenseMatrix.c", "name", 1)),
    *(("Shape", "kind", []), ("ContactRules", "combine", ["min"]), ("TopologyLibrary", "cuts", 1)),
]
"""Found by calls with every strange value: names of no file, numbers too long to be written, values of other types."""


@pytest.mark.parametrize("at", range(len(FOUND)))
def test_what_was_found_stays_mended(at: int) -> None:
    name, option, value = FOUND[at]
    found = working(name)
    found.given[option] = value
    with elsewhere(), pytest.raises(kg.KinegenError):
        found()
