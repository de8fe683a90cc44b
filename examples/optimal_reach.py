"""An arm goes from rest to rest: with the least effort in a given time, or in the least time, by CasADi and IPOPT.

python examples/optimal_reach.py [FOLDER [URDF]]     the picture goes to FOLDER (examples/out)

Inverse dynamics is a function of CasADi (`pip install 'kinegen[casadi]'`), so that IPOPT has exact second derivatives.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

import kinegen as kg
from kinegen.script import Folder, script

with suppress(ImportError):  # `casadi` of a program tells what to install
    import casadi

Array = NDArray[np.float64]
OPTIONS = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes", "ipopt.tol": 1e-6}


def mechanism() -> kg.Mechanism:
    """Three links with motors of limited torque, the first joint upright."""
    bar = {"com": (0.0, 0.0, 0.2), "inertia": (0.03, 0, 0, 0.03, 0, 0.002)}
    limits = {"limits": (-2.8, 2.8), "velocity_limit": 3.0}
    return kg.Mechanism(
        "arm",
        [kg.Link("shoulder", mass=2.0, **bar), kg.Link("upper", mass=2.0, **bar), kg.Link("lower", mass=1.5, **bar)],
        [
            kg.Joint("yaw", "revolute", "world", "shoulder", axis=(0, 0, 1), effort_limit=30.0, **limits),
            kg.Joint("lift", "revolute", "shoulder", "upper", kg.Pose((0, 0, 0.4)), axis=(0, 1, 0), effort_limit=40.0,
                     **limits),
            kg.Joint("bend", "revolute", "upper", "lower", kg.Pose((0, 0, 0.4)), axis=(0, 1, 0), effort_limit=20.0,
                     **limits),
        ],
    )  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """Times (n + 1) of the knots with q, v there; accelerations (n, nv) between them, held; torques in the middles."""

    t: Array
    q: Array
    v: Array
    a: Array
    tau: Array

    @property
    def effort(self) -> float:
        """∫ |τ|² dt [N² m² s]."""
        return float(np.sum(np.diff(self.t) * (self.tau**2).sum(axis=1)))


def bounds(model: kg.Model, name: str) -> Array:
    """(nv) of every joint's entries: "lower", "upper", "velocity", "effort"."""
    return np.concatenate([getattr(joint, name) for joint in model.manifest.joints])


def reach(mech: kg.Mechanism, model: kg.Model, start: Array, goal: Array, duration: float | None, n: int = 25) -> Plan:
    """The plan of least effort in `duration` [s], or of least duration if that is None."""
    torque = kg.derive(mech).program("inverse_dynamics").casadi()
    problem = transcribed(torque, model, start, goal, duration, n)
    problem.opti.solver("ipopt", OPTIONS)
    return problem.solved()


@dataclass(frozen=True)
class Problem:
    """And, as expressions, the duration and what a plan has, a column each time."""

    opti: casadi.Opti
    duration: Any
    q: Any
    v: Any
    a: Any
    tau: Any

    def solved(self) -> Plan:
        """By the solver that was chosen."""
        value = self.opti.solve().value
        t = np.linspace(0.0, float(value(self.duration)), self.q.shape[1])
        columns = (self.q, self.v, self.a, self.tau)
        return Plan(t, *(np.reshape(value(casadi.densify(x)), x.shape).T for x in columns))


