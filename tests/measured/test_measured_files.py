"""Files of motion laboratories: .trc, .mot, .sto, .csv, .c3d; what is wrong in them is named by line, column, frame."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg

TRC = """PathFileType\t4\t(X/Y/Z)\ta.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames
60.00\t60.00\t4\t2\tmm\t60.00\t1\t4
Frame#\tTime\tR.ASIS\t\t\tL.ASIS\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2

1\t0.000\t1000\t2000\t3000\t-1\t-2\t-3
2\t0.017\t1001\t2000\t3000\t-1\t-2\t-3
3\t0.033\t1002\t2000\t3000\t\t\t
4\t0.050\t1003\t2000\t3000\t-1\t-2\t-3
"""
MOT = """Coordinates
version=1
nRows=3
nColumns=4
inDegrees=yes

Units are S.I. units (second, meters, Newtons, ...)
Angles are in degrees.

endheader
time\thip\tknee\tpelvis_tx
      0.00000000\t     10.0\t20.0\t0.5
      0.01000000\t     11.0\t21.0\t0.5
      0.02000000\t     12.0\t22.0\t0.6
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_trc_in_metres_with_even_times_and_gaps(tmp_path: Path) -> None:
    markers = kg.read_trc(write(tmp_path, "a.trc", TRC))
    assert markers.names == ("R.ASIS", "L.ASIS")
    assert np.allclose(markers.t, np.arange(4) / 60.0)
    assert markers.rate == pytest.approx(60.0)
    assert np.allclose(markers.of(["R.ASIS"])[2, 0], [1.002, 2.0, 3.0])
    with pytest.raises(kg.ModelError, match=r"a.trc: marker 'L.ASIS' is not seen in frames 3 to 3 \(0.0333333 s on\)"):
        markers.of(["L.ASIS"])
    assert np.allclose(markers.between(0.01, 0.04).t, [1 / 60, 2 / 60])
    spelt = kg.read_trc(write(tmp_path, "b.trc", cut(TRC, "\tmm\t", "\tMillimetres\t")))
    np.testing.assert_array_equal(spelt.positions, markers.positions)


def test_mot_with_header_and_blanks(tmp_path: Path) -> None:
    table = kg.read_table(write(tmp_path, "a.mot", MOT))
    assert table.columns == ("time", "hip", "knee", "pelvis_tx")
    assert table.in_degrees
    assert table.rate == pytest.approx(100.0)
    assert np.array_equal(table.column("knee"), [20.0, 21.0, 22.0])
    assert table.header["version"] == "1"


def test_sto_and_csv_are_the_same_table(tmp_path: Path) -> None:
    sto = kg.read_table(write(tmp_path, "a.sto", "x\nversion=1\ninDegrees=no\nendheader\ntime\ta\n0\t1\n1\t2\n"))
    csv = kg.read_table(write(tmp_path, "a.csv", 'time, "a"\n0, 1\n1, 2\n'))
    assert np.array_equal(sto.values, csv.values) and sto.columns == csv.columns and not csv.in_degrees


def test_forces_of_two_plates_on_the_frames_of_a_motion(tmp_path: Path) -> None:
    names = [
        f"{n}ground_{part}{axis}" for n in ("", "1_") for part in ("force_v", "force_p", "torque_") for axis in "xyz"
    ]
    rows = [[0.01 * k, *(k + i for i in range(18))] for k in range(11)]
    text = "f\nnRows=11\nnColumns=19\ninDegrees=yes\nendheader\n" + "\t".join(["time", *names]) + "\n"
    path = write(tmp_path, "f.mot", text + "".join("\t".join(map(str, row)) + "\n" for row in rows))
    second = kg.read_forces(path, "left", force="1_ground_force_v", point="1_ground_force_p", torque="1_ground_torque_")
    wrench = second.on("foot_l", [0.005, 0.1])
    assert (wrench.name, wrench.link) == ("left", "foot_l")
    assert np.allclose(wrench.force, [[9.5, 10.5, 11.5], [19, 20, 21]])
    assert np.allclose(wrench.moment[0], [15.5, 16.5, 17.5])
    with pytest.raises(kg.ModelError, match=r"f.mot: plate 'left' recorded from 0 to 0.1 s, but frame 2 .* at 0.3 s"):
        second.on("foot_l", [0.05, 0.3])
    assert np.allclose(second.on("foot_l", [0.1099]).force, [[19, 20, 21]])  # a clock a sample late
    with pytest.raises(kg.ModelError, match=r"but frame 1 of the motion is at 0.112 s: shift the record"):
        second.on("foot_l", [0.112])
    assert np.allclose(second.shifted(0.2).on("foot_l", [0.205, 0.3]).force, wrench.force)


