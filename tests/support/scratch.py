"""The mechanism of a simulator's present structure built from scratch: description edited, equations derived anew,
dynamics in the null space of the closure rows. Nothing of the library's C is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

import kinegen as kg
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.program.evaluate import numeric
from kinegen.codegen.symbolic.functions import derive
from support.oracles.numeric import Array, Reference

RANK = 1e-7
"""Singular values of the closure rows below this part of the largest are zero."""


@dataclass(frozen=True)
class Scratch:
    """A mechanism with a state q, v and torques tau in its own layout."""

    mechanism: Mechanism
    q: Array
    v: Array
    tau: Array

    def of(self, name: str) -> Array:
        """A quantity of the mechanism at the state, from equations derived for it."""
        (value,) = numeric(derive(self.mechanism, name))({"q": self.q.tolist(), "v": self.v.tolist()}).values()
        return value

    @cached_property
    def spectrum(self) -> tuple[Array, Array, Array, int]:
        """U, s, Vᵀ, rank of K (6L, nv)."""
        nv = self.mechanism.tree.nv
        rows = self.of("closure_rows").reshape(-1, nv) if self.mechanism.virtual_links else np.zeros((0, nv))
        U, s, Vt = np.linalg.svd(rows)
        return U, s, Vt, int((s > RANK * s.max(initial=0.0)).sum())

    @property
    def freedom(self) -> int:
        return self.mechanism.tree.nv - self.spectrum[3]

    @property
    def condition(self) -> float:
        """Largest over smallest singular value of what the closure holds."""
        s, rank = self.spectrum[1], self.spectrum[3]
        return float(s[0] / s[rank - 1]) if rank else 1.0

    def motion(self) -> dict[str, tuple[Array, Array]]:
        """(6) [ṗ_G; ω] and (6) [p̈_G; ω̇] of every link: NᵀMN ẍ = Nᵀ(τ − h − M a₀) with K N = 0, K a₀ = −K̇v."""
        U, s, Vt, rank = self.spectrum
        a = np.zeros(self.v.size)
        if rank:
            a = -Vt[:rank].T @ ((U[:, :rank].T @ self.of("closure_rows_bias").ravel()) / s[:rank])
        M, N = self.of("mass_matrix_composite"), Vt[rank:].T
        a = a + N @ np.linalg.solve(N.T @ M @ N, N.T @ (self.tau - self.of("bias") - M @ a))
        found = {}
        motions = Reference(self.mechanism, self.q, self.v).motions()
        for body, motion in zip(self.mechanism.tree.bodies, motions, strict=True):
            com = motion.pose @ [*(float(x) for x in body.link.com), 1.0]
            J, drift = motion.moved(com[:3])
            found[body.link.name] = J @ self.v, J @ a + drift
        return found


def edited(lib: kg.TopologyLibrary, active: frozenset[str], parameters: Mapping[str, float | None]) -> Mechanism:
    """The description with joints cut and connections made by `Mechanism.cut` and `connect`, where they hold now."""
    made = lib.mechanism
    for name in lib.cuts:
        if name in active:
            joint = replace(made.joint(name), child_origin=pose_now(parameters, name))
            made = replace(made, joints=tuple(joint if j.name == name else j for j in made.joints))
        else:
            made = made.cut(name)
    for c in lib.connections:
        if c.name in active:
            frame = pose_now(parameters, c.name)
            made = made.connect(c.link_a, c.link_b, c.joint, name=c.name, pose=c.pose, pose_b=frame)
    return made


def pose_now(parameters: Mapping[str, float | None], name: str) -> kg.Pose:
    """Where an active joint's frame stands in link_b."""
    rows = np.array([parameters[f"{name}.pose{k:02d}"] for k in range(12)], dtype=float).reshape(3, 4)
    return kg.Pose(tuple(rows[:, 3]), rotation=rows[:, :3].tolist())


def scratch(sim: kg.Simulator, lib: kg.TopologyLibrary, torques: Mapping[str, Array]) -> Scratch:
    """Built from scratch at the simulator's state; torques by joint."""
    model = sim.model
    mechanism = edited(lib, sim.active, model.parameters)
    own = set(model.joint_names)
    q, v, tau = (np.zeros(n) for n in (mechanism.tree.nq, mechanism.tree.nv, mechanism.tree.nv))
    for body in mechanism.tree.bodies:
        name = body.joint.name
        at, speed = (
            (sim.q[model.q_slice(name)], sim.v[model.v_slice(name)])
            if name in own
            else model.loop_joint(name, sim.q, sim.v)
        )
        q[body.q_start : body.q_start + body.nq] = at
        dofs = slice(body.v_start, body.v_start + body.nv)
        v[dofs], tau[dofs] = speed, torques.get(name, 0.0)
    return Scratch(mechanism, q, v, tau)
