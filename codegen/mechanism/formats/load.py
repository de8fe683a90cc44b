"""Files -> mechanisms: one reader a format, chosen by suffix."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal, Protocol

from kinegen.runtime.errors import FileWarning, ModelError, shown, warn
from kinegen.runtime.files import in_file

from ..mechanism import Mechanism
from ..structure.merge import merge_fixed
from .each_mesh import each_mesh
from .mjcf.reader import read_mjcf
from .sdf.reader import read_sdf
from .toml.reader import read_toml
from .urdf import read_urdf
from .xml_input import XACRO


class Reader(Protocol):
    """File -> the mechanism in it, unmerged and with its inertias unjudged."""

    def __call__(self, file: Path, *, root: str, mimic: str) -> Mechanism: ...


READERS: dict[str, Reader] = {
    ".urdf": read_urdf,
    ".sdf": read_sdf,
    ".xml": read_mjcf,
    ".mjcf": read_mjcf,
    ".toml": read_toml,
}
CHOICES: dict[str, tuple[str, ...]] = {
    "root": ("fixed", "free"),
    "mimic": ("exact", "independent"),
    "unphysical": ("warn", "error", "allow"),
}


def load(
    path: str | Path,
    *,
    root: Literal["fixed", "free"] = "fixed",
    mimic: Literal["exact", "independent"] = "exact",
    merge: bool = True,
    name: str | None = None,
    unphysical: Literal["warn", "error", "allow"] = "warn",
) -> Mechanism:
    """The mechanism that a file describes: URDF (.urdf), SDF (.sdf), MJCF (.xml, .mjcf) or kinegen's own
    TOML (.toml, see `kinegen.codegen.mechanism.formats.toml.reader`).

    `root`: hold the root link to world, or let it float on a free joint "root_joint" (q and v as Pinocchio's), if the
    file itself says neither. SDF: of several models, or links apart, "fixed" holds the first that nothing holds, which
    a warning tells, and the others float; with "free" all float, as in Gazebo.
    `mimic`: follow mimic joints, gearboxes and joint equalities exactly (the follower has no entry in q and v), or take
    them as independent joints.
    `merge`: links held by fixed joints become one, their names stay as frames; links held to world become parts of it,
    without mass: merge=False for a robot that is to hang on another (`combine`). Where nothing moves at all every link
    stays (a lone body floats with root="free"). `name` instead of the one in the file.
    `unphysical`: inertias that no body can have. "warn" refuses negative moments and warns of the rest (files round),
    "error" refuses all, "allow" takes all as they are.
    ModelError names file, line and element, also of what moves bodies in MJCF or SDF and is not modelled; a warning
    tells of what is left out of URDF and of contact.
    """
    for option, value in (("root", root), ("mimic", mimic), ("unphysical", unphysical)):
        if not isinstance(value, str) or value not in CHOICES[option]:
            raise ModelError(f"load: {option} must be one of {CHOICES[option]}, got {shown(value)}")
    if not isinstance(merge, bool):
        raise ModelError(f"load: merge must be True or False, got {shown(merge)}")
    file = _file(path)
    with in_file(file):
        mechanism = _at_home(READERS[file.suffix.lower()](file, root=root, mimic=mimic), file)
        if name is not None:
            mechanism = replace(mechanism, name=name)
        if merge:
            mechanism = merge_fixed(mechanism)
        return _judged(mechanism, file, unphysical)


def _file(path: str | Path) -> Path:
    """The path, if a reader knows its suffix."""
    if not isinstance(path, (str, Path)):
        raise ModelError(f"load: path must be a string or a Path, got {shown(path)}")
    file = Path(path)
    if file.suffix.lower() == ".xacro":
        raise ModelError(f"{file}: {XACRO}")
    if file.suffix.lower() not in READERS:
        if file.is_dir():
            raise ModelError(f"{file}: is a folder; give a file ({', '.join(READERS)})")
        raise ModelError(f"{file}: no reader for '{file.suffix}' files; supported: {', '.join(READERS)}")
    return file


def _at_home(mechanism: Mechanism, file: Path) -> Mechanism:
    """Meshes are looked up about the file; taken as their hulls if not convex, in TOML only if it says so."""
    folder, hull = str(file.resolve().parent), file.suffix.lower() != ".toml"
    return each_mesh(mechanism, lambda mesh: replace(mesh, hull=hull or mesh.hull, folder=folder))


def _judged(mechanism: Mechanism, file: Path, unphysical: str) -> Mechanism:
    """Inertias that no body can have: refused, warned of or taken. Where there are none, none may be put in later."""
    defects = [(link, defect) for link in mechanism.links if (defect := link.defect())]
    if not defects:
        return replace(mechanism, unphysical="error")
    for link, defect in defects if unphysical != "allow" else ():
        if unphysical == "error" or defect.grave:
            raise ModelError(
                f"link '{link.name}' cannot exist: {defect.text}; check its mass and inertia, "
                "or load with unphysical='allow'"
            )
    if unphysical == "warn":
        names = ", ".join(f"'{link.name}' ({defect.text})" for link, defect in defects)
        warn(f"{file}: links with inertias that no body can have: {names}", FileWarning)
    return mechanism
