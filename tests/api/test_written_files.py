"""Files that are written: whole or not at all, and what was there before stays until then."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli.failures import run
from kinegen.runtime.files import write_together, written
from support.commands import EXAMPLES

PENDULUM = EXAMPLES / "double_pendulum.urdf"


@contextmanager
def full(room: int) -> Iterator[None]:
    """A disk on which no file can become longer than that many bytes."""
    before, kept = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, kept)


def trajectory() -> kg.Trajectory:
    return kg.Simulator(PENDULUM, q=[0.3, 0.4]).run(0.2)


WRITERS: dict[str, Callable[[kg.Trajectory, Path], object]] = {
    "motion.npz": lambda motion, path: motion.save(path),
    "motion.csv": lambda motion, path: motion.to_csv(path),
    "motion.html": lambda motion, path: motion.html(path),
    "motion.gif": lambda motion, path: motion.video(path),
    "motion.png": lambda motion, path: motion.plot(path),
    "motion.pdf": lambda motion, path: motion.plot(path),
    "model.toml": lambda motion, path: kg.save(kg.load(PENDULUM), path),
    "report.html": lambda motion, path: kg.report(kg.load(PENDULUM), path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_that_fills_up_leaves_the_file_that_was_there(name: str, tmp_path: Path) -> None:
    file, motion = tmp_path / name, trajectory()
    WRITERS[name](motion, file)
    good = file.read_bytes()
    with full(200), pytest.raises(kg.ModelError, match=rf"{name}: cannot be written: File too large"):
        WRITERS[name](motion, file)
    assert file.read_bytes() == good and os.listdir(tmp_path) == [name]


def test_generate_puts_its_files_in_place_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No header of one generation beside C of another where there is no room for all of them."""
    line = ["generate", str(PENDULUM), "-o", str(tmp_path)]
    assert run(line) == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with full(10_000):
        assert run([*line, "--parameter", "mass of *"]) == 2
    assert "cannot be written: File too large" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_links_and_permissions_of_what_was_there_stay(tmp_path: Path) -> None:
    file, link, hanging = tmp_path / "file", tmp_path / "link", tmp_path / "hanging"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to("file")
    hanging.symlink_to("new")
    write_together(tmp_path, {"link": b"other", "hanging": b"first"})
    assert link.is_symlink() and hanging.is_symlink()
    assert file.read_bytes() == b"other" and (tmp_path / "new").read_bytes() == b"first"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["file", "hanging", "link", "new"]


def test_new_files_have_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_together(tmp_path, {"inner/file": b"1"})
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "inner" / "file").stat().st_mode) == 0o640


def test_pipes_are_written_themselves(tmp_path: Path) -> None:
    pipe, read = tmp_path / "motion.csv", list[str]()
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    trajectory().to_csv(pipe)
    reader.join(60)
    assert read[0].startswith("time,") and stat.S_ISFIFO(pipe.stat().st_mode)


def test_what_the_process_prints_into_is_written_itself(tmp_path: Path) -> None:
    """By a name of /dev, as of a picture that goes on in a pipe: what is printed afterwards follows it."""
    link = tmp_path / "shown"
    link.symlink_to("/dev/stdout")
    code = "import sys; from pathlib import Path; from kinegen.runtime.files import write_together\n"
    code += "write_together(Path(sys.argv[1]), {'shown': b'file '}); import os; os.write(1, b'said')"
    for mode in ("wb", "ab"):
        with open(tmp_path / "output", mode) as output:
            subprocess.run([sys.executable, "-c", code, str(tmp_path)], stdout=output, check=True)
            assert os.path.samestat(os.fstat(output.fileno()), os.stat(tmp_path / "output"))
    assert (tmp_path / "output").read_bytes().endswith(b"said")


def test_what_fails_in_between_leaves_no_draft(tmp_path: Path) -> None:
    def interrupted() -> None:
        with written(tmp_path / "file") as draft:
            draft.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with pytest.raises(kg.ModelError, match=r"file/deeper: cannot be written: Not a directory"):
        (tmp_path / "file").touch()
        with written(tmp_path / "file" / "deeper") as draft:
            draft.write_text("half")
    assert os.listdir(tmp_path) == ["file"]


def test_where_nothing_can_be_replaced_the_file_itself_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that is mounted into a container, or another user's in a folder of all."""
    file = tmp_path / "file"
    file.write_text("old")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("busy")))
    write_together(tmp_path, {"file": b"new"})
    assert file.read_bytes() == b"new" and os.listdir(tmp_path) == ["file"]


def test_a_trajectory_whose_end_is_missing_is_told_as_damaged(tmp_path: Path) -> None:
    """One that an earlier write left when the disk was full: an archive whose members are there but for the last."""
    file = tmp_path / "motion.npz"
    trajectory().save(file)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(kg.ModelError, match=r"motion\.npz: is a damaged npz file \(BadZipFile"):
        kg.Trajectory.load(file)
    file.write_bytes(whole)
    with np.load(file) as archive:
        first = {name: archive[name] for name in ("about", "t")}
    np.savez(file, **first)
    with pytest.raises(kg.ModelError, match=r"motion\.npz: is damaged, its end is missing: array 'q' is missing"):
        kg.Trajectory.load(file)


def test_what_fails_while_a_file_is_written_is_told_as_it_is(tmp_path: Path) -> None:
    """Of whatever value was wrong it was said that no file has such a name."""
    with pytest.raises(ValueError, match=r"^figures know no such format$"), written(tmp_path / "x.png"):
        raise ValueError("figures know no such format")
    assert not list(tmp_path.iterdir())
    with pytest.raises(kg.ModelError, match="no file has such a name"), written("x\0.png"):
        pass