def test_between_samples_a_plate_has_the_moment_between_theirs() -> None:
    """A foot lands two metres off the origin, where the plate's point was at the origin before."""
    t, landed = 0.1 * np.arange(4.0), np.array([0.0, 0.0, 1.0, 1.0])[:, None]
    force, point, free = np.array([9.0, 0.0, 400.0]), np.array([2.0, 0.3, 0.0]), np.array([0.0, 0.0, 5.0])
    record = kg.PlateRecord("lab", "plate", t, landed * force, landed * point, landed * free)
    for time, part in ((0.125, 0.25), (0.15, 0.5), (0.3, 1.0)):
        wrench = record.on("foot", [time])
        about = np.cross(wrench.point, wrench.force) + wrench.moment
        assert np.allclose(about, part * (np.cross(point, force) + free))
        assert np.allclose(wrench.force, part * force)


def test_smoothing_a_plate_keeps_its_wrench() -> None:
    t = np.arange(400) / 200.0
    force = np.tile([10.0, 0.0, 700.0], (400, 1))
    point = np.stack([0.05 * np.sin(2 * t), 0 * t, 0 * t], axis=1)
    plate = kg.PlateRecord("lab", "p", t, force, point, np.zeros_like(force)).low_passed(10.0)
    about = np.cross(plate.point, plate.force) + plate.moment
    assert np.allclose(about, np.cross(point, force), atol=0.05)
    assert np.array_equal(plate.point, point)


def cut(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("name", "text", "read", "message"),
    [
        ("a.mot", cut(MOT, "21.0", ""), kg.read_table, "a.mot: line 13, frame 2, column 'knee' is empty: a gap"),
        ("a.mot", cut(MOT, "21.0", "NaN"), kg.read_table, "a.mot: line 13, frame 2, column 'knee' is NaN: a gap"),
        ("a.mot", cut(MOT, "21.0", "2l"), kg.read_table, "column 'knee' is '2l', expected a number"),
        ("a.mot", cut(MOT, "21.0", "2_1"), kg.read_table, "column 'knee' is '2_1', expected a number"),
        (
            "a.csv",
            "time,knee\n0,\u0663\n",
            kg.read_table,
            "line 2, frame 1, column 'knee' is '\u0663', expected a number",
        ),
        ("a.trc", cut(TRC, "1001", "1_001"), kg.read_trc, "column 'R.ASIS X' is '1_001', expected a number"),
        ("a.trc", cut(TRC, "60.00\t60.00\t4", "6_0\t60.00\t4"), kg.read_trc, "DataRate is '6_0', expected frames per"),
        ("a.mot", cut(MOT, "21.0\t", ""), kg.read_table, "line 13, frame 2 has 3 entries for 4 columns"),
        ("a.mot", cut(MOT, "nRows=3", "nRows=4"), kg.read_table, "says nrows = 4, the file has 3; is it cut off"),
        ("a.mot", cut(MOT, "knee", "hip"), kg.read_table, "two columns are called 'hip'"),
        ("a.mot", cut(MOT, "time\t", "t\t"), kg.read_table, "line 11 should name the columns, 'time' among them"),
        ("a.csv", "time;knee\n0,0;0,1\n", kg.read_table, "a.csv: line 1 parts its columns by ';'; .* parted by ','"),
        ("a.csv", "time\tknee\n0\t1\n", kg.read_table, r"a.csv: line 1 parts its columns by '\\t'; .* parted by ','"),
        ("a.csv", "angle\n0\n", kg.read_table, "a.csv: line 1 should name the columns, .* reads 'angle'"),
        ("a.mot", cut(MOT, "endheader", ""), kg.read_table, "a.mot: no line 'endheader'"),
        ("a.mot", MOT[: MOT.index("      0.00")], kg.read_table, "there are no rows"),
        ("a.mot", MOT, lambda p: kg.read_table(p).column("ankle"), "a.mot: no column 'ankle'; it has: "),
        ("a.mot", MOT, kg.read_forces, "a.mot: no column 'ground_force_vx'"),
        (
            "a.mot",
            cut(MOT, "0.02000", "0.01000"),
            lambda p: kg.read_table(p).rate,
            "'time': must increase, but frame 3",
        ),
        ("a.trc", cut(TRC, "\tmm\t", "\tinch\t"), kg.read_trc, "a.trc: line 3: unknown Units 'inch'; known: m, cm, mm"),
        ("a.trc", cut(TRC, "60.00\t60.00\t4", "100\t60.00\t4"), kg.read_trc, "DataRate is 100 .* goes on by 60"),
        ("a.trc", cut(TRC, "60.00\t60.00\t4", "nan\t60.00\t4"), kg.read_trc, "DataRate is nan .* goes on by 60"),
        ("a.trc", cut(TRC, "60.00\t60.00\t4\t2", "60.00\t60.00\t9\t2"), kg.read_trc, "NumFrames is 9, the file has 4"),
        ("a.trc", cut(TRC, "60.00\t60.00\t4\t2", "60.00\t60.00\t4\t3"), kg.read_trc, "NumMarkers is 3, line 4 names 2"),
        ("a.trc", cut(TRC, "1001", "x"), kg.read_trc, "line 8, frame 2, column 'R.ASIS X' is 'x', expected a number"),
        ("a.trc", cut(TRC, "0.050", "0.150"), kg.read_trc, "'Time': frames are missing between 0.033 s and 0.15 s"),
        ("a.trc", cut(TRC, "\t-3\n", "\t-3\t4\n"), kg.read_trc, "line 7 has 9 entries, 8 were expected"),
        ("a.trc", MOT, kg.read_trc, "not a .trc file"),
        ("a.trc", TRC, lambda p: kg.read_trc(p).of(["ASIS"]), "a.trc: no marker 'ASIS'; it has: R.ASIS, L.ASIS"),
        (
            "a.trc",
            TRC,
            lambda p: kg.fit_cluster(kg.read_trc(p), {"R.ASIS": (0, 0, 0)}),
            "a cluster needs three markers",
        ),
    ],
)
def test_bad_files(tmp_path: Path, name: str, text: str, read: Callable[[Path], Any], message: str) -> None:
    with pytest.raises(kg.ModelError, match=message):
        read(write(tmp_path, name, text))


