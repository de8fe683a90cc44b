"""Every scene beside this file: what changes when, how open loops were, how much faster than real time it runs.

python examples/structure/scenes.py [NAME ...]
"""

import time
import tomllib
from pathlib import Path
from typing import Annotated

import typer

import kinegen as kg
from kinegen.script import script

HERE = Path(__file__).parent


def moved(name, duration=None):
    """The simulator after the scene (or its first seconds), its trajectory, and how much faster than real time."""
    file = HERE / f"{name}.toml"
    simulator, scene = kg.load_scene(file), tomllib.loads(file.read_text(encoding="utf-8"))
    length = min(duration or scene["duration"], scene["duration"])
    start = time.process_time()
    trajectory = simulator.run(length, every=scene.get("every", 1))
    return simulator, trajectory, length / (time.process_time() - start)


def main(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="All by default.", show_default=False)
    ] = None,
) -> None:
    for name in names or sorted(file.stem for file in HERE.glob("*.toml")):
        simulator, trajectory, factor = moved(name)
        changes = [event for event in trajectory.events if event[1] in ("connect", "cut")]
        print(f"{name}: nv = {simulator.model.nv}, {len(changes)} changes, {factor:.0f} times real time")
        print(f"  largest gap {trajectory.closure_gap.max():.1e} m or rad in {len(trajectory)} states")
        for t, what, to in changes[:8]:
            print(f"  {t:8.4f} s  {what} {to}")


if __name__ == "__main__":
    script(main, __doc__)
