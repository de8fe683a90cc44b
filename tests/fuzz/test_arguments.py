"""Everything public, called with what nobody would give: a KinegenError, or a TypeError; nothing else comes out."""

from __future__ import annotations

import pytest

from support.fuzz.arguments import calls
from support.fuzz.run import call

COUNT = 30
NAMES = sorted(calls())


@pytest.mark.parametrize("name", NAMES)
def test_no_argument_is_a_crash(name: str) -> None:
    assert call(range(COUNT), [name]).findings == ()
