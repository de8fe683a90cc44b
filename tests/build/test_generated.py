"""generated/ holds what the generator writes today: no file is missing, left over or different by a byte."""

from __future__ import annotations

import re
from os.path import normpath
from pathlib import Path

import pytest

from kinegen.codegen.reference import FOLDER, MECHANISMS, main, reference_files, rewrite

ROOT = Path(__file__).resolve().parents[2]
REMEDY = "rewrite it: python -m kinegen.codegen.reference"


def found_in(folder: Path) -> dict[str, bytes]:
    """Path below the folder → bytes, of every file there."""
    return {str(p.relative_to(folder).as_posix()): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def differences(folder: Path) -> list[str]:
    """What tells the folder from the reference, in both directions."""
    found, wanted = found_in(folder), {path: text.encode() for path, text in reference_files().items()}
    listed = [f"missing: {path}" for path in sorted(wanted.keys() - found.keys())]
    listed += [f"left over: {path}" for path in sorted(found.keys() - wanted.keys())]
    return listed + [f"differs: {path}" for path in sorted(wanted.keys() & found.keys()) if wanted[path] != found[path]]


def test_committed_reference_is_what_the_generator_writes() -> None:
    assert not differences(ROOT / FOLDER), REMEDY


def test_every_file_refuses_what_would_change_its_numbers() -> None:
    """As -ffast-math does: all include, one through the other, the header that says so."""
    headers = {path.relative_to(ROOT / "runtime" / "c"): path.read_text() for path in ROOT.glob("runtime/c/**/*.h")}

    def guarded(folder: Path, text: str) -> bool:
        for name in re.findall(r'#include "(.*)"', text):
            path = Path(name.removeprefix("kinegen/")) if name.startswith("kinegen/") else Path(normpath(folder / name))
            if path == Path("linear/real.h") or (path in headers and guarded(path.parent, headers[path])):
                return True
        return False

    sources = {path: text for path, text in reference_files().items() if path.endswith(".c")}
    assert len(sources) > 50 and not [path for path, text in sources.items() if not guarded(Path(path).parent, text)]


def test_every_mechanism_brings_its_files() -> None:
    folders = {path.partition("/")[0] for path in reference_files()}
    assert folders == set(MECHANISMS)
    for name in MECHANISMS:
        assert {f"{name}/manifest.json", f"{name}/{name}.h", f"{name}/{name}_dynamics.c"} <= set(reference_files())


def test_comparison_sees_every_kind_of_difference(tmp_path: Path) -> None:
    rewrite(tmp_path)
    assert not differences(tmp_path)
    (tmp_path / "crane" / "crane.h").unlink()
    (tmp_path / "crane" / "extra.c").write_text("")
    damaged = tmp_path / "cart_pole" / "cart_pole.h"
    damaged.write_bytes(damaged.read_bytes().replace(b"\n", b"\r\n"))
    assert differences(tmp_path) == [
        "missing: crane/crane.h",
        "left over: crane/extra.c",
        "differs: cart_pole/cart_pole.h",
    ]


def test_one_command_puts_everything_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, gone = tmp_path / "out", tmp_path / "out" / "mechanism_of_old"
    gone.mkdir(parents=True)
    (gone / "manifest.json").write_text("{}")
    (gone / "old.c").write_text("")
    monkeypatch.setattr("sys.argv", ["reference", str(folder)])
    main()
    assert not differences(folder)
    assert capsys.readouterr().out == f"{len(reference_files())} files in {folder}\n"


def test_rewriting_leaves_other_folders_alone(tmp_path: Path) -> None:
    kept = tmp_path / "notes" / "keep.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    rewrite(tmp_path)
    assert kept.read_text() == "mine"
