"""The packed mass matrix: the entries of its lower triangle that the tree lets differ from zero."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..abi import Manifest
from ..arguments import Array, as_array
from ..errors import MissingError, ModelError

Places = NDArray[np.intp]


@dataclass(frozen=True)
class PackedPattern:
    """Where the entries of a packed symmetric (n, n) matrix stand: the tree's sparsity [Featherstone, §6.4].

    `rows`, `columns` (size): of each entry, columns <= rows, row by row, each row's diagonal last.
    """

    n: int
    rows: Places
    columns: Places

    @property
    def size(self) -> int:
        """Numbers of a packed matrix."""
        return len(self.rows)

    @cached_property
    def index(self) -> Places:
        """(n, n) place of each entry among the packed ones, -1 where the matrix is zero."""
        index = np.full((self.n, self.n), -1)
        index[self.rows, self.columns] = index[self.columns, self.rows] = np.arange(self.size)
        return index

    def full(self, packed: ArrayLike) -> Array:
        """(..., n, n) of (..., size). ModelError for another shape."""
        values = as_array("packed", packed, (self.size,))
        matrix: Array = np.zeros((*values.shape[:-1], self.n, self.n))
        matrix[..., self.rows, self.columns] = values
        matrix[..., self.columns, self.rows] = values
        return matrix

    def pack(self, matrix: ArrayLike) -> Array:
        """(..., size) of (..., n, n), of which the lower triangle counts."""
        packed: Array = as_array("matrix", matrix, (self.n, self.n))[..., self.rows, self.columns]
        return packed

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, PackedPattern):
            return NotImplemented
        same = np.array_equal(self.rows, other.rows) and np.array_equal(self.columns, other.columns)
        return self.n == other.n and same

    def __hash__(self) -> int:
        return hash((self.n, self.rows.tobytes(), self.columns.tobytes()))


def require_packed(manifest: Manifest) -> None:
    """MissingError if the model was compiled without what computes packed matrices."""
    if not manifest.pattern:
        raise MissingError(
            f"model '{manifest.name}' has no packed mass matrix: compile it with kg.compile(..., lanes=True)"
            + (", which offers one where M is straight-line code" if has_lanes(manifest) else "")
        )


def require_regular(manifest: Manifest) -> None:
    """ModelError if the packed mass matrix of the model has no inverse."""
    if "mass_matrix_solve" not in manifest.routes:
        raise ModelError(
            f"model '{manifest.name}': its mass matrix is singular, as some of its joints move no mass, and M x = b "
            "has no solution in general; give their links mass and inertia, or the joints armature"
        )


def pattern_of(manifest: Manifest) -> PackedPattern:
    """Errors as of `require_packed`."""
    require_packed(manifest)
    entries = [(k, j) for k, columns in enumerate(manifest.pattern) for j in columns]
    rows, columns = (np.array(part, dtype=np.intp) for part in zip(*entries, strict=True))
    return PackedPattern(manifest.nv, rows, columns)


def has_lanes(manifest: Manifest) -> bool:
    """Some kernel computes several states at a time."""
    return any(kernel.lanes for kernel in manifest.kernels)
