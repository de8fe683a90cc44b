"""Animations as pages: frames are the recorded states, nothing in a name is markup, same motion same bytes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.animation.animate import animation
from kinegen.runtime.animation.clip import Clip, frames
from kinegen.runtime.animation.page import page
from kinegen.runtime.model.model import Model
from kinegen.visual.look import look_of
from support.animations import Elements, data_of, poses_of, surface_of, unpacked
from support.contact.dropped import simulator as dropped
from support.mechanisms.closed_mechanisms import slider_crank
from support.mechanisms.robots import FOLDER
from support.oracles.mechanisms import random_mechanism, random_state

NAME = "</script><!-- <b>&amp;\"'θ"


def falling(name: str = "falling") -> kg.Trajectory:
    ball = kg.inertia.sphere(1.0, 0.1)
    links = [kg.Link(f"{name}{i}", 1.0, inertia=ball, shapes=[kg.sphere(0.1)]) for i in range(2)]
    joints = [kg.Joint(f"free{i}", "free", "world", link.name) for i, link in enumerate(links)]
    simulator = kg.Simulator(kg.Mechanism(name, links, joints, shapes=[kg.plane()]), dt=5e-3)
    q = simulator.q.copy()
    q[[2, 7, 9]] = 0.3, 0.5, 0.1
    simulator = kg.Simulator(simulator.model, dt=5e-3, q=q)
    return simulator.run(0.5)


def tree() -> kg.Trajectory:
    mechanism = random_mechanism(3, bodies=4)
    model = kg.compile(mechanism)
    q, v = random_state(mechanism, np.random.default_rng(1))[:2]
    return kg.Simulator(model, q=q, v=v, limits=False).run(0.2)


def loop() -> kg.Trajectory:
    return kg.Simulator(slider_crank(), dt=2e-3, v=None).run(0.4)


MOTIONS: dict[str, Callable[[], kg.Trajectory]] = {"falling": falling, "tree": tree, "loop": loop}


@pytest.mark.parametrize("name", MOTIONS)
def test_frames_are_recorded_states(name: str) -> None:
    motion = MOTIONS[name]()
    assert motion.model is not None
    data = data_of(animation(motion, 30.0))
    t = unpacked(data["t"], "<f8", -1)
    chosen = np.searchsorted(motion.t, t)
    assert np.array_equal(motion.t[chosen], t) and (t[0], t[-1]) == (motion.t[0], motion.t[-1])
    assert data["links"] == list(motion.model.link_names)
    expected, found = motion.model.link_poses(motion.q[chosen]), poses_of(data)
    scale = max(1.0, np.abs(expected[..., :3, 3]).max())
    assert np.abs(found - expected)[..., :3, 3].max() < 1e-7 * scale
    assert np.abs(found - expected)[..., :3, :3].max() < 1e-4
    assert unpacked(data["com"], "<f4", -1, 3) == pytest.approx(motion.model.com(motion.q[chosen]), abs=1e-6)


def test_turns_are_kept_as_the_documents_tell() -> None:
    """Half a step in each of the four entries of a quaternion, twice as much in the angle."""
    text = (Path(__file__).parents[2] / "docs" / "seeing.md").read_text(encoding="utf-8")
    told = float(text.partition("turns to ")[2].partition(" rad")[0])
    box = kg.Link("box", 1.0, inertia=kg.inertia.box(1.0, (0.4, 0.3, 0.2)))
    spinning = kg.Mechanism("spinning", [box], [kg.Joint("free", "free", "world", "box")], gravity=(0, 0, 0))
    motion = kg.Simulator(spinning, v=[0, 0, 0, 3, 5, 2], integrator="rk4").run(5.0)
    assert motion.model is not None
    data = data_of(animation(motion, 100.0))
    chosen = np.searchsorted(motion.t, unpacked(data["t"], "<f8", -1))
    expected, found = motion.model.link_poses(motion.q[chosen]), poses_of(data)
    apart = np.einsum("...ji,...jk->...ik", expected[..., :3, :3], found[..., :3, :3])
    sines = [apart[..., i, j] - apart[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0))]
    off = np.linalg.norm(sines, axis=0) / 2
    assert 0.5 * told < off.max() < told


def test_contacts_of_the_frames() -> None:
    motion = falling()
    assert motion.contacts is not None
    data = data_of(animation(motion, 40.0))
    chosen = np.searchsorted(motion.t, unpacked(data["t"], "<f8", -1))
    starts = unpacked(data["contacts"]["starts"], "<u4", -1).astype(int)
    values = unpacked(data["contacts"]["values"], "<f4", -1, 6)
    assert len(values) > 5
    for k, state in enumerate(chosen):
        contacts = motion.contacts[int(state)]
        assert values[starts[k] : starts[k + 1], :3] == pytest.approx(contacts.points, abs=1e-6)
        assert values[starts[k] : starts[k + 1], 3:] == pytest.approx(contacts.forces, rel=1e-6, abs=1e-6)


def test_what_is_connected() -> None:
    simulator = dropped()
    simulator.at(0.05, "connect", "weld")
    simulator.at(0.15, "cut", "weld")
    motion = simulator.run(0.2)
    data = data_of(animation(motion, 100.0))
    names = [connection["name"] for connection in data["connections"]]
    t, active = unpacked(data["t"], "<f8", -1), unpacked(data["active"], "<u1", -1, len(names))
    held = (t > 0.051) & (t < 0.149)
    weld = active[:, names.index("weld")]
    assert weld[held].all() and not weld[(t < 0.049) | (t > 0.151)].any() and active[:, names.index("pivot")].all()
    assert [event[1:] for event in data["events"]] == [["connect", "weld"], ["cut", "weld"]]


def test_names_are_text() -> None:
    hung = [kg.Joint(NAME, "revolute", "world", NAME)]
    motion = kg.Simulator(kg.Mechanism(NAME, [kg.Link(NAME, 1.0, (0, 1, 0))], hung)).run(0.1)
    text = animation(motion, 30.0)
    assert (
        Elements(text).tags == Elements(animation(falling(), 30.0)).tags
        and text.count("<!--") == 0
        and text.count("</script>") == 2
    )
    assert Elements(text).texts["title"] == NAME and data_of(text)["name"] == NAME
    assert data_of(text)["links"] == [NAME]
    assert "http://" not in text and "https://" not in text


def test_same_motion_same_bytes(tmp_path: Path) -> None:
    motion = falling()
    assert motion.html(tmp_path / "a.html") == tmp_path / "a.html"
    falling().html(tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_looks() -> None:
    """Visuals before shapes before sticks; the piston slides on a rod; gravity says where up is."""
    motion = falling()
    assert motion.model is not None and motion.model.module.look is not None
    look = motion.model.module.look({})
    assert {part.kind for part in look.parts if part.link == "falling0"} == {"shape", "stick"}
    (ground,) = look.grounds
    assert ground.link == "world"
    crank = look_of(
        replace(slider_crank(), gravity=(0.0, -9.81, 0.0), visuals=[kg.Visual("crank", kg.sphere(0.1))]), {}
    )
    assert len(crank.rods) == 1 and crank.up == pytest.approx((0.0, 1.0, 0.0))
    assert sum(part.kind == "visual" for part in crank.parts) == 1


def test_a_mesh_that_is_missing_is_told(tmp_path: Path) -> None:
    ball = kg.Link("ball", 1.0, shapes=[])
    hung = [kg.Joint("j", "revolute", "world", "ball")]
    look = look_of(kg.Mechanism("m", [ball], hung, visuals=[kg.Visual("ball", kg.mesh(tmp_path / "no.stl"))]), {})
    assert len(look.notes) == 1 and "no.stl" in look.notes[0] and "ball" in look.notes[0]


def test_of_a_model_from_a_folder(tmp_path: Path) -> None:
    """It knows joints only, unless the mechanism comes beside it."""
    motion = falling()
    assert motion.model is not None
    motion.save(tmp_path / "m.npz")
    read = kg.Trajectory.load(tmp_path / "m.npz", Model.load(motion.model.module.folder))
    assert data_of(animation(read, 30.0))["parts"] == []
    ball = kg.inertia.sphere(1.0, 0.1)
    same = kg.Mechanism(
        "other",
        [kg.Link(f"falling{i}", 1.0, inertia=ball, shapes=[kg.box((1, 1, 1))]) for i in range(2)],
        [kg.Joint(f"free{i}", "free", "world", f"falling{i}") for i in range(2)],
    )
    kg.animate(same, read, tmp_path / "m.html")
    assert {part[4] for part in data_of((tmp_path / "m.html").read_text())["parts"]} == {"shape", "stick"}
    stranger = kg.Mechanism("stranger", [kg.Link("x", 1.0)], [kg.Joint("j", "fixed", "world", "x")])
    with pytest.raises(kg.ModelError, match="no link of the model"):
        kg.animate(stranger, read, tmp_path / "m.html")


def test_seconds_of_talos_are_below_three_megabytes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        talos = kg.load(FOLDER / "talos_data/robots/talos_reduced.urdf", root="free")
    links = tuple(link.name for link in talos.links)
    poses = np.broadcast_to(np.eye(4), (300, len(links), 4, 4))
    none = np.zeros((300, 0), dtype=bool)
    look = look_of(replace(talos, links=[replace(link, shapes=()) for link in talos.links]), {})
    assert look.notes == () and sum(len(surface.triangles) for surface in look.surfaces) > 100_000
    text = page(Clip("talos", np.linspace(0, 10, 300), links, poses, None, None, (), none, ()), look)
    assert len(text) < 3e6
    for packed, surface in zip(data_of(text)["surfaces"], look.surfaces, strict=True):
        vertices, _ = surface_of(packed)
        assert np.abs(np.ptp(vertices, axis=0) - np.ptp(surface.vertices, axis=0)).max() < 0.02


def test_even_times() -> None:
    assert frames(np.linspace(0, 1, 1001), 10.0).tolist() == list(range(0, 1001, 100))
    assert frames(np.array([0.0, 0.0, 0.1]), 1.0).tolist() == [0, 2]
    assert frames(np.array([2.0]), 30.0).tolist() == [0]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda motion: motion.html("m.txt"), "end its name with .html"),
        (lambda motion: motion.html("/no/where/m.html"), "cannot be written: No such file"),
        (lambda motion: motion.html("m\0.html"), "cannot be written: no file has such a name"),
        (lambda motion: motion.html("m.html", fps=0.0), "fps"),
        (lambda motion: motion.html("m.html", fps=1e6), "more than"),
        (lambda motion: motion.html("m.html", fps=1e300), r"animation: [^ ]{1,12} frames are more than"),
        (lambda motion: motion[::-1].html("m.html"), "run back"),
        (lambda motion: motion[:0].html("m.html"), "no states"),
        (lambda motion: kg.Trajectory([0.0], [[]], [[]], [[]]).html("m.html"), "no model"),
        (lambda motion: kg.animate("m", motion, "m.html"), "expected Mechanism"),
        (lambda motion: kg.animate(slider_crank(), 3, "m.html"), "expected Trajectory"),
    ],
)
def test_bad_input(make: Callable[[kg.Trajectory], object], words: str) -> None:
    with pytest.raises(kg.ModelError, match=words):
        make(falling())


def test_a_notebook_plays_a_small_page() -> None:
    motion = falling()
    text = motion._repr_html_()
    assert text is not None and text.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts"' in text
    inner = Elements(text).frame
    assert len(unpacked(data_of(inner)["t"], "<f8", -1)) == 9 and len(text) < 150_000
    assert motion[:0]._repr_html_() is None and kg.Trajectory([0.0], [[]], [[]], [[]])._repr_html_() is None
    assert motion[::-1]._repr_html_() is None