def test_a_file_of_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time,knee\n0,1\n1,2\n", encoding="utf-16")
    with pytest.raises(kg.ModelError, match=r"a\.csv: is not UTF-8 text but UTF-16; save it as UTF-8"):
        kg.read_table(path)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("yes", True),
        ("Y", True),
        ("true", True),
        ("1", True),
        ("No", False),
        ("n", False),
        ("False", False),
        ("0", False),
    ],
)
def test_a_header_says_degrees_in_several_ways(tmp_path: Path, said: str, expected: bool) -> None:
    table = kg.read_table(write(tmp_path, "a.mot", f"x\ninDegrees = {said}\nendheader\ntime\ta\n0\t1\n1\t2\n"))
    assert table.in_degrees is expected


@pytest.mark.parametrize("said", ["", "ja", "degrees", "2"])
def test_a_header_that_says_neither_degrees_nor_radians_is_refused(tmp_path: Path, said: str) -> None:
    table = kg.read_table(write(tmp_path, "a.mot", f"x\ninDegrees={said}\nendheader\ntime\ta\n0\t1\n1\t2\n"))
    with pytest.raises(kg.ModelError, match=rf"a\.mot: the header says inDegrees={said}, expected yes or no"):
        _ = table.in_degrees


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for read in (kg.read_table, kg.read_trc, kg.read_forces, kg.read_c3d):
        with pytest.raises(kg.ModelError, match=r"none\.\w+: (cannot be read|there is no such file)"):
            read(tmp_path / "none.mot")


def test_a_cluster_in_one_line_is_refused(tmp_path: Path) -> None:
    places = {name: (0.1 * k, 0.0, 0.0) for k, name in enumerate("abc")}
    markers = kg.Markers("lab", np.arange(2) / 10, tuple("abc"), np.zeros((2, 3, 3)))
    with pytest.raises(kg.ModelError, match="markers a, b, c stand in one line"):
        kg.fit_cluster(markers, places)


