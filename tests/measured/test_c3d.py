"""C3D files of every layout and plates of every type, against ezc3d; damaged ones are refused by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import ezc3d
import numpy as np
import pytest

import kinegen as kg
from support.files.c3d_bytes import C3dText

STEP = 0.25
CORNERS = np.array([[600.0, 400.0, 3.0], [0.0, 400.0, 3.0], [0.0, 0.0, 0.0], [600.0, 0.0, 0.0]])


def sample(plate: int = 2, **options: Any) -> C3dText:
    """Two frames of three markers, one lost for a frame, and a plate of this type under channels 2 to 9."""
    rng = np.random.default_rng(plate)
    points = STEP * rng.integers(-4000, 4000, (5, 3, 3)).astype(float)
    points[2, 1] = np.nan
    analogs = STEP * rng.integers(100, 4000, (10, 9)).astype(float)
    parameters = {
        ("POINT", "LABELS"): ["heel", "toe"],
        ("FORCE_PLATFORM", "USED"): np.array([1]),
        ("FORCE_PLATFORM", "TYPE"): np.array([plate]),
        ("FORCE_PLATFORM", "CHANNEL"): np.arange(2, 10 if plate == 3 else 8)[:, None],
        ("FORCE_PLATFORM", "CORNERS"): CORNERS.T[:, :, None],
        ("FORCE_PLATFORM", "ORIGIN"): np.array([[120.0], [200.0], [-40.0]]),
        ("FORCE_PLATFORM", "CAL_MATRIX"): rng.uniform(-1.0, 1.0, (6, 6, 1)) + 5.0 * np.eye(6)[:, :, None],
    }
    return C3dText(points, analogs, parameters=parameters | options.pop("parameters", {}), **options)


def trial(first: int, last: int) -> dict[tuple[str, str], Any]:
    ends = {"START": first, "END": last}
    return {("TRIAL", f"ACTUAL_{end}_FIELD"): np.array([k % 65536, k // 65536]) for end, k in ends.items()}


def read(folder: Path, text: C3dText) -> tuple[kg.Markers, tuple[kg.PlateRecord, ...]]:
    (folder / "a.c3d").write_bytes(text.bytes())
    return kg.read_c3d(folder / "a.c3d")


@pytest.mark.parametrize("processor", [84, 85, 86])
@pytest.mark.parametrize("real", [True, False])
def test_every_layout_reads_the_same(tmp_path: Path, processor: int, real: bool) -> None:
    text = sample(processor=processor, real=real)
    markers, (plate,) = read(tmp_path, text)
    assert markers.names == ("heel", "toe", "point_3")
    np.testing.assert_array_equal(markers.positions, 1e-3 * text.points)
    np.testing.assert_allclose(markers.t, np.arange(5) / 100.0)
    np.testing.assert_allclose(plate.t, np.arange(10) / 200.0)
    _, (expected,) = read(tmp_path, sample())
    for part in ("force", "point", "moment"):
        np.testing.assert_allclose(getattr(plate, part), getattr(expected, part), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("real", [True, False])
@pytest.mark.parametrize("kind", [2, 3, 4])
def test_plates_are_those_of_ezc3d(tmp_path: Path, kind: int, real: bool) -> None:
    """Force, and moment about the middle of the plate, up to the sign that tells who pushes whom."""
    text = sample(kind, real=real)
    _, (plate,) = read(tmp_path, text)
    other = ezc3d.c3d(str(tmp_path / "a.c3d"), extract_forceplat_data=True)
    np.testing.assert_allclose(np.moveaxis(other["data"]["points"][:3], 0, -1).swapaxes(0, 1), text.points)
    (theirs,) = other["data"]["platform"]
    sign = np.sign(plate.force[0] @ theirs["force"][:, 0])
    np.testing.assert_allclose(plate.force, sign * theirs["force"].T, rtol=1e-6)
    center = 1e-3 * CORNERS.mean(axis=0)
    about = plate.moment + np.cross(plate.point - center, plate.force)
    np.testing.assert_allclose(about, sign * 1e-3 * theirs["moment"].T, rtol=1e-5, atol=1e-6)


BELOW = (120.0, 200.0, -40.0)
"""ORIGIN of a plate [mm]; with the other sign it says the same, as some files have it."""


def felt(kind: int, force: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """Channels of a plate for a load [N, N mm about its sensors' middle]: horizontal force at the near edges."""
    if kind != 3:
        return np.array([*force, *moment])
    about = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]) @ (moment[:2] / (BELOW[1], BELOW[0]))
    return np.array([force[0], 0.0, force[1], 0.0, *(force[2] + about) / 4.0])


