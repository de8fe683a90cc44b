"""The C3D format [MotionLab08]: what a file says of itself, its markers and its analog channels.

Sizes that a file gives are held against its length before anything is made of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import Array
from ..errors import ModelError

BLOCK = 512
MARK = 0x50
MOST_AXES = 7
LONGEST = 65535
"""Frames that the header can count."""


@dataclass(frozen=True)
class Processor:
    """How the computer that a file was written for lays out numbers: byte order, and whether floats are a VAX's."""

    order: str
    vax: bool = False

    def whole(self, data: bytes) -> NDArray[np.int16]:
        return np.frombuffer(data, f"{self.order}i2")

    def floats(self, data: bytes) -> NDArray[np.float32]:
        if not self.vax:
            return np.frombuffer(data, f"{self.order}f4")
        # the words of a VAX stand in another order, and its exponents are larger by two
        halves = np.frombuffer(data, "<u2").reshape(-1, 2)[:, ::-1]
        return np.asarray(np.ascontiguousarray(halves).view("<f4").ravel() / np.float32(4.0), np.float32)

    def numbers(self, data: bytes, size: int) -> NDArray[Any]:
        """Of two or four bytes."""
        return self.whole(data) if size == 2 else self.floats(data)


PROCESSORS = {84: Processor("<"), 85: Processor("<", vax=True), 86: Processor(">")}


@dataclass(frozen=True)
class Parameters:
    """Values by GROUP and NAME: texts as a list, numbers as an array whose first axis runs fastest in the file."""

    values: Mapping[tuple[str, str], Any]

    def texts(self, group: str, name: str) -> list[str]:
        """Empty if it is not there; lists longer than 255 go on in NAME2, NAME3, ..."""
        return [text for value in self._parts(group, name) if isinstance(value, list) for text in value]

    def numbers(self, group: str, name: str) -> Array:
        """Empty if it is not there."""
        parts = [value.ravel(order="F") for value in self._parts(group, name) if isinstance(value, np.ndarray)]
        return np.concatenate([np.zeros(0), *parts])

    def table(self, group: str, name: str, shape: tuple[int, ...], plate: int) -> Array:
        """The numbers of one plate, in the file's order. ModelError if there are fewer than `shape` has.

        Plates are along the last axis, which is left out where there is one.
        """
        value, rows = self.values.get((group, name)), prod(shape)
        wide = rows
        if isinstance(value, np.ndarray) and value.ndim == 2 and value.shape != shape:
            wide = value.shape[0]
        found = self.numbers(group, name)[plate * wide : plate * wide + rows]
        if wide < rows or len(found) < rows or not np.isfinite(found).all():
            raise ModelError(f"parameter {group}:{name} has no {rows} numbers for plate {plate + 1}")
        return found

    def number(self, group: str, name: str, default: float) -> float:
        """The first of its numbers."""
        found = self.numbers(group, name)
        return float(found[0]) if len(found) else default

    def whole(self, group: str, name: str, default: int) -> int:
        """The first of its numbers, which is to be a whole one from 0 on."""
        found = self.number(group, name, default)
        if not (0.0 <= found < 1 << 31 and found == int(found)):
            raise ModelError(f"parameter {group}:{name} is {found:g}, expected a whole number")
        return int(found)

    def _parts(self, group: str, name: str) -> Iterator[Any]:
        for key in (name, *(f"{name}{k}" for k in range(2, 10))):
            if (group, key) in self.values:
                yield self.values[group, key]


@dataclass(frozen=True)
class C3dFile:
    """`first`: number of the first frame, from 0; `rate`: frames per second; `points` (n, markers, 3) in the file's
    units, NaN where a marker was not seen; `analogs` (n k, channels), k samples a frame.
    """

    parameters: Parameters
    first: int
    rate: float
    points: Array
    analogs: Array


@np.errstate(invalid="ignore")  # what is not finite is told where it is needed
def parse_c3d(data: bytes) -> C3dFile:
    """ModelError says what is wrong with the bytes of a file."""
    if len(data) < BLOCK or data[1] != MARK:
        raise ModelError("its second byte is not that of a C3D file")
    start = (data[0] - 1) * BLOCK
    processor = PROCESSORS.get(_part(data, max(start, 0) + 3, 1)[0])
    if processor is None or start < 0:
        raise ModelError("it does not say for which processor it was written")
    parameters = Parameters(dict(_parameters(data, start + 4, processor)))
    words = processor.whole(data[:24]).view(f"{processor.order}u2").astype(int)
    markers, measured, samples = int(words[1]), int(words[2]), int(words[9])
    first, last = _frames(parameters, int(words[3]), int(words[4]))
    scale = parameters.number("POINT", "SCALE", float(processor.floats(data[12:16])[0]))
    if not np.isfinite(scale) or scale == 0.0:
        raise ModelError(f"parameter POINT:SCALE is {scale:g}")
    if samples and measured % samples:
        raise ModelError(f"{measured} analog values a frame are not {samples} samples of each channel")
    rows = _rows(data, (int(words[8]) - 1) * BLOCK, last - first + 1, 4 * markers + measured, scale < 0.0, processor)
    return C3dFile(
        parameters,
        max(first - 1, 0),
        parameters.number("POINT", "RATE", float(processor.floats(data[20:24])[0])),
        _points(rows[:, : 4 * markers].reshape(len(rows), markers, 4), scale),
        _analogs(rows[:, 4 * markers :], max(samples, 1), parameters, scale < 0.0),
    )


