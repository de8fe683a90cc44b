"""The two families of errors: what the user can mend, and what we must."""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from functools import wraps
from os import PathLike
from types import FrameType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
PACKAGE = __name__.partition(".")[0]


def shown(value: object, longest: int = 80) -> str:
    """`value` as messages quote it, whatever it is: shortened, and its type where it cannot be written at all."""
    try:
        text = repr(value)
    except Exception:  # numbers of thousands of digits, lists in themselves, foreign objects
        return "<too long or too deep to be written>"
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def like(value: object, known: Iterable[str], most: int) -> list[str]:
    """Names that are nearly `value`, in small letters or large ones, the nearest first."""
    names = {name.lower(): name for name in known}
    return [names[near] for near in get_close_matches(shown(value).strip("'\"").lower(), names, n=most)]


def instead_of_floats(value: object) -> str:
    """What to do where a float32 model came and one of doubles is needed; '' where none came."""
    single = any(kind.__name__ == "SingleModel" for kind in type(value).__mro__)
    return "a float32 model has kernels alone: compile without dtype" if single else ""


class KinegenError(Exception):
    """Base of every error that kinegen raises on purpose."""


class ModelError(KinegenError, ValueError):
    """The description, an argument or a file is wrong; the message names the thing, what came and the remedy."""

    argument = ""
    """Of a simulation, that led to it; empty where `about` has set none."""
    file = ""
    """That the message begins with; empty where it names none, or none was told to `of_file`."""


def of_file(file: str | PathLike[str], message: str, place: str = "") -> ModelError:
    """A ModelError that begins with the file, or with `place` in it, and knows that it does."""
    error = ModelError(f"{place or file}: {message}")
    error.file = str(file)
    return error


class MissingError(ModelError, AttributeError):
    """A model, or what was made of it, has not what was asked for; the message says what has. `hasattr` is False."""


def wrong_model(value: object, expected: str) -> ModelError:
    """What says that something else was given for a model."""
    remedy = instead_of_floats(value) or "compile the mechanism first"
    return ModelError(f"model: expected {expected}, got {type(value).__name__}; {remedy}")


class ClosureWarning(UserWarning):
    """A closed loop was open in what was given, or comes near a singular configuration; the message names it."""


class FitWarning(UserWarning):
    """Loops miss by what their dimensions are rounded by, or may hold for that reason alone; the message tells by how
    much, and what to give."""


class ExcitationWarning(UserWarning):
    """Measured motions do not tell some parameters; the message names them."""


class StepWarning(UserWarning):
    """Steps are too long for what moves; the message names it and when."""


class ContactWarning(UserWarning):
    """A shape takes no part in contact, or as its convex hull only; the message names it, and the remedy."""


class FileWarning(UserWarning):
    """Something in a file is not read, or otherwise than it says; the message names file, line and element."""


class TopologyWarning(UserWarning):
    """A topology that was not foreseen is built while the motion waits; the message says how to foresee it."""


class SimulationError(ModelError):
    """The motion cannot go on; the simulator keeps the last good state, `trajectory` what `run` had recorded."""

    trajectory: Any = None
    """A `Trajectory`; None where nothing was run, or of a single step."""


class BuildError(KinegenError):
    """The C could not be compiled, cached or loaded; the message names the tool or folder and the remedy."""


class ForeignError(BuildError):
    """Another user owns, or could have written, what would be loaded; the message names it and the remedy."""


class InternalError(KinegenError):
    """An invariant of ours is broken: a bug in kinegen, never the user's fault."""


def row_text(index: Sequence[int]) -> str:
    """What a message about one state of a batch begins with; "" for a state by itself, which has no index."""
    return f"row {index[0] if len(index) == 1 else tuple(index)}: " if index else ""


@contextmanager
def in_row(index: Sequence[int]) -> Iterator[None]:
    """A ModelError that one state of a batch leads to begins with its row."""
    try:
        yield
    except ModelError as error:
        if not index:
            raise
        raise ModelError(f"{row_text(index)}{error}") from error


def about(argument: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """ModelErrors of the function say that this argument of a simulation led to them."""

    def told(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*given: P.args, **named: P.kwargs) -> R:
            try:
                return function(*given, **named)
            except ModelError as error:
                error.argument = argument
                raise

        return call

    return told


def reason(error: OSError) -> str:
    """Why the system refused, with the name of what it is about."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)


_GATHERED: ContextVar[list[tuple[str, type[Warning]]] | None] = ContextVar("gathered", default=None)


@contextmanager
def gathered() -> Iterator[list[tuple[str, type[Warning]]]]:
    """Texts and categories of what `warn` is asked to tell in the block, by this thread; it tells nobody else."""
    told: list[tuple[str, type[Warning]]] = []
    before = _GATHERED.set(told)
    try:
        yield told
    finally:
        _GATHERED.reset(before)


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """A warning that shows the line of the user's own code which led here, however deep inside it arose."""
    told = _GATHERED.get()
    if told is not None:
        told.append((text, category))
        return
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame and str(frame.f_globals.get("__name__")).partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