@pytest.mark.parametrize(
    ("kind", "signs"), [(3, (1, 1, -1)), *((kind, sign) for kind in (2, 3, 4) for sign in (1, -1))]
)
def test_sensors_below_the_surface_feel_a_load_where_it_stands(tmp_path: Path, kind: int, signs: Any) -> None:
    """Right above the first of eight sensors and pushing sideways too, whether a file writes how far the sensors are
    below the surface or where, and whether their distances were negated with it."""
    parameters = {
        ("FORCE_PLATFORM", "ORIGIN"): (signs * np.array(BELOW))[:, None],
        ("FORCE_PLATFORM", "CAL_MATRIX"): np.eye(6)[:, :, None],
    }
    text = sample(kind, parameters=parameters)
    place, force = np.array([120.0, 200.0, 0.0]), np.array([120.0, -60.0, -800.0])
    channels = felt(kind, force, np.cross(place + np.array(BELOW) * ([0, 0, 1] if kind == 3 else [1, 1, 1]), force))
    text.analogs[:, 1 : 1 + len(channels)] = channels
    _, (plate,) = read(tmp_path, text)
    x, across = (CORNERS[0] - CORNERS[1]) / 600.0, CORNERS[0] - CORNERS[3]
    expected = CORNERS.mean(axis=0) + 120.0 * x + 200.0 * across / np.linalg.norm(across)
    np.testing.assert_allclose(plate.point[0], 1e-3 * expected, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(plate.force[0]), np.linalg.norm(force))
    np.testing.assert_allclose(plate.moment[0], 0.0, atol=1e-9)


def test_plates_that_do_not_push_along_up_are_refused(tmp_path: Path) -> None:
    """A floor in x and z, pushed down by 700 N: along z there is a little shear alone, of either sign."""
    lying = np.array([[600.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 400.0], [600.0, 0.0, 400.0]])
    for shear, loaded in ((3.0, 10), (-3.0, 10), (-3.0, 1)):
        text = sample(2, parameters={("FORCE_PLATFORM", "CORNERS"): lying.T[:, :, None]})
        text.analogs[:, 1:7] = 0.0
        text.analogs[:loaded, 1:4] = shear, shear, -700.0
        (tmp_path / "a.c3d").write_bytes(text.bytes())
        with pytest.raises(
            kg.ModelError, match=r"plate_1: its force, .* is hardly along up=\(0, 0, 1\).* up=\(0, 1, 0\)"
        ):
            kg.read_c3d(tmp_path / "a.c3d")
        _, (plate,) = kg.read_c3d(tmp_path / "a.c3d", up=(0, 1, 0))
        assert np.allclose(plate.force[:loaded, 1], 700.0)


@pytest.mark.parametrize("drift", [(6.0, 0.0, 0.5), (12.0, 3.0, -1.0)])
def test_a_plate_on_which_nobody_stood_may_drift_sideways(tmp_path: Path, drift: tuple[float, ...]) -> None:
    text = sample(2)
    text.analogs[:, 1:7] = (*drift, 0.0, 0.0, 0.0)
    _, (plate,) = read(tmp_path, text)
    np.testing.assert_allclose(np.linalg.norm(plate.force, axis=1), np.linalg.norm(drift), rtol=1e-6)


@pytest.mark.parametrize(("zero", "first", "last"), [([2, 3], 2, 3), ([0, 4], 1, 4), ([5, 5], 5, 5), ([1, 5], 1, 5)])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_the_mean_over_the_frames_of_a_baseline_is_taken_off(
    tmp_path: Path, kind: int, zero: list[int], first: int, last: int
) -> None:
    """Off forces, moments and volts, two samples a frame; a place that a plate tells has no baseline."""
    text = sample(kind, parameters={("FORCE_PLATFORM", "ZERO"): np.array(zero)})
    text.analogs[0, 3:7] += 3000.0
    _, (plate,) = read(tmp_path, text)
    without = sample(kind, step=2.0**-10)
    without.analogs[:] = text.analogs
    mean = text.analogs[2 * first - 2 : 2 * last].mean(axis=0)
    without.analogs[:] -= np.where(np.isin(np.arange(9), [4, 5]) & (kind == 1), 0.0, mean)
    _, (expected,) = read(tmp_path, without)
    for part in ("force", "point", "moment"):
        np.testing.assert_allclose(getattr(plate, part), getattr(expected, part), rtol=1e-6, atol=1e-9)


