"""Mutants read one after the other: an error outside the family, or a hang, is a finding."""

from __future__ import annotations

import random
import re
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import kinegen as kg
from kinegen.runtime.errors import shown

from .arguments import hostile, names
from .mutants import mutant
from .seeds import EXAMPLES, READERS
from .states import go_on, simulators

OWN = re.compile(r"unexpected keyword argument|missing \d+ required|takes .*argument|multiple values for")
"""What Python says where arguments do not fit the parameters, or those of a function that was given; what is indexed as
lists are raises what lists raise."""
LONGEST = 20
"""Seconds of this process, and ten times as many of the clock, for one mutant."""
TIMERS = ((signal.ITIMER_PROF, signal.SIGPROF, LONGEST), (signal.ITIMER_REAL, signal.SIGALRM, 10 * LONGEST))


class HangError(Exception):
    """A reader took longer than LONGEST."""


@dataclass(frozen=True)
class Finding:
    """The error that came out, and the seed that makes the mutant again."""

    kind: str
    seed: int
    error: str


@dataclass(frozen=True)
class Outcome:
    """How many mutants were read, how many refused, and what else came out."""

    read: int
    refused: int
    findings: tuple[Finding, ...]


def run(kind: str, seeds: range, folder: Path) -> Outcome:
    """One mutant a seed; each is a file in `folder`."""
    read, refused, findings = 0, 0, []
    for seed in seeds:
        file = folder / f"mutant.{kind}"
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mutant(random.Random(f"{kind} {seed}"), kind, file)
        try:
            with _watched():
                READERS[kind](file)
            read += 1
        except kg.KinegenError as error:
            refused += not isinstance(error, kg.InternalError)
            if isinstance(error, kg.InternalError) or not _names(error, file):
                findings.append(Finding(kind, seed, f"{type(error).__name__}: {error}"[:400]))
        except Exception:  # whatever it is, it is a finding
            findings.append(Finding(kind, seed, "".join(traceback.format_exc().splitlines(True)[-6:])))
    return Outcome(read, refused, tuple(findings))


def call(seeds: range, chosen: Sequence[str] = ()) -> Outcome:
    """One call a seed of what has one of these names, of everything public if none is given."""
    known = [*chosen] or names()

    def made(rng: random.Random) -> tuple[str, Callable[[], object], object]:
        name = rng.choice(known)
        found = hostile(rng, name)
        return name, found, found.given

    return _judged("call", seeds, made)


def go_on_from(seeds: range) -> Outcome:
    """One damaged state, or pickle, a seed."""
    simulators()  # compiled, which may take longer than a call

    def made(rng: random.Random) -> tuple[str, Callable[[], object], object]:
        name = rng.choice(["library", "contact", "loop"])
        return name, lambda: go_on(rng, simulators()[name]), ""

    return _judged("state", seeds, made)


def _judged(
    what: str, seeds: range, make: Callable[[random.Random], tuple[str, Callable[[], object], object]]
) -> Outcome:
    """What comes out: nothing, a refusal, or a finding."""
    done, refused, findings = 0, 0, []
    for seed in seeds:
        name, act, given = make(random.Random(f"{what} {seed}"))
        try:
            with _watched(), elsewhere():
                act()
            done += 1
        except kg.InternalError as error:
            findings.append(Finding(name, seed, str(error)))
        except kg.KinegenError:
            refused += 1
        except Exception as error:  # whatever it is, it is a finding
            of_sequences = name.endswith(".__getitem__") and isinstance(error, IndexError | TypeError | ValueError)
            if of_sequences or (isinstance(error, TypeError) and OWN.search(str(error))):
                refused += 1
                continue
            said = f"{name}({shown(given, 300)})\n"
            findings.append(Finding(name, seed, said + "".join(traceback.format_exc().splitlines(True)[-4:])))
    return Outcome(done, refused, tuple(findings))


@contextmanager
def elsewhere() -> Iterator[None]:
    """In a folder of its own, which may be written to, without output."""
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        inner = Path(folder) / "a" / "b"
        inner.mkdir(parents=True)
        with chdir(inner), np.errstate(all="ignore"):
            yield


def _names(error: Exception, file: Path) -> bool:
    """The message names the file, or one that it names."""
    return any(str(folder) in str(error) for folder in (file.parent, EXAMPLES))


@contextmanager
def _watched() -> Iterator[None]:
    """HangError after LONGEST seconds of work, or of waiting ten times as long; no warnings."""

    def over(signum: int, frame: Any) -> None:
        worked = signum == signal.SIGPROF
        raise HangError(f"took over {LONGEST} s of work" if worked else f"took over {10 * LONGEST} s of the clock")

    before = {kind: signal.signal(kind, over) for _, kind, _ in TIMERS}
    for timer, _, seconds in TIMERS:
        signal.setitimer(timer, seconds)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for timer, kind, _ in TIMERS:
            signal.setitimer(timer, 0)
            signal.signal(kind, before[kind])
