"""Moments saved, copied and restored while events happen: what else is due in the same instant."""

from __future__ import annotations

import copy
import pickle
from operator import methodcaller

import pytest

import kinegen as kg
from kinegen.runtime.events.agenda import Alteration
from kinegen.runtime.live.start import start_of
from support.contact.dropped import drop, simulator

LOW = kg.relative_position("world", "a", "z") < -0.1
"""True from 0.1428 s on, watched in C."""


def late(sim):
    """The same, asked in Python."""
    return sim.t > 0.1425


PLANS = {
    "at": lambda sim, action: sim.at(0.1425, action),
    "when in C": lambda sim, action: sim.when(LOW, action),
    "repeated in C": lambda sim, action: sim.when(LOW, action, repeat=True),
    "when in Python": lambda sim, action: sim.when(late, action),
    "repeated in Python": lambda sim, action: sim.when(late, action, repeat=True),
}
"""Ways to plan what happens near 0.143 s."""

TWINS = {
    "save": methodcaller("save"),
    "copy": copy.copy,
    "pickled state": lambda sim: pickle.dumps(sim.save()),
}


def twin_of(taken):
    """A simulator that goes on from there."""
    if isinstance(taken, kg.Simulator):
        return taken
    twin = kg.Simulator(drop(), dt=0.01)
    twin.restore(pickle.loads(taken) if isinstance(taken, bytes) else taken)
    return twin


def note(sim):
    """A mark in what happened, that can be pickled."""


def later(sim):
    """Another one."""


class Keeper:
    """An action that saves each moment at which it is called; what it keeps is no part of its pickles."""

    def __init__(self, take):
        self.take, self.taken = take, []

    def __call__(self, sim):
        self.taken.append(self.take(sim))

    def __reduce__(self):
        return Keeper, (methodcaller("save"),)


@pytest.mark.parametrize("take", TWINS.values(), ids=TWINS.keys())
@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
def test_what_is_due_with_an_action_that_saves_happens_in_the_copy_too(plan, take):
    """Once, at the same time, in the same order; the motions are the same to the last bit."""
    sim, keep = simulator(dt=0.01), Keeper(take)
    for action in (note, keep, later, note):
        plan(sim, action)
    sim.run(0.3)
    assert [event[1] for event in sim.events] == ["note", "action", "later", "note"]
    assert len({event[0] for event in sim.events}) == 1 and len(keep.taken) == 1
    twin = twin_of(keep.taken[0])
    assert twin.events == sim.events[:2] and twin.t == sim.events[0][0]
    twin.step(30 - int(twin.t / 0.01 + 1e-9))
    assert twin.events == sim.events
    assert twin.t == sim.t and twin.q.tobytes() == sim.q.tobytes() and twin.v.tobytes() == sim.v.tobytes()


def test_what_came_true_happens_in_the_copy_even_where_it_holds_no_more():
    """The action lifts the ball before it saves: the other condition was met all the same."""
    sim, states = simulator(dt=0.01), []

    def lift(s):
        s.q = simulator().q
        states.append(s.save())

    sim.when(LOW, lift)
    sim.when(LOW, "cut", "pivot")
    sim.when(LOW, note)
    sim.step(16)
    assert [event[1] for event in sim.events] == ["cut", "lift", "note"]
    sim.restore(states[0])
    sim.step()
    assert [event[1] for event in sim.events] == ["cut", "lift", "note"] and sim.events[2][0] == sim.events[1][0]


def test_what_is_due_in_a_copy_is_taken_back_there():
    """A plan of the original is one of the moments that it saved; the original has gone on."""
    sim, states = simulator(dt=0.01), []
    sim.at(0.05, lambda s: states.append(s.save()))
    plan = sim.at(0.05, later)
    sim.step(10)
    assert not plan.cancel()
    sim.restore(states[0])
    assert plan.cancel() and not plan.cancel()
    sim.step(10)
    assert [event[1] for event in sim.events] == ["<lambda>"]


def test_a_damaged_moment_within_an_instant_is_refused():
    sim, states = simulator(dt=0.01), []
    sim.at(0.05, lambda s: states.append(s.save()))
    sim.at(0.05, later)
    sim.step(10)
    states[0].agenda.now[0].change.__dict__["connect"] = ("another",)
    with pytest.raises(kg.ModelError, match=r"no connection 'another'"):
        sim.restore(states[0])
    states[0].agenda.now[0].change.__dict__["connect"] = ()
    states[0].agenda.now[0].__dict__["waited"] = (float("nan"), 0)
    with pytest.raises(kg.ModelError, match=r"state: its .* is damaged; restore what `save` gave"):
        sim.restore(states[0])


def test_a_page_begun_within_an_instant_has_the_rest_of_it():
    """Told by data; a function is refused as elsewhere."""
    sim, starts = simulator(dt=0.01), []
    sim.at(0.05, lambda s: starts.append(start_of(s)))
    sim.at(0.05, Alteration(("rope",), ("pivot",), {}, 1e-3))
    sim.step(10)
    assert [(each["t"], each["connect"], each["cut"]) for each in starts[0]["timed"]] == [(0.05, ["rope"], ["pivot"])]
    sim.at(0.15, lambda s: starts.append(start_of(s)))
    sim.at(0.15, later)
    with pytest.raises(kg.ModelError, match=r"play: an event of 'drop' is a function of Python"):
        sim.step(10)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
def test_an_action_that_restores_ends_its_instant(plan):
    """What else was due happens at its own time, once the motion comes there again, and not at the time restored."""
    sim, went = simulator(dt=0.01), []

    def back(s):
        if not went:
            went.append(s.t)
            s.restore(earlier)

    plan(sim, back)
    plan(sim, later)
    sim.step(5)
    earlier = sim.save()
    happened = sim.run(0.15).events
    assert [event[1] for event in happened] == ["back", "back", "later"]
    assert [event[0] for event in happened] == [went[0]] * 3
    assert sim.events == tuple(happened[1:]) and sim.t == pytest.approx(0.2)


@pytest.mark.parametrize("repeat", [False, True])
def test_a_condition_that_restores_ends_its_instant(repeat):
    """Those in Python that held with it are of the moment that was left."""
    sim, went = simulator(dt=0.01), []

    def back(s):
        if late(s) and not went:
            went.append(s.t)
            s.restore(earlier)
        return False

    sim.when(late, later, repeat=repeat)
    sim.when(back, note)
    sim.step(5)
    earlier = sim.save()
    assert [event[:2] for event in sim.run(0.15).events] == [(went[0], "later")]


def test_an_action_that_restores_within_an_instant_goes_on_with_the_rest_of_it():
    """Saved between two actions of an earlier time: the second happens, then what comes after it."""
    sim, states, went = simulator(dt=0.01), [], []

    def back(s):
        if not went:
            went.append(s.t)
            s.restore(states[0])

    sim.at(0.05, lambda s: states.append(s.save()))
    sim.at(0.05, later)
    sim.at(0.1, back)
    sim.at(0.1, note)
    happened = sim.run(0.15).events
    assert [event[1] for event in happened] == ["<lambda>", "later", "back", "later", "back", "note"]
    assert [event[0] for event in happened] == pytest.approx([0.05, 0.05, 0.1, 0.05, 0.1, 0.1])
