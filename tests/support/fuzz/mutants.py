"""Mutants: values exchanged, doubled, emptied, replaced by nonsense; parts dropped, repeated, put into each other;
bytes turned over.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np

from .seeds import PARTS, texts

NONSENSE = (
    *(
        "0",
        "-1",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "1e300",
        "-1e39",
        "1e-320",
        "true",
        "[]",
        "{}",
        "world",
        "",
        "é",
        "\x00",
    ),
    *("1 2 3", "0 0 0", "9" * 20, "9" * 5000, "l/2", "0/0", "m**-1e9", "a" * 300, "../../etc/passwd", "&lt;", "--"),
)
PLACES = {
    "urdf": r'(?<=")[^"<>]+(?=")',
    "xml": r'(?<=")[^"<>]+(?=")',
    "sdf": r'(?<=")[^"<>]+(?=")|(?<=>)[^<>]+(?=<)',
    "toml": r'(?<=[=\[,] )[^\]\[{},\n]+|(?<=")[^"\n]+(?=")',
    "scene.toml": r'(?<=[=\[,] )[^\]\[{},\n]+|(?<=")[^"\n]+(?=")|(?<=\[)[a-z._]+(?=\])',
    "mot": r"[^\t\n=]+",
    "trc": r"[^\t\n]+",
}
ELEMENTS = {
    "urdf": r"<(\w+)[^<>]*/>|<(joint|link|inertial|collision)\b.*?</\2>",
    "xml": r"<(\w+)[^<>]*/>|<(body|geom|joint)\b.*?</\2>",
    "sdf": r"<(\w+)[^<>]*/>|<(joint|link|inertial|axis)\b.*?</\2>",
}


def mutant(rng: random.Random, kind: str, file: Path) -> None:
    """A file of that format with one to three mutations; one in ten has bytes of its own changed as well."""
    if kind in PARTS:
        parts = PARTS[kind]()
        values = dict(parts.values)
        for _ in range(rng.randint(0, 2)):
            name = rng.choice([*values])
            changed = _changed(rng, values[name])
            values = {k: x for k, x in values.items() if k != name} | ({} if changed is None else {name: changed})
        try:
            parts.write(values, file)
        except (ValueError, AssertionError, TypeError, OverflowError):  # what cannot even be written
            parts.write(parts.values, file)
        if rng.random() < 0.6:
            file.write_bytes(_bytes(rng, file.read_bytes()))
        return
    text = rng.choice(texts(kind))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        text = _text(rng, kind, text)
    data = text.encode("utf-8", errors="surrogatepass")
    file.write_bytes(_bytes(rng, data) if rng.random() < 0.1 else data)


def _text(rng: random.Random, kind: str, text: str) -> str:
    if kind in ELEMENTS and rng.random() < 0.25:
        return _elements(rng, re.compile(ELEMENTS[kind], re.DOTALL), text)
    if rng.random() < 0.15:
        lines = text.split("\n")
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[at : at + 1] = rng.choice([[], [lines[at]] * 2, [lines[other]], [lines[at] * 50]])
        return "\n".join(lines)
    places = list(re.finditer(PLACES[kind], text))
    if not places:
        return text
    place, way = rng.choice(places), rng.random()
    if way < 0.4:
        new = rng.choice(NONSENSE)
    elif way < 0.9:
        new = rng.choice(places).group()
    else:
        new = place.group() * 2 if way < 0.98 else "[" * 3000 + place.group()
    return text[: place.start()] + new + text[place.end() :]


def _elements(rng: random.Random, pattern: re.Pattern[str], text: str) -> str:
    """One dropped, repeated, moved, or put into itself many times."""
    found = list(pattern.finditer(text))
    if not found:
        return text
    one, other = rng.choice(found), rng.choice(found)
    tag = one.group().split(None, 1)[0].strip("<>/") or "a"
    new = rng.choice(["", one.group() * 2, other.group(), f"<{tag}>" * 300 + f"</{tag}>" * 300, one.group() * 40])
    return text[: one.start()] + new + text[one.end() :]


def _bytes(rng: random.Random, data: bytes) -> bytes:
    """Bits turned over, bytes at their ends, parts cut off, repeated or left out."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        if not changed:
            break
        at = rng.randrange(len(changed))
        way = rng.random()
        if way < 0.7:
            changed[at] = rng.choice([0, 1, 127, 128, 255, changed[at] ^ (1 << rng.randrange(8))])
        elif way < 0.8:
            del changed[at:]
        else:
            end = min(len(changed), at + rng.randint(1, 64))
            changed[at:end] = rng.choice([b"", changed[at:end] * 2])
    return bytes(changed)


def _changed(rng: random.Random, value: Any) -> Any:
    """Another array, list of texts, or None for nothing."""
    if isinstance(value, list):
        return rng.choice([None, [], [""], value * 3, ["é"], [*value, "x" * 200]])
    if value.dtype.kind == "U":
        return rng.choice([None, np.array(_text(rng, "toml", str(value))), np.array("{}"), np.array("[" * 5000)])
    if value.dtype.names is None and rng.random() < 0.5:
        kind = rng.choice(["f4", "i2", "c16", "U5", "nan", "inf", "-1", "1e30"])
        return value * float(kind) if kind not in ("f4", "i2", "c16", "U5") else value.astype(kind)
    shapes = [value[:0], value[:-1], value[None], np.concatenate([value, value]), value.ravel()]
    return rng.choice([None, *shapes])
