"""kinegen generate: the C of a mechanism in a folder, to be taken anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from shlex import quote

from rich.markup import escape

from kinegen.codegen.build import build
from kinegen.codegen.mechanism import Mechanism
from kinegen.codegen.printing.library import FOLDER
from kinegen.codegen.printing.selection import ALL, LEAN, Selection
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.abi import Manifest
from kinegen.runtime.errors import KinegenError, ModelError, shown
from kinegen.runtime.files import check_folder, make_folder, read_bytes, write_together
from kinegen.runtime.live.wrapper import LOADS, SUFFIXES, wrapped_module
from kinegen.runtime.record import MANIFEST_FILE, RECORD_FILE, BuildRecord
from kinegen.runtime.trust.seal import SEAL_FILE

from ..compiling import Simulator, compile
from ..drawing.play import wasm_of
from ..models import Root, read_model
from .demonstration import generate_timed
from .terminal import activity, seconds, show, table


@dataclass(frozen=True)
class Asked:
    """What of a model is wanted: root and name of the mechanism, a `target` to compile for, which kernels, the frames
    that have kernels of their own, lanes, what it computes with, which of its numbers are parameters, and whether
    WebAssembly is wanted as well."""

    root: Root | None
    name: str | None = None
    target: str | None = None
    kernels: str | None = None
    frames: tuple[str, ...] = ()
    contacts: bool = True
    reference: bool = False
    lanes: bool = False
    dtype: str = "float64"
    parameters: tuple[str, ...] = ()
    wasm: bool = False

    @property
    def selection(self) -> Selection:
        """A compiled model has all kernels: its methods offer every route. ModelError for some kernels of it, and for
        slower routes where there are none to add."""
        if self.reference and self.dtype != "float64":
            raise ModelError("--reference gives what computes with doubles: leave out one of --reference and --dtype")
        if self.kernels is None:
            every = self.reference or self.target is not None
            return replace(ALL if every else LEAN, lanes=self.lanes, frames=self.frames, dtype=self.dtype)
        if self.target is not None:
            raise ModelError("--kernels gives C to be taken away, --compile the whole model: leave out one of them")
        if self.reference:
            raise ModelError(
                "--kernels gives some kernels alone: name those of --reference among them, such as mass_matrix_cog, or "
                "leave out one of the two"
            )
        names = tuple(part for name in self.kernels.split(",") if (part := name.strip()))
        if not names:
            raise ModelError("--kernels: give names of kernels, such as --kernels bias,mass_matrix")
        return Selection(names, lanes=self.lanes, frames=self.frames, dtype=self.dtype)


def target_of(target: str, *, compiled: bool) -> str | None:
    """What the model is compiled for, None: nothing. ModelError for a processor without --compile."""
    if not compiled and target != "native":
        raise ModelError(f"--target {target} says what --compile compiles for: add --compile, or leave it out")
    return target if compiled else None


def run(model: str, output: Path, asked: Asked) -> None:
    """Write C files, header and manifest into `output`; with a target all of the compiled model.

    All are put in place when all are written. Other models in that folder stay, with which it shares the library; what
    an earlier generation of this one left and is not written now goes.
    """
    selection, target = asked.selection, asked.target
    if asked.wasm and selection.single:
        raise ModelError("--wasm gives the time step, which computes with doubles: leave out one of --wasm and --dtype")
    mechanism = read_model(model, asked.root, asked.name, asked.parameters)
    check_folder(output)
    with activity("deriving") as advance:
        sources, deriving = generate_timed(mechanism, advance, contacts=asked.contacts, selection=selection)
    prefix = sources.manifest.prefix
    manifest_file = MANIFEST_FILE if target else f"{prefix}_{MANIFEST_FILE}"
    texts = {**sources.files, manifest_file: sources.manifest.to_json()}
    _require_apart(output, sources, compiled=target is not None)
    wasm = _wasm(mechanism, asked) if asked.wasm else {}
    make_folder(output)
    if target is None:
        placed: dict[str, bytes | Path] = {name: text.encode() for name, text in texts.items()}
    else:
        placed = dict(_files(build(sources, target=target, progress=True)))
    placed |= wasm
    stale = _stale(output, prefix, placed, compiled=target is not None)
    write_together(output, placed)
    texts |= {name: content.decode() for name, content in wasm.items() if not name.endswith(".wasm")}
    for name in stale:
        (output / name).unlink()
    written = table(f"{escape(mechanism.name)} in {escape(str(output))}", "file", "lines", "kB", right=("lines", "kB"))
    for file, text in texts.items():
        written.add_row(file, str(text.count("\n")), f"{len(text) / 1e3:.1f}")
    made = f"derived and printed in {seconds(deriving)}"
    show(written, made, *_removed(stale), _how_to_build(sources.manifest, output, target))


def _require_apart(output: Path, sources: Sources, *, compiled: bool) -> None:
    """ModelError for another model in the folder that has files, the prefix, or names in C of this one.

    `compiled`: this one takes the place of the compiled model there.
    """
    manifest = sources.manifest
    own = {file: text for file, text in sources.files.items() if not file.startswith(f"{FOLDER}/")}
    whole = () if compiled else (output / MANIFEST_FILE,)
    for path in (*whole, *sorted(output.glob(f"*_{MANIFEST_FILE}"))):
        prefix, files, name = _listed(path)
        listed = [file for file in files if not file.startswith(f"{FOLDER}/")]
        shared = sorted(own.keys() & listed)
        if (shared and prefix != manifest.prefix) or (prefix == manifest.prefix and name not in ("", manifest.name)):
            raise ModelError(
                f"{output}: the files of model {shown(name)} there would be replaced by those of "
                f"{shown(manifest.name)} ({', '.join(shared[:3]) or path.name}); give another folder, or another name "
                "by --name"
            )
        if prefix != manifest.prefix and (alike := _alike(output, listed, prefix, own.values(), manifest.prefix)):
            raise ModelError(
                f"{output}: model {shown(name)} there and {shown(manifest.name)} would have the same names in C "
                f"({', '.join(alike[:3])}); give another folder, or by --name a name that does not begin as the other's"
            )


def _alike(output: Path, listed: Iterable[str], prefix: str, texts: Iterable[str], own: str) -> list[str]:
    """Names in C that begin with both prefixes and stand in files of both models, which each defines for itself."""
    longer, shorter = sorted((prefix, own), key=len, reverse=True)
    if not longer.startswith(f"{shorter}_"):
        return []
    names = re.compile(rf"\b{re.escape(longer)}_\w+", re.IGNORECASE)
    mine = {name for text in texts for name in names.findall(text)}
    there = (read_bytes(output / file).decode(errors="replace") for file in listed if (output / file).is_file())
    return sorted(mine.intersection(name for text in there for name in names.findall(text)))


def _stale(output: Path, prefix: str, written: Collection[str], *, compiled: bool = False) -> list[str]:
    """The files in a folder that no manifest in it will list once these are written, its former manifests, and a
    module of WebAssembly that was made with them.

    Of a compiled model there, of which a folder holds one, all that was made for it goes with its C: where it is this
    one, or is replaced by this one (`compiled`).
    """
    left, kept = {f"{prefix}_{MANIFEST_FILE}"}, set(written)
    for path in (output / MANIFEST_FILE, *output.glob(f"*_{MANIFEST_FILE}")):
        owner, listed, _ = _listed(path)
        whole = path.name == MANIFEST_FILE
        goes = owner == prefix or (compiled and whole)
        (left if goes else kept).update(listed)
        if goes:
            left.update(_module(output, owner))
        if goes and whole:
            with suppress(KinegenError):  # there is none, or one that nobody can load
                left.update(BuildRecord.read(output).digests, (MANIFEST_FILE, RECORD_FILE))
    return sorted(name for name in left - kept if (output / name).is_file())


def _module(output: Path, prefix: str) -> list[str]:
    """The files that `_wasm` gives, if those of these names in the folder are such."""
    with suppress(ModelError):  # there is none
        if prefix.isidentifier() and read_bytes(output / f"{prefix}.js").endswith(LOADS.encode()):
            return [f"{prefix}.{suffix}" for suffix in SUFFIXES]
    return []


def _files(folder: Path) -> dict[str, Path]:
    """All of a compiled model but its seal, by their paths in its folder."""
    found = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: path for name, path in found.items() if name != SEAL_FILE}


def _removed(stale: Sequence[str]) -> list[str]:
    """What is said of them: names of the model's own files, of those of the library how many."""
    own = [escape(name) for name in stale if not name.startswith(f"{FOLDER}/")]
    library = [f"{len(stale) - len(own)} files of {FOLDER}/"] if len(own) < len(stale) else []
    return [f"removed, left by an earlier generation: {', '.join([*own, *library])}"] if stale else []


