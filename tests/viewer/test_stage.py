"""What a viewer shows stands where the model says, in its colours, and changes with what is shown."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import kinegen as kg
from kinegen.runtime.animation.animate import look_of_model
from kinegen.runtime.viewer.live import Live
from kinegen.runtime.viewer.moment import moment_of
from kinegen.runtime.viewer.played import Played
from kinegen.runtime.viewer.posed import Posed
from kinegen.runtime.viewer.stage import ARROW, Stage
from kinegen.runtime.visual.meshes import is_solid, meshes
from support.contact.dropped import simulator as dropped
from support.mechanisms.closed_mechanisms import four_bar
from support.served import served

BOX, RED = kg.box((0.2, 0.3, 0.1), pose=kg.Pose((0.0, 0.0, 0.4))), (0.8, 0.2, 0.1, 1.0)


def arm() -> kg.Mechanism:
    """A cart with a ball joint: a visual, a shape, and a link with neither."""
    rod = kg.inertia.rod(1.0, 1.0)
    links = [kg.Link("cart", 1.0, inertia=rod), kg.Link("arm", 1.0, (0.5, 0, 0), rod, shapes=[kg.sphere(0.1)])]
    joints = [
        kg.Joint("slide", "prismatic", "world", "cart", axis=(0, 1, 0)),
        kg.Joint("ball", "spherical", "cart", "arm", kg.Pose((0.1, 0.2, 0.3))),
    ]
    end = [kg.Link("end", 0.5, (0, 0, 0.1), rod)]
    more = [kg.Joint("hinge", "revolute", "arm", "end", kg.Pose((1.0, 0, 0)))]
    visuals = [kg.Visual("cart", BOX, colour=RED)]
    return kg.Mechanism("arm", links + end, joints + more, visuals=visuals, shapes=[kg.plane()])


def poses(stage: Stage) -> np.ndarray:
    """(N, 4, 4) of the nodes of links, as the browser is told them: w x y z and place."""
    found = np.tile(np.eye(4), (len(stage.links), 1, 1))
    for i in range(len(stage.links)):
        node = stage.server.scene.get_handle_by_name(f"/link{i}")
        assert node is not None
        w, x, y, z = node.wxyz
        found[i, :3, 3] = node.position
        found[i, :3, :3] = np.eye(3) + 2.0 * (w * cross(x, y, z) + cross(x, y, z) @ cross(x, y, z))
    return found


def cross(x: float, y: float, z: float) -> np.ndarray:
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def test_nodes_stand_where_the_links_do() -> None:
    model = kg.compile(arm(), contacts=False)
    with served(Posed, model) as show:
        for number, value in enumerate(np.linspace(-1.0, 0.7, model.nv)):
            show.move(number, float(value))
        assert show.message.text == "" and not np.allclose(show.posing.q, model.q0)
        np.testing.assert_allclose(poses(show.stage), model.link_poses(show.posing.q), atol=1e-7)
        assert [slider.value for slider in show.sliders] == pytest.approx(np.linspace(-1.0, 0.7, model.nv))


def test_a_slider_out_of_reach_says_so_and_goes_back() -> None:
    with served(Posed, kg.compile(four_bar(2.0, 1.0, 2.5, 3.0))) as show:
        show.move(0, 3.0)
        assert "'pivot' cannot reach 3" in show.message.text
        assert show.sliders[0].value == pytest.approx(show.posing.values()[0]) and show.sliders[0].value < 1.6
        show.move(0, 1.0)
        assert show.message.text == ""


def test_visuals_shapes_and_sticks() -> None:
    """Each link by its best; vertices of the box where it stands in its link, in its colour."""
    model = kg.compile(arm(), contacts=False)
    with served(Posed, model) as show:
        stage = show.stage

        def shown() -> set[tuple[str, str]]:
            return {(mesh.link, mesh.kind) for mesh, handle in stage.meshes if handle.visible}

        assert shown() == {("cart", "visual"), ("arm", "shape"), ("end", "stick")}
        box, handle = next((mesh, handle) for mesh, handle in stage.meshes if mesh.kind == "visual")
        assert tuple(handle.color) == (204, 51, 26) and box.colour == RED
        low, high = handle.vertices.min(axis=0), handle.vertices.max(axis=0)
        np.testing.assert_allclose([low, high], [[-0.1, -0.15, 0.35], [0.1, 0.15, 0.45]], atol=1e-6)
        stage.look("stick")
        assert shown() == {("cart", "stick"), ("arm", "stick"), ("end", "stick")}
        stage.look("shape")
        assert shown() == {("arm", "shape")}
        assert not stage._frames[1].show_axes
        stage.frames(True)
        assert all(frame.show_axes for frame in stage._frames)
        stage.com(True)
        np.testing.assert_allclose(stage._ball.position, model.com(model.q0), atol=1e-6)
        assert stage._ball.visible and stage.server.scene.get_handle_by_name("/world/ground0") is not None


def test_meshes_hold_all_parts_and_keep_to_their_budget() -> None:
    ball, far = kg.sphere(0.5), kg.sphere(0.5, pose=kg.Pose((3.0, 0, 0)))
    link = kg.Link("a", 1.0, inertia=kg.inertia.sphere(1.0, 0.5))
    two = kg.Mechanism(
        "two",
        [link],
        [kg.Joint("j", "revolute", "world", "a")],
        visuals=[kg.Visual("a", ball, colour=RED), kg.Visual("a", far, colour=RED)],
    )
    look = look_of_model(kg.compile(two))
    (mesh,) = (m for m in meshes(look, ["a"], 10_000) if m.kind == "visual")
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx([4.0, 1.0, 1.0], rel=0.02)
    volume = np.linalg.det(mesh.vertices[mesh.triangles]).sum() / 6.0
    assert volume == pytest.approx(2 * 4 / 3 * np.pi * 0.5**3, rel=0.05)
    (small,) = (m for m in meshes(look, ["a"], 200) if m.kind == "visual")
    assert 0 < len(small.triangles) < 0.5 * len(mesh.triangles)
    assert meshes(look, [], 200) == () and mesh.solid
    sphere = look.surfaces[0]
    assert is_solid(sphere) and not is_solid(replace(sphere, triangles=sphere.triangles[:, ::-1]))
    assert not is_solid(replace(sphere, triangles=sphere.triangles[: len(sphere.triangles) // 2]))


def boxes() -> kg.Simulator:
    """A box that stands on a floor."""
    link = kg.Link("box", 2.0, inertia=kg.inertia.box(2.0, (0.2, 0.2, 0.2)), shapes=[kg.box((0.2, 0.2, 0.2))])
    floor = kg.Mechanism("floor", [link], [kg.Joint("free", "free", "world", "box")], shapes=[kg.plane()])
    return kg.Simulator(floor, q=[0, 0, 0.1, 0, 0, 0, 1])


def test_contact_forces_are_arrows_that_carry_the_weight() -> None:
    simulator = boxes()
    simulator.step(200)
    with served(Live, simulator) as show:
        show.playing = False
        show.refresh()
        tails, heads = np.moveaxis(np.asarray(show.stage._arrows.points, dtype=float), 1, 0)
        assert show.stage._arrows.visible and len(tails) == len(simulator.contacts) >= 3
        along = (heads - tails) / (ARROW * show.stage.size / show.stage.usual)
        np.testing.assert_allclose(along.sum(axis=0), [0, 0, 2.0 * 9.81], rtol=1e-2, atol=0.1)
        np.testing.assert_allclose(tails, simulator.contacts.points, atol=1e-6)
        show.stage.forces(False)
        assert not show.stage._arrows.visible and not show.stage._dots.visible


def test_a_motion_is_seen_as_it_was_recorded_and_between() -> None:
    simulator = dropped((0.0, 0.5))
    simulator.at(0.05, "connect", "rope")
    motion = simulator.run(0.1)
    assert motion.model is not None
    with served(Played, motion) as show:
        assert show.stage.server.scene.get_handle_by_name("/link0/connection1") is not None
        path = np.asarray(show.stage._path.points, dtype=float)
        ends = motion.model.com(motion.q[[0, -1]])
        assert len(path) > 5 and not show.stage._path.visible
        np.testing.assert_allclose(path[[0, -1], [0, 1]], ends, atol=0.02)
        np.testing.assert_array_equal(path[1:, 0], path[:-1, 1])
        show.stage.com(True)
        assert show.stage._path.visible
        show.go(0.0)
        np.testing.assert_allclose(poses(show.stage), motion.model.link_poses(motion.q[0]), atol=1e-7)
        loose = [tuple(spot.color) for spot in show.stage._spots]
        show.go(0.1)
        np.testing.assert_allclose(poses(show.stage), motion.model.link_poses(motion.q[-1]), atol=1e-7)
        changed = [before != tuple(spot.color) for before, spot in zip(loose, show.stage._spots, strict=True)]
        names = [connection.name for connection in show.stage._connections]
        assert [name for name, other in zip(names, changed, strict=True) if other] == ["rope"]
        assert show.message.text == "0.050 s: connect rope"
        show.go(0.0205)
        between = 0.5 * (motion.model.link_poses(motion.q[20]) + motion.model.link_poses(motion.q[21]))
        np.testing.assert_allclose(poses(show.stage)[:, :3, 3], between[:, :3, 3], atol=1e-4)


def test_play_pause_scrub_speed_and_over_again() -> None:
    motion = kg.tour(kg.compile(four_bar(1.0, 2.0, 2.5, 3.0)))
    with served(Played, motion) as show:
        show.advance(0.25)
        assert show.t == pytest.approx(0.25) == show.slider.value
        show.advance(show.last)
        assert show.t == pytest.approx(0.25)  # from the beginning again
        show._again.value = False
        show.advance(2 * show.last)
        assert show.t == show.last and not show.playing
        show._toggle()
        assert show.playing and show.t == show.first
        show.slider.value = 0.5
        show._scrubbed()
        show.advance(1.0)
        assert (show.t, show.playing) == (0.5, False)


def test_slow_motion() -> None:
    motion = kg.tour(kg.compile(four_bar(1.0, 2.0, 2.5, 3.0)))
    with served(Played, motion) as show:
        show._chosen.value = "1/4"
        show.advance(1.0)
        assert show.t == pytest.approx(0.25)


def test_models_without_their_mechanism_are_lines_between_joints() -> None:
    model = pickle.loads(pickle.dumps(kg.compile(four_bar(1.0, 2.0, 2.5, 3.0))))
    with served(Posed, model) as show:
        show.move(0, 1.0)
        assert show.stage.meshes == () and show.stage._rods is not None
        ends = np.asarray(show.stage._rods.points, dtype=float).reshape(-1, 3)
        knee = model.link_poses(show.posing.q)[model.link_names.index("coupler"), :3, 3]
        assert np.linalg.norm(ends - knee, axis=1).min() < 1e-6


def test_height_fields_and_motions_of_one_moment() -> None:
    """A field of 6 by 6 points is 50 triangles."""
    ball = kg.Link("ball", 1.0, inertia=kg.inertia.sphere(1.0, 0.1), shapes=[kg.sphere(0.1)])
    field = kg.height_field(np.random.default_rng(0).random((6, 6)), (3.0, 3.0))
    hills = kg.Mechanism("hills", [ball], [kg.Joint("free", "free", "world", "ball")], shapes=[field])
    motion = kg.Simulator(hills, q=[0, 0, 2.0, 0, 0, 0, 1]).run(0.0)
    with served(Played, motion) as show:
        show.advance(1.0)
        shown = {mesh.link: len(mesh.triangles) for mesh, handle in show.stage.meshes if handle.visible}
        assert shown["world"] == 50 and set(shown) == {"world", "ball"} and show.t == 0.0


def test_poses_of_two_routes_agree() -> None:
    """A moment by a quaternion is a moment by matrices."""
    model = kg.compile(arm(), contacts=False)
    q = model.random(3)
    moment = moment_of(model, q)
    np.testing.assert_allclose(moment.places, model.link_poses(q)[:, :3, 3])
    assert moment.com is not None and len(replace(moment, com=None).points) == 0
    np.testing.assert_allclose(moment.com, model.com(q))