def test_a_plate_that_tells_an_offset_unloaded_tells_what_stands_on_it(tmp_path: Path) -> None:
    """30 N over the first three frames, and 700 N more after them."""
    for zero, unloaded in (([1, 3], 0.0), ([0, 0], 30.0), ([1, 0], 30.0)):
        text = sample(2, parameters={("FORCE_PLATFORM", "ZERO"): np.array(zero)})
        text.analogs[:, 1:7] = 0.0
        text.analogs[:, 3] = -30.0
        text.analogs[6:, 3] -= 700.0
        _, (plate,) = read(tmp_path, text)
        size = np.linalg.norm(plate.force, axis=1)
        np.testing.assert_allclose(size, unloaded + np.where(np.arange(10) < 6, 0.0, 700.0), atol=1e-9)


@pytest.mark.parametrize("up", [(0.0, 0.0, 0.0), (0.0, 0.0, 1e-200)])
def test_a_direction_up_without_a_length_is_refused(tmp_path: Path, up: tuple[float, ...]) -> None:
    (tmp_path / "a.c3d").write_bytes(sample().bytes())
    with pytest.raises(kg.ModelError, match=r"^up: expected the direction away from the ground, got \[0\.0, 0\.0, "):
        kg.read_c3d(tmp_path / "a.c3d", up=up)


@pytest.mark.parametrize("kind", [2, 4])
def test_parameters_of_one_plate_without_an_axis_of_plates(tmp_path: Path, kind: int) -> None:
    """As programs write them that drop axes of length 1."""
    text = sample(kind)
    _, (expected,) = read(tmp_path, text)
    keys = [("FORCE_PLATFORM", name) for name in ("CHANNEL", "CORNERS", "ORIGIN", "CAL_MATRIX")]
    _, (plate,) = read(tmp_path, sample(kind, parameters={key: text.parameters[key][..., 0] for key in keys}))
    for part in ("force", "point", "moment"):
        assert np.array_equal(getattr(plate, part), getattr(expected, part))


@pytest.mark.parametrize("last", [3, 9, 70000])
def test_frames_are_those_of_the_header_where_a_trial_has_others(tmp_path: Path, last: int) -> None:
    """As programs leave them that cut a record or join two."""
    markers, (plate,) = read(tmp_path, sample(parameters=trial(1, last)))
    expected, (whole,) = read(tmp_path, sample())
    np.testing.assert_array_equal(markers.positions, expected.positions)
    np.testing.assert_array_equal(markers.t, expected.t)
    np.testing.assert_array_equal(plate.force, whole.force)


def test_frames_begin_where_a_trial_of_as_many_does(tmp_path: Path) -> None:
    markers, _ = read(tmp_path, sample(parameters=trial(70001, 70005)))
    np.testing.assert_allclose(markers.t, (70000 + np.arange(5)) / 100.0)


def test_a_plate_that_tells_its_centre_of_pressure(tmp_path: Path) -> None:
    text = sample(1)
    _, (plate,) = read(tmp_path, text)
    x = (CORNERS[0] - CORNERS[1]) / 600.0
    z = np.cross(x, CORNERS[0] - CORNERS[3])
    z /= np.linalg.norm(z)
    px, py, free = text.analogs[:, 4:5], text.analogs[:, 5:6], text.analogs[:, 6:7]
    expected = 1e-3 * (CORNERS.mean(axis=0) + px * x + py * np.cross(z, x))
    np.testing.assert_allclose(plate.point, expected, atol=1e-6)
    np.testing.assert_allclose(np.abs(plate.moment @ z), 1e-3 * free[:, 0], rtol=1e-5)


def test_moments_in_the_unit_of_their_channel(tmp_path: Path) -> None:
    units = {("ANALOG", "UNITS"): ["V", *["N"] * 3, *["Nm"] * 3, "V", "V"]}
    text = sample(2)
    _, (plate,) = read(tmp_path, text)
    _, (other,) = read(tmp_path, sample(2, parameters=units))
    more = 1e-3 * 999.0 * text.analogs[:, 4:7]  # N m beyond what the numbers are as N mm
    center = 1e-3 * CORNERS.mean(axis=0)
    moments = [p.moment + np.cross(p.point - center, p.force) for p in (plate, other)]
    np.testing.assert_allclose(np.linalg.norm(moments[1] - moments[0], axis=1), np.linalg.norm(more, axis=1), rtol=1e-6)


