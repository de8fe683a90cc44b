"""A motion as WebAssembly is that of `Simulator`: a second of it to 1e-9, through all that may happen on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinegen as kg
from kinegen.codegen.build import build_wasm
from kinegen.drawing.play import wasm_of
from kinegen.runtime.events.agenda import Alteration
from support.contact.dropped import simulator as dropped
from support.live import LiveMotion
from support.live_scenes import PENDULUM, SCENES, arm, boxes, caught, held_arm, pendulum, served_bars
from support.mechanisms.closed_mechanisms import four_bar

QUICK = ("double pendulum, driven", "four-bar, served", "caught and let go")
"""Torques, wrenches and servos; a loop; changes of structure and contact."""


@pytest.fixture(scope="module", params=[pytest.param(n, marks=() if n in QUICK else pytest.mark.sweep) for n in SCENES])
def twins(request: pytest.FixtureRequest) -> Iterator[tuple[kg.Simulator, LiveMotion]]:
    simulator = SCENES[request.param]()
    with closing(LiveMotion(simulator)) as live:
        yield simulator, live


def test_a_second_is_that_of_the_simulator(twins: tuple[kg.Simulator, LiveMotion]) -> None:
    simulator, live = twins
    start, begun = simulator.q, simulator.t
    assert live.imports == 0
    for _ in range(4):
        simulator.step(250)
        assert live.value("motion.advance(250)")
        assert live.value("motion.t") == simulator.t
        np.testing.assert_allclose(live.array("q"), simulator.q, rtol=0, atol=1e-9)
        np.testing.assert_allclose(live.array("v"), simulator.v, rtol=0, atol=1e-9)
    assert np.abs(simulator.q - start).max() > 1e-3
    live.value("motion.look() ?? 0")
    model = simulator.model
    poses = live.array("poses").reshape(-1, 4, 4)
    np.testing.assert_allclose(poses, model.link_poses(simulator.q), rtol=0, atol=1e-9)
    np.testing.assert_allclose(live.array("energy"), model.energy(simulator.q, simulator.v), rtol=1e-9, atol=1e-9)
    live.value("motion.reset() ?? 0")
    assert live.value("motion.t") == begun
    np.testing.assert_allclose(live.array("q"), start, rtol=0, atol=1e-12)


SELDOM = pytest.param("four-bar with parameters", marks=pytest.mark.sweep)


@pytest.mark.parametrize("name", ["double pendulum, driven", SELDOM, "caught and let go"])
def test_a_page_begins_in_mid_motion(name: str) -> None:
    """Where a simulator is, also one that came there by `restore`."""
    simulator, saved = SCENES[name](), SCENES[name]()
    simulator.step(137)
    saved.restore(simulator.save())
    with closing(LiveMotion(simulator)) as live, closing(LiveMotion(saved)) as again:
        simulator.step(500)
        for page in (live, again):
            page.value("motion.advance(500)")
            assert page.value("motion.t") == simulator.t
            np.testing.assert_allclose(page.array("q"), simulator.q, rtol=0, atol=1e-9)
            np.testing.assert_allclose(page.array("v"), simulator.v, rtol=0, atol=1e-9)


def test_a_page_begins_with_the_turns_that_joints_which_close_loops_have_made() -> None:
    """A spring there is wound up by more than a turn, and stays so when a parameter changes and after a reset."""
    model = kg.compile(kg.parametrise(four_bar(2.0, 1.0, 2.5, 3.0, stiffness=1.0), "gravity"))
    simulator = kg.Simulator(model, v=model.project(model.q0, [4.0, 0.0, 0.0])[1])
    simulator.step(600)
    turns, (within, _) = simulator._motion.stepper.turns, model.loop_joint("tip", simulator.q)
    np.testing.assert_allclose(turns - within, -2.0 * np.pi, rtol=0, atol=1e-9)
    with closing(LiveMotion(simulator)) as live:
        simulator.step(400)
        for _ in range(2):
            live.value("motion.advance(200)")
            live.value("motion.begin(true) ?? 0")
            live.value("motion.advance(200)")
            np.testing.assert_allclose(live.array("q"), simulator.q, rtol=0, atol=1e-9)
            np.testing.assert_allclose(live.array("v"), simulator.v, rtol=0, atol=1e-9)
            live.value("motion.reset() ?? 0")


def open_panel(live: LiveMotion) -> None:
    """The page's panel, without a page, as `panel`; what its sliders do is in `sliders`."""
    live.evaluate((files("kinegen.runtime.live") / "page" / "panel.js").read_text(encoding="utf-8"))
    live.evaluate("""globalThis.sliders = [];
        const panel = Object.create(Panel.prototype);
        Object.assign(panel, { stage: { motion }, rows: [], refresh() {} });
        panel.slider = (room, name, low, high, told, shows) => sliders.push({ name, told, shows });""")


