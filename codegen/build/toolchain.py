"""Which C compiler, for which processor, for which Python: everything but the text that decides what a build gives."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from kinegen.runtime.errors import BuildError, ModelError
from kinegen.runtime.record import PLATFORM_TAG, PYTHON_TAG, digest, processor_features

from .notes import read_note, write_note
from .run import run_compiler

# errno and floating-point traps are never read, and without them sqrt and selects become vector code; NaN is kept
FLAGS = ("-O2", "-fPIC", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")
# straight-line code: gathering scalars into short vectors costs more moves than it saves, free registers are worth
# more; nothing is stored in vain, and to look for that takes a sixth of the compiler's time
GCC_FLAGS = (
    *("-fno-tree-slp-vectorize", "-frename-registers", "-fno-dse", "-fno-tree-dse", "-mtune=generic"),
    # functions of thousands of statements: what is looked at anew for each of them is few, a tenth of GCC's time less
    # and more; the code is nearly the same, as long and as fast
    *(f"--param={what}" for what in ("lra-max-considered-reload-pseudos=3", "max-cselib-memory-locations=20")),
    "--param=max-combine-insns=2",
)
# arrays are cleared by vectors: instructions that repeat take 15 ns to begin; beyond a kilobyte by libc, which writes
# up to twice as much at once
GCC_X86_FLAGS = ("-mmemset-strategy=vector_loop:1024:noalign,libcall:-1:noalign",)

# predefined macro -> the name in /proc/cpuinfo of an instruction set extension that compilers use unasked
FEATURES = {
    "__SSE3__": "pni",
    "__SSSE3__": "ssse3",
    "__SSE4_1__": "sse4_1",
    "__SSE4_2__": "sse4_2",
    "__POPCNT__": "popcnt",
    "__MOVBE__": "movbe",
    "__LZCNT__": "abm",
    "__F16C__": "f16c",
    "__FMA__": "fma",
    "__BMI__": "bmi1",
    "__BMI2__": "bmi2",
    "__AVX__": "avx",
    "__AVX2__": "avx2",
    "__AVX512F__": "avx512f",
    "__AVX512CD__": "avx512cd",
    "__AVX512DQ__": "avx512dq",
    "__AVX512BW__": "avx512bw",
    "__AVX512VL__": "avx512vl",
    "__AVX512IFMA__": "avx512ifma",
    "__AVX512VBMI__": "avx512vbmi",
    "__AVX512VBMI2__": "avx512_vbmi2",
    "__AVX512VNNI__": "avx512_vnni",
    "__AVX512BITALG__": "avx512_bitalg",
    "__AVX512VPOPCNTDQ__": "avx512_vpopcntdq",
    "__AVX512FP16__": "avx512_fp16",
    "__AVXVNNI__": "avx_vnni",
    "__GFNI__": "gfni",
    "__FMA4__": "fma4",
    "__XOP__": "xop",
    "__TBM__": "tbm",
    "__ARM_FEATURE_ATOMICS": "atomics",
    "__ARM_FEATURE_SVE": "sve",
    "__ARM_FEATURE_SVE2": "sve2",
}

WASM_TARGET = "wasm32-wasi"
# browsers have had vectors of two doubles since 2021, Safari since 2023
WASM_ARCHITECTURE = ("-target", WASM_TARGET, "-msimd128")

NOTES = "compilers"


@dataclass(frozen=True)
class Toolchain:
    """A compiler set for one target. `identity` is a digest of its version and of what the target resolved to.

    `include` is the folder of Python.h; where it is None, models are compiled as plain libraries that need no headers.
    """

    command: tuple[str, ...]
    target: str
    architecture: tuple[str, ...]
    tuning: tuple[str, ...]
    identity: str
    requires: tuple[str, ...]
    include: str | None

    @property
    def tag(self) -> str:
        """The Python or platform tag of what it compiles."""
        return PLATFORM_TAG if self.include is None else PYTHON_TAG

    @property
    def name(self) -> str:
        return shlex.join(self.command)


def find_toolchain(target: str = "native", cache: Path | None = None) -> Toolchain:
    """The toolchain for `target`: "native", or any value of the compiler's -march.

    Asking a compiler what it is takes a tenth of a second; the answer is kept in `cache`, an open one, while the
    compiler's file and the processor stay the same. ModelError for a `target` that cannot be the name of a processor,
    BuildError if there is no compiler or it does not know the target.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]*", target):
        raise ModelError(f"target must be 'native' or a processor name such as 'x86-64-v3', not {target!r}")
    command = find_compiler(os.environ)
    architecture = architecture_flags(command, target)
    note = _fingerprint(command, target)
    known = _recall(read_note(cache, NOTES, note)) if cache else None
    probe = known or _probe(command, architecture, target)
    if cache and not known:
        write_note(cache, NOTES, note, asdict(probe))
    tuning = (*probe.tuning, *_extra_flags(os.environ))
    return Toolchain(command, target, architecture, tuning, probe.identity, probe.requires, python_include())


def _extra_flags(environ: Mapping[str, str]) -> tuple[str, ...]:
    """$KINEGEN_CFLAGS, which come last: such as "-O0 -g" to step through the C, or "-O1" to compile it faster."""
    given = environ.get("KINEGEN_CFLAGS", "")
    try:
        return tuple(shlex.split(given))
    except ValueError as error:
        raise BuildError(f'KINEGEN_CFLAGS is "{given}", which cannot be read ({error}): correct or unset it') from error


