"""The rooms of the house: who may import whom, no circles, every file in a package that is installed."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ROOMS = {"api": "kinegen", "codegen": "kinegen.codegen", "templates": "kinegen.codegen.templates"}
ROOMS["runtime"] = "kinegen.runtime"

_NAMES = (
    "abi",
    "errors",
    "files",
    "kinds",
    "names.latin",
    "pairs",
    "parts",
    "record",
    "rotations",
    "structs",
    "thresholds",
    "trust.private",
    "trust.seal",
    "typed",
)
CONTRACT = {f"kinegen.runtime.{name}" for name in _NAMES}
"""What code generation and runtime share: manifest, pairs that may touch, errors, files, kinds of joints, names in
Latin letters, records and seals of builds, rotations, files of ours alone, structs, thresholds of loops, types of
arguments."""


def _module(path: Path) -> str:
    room, *inner = path.relative_to(ROOT).with_suffix("").parts
    return ".".join([ROOMS[room], *(part for part in inner if part != "__init__")])


MODULES = {_module(path): path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))}


def _package(module: str) -> str:
    return module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]


def _names(node: ast.AST, package: str) -> Iterator[str]:
    """The modules that an import statement names, `from a import b` as a.b if that is a module and as a if not."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            yield inner if inner in MODULES else base


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What a node holds, without what only the type checker reads."""
    unread = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    yield from () if unread else ast.iter_child_nodes(node)


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(module: str) -> frozenset[str]:
    """Everything that the module imports anywhere in its text when it runs."""
    queue: list[ast.AST] = [_tree(MODULES[module])]
    for node in queue:
        queue.extend(_parts(node))
    return frozenset(name for node in queue for name in _names(node, _package(module)))


@cache
def imports_of_types(module: str) -> frozenset[str]:
    """The same with what only the type checker reads."""
    tree = _tree(MODULES[module])
    return frozenset(name for node in ast.walk(tree) for name in _names(node, _package(module)))


def _unread(module: str) -> list[ast.stmt]:
    """Statements that only the type checker reads."""
    tree = _tree(MODULES[module])
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    return [inner for node in tests for inner in node.body]


@cache
def imports_at_once(module: str) -> frozenset[str]:
    """What is imported when the module is, without the imports inside functions."""
    tree = _tree(MODULES[module])
    queue: list[ast.AST] = [tree]
    found: set[str] = set()
    for node in queue:
        found.update(_names(node, _package(module)))
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        queue.extend([] if inside else _parts(node))
    return frozenset(found)


def _in(room: str) -> list[str]:
    return [module for module in MODULES if module == room or module.startswith(room + ".")]


def _top(name: str) -> str:
    return name.partition(".")[0]


def test_codegen_knows_the_contract_only() -> None:
    for module in _in("kinegen.codegen"):
        ours = {name for name in imports(module) if _top(name) == "kinegen"}
        assert {name for name in ours if not name.startswith("kinegen.codegen")} <= CONTRACT, module


def test_runtime_knows_itself_only() -> None:
    lazy = {
        "matplotlib",
        "viser",
        "rich",
        "daqp",
        "xarray",
        "clarabel",
        "scipy",
        "pandas",
        "jax",
        "torch",
    }  # plots, bars, torque limits, ...: when asked
    for module in _in("kinegen.runtime"):
        others = {name for name in imports(module) if not name.startswith("kinegen.runtime")}
        assert not {name for name in others if _top(name) == "kinegen"}, module
        strangers = {_top(name) for name in others} - sys.stdlib_module_names
        assert strangers <= {"numpy", "cffi", "_cffi_backend", *lazy}, module
        assert not {_top(name) for name in imports_at_once(module)} & lazy, module


def test_mechanism_knows_no_later_stage() -> None:
    for module in _in("kinegen.codegen.mechanism"):
        ours = {name for name in imports(module) if name.startswith("kinegen.codegen")}
        assert all(name.startswith("kinegen.codegen.mechanism") for name in ours), module


BELOW = {
    "mechanism": (),
    "program": (),
    "symbolic": ("mechanism", "program"),
    "analysis": ("mechanism", "program", "symbolic"),
    "printing": ("mechanism", "program", "symbolic", "analysis"),
    "build": ("printing", "templates"),  # templates as text that the front key covers
    "inspection": ("mechanism", "program", "symbolic", "analysis", "printing"),
    "report": ("mechanism", "program", "symbolic", "analysis", "printing", "inspection", "pipeline"),
}
"""Which rooms of code generation each may know: a description is planned, derived, printed, built."""


@pytest.mark.parametrize("room", BELOW)
def test_rooms_of_codegen_know_earlier_stages_only(room: str) -> None:
    folders = {path.name for path in (ROOT / "codegen").iterdir() if (path / "__init__.py").exists()}
    assert folders == set(BELOW)
    known = tuple(f"kinegen.codegen.{name}" for name in (room, *BELOW[room]))
    for module in _in(f"kinegen.codegen.{room}"):
        others = {name for name in imports(module) if name.startswith("kinegen.codegen.")}
        strangers = {name for name in others if not any(name == k or name.startswith(f"{k}.") for k in known)}
        assert not strangers, (module, strangers)


def test_no_circles() -> None:
    """Neither when the code runs nor for the type checker. A room that hands on names lazily stands for their files."""
    for read in (imports, imports_of_types):
        order = TopologicalSorter({module: read(module) & MODULES.keys() for module in MODULES}).static_order()
        assert sorted(order) == sorted(MODULES)  # CycleError names those of a circle


def _room(module: str, among: frozenset[str]) -> str:
    """Which of these packages holds the module, "" for none."""
    return next((room for room in among if module == room or module.startswith(f"{room}.")), "")


def test_examples_use_public_names() -> None:
    """And what makes them commands; what is not public yet, each by the one that needs it."""
    needed = {
        "explained_motions.py": {"kinegen.runtime.measured.states"},
        "by_structure.py": {"kinegen.walking.biped"},
    }
    files = sorted((ROOT / "examples").rglob("*.py"))
    assert len(files) > 30
    for file in files:
        text = file.read_text(encoding="utf-8")
        below = set(re.findall(r"^\s*(?:from|import) (kinegen\.[\w.]+)", text, re.MULTILINE))
        assert below - {"kinegen.script"} == needed.get(file.name, set()), file


def test_examples_and_benchmarks_silence_what_they_name() -> None:
    """Of what files hold that is not used, say; what is new is heard."""
    files = [file for folder in ("examples", "benchmarks") for file in sorted((ROOT / folder).rglob("*.py"))]
    silenced = [call for file in files for call in re.findall(r"simplefilter\(.*\)", file.read_text(encoding="utf-8"))]
    assert len(silenced) > 6
    assert {call for call in silenced if not re.search(r", (kg\.\w+Warning|category)\)", call)} == set()


@pytest.mark.parametrize("parent", sorted(m for m in MODULES if MODULES[m].name == "__init__.py"))
def test_no_circles_of_rooms(parent: str) -> None:
    """Packages in one folder know each other in one direction only."""
    inner = {module for module in MODULES if module.rpartition(".")[0] == parent}
    rooms = frozenset(room for room in inner if MODULES[room].name == "__init__.py")
    if parent == "kinegen":  # which of these may know which, other tests tell
        rooms -= {"kinegen.codegen", "kinegen.runtime"}
    known: dict[str, set[str]] = {room: set() for room in rooms}
    for module in MODULES:
        if room := _room(module, rooms):
            known[room] |= {_room(name, rooms) for name in imports(module)} - {room, ""}
    order = TopologicalSorter(known).static_order()
    assert frozenset(order) == rooms  # CycleError names those of a circle


def test_what_only_the_type_checker_reads() -> None:
    """Names that are handed on lazily, and types of packages that may be missing; nothing else hides there."""
    found = {module: inside for module in MODULES if (inside := _unread(module))}
    lazy = {module for module in found if MODULES[module].name == "__init__.py"}
    assert lazy == {"kinegen", "kinegen.runtime", "kinegen.runtime.contact", "kinegen.runtime.model"}
    for module in found.keys() - lazy:
        names = {_top(name) for node in found[module] for name in _names(node, _package(module))}
        assert all(isinstance(node, ast.ImportFrom) for node in found[module]), f"{module}: imports only"
        assert names in ({"matplotlib"}, {"viser"}), f"{module}: {names}; move the types instead"
    assert len(found) - len(lazy) == 16


def test_inside_a_part_imports_are_relative() -> None:
    def part(name: str) -> str:
        return ".".join(name.split(".")[:2]) if name.startswith(("kinegen.codegen", "kinegen.runtime")) else "kinegen"

    for module, path in MODULES.items():
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ImportFrom) and node.level:
                (name, *_) = _names(node, _package(module))
                assert part(name) == part(module), f"{path}: write `from {name} import` between parts"


def test_packages_listed_are_the_folders() -> None:
    folders = {_module(path) for path in MODULES.values() if path.name == "__init__.py"}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == folders
    assert {_package(module) for module in MODULES} == folders


def test_every_file_is_installed() -> None:
    missing = [module for module in MODULES if importlib.util.find_spec(module) is None]
    assert missing == [], 'files were added: `pip install -e ".[test]"` again'


def test_data_is_installed() -> None:
    for package, pattern, folder in (
        ("kinegen", "py.typed", "api"),
        ("kinegen.codegen.templates", "**/*.j2", "templates"),
    ):
        spec = importlib.util.find_spec(package)
        assert spec and spec.submodule_search_locations
        (installed,) = map(Path, spec.submodule_search_locations)
        ours = {path.relative_to(ROOT / folder) for path in (ROOT / folder).glob(pattern)}
        assert ours
        assert {path.relative_to(installed) for path in installed.glob(pattern)} == ours


def test_templates_hold_no_python_and_rooms_no_stray_files() -> None:
    assert [path.name for path in (ROOT / "templates").rglob("*.py")] == ["__init__.py"]
    assert not (ROOT / "kinegen").exists()  # would shadow the installed package


def test_files_stay_short() -> None:
    lengths = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in MODULES.items()}
    assert median(lengths.values()) < 200
    assert {module: length for module, length in lengths.items() if length > 400} == {}


@pytest.mark.parametrize("package", ["kinegen", "kinegen.runtime", "kinegen.runtime.module.module"])
def test_importing_is_light(package: str) -> None:
    code = f"import sys, {package}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"sympy", "jinja2", "lxml", "pycparser", "cffi", "matplotlib", "rich", "typer"} & set(loaded)


@pytest.mark.parametrize("package", ["kinegen", "kinegen.runtime", "kinegen.runtime.contact", "kinegen.runtime.model"])
def test_packages_tell_their_own_names_only(package: str) -> None:
    module = importlib.import_module(package)
    told = {name for name in dir(module) if not name.startswith("__")}
    modules = {"casadi", "jax", "layouts", "torch"} if package == "kinegen" else set()
    assert told == {*module.__all__, *modules}


TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py") if "__pycache__" not in path.parts)


def _imported(path: Path) -> set[str]:
    """Names of modules that a file of the tests imports, the programs in its strings included."""
    lines = re.findall(r"^\s*(?:from|import) ([\w., ]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {name for line in lines for name in re.findall(r"[\w.]+", line)}


def test_no_test_file_imports_another() -> None:
    """What several need stands in tests/support, which imports no test either."""
    assert len(TESTS) > 100
    for path in TESTS:
        others = {name for name in _imported(path) if name.rpartition(".")[2].startswith("test_")}
        assert not others, (path.name, others)


def test_folders_stay_small() -> None:
    """No folder with more siblings than a reader takes in at once; headers count with their C."""
    folders = {path.parent for room in ("api", "codegen", "runtime") for path in (ROOT / room).rglob("*.py")}
    folders |= {path.parent for path in (ROOT / "runtime" / "c").rglob("*.[ch]")}
    folders |= {path.parent for path in TESTS}
    folders |= {path.parent for path in (ROOT / "templates").rglob("*.j2")}
    folders |= {ROOT / "benchmarks", ROOT / "benchmarks" / "common"}
    sizes = {}
    for folder in folders:
        names = {path.stem if folder.is_relative_to(ROOT / "runtime" / "c") else path.name for path in _files(folder)}
        sizes[folder.relative_to(ROOT).as_posix()] = len(names - {"__init__.py"})
    assert {folder: size for folder, size in sizes.items() if size > 14} == {}


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file() and path.suffix in (".py", ".c", ".h", ".j2", ".cpp")]


def test_templates_are_few_and_are_templates() -> None:
    """What holds no Jinja is C, and belongs to runtime/c."""
    templates = sorted((ROOT / "templates").rglob("*.j2"))
    assert 0 < len(templates) <= 28
    assert [path.name for path in templates if not re.search(r"{[{%]", path.read_text(encoding="utf-8"))] == []
