"""Sources become a module that is loaded and called, or refused with a reason."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kinegen.codegen.build import Toolchain, build, build_with, find_toolchain
from kinegen.codegen.build import toolchain as toolchains
from kinegen.runtime.errors import BuildError, KinegenError, ModelError
from kinegen.runtime.module.module import load_module
from kinegen.runtime.record import BuildRecord, digest
from support.c.tiny import SOURCE, python, scale, tiny, without_headers

pytestmark = pytest.mark.usefixtures("headers")

# --- compile and call


@pytest.mark.parametrize("toolchain", [find_toolchain, without_headers])
def test_compile_and_call(
    toolchain: Callable[[], Toolchain], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    module = load_module(build_with(tiny(), toolchain(), cache=tmp_path))
    assert scale(module, 3.0, 9.0) == [6.0, 3.0]
    assert module.manifest == tiny().manifest
    assert (module.folder / "tiny.c").read_text() == SOURCE
    assert capfd.readouterr() == ("", "")  # neither cffi nor the compiler has anything to say


def test_headers_decide_the_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    api = BuildRecord.read(build(tiny(), cache=tmp_path))
    assert (api.library == "") == (toolchains.python_include() is not None)
    monkeypatch.setattr(toolchains, "python_include", lambda: None)
    plain = BuildRecord.read(build(tiny(), cache=tmp_path))
    assert plain.module == "tiny.py"
    assert plain.library.endswith(".so")


def test_both_modes_live_in_one_process(tmp_path: Path) -> None:
    first = load_module(build(tiny(), cache=tmp_path))
    other = load_module(build(tiny(source=SOURCE.replace("2.0", "5.0")), cache=tmp_path))
    plain = load_module(build_with(tiny(), without_headers(), cache=tmp_path))
    assert [scale(m, 1.0, 1.0)[0] for m in (first, other, plain)] == [2.0, 5.0, 2.0]


def test_loading_needs_numpy_and_cffi_only(tmp_path: Path) -> None:
    code = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED or name.startswith("kinegen.codegen"):
            raise ImportError(f"{name} is not installed here")
BLOCKED = "sympy mpmath jinja2 markupsafe lxml pycparser platformdirs filelock typer rich matplotlib setuptools".split()
sys.meta_path.insert(0, Blocker())
import kinegen.runtime
from kinegen.runtime.module.module import load_module
for folder in sys.argv[1:]:
    module = load_module(folder)
    y = module.ffi.new("double[2]")
    module.lib.tiny_scale(module.ffi.new("double[2]", [2.0, 4.0]), y)
    print(list(y))
assert not {name.partition(".")[0] for name in sys.modules} & set(BLOCKED)
"""
    folders = [build(tiny(), cache=tmp_path), build_with(tiny(), without_headers(), cache=tmp_path)]
    assert python(code, *folders) == "[4.0, 2.0]\n" * 2


def test_compiling_needs_no_setuptools(tmp_path: Path) -> None:
    code = f"""
import sys
sys.modules["setuptools"] = sys.modules["distutils"] = None
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from kinegen.codegen.build import build_with, find_toolchain
from kinegen.runtime.module.module import load_module
from support.c.tiny import scale, tiny, without_headers
for toolchain in (find_toolchain(), without_headers()):
    print(scale(load_module(build_with(tiny(), toolchain, cache=Path(sys.argv[1]))), 1.0, 4.0))
"""
    assert python(code, tmp_path) == "[2.0, 2.0]\n" * 2


# --- loading what does not fit


def _rewrite(folder: Path, **changes: object) -> None:
    record = folder / "record.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), **changes}))


def test_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(ModelError, match="is not a compiled model"):
            load_module(folder)


def test_other_python_is_refused(tmp_path: Path) -> None:
    folder = build(tiny(), cache=tmp_path)
    _rewrite(folder, tag="cpython-27-vax")
    with pytest.raises(BuildError, match=r"compiled for cpython-27-vax, this is .*; compile the model again"):
        load_module(folder)


