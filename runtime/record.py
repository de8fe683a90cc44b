"""How a model was compiled: what must be known before its code may run. Written by the build, read by the loader."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from .errors import BuildError, ModelError
from .trust.private import opened, read_file

RECORD_FILE = "record.json"
MANIFEST_FILE = "manifest.json"

PYTHON_TAG = EXTENSION_SUFFIXES[0].strip(".").removesuffix(".so")
"""The Python that an extension module is compiled for, such as `cpython-311-x86_64-linux-gnu`."""

PLATFORM_TAG = f"{sys.platform}-{os.uname().machine}"
"""The platform that a plain shared library is compiled for, such as `linux-x86_64`."""


@dataclass(frozen=True)
class BuildRecord:
    """One compiled model. `module` is the file Python imports; `library` the plain shared library it opens, or empty.

    `tag` is PYTHON_TAG for an extension module and PLATFORM_TAG for a plain library; `requires` holds the processor's
    features, as /proc/cpuinfo calls them, that the code makes use of; `digests` the SHA-256 of each file of the folder.
    """

    key: str
    tag: str
    module: str
    library: str
    requires: tuple[str, ...]
    compiler: str
    target: str
    digests: dict[str, str]

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1, sort_keys=True) + "\n"

    @staticmethod
    def read(folder: Path) -> BuildRecord:
        """The record in `folder`. ModelError if there is none, BuildError if it is damaged."""
        try:
            with opened(folder) as at:
                text = read_file(at, RECORD_FILE)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ModelError(not_a_model(folder)) from error
        except (OSError, ValueError, BuildError) as error:
            raise BuildError(f"{folder / RECORD_FILE} cannot be read ({error}): compile the model again") from error
        return BuildRecord.from_json(text, folder)

    @staticmethod
    def from_json(text: bytes, folder: Path) -> BuildRecord:
        """The record that was found in `folder`. BuildError if it is damaged or names files elsewhere."""
        try:
            data = json.loads(text)
            record = BuildRecord(**{**data, "requires": tuple(data["requires"]), "digests": dict(data["digests"])})
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise BuildError(f"{folder / RECORD_FILE} is damaged ({error}): compile the model again") from error
        if not record._holds_texts():
            raise BuildError(f"{folder / RECORD_FILE} is damaged (not all of it is text): compile the model again")
        plain = (record.module, record.library or record.module)
        if not all(map(is_file_name, (*plain, *record.digests))) or "/" in "".join(plain):
            raise BuildError(f"{folder / RECORD_FILE} names files outside its folder: compile the model again")
        return record

    def _holds_texts(self) -> bool:
        names = (self.key, self.tag, self.module, self.library, self.compiler, self.target)
        return all(isinstance(x, str) for x in (*names, *self.requires, *self.digests, *self.digests.values()))

    def loaded_files(self) -> tuple[str, ...]:
        """The files that running the model needs, the manifest among them."""
        return (MANIFEST_FILE, self.module, *([self.library] if self.library else []))

    def damage(self, at: int, files: Iterable[str], *, own: bool = False) -> str:
        """What is wrong with these files of the open folder `at`, in words; empty if each has the digest recorded.

        `own`: only we may have written them, see `private.opened_file`.
        """
        for name in files:
            try:
                if wrong := self.mismatch(name, read_file(at, name, own=own)):
                    return wrong
            except OSError as error:
                return f"{name} cannot be read ({error.strerror})"
        return ""

    def mismatch(self, name: str, data: bytes) -> str:
        """What is wrong with a file of that content, in words; empty if it has the digest recorded."""
        return "" if digest(data) == self.digests.get(name) else f"{name} is not the file that was compiled"

    def misfit(self) -> str:
        """Why this Python or this machine cannot run the model, in words; empty if it can."""
        if self.tag not in (PYTHON_TAG, PLATFORM_TAG):
            return f"it was compiled for {self.tag}, this is {PYTHON_TAG} on {PLATFORM_TAG}"
        present = processor_features()
        missing = sorted(set(self.requires) - present) if present else []
        return f"it was compiled for a processor with {', '.join(missing)}, which this one lacks" if missing else ""


def is_file_name(name: str) -> bool:
    """Whether a file of a compiled model may be called so: in its folder, or in a folder of kinegen/ below it."""
    return re.fullmatch(r"(kinegen/[a-z0-9_]+/)?[A-Za-z0-9_][A-Za-z0-9_.-]*", name) is not None


def not_a_model(folder: Path) -> str:
    """What is said of a folder without a record."""
    return f"'{folder}' is not a compiled model: it has no {RECORD_FILE} (if it was in the cache, compile it again)"


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def processors() -> int:
    """The processors that this process may use, which in a container are often fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor_features() -> frozenset[str]:
    """Instruction set extensions of this processor as Linux names them; empty where the system does not tell."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name.strip() in ("flags", "Features"):
                    return frozenset(value.split())
    except OSError:
        pass
    return frozenset()
