"""Motion over time of a compiled model or library: n steps in one C call, results as a `Trajectory`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Self

from numpy.typing import ArrayLike

from ..arguments import Array, as_count, as_flag, as_number
from ..contact.contacts import ContactOptions, Contacts
from ..contact.rows import RowForce
from ..errors import ModelError, SimulationError, shown
from ..events.agenda import Agenda, Change, Event, PlannedEvent, Watch, planned, require_taker
from ..events.conditions import Condition
from ..model.model import Model
from ..names.lookup import values_by_name
from ..parts import PartInput, PartProperty
from ..progress import reporter
from ..stepping.clock import steps_in
from ..stepping.given.drive import Controller, Torques
from ..stepping.given.driven import Course
from ..stepping.given.loads import WrenchController, Wrenches
from ..stepping.given.servos import Servo
from ..stepping.settings import Settings
from ..topology.library import Library
from ..topology.structure import TOLERANCE, Impact
from ..typed import typed
from .inputs import Inputs, unchangeable
from .locks import warn_of_locks
from .motion import Motion
from .recorder import Recorder
from .running import Running
from .sealed import Given, State
from .trajectory import Trajectory


class Simulator:
    """Steps a model, or a library whose structure changes, from q, v at t = 0 with a fixed `dt` [s].

    `integrator`: "semi_implicit" (Euler; dampers and friction implicit, stable at any damping) or "rk4" (Runge-Kutta 4;
    everything explicit, smooth friction wants steps well below 0.001 (rad/s or m/s) inertia / friction).
    With "semi_implicit" a link that flies by itself keeps energy, momentum and the size of its angular momentum up to 1
    rad a step. Where links of a mechanism turn by more than 0.03 rad a step (speeds of the joints, summed up along its
    longest path, times dt), it keeps momentum and gains no energy by its own motion at any spin; such a step costs
    three (a four-bar) to twelve times (a human figure) as much, and five accelerations more for each further 0.2 rad.
    Below, an undamped spin of x rad a step gains up to x^2 of its energy in a step: for long undamped motion take a
    shorter dt or "rk4".
    `q` (nq) defaults to `model.q0`, `v` (nv) to rest; layouts as in `Model`, quaternions [x y z w].
    `tau`: torques of all joints (nv), or a row per step (n, nv), or by joint {"knee": 3.0} with a number, (nv_j) or a
    row per step for each, which is how cut joints are driven; or a function tau(t, q, v), asked before every step, that
    gives (nv) or torques by joint, held through it, or rows of them for the next k steps, after which it is asked
    again. Springs, dampers and friction of the joints are added.
    `wrenches`: external wrenches on links, likewise: {"hand": [fx, fy, fz, mx, my, mz]} by link or frame, [force [N];
    moment [N m]] on it at its origin, world axes, (6) or a row per step (n, 6); or a list of `Wrench`, each at a point
    of the world, its parts (3) or (n, 3); or a function wrenches(t, q, v) that gives one of these.
    `driven`: joints whose motion is given, {"crank": motion}, exactly at the ends of steps [mathematics §13]: a number
    (nq_j) where it is held; an array with a row at the end of each step, the first for now; three such arrays (q, v,
    a); or a function of t that gives q or (q, v, a), which is asked for times some steps ahead too. Rates that are not
    given are those of a polynomial through nine of these next to each other. What the joints exert is in `driving` and
    in the trajectory's `tau`; what `tau` here has for them does not count. Joints of the tree whose coordinates add;
    loops must leave each free to move. What the model moves (`Joint(motion=)`) need not be named; None lets it go.
    `servos`: joints that go where told, {"knee": Servo(kp=300, kd=20, position=0.4, limit=80)}, also spherical, planar
    and free ones; torques add to `tau`.
    `limits`: joints with one axis or two stop at their limits, without bouncing, cut joints and connections too (while
    they are active); one beyond comes back at most at `ContactOptions.recovery_speed`, without gaining velocity.
    Closed loops: q is assembled (with a warning if it was open), the dependent entries of v follow; every state stays
    closed within 1e-10 m or rad. `ClosureWarning` names loop and joint near a singular configuration.
    `contacts`: shapes touch by default where the model was compiled with shapes that may; False leaves contact out,
    `ContactOptions` tune it, and what holds limits and rows, with or without shapes.
    `work`: True, and the work of all sources is summed up along the steps, by the weights of the integrator: `work` of
    the trajectory is a `Work`, and the energy gained is its total but for the integrator's error. A model only.
    `active`, of a library: what is connected from the beginning, by default the joints that can be cut; without a
    declared pose a connection is made where the links stand at `q`. Connecting, cutting and events need a library:
    with a model they raise `ModelError`.
    Copies (`copy.copy`, `copy.deepcopy`, `pickle` where torques and conditions can be) go their own way from the same
    moment, to the same bits, but that they ask a function of `tau` at once: if rows of its last answer were left, the
    original uses those up. A simulator serves one thread at a time: a second one that steps it gets a `ModelError`.
    """

    def __init__(
        self,
        model: Model | Library,
        *,
        dt: float = 1e-3,
        integrator: str = "semi_implicit",
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        tau: Torques | Controller | None = None,
        contacts: bool | ContactOptions | None = None,
        active: Collection[str] | None = None,
        limits: bool = True,
        wrenches: Wrenches | WrenchController | None = None,
        driven: Mapping[str, Course] | None = None,
        servos: Mapping[str, Servo] | None = None,
        work: bool = False,
    ) -> None:
        length, stops, summed = as_number("dt", dt, positive=True), as_flag("limits", limits), as_flag("work", work)
        settings = Settings(length, integrator, stops, contacts, summed)
        self._motion = Motion(model, settings, q, v, tau, active, wrenches, driven, servos)
        self._inputs = Inputs(self._motion)
        self._running = Running(self._motion)

    # ---- State

    @property
    def model(self) -> Model:
        """The model; of a library the one of the present structure: H, W, forward dynamics and so on."""
        structure = self._motion.structure
        return structure.model() if structure else self._motion.model

    @property
    def dt(self) -> float:
        """Length of a step [s]."""
        return self._motion.clock.dt

    @property
    def t(self) -> float:
        """Time [s]: steps × dt, so that it does not drift; between two steps only right at an event."""
        return self._motion.clock.t

    @property
    def q(self) -> Array:
        """(nq) configuration; may be assigned, not written into: `q = sim.q.copy()`, change it, `sim.q = q`.

        Where q is assigned, turns of joints that close loops are counted anew, as from a start; it does not tell them.
        """
        return unchangeable(self._motion.q.copy())

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self._running.place(value)

    @property
    def v(self) -> Array:
        """(nv) velocity; may be assigned, not written into, like q."""
        return unchangeable(self._motion.v.copy())

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._motion.place(v=value)

    @property
    def contacts(self) -> Contacts:
        """Contacts of the last step: points, normals, forces, links.

        Where an event divided it, of the part that was made last, and `rows`, `driving` and `serving` likewise: an
        impact there is its impulse over the length of the part. What `run` records are means over the whole step.
        """
        return self._motion.stepper.contacts()

    @property
    def gap(self) -> float:
        """Largest residual of the loops, and of what else was connected, in any state since q or a parameter was set
        [m, rad].

        0 in a tree.
        """
        return self._motion.stepper.gap

    @property
    def rows(self) -> tuple[RowForce, ...]:
        """What the rows of the model exerted in the last step, in the order loops, `between`, friction."""
        return self._motion.stepper.rows()

    tau = PartInput("_inputs", Inputs.tau)
    wrenches = PartInput("_inputs", Inputs.wrenches)
    driven = PartInput("_inputs", Inputs.driven)
    servos = PartInput("_inputs", Inputs.servos)
    driving = PartProperty("_inputs", Inputs.driving)
    serving = PartProperty("_inputs", Inputs.serving)

    def save(self) -> State:
        """The present moment: state, parameters, what is active, what happened and what is still to happen."""
        return self._motion.save(self._running.agenda, self._running.past)

    def restore(self, state: State) -> None:
        """Back to a moment that `save` gave, with the parameters of then; what drives stays as it is now.

        Called by an event, it ends the instant of this event: what else was due waits as it did at that moment.
        ModelError if it belongs to a model of another name or with other joints, or to another dt; nothing has changed
        then. A model of the same name and joints is taken as the same one, whatever its masses and lengths are.
        """
        self._running.agenda, self._running.past = self._motion.restore(state)

    # ---- Motion

    def step(self, n: int = 1) -> None:
        """n steps. SimulationError if the state stops being finite, or what was to happen cannot, which then waits on;
        the simulator holds the last good state. What a function of yours raises comes out as it is.
        """
        self._running.advance(self, as_count("n", n, least=0), 1, None, None)

    def run(self, duration: float, progress: bool | Callable[[float], None] = False, every: int = 1) -> Trajectory:
        """Move on by `duration` [s], rounded to whole steps, and record every `every`-th state, the first and the last.

        `progress`: True for a bar at a terminal (needs rich), or a function that is told the fraction done. Errors are
        those of `step`, with the trajectory so far in their `trajectory`, and so is KeyboardInterrupt (Ctrl-C), after
        which the motion may go on. Its `events` are those of this run. A StepWarning names a gimbal of which an axis
        turns by more than 0.5 rad in one step of the recorded states.
        ModelError before anything moves if this machine cannot hold what is to be recorded: see `every`.
        """
        steps, every = steps_in(duration, self.dt), as_count("every", every, least=1)
        recorder = Recorder(self._motion.model)
        recorder.require_room(steps // every + 2, self._motion.settings.work)
        self._motion.stepper.clear_work()
        with reporter(progress) as report:
            try:
                self._running.advance(self, steps, every, recorder, report)
            except (SimulationError, KeyboardInterrupt) as error:
                error.trajectory = self._running.recorded(recorder)  # type: ignore[union-attr]  # Ctrl-C has none
                raise
        trajectory = self._running.recorded(recorder)
        if trajectory.model is not None:
            warn_of_locks(trajectory.model.manifest.joints, trajectory.t, trajectory.v, self.dt)
        return trajectory

    # ---- Structure: of a library only

    @property
    def library(self) -> Library:
        """The library, with all that was built while it moved."""
        return self._motion.structure_for("library").library

    @property
    def active(self) -> frozenset[str]:
        """Connections, and joints that can be cut, that hold just now."""
        return self._motion.structure_for("active").active

    def connect(self, *connections: Any, pose_b: Any = None, tolerance: float = TOLERANCE) -> Impact:
        """Make connections, all at once, with the velocity boundary condition [N98 (20)-(33)].

        Names, or Connections; those of which the library has no equal are built first, with a warning. `pose_b`: a Pose
        or (4, 4) where the joint's frame stands in link_b, or "current" for where the links stand; by default what was
        declared, else "current". A pose must be at most `tolerance` away, by the distance [m] and by the angle [rad] in
        the directions that the joint locks, and is then closed exactly. ModelError names what is not there, active
        already or too far apart; nothing has changed then.
        """
        names = self._running.named(connections, "connect")
        return self._running.carry_out(self._motion.structure_for("connect").connecting(names, pose_b, tolerance))

    def cut(self, *names: str) -> None:
        """Let go of connections or cut joints, all at once; v stays. ModelError names what is not connected.

        A joint of the mechanism that was not declared in `cuts` is made one that can be cut first, with a warning: q
        and v then get entries for its free subtree, if it is one of the tree, in what `run` has recorded as well.
        """
        known = self._running.named(names, "cut")
        self._running.carry_out(self._motion.structure_for("cut").cutting(known))

    def switch(self, connect: Collection[str] = (), cut: Collection[str] = (), tolerance: float = TOLERANCE) -> Impact:
        """Cut some and make others in the same instant: first all cuts, then all connections together.

        ModelError as for `connect` and `cut`, and for a name that is in both.
        """
        return self._running.carry_out(self._motion.structure_for("switch").switching(connect, cut, tolerance))

    def set_parameters(self, values: Mapping[str, float] | None = None, /, **named: float) -> None:
        """Run-time parameters of a model or a library from here on, by mapping or keyword; not those of connections.

        Loops are closed by the new ones, from the nearest configuration on; servos and motions that depend on them
        follow; what contacts remember of the last step is forgotten. ModelError for an unknown one, for a value that
        the description rules out, and where loops cannot be closed; nothing has changed then.
        """
        self._motion.set_values(values_by_name("set_parameters", values, named))

    def wrench(self, name: str) -> Array:
        """(6) [force; moment] that link_b gets through a connection at its frame, world axes; 0 while it is cut. So
        the child of a joint that closes a loop of the library's mechanism, also of one that rolls.

        All that it carries: also what acts along its own coordinates, of springs, dampers, friction, stops, torque
        and servo. Contacts and stops load it as in the last step, impulses of impacts over its length included; before
        the first step and right after a change of structure as they press just now, without impacts. Within a step:
        what acted until now, over the length of the whole step, and for its rest as they press just now. Functions that
        tell what drives the motion are asked once more for it; ModelError where one of them asks for it itself.
        """
        return self._motion.wrench(name)

    # ---- Events: of a library only

    @property
    def events(self) -> tuple[Event, ...]:
        """(t, what, to what) of what happened since t = 0, the latest 10,000; a run's are all in its trajectory."""
        self._motion.structure_for("events")
        return self._running.past.events

    @property
    def events_forgotten(self) -> int:
        """How many happened before those in `events`; 0 until there have been 10,000."""
        self._motion.structure_for("events_forgotten")
        return self._running.past.forgotten

    def at(self, t: float, what: str | Callable[[Self], object], *names: str) -> PlannedEvent:
        """At time t [s]: "connect" or "cut" these, or call a function with the simulator.

        What is named for one time happens at once, as one `switch`, in whatever order it was asked for; a name that is
        both connected and cut is so in that order, by a `switch` for each. Functions come after it; what these plan
        for the same time happens next. `cancel()` of what is given takes it back.
        """
        self._motion.structure_for("at")
        moment = as_number("t", t)
        if self._motion.clock.over(moment):
            raise ModelError(f"at: t = {moment:g} s is over, it is {self.t:g} s")
        if self._motion.drives.asking and self._motion.clock.is_within(moment):
            raise ModelError(
                f"at: t = {moment:g} s is within the step for which a function of yours is asked what drives it; plan "
                "for its end, or later"
            )
        change = planned(what, names, self._running.named)
        self._running.agenda.add(moment, change)
        return PlannedEvent(change, self._forget)

    def when(
        self,
        condition: Condition | Callable[[Self], bool],
        what: str | Callable[[Self], object],
        *names: str,
        repeat: bool = False,
    ) -> PlannedEvent:
        """As soon as the condition holds: "connect" or "cut" these, or call a function with the simulator.

        A Condition (`distance(a, b) < x`, `force(name) > x`) is watched in C and located within the step; a Python
        function of the simulator is asked after every step. Once, or with `repeat` each time that it comes true anew.
        `cancel()` of what is given takes it back.
        """
        self._motion.structure_for("when")
        if not isinstance(condition, Condition):
            if not callable(condition):
                raise ModelError(f"when: expected a condition such as distance('a', 'b') < 0.1, got {shown(condition)}")
            require_taker(condition)
        else:
            self._motion.require_watchable(condition)
        change = planned(what, names, self._running.named)
        self._running.agenda.watches.append(Watch(condition, change, as_flag("repeat", repeat)))
        return PlannedEvent(change, self._forget)

    def _forget(self, change: Change) -> bool:
        """Of the simulator itself, so that what was planned is copied with it."""
        return self._running.forget(change)

    def __copy__(self) -> Self:
        rebuild, parts = self.__reduce__()
        return rebuild(*parts)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        motion = self._motion
        model = motion.structure.library if motion.structure else motion.model
        return type(self)._again, (model, motion.settings, motion.drives.given(), self.save())

    @classmethod
    @typed
    def _again(cls, model: Model | Library, settings: Settings, given: Given, state: State) -> Self:
        """A simulator of the same moment, which shares nothing that changes. It begins without the motions that are
        given, which may have no t = 0, and where those of the model itself do."""
        described = model.model if isinstance(model, Library) else model
        begins = described.manifest.moved
        twin = cls(
            model,
            dt=settings.dt,
            integrator=settings.integrator,
            q=None if begins else state.q,
            v=None if begins else state.v,
            contacts=settings.contacts,
            limits=settings.limits,
            active=() if isinstance(model, Library) else None,  # `restore` tells
            work=settings.work,
        )
        twin.restore(state)
        twin._motion.take(given)
        return twin

    def __repr__(self) -> str:
        return f"Simulator({self._motion.model.name!r}, t={self.t:g} s, dt={self.dt:g} s)"


def motion_of(simulator: Simulator) -> Motion:
    """What moves in it, for what reads it closely or goes on from there: derivatives of steps, pages, viewers."""
    return simulator._motion


def plans_of(simulator: Simulator) -> Agenda:
    """What is to happen in it: a copy."""
    return simulator._running.agenda.copy()
