"""Scripts as commands: --help shows what a file does and takes, and what cannot be done is said in one line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from kinegen.runtime.files import make_folder

from .cli.failures import run_app


def _made(folder: Path) -> Path:
    make_folder(folder)
    return folder


Folder = Annotated[Path, typer.Argument(metavar="FOLDER", callback=_made, help="Where files go; it is made.")]
"""An argument of `main`: a folder, made before anything else is done."""


def script(main: Callable[..., object], about: str | None) -> None:
    """Call main with the arguments of the process, which typer reads as its annotations tell, and exit as `kinegen`
    does. `about`: the script's docstring, for --help."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(help=about)(main)
    sys.exit(run_app(app, Path(sys.argv[0]).name, sys.argv[1:]))
