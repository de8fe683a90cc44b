"""Times of measured records: files round them, and headers round their rate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinegen as kg


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def trc_of(times: list[str], rate: str) -> str:
    head = (
        "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"
        f"{rate}\t{rate}\t{len(times)}\t1\tmm\nFrame#\tTime\ta\t\t\n\t\tX1\tY1\tZ1\n\n"
    )
    return head + "".join(f"{k}\t{time}\t0\t0\t0\n" for k, time in enumerate(times, 1))


@pytest.mark.parametrize(
    ("true", "said", "digits", "coarsest"),
    [
        (59.94, "60.00", ".6f", 1e-6),
        (29.97, "30", ".3f", 1e-3),
        (119.88, "120.00", ".6e", 1e-5),
        (23.976, "24", ".7g", 1e-4),
    ],
)
def test_times_of_a_trc_are_those_of_its_column_where_the_header_rounds_the_rate(
    tmp_path: Path, true: float, said: str, digits: str, coarsest: float
) -> None:
    t = 2.0 + np.arange(6000) / true
    markers = kg.read_trc(written(tmp_path / "a.trc", trc_of([format(time, digits) for time in t], said)))
    assert np.abs(markers.t - t).max() < coarsest
    assert markers.rate == pytest.approx(true, rel=1e-5)


@pytest.mark.parametrize(("rate", "digits"), [("60", ".3f"), ("120.00", ".5g"), ("59.94", ".8f"), ("200", ".4e")])
def test_times_of_a_trc_are_those_of_its_rate_where_the_column_rounds_more(
    tmp_path: Path, rate: str, digits: str
) -> None:
    t = 1.0 + np.arange(6001) / float(rate)
    markers = kg.read_trc(written(tmp_path / "a.trc", trc_of([format(time, digits) for time in t], rate)))
    assert np.array_equal(markers.t, 1.0 + np.arange(6001) / float(rate))


@pytest.mark.parametrize("rate", [59.94, 60.0, 119.88, 120.0, 150.0, 240.0])
def test_times_of_three_decimals_are_even(tmp_path: Path, rate: float) -> None:
    for count in range(200, 212):
        times = [f"{1.0 + k / rate:.3f}" for k in range(count)]
        csv = written(tmp_path / "a.csv", "time,a\n" + "".join(f"{time},0\n" for time in times))
        assert kg.read_table(csv).rate == pytest.approx(rate, rel=1e-3)
        assert kg.read_trc(written(tmp_path / "a.trc", trc_of(times, f"{rate:.0f}"))).rate == pytest.approx(
            rate, rel=1e-3
        )
    times[100] = f"{float(times[100]) + 0.3 / rate:.3f}"
    with pytest.raises(kg.ModelError, match=r"'Time': samples are not evenly spaced at frame 101 "):
        kg.read_trc(written(tmp_path / "a.trc", trc_of(times, f"{rate:.0f}")))


def at_rest(n: int) -> kg.SegmentMotion:
    return kg.SegmentMotion(np.tile(np.eye(3), (n, 1, 1)), *np.zeros((4, n, 3)))


def test_a_motion_without_frames_is_refused() -> None:
    with pytest.raises(kg.ModelError, match=r"t: a motion has one frame or more, got none"):
        kg.Motion([], {"a": at_rest(0)}, {})  # type: ignore[arg-type]
    with pytest.raises(kg.ModelError, match=r"n: expected a whole number of at least 1, got 0"):
        at_rest(0).checked("a", 0)


@pytest.mark.parametrize("t", [[0.0, 0.1, 0.1, 0.2], [0.0, 0.1, 0.05, 0.2], [0.0, 0.1, 0.2, 0.0]])
def test_a_motion_whose_times_do_not_increase_is_refused_by_the_frame(t: list[float]) -> None:
    with pytest.raises(kg.ModelError, match=r"t: must increase, but frame [34] at "):
        kg.Motion(t, {"a": at_rest(4)}, {})  # type: ignore[arg-type]
    assert len(kg.Motion([0.0, 0.1, 0.3, 0.35], {"a": at_rest(4)}, {}).t) == 4  # type: ignore[arg-type]
