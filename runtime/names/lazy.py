"""Names of a package that are imported when they are first used (Scientific Python SPEC 1)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy(
    package: str, homes: Mapping[str, Sequence[str]], modules: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package: `homes` gives the names that stand in a module, `modules` those that
    are modules themselves; modules as `import_module` takes them, from the package. `__dir__` tells no imports.
    """
    known: dict[str, tuple[str, str | None]] = {name: (home, name) for home, names in homes.items() for name in names}
    known |= {name: (home, None) for name, home in (modules or {}).items()}
    names = vars(sys.modules[package])

    def found(name: str) -> Any:
        if name not in known:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, inner = known[name]
        module = import_module(home, package)
        names[name] = getattr(module, inner) if inner else module  # not asked for again
        return names[name]

    said = (*known, *names.get("__all__", ()))
    return found, lambda: sorted({*said, *(name for name in names if name.startswith("__"))})
