"""Saved states and pickles with damaged fields: refused, or they go on; nothing else comes out."""

from __future__ import annotations

import numpy as np
import pytest

import kinegen as kg
from support.fuzz.run import go_on_from
from support.fuzz.states import simulators


@pytest.mark.parametrize("part", [0, 1, *(pytest.param(k, marks=pytest.mark.sweep) for k in (2, 3))])
def test_no_damaged_state_is_a_crash(part: int) -> None:
    outcome = go_on_from(range(100 * part, 100 * (part + 1)))
    assert outcome.findings == ()
    assert outcome.read > 0 and outcome.refused > 0


def test_what_is_still_to_happen_is_of_this_library() -> None:
    """An agenda that names another library's connections is refused, and nothing has changed."""
    simulator = simulators()["library"]
    state = simulator.save()
    assert state.agenda is not None
    state.agenda.timed[0][2].__dict__["connect"] = ("another",)
    before = simulator.q
    with pytest.raises(kg.ModelError, match="no connection 'another'"):
        simulator.restore(state)
    assert np.array_equal(simulator.q, before)
