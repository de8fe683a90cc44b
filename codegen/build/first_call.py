"""A program of its own: open a compiled module and call its kernels, so that a crash takes nobody along.

It is run without site packages, by its text. Standard input is one object in JSON: `path` and `name` of the module,
`library` (the plain library that a module in Python opens, else ""), `backend` (the folder of cffi's backend), and
`calls`, each [function, arrays given, lengths of the arrays it fills]. The arrays filled go to standard output.
"""

import json
import sys


def opened(path: str, name: str, library: str):  # type: ignore[no-untyped-def]
    """cffi's `ffi` and `lib`."""
    if library:
        names = {"__name__": name}
        with open(path, "rb") as text:
            exec(compile(text.read(), path, "exec"), names)
        return names["ffi"], names["ffi"].dlopen(library)  # type: ignore[attr-defined]
    from importlib.machinery import ExtensionFileLoader, ModuleSpec
    from importlib.util import module_from_spec

    loader = ExtensionFileLoader(name, path)
    module = module_from_spec(ModuleSpec(name, loader, origin=path))
    loader.exec_module(module)
    return module.ffi, module.lib


def main() -> None:
    asked = json.load(sys.stdin)
    sys.path.append(asked["backend"])
    ffi, lib = opened(asked["path"], asked["name"], asked["library"])
    results = []
    for function, given, lengths in asked["calls"]:
        filled = [ffi.new("double[]", length) for length in lengths]
        getattr(lib, function)(*(ffi.new("double[]", values) for values in given), *filled)
        results.append([list(array) for array in filled])
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
