"""`PREFIX_simulate` and `PREFIX_simulate_all` as a program in C calls them: what they write, and where."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import kinegen as kg
from kinegen.codegen.reference import MECHANISMS
from kinegen.runtime.abi import INTEGRATORS
from support.contact.dropped import drop

Array = NDArray[np.float64]
COUNT, STEPS, EVERY = 3, 20, 5
LOGS = STEPS // EVERY
UNTOUCHED = 77.0


class Calls:
    """The structs of `count` motions of a model that begin alike; states and what is logged of them, in the rows of
    `q` and `v` and behind the first of `q_log` and `v_log`."""

    def __init__(self, model: kg.Model, q: Array, count: int = 1, logs: int = LOGS) -> None:
        self.model, self.ffi, self._kept = model, model.module.ffi, list[Any]()
        nq, nv, rows = self.model.nq, self.model.nv, 1 + count * logs
        self.q, self.v = np.tile(q, (count, 1)), np.zeros((count, nv))
        self.q_log, self.v_log = np.full((rows, nq), UNTOUCHED), np.full((rows, nv), UNTOUCHED)
        self.motion = self.struct("simulation", steps=STEPS, dt=1e-3, every=EVERY)
        tau = np.zeros(nv + sum(joint.nv for joint in self.model.manifest.loops))
        self.point(self.motion, q=self.q, v=self.v, tau=tau, q_log=self.q_log[1:], v_log=self.v_log[1:])
        if self.model.manifest.loops:
            self.motion.memory = self.struct("memory")

    def struct(self, name: str, **fields: Any) -> Any:
        self._kept.append(self.ffi.new(f"{self.model.manifest.prefix}_{name} *", fields))
        return self._kept[-1]

    def point(self, struct: Any, **arrays: Array) -> None:
        for name, array in arrays.items():
            self._kept.append(self.ffi.from_buffer("double[]", array))
            setattr(struct, name, self._kept[-1])

    def call(self, name: str, *given: Any) -> Any:
        return getattr(self.model.module.lib, f"{self.model.manifest.prefix}_{name}")(*given)


def reference(name: str) -> kg.Model:
    mechanism: Any = MECHANISMS[name]()
    return kg.compile(mechanism)


def test_work_is_logged_from_the_beginning_of_its_log_in_every_call() -> None:
    """As states are: structs can be used again. Without room for it the work is summed up alone."""
    calls = Calls(reference("double_pendulum"), np.array([0.5, -0.3]))
    room = np.full((LOGS + 1, 7, calls.model.nv), UNTOUCHED)
    calls.motion.integrator, calls.motion.ledger = 1, calls.struct("ledger")
    ledger = calls.motion.ledger
    calls.point(ledger, log=room)
    energies = [sum(calls.model.energy(calls.q[0], calls.v[0]))]
    for _ in range(2):
        assert calls.call("simulate", calls.motion) == STEPS
        energies.append(sum(calls.model.energy(calls.q_log[-1], calls.v_log[-1])))
        np.testing.assert_array_equal(room[-1], UNTOUCHED)
        np.testing.assert_array_equal(room[-2].ravel(), list(ledger.total))
        assert room[-2].sum() == pytest.approx(energies[-1] - energies[0], rel=1e-6)
    ledger.log = calls.ffi.NULL
    assert calls.call("simulate", calls.motion) == STEPS
    assert list(ledger.total) != room[-2].ravel().tolist()


def all_of(calls: Calls, logs: int, fresh: int) -> tuple[int, list[int]]:
    """What `simulate_all` gives, and the steps of each."""
    done = calls.ffi.new("long[]", len(calls.q))
    several = calls.struct("simulations", count=len(calls.q), logs=logs, fresh=fresh, done=done)
    return calls.call("simulate_all", calls.motion, several), list(done)


def four_bars(logs: int) -> Calls:
    calls = Calls(reference("four_bar"), np.full(3, 0.4), COUNT, logs)
    calls.q[:] = calls.model.assemble(calls.q)
    calls.call("begin", calls.ffi.NULL, calls.motion.q, calls.ffi.NULL, calls.motion.memory)
    return calls


def test_simulations_of_closed_mechanisms_log_nothing_in_front_unless_asked() -> None:
    """As those of trees: with fresh = 2 where each starts, which is on the closure, stands in front of its log."""
    plain, starts = four_bars(LOGS), four_bars(LOGS + 1)
    begun = plain.q[0].copy()
    for calls, logs, fresh in ((plain, LOGS, 1), (starts, LOGS + 1, 2)):
        assert all_of(calls, logs, fresh) == (COUNT, [STEPS] * COUNT)
    assert (plain.q_log[0] == UNTOUCHED).all() and (plain.v_log[0] == UNTOUCHED).all()
    logged, after = plain.q_log[1:].reshape(COUNT, LOGS, -1), starts.q_log[:-1].reshape(COUNT, LOGS + 1, -1)
    np.testing.assert_array_equal(logged[:, -1], plain.q)
    np.testing.assert_array_equal(after[:, 1:], logged)
    np.testing.assert_allclose(after[:, 0], np.tile(begun, (COUNT, 1)), rtol=0, atol=1e-12)
    header = (plain.model.module.folder / "four_bar.h").read_text(encoding="utf-8").replace("\n     *", "")
    assert "2: nor that, and where each starts, on the closure, goes in front of its q_log and v_log" in header


def test_what_drives_the_first_simulation_stands_there_again() -> None:
    """Servos, with gains of each: after several the same structs make the first one as before."""
    calls = Calls(reference("double_pendulum"), np.array([0.5, -0.3]), COUNT)
    begun, ffi, motion = calls.q.copy(), calls.ffi, calls.motion
    ints, room = ffi.new("int[]", 2), np.zeros((3, STEPS))
    kp_kd_limit, targets = np.array([[5.0, 1.0, 9.0], [50.0, 2.0, 9.0], [80.0, 3.0, 9.0]]), np.zeros((COUNT, 2))
    servos = calls.struct("servos", count=1, place=ints, dof=ints, mode=ints + 1)
    calls.point(servos, rows=targets, kp=kp_kd_limit, torque=room[0], asked=room[1], out=room[2])
    servos.kd, servos.limit = servos.kp + 1, servos.kp + 2
    motion.servos, ends = servos, []
    for _ in range(2):
        calls.q[:], calls.v[:] = begun, 0.0
        assert calls.call("simulate", motion) == STEPS
        ends.append(calls.q[0].copy())
        calls.q[:], calls.v[:] = begun, 0.0
        done = ffi.new("long[]", COUNT)
        several = calls.struct("simulations", count=COUNT, logs=LOGS, done=done, gains=3, targets=2)
        calls.point(several, gain=kp_kd_limit, target=targets)
        assert calls.call("simulate_all", motion, several) == COUNT and list(done) == [STEPS] * COUNT
        np.testing.assert_array_equal(calls.q[0], ends[0])
        assert abs(calls.q[0] - calls.q[2]).max() > 1e-3
    np.testing.assert_array_equal(*ends)


@pytest.mark.parametrize("asked", ["ledger", "log_every", "watches"])
def test_several_simulations_do_not_tell_what_has_room_for_one(asked: str) -> None:
    """Contacts of each would stand on those of the one before, and work of all in one sum: none is made."""
    model = drop().model if asked == "watches" else reference("box_on_plane")
    header = (model.module.folder / f"{model.manifest.prefix}.h").read_text(encoding="utf-8").replace("\n *", "")
    assert re.search(rf"With count > 1 none is made where [^;]*\b{asked}\b", header)
    q = model.neutral()
    q[2] = 1.0  # free of what is below
    for count in (1, 2):
        calls = Calls(model, q, count)
        motion, begun = calls.motion, calls.q.copy()
        if asked == "watches":
            calls.point(motion, p=model.parameter_values())
            calls.call("begin", motion.p, motion.q, calls.ffi.NULL, motion.memory)
            motion.watches, motion.watch = 1, calls.struct("condition", sign=1.0, threshold=9.0, armed=1)
        else:
            motion.contacts, motion.workspace = calls.struct("contacts"), calls.struct("contact_workspace")
            if asked == "ledger":
                motion.ledger = calls.struct("ledger")
            else:
                motion.log_every, counts = 1, calls.ffi.new("long[]", STEPS)
                motion.contact_log, motion.contact_count = calls.struct("contact"), counts
        made = all_of(calls, LOGS, 1)
        assert made == ((1, [STEPS]) if count == 1 else (0, [0, 0]))
        assert np.array_equal(calls.q, begun) == (count == 2)


def test_an_integrator_that_c_does_not_have_makes_no_step() -> None:
    """Neither where nothing moves: it is not taken for one of those that there are."""
    moving = reference("double_pendulum")
    still = kg.compile(kg.Mechanism("post", [kg.Link("post", 1.0)], [kg.Joint("foot", "fixed", "world", "post")]))
    for model in (moving, still):
        for integrator in range(-1, len(INTEGRATORS) + 1):
            calls = Calls(model, np.full(model.nq, 0.3))
            calls.motion.integrator = integrator
            made = STEPS if 0 <= integrator < len(INTEGRATORS) else 0
            assert calls.call("simulate", calls.motion) == made