def transcribed(torque: Any, model: kg.Model, start: Array, goal: Array, duration: float | None, n: int) -> Problem:
    """Of least ∫ |τ/limit|² in `duration` [s], or of least duration if that is None; all limits are kept.

    Torques are a function of CasADi, (q, v, a) → τ. Accelerations are held over n equal times; joints whose start is
    their goal stay.
    """
    moving = [i for i in range(model.nv) if start[i] != goal[i]] or list(range(model.nv))
    lower, upper, speed, effort = (bounds(model, name)[moving] for name in ("lower", "upper", "velocity", "effort"))
    opti = casadi.Opti()
    q, v, a = (opti.variable(len(moving), count) for count in (n + 1, n + 1, n))
    total = opti.variable() if duration is None else duration
    h = total / n
    opti.subject_to(q[:, 1:] == q[:, :-1] + h * v[:, :-1] + h * h / 2 * a)
    opti.subject_to(v[:, 1:] == v[:, :-1] + h * a)
    for k, ends in ((0, start), (n, goal)):
        opti.subject_to(q[:, k] == ends[moving])
        opti.subject_to(v[:, k] == 0.0)
    opti.subject_to(opti.bounded(casadi.repmat(lower, 1, n - 1), q[:, 1:n], casadi.repmat(upper, 1, n - 1)))
    opti.subject_to(opti.bounded(casadi.repmat(-speed, 1, n - 1), v[:, 1:n], casadi.repmat(speed, 1, n - 1)))
    place = casadi.DM.eye(model.nv)[:, moving]
    stay = np.where(start == goal, start, 0.0)
    at, rate, push = (place @ x for x in (q[:, :n] + h / 2 * v[:, :n] + h * h / 8 * a, v[:, :n] + h / 2 * a, a))
    tau = torque.map(n)(stay + at, rate, push)
    share = tau[moving, :] / casadi.repmat(effort, 1, n)
    opti.subject_to(opti.bounded(-1.0, casadi.vec(share), 1.0))
    if duration is None:
        opti.subject_to(opti.bounded(0.05, total, 20.0))
        opti.set_initial(total, 2.0)
    opti.set_initial(q, np.linspace(start[moving], goal[moving], n + 1).T)
    opti.set_initial(v, np.outer((goal - start)[moving], np.ones(n + 1)) / (duration or 2.0))
    opti.minimize(total + 1e-4 * casadi.sumsqr(share) / n if duration is None else h * casadi.sumsqr(share))
    return Problem(opti, total, stay + place @ q, place @ v, push, tau)


def smooth(model: kg.Model, start: Array, goal: Array, duration: float, n: int = 25) -> Plan:
    """The polynomial of least jerk, to compare with."""
    t, h = np.linspace(0.0, duration, n + 1), duration / n
    s = ((t[:-1] + h / 2) / duration)[:, None]
    way, x = goal - start, (t / duration)[:, None]
    q, v = start + way * (10 * x**3 - 15 * x**4 + 6 * x**5), way * (30 * x**2 - 60 * x**3 + 30 * x**4) / duration
    middle = start + way * (10 * s**3 - 15 * s**4 + 6 * s**5)
    rate = way * (30 * s**2 - 60 * s**3 + 30 * s**4) / duration
    a = way * (60 * s - 180 * s**2 + 120 * s**3) / duration**2
    return Plan(t, q, v, a, model.inverse_dynamics(middle, rate, a))


def picture(plans: dict[str, Plan], limit: Array, folder: Path) -> Path:
    """Torques over their limits."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(plans), figsize=(4 * len(plans), 3), sharey=True, layout="constrained")
    for axis, (name, plan) in zip(axes, plans.items(), strict=True):
        axis.step(plan.t[:-1], plan.tau / limit, where="post")
        axis.set(title=f"{name}: {plan.t[-1]:.2f} s, {plan.effort:.0f} N² m² s", xlabel="t [s]")
    axes[0].set_ylabel("τ / limit")
    figure.savefig(folder / "optimal_reach.png", dpi=110)
    pyplot.close(figure)
    return folder / "optimal_reach.png"


def planned(mech: kg.Mechanism, start: Array, goal: Array, folder: Path, n: int = 25) -> dict[str, Plan]:
    model = kg.compile(mech, contacts=False, progress=False)
    fastest = reach(mech, model, start, goal, None, n)
    longer = 1.5 * float(fastest.t[-1])
    plans = {
        "least jerk": smooth(model, start, goal, longer, n),
        "least effort": reach(mech, model, start, goal, longer, n),
        "least time": fastest,
    }
    for name, plan in plans.items():
        print(f"{name:14} {plan.t[-1]:.3f} s  {plan.effort:9.1f} N² m² s")
    print(picture(plans, bounds(model, "effort"), folder))
    return plans


def main(
    folder: Folder = Path(__file__).parent / "out",
    urdf: Annotated[Path | None, typer.Argument(help="A robot in place of the arm.", show_default=False)] = None,
) -> None:
    arm = mechanism() if urdf is None else kg.load(urdf)
    size = arm.tree.nv
    planned(arm, np.linspace(-0.5, -0.7, size), np.linspace(0.8, -1.6, size), folder)


if __name__ == "__main__":
    script(main, __doc__)
