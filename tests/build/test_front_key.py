"""The front key: whatever changes the C changes it, nothing else does, and a hit derives nothing."""

from __future__ import annotations

import copy
import json
import math
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path

import pytest
import sympy

from kinegen.codegen.analysis.contact.rules import ContactRules, Surface
from kinegen.codegen.build import Toolchain, clear_cache, find_toolchain, front, front_key
from kinegen.codegen.build.library import calls_texts
from kinegen.codegen.mechanism import Joint, Link, Mechanism, Mimic
from kinegen.codegen.mechanism.canonical import NoCanonicalText, canonical
from kinegen.codegen.mechanism.elements.joint_templates import spherical
from kinegen.codegen.mechanism.elements.rows import RowRules, Rows
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.codegen.mechanism.structure.topology import Connection, topologies
from kinegen.codegen.pipeline import compile_mechanism
from kinegen.codegen.printing.selection import Selection
from kinegen.runtime.errors import ContactWarning
from support.mechanisms.whole_mechanism import everything

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.usefixtures("headers")


def variants(value: object) -> Iterator[tuple[str, object]]:
    """The value with one thing in it changed that moves, wherever there is one, and where that is."""
    if is_dataclass(value) and not isinstance(value, type):
        for field in (field for field in fields(value) if not field.metadata.get("drawn")):
            for path, changed in variants(getattr(value, field.name)):
                other = copy.copy(value)
                object.__setattr__(other, field.name, changed)
                yield f".{field.name}{path}", other
    elif isinstance(value, tuple):
        yield "[more]", (*value, 0.0)
        for i, entry in enumerate(value):
            yield f"[less {i}]", value[:i] + value[i + 1 :]
            for path, changed in variants(entry):
                yield f"[{i}]{path}", (*value[:i], changed, *value[i + 1 :])
    else:
        for changed in different(value):
            yield f" {value!r} -> {changed!r}", changed


