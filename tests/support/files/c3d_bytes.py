"""C3D files written number by number, in every layout that there is: floats or whole numbers, three processors."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

ORDERS = {84: "<", 85: "<", 86: ">"}


@dataclass(frozen=True)
class C3dText:
    """Frames of markers in mm at 100 Hz (n, markers, 3), NaN where lost, and analog samples at 200 Hz (2 n, channels),
    both in steps of `step`; `parameters`: (group, name) → texts or numbers, beside those that are always there.
    """

    points: Any
    analogs: Any
    processor: int = 84
    real: bool = True
    step: float = 0.25
    parameters: dict[tuple[str, str], Any] = field(default_factory=dict)

    def bytes(self) -> bytes:
        n, markers, channels = len(self.points), self.points.shape[1], self.analogs.shape[1]
        section = self._section()
        blocks = -(-len(section) // 512)
        scale = -self.step if self.real else self.step
        words = [markers, 2 * channels, 1, n, 10]
        head = bytes([2, 0x50]) + self._whole(words) + self._floats([scale]) + self._whole([2 + blocks, 2])
        head += self._floats([100.0])
        return head.ljust(512, b"\0") + section.ljust(512 * blocks, b"\0") + self._data()

    def _data(self) -> bytes:
        lost = ~np.isfinite(self.points).all(axis=2)
        places = np.where(lost[..., None], 0.0, self.points) / (1.0 if self.real else self.step)
        fourth = np.where(lost, -1.0, 0.0)[..., None]
        frames = len(self.points)
        raw = np.hstack([np.concatenate([places, fourth], axis=2).reshape(frames, -1), self._raw_analogs(frames)])
        return self._floats(raw.ravel()) if self.real else self._whole(raw.ravel())

    def _raw_analogs(self, frames: int) -> Any:
        return (self.analogs / self.step).reshape(frames, -1) + 3.0

    def _section(self) -> bytes:
        channels = self.analogs.shape[1]
        usual = {
            ("POINT", "USED"): np.array([self.points.shape[1]]),
            ("POINT", "FRAMES"): np.array([len(self.points)]),
            ("ANALOG", "USED"): np.array([channels]),
            ("ANALOG", "RATE"): np.array([200.0]),
            ("POINT", "UNITS"): ["mm"],
            ("POINT", "RATE"): np.array([100.0]),
            ("POINT", "SCALE"): np.array([-self.step if self.real else self.step]),
            ("ANALOG", "SCALE"): np.full(channels, 2.0 * self.step),
            ("ANALOG", "GEN_SCALE"): np.array([0.5]),
            ("ANALOG", "OFFSET"): np.full(channels, 3, dtype=int),
        }
        values = usual | self.parameters
        groups = sorted({group for group, _ in values})
        records = [self._record(-(k + 1), name, b"\0") for k, name in enumerate(groups)]
        records += [self._record(groups.index(g) + 1, name, self._value(x) + b"\0") for (g, name), x in values.items()]
        return bytes([1, 0x50, 0, self.processor]) + b"".join(records) + b"\0\0"

    def _record(self, group: int, name: str, rest: bytes) -> bytes:
        return bytes([len(name), group % 256]) + name.encode() + self._whole([2 + len(rest)]) + rest

    def _value(self, value: Any) -> bytes:
        if isinstance(value, list):
            width = max(map(len, value))
            return bytes([255, 2, width, len(value)]) + b"".join(text.ljust(width).encode() for text in value)
        whole = value.dtype.kind == "i"
        flat = value.ravel(order="F")
        head = bytes([2 if whole else 4, value.ndim, *value.shape])
        assert len(flat) == prod(value.shape)
        return head + (self._whole(flat) if whole else self._floats(flat))

    def _whole(self, values: Any) -> bytes:
        return np.asarray(values).astype(np.int64).astype(f"{ORDERS[self.processor]}i2").tobytes()

    def _floats(self, values: Any) -> bytes:
        plain = np.asarray(values, dtype=float)
        if self.processor != 85:
            return plain.astype(f"{ORDERS[self.processor]}f4").tobytes()
        halves = (4.0 * plain).astype("<f4").view("<u2").reshape(-1, 2)[:, ::-1]
        return np.ascontiguousarray(halves).tobytes()
