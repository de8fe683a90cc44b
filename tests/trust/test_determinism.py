"""The same bytes of C and the same bits of motion over hash seeds, locales, Pythons and numbers of threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
WAYS: dict[str, dict[str, str]] = {
    "one thread, no locale": {
        "OPENBLAS_NUM_THREADS": "1",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    },
}


def digests(*options: str, **environment: str) -> list[str]:
    """Of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "support.determinism", *options],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(TESTS), "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_c_and_motion_are_the_same_everywhere() -> None:
    first = digests(PYTHONHASHSEED="0", LC_ALL="de_DE.UTF-8")  # a locale with commas, where there is one
    assert len(first) > 20
    assert sum(line.startswith("motion") for line in first) == 5
    told = dict(line.rsplit(" ", 1) for line in first)
    assert told["motion of boxes"] == told["motion of boxes again"]
    assert told["motion of four_bar"] != told["motion of four_bar rk4"]
    for seed, (way, environment) in enumerate(WAYS.items(), 1):
        assert digests("--sums", PYTHONHASHSEED=str(seed), **environment) == first, way
