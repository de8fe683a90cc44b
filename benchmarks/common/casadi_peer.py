"""Pinocchio's inverse dynamics in CasADi, as expressions and as CasADi's C of them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import casadi

from common import peer
from kinegen.codegen.build.toolchain import FLAGS, find_toolchain


def pinocchio_function(urdf: Path) -> Any:
    """(q, v, a) → τ in SX, made by Pinocchio's C++ on CasADi's scalars and handed over in a file."""
    folder = Path(casadi.__file__).parent
    flags = casadi.CasadiMeta.compiler_flags().split()  # macros decide how CasADi's classes are laid out
    options = ["-O0", *(flag for flag in flags if flag.startswith("-D")), f"-I{folder}/include"]
    binary = peer.build("pinocchio_casadi", [*options, f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}"])
    found = peer.OUT / f"{urdf.stem}.casadi"
    subprocess.run([str(binary), str(peer.dump(urdf, False)), str(found)], check=True)
    return casadi.Function.load(str(found))


def printed(function: Any, name: str) -> Any:
    """An SX function as CasADi's C under this name, with its Jacobian, its gradient and the gradient's Jacobian.

    Compiled with kinegen's flags but -O3, once.
    """
    toolchain, text, library = find_toolchain(), f"{name}.c", peer.OUT / f"{name}.so"
    inputs = function.sx_in()
    named = casadi.Function(name, inputs, function.call(inputs), function.name_in(), function.name_out())
    gradient = named.reverse(1)
    code = casadi.CodeGenerator(name)
    for each in (named, named.jacobian(), gradient, gradient.jacobian()):
        code.add(each)
    source, written = code.dump(), peer.OUT / text
    if not library.exists() or not written.exists() or written.read_text() != source:
        library.unlink(missing_ok=True)
        written.write_text(source)
        flags = [*toolchain.architecture, *FLAGS, "-O3", *toolchain.tuning]
        command = [*toolchain.command, *flags, "-shared", text, "-lm", "-o", library.name]
        subprocess.run(command, cwd=peer.OUT, check=True)
    return casadi.external(name, str(library))