def test_the_panel_moves_where_a_ball_is_held() -> None:
    """Along its sliders, and other servos come and go beside it: as a simulator with the same targets."""
    simulator = held_arm()
    with closing(LiveMotion(simulator)) as live:
        open_panel(live)
        live.evaluate("panel.held(motion.layout.joints[0]); panel.release(motion.servo_dof[0]);")
        assert live.value("sliders.map(one => one.name)") == ["shoulder 1", "shoulder 2", "shoulder 3"]
        way = [0.3, -0.2, 0.4]
        live.value(f"{way}.forEach((x, i) => sliders[i].told(x)) ?? 0")
        live.evaluate("panel.hold(3, 4, 2.0, null)")
        assert live.value("motion.servos") == 4 and live.value("sliders[2].shows()") == 0.4
        shoulder = simulator.servos["shoulder"]
        goal = Rotation.from_quat(shoulder.position) * Rotation.from_rotvec(way)
        elbow = kg.Servo(20.0, 4.0, simulator.q[4])
        simulator.servos = {"shoulder": replace(shoulder, position=goal.as_quat()), "elbow": elbow}
        simulator.step(300)
        assert live.value("motion.advance(300)")
        np.testing.assert_allclose(live.array("q"), simulator.q, rtol=0, atol=1e-9)
        live.value("motion.reset() ?? panel.rows[0]() ?? 0")
        assert live.value("sliders.map(one => one.shows())") == [0, 0, 0]


def test_the_panel_moves_where_a_joint_that_closes_a_loop_is_held() -> None:
    """By its slider, after the other servo went: as a simulator with that target."""
    simulator = served_bars()
    (cut,) = simulator.model.manifest.loops
    with closing(LiveMotion(simulator)) as live:
        open_panel(live)
        live.evaluate("panel.cut(motion.layout.cut[0], 0); panel.release(0);")
        servo = simulator.servos[cut.name]
        assert live.value("sliders[0].name") == cut.name and live.value("sliders[0].shows()") == servo.position
        live.value(f"sliders[0].told({servo.position - 0.2}) ?? 0")
        simulator.servos = {cut.name: replace(servo, position=servo.position - 0.2)}
        simulator.step(300)
        assert live.value("motion.advance(300)") and live.value("motion.servos") == 1
        np.testing.assert_allclose(live.array("q"), simulator.q, rtol=0, atol=1e-9)


def test_gains_of_servos_that_name_a_parameter_follow_it() -> None:
    """Set by hand and by events, of joints of several entries too; a joint that is held anew has gains of its own."""
    rope, held = kg.Connection("rope", "lower", "world", kg.spherical()), held_arm()
    library = kg.TopologyLibrary(kg.parametrise(arm(), "mass of *"), [rope])
    served = {
        "elbow": kg.Servo("mass_lower", 1.0, 0.4),
        "shoulder": replace(held.servos["shoulder"], kd="mass_lower", limit="mass_upper"),
    }
    simulator = kg.Simulator(library, servos=served, v=held.v)
    simulator.at(0.25, Alteration((), (), {"mass_lower": 7.0}, 1e-3))
    places = {spec.name: place for place, spec in enumerate(simulator.model.manifest.parameters)}
    with closing(LiveMotion(simulator)) as live:
        open_panel(live)

        def both(steps: int) -> None:
            simulator.step(steps)
            assert live.value(f"motion.advance({steps})")
            np.testing.assert_allclose(live.array("q"), simulator.q, rtol=0, atol=1e-9)
            np.testing.assert_allclose(live.array("v"), simulator.v, rtol=0, atol=1e-9)

        both(100)
        for name, value in (("mass_upper", 4.0), ("mass_lower", 3.0)):
            simulator.set_parameters({name: value})
            live.value(f"motion.p[{places[name]}] = {value}")
        both(100)
        both(100)
        simulator.servos = {"shoulder": served["shoulder"]}
        live.evaluate("panel.release(3)")
        both(50)
        simulator.servos = {"shoulder": served["shoulder"], "elbow": kg.Servo(20.0, 4.0, simulator.q[4])}
        live.evaluate("panel.hold(3, 4, 2.0, null)")
        both(50)
        live.value(f"motion.p[{places['mass_upper']}] = -1.0")
        with pytest.raises(Exception, match="servos: joint 'shoulder': limit must not be negative, got -1"):
            live.value("motion.advance(1)")
        live.value("motion.reset() ?? 0")
        assert live.value("motion.named.length") == 7 and live.value("motion.advance(100)")


