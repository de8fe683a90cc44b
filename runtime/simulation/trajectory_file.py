"""Trajectories as npz files: arrays and JSON text, never pickles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ..abi import JointSpec
from ..arguments import Array
from ..contact.contacts import ContactHistory
from ..errors import ModelError

FORMAT = "kinegen trajectory 1"

ARRAYS = ("t", "q", "v", "tau", "cut_tau", "structures", "structure_of", "energy", "momentum")


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
    """Write exactly `path`; ModelError if that is impossible."""
    about = {"format": FORMAT, "name": name, "joints": [asdict(joint) for joint in joints], "events": list(events)}
    try:
        with open(path, "wb") as file:
            arrays: dict[str, Any] = {"t": t, "q": q, "v": v, "tau": tau, **extra}
            np.savez_compressed(file, about=np.array(json.dumps(about)), **arrays)
    except OSError as error:
        raise ModelError(f"cannot write {path}: {error.strerror}") from error


def read_trajectory(path: str | PathLike[str]) -> dict[str, Any]:
    """Arguments of `Trajectory`. ModelError if the file cannot be read or was not written by `write_trajectory`."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in ARRAYS if key in file}
            about = json.loads(str(file["about"]))
            keys = [key for key in file if key.startswith("contact_")]
            contacts = ContactHistory.from_arrays({key: file[key] for key in keys}) if keys else None
        if about["format"] != FORMAT or not {"t", "q", "v", "tau"} <= arrays.keys():
            raise ModelError(f"not a trajectory of format '{FORMAT}'")
        joints = tuple(_joint(joint) for joint in about["joints"])
        events = tuple((float(t), str(what), str(to)) for t, what, to in about["events"])
        return {**arrays, "contacts": contacts, "name": str(about["name"]), "joints": joints, "events": events}
    except OSError as error:
        raise ModelError(f"cannot be read ({error.strerror or error})") from error
    except (ValueError, KeyError, TypeError, EOFError, AttributeError, BadZipFile) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"not a trajectory that kinegen wrote ({error})") from error


def _joint(data: dict[str, Any]) -> JointSpec:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    return JointSpec(**fields)
