"""Trajectories as npz files: arrays and JSON text, never pickles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ...abi import JointSpec, Manifest
from ...arguments import Array
from ...contact.contacts import ContactHistory
from ...errors import ModelError
from ...files import in_file, written
from ...kinds import KINDS
from .npz import LARGEST, read_npz

FORMAT = "kinegen trajectory 1"

NEEDED = ("about", "t", "q", "v", "tau")
ARRAYS = (*NEEDED, "cut_tau", "structures", "structure_of", "work", "energy", "momentum")
CONTACTS = "contact_"


def write_trajectory(
    path: str | PathLike[str],
    name: str,
    joints: Sequence[JointSpec],
    events: Sequence[tuple[float, str, str]],
    t: Array,
    q: Array,
    v: Array,
    tau: Array,
    extra: Mapping[str, Array],
) -> None:
    """Write exactly `path`; ModelError for another suffix than .npz, and if that is impossible."""
    if Path(path).suffix.lower() != ".npz":
        raise ModelError(f"{path}: motions are written as .npz files; choose that suffix")
    about = {"format": FORMAT, "name": name, "joints": [asdict(joint) for joint in joints], "events": list(events)}
    arrays: dict[str, Any] = {"t": t, "q": q, "v": v, "tau": tau, **extra}
    told = np.array(json.dumps(about))
    with written(path) as draft, open(draft, "wb") as file:
        np.savez_compressed(file, about=told, **arrays)


def read_trajectory(path: str | PathLike[str], largest: int = LARGEST) -> dict[str, Any]:
    """Arguments of `Trajectory`. ModelError if the file cannot be read or was not written by `write_trajectory`."""
    arrays = read_npz(path, lambda name: name in ARRAYS or name.startswith(CONTACTS), largest)
    with in_file(path):
        missing = [name for name in NEEDED if name not in arrays]
        if missing:
            what = "is damaged, its end is missing" if "about" in arrays else "is no trajectory that kinegen wrote"
            raise ModelError(f"{what}: array '{missing[0]}' is missing")
        told = _about(str(arrays.pop("about")))
        contacts = {name: arrays.pop(name) for name in list(arrays) if name.startswith(CONTACTS)}
        return {**arrays, "contacts": ContactHistory.from_arrays(contacts) if contacts else None, **told}


def require_motion_of(manifest: Manifest, name: str, joints: Sequence[JointSpec]) -> None:
    """ModelError if a trajectory called `name` is none of that model, by names, kinds and places of its joints."""
    if _layout(joints) != _layout(manifest.joints):
        has, known = _names(joints), _names(manifest.joints)
        raise ModelError(f"is a motion of '{name}' with joints {has}: not of model '{manifest.name}' with {known}")


def require_structures_of(manifest: Manifest, structures: Array | None) -> None:
    """ModelError if parameters (k, P) of a motion, which tell what was connected, are as many as that model has not."""
    count = len(manifest.parameters)
    if structures is not None and structures.shape[1] != count:
        raise ModelError(
            f"the motion has {structures.shape[1]} parameters, which tell what was connected, and model "
            f"'{manifest.name}' has {count}: give what moved, the library or scene"
        )


def _names(joints: Sequence[JointSpec]) -> str:
    return ", ".join(joint.name for joint in joints if joint.nv)


def _layout(joints: Sequence[JointSpec]) -> list[tuple[str, str, int, int]]:
    return [(joint.name, joint.kind, joint.q_start, joint.v_start) for joint in joints if joint.nv]


def _about(text: str) -> dict[str, Any]:
    """Name, joints and events. ModelError unless they are what `write_trajectory` writes."""
    try:
        about = json.loads(text)
        if about["format"] != FORMAT:
            raise ModelError(f"is no trajectory of format '{FORMAT}'")
        joints = tuple(_joint(joint) for joint in about["joints"])
        events = tuple((float(t), str(what), str(to)) for t, what, to in about["events"])
        return {"name": str(about["name"]), "joints": joints, "events": events}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"is no trajectory that kinegen wrote: array 'about' ({error})") from error


def _joint(data: dict[str, Any]) -> JointSpec:
    """ModelError for what no joint is: names that are no text, sizes other than its kind's, places below 0."""
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    joint = JointSpec(**values)
    texts = all(isinstance(getattr(joint, key), str) for key in ("name", "kind", "parent", "child"))
    kind = KINDS.get(joint.kind) if texts else None
    whole = all(type(getattr(joint, key)) is int for key in ("q_start", "nq", "v_start", "nv"))
    if kind is None or not whole or (joint.nq, joint.nv) != (kind.nq, kind.nv) or min(joint.q_start, joint.v_start) < 0:
        raise ModelError(f"is no trajectory that kinegen wrote: joint {joint.name!r} is none")
    for field, size in zip(("lower", "upper", "velocity", "effort"), (kind.nq, kind.nq, kind.nv, kind.nv), strict=True):
        bounds = getattr(joint, field)
        if not isinstance(bounds, tuple) or len(bounds) != size or not all(type(x) in (int, float) for x in bounds):
            raise ModelError(f"is no trajectory that kinegen wrote: {field} of joint {joint.name!r}")
    return joint
