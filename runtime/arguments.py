"""What users hand in -> float64 (or float32) arrays in C order, or a ModelError that names the argument."""

from __future__ import annotations

import numbers
import operator
import os
from math import isfinite
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from .errors import ModelError, shown

Array = NDArray[np.float64]
_FLOAT64 = np.dtype(np.float64)

FEW = 8192
"""Numbers of which BLAS takes a product alone. More it shares among threads of its own, which go on spinning for some
milliseconds and keep a processor from the threads that share the work that follows."""


def as_array(name: str, value: Any, shape: tuple[int, ...], *, batch: bool = True) -> Array:
    """`value` as (..., *shape) float64 in C order, aligned, leading batch axes only if `batch`.

    Integers, fractions and narrower floats are cast. ModelError names the argument, the shape expected and what came:
    another shape, a dtype that does not cast safely (complex, object, bool, text), masked or non-finite entries.
    """
    if _is_plain(value, shape, batch):
        return value
    array = as_floats(name, value, _shape_text(shape, batch))
    leading, own = array.shape[: array.ndim - len(shape)], array.shape[max(array.ndim - len(shape), 0) :]
    if own != shape or (leading and not batch):
        raise ModelError(f"{name}: expected shape {_shape_text(shape, batch)}, got {array.shape}")
    finite = np.isfinite(array)
    if not finite.all():
        index = tuple(int(i) for i in np.argwhere(~finite)[0])
        if not index:
            raise ModelError(f"{name}: expected a number, got {array[()]}")
        raise ModelError(f"{name}: entry {index if len(index) != 1 else index[0]} is {array[index]}, expected a number")
    return array


def as_pose(name: str, value: Any, *, batch: bool = True) -> Array:
    """`value` as (..., 4, 4) poses [R p; 0 0 0 1]; ModelError as in `as_array`, and for what is none."""
    poses = as_array(name, value, (4, 4), batch=batch)
    R, end = poses[..., :3, :3], np.array([0.0, 0.0, 0.0, 1.0])
    if not (np.allclose(R @ np.swapaxes(R, -1, -2), np.eye(3), atol=1e-6) and (np.linalg.det(R) > 0.0).all()):
        raise ModelError(f"{name}: expected a rotation and a place, [R p; 0 0 0 1], got {shown(poses.tolist(), 200)}")
    if (poses[..., 3, :] != end).any():
        turned = "; its transpose does" if (poses[..., 3] == end).all() else ""
        got = f"{shown(poses.tolist(), 200)}{turned}"
        raise ModelError(f"{name}: expected [R p; 0 0 0 1], the last row must say 0 0 0 1, got {got}")
    return poses


def _is_plain(value: Any, shape: tuple[int, ...], batch: bool) -> TypeGuard[Array]:
    """A quick look at what is right as it stands. False too of many numbers, and of large ones, whose squares are not
    finite: `as_array` then looks at each."""
    if type(value) is not np.ndarray or value.dtype is not _FLOAT64 or not shape or value.size > FEW:
        return False
    if value.shape != shape and not (batch and value.shape[-len(shape) :] == shape):
        return False
    flags = value.flags
    return flags.c_contiguous and flags.aligned and isfinite(np.vdot(value, value))


def off_unit_message(name: str, joint: str, at: int, rotation: Array) -> str:
    """What is wrong with a quaternion (4) or [cos sin] (2) of a joint, from entry `at` of the configuration `name`."""
    what = "[cos sin] pair" if rotation.size == 2 else "quaternion [x y z w]"
    return (
        f"{name}: the {what} of joint '{joint}', entries {at} to {at + rotation.size - 1}, has norm "
        f"{np.linalg.norm(rotation):.9g}, expected 1; divide it by its norm (model.neutral() is a valid start)"
    )


def as_rows(name: str, value: Any, rows: int | None = None) -> Array:
    """`value` as a (rows, any) float64 array, any number of rows if none is given; ModelError as in `as_array`."""
    array = as_floats(name, value, f"({'n' if rows is None else rows}, k)")
    if array.ndim != 2 or rows not in (None, len(array)):
        raise ModelError(f"{name}: expected shape ({'n' if rows is None else rows}, k), got {array.shape}")
    return as_array(name, array, array.shape, batch=False)


