"""What model files hold and readers leave out, told as warnings: each kind once, by the line of the first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kinegen.runtime.errors import FileWarning, warn

from .xml_input import Node

Unread = tuple[tuple[str, str], str]  # a kind of thing that is not read, and the message that tells one of it

# elements of other name spaces, as of Drake, that move bodies -> what says nothing; all else may look, touch or control
MOVING = {
    "link": (),
    "include": (),
    "joint": (),
    "mimic": (),
    "linear_bushing_rpy": (),
    "linear_spring_damper": (),
    "ball_constraint": (),
    "screw_thread_pitch": (),
    "rotor_inertia": ("0",),  # gear_ratio is nothing without
}


def tell(found: Iterable[Unread]) -> None:
    """A warning for each kind, with how many there are."""
    told: dict[tuple[str, str], tuple[str, int]] = {}
    for kind, text in found:
        first, count = told.get(kind, (text, 0))
        told[kind] = (first, count + 1)
    for text, count in told.values():
        warn(text if count == 1 else f"{text} ({count} of them)", FileWarning)


def foreign(root: Node) -> Iterator[Unread]:
    """Everything in a file that another tool reads from its own name space and that moves bodies there."""
    for element in root.element.iter("*"):
        node = Node(element, root.file)
        if not set(node.tag) & set(":{"):
            continue
        nothing = MOVING.get(node.tag.replace("}", ":").split(":")[-1])
        value = element.get("value")
        if nothing is not None and not says(value if value is not None else node.words, nothing):
            yield ("", node.tag), f"{node.where}: is not read"


def says(text: str, words: tuple[str, ...]) -> bool:
    """Whether all words of a text are among some (numbers by value); never if there are none to be among."""
    return bool(words) and all(_plain(word) in words for word in text.split())


def _plain(word: str) -> str:
    try:
        return f"{float(word) + 0.0:g}"
    except ValueError:
        return word.lower()
