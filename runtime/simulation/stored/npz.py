"""Arrays of an npz file from anywhere: sizes are checked before anything is allocated, and no pickle is ever opened."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from io import BufferedReader
from math import prod
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...files import in_file, length, open_file

LARGEST = 1 << 30
"""Bytes of arrays that are read from a file, unless the file itself comes near to it."""

PACKED = 20
"""Times the size of its file that arrays may take whatever they are; recorded motions seldom pack that well."""

BEGIN = b"PK\3\4"
"""The first bytes of every archive that holds something."""

HEADERS: dict[tuple[int, int], Callable[..., Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_npz(
    path: str | PathLike[str], wanted: Callable[[str], bool], largest: int = LARGEST
) -> dict[str, NDArray[Any]]:
    """The arrays whose names are `wanted`: numbers, records of numbers, text.

    ModelError as `open_file`; it names the path, and the array that is damaged or holds Python objects. Arrays that
    would take more than `largest` bytes are refused before they are unpacked, unless the file is large itself
    (`PACKED`).
    """
    with open_file(path) as file, in_file(path):
        begin = b""
        try:
            begin = file.read(len(BEGIN))
            return _arrays(file, wanted, largest)
        except ModelError:
            raise
        except Exception as error:  # a damaged archive makes its reader raise anything
            what = "is a damaged npz file" if begin == BEGIN else "is no npz file"
            raise ModelError(f"{what} ({_told(error)})") from error


def _arrays(file: BufferedReader, wanted: Callable[[str], bool], largest: int) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(file) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        chosen = {name: info for name, info in members.items() if wanted(name)}
        size, most = sum(info.file_size for info in chosen.values()), max(largest, PACKED * length(file))
        if size > most:
            raise ModelError(f"its arrays take {size:,} bytes, at most {most:,} are read; see `largest`")
        return {name: _member(archive, name, info) for name, info in chosen.items()}


def _member(archive: zipfile.ZipFile, name: str, info: zipfile.ZipInfo) -> NDArray[Any]:
    """The array of a member, filled as it is unpacked: what its end lacks takes no memory."""
    try:
        file: Any  # typeshed knows no readinto of it
        with archive.open(info) as file:
            version = np.lib.format.read_magic(file)
            if version not in HEADERS:
                raise ModelError(f"array '{name}': format {version} is not known")
            shape, columns_first, dtype = HEADERS[version](file)
            _require_size(name, shape, dtype, info.file_size - file.tell())
            array: NDArray[Any] = np.empty(shape, dtype, order="F" if columns_first else "C")
            if array.nbytes:
                _fill(name, memoryview(array.ravel(order="K").view(np.uint8).data), file.readinto)
            file.read()  # behind the last byte the checksum is compared
            return array
    except ModelError:
        raise
    except Exception as error:  # as above
        raise ModelError(f"array '{name}' is damaged ({_told(error)})") from error


def _require_size(name: str, shape: tuple[int, ...], dtype: np.dtype[Any], left: int) -> None:
    """ModelError unless the array is of plain data and as long as the file says that it is."""
    if dtype.hasobject:
        raise ModelError(f"array '{name}' holds Python objects, which are never read")
    needed = prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or needed != left:
        raise ModelError(f"array '{name}': {shape} of {dtype} take {needed:,} bytes, the file has {left:,} for it")


def _fill(name: str, view: memoryview, read: Callable[[memoryview], int | None]) -> None:
    done = 0
    while done < len(view):
        count = read(view[done:])
        if not count:
            raise ModelError(f"array '{name}' ends after {done:,} of {len(view):,} bytes")
        done += count


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]
