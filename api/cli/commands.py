"""The commands and their options; each does its work in the module of its name, imported when it is called."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

app = typer.Typer(
    name="kinegen",
    help="From the description of a mechanism to its equations of motion, model-specific C, and simulation.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class RootKind(StrEnum):
    """What holds the root link."""

    fixed = "fixed"
    free = "free"


class NumberKind(StrEnum):
    """What the C computes with."""

    float64 = "float64"
    float32 = "float32"


class CacheAction(StrEnum):
    """What to do with the cache."""

    list = "list"
    clear = "clear"


FPS = 30.0  # of pages of motions
MODEL = "A model file (.urdf, .sdf, .xml, .mjcf, .toml), or human_figure."
Model = Annotated[str, typer.Argument(metavar="MODEL", help=MODEL, show_default=False)]
ModelOrScene = Annotated[str, typer.Argument(metavar="MODEL|SCENE", help=f"{MODEL} Or a scene.", show_default=False)]
ROOT = "Hold the root link to world, or let it float"
Root = Annotated[RootKind | None, typer.Option(help=f"{ROOT} (human_figure always floats). Default: fixed.")]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        metavar='"WHAT of NAME"',
        help='Make numbers run-time parameters, such as "mass of *" (again for more).',
        show_default=False,
    ),
]
Target = Annotated[
    str, typer.Option(help="Processor to compile for: native, or a name as the compiler's -march takes.")
]


def _version(asked: bool) -> None:
    if asked:
        import kinegen

        typer.echo(f"kinegen {kinegen.__version__}")
        raise typer.Exit


def _told(root: RootKind | None) -> Literal["fixed", "free"] | None:
    return root.value if root else None


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say it.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors (anywhere in the line).")] = False,
) -> None:
    pass


@app.command()
def demo(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)] = "human_figure",
    root: Annotated[RootKind | None, typer.Option(help=f"{ROOT}. Default: free if the model can be.")] = None,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where the files go.")] = Path(
        "kinegen-demo"
    ),
    duration: Annotated[float, typer.Option(min=0.01, max=3600.0, help="Seconds to simulate.")] = 3.0,
    dt: Annotated[float, typer.Option(min=1e-7, max=0.1, help="Time step in seconds.")] = 1e-3,
    seed: Annotated[int, typer.Option(min=0, help="Another random pose, or another axis of the spin.")] = 0,
) -> None:
    """Throw a mechanism with a spin (or let it swing): derive, generate, compile, simulate, and say how it went.

    Writes trajectory.npz, motion.png (energy, momentum, speeds), figures.png (poses side by side), motion.html (plays).
    """
    from . import demo

    demo.run(model, _told(root), output, duration, dt, seed)


@app.command()
def generate(
    model: Model,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where the C goes.", show_default=False)
    ],
    root: Root = None,
    name: Annotated[str | None, typer.Option(help="Name in the C instead of the model's.", show_default=False)] = None,
    compile: Annotated[
        bool,
        typer.Option("--compile", help="Put the whole compiled model there too, for kinegen.runtime.load(DIR)."),
    ] = False,
    target: Target = "native",
    kernels: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Only these kernels, and what they call.", show_default=False),
    ] = None,
    frame: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Kernels of its own for this link or frame; may be repeated.", show_default=False
        ),
    ] = None,
    no_contact: Annotated[bool, typer.Option("--no-contact", help="Leave contact out.")] = False,
    reference: Annotated[
        bool, typer.Option("--reference", help="Slower routes to compare with as well, such as mass_matrix_cog.")
    ] = False,
    lanes: Annotated[
        bool,
        typer.Option("--lanes", help="Also kernels that compute several states at a time: vectors of GCC or Clang."),
    ] = False,
    dtype: Annotated[
        NumberKind,
        typer.Option(help="Compute with doubles or with floats, which have the kernels of open trees alone."),
    ] = NumberKind.float64,
    parameter: Parameters = None,
    wasm: Annotated[
        bool, typer.Option("--wasm", help="Also the time step as WebAssembly, with JavaScript and types to call it.")
    ] = False,
) -> None:
    """Write the C of a mechanism: complete, C99, no allocation, no dependency but the mathematics library."""
    from . import generate

    compiled, numbers = generate.target_of(target, compiled=compile), tuple(parameter or ())
    options = (tuple(frame or ()), not no_contact, reference, lanes, dtype.value, numbers, wasm)
    asked = generate.Asked(_told(root), name, compiled, kernels, *options)
    generate.run(model, output, asked)


@app.command()
def inspect(
    model: Model,
    root: Root = None,
    latex: Annotated[
        bool, typer.Option("--latex", help="Print the equations of motion instead (small mechanisms).")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write a page with pictures, equations and C instead.", show_default=False
        ),
    ] = None,
    parameter: Parameters = None,
) -> None:
    """Show the four pointers, the joints, what each kernel costs and why it is computed that way; H, W, S of loops."""
    from . import inspect

    inspect.run(model, _told(root), latex, html, tuple(parameter or ()))


@app.command()
def simulate(
    scene: Annotated[Path, typer.Argument(metavar="SCENE.toml", help="A scene.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Trajectory, .npz.", show_default=False)
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Curves, .png or .pdf.", show_default=False)] = None,
    pictures: Annotated[Path | None, typer.Option(metavar="FILE", help="Stick figures.", show_default=False)] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="A page that plays the motion.", show_default=False)
    ] = None,
) -> None:
    """Run a scene: a model, where it starts, what drives it, for how long. Options override the scene's outputs."""
    from . import simulate

    simulate.run(scene, output, plot, pictures, html)


