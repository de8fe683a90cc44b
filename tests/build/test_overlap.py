"""Files are compiled while others are still being printed: the same model, the same errors, nothing left behind."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from pathlib import Path

import filelock
import pytest

import kinegen as kg
from kinegen.codegen import pipeline
from kinegen.codegen.build import build, clear_cache
from kinegen.codegen.mechanism.geometry import shapes
from kinegen.codegen.pipeline import compile_mechanism, generate
from kinegen.codegen.printing.selection import CORE
from kinegen.codegen.printing.sources import Sources
from kinegen.runtime.errors import BuildError, ModelError
from kinegen.runtime.record import BuildRecord
from support.c.tiny import logging_compiler, wrapped_compiler
from support.machine import runs

pytestmark = pytest.mark.usefixtures("headers")

Told = Callable[[str], None]
Listen = Callable[[Told], None]


def arm() -> kg.Mechanism:
    links = [kg.Link(name, 1.5, (0.1, 0.2, -0.5), (0.1, 0.01, 0, 0.1, 0, 0.2)) for name in ("upper", "lower")]
    joints = [
        kg.Joint("shoulder", "revolute", "world", "upper", axis=(1, 0, 0)),
        kg.Joint("elbow", "revolute", "upper", "lower", origin=kg.Pose((0, 0, -1)), axis=(0, 1, 0)),
    ]
    return kg.Mechanism("arm", links, joints)


def made(cache: Path) -> Path:
    return compile_mechanism(arm(), cache=cache, selection=CORE)


@pytest.fixture
def listen(monkeypatch: pytest.MonkeyPatch) -> Listen:
    """From now on, somebody is told the name of each file after it was handed on to be compiled."""

    def chosen(told: Told) -> None:
        def heard(*given: object, finished: Callable[..., None], **options: object) -> Sources:
            def handed(name: str, text: str, flags: tuple[str, ...]) -> None:
                finished(name, text, flags)
                told(name)

            return generate(*given, finished=handed, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(pipeline, "generate", heard)

    return chosen


def wait_for(there: Callable[[], object]) -> None:
    for _ in range(600):
        if there():
            return
        time.sleep(0.1)
    raise AssertionError("it did not come")


def test_objects_are_there_before_the_last_file_is_printed(tmp_path: Path, listen: Listen) -> None:
    seen = []

    def told(name: str) -> None:
        if name in ("arm_dynamics.c", "arm_kinematics.c"):
            wait_for(lambda: list(tmp_path.glob(f"work/*/{name[:-2]}.o")))
            seen.append(name)

    listen(told)
    made(tmp_path)
    assert seen == ["arm_dynamics.c", "arm_kinematics.c"]


def test_what_no_model_changes_is_compiled_before_the_first_file_once(tmp_path: Path, listen: Listen) -> None:
    """Among it what looks for contact, where shapes may touch."""
    seen: list[Path] = []

    def told(name: str) -> None:
        if name.endswith("_model.h"):
            wait_for(lambda: len(list(tmp_path.glob("objects/*/objects.json"))) == 2)
            seen.extend(tmp_path.glob("objects/*"))

    listen(told)
    link = kg.Link("ball", 1.5, inertia=(0.1, 0, 0, 0.1, 0, 0.1), shapes=[shapes.sphere(0.1)])
    falls = [kg.Joint("falls", "free", "world", "ball")]
    compile_mechanism(kg.Mechanism("ball", [link], falls, shapes=[shapes.plane()]), cache=tmp_path, selection=CORE)
    assert len(seen) == 2 and set(tmp_path.glob("objects/*")) == set(seen)


@pytest.mark.parametrize("processors", [1, pytest.param(5, marks=pytest.mark.sweep)])
def test_the_model_is_that_of_its_text(processors: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kinegen.codegen.build.objects.processors", lambda: processors)
    sources = generate(arm(), selection=CORE)
    folder, other = made(tmp_path / "one"), build(sources, cache=tmp_path / "other")
    assert folder.name == other.name
    assert {name: (folder / name).read_text() for name in sources.files} == sources.files
    assert set(BuildRecord.read(folder).digests) == set(BuildRecord.read(other).digests)
    assert list((tmp_path / "one" / "work").iterdir()) == []


def test_what_cannot_be_compiled_is_told_and_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = 'case "$*" in *"-c arm_dynamics.c"*) echo broken >&2; exit 1;; esac'
    monkeypatch.setenv("CC", wrapped_compiler(tmp_path, broken))
    sources, cache = generate(arm(), selection=CORE), tmp_path / "cache"
    with pytest.raises(BuildError, match=r"failed \(exit code 1\):\nbroken\nThe C is kept in ") as early:
        made(cache)
    (kept,) = (cache / "failed").iterdir()
    assert {name: (kept / name).read_text() for name in sources.files} == sources.files
    with pytest.raises(BuildError) as late:
        build(sources, cache=cache)
    assert str(early.value) == str(late.value)
    assert list((cache / "work").iterdir()) == []


@pytest.mark.parametrize("error", [ModelError, KeyboardInterrupt])
def test_nothing_goes_on_when_printing_ends_early(
    error: type[BaseException], tmp_path: Path, listen: Listen, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid, cache = tmp_path / "pid", tmp_path / "cache"
    hanging = f'case "$*" in *"-c arm_dynamics.c"*) sleep 300 & echo $! > {pid}; wait;; esac'
    monkeypatch.setenv("CC", wrapped_compiler(tmp_path, hanging))

    def told(name: str) -> None:
        if name == "arm_dynamics.c":
            wait_for(lambda: pid.exists() and pid.read_text())
            raise error("enough")

    listen(told)
    with pytest.raises(error, match="enough"):
        made(cache)
    assert not runs(int(pid.read_text()))
    assert list((cache / "work").iterdir()) == [] and not (cache / "fronts").exists()


def test_what_is_in_the_cache_by_its_content_starts_no_compiler(
    tmp_path: Path, listen: Listen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its front key is not known: the generator is another one, say."""
    compiler, log = logging_compiler(tmp_path)
    monkeypatch.setenv("CC", compiler)
    cache = tmp_path / "cache"
    folder = made(cache)
    for note in (cache / "fronts").iterdir():
        note.unlink()
    log.unlink()
    listen(lambda name: None)
    assert made(cache) == folder
    assert not log.exists()


def test_who_is_not_alone_waits_for_the_other(tmp_path: Path, listen: Listen, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler, log = logging_compiler(tmp_path)
    monkeypatch.setenv("CC", compiler)
    cache = tmp_path / "cache"
    made(cache)
    (lock,) = (path for path in (cache / "locks").iterdir() if path.stem == next((cache / "fronts").iterdir()).stem)
    clear_cache(cache)
    log.unlink()
    held = filelock.FileLock(lock)
    held.acquire()

    def told(name: str) -> None:
        if name == "arm_motion.c":  # the last one
            assert "-c arm_" not in (log.read_text() if log.exists() else "")
            held.release()

    listen(told)
    assert (made(cache) / "record.json").is_file()
    assert "-c arm_dynamics.c" in log.read_text()


def test_models_that_are_made_in_threads_leave_the_collector_as_it_was() -> None:
    """One that begins before another ends, and ends before it: the other's end took for the collector's own what both
    had set."""
    before = gc.get_threshold()
    first, second = pipeline._seldom_collected(), pipeline._seldom_collected()
    first.__enter__()
    second.__enter__()
    assert gc.get_threshold() == tuple(map(max, zip(before, pipeline.COLLECTED, strict=True)))
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before