def _listed(manifest: Path) -> tuple[str, Iterator[str], str]:
    """The prefix of a model, the C files below the folder of its manifest, its name; of any version of kinegen."""
    try:
        told = json.loads(read_bytes(manifest))
        prefix, name = str(told["prefix"]), told.get("name", "")
        sources = [PurePosixPath(path) for path in told["sources"]]
    except (ModelError, OSError, ValueError, KeyError, TypeError):  # none, or not kinegen's
        return "", iter(()), ""
    inside = (path for path in sources if not path.is_absolute() and ".." not in path.parts)
    return prefix, (str(path) for path in inside if path.suffix in (".c", ".h")), name


def _wasm(mechanism: Mechanism, asked: Asked) -> dict[str, bytes]:
    """The files of a module of WebAssembly, and of JavaScript that calls it. ModelError without all parameters."""
    with activity("compiling for WebAssembly"):
        simulator = Simulator(compile(mechanism, contacts=asked.contacts))
        return wrapped_module(simulator, wasm_of(simulator.model))


def _how_to_build(manifest: Manifest, output: Path, target: str | None) -> str:
    if target is not None:
        opened = "load" if manifest.dtype == "float64" else "SingleModel.load"
        return escape(f"run it: kinegen.runtime.{opened}({json.dumps(str(output), ensure_ascii=False)})")
    files = " ".join(name for name in manifest.sources if name.endswith(".c"))
    return escape(f"build it: cd {quote(str(output))} && cc -std=c99 -O2 -c {files}")
