"""After any sequence of changes the dynamics are those of the mechanism built from scratch in that structure."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.errors import ClosureWarning
from support.oracles.numeric import error
from support.scratch import scratch
from support.switching import library, start, structure

SEQUENCES = {"float": 80, "ground": 60, "loop": 60}
"""200 sequences of CHANGES changes; 144 different structures come of them. A tenth of them unless swept."""

CHANGES = 10


def changed(sim, lib, rng):
    """One random change: as often a cut as a connection, so that most mechanisms can move in the end."""
    names = [switch.name for switch in lib.topologies.switches]
    cut = sorted(sim.active) if sim.active and rng.random() < 0.5 else []
    name = str(rng.choice(cut or [n for n in names if n not in sim.active]))
    if cut:
        sim.cut(name)
    else:
        sim.connect(name, pose_b="current")


def random_torques(sim, lib, rng):
    """By joint, those that can be cut included while they hold; none on free joints in their place."""
    model = sim.model
    hung = {s.base for s in model.manifest.switches if s.name in sim.active}
    held = [joint for joint in model.manifest.loops if joint.name in lib.cuts and joint.name in sim.active]
    return {
        joint.name: rng.normal(size=joint.nv) for joint in (*model.manifest.joints, *held) if joint.name not in hung
    }


def library_motion(sim, torques):
    """(6) [ṗ_G; ω] and (6) [p̈_G; ω̇] of every link from the library's kernels."""
    model, q, v = sim.model, sim.q, sim.v
    tau = np.zeros(model.nv)
    C, cut = model.kernel("loop_jacobian").call(q), {joint.name: joint for joint in model.manifest.loops}
    for name, torque in torques.items():
        if name in cut:
            tau += C[cut[name].v_start : cut[name].v_start + cut[name].nv].T @ torque
        else:
            tau[model.v_slice(name)] += torque
    G, turning = model.cog_jacobian(q), model.cog_bias(q, v)
    rows = (G @ v).reshape(-1, 6), (G @ model.forward_dynamics(q, v, tau) + turning).reshape(-1, 6)
    return dict(zip(model.link_names, zip(*rows, strict=True), strict=True))


@pytest.mark.parametrize("share", [0.1, pytest.param(1.0, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("name", SEQUENCES)
def test_motion_is_that_of_the_mechanism_built_from_scratch(name, share):
    """Velocity and acceleration of every link after ten changes in motion; each final mechanism is derived anew."""
    lib, rng = library(name), np.random.default_rng(11)
    structures, moving, count = set(), 0, round(share * SEQUENCES[name])
    for _ in range(count):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ClosureWarning)
            sim = start(name, rng)
            for _ in range(CHANGES):
                changed(sim, lib, rng)
                sim.step(2)
        torques = random_torques(sim, lib, rng)
        built = scratch(sim, lib, torques)
        assert sim.model.nv - sim.model.partition(sim.q).rank == built.freedom
        structures.add(sim.active)
        moving += built.freedom > 0
        found, expected = library_motion(sim, torques), built.motion()
        assert found.keys() == expected.keys()
        for kind in (0, 1):
            ours, theirs = (np.array([motion[link][kind] for link in expected]) for motion in (found, expected))
            assert np.abs(ours - theirs).max() <= 1e-9 * max(np.abs(theirs).max(), 1.0)
    assert moving > 0.6 * count
    assert len(structures) > 0.4 * count


def test_a_compiled_mechanism_of_the_same_structure_agrees():
    """The graph edit `connect` and a compilation of its own give what the library gives."""
    lib, rng = library("loop"), np.random.default_rng(12)
    sim = start("loop", rng)
    sim.connect("revolute1", "helical4")
    names = {switch.name for switch in lib.topologies.switches}
    scratch = kg.compile(structure(lib.topologies.mechanism, sim.model, sim.active, names))
    tau = rng.normal(size=scratch.nv)
    a = sim.model.forward_dynamics(sim.q, sim.v, tau)
    assert error(a, scratch.forward_dynamics(sim.q, sim.v, tau)) < 1e-9
    assert sim.model.nf == scratch.nf
    assert np.abs(scratch.closure_residual(sim.q)).max() < 1e-10
    alone = kg.Simulator(scratch, q=sim.q, v=sim.v, integrator="rk4", dt=1e-4)
    both = kg.Simulator(lib, q=sim.q, v=sim.v, integrator="rk4", dt=1e-4)
    both.restore(sim.save())
    alone.step(50)
    both.step(50)
    assert np.abs(alone.q - both.q).max() < 1e-9
    assert np.abs(alone.v - both.v).max() < 1e-7


def test_loops_stay_closed_through_changes_and_motion():
    """200 steps after each of 30 changes: residual at most 1e-10 throughout."""
    lib, rng = library("float"), np.random.default_rng(13)
    sim = start("float", rng)
    kept = [c.name for c in lib.connections if c.joint.kind in ("spherical", "universal", "revolute", "prismatic")]
    for _ in range(30):
        name = str(rng.choice(kept))
        if name in sim.active:
            sim.cut(name)
        elif len(sim.active) < 2:
            sim.connect(name)
        sim.v = 0.5 * sim.v
        sim.step(50)
        assert np.abs(sim.model.closure_residual(sim.q)).max() <= 1e-10
    assert sim.gap <= 1e-10


def test_cut_joints_of_the_tree_move_as_the_tree():
    """A joint that can be cut, and is not, gives the same motion as in the mechanism itself."""
    lib, rng = library("ground"), np.random.default_rng(14)
    tree = kg.compile(lib.mechanism)
    q, v = tree.random(rng), rng.uniform(-1, 1, tree.nv)
    by_joint = {j: q[tree.q_slice(j)] for j in tree.joint_names}, {j: v[tree.v_slice(j)] for j in tree.joint_names}
    sim = kg.Simulator(lib, **dict(zip(("q", "v"), lib.state(*by_joint), strict=True)), integrator="rk4", dt=1e-4)
    alone = kg.Simulator(tree, q=q, v=v, integrator="rk4", dt=1e-4)
    sim.step(100)
    alone.step(100)
    model = sim.model
    for name in tree.joint_names:
        if name in lib.cuts:
            at, speed = model.loop_joint(name, sim.q, sim.v, near=alone.q[tree.q_slice(name)])
        else:
            at, speed = sim.q[model.q_slice(name)], sim.v[model.v_slice(name)]
        expected = alone.q[tree.q_slice(name)]
        if len(expected) == 4:
            expected = expected * np.sign(expected @ at)  # a quaternion and its opposite are one rotation
        assert np.abs(at - expected).max() < 1e-9
        assert np.abs(speed - alone.v[tree.v_slice(name)]).max() < 1e-8
