"""kinegen generate: the C of a mechanism in a folder, to be taken anywhere."""

from __future__ import annotations

import shutil
from pathlib import Path

from rich.markup import escape

from kinegen.runtime.abi import Manifest
from kinegen.runtime.record import MANIFEST_FILE

from ..models import Root, read_model
from .demonstration import build_timed, generate_timed
from .terminal import activity, seconds, show, table


def run(model: str, output: Path, root: Root, name: str | None, target: str | None) -> None:
    """Write C files, header and manifest into `output`; with a `target` all of the compiled model."""
    mechanism = read_model(model, root, name)
    with activity("deriving") as advance:
        sources, deriving = generate_timed(mechanism, advance)
    texts = {**sources.files, MANIFEST_FILE: sources.manifest.to_json()}
    output.mkdir(parents=True, exist_ok=True)
    if target is None:
        for file, text in texts.items():
            (output / file).write_text(text, encoding="utf-8")
    else:
        shutil.copytree(build_timed(sources, target=target).folder, output, dirs_exist_ok=True)
    written = table(f"{escape(mechanism.name)} in {escape(str(output))}", "file", "lines", "kB", right=("lines", "kB"))
    for file, text in texts.items():
        written.add_row(file, str(text.count("\n")), f"{len(text) / 1e3:.1f}")
    show(written, f"derived and printed in {seconds(deriving)}", _how_to_build(sources.manifest, output, target))


def _how_to_build(manifest: Manifest, output: Path, target: str | None) -> str:
    if target is not None:
        return escape(f'run it: kinegen.runtime.load("{output}")')
    files = " ".join(name for name in manifest.sources if name.endswith(".c"))
    return escape(f"build it: cd '{output}' && cc -std=c99 -O2 -c {files}")
