"""Who touches whom and with which friction, in models from MJCF, is what MuJoCo says of the same text."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.analysis.contact.collision_pairs import touching
from kinegen.codegen.analysis.contact.rules import ContactRules
from kinegen.codegen.mechanism import load
from kinegen.codegen.mechanism.geometry.shapes import Shape
from kinegen.runtime import Simulator
from kinegen.runtime.errors import ModelError

# every ball meets every other; hips of three hinges and ankles of two, so that bodies without mass stand between
WALKER = """<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1" friction="0.4"/>
<body name="trunk" pos="0 0 0.5"><freejoint/><geom name="trunk" size="0.9" friction="0.8"/>
  <body name="thigh"><joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/>
    <geom name="thigh" size="0.8" friction="0.3"/>
    <body name="pad"><geom name="pad" size="0.7" friction="0.6"/></body>
    <body name="foot"><joint axis="1 0 0"/><joint axis="0 1 0"/><geom name="foot" size="0.75" friction="1.2"/></body>
  </body>
  <body name="arm"><joint axis="0 1 0"/><geom name="arm" size="0.85" friction="0.1"/></body>
</body></worldbody></mujoco>"""


def _write(text: str, folder: Path) -> Path:
    (folder / "model.xml").write_text(text, encoding="utf-8")
    return folder / "model.xml"


@pytest.mark.parametrize("merge", [True, False])
def test_pairs_and_friction_are_mujocos(merge: bool, tmp_path: Path) -> None:
    model = mujoco.MjModel.from_xml_string(WALKER)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    expected = {
        frozenset(round(float(model.geom_friction[geom][0]), 6) for geom in contact.geom): contact.friction[0]
        for contact in data.contact
    }  # surfaces tell the geoms apart
    table = touching(load(_write(WALKER, tmp_path), merge=merge), ContactRules(within=True))
    found = {
        frozenset(table.shapes[end].shape.friction for end in (pair.first, pair.second)): pair.friction
        for pair in table.pairs
    }
    assert len(expected) >= 8
    assert found.keys() == expected.keys()
    for pair, friction in expected.items():
        assert found[pair] == pytest.approx(friction)


def test_geoms_with_priority_and_condim_without_sense(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1" condim="1"/>
    <body><freejoint/><geom size="0.1" condim="{}" {}/></body></worldbody></mujoco>"""
    with pytest.warns(UserWarning, match="priority is not read"):
        load(_write(text.format("3", 'priority="1"'), tmp_path))
    with pytest.raises(ModelError, match="'condim' must be one of"):
        load(_write(text.format("2", ""), tmp_path))
    for wrong in (2, 3.5, True):
        with pytest.raises(ModelError, match="condim must be 1, 3, 4 or 6"):
            Shape("sphere", (1.0,), condim=wrong)  # type: ignore[arg-type]


def test_margins_that_move_where_bodies_rest_and_joints_stop_are_told(tmp_path: Path) -> None:
    """Those of geoms that touch nothing and of joints without limits move nothing, and are passed over."""
    text = """<mujoco>
    <worldbody><geom type="plane" size="1 1 1"/><body><geom size="0.1" {0}/>
    <joint {1}/></body></worldbody></mujoco>"""
    with pytest.warns(UserWarning, match=r"model\.xml:2: <geom>: margin is not read; the geom touches at its surface"):
        load(_write(text.format('margin="0.02"', 'margin="0.1"'), tmp_path))
    limits = 'range="-0.2 1" margin="0.1" limited="{}"'
    with pytest.warns(UserWarning, match=r"model\.xml:3: <joint>: margin is not read; the joint stops at the ends"):
        load(_write(text.format('margin="0"', limits.format("true")), tmp_path))
    touchless = 'margin="0.02" contype="0" conaffinity="0"'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load(_write(text.format(touchless, limits.format("false")), tmp_path)).tree.nv == 1


def test_a_body_of_three_hinges_rests_within_itself(tmp_path: Path) -> None:
    """Links without mass between hinges touch nothing: the motion stays finite."""
    text = """<mujoco><worldbody><body name="a"><freejoint/><geom size="0.1"/>
    <body name="b" pos="0.15 0 0"><joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/>
    <geom size="0.1"/></body></body></worldbody></mujoco>"""
    model = kg.compile(load(_write(text, tmp_path)), contacts=ContactRules(within=True))
    simulator = Simulator(model)
    simulator.step(500)
    assert np.abs(simulator.v[3:]).max() < 1e-9


def test_meshes_need_no_inertia_where_nothing_moves(tmp_path: Path) -> None:
    """A wall that is a mesh stands in the world; on a body that moves its mass is asked for."""
    text = """<mujoco><asset><mesh name="m" file="m.stl"/></asset><worldbody>
    <body name="wall"><geom type="mesh" mesh="m" contype="0" conaffinity="0"/><geom size="0.1"/>
    <body name="shelf">{}<geom type="mesh" mesh="m" contype="0" conaffinity="0"/><geom size="0.1"/></body></body>
    <body name="ball" pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
    made = load(_write(text.format(""), tmp_path))
    assert len(made.shapes) == 2
    with pytest.raises(ModelError, match="inertia of a mesh is not computed"):
        load(_write(text.format("<joint/>"), tmp_path))