LINE = np.array([[-0.1, 0.0, 0.0], [0.0, 0.0, 0.0], [0.1, 0.0, 0.0]])


@pytest.mark.parametrize("seen", [LINE, LINE[[0, 2, 2]], 0.0 * LINE])
@pytest.mark.parametrize("noise", [0.0, 1e-12, 1e-6])
@pytest.mark.parametrize("height", [0.0025, 0.1])
@pytest.mark.parametrize("low_passed", [True, False])
def test_a_cluster_that_is_seen_in_one_line_is_refused_by_the_frame(
    seen: np.ndarray, noise: float, height: float, low_passed: bool
) -> None:
    places = {"a": (-0.1, 0, 0), "b": (0, height, 0), "c": (0.1, 0, 0)}
    positions = np.tile([*places.values()], (40, 1, 1))
    positions[6:30] = seen + noise * np.random.default_rng(0).normal(size=(24, 3, 3))
    markers = kg.Markers("lab", np.arange(40) / 100, tuple("abc"), positions)
    smoothing = kg.Smoothing() if low_passed else kg.Smoothing(cutoff=None)
    words = (
        r"lab: in frame 7 \(0\.06 s\) markers a, b, c are seen in one line or point: how they turn cannot be seen; take"
    )
    with pytest.raises(kg.ModelError, match=words):
        kg.fit_cluster(markers, places)
    with pytest.raises(kg.ModelError, match=words):
        kg.Motion.from_markers(markers, {"leg": places}, [kg.BodySegment("leg", 1.0, np.eye(3))], smoothing)


@pytest.mark.parametrize("factor", [1e3, 1e2, 10.0, 0.1])
def test_places_of_a_cluster_in_other_units_than_the_markers_are_refused(factor: float) -> None:
    """And neither a frame in which a marker is mistaken, nor a mirrored cluster, which the misfit tells of."""
    places = {"a": (-0.1, 0.0, 0.0), "b": (0.0, 0.07, 0.0), "c": (0.1, 0.0, 0.0), "d": (0.0, 0.02, 0.05)}
    positions = np.tile([*places.values()], (40, 1, 1)) + 0.5
    positions[7, 1] += 3.0
    markers = kg.Markers("lab", np.arange(40) / 100, tuple(places), positions)
    assert kg.fit_cluster(markers, places).rms[:7].max() < 1e-12
    mirrored = kg.fit_cluster(markers, {name: np.array(at) * [1.0, 1.0, -1.0] for name, at in places.items()})
    assert 0.01 < np.median(mirrored.rms) < 0.1
    others = {name: factor * np.array(at) for name, at in places.items()}
    words = r"lab: markers a, b, c, d are off their places by .* m rms: .* has a size of .* m, as it is seen of .* "
    with pytest.raises(kg.ModelError, match=words + r"m; are the places, or the markers, in millimetres\?"):
        kg.fit_cluster(markers, others)
    with pytest.raises(kg.ModelError, match=words):
        kg.Motion.from_markers(markers, {"leg": others}, [kg.BodySegment("leg", 1.0, np.eye(3))], kg.Smoothing(None))


@pytest.mark.parametrize("names", ["abcdef", "abc"])
def test_markers_of_segments_that_are_not_asked_for_may_be_hidden_or_lacking(names: str) -> None:
    places = np.tile(0.1 * np.eye(3), (40, 2, 1))[:, : len(names)]
    places[10:30, 4:] = np.nan
    markers = kg.Markers("lab", np.arange(40) / 100, tuple(names), places)
    clusters = {part: dict(zip(own, 0.1 * np.eye(3), strict=True)) for part, own in (("thigh", "abc"), ("arm", "def"))}
    thigh, arm = (kg.BodySegment(part, 1.0, np.eye(3)) for part in clusters)
    motion = kg.Motion.from_markers(markers, clusters, [thigh])
    assert list(motion.segments) == ["thigh"] and np.allclose(motion.segments["thigh"].rotation, np.eye(3))
    with pytest.raises(kg.ModelError, match=r"marker 'e' is not seen in frames 11 to 30|no marker 'd'"):
        kg.Motion.from_markers(markers, clusters, [thigh, arm])