def find_compiler(environ: Mapping[str, str]) -> tuple[str, ...]:
    """$CC, else cc, gcc or clang on PATH, else the compiler in the ziglang package; BuildError if there is none."""
    path = environ.get("PATH")
    try:
        chosen = shlex.split(environ.get("CC", ""))
    except ValueError as error:
        raise BuildError(f'CC is "{environ["CC"]}", which cannot be read ({error}): correct or unset CC') from error
    if chosen:
        if not (name := _program(chosen[0], path)):
            raise BuildError(f"CC is '{environ['CC']}', but there is no program '{chosen[0]}': correct or unset CC")
        return (name, *chosen[1:])
    for known in ("cc", "gcc", "clang"):
        if name := _program(known, path):
            return (name,)
    if zig := zig_package():
        return zig
    raise BuildError(
        "no C compiler found (looked for $CC, cc, gcc, clang): "
        "`pip install 'kinegen[cc]'` brings one, or install gcc (Debian: `apt install gcc libc6-dev`)"
    )


def find_wasm_toolchain(cache: Path | None = None) -> Toolchain:
    """The compiler that makes WebAssembly: that of the ziglang package, else zig on PATH; BuildError if there is none.

    It brings a C library with it, so that sines and cosines are the same numbers in every browser; those of JavaScript
    are not told to the last bit. `cache` as in `find_toolchain`.
    """
    command = zig_package() or (("zig", "cc") if shutil.which("zig") else ())
    if not command:
        raise BuildError(
            "no compiler found that makes WebAssembly (looked for the package ziglang, and zig on PATH): "
            "`pip install 'kinegen[cc]'` brings one"
        )
    note = _fingerprint(command, WASM_TARGET)
    known = read_note(cache, NOTES, note) if cache else None
    version = known if isinstance(known, str) else run_compiler(command, ["--version"])
    if cache and version != known:
        write_note(cache, NOTES, note, version)
    return Toolchain(command, WASM_TARGET, WASM_ARCHITECTURE, (), digest(version.encode()), (), None)


def zig_package() -> tuple[str, ...]:
    """The compiler in the ziglang package, () if it is not installed."""
    return (sys.executable, "-m", "ziglang", "cc") if importlib.util.find_spec("ziglang") else ()


def _program(name: str, path: str | None) -> str:
    """How a program is called from any folder: by its name, or by its path where it is found from this folder only."""
    found = shutil.which(name, path=path)
    if found is None:
        return ""
    return name if os.path.isabs(found) else os.path.abspath(found)


def python_include() -> str | None:
    """The folder of Python.h, or None where Python's headers are not installed."""
    include = sysconfig.get_paths()["include"]
    return include if (Path(include) / "Python.h").is_file() else None


def architecture_flags(command: tuple[str, ...], target: str) -> tuple[str, ...]:
    """The flags that select the processor; zig calls -march -mcpu and writes x86_64_v3 for x86-64-v3."""
    if command[-2:] == ("ziglang", "cc") or Path(command[0]).name == "zig":
        return (f"-mcpu={target.replace('-', '_')}",)
    return (f"-march={target}",)


@dataclass(frozen=True)
class _Probe:
    identity: str
    tuning: tuple[str, ...]
    requires: tuple[str, ...]


def _probe(command: tuple[str, ...], architecture: tuple[str, ...], target: str) -> _Probe:
    version = run_compiler(command, ["--version"])
    with TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.c"  # whose ending alone says that it is C, as those of a model
        empty.touch()
        try:
            macros = run_compiler(command, [*architecture, "-dM", "-E", str(empty)])
        except BuildError as error:
            raise BuildError(f"target '{target}' cannot be compiled for: {error}") from error
    defined = {line.split()[1] for line in macros.splitlines() if line.startswith("#define ")}
    if "__STDC__" not in defined:
        raise BuildError(f"'{shlex.join(command)}' is no C compiler: it does not define __STDC__; set CC to one")
    if "__cplusplus" in defined:
        raise BuildError(f"'{shlex.join(command)}' is no C compiler: it takes C for C++; set CC to one")
    requires = {feature for macro, feature in FEATURES.items() if macro in defined}
    if target == "native" and (present := processor_features()):
        requires &= present
    wanted: tuple[str, ...] = () if "__clang__" in defined or "__GNUC__" not in defined else GCC_FLAGS
    if wanted and "__x86_64__" in defined:
        wanted += GCC_X86_FLAGS
    tuning = _understood(command, architecture, wanted)
    return _Probe(digest("\0".join([version, *sorted(macros.splitlines())]).encode()), tuning, tuple(sorted(requires)))


def _understood(command: tuple[str, ...], architecture: tuple[str, ...], flags: tuple[str, ...]) -> tuple[str, ...]:
    """Those flags that this version of the compiler has."""
    try:
        run_compiler(command, [*architecture, *flags, "-E", "-x", "c", os.devnull])
    except BuildError:
        halves = (flags[: len(flags) // 2], flags[len(flags) // 2 :]) if len(flags) > 1 else ()
        return tuple(flag for half in halves for flag in _understood(command, architecture, half))
    return flags


def _fingerprint(command: tuple[str, ...], target: str) -> str:
    """What the answer depends on: the compiler's files, the processor, the target, what it is tuned by."""
    programs = [(p, os.stat(p)) for p in (os.path.realpath(found) for found in map(shutil.which, command) if found)]
    files = [(path, status.st_mtime_ns, status.st_size) for path, status in programs]
    zig = importlib.metadata.version("ziglang") if "ziglang" in command else ""
    tuning = GCC_FLAGS + GCC_X86_FLAGS
    return digest(json.dumps([command, files, zig, target, sorted(processor_features()), tuning]).encode())[:32]


def _recall(note: object) -> _Probe | None:
    try:
        data = note if isinstance(note, dict) else {}
        return _Probe(str(data["identity"]), tuple(map(str, data["tuning"])), tuple(map(str, data["requires"])))
    except (TypeError, KeyError):
        return None
