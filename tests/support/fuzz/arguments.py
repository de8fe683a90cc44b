"""Calls of everything public with arguments that nobody would give, made from the annotations.

Every call starts from one that works: required parameters get a good value of their annotation, or what a table in
`working` says. Then one or two arguments, options among them, are replaced by strange ones. A KinegenError is right,
and the TypeError by which Python itself refuses a name that no parameter has.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .public import VARIADIC, Public, everything, parsed
from .receivers import LEFT_OUT
from .strange import STRANGE, TEXTS, strange
from .working import good, parts, receiver, told

Given = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """A function, and its arguments by the names of its parameters."""

    function: Callable[..., Any]
    parameters: tuple[inspect.Parameter, ...]
    given: Given

    def __call__(self) -> Any:
        args: list[Any] = []
        named: Given = {}
        for p in self.parameters:
            if p.name not in self.given:
                continue
            value = self.given[p.name]
            if p.kind is p.VAR_POSITIONAL:
                args += value
            elif p.kind is p.VAR_KEYWORD:
                named |= value
            elif p.kind is p.KEYWORD_ONLY or p.default is not p.empty:
                named[p.name] = value
            else:
                args.append(value)
        return self.function(*args, **named)


def names() -> list[str]:
    """What is called: all that is public but for what is left out."""
    return [name for name, public in everything().items() if name not in LEFT_OUT and public.owner not in LEFT_OUT]


def working(name: str) -> Call:
    """A call that works, with a receiver of its own; of a constructor with all that a good object tells of itself."""
    public, known = everything()[name], dir(parts()[name]) if name in parts() else []
    needed = [
        p
        for p in public.parameters
        if p.name in told(name) or p.name in known or (p.default is p.empty and p.kind not in VARIADIC)
    ]
    return Call(public.bound(receiver(public)), public.parameters, {p.name: good(public, p) for p in needed})


def hostile(rng: random.Random, name: str) -> Call:
    """The same with one or two strange arguments."""
    call, public = working(name), everything()[name]
    given = dict(call.given)
    for _ in range(rng.choice([1, 1, 2])):
        if public.parameters:
            p = rng.choice(public.parameters)
            given[p.name] = _strange(rng, public, p)
    return Call(call.function, call.parameters, given)


def _strange(rng: random.Random, public: Public, p: inspect.Parameter) -> Any:
    known, node = parts(), parsed(p.annotation)
    if p.kind is p.VAR_POSITIONAL:
        return [strange(rng, node, known) for _ in range(rng.randrange(4))]
    if p.kind is p.VAR_KEYWORD:
        return _named(rng, public.name, p)
    return strange(rng, node, known)


def _named(rng: random.Random, name: str, p: inspect.Parameter) -> Given:
    """Arguments by name: options of joints, whose templates take them; one of those that work; or any."""
    if p.name == "options" and rng.random() < 0.9:
        option = rng.choice(everything()["Joint"].parameters)
        return {option.name: strange(rng, parsed(option.annotation), parts())}
    good = told(name).get(p.name, dict)()
    return {**good, rng.choice([*good, *TEXTS]): rng.choice(STRANGE)}
