"""A small mechanism derived, compiled, simulated, drawn and reported with what is installed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import kinegen as kg

rod = kg.Link("rod", 1.0, (0, 0, -0.5), kg.inertia.box(1.0, (0.1, 0.1, 1.0)), shapes=[kg.sphere(0.05)])
pivot = kg.Joint("pivot", "revolute", "world", "rod", kg.Pose((0, 0, 2)), axis=(0, 1, 0))
mechanism = kg.Mechanism("installed", [rod], [pivot], shapes=[kg.plane()])
model = kg.compile(mechanism, progress=False)
gravity = float(model.inverse_dynamics([0.3], [0.0], [0.0])[0])
assert abs(gravity - 9.81 * 0.5 * np.sin(0.3)) < 1e-12, gravity
run = kg.Simulator(model, q=[0.3], integrator="rk4").run(1.0)
energy = run.energy.sum(axis=1)
assert np.ptp(energy) < 1e-9, np.ptp(energy)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder)
    run.save(path / "run.npz")
    assert len(kg.Trajectory.load(path / "run.npz").t) == 1001
    run.plot(path / "run.png")
    kg.save(mechanism, path / "installed.toml")
    assert kg.load(path / "installed.toml").links[0].mass == 1.0
    kg.report(mechanism, path / "report.html")
    assert "installed" in (path / "report.html").read_text(encoding="utf-8")