@app.command()
def animate(
    model: ModelOrScene,
    trajectory: Annotated[Path, typer.Argument(metavar="MOTION.npz", help="A trajectory.", show_default=False)],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The page.", show_default=False)],
    root: Root = None,
    fps: Annotated[float, typer.Option(min=0.001, help="Frames a second.")] = FPS,
) -> None:
    """Write a recorded motion as one page that plays it in three dimensions, in any browser, offline."""
    from . import animate

    animate.run(model, trajectory, output, _told(root), fps)


@app.command()
def view(
    model: ModelOrScene,
    motion: Annotated[
        Path | None, typer.Argument(metavar="MOTION.npz", help="A trajectory of it.", show_default=False)
    ] = None,
    root: Root = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Only write a page.", show_default=False),
    ] = None,
    host: Annotated[str, typer.Option(help="Who can reach it: this machine alone.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: one that is free.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open it in the browser.")] = True,
) -> None:
    """Look at a model, a scene or a motion in the browser, until Ctrl-C: sliders, play, pull links, connect and cut."""
    from . import animate

    animate.require_effect(output, host, port)
    if output is not None and motion is not None:
        animate.run(model, motion, output, _told(root), FPS)
    elif output is not None:
        animate.run_tour(model, output, _told(root))
    else:
        animate.run_view(model, motion, _told(root), host, port, browser)


@app.command()
def play(
    model: ModelOrScene,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The page.", show_default=False)],
    root: Root = None,
    parameter: Parameters = None,
) -> None:
    """Write a page that simulates by itself, offline, in any browser: pull links, set torques, connect and cut."""
    from . import animate

    animate.run_play(model, output, _told(root), tuple(parameter or ()))


@app.command()
def explain(
    model: ModelOrScene,
    motion: Annotated[
        Path,
        typer.Argument(
            metavar="MOTION",
            help="A trajectory (.npz), or coordinates over time (.csv, .mot, .sto): columns time, 'knee', 'hip qx'.",
            show_default=False,
        ),
    ],
    joint: Annotated[str, typer.Option(help="Which joint, or one of its degrees of freedom.", show_default=False)],
    root: Root = None,
    cutoff: Annotated[
        float | None, typer.Option(min=1e-3, help="Low-pass the velocities at so many Hz.", show_default=False)
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Stacked areas.", show_default=False)] = None,
    forces: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE[:PREFIX]=LINK",
            help="What pushes a link, in place of recorded contacts: columns PREFIXground_force_vx, ..., _px, ..., "
            "PREFIXground_torque_x, ...",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Say which link, by which cause (acceleration, centrifugal, gravity, forces), loads a joint over a motion."""
    from . import explain

    explain.run(model, motion, joint, _told(root), cutoff, plot, forces or [])


@app.command()
def bench(
    model: Model,
    root: Root = None,
    against: Annotated[
        str, typer.Option(metavar="NAMES", help="Also time these, if installed: pinocchio,mujoco.")
    ] = "",
) -> None:
    """Time every kernel as called from Python, one state at a time and in batches of 256."""
    from . import bench

    bench.run(model, _told(root), tuple(name.strip() for name in against.split(",") if name.strip()))


@app.command()
def cache(
    action: Annotated[CacheAction, typer.Argument(help="List what is there, or remove it all.")] = CacheAction.list,
) -> None:
    """List or clear the cache of compiled models."""
    from . import cache

    cache.run(action.value)