def as_floats(name: str, value: Any, expected: str = "numbers", dtype: np.dtype[Any] = _FLOAT64) -> Array:
    """`value` as an array of `dtype`, float64 or float32, in C order, aligned, of any shape.

    ModelError as in `as_array`, and for a number that float32 holds as infinite only.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise ModelError(f"{name}: expected {expected}, got a masked array; fill its gaps first")
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ModelError(f"{name}: expected an array of shape {expected}, got {_brief(value)} ({error})") from error
    if array.size == 0 and not isinstance(value, np.ndarray):
        array = array.astype(np.float64)
    if array.dtype == object and not isinstance(value, np.ndarray):
        array = _rounded(array)
    if not array.flags.aligned:  # in a buffer from somewhere within a number on; C takes none such
        array = array.copy()
    if array.dtype.kind not in "iuf" or not np.can_cast(array.dtype, np.float64, "safe"):
        what = f"dtype {array.dtype}" if isinstance(value, np.ndarray) else _brief(value)
        shape = "" if expected == "numbers" else f" of shape {expected}"
        raise ModelError(f"{name}: expected float64 numbers{shape}, got {what}")
    if dtype.itemsize >= array.dtype.itemsize:
        return np.ascontiguousarray(array, dtype=dtype) if array.ndim else array.astype(dtype)
    with np.errstate(over="ignore"):
        found = np.ascontiguousarray(array, dtype=dtype) if array.ndim else array.astype(dtype)
    if np.isinf(found).any():
        _require_within(name, array, found)
    return found


def _rounded(array: NDArray[Any]) -> NDArray[Any]:
    """Fractions and whole numbers of any size as doubles; anything else as it came."""
    if not all(isinstance(x, numbers.Real) and not isinstance(x, bool | np.longdouble) for x in array.flat):
        return array
    try:
        return array.astype(np.float64)
    except OverflowError:
        return array


def _require_within(name: str, given: NDArray[Any], found: NDArray[Any]) -> None:
    """ModelError for the first finite number that is infinite where it was narrowed."""
    for index in np.argwhere(np.isinf(found) & np.isfinite(given))[:1].tolist():
        place = f"entry {index[0] if len(index) == 1 else tuple(index)}" if index else "the number"
        raise ModelError(f"{name}: {place} is {given[tuple(index)]:.9g}, {found.dtype} holds numbers up to 3.4e38")


def as_number(name: str, value: Any, *, positive: bool = False) -> float:
    """`value` as a finite float; ModelError names the argument."""
    number = float(value if _is_plain_number(value) else as_array(name, value, (), batch=False))
    if positive and number <= 0.0:
        raise ModelError(f"{name}: expected a positive number, got {shown(value)}")
    return number


def _is_plain_number(value: Any) -> bool:
    """A quick look at what is right as it stands."""
    return (type(value) is float and isfinite(value)) or (type(value) is int and abs(value) <= MOST_COUNTED)


def as_flag(name: str, value: Any) -> bool:
    """`value` as True or False, which 1 and 0 are too; ModelError names the argument."""
    if not isinstance(value, bool | np.bool_) and not (isinstance(value, int | np.integer) and value in (0, 1)):
        raise ModelError(f"{name}: expected True or False, got {shown(value)}")
    return bool(value)


MOST_COUNTED = 1 << 53
"""The largest whole number that counts something: doubles hold no larger ones without gaps."""


def as_count(name: str, value: Any, *, least: int, most: int = MOST_COUNTED) -> int:
    """`value` as an integer from `least` to `most`; ModelError names the argument."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        bound = f" and at most {most}" if isinstance(value, int | np.integer) and value > most else ""
        raise ModelError(f"{name}: expected a whole number of at least {least}{bound}, got {shown(value)}")
    return int(value)


def as_place(name: str, value: Any, count: int) -> int:
    """Which of `count` states a whole number tells, a negative one from behind; ModelError names what is asked.

    IndexError beyond them, which ends loops over the states.
    """
    try:
        return range(count)[operator.index(value)]
    except TypeError:
        raise ModelError(f"{name}[...]: expected a whole number or a slice of them, got {shown(value)}") from None
    except IndexError:
        raise IndexError(f"{name}[{shown(value)}]: there are {count} states") from None


def require_memory(what: str, numbers: int, remedy: str = "") -> None:
    """ModelError if so many doubles are more than this machine could ever hold."""
    try:
        most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):  # a system that does not tell
        most = MOST_COUNTED
    if 8 * numbers > most:
        raise ModelError(
            f"{what}: takes {8 * numbers / 2**30:,.1f} GiB of memory, this machine has {most / 2**30:,.1f}"
            f"{'; ' if remedy else ''}{remedy}"
        )


def _shape_text(shape: tuple[int, ...], batch: bool) -> str:
    if not batch:
        return str(shape)
    return f"(..., {', '.join(str(n) for n in shape)})" if shape else "(...)"


def _brief(value: Any) -> str:
    return f"{type(value).__name__} {shown(value, 60)}"
