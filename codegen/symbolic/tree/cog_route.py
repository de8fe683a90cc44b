"""The reference route through the COG Jacobian: τ = Gᵀ(M̂q̈ + b̂), M = GᵀM̂G  [S (9)(10), B]."""

from __future__ import annotations

from collections.abc import Sequence

from ...program.tape import Scalar
from ..vector import Vec, let_vec
from .kinematics import cog_bias, cog_jacobian, links, places, world_inertia
from .segments import Segment


def mass_matrix_cog(chain: Sequence[Segment], nv: int) -> list[list[Scalar]]:
    """M = Σ_i G_iᵀ diag(m_i E, R_i I_i R_iᵀ) G_i, plus armature."""
    tape = chain[0].p.x.tape
    at, G = places(chain), cog_jacobian(chain, nv)
    M = [[tape.zero] * nv for _ in range(nv)]
    for k, i in enumerate(links(chain)):
        m, inertia = chain[i].inertia.m, world_inertia(chain[i], at[i])
        linear = [Vec(*(G[6 * k + row][j] for row in range(3))) for j in range(nv)]
        angular = [Vec(*(G[6 * k + 3 + row][j] for row in range(3))) for j in range(nv)]
        for b in range(nv):
            if linear[b].is_zero and angular[b].is_zero:
                continue
            P = let_vec(linear[b] * m, "P")
            L = let_vec(inertia.apply(angular[b]), "L")
            for a in range(b + 1):
                M[a][b] = tape.let(M[a][b] + linear[a].dot(P) + angular[a].dot(L), "M")
    for segment in chain:
        for column in segment.columns:
            j = column.index
            M[j][j] = M[j][j] + column.armature * (column.factor * column.factor)
    return [[M[min(a, b)][max(a, b)] for b in range(nv)] for a in range(nv)]


def inverse_dynamics_cog(
    chain: Sequence[Segment], v: Sequence[Scalar], a: Sequence[Scalar], gravity: Vec
) -> list[Scalar]:
    """τ = Σ_i G_iᵀ [m_i (p̈_Gi − g); I_i ω̇_i + ω_i × I_i ω_i], q̈ = G v̇ + Ġv."""
    tape, nv = gravity.x.tape, len(v)
    at, G, bias = places(chain), cog_jacobian(chain, nv), cog_bias(chain, v)
    tau = [tape.zero] * nv
    for k, i in enumerate(links(chain)):
        rows = G[6 * k : 6 * k + 6]
        motion = [
            tape.let(sum((g * x for g, x in zip(row, a, strict=True)), bias[6 * k + r]), "ddq")
            for r, row in enumerate(rows)
        ]
        spin = Vec(*(tape.let(sum((g * x for g, x in zip(row, v, strict=True)), tape.zero), "w") for row in rows[3:]))
        inertia = world_inertia(chain[i], at[i])
        F = let_vec((Vec(*motion[:3]) - gravity) * chain[i].inertia.m, "F")
        turning = let_vec(inertia.apply(spin), "Iw")
        N = let_vec(inertia.apply(Vec(*motion[3:])) + spin.cross(turning), "N")
        for j in range(nv):
            column = [row[j] for row in rows]
            tau[j] = tape.let(tau[j] + Vec(*column[:3]).dot(F) + Vec(*column[3:]).dot(N), "tau")
    for segment in chain:
        for axis in segment.columns:
            tau[axis.index] = tau[axis.index] + axis.armature * a[axis.index] * (axis.factor * axis.factor)
    return tau
