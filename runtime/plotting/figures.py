"""Figures of matplotlib, made and written: the only door to it in this package."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ModelError
from ..files import written

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of that size [inch]. ModelError if matplotlib is missing or does not start."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ModelError("plots need the package 'matplotlib'; install it") from error
    except ValueError as error:  # of the environment's MPLBACKEND or the user's matplotlibrc
        raise ModelError(f"plots need matplotlib, which does not start: {error}; see MPLBACKEND") from error
    return Figure(figsize=(width, height), layout="constrained")


def check_picture(path: str | PathLike[str]) -> None:
    """ModelError where the name of a file is none of a picture."""
    _check_kind(new_figure(1.0, 1.0), path)


def _check_kind(figure: Figure, path: str | PathLike[str]) -> str:
    kinds = figure.canvas.get_supported_filetypes()
    suffix = Path(path).suffix[1:].lower()
    if suffix not in kinds:
        raise ModelError(f"{path}: no pictures of that kind; known: {', '.join(sorted(kinds))}")
    return suffix


def write_figure(figure: Figure, path: str | PathLike[str] | None, dpi: float | None = None) -> Figure:
    """The figure, written to `path` if one is given. ModelError for unknown kinds of pictures."""
    if path is None:
        return figure
    kind = _check_kind(figure, path)
    with written(path) as draft, open(draft, "wb") as file:
        figure.savefig(file, format=kind, dpi="figure" if dpi is None else dpi)
    return figure
