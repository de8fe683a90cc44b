"""A short soak: scenes that change again and again, with an account of every step. The day of it is a command."""

from __future__ import annotations

import pytest

from support.files.measured_truth import script


@pytest.mark.parametrize(("scene", "missing"), [("Swing", 1e-6), ("Bounce", 1e-11)])
def test_the_account_of_a_changing_scene_is_closed(scene: str, missing: float) -> None:
    """Twelve blocks: work in and losses by other routes than the energy that they explain."""
    running = getattr(script("benchmarks/common", "soak"), scene)()
    for _ in range(12):
        running.block()
    account = running.account
    assert account.finite
    assert account.gap <= 1e-10
    assert account.work != 0.0 and account.loss > 0.0
    assert account.misfit <= missing