def test_sliders_of_parameters_that_are_gains_are_not_negative() -> None:
    model = kg.compile(kg.parametrise(kg.load(PENDULUM), "gravity", "damping of elbow"))
    simulator = kg.Simulator(model, servos={"elbow": kg.Servo(kd="gravity_x")})
    with closing(LiveMotion(simulator)) as live:
        open_panel(live)
        live.evaluate("panel.slider = (room, name, low) => sliders.push({ name, low });")
        live.evaluate("motion.layout.parameters.forEach((parameter) => panel.parameter(parameter));")
        found = {one["name"]: one["low"] for one in live.value("sliders")}
    assert found["gravity_x"] == 0.0 and found["gravity_y"] < 0.0


def test_what_happens_on_the_way_is_the_same() -> None:
    simulator = caught()
    with closing(LiveMotion(simulator)) as live:
        simulator.step(1000)
        live.value("motion.advance(1000)")
        told = live.value("motion.events")
    happened = [event for event in simulator.events if event[1] in ("connect", "cut")]
    assert [event[1:] for event in happened] == [tuple(event[1:]) for event in told]
    assert [event[0] for event in happened] == pytest.approx([event[0] for event in told], abs=1e-9)
    assert {name for _, _, name in told} >= {"rope", "weld"}


def test_contacts_are_those_of_the_simulator() -> None:
    simulator = boxes()
    with closing(LiveMotion(simulator)) as live:
        simulator.step(400)
        live.value("motion.advance(400)")
        found = live.value("motion.contacts()")
    assert len(found) == len(simulator.contacts) > 3
    for contact, point, force in zip(found, simulator.contacts.points, simulator.contacts.forces, strict=True):
        np.testing.assert_allclose(contact["point"], point, rtol=0, atol=1e-9)
        np.testing.assert_allclose(contact["force"], force, rtol=0, atol=1e-6)


def test_connecting_by_hand_has_the_impulse_of_the_simulator() -> None:
    simulator = dropped()
    with closing(LiveMotion(simulator)) as live:
        for twin in (lambda n: live.value(f"motion.advance({n})"), simulator.step):
            twin(100)
        impact = simulator.connect("rope")
        live.value('motion.change(["rope"], []) ?? 0')
        np.testing.assert_allclose(live.array("v"), simulator.v, rtol=0, atol=1e-9)
        loop = simulator.library.switch("rope").loop
        assert np.abs(impact.impulse).max() > 0.1
        found = live.array("impulse")[6 * loop : 6 * loop + 6]
        np.testing.assert_allclose(found, impact.impulse, rtol=0, atol=1e-9)
        with pytest.raises(Exception, match=r"'hook' cannot be connected: its frames are .* apart"):
            live.value('motion.change(["hook"], [])')
        assert not live.value('motion.isActive("hook")')