def test_other_processor_is_refused_and_rebuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinegen.runtime.record.processor_features", lambda: frozenset({"sse2", "avx"}))
    folder = build(tiny(), cache=tmp_path)
    _rewrite(folder, requires=["avx", "avx9000"])
    with pytest.raises(BuildError, match="a processor with avx9000, which this one lacks; compile the model again"):
        load_module(folder)


def test_other_abi_is_refused(tmp_path: Path) -> None:
    folder = build(replace(tiny(), manifest=replace(tiny().manifest, abi=99)), cache=tmp_path)
    with pytest.raises(ModelError, match=r"ABI 99.*compile the model again"):
        load_module(folder)


def test_record_cannot_name_files_elsewhere(tmp_path: Path) -> None:
    folder = build(tiny(), cache=tmp_path)
    digests = json.loads((folder / "record.json").read_text())["digests"]
    for changes in ({"module": "../x.so"}, {"digests": {**digests, "kinegen/../../x.c": ""}}):
        _rewrite(folder, **changes)
        with pytest.raises(BuildError, match="names files outside its folder"):
            load_module(folder)


def test_hostile_records_are_refused(tmp_path: Path) -> None:
    """Whatever the files say, the error is of kinegen's own family, and nothing waits for ever."""
    folder = build(tiny(), cache=tmp_path)
    record = json.loads((folder / "record.json").read_text())
    names = [3, None, [], {}, "", "..", ".", "/etc/passwd", "a\0b", "x" * 5000, "tiny/../../x.so", "é.so", "a b.so"]
    fields = [{field: name} for field in ("module", "library") for name in names if (field, name) != ("library", "")]
    fields += [{"digests": wrong} for wrong in ([], [["a"]], {"a": 3}, {"a/b/c": ""}, "ab", None)]
    fields += [{"requires": wrong} for wrong in ([[1]], [3], None, 5)] + [{"tag": []}, {"key": 3}, {"more": 1}]
    texts = [json.dumps(record | changes) for changes in fields]
    texts += ["[" * 100_000, '{"requires": ' + "[" * 100_000, "", "null", "[]", "3", '"text"', "\ufeff{}", "9" * 5000]
    for text in texts:
        (folder / "record.json").write_text(text)
        with pytest.raises(KinegenError):
            load_module(folder)
    for text in (b"\xff\xfe", bytes(100)):
        (folder / "record.json").write_bytes(text)
        with pytest.raises(KinegenError):
            load_module(folder)
    (folder / "record.json").unlink()
    os.mkfifo(folder / "record.json")
    with pytest.raises(KinegenError, match="it is no file"):
        load_module(folder)
    for name in ("a\0b", "x" * 5000):
        with pytest.raises(KinegenError):
            load_module(folder / name)


def test_hostile_manifests_are_refused(tmp_path: Path) -> None:
    """With a record that fits. Not all is looked at: who gives the folder away gives code away."""
    folder = build(tiny(), cache=tmp_path)
    record, manifest = (json.loads((folder / name).read_text()) for name in ("record.json", "manifest.json"))
    wrong: list[object] = [manifest | {field: value} for field in manifest for value in (None, 3, [3], [[]], {"a": 1})]
    texts = ["[" * 100_000, "", "null", "[]", "3", '"abi"', '{"abi": 2}', *map(json.dumps, wrong)]
    refused = 0
    for text in texts:
        (folder / "manifest.json").write_text(text)
        record["digests"]["manifest.json"] = digest(text.encode())
        (folder / "record.json").write_text(json.dumps(record))
        try:
            load_module(folder)
        except KinegenError:
            refused += 1
    assert refused >= 60


def test_compiled_model_can_be_moved(tmp_path: Path) -> None:
    folder = build(tiny(), cache=tmp_path / "cache")
    moved = folder.rename(tmp_path / "elsewhere")
    assert scale(load_module(moved), 1.0, 4.0) == [2.0, 2.0]
    assert scale(load_module(str(moved)), 2.0, 4.0) == [4.0, 2.0]