def _part(data: bytes | memoryview, at: int, size: int) -> bytes:
    """`size` bytes from `at`. ModelError where the file ends before."""
    if at + size > len(data):
        raise ModelError(f"it ends after {len(data):,} bytes, {at + size:,} are needed")
    return bytes(data[at : at + size])


def _parameters(data: bytes, at: int, processor: Processor) -> Iterator[tuple[tuple[str, str], Any]]:
    """Groups, whose numbers are below zero, and parameters of the group with the same number above it."""
    groups: dict[int, str] = {}
    found: list[tuple[int, str, memoryview]] = []
    while True:
        size, group = np.frombuffer(_part(data, at, 2), np.int8).astype(int).tolist()
        if size == 0:
            break
        name = _text(_part(data, at + 2, abs(size))).upper()
        after = at + 2 + abs(size)
        step = int(processor.whole(_part(data, after, 2)).view(f"{processor.order}u2")[0])
        if group < 0:
            groups[-group] = name
        else:
            found.append((group, name, memoryview(data)[after + 2 : after + step if step else None]))
        if step == 0:
            break
        at = after + step
    for group, name, block in found:
        yield (groups.get(group, ""), name), _value(f"parameter {groups.get(group, '')}:{name}", block, processor)


def _value(what: str, block: memoryview, processor: Processor) -> Any:
    """Texts (type -1), or numbers of one, two or four bytes, after how many there are. `what` is for messages."""
    size, axes = np.frombuffer(bytes(block[:2]).ljust(2, b"\0"), np.int8).astype(int).tolist()
    if size not in (-1, 1, 2, 4) or not 0 <= axes <= MOST_AXES:
        raise ModelError(f"{what} is of type {size} with {axes % 256} axes, which there is not")
    shape = tuple(block[2 : 2 + axes])
    end = 2 + axes + prod(shape) * abs(size)
    if end > len(block) or len(shape) < axes:
        raise ModelError(f"{what} says more than its block holds: it has {len(block):,} bytes, {end:,} are needed")
    plain = bytes(block[2 + axes : end])
    if size == -1:
        length, count = (shape[0], prod(shape[1:])) if axes and shape[0] else (1, len(plain))
        return [_text(plain[k * length : (k + 1) * length]) for k in range(count)]
    numbers: NDArray[Any] = np.frombuffer(plain, np.int8) if size == 1 else processor.numbers(plain, size)
    return numbers.astype(float).reshape(shape, order="F")


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8").strip(" \0")
    except UnicodeDecodeError:
        return data.decode("latin-1").strip(" \0")


def _frames(parameters: Parameters, first: int, last: int) -> tuple[int, int]:
    """Numbers of the first and last frame. The header counts up to 65535, or from 0 again: a parameter tells of more.

    TRIAL's numbers may be left over from a record that was cut or joined: they count where there are as many.
    """
    ends = [parameters.numbers("TRIAL", f"ACTUAL_{end}_FIELD") for end in ("START", "END")]
    if all(len(end) == 2 and np.isfinite(end).all() for end in ends):
        begin, stop = (int(end[0]) % (1 << 16) + (int(end[1]) % (1 << 16) << 16) for end in ends)
        if last == LONGEST or (stop - begin - last + first) % (1 << 16) == 0:
            return begin, stop
    if last == LONGEST:
        last = first - 1 + parameters.whole("POINT", "LONG_FRAMES", last - first + 1)
    return first, last


def _rows(data: bytes, at: int, frames: int, width: int, real: bool, processor: Processor) -> NDArray[Any]:
    """(frames, width) numbers as they stand in the file."""
    if frames < 1 or width == 0 or at < BLOCK:
        raise ModelError("it holds no frames")
    plain = _part(data, at, frames * width * (4 if real else 2))
    return processor.numbers(plain, 4 if real else 2).reshape(frames, width)


def _points(raw: NDArray[Any], scale: float) -> Array:
    """A fourth number below zero says that the marker was not seen."""
    points = raw[..., :3].astype(np.float64)
    if scale > 0.0:
        points *= scale
    points[~(raw[..., 3] >= 0)] = np.nan
    return points


def _analogs(raw: NDArray[Any], samples: int, parameters: Parameters, real: bool) -> Array:
    """(value − OFFSET) SCALE GEN_SCALE."""
    channels = raw.shape[1] // samples
    unsigned = next(iter(parameters.texts("ANALOG", "FORMAT")), "").upper().startswith("UNSIGNED") and not real
    scales, offsets = (parameters.numbers("ANALOG", name)[:channels] for name in ("SCALE", "OFFSET"))
    for name, values in (("SCALE", scales), ("OFFSET", offsets)):
        if 0 < len(values) < channels:
            raise ModelError(f"parameter ANALOG:{name} has {len(values)} numbers for {channels} channels")
    values = raw.reshape(-1, channels).astype(np.float64) if channels else np.zeros((len(raw) * samples, 0))
    if unsigned:
        values, offsets = values % (1 << 16), offsets % (1 << 16)
    values -= offsets if len(offsets) else 0.0
    values *= (scales if len(scales) else 1.0) * parameters.number("ANALOG", "GEN_SCALE", 1.0)
    return values
