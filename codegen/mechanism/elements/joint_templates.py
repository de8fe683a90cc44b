"""Joints without their links yet: what a connection made later will be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kinegen.runtime.errors import ModelError, shown
from kinegen.runtime.kinds import KINDS, Kind

from ..pose import COINCIDENT, Pose
from .joint import Joint


@dataclass(frozen=True)
class JointTemplate:
    """A kind and its options, as `Joint` takes them, checked when it is made."""

    kind: str
    options: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        for pair in self.options if isinstance(self.options, tuple) else [self.options]:
            if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
                raise ModelError(f"a joint template's options are pairs of a name and a value, got {shown(pair)}")
        fixed_later = sorted({key for key, _ in self.options} & {"name", "kind", "parent", "child"})
        if fixed_later:
            raise ModelError(f"a joint template takes no {fixed_later[0]}: that is given when the joint is made")
        self.joint("template", "world", "template")

    def joint(
        self, name: str, parent: str, child: str, origin: Pose = COINCIDENT, child_origin: Pose = COINCIDENT
    ) -> Joint:
        """The joint between two links, its frame at `origin` in the parent and `child_origin` in the child."""
        options = {"origin": origin, "child_origin": child_origin, **dict(self.options)}
        return Joint(name, self.kind, parent, child, **options)


def _template(kind: Kind) -> Callable[..., JointTemplate]:
    def template(**options: Any) -> JointTemplate:
        return JointTemplate(kind.name, tuple(options.items()))

    template.__name__ = template.__qualname__ = kind.name
    template.__doc__ = kind.about
    return template


TEMPLATES: dict[str, Callable[..., JointTemplate]] = {name: _template(kind) for name, kind in KINDS.items()}
"""A maker of templates for every kind: `revolute(axis=(0, 1, 0))`."""


def __getattr__(name: str) -> Callable[..., JointTemplate]:
    try:
        return TEMPLATES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