@pytest.mark.parametrize("moment", ["Nm", "N-m", "N m", "N*m", "N.m", "NM", "Newton-meters", "newton metres"])
def test_moments_in_newton_metres_however_they_are_spelt(tmp_path: Path, moment: str) -> None:
    units = ["", *["Newtons"] * 3, *[moment] * 3]
    _, (plate,) = read(tmp_path, sample(2, parameters={("ANALOG", "UNITS"): units}))
    _, (expected,) = read(tmp_path, sample(2, parameters={("ANALOG", "UNITS"): ["", *["N"] * 3, *["Nm"] * 3]}))
    text = sample(2)
    text.analogs[:, 4:7] *= 1e3
    _, (milli,) = read(tmp_path, text)
    for part in ("force", "point", "moment"):
        np.testing.assert_array_equal(getattr(plate, part), getattr(expected, part))
        np.testing.assert_allclose(getattr(plate, part), getattr(milli, part), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("unit", ["MM", "Mm", "millimetre", "Millimeters", "MILLIMETRES"])
def test_millimetres_of_markers_however_they_are_spelt(tmp_path: Path, unit: str) -> None:
    markers, (plate,) = read(tmp_path, sample(2, parameters={("POINT", "UNITS"): [unit]}))
    expected, (other,) = read(tmp_path, sample(2))
    np.testing.assert_array_equal(markers.positions, expected.positions)
    assert all(np.array_equal(getattr(plate, part), getattr(other, part)) for part in ("force", "point", "moment"))


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_kilonewtons_and_metres_of_channels(tmp_path: Path, kind: int) -> None:
    """A file in millimetres whose plate is in other units: as one with the numbers in newtons and millimetres."""
    others = {1: ["m"] * 2 + ["kN.m"], 2: ["kN-m"] * 3, 3: ["kN"] * 5}[kind]
    _, (plate,) = read(tmp_path, sample(kind, parameters={("ANALOG", "UNITS"): ["mV", *["kN"] * 3, *others]}))
    text = sample(kind)
    text.analogs[:, 1:] *= 1e3
    text.analogs[:, 4:7] *= {1: [1.0, 1.0, 1e3], 2: 1e3, 3: 1.0}[kind]
    _, (expected,) = read(tmp_path, text)
    for part in ("force", "point", "moment"):
        np.testing.assert_allclose(getattr(plate, part), getattr(expected, part), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("kind", "channel", "unit", "words"),
    [
        (2, 1, "lbf", r"plate_1: channel 2 \(Fx\) is a force in 'lbf' \(parameter ANALOG:UNITS\); known: N, kN"),
        (2, 2, "V", r"plate_1: channel 3 is a force in 'V' "),
        (
            2,
            6,
            "ft-lb",
            r"plate_1: channel 7 is a moment in 'ft-lb' \(parameter ANALOG:UNITS\); known: N m, N cm, N mm",
        ),
        (1, 4, "inch", r"plate_1: channel 5 is a length in 'inch' \(parameter ANALOG:UNITS\); known: m, cm, mm"),
        (3, 8, "V", r"plate_1: channel 9 is a force in 'V' "),
    ],
)
def test_units_of_channels_that_are_not_known_are_refused(
    tmp_path: Path, kind: int, channel: int, unit: str, words: str
) -> None:
    parameters = {("ANALOG", "UNITS"): [*[""] * channel, unit], ("ANALOG", "LABELS"): ["EMG", "Fx"]}
    with pytest.raises(kg.ModelError, match=words):
        read(tmp_path, sample(kind, parameters=parameters))


def test_volts_of_a_plate_with_a_matrix_are_taken(tmp_path: Path) -> None:
    _, (plate,) = read(tmp_path, sample(4, parameters={("ANALOG", "UNITS"): ["V"] * 9}))
    _, (expected,) = read(tmp_path, sample(4))
    assert np.array_equal(plate.force, expected.force) and np.array_equal(plate.moment, expected.moment)


BROKEN: dict[str, tuple[dict[tuple[str, str], Any], str]] = {
    "no unit": ({("POINT", "UNITS"): ["furlong"]}, "POINT:UNITS is 'furlong'; known: m, cm, mm"),
    "no rate": ({("POINT", "RATE"): np.array([0.0])}, "5 frames at 0 per second"),
    "scale of nothing": ({("POINT", "SCALE"): np.array([np.nan])}, r"cannot be read as C3D \(.*SCALE is nan"),
    "a type of plate": ({("FORCE_PLATFORM", "TYPE"): np.array([7])}, "plate_1 is of type 7; known: 1, 2, 3, 4"),
    "two plates of one": (
        {("FORCE_PLATFORM", "USED"): np.array([2])},
        "FORCE_PLATFORM:TYPE has no 1 numbers for plate 2",
    ),
    "half a plate": ({("FORCE_PLATFORM", "USED"): np.array([0.5])}, "FORCE_PLATFORM:USED is 0.5, expected a whole"),
    "a channel too far": (
        {("FORCE_PLATFORM", "CHANNEL"): np.arange(5, 11)[:, None]},
        "plate_1 has channel 10 of 9",
    ),
    "three corners": ({("FORCE_PLATFORM", "CORNERS"): CORNERS[:3].T}, "CORNERS has no 12 numbers for plate 1"),
    "a channel that is not there": (
        {("FORCE_PLATFORM", "CHANNEL"): np.array([[1, 2, 3, 0, 5, 9]]).T},
        "plate_1 has channel 0 of 9: FORCE_PLATFORM:CHANNEL counts from 1",
    ),
    "corners in a line": (
        {("FORCE_PLATFORM", "CORNERS"): np.ones((3, 4, 1))},
        "plate_1: its corners .* span no plane",
    ),
    "a gap in a plate": ({("ANALOG", "SCALE"): np.full(9, np.nan)}, "plate_1: sample 1 is a gap"),
    "a baseline behind the end": (
        {("FORCE_PLATFORM", "ZERO"): np.array([1, 10])},
        r"FORCE_PLATFORM:ZERO takes the baseline .* frames 1 to 10, the file has frames 1 to 5; write .* or \[0, 0\]",
    ),
    "a baseline before the start": ({("FORCE_PLATFORM", "ZERO"): np.array([-3, 2])}, "from frames -3 to 2, the file"),
    "few scales": ({("ANALOG", "SCALE"): np.ones(4)}, "ANALOG:SCALE has 4 numbers for 9 channels"),
    "a frame too far": (
        trial(1, 65536 + 5),
        r"cannot be read as C3D \(it ends after .* bytes, .* are needed\)",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_named(tmp_path: Path, case: str) -> None:
    parameters, words = BROKEN[case]
    with pytest.raises(kg.ModelError, match=f"^{re.escape(str(tmp_path / 'a.c3d'))}: .*{words}"):
        read(tmp_path, sample(parameters=parameters))


@pytest.mark.parametrize("name", ["parameter", "plate", "p", "plate_1"])
def test_a_file_whose_name_a_message_begins_with_is_named(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for case in ("no unit", "a type of plate", "a gap in a plate"):
        parameters, words = BROKEN[case]
        Path(name).write_bytes(sample(parameters=parameters).bytes())
        with pytest.raises(kg.ModelError, match=f"^{name}: .*{words}"):
            kg.read_c3d(name)


def test_a_parameter_that_says_more_than_its_block_holds_is_named(tmp_path: Path) -> None:
    """250 types of plates where one stands; and a file that ends in the midst of its parameters is told so."""
    data = sample().bytes()
    at = data.index(b"TYPE") + len("TYPE") + 2
    (tmp_path / "a.c3d").write_bytes(data[: at + 2] + bytes([250]) + data[at + 3 :])
    words = r"parameter FORCE_PLATFORM:TYPE says more than its block holds: it has 6 bytes, 503 are needed"
    with pytest.raises(kg.ModelError, match=rf"cannot be read as C3D \({words}\)$"):
        kg.read_c3d(tmp_path / "a.c3d")
    (tmp_path / "a.c3d").write_bytes(data[: at + 3])
    with pytest.raises(kg.ModelError, match=rf"it ends after {at + 3:,} bytes, {at + 8:,} are needed"):
        kg.read_c3d(tmp_path / "a.c3d")


def test_a_damaged_byte_is_a_refusal_that_names_the_file(tmp_path: Path) -> None:
    file, rng, refused = tmp_path / "a.c3d", np.random.default_rng(0), 0
    data = sample().bytes()
    section = 512 + data[512:].index(b"\0\0", 600)
    for k in range(600):
        changed = bytearray(data[: rng.integers(len(data))] if k % 10 == 0 else data)
        for at in rng.integers(0, min(section, len(changed)) or 1, 2):
            changed[at : at + 1] = bytes([rng.choice([0, 1, 127, 128, 255, int(rng.integers(256))])])
        file.write_bytes(changed)
        try:
            kg.read_c3d(file)
        except kg.ModelError as error:
            assert str(error).startswith(str(file))
            refused += 1
    assert refused > 100