def write_c3d(path: Path, *, unit: str = "mm", sign: float = 1.0) -> None:
    """Ten frames at 100 Hz of three markers, one of them lost in frame 5; a plate (0.6 m × 0.4 m) at 1000 Hz on which
    700 N act 0.1 m in front of its middle, with a free moment of 2 N m about the vertical.
    """
    import ezc3d
    from ezc3d import ezc3d as native

    c3d = ezc3d.c3d()
    scale = {"mm": 1e3, "inch": 39.37}[unit]
    points = np.ones((4, 3, 10))
    points[:3] = scale * (np.arange(9).reshape(3, 3, 1) * 0.1 + 0.01 * np.arange(10))
    points[:3, 1, 4] = np.nan
    c3d["data"]["points"] = points
    for name, value in (("RATE", [100.0]), ("LABELS", ("a", "b", "c")), ("UNITS", [unit])):
        c3d["parameters"]["POINT"][name]["value"] = value
    c3d["parameters"]["ANALOG"]["RATE"]["value"] = [1000.0]
    c3d["parameters"]["ANALOG"]["LABELS"]["value"] = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
    analogs = np.zeros((1, 6, 100))
    analogs[0, 2], analogs[0, 4], analogs[0, 5] = sign * 700.0, -sign * 700.0 * 0.1 * 1e3, sign * 2.0e3
    c3d["data"]["analogs"] = analogs
    c3d.add_parameter("FORCE_PLATFORM", "USED", 1)

    def whole(name: str, values: list[int], shape: list[int]) -> None:
        parameter = native.Parameter(name, "")
        parameter.set(native.VecInt(values), shape)
        c3d["parameters"].add_parameter("FORCE_PLATFORM", parameter)

    whole("TYPE", [2], [1])
    whole("ZERO", [1, 0], [2])
    whole("CHANNEL", [1, 2, 3, 4, 5, 6], [6, 1])
    corners = scale * np.array([[0.6, 0.4, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.0], [0.6, 0.0, 0.0]])
    c3d.add_parameter("FORCE_PLATFORM", "CORNERS", corners.T.reshape(3, 4, 1))
    c3d.add_parameter("FORCE_PLATFORM", "ORIGIN", np.zeros((3, 1)))
    c3d.write(str(path))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_c3d_markers_and_plate(tmp_path: Path, sign: float) -> None:
    write_c3d(tmp_path / "walk.c3d", sign=sign)
    markers, (plate,) = kg.read_c3d(tmp_path / "walk.c3d")
    assert (markers.names, markers.rate) == (("a", "b", "c"), pytest.approx(100.0))
    assert np.allclose(markers.of(["a"])[:, 0, 1], 0.3 + 0.01 * np.arange(10), atol=1e-6)
    with pytest.raises(kg.ModelError, match=r"walk\.c3d: marker 'b' is not seen in frames 5 to 5"):
        markers.of(["b"])
    wrench = plate.on("foot_r", markers.t)
    assert np.allclose(wrench.force, [0.0, 0.0, 700.0])
    assert np.allclose(wrench.point, [0.4, 0.2, 0.0], atol=1e-6)
    assert np.allclose(wrench.moment, [0.0, 0.0, 2.0], atol=1e-6)


def test_c3d_in_unknown_units_and_not_c3d(tmp_path: Path) -> None:
    write_c3d(tmp_path / "walk.c3d", unit="inch")
    with pytest.raises(kg.ModelError, match=r"walk\.c3d: parameter POINT:UNITS is 'inch'; known: m, cm, mm"):
        kg.read_c3d(tmp_path / "walk.c3d")
    with pytest.raises(kg.ModelError, match=r"bad\.c3d: cannot be read as C3D"):
        kg.read_c3d(write(tmp_path, "bad.c3d", "no c3d at all"))


@pytest.mark.parametrize(
    ("package", "call"),
    [("xarray", lambda: terms().to_xarray())],
)
def test_missing_extras_say_what_to_install(
    monkeypatch: pytest.MonkeyPatch, package: str, call: Callable[[], Any]
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(kg.ModelError, match=rf"need.? the package '{package}': pip install 'kinegen\[measured\]'"):
        call()


def terms() -> kg.TorqueTerms:
    return kg.TorqueTerms(np.zeros((1, 1, 3)), ("j",), ("j",), ("l",), ("acceleration", "centrifugal", "gravity"))