def different(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    if isinstance(value, float):
        return [math.nextafter(value, 0.0), -value] if value else [5e-324]
    if isinstance(value, str):
        return [value + "x"]
    if isinstance(value, sympy.Symbol):
        return [sympy.Symbol(value.name), sympy.Symbol(value.name + "x", real=True), 1.0]
    if isinstance(value, sympy.Expr):
        return [value + 1, *(value.subs(symbol, sympy.Symbol(symbol.name)) for symbol in value.free_symbols)]
    if value is None:
        return [0.0]
    raise AssertionError(f"what is different from {value!r}?")


def test_whatever_changes_in_a_mechanism_changes_its_text() -> None:
    mechanism = everything()
    text, seen = canonical(mechanism), set()
    for path, changed in variants(mechanism):
        assert canonical(changed) != text, path
        seen.add(path.split()[0])
    assert len(seen) > 300
    for part in (".name", ".gravity[2]", ".joints[3].pitch", ".links[0].shapes[1].vertices[0][0]", ".unphysical"):
        assert part in seen
    assert ".links[1].shapes[0].folder" in seen


def test_followers_rules_rows_and_switches_have_a_text_as_well() -> None:
    rules = ContactRules(
        within=True, exclude=[("a", "b")], groups={"a": (1, 2)}, pairs={("a", "b"): Surface(0.1)}, combine="min"
    )
    rows = RowRules(loops=True, between=[Rows("r", "a", "b", axes="x", turns="y")])
    switches = topologies(everything(), [Connection("grip", "c", "world", spherical())], ["n"]).switches
    for value in (Mimic("j", 2.0, 0.1), rules, rows, switches):
        text, count = canonical(value), 0
        for path, changed in variants(value):
            assert canonical(changed) != text, path
            count += 1
        assert count >= 5


def test_what_has_no_text_of_its_own_is_told(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Own:
        number: float = 1.0

    outside = tmp_path / "foot.gltf"
    outside.write_text('{"buffers": [{"uri": "foot.bin"}]}')
    for value in (Own(), object(), sympy.Dummy("x"), shapes.mesh(str(outside))):
        with pytest.raises(NoCanonicalText, match=r"no canonical text|refer to other files"):
            canonical(value)


def test_a_mesh_is_known_by_its_content(tmp_path: Path) -> None:
    file = tmp_path / "foot.stl"
    shape = shapes.mesh(str(file))
    texts = [canonical(shape)]
    for content in (b"one", b"two"):
        file.write_bytes(content)
        texts.append(canonical(shape))
    assert len(set(texts)) == 3
    os.utime(file, (0, 0))
    assert canonical(shape) == texts[-1]


def test_the_key_depends_on_all_of_the_toolchain() -> None:
    toolchain = find_toolchain()
    key = front_key("text", toolchain)
    changed = [
        replace(toolchain, **{field.name: value})  # type: ignore[arg-type]
        for field in fields(Toolchain)
        for value in different_of(getattr(toolchain, field.name))
    ]
    assert key is not None and key not in [front_key("text", other) for other in changed]
    assert front_key("other", toolchain) != key
    assert len(changed) == len(fields(Toolchain))


def different_of(value: object) -> list[object]:
    return [(*value, "x")] if isinstance(value, tuple) else [f"{value}x"]


PRINT_KEY = """
import sys
sys.path.insert(0, sys.argv[1])
from kinegen.codegen.build import find_toolchain, front_key
from kinegen.codegen.mechanism.canonical import canonical
from support.mechanisms.whole_mechanism import everything
print(front_key(canonical(everything()), find_toolchain()))
"""


def test_a_process_with_another_hash_seed_finds_the_same_key() -> None:
    tests = str(Path(__file__).parents[1])
    key = subprocess.run(
        [sys.executable, "-c", PRINT_KEY, tests],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert key == front_key(canonical(everything()), find_toolchain())
    assert len(key) == 64


def test_files_that_changed_since_the_start_give_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "IMPORTED", 0.0)
    front.generator_version.cache_clear()
    try:
        assert front_key("text", find_toolchain()) is None
    finally:
        front.generator_version.cache_clear()


def pendulum(name: str = "swing", **options: object) -> Mechanism:
    link = Link("bob", 1.0, (0, 0, -1), (0.1, 0, 0, 0.1, 0, 0.1))
    joint = Joint("pivot", "revolute", "world", "bob", axis=(0, 1, 0))
    return Mechanism(name, [link], [joint], **options)  # type: ignore[arg-type]


Refuse = Callable[[], None]


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Refuse:
    """Call it, and deriving is an error from then on."""

    def generate(*_: object, **__: object) -> None:
        raise AssertionError("derived again")

    return lambda: monkeypatch.setattr("kinegen.codegen.pipeline.generate", generate)


def note(cache: Path) -> Path:
    (found,) = (cache / "fronts").iterdir()
    return found


def test_a_hit_derives_nothing(tmp_path: Path, refuse: Refuse) -> None:
    first = compile_mechanism(pendulum(), cache=tmp_path)
    refuse()
    assert compile_mechanism(pendulum(), cache=tmp_path) == first
    for options in ({"contacts": False}, {"contacts": ContactRules(within=True)}, {"rows": RowRules(loops=True)}):
        with pytest.raises(AssertionError, match="derived again"):
            compile_mechanism(pendulum(), cache=tmp_path, **options)  # type: ignore[arg-type]
    clear_cache(tmp_path)
    with pytest.raises(AssertionError, match="derived again"):
        compile_mechanism(pendulum(), cache=tmp_path)


FEW = Selection(("bias",))


@pytest.mark.parametrize("damage", ["no note", "no json", "torn", "another key", "outside", "entry", "no entry"])
def test_damage_leads_to_the_full_way(tmp_path: Path, damage: str) -> None:
    folder = compile_mechanism(pendulum(), cache=tmp_path, selection=FEW)
    path, text = note(tmp_path), note(tmp_path).read_text()
    told = json.loads(text)
    if damage == "no note":
        path.unlink()
    elif damage == "no json":
        path.write_text("[]")
    elif damage == "torn":
        path.write_text(text[:100])
    elif damage in ("another key", "outside"):
        told["note"] |= {"key": "0" * 64} if damage == "another key" else {"entry": "../models/" + folder.name}
        path.write_text(json.dumps(told))
    elif damage == "entry":
        (folder / "swing_dynamics.c").write_text("int x;")
    else:
        clear_cache(tmp_path)
    before = (folder / "record.json").stat().st_mtime_ns if damage not in ("entry", "no entry") else 0
    assert compile_mechanism(pendulum(), cache=tmp_path, selection=FEW) == folder
    assert json.loads(note(tmp_path).read_text()) == json.loads(text)
    assert not before or (folder / "record.json").stat().st_mtime_ns == before
    assert (folder / "swing_dynamics.c").stat().st_size > 100


def test_warnings_are_given_again(tmp_path: Path, refuse: Refuse) -> None:
    link = Link("m", 1.0, inertia=(1, 0, 0, 1, 0, 1), shapes=[shapes.plane()])
    ground = Mechanism("ground", [link], [Joint("base", "free", "world", "m")], shapes=[shapes.plane()])
    with pytest.warns(ContactWarning, match="plane of 'm'") as first:
        compile_mechanism(ground, cache=tmp_path)
    refuse()
    with pytest.warns(ContactWarning) as second:
        compile_mechanism(ground, cache=tmp_path)
    assert [str(one.message) for one in second] == [str(one.message) for one in first]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ContactWarning):
            compile_mechanism(ground, cache=tmp_path)


def test_a_mechanism_without_a_text_is_compiled_as_ever(tmp_path: Path) -> None:
    open_number = Link("bob", sympy.Dummy("m", positive=True), (0, 0, -1), (0.1, 0, 0, 0.1, 0, 0.1))
    mechanism = replace(pendulum(), links=(open_number,))
    assert (compile_mechanism(mechanism, cache=tmp_path) / "record.json").is_file()
    assert not (tmp_path / "fronts").exists()


def test_code_templates_and_contract_are_part_of_the_version() -> None:
    names = {name for name, _ in front._own_files()}
    for name in (
        "codegen/pipeline.py",
        "codegen/symbolic/tree/rnea.py",
        "templates/tree/kernels.c.j2",
        "runtime/abi.py",
    ):
        assert name in names
    there = {path.name: path for path in (ROOT / "runtime" / "module").iterdir() if path.suffix in (".c", ".h")}
    assert {f"runtime/module/{name}" for name in there} == {name for name in names if "/module/" in name}
    assert sorted(calls_texts().values()) == sorted(path.read_text(encoding="utf-8") for path in there.values())
    imported = re.compile(r"^from kinegen\.runtime\.([\w.]+)", re.MULTILINE)
    texts = [path.read_text() for name, path in front._own_files() if name.endswith(".py")]
    contract = {found.replace(".", "/") for text in texts for found in imported.findall(text)}
    assert {f"runtime/{name}.py" for name in contract} <= names and len(contract) >= 5
    assert len(names) > 200