@pytest.mark.parametrize("plan", ["at", "when", "repeat"])
def test_what_cannot_be_connected_waits(plan: str) -> None:
    """As in a simulator, which raises as often; connected by hand, the motion goes on."""
    simulator = dropped(heights=(0.0, 5.0))
    if plan == "at":
        simulator.at(0.05, "connect", "hook")
    else:
        low = kg.relative_position("world", "a", "z") < -0.0125
        simulator.when(low, "connect", "hook", repeat=plan == "repeat")
    with closing(LiveMotion(simulator)) as live:
        for _ in range(2):
            with pytest.raises(Exception, match=r"'hook' cannot be connected"):
                live.value("motion.advance(200)")
            with pytest.raises(kg.SimulationError, match="'hook'"):
                simulator.step(200)
            assert live.value("motion.t") == pytest.approx(simulator.t, abs=1e-9)
            assert simulator.t == pytest.approx(0.05, abs=1e-3) and not live.value('motion.isActive("hook")')
        live.evaluate('motion.change(["hook"], [], 10)')
        simulator.connect("hook", tolerance=10.0)
        assert live.value("motion.advance(100)")
        simulator.step(100)
        np.testing.assert_allclose(live.array("q"), simulator.q, rtol=0, atol=1e-9)


def test_a_motion_that_cannot_go_on_says_so() -> None:
    with closing(LiveMotion(pendulum(tau=[1e30, 0.0]))) as live:
        assert not live.value("motion.advance(1000)")
        assert np.isfinite(live.array("q")).all()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "motion.dt = 5e-4",
            r"dt: it stays 0\.001 s, .*; make a Motion from a start with another dt",
        ),
        ("motion.use(17, 0)", "use: expected a whole number of wrenches, 16 at most, got 17"),
        ("motion.use(0, 3)", "use: expected a whole number of servos, 2 at most, got 3"),
        ("motion.use(-1, 0)", "use: expected a whole number of wrenches, 16 at most, got -1"),
        ("motion.advance(0.5)", r"advance: expected a whole number of steps, got 0\.5"),
    ],
)
def test_what_a_motion_has_no_room_for_is_refused_and_it_goes_on(statement: str, said: str) -> None:
    with closing(LiveMotion(pendulum())) as live:
        assert live.value("motion.advance(1000)") and live.value("motion.t") == 1.0
        with pytest.raises(Exception, match=said):
            live.evaluate(statement)
        assert live.value("[motion.t, motion.dt, motion.wrenches, motion.servos]") == [1.0, 1e-3, 0, 0]
        live.evaluate("motion.use(16, 2); motion.use(0, 0)")
        assert live.value("motion.advance(10)") and live.value("motion.t") == 1.01


def test_the_same_c_gives_the_same_bytes(tmp_path: Path) -> None:
    """Also where what was kept is damaged, and made again."""
    model = kg.compile(PENDULUM)
    texts = {name: model.module.text(name) for name in model.manifest.sources}
    first = wasm_of(model)
    assert build_wasm(texts, model.manifest.prefix, cache=tmp_path) == first
    (module,) = tmp_path.glob("objects/*/model.wasm")
    assert module.read_bytes() == first
    module.write_bytes(b"\0asm")
    assert build_wasm(texts, model.manifest.prefix, cache=tmp_path) == first
    assert first.startswith(b"\0asm") and len(first) < 100_000
    assert str(tmp_path).encode() not in first


def test_what_a_page_cannot_go_on_with_is_refused(tmp_path: Path) -> None:
    def refused(simulator: kg.Simulator, said: str) -> None:
        with pytest.raises(kg.ModelError, match=said):
            kg.play(simulator, tmp_path / "page.html")

    refused(pendulum(tau=lambda t, q, v: [0.0, 0.0]), "tau of 'double_pendulum' is a function of Python")
    refused(pendulum(tau=np.zeros((5, 2))), "tau of 'double_pendulum' is a row per step")
    refused(pendulum(driven={"elbow": 0.2}), "motion of joint 'elbow' is given")
    refused(pendulum(servos={"elbow": kg.Servo(kp=1.0, position=[0.0, 1.0, 2.0])}), "servos of .* row per step")
    library = dropped()
    library.at(0.1, lambda simulator: None)
    refused(library, "an event of 'drop' is a function of Python")
    still = kg.Mechanism("still", [kg.Link("a", 1.0)], [kg.Joint("weld", "fixed", "world", "a")])
    refused(kg.Simulator(still), "nothing moves")
    with pytest.raises(kg.ModelError, match=r"end its name with \.html"):
        kg.play(PENDULUM, tmp_path / "page.txt")
    with pytest.raises(kg.ModelError, match="play: what: expected"):
        kg.play(3, tmp_path / "page.html")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
