"""A program of its own: open a compiled module and call its kernels, so that a crash takes nobody along.

It is run by its text, without site packages, and imports little: it starts in the time that JSON alone would need.
Standard input is one object written by `marshal`: `path` and `name` of the module, `library` (the plain library that a
module in Python opens, else ""), `backend` (the folder of cffi's backend), `array` (type of its arrays in C), and
`calls`, each (function, arrays and whole numbers given, lengths of the arrays it fills, whole numbers given behind
those). The bytes of the arrays filled go to standard output.
"""

import marshal
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec


def opened(path: str, name: str, library: str):  # type: ignore[no-untyped-def]
    """cffi's `ffi` and `lib`."""
    if library:
        names = {"__name__": name}
        with open(path, "rb") as text:
            exec(compile(text.read(), path, "exec"), names)
        return names["ffi"], names["ffi"].dlopen(library)  # type: ignore[attr-defined]
    loader = ExtensionFileLoader(name, path)
    module = loader.create_module(ModuleSpec(name, loader, origin=path))
    loader.exec_module(module)
    return module.ffi, module.lib


def called(asked):  # type: ignore[no-untyped-def]
    """The bytes of the arrays that each call fills: numbers of a large matrix are no objects here."""
    ffi, lib = opened(asked["path"], asked["name"], asked["library"])
    results = []
    for function, given, lengths, last in asked["calls"]:
        filled = [ffi.new(asked["array"], length) for length in lengths]
        passed = [ffi.new(asked["array"], values) if type(values) is list else values for values in given]
        getattr(lib, function)(*passed, *filled, *last)
        results.append([bytes(ffi.buffer(array)) for array in filled])
    return results


if __name__ == "__main__":
    given = marshal.load(sys.stdin.buffer)
    sys.path.append(given["backend"])
    marshal.dump(called(given), sys.stdout.buffer)  # type: ignore[no-untyped-call]
