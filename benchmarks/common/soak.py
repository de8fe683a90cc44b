"""Two scenes for days of simulation, and their accounts: work in = change of energy + losses.

`swing`: three links on a hinge, Runge-Kutta. The arm's joint is a servo (a spring to where it rests, with a damper)
whose command is turned round every 2 s; the hand is connected to world where it happens to be, 2 s later it is let go.
Work of the command is τ Δq, of the dampers ∫ d v² dt by Simpson's rule over every step, the loss of a connection
-P·(u⁻ + u⁺)/2 with the impulse P that it returned and the hand's velocity u before and after.

`bounce`: a ball with restitution and friction on the ground, thrown up anew every 2 s, semi-implicit Euler. In flight
that keeps E - g dt m v_z/2 exactly. A step with the impulse P of a contact, gap velocity u_f without and u⁺ with it,
adds P·(u_f + u⁺)/2 + g dt P_z/2, and what recovery lifts, m g (z⁺ - z - dt v_z⁺).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import kinegen as kg

Array = NDArray[np.float64]
BLOCK = 2.0
"""Seconds from change to change."""
COMMAND, DAMPING, STIFFNESS = 6.0, 0.4, 12.0
MASS, RADIUS, GRAVITY = 0.5, 0.1, 9.81
"""Of the ball [kg], [m], [m/s²]."""


@dataclass(frozen=True)
class Account:
    """Sums over all steps so far [J]: energy at the start and now, work in, losses, all that was turned over."""

    start: float
    energy: float
    work: float = 0.0
    loss: float = 0.0
    turned: float = 0.0
    gap: float = 0.0
    finite: bool = True

    @property
    def misfit(self) -> float:
        """What is missing, over what was turned over."""
        return abs(self.energy - self.start - self.work + self.loss) / max(self.turned, 1e-300)

    def after(self, energy: float, work: float, loss: float, gap: float) -> Account:
        """With one block more."""
        return replace(
            self,
            energy=energy,
            work=self.work + work,
            loss=self.loss + loss,
            turned=self.turned + abs(work) + abs(loss),
            gap=max(self.gap, gap),
            finite=self.finite and bool(np.isfinite([energy, work, loss]).all()),
        )


def swing_library() -> kg.TopologyLibrary:
    """Three links of 0.5 m in a plane; the hand may be held by world."""
    shape = kg.inertia.rod(1.0, 0.5, axis=(0, 0, 1))
    links = [kg.Link(name, 1.0, (0, 0, -0.25), shape) for name in ("rod", "arm", "hand")]
    down, axis = kg.Pose((0, 0, -0.5)), (0, 1, 0)
    joints = [
        kg.Joint("pivot", "revolute", "world", "rod", axis=axis, damping=0.05),
        kg.Joint("servo", "revolute", "rod", "arm", down, axis=axis, stiffness=STIFFNESS, rest=0.6, damping=DAMPING),
        kg.Joint("wrist", "revolute", "arm", "hand", down, axis=axis, damping=0.05),
    ]
    tip = kg.Frame("tip", "hand", down)
    grip = kg.Connection("grip", "hand", "world", kg.revolute(axis=axis), down)
    return kg.TopologyLibrary(kg.Mechanism("soaked_swing", links, joints, frames=[tip]), [grip])


class Swing:
    """Blocks of the swing, each with another command, the hand held in every other one."""

    def __init__(self, dt: float = 1e-3) -> None:
        self.simulator = kg.Simulator(swing_library(), dt=dt, integrator="rk4", q=[0.4, 0.3, -0.2])
        self.model = self.simulator.model
        self.servo = self.model.v_slice("servo").start
        self.damping = np.array([0.05, DAMPING, 0.05])
        self.account = Account(self.energy(), self.energy())
        self.blocks = 0

    def energy(self) -> float:
        """Kinetic, of weight, of the servo's spring [J]."""
        q = self.simulator.q.copy()
        stretched = q[self.servo] - 0.6
        return float(self.model.energy(q, self.simulator.v).sum()) + 0.5 * STIFFNESS * float(stretched * stretched)

    def block(self) -> None:
        """Connect or let go, then BLOCK seconds with the other command."""
        lost = self._change()
        command = COMMAND * (-1.0) ** (self.blocks // 2)
        self.simulator.tau = {"servo": command}
        run = self.simulator.run(BLOCK)
        work = command * float(run.q[-1, self.servo] - run.q[0, self.servo])
        lost += simpson((run.v**2) @ self.damping, self.simulator.dt)
        self.account = self.account.after(self.energy(), work, lost, self.simulator.gap)
        self.blocks += 1

    def _change(self) -> float:
        """Loss of making the connection [J], by its impulse; letting go loses nothing."""
        if self.blocks % 2:
            self.simulator.cut("grip")
            return 0.0
        J = self.model.frame_jacobian(self.simulator.q, "tip")
        before = self.simulator.v
        on_world = self.simulator.connect("grip").impulse
        return 0.5 * float(on_world @ (J @ (before + self.simulator.v)))


class Bounce:
    """Blocks of the ball, thrown up anew at the beginning of each."""

    def __init__(self, dt: float = 1e-3) -> None:
        shape = kg.sphere(RADIUS, restitution=0.7, friction=0.4)
        ball = kg.Link("ball", MASS, (0, 0, 0), kg.inertia.sphere(MASS, RADIUS), shapes=[shape])
        flight = kg.Joint("flight", "free", "world", "ball")
        made = kg.Mechanism("soaked_ball", [ball], [flight], gravity=(0, 0, -GRAVITY), shapes=[kg.plane()])
        self.simulator = kg.Simulator(kg.compile(made, progress=False), dt=dt, q=[0, 0, 0.3, 0, 0, 0, 1])
        self.model = self.simulator.model
        self.rng = np.random.default_rng(0)
        self.account = Account(self.energy(), self.energy())

    def energy(self) -> float:
        """E - g dt m v_z/2 [J], with v_z upwards in world."""
        v = self.world_velocity(self.simulator.q, self.simulator.v)
        both = float(self.model.energy(self.simulator.q, self.simulator.v).sum())
        return both - 0.5 * GRAVITY * self.simulator.dt * MASS * float(v[..., 2])

    def world_velocity(self, q: Array, v: Array) -> Array:
        """(..., 6) velocity of the centre and angular velocity, both in world."""
        turn = self.model.link_poses(q)[..., 0, :3, :3]
        return np.concatenate([np.einsum("...ij,...j->...i", turn, part) for part in (v[..., :3], v[..., 3:])], -1)

    def block(self) -> None:
        """Thrown, then BLOCK seconds."""
        before = self.energy()
        q = self.simulator.q.copy()
        q[:2] = 0.0  # comes back, for it would roll away for good
        self.simulator.q, self.simulator.v = q, np.array([*self.rng.normal(size=3), *(3.0 * self.rng.normal(size=3))])
        work = self.energy() - before
        run = self.simulator.run(BLOCK)
        gained = self._gained(run)
        self.account = self.account.after(self.energy(), work, -gained, self.simulator.gap)

    def _gained(self, run: kg.Trajectory) -> float:
        """By contact [J], step by step from the impulses."""
        dt, history = self.simulator.dt, run.contacts
        assert history is not None
        counts = np.diff(history.starts)[:-1]
        at = np.repeat(np.arange(len(counts)), counts)
        records = history.records[: len(at)]
        sign = np.array([1.0 if pair[1] == "ball" else -1.0 for pair in history.pairs])[records["pair"]]
        P = sign[:, None] * records["force"] * dt
        speed = self.world_velocity(run.q, run.v)
        free = speed[at] + np.array([0, 0, -GRAVITY * dt, 0, 0, 0])
        arm = records["point"] - run.q[at, :3]
        both = free + speed[at + 1]
        gained = 0.5 * float(np.einsum("ij,ij->", P, both[:, :3] + np.cross(both[:, 3:], arm)))
        lifted = np.diff(run.q[:, 2]) - dt * speed[1:, 2]
        return gained + 0.5 * GRAVITY * dt * float(P[:, 2].sum()) + MASS * GRAVITY * float(lifted.sum())


def simpson(values: Array, dt: float) -> float:
    """∫ of an odd number of samples."""
    return float(dt / 3.0 * (values[0] + 4.0 * values[1:-1:2].sum() + 2.0 * values[2:-1:2].sum() + values[-1]))
