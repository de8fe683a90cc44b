"""The scene of a viewer: meshes on their links, grounds, rods, forces, connections; moved from moment to moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..animation.camera import camera_axes
from ..animation.clip import Connection
from ..arguments import Array
from ..rotations import rotated
from ..visual.look import WORLD, Ground, Kind, Look, best_kinds
from ..visual.meshes import Mesh, meshes
from ..visual.packing import quaternions
from ..visual.simplify import rough_surfaces
from .moment import Moment

if TYPE_CHECKING:
    from viser import LineSegmentsHandle, MeshHandle, ViserServer

TRIANGLES = 30_000
"""Most triangles of all visuals, of all shapes, of all sticks, unless told otherwise."""
ROUGH = 4_000
"""Triangles that are shown while something moves: without a graphics card the frames a second depend on them."""
FORCE, ACTIVE, LOOSE, COM, ROD = (179, 38, 31), (217, 115, 26), (140, 148, 163), (179, 66, 31), (64, 74, 89)
LINE = (205, 207, 211)
WIDE = 3.0
"""Half the width of the ground, by the size of what stands on it."""
AZIMUTH = 0.97
"""From where it is seen at first: from in front, as a page of a motion [rad]."""
ARROW = 0.25
"""Length of the usual large force, as part of the size of what is seen; no arrow is longer than LONGEST of it."""
LONGEST = 0.6


class Stage:
    """What a server shows of a look. Links are told by number in the names of nodes, since names may hold anything."""

    def __init__(
        self,
        server: ViserServer,
        look: Look,
        links: Sequence[str],
        first: Moment,
        connections: Sequence[Connection] = (),
        triangles: int = TRIANGLES,
    ) -> None:
        self.server, self.links = server, tuple(links)
        self.usual = 0.0  # the usual large force [N]; 0: the largest of each moment
        self._look, self._connections = look, tuple(connections)
        self._number = {name: i for i, name in enumerate(self.links)}
        drawn = meshes(look, self.links, triangles)
        self.size, self.middle = _extent(drawn, self._number, best_kinds(look.parts), first)
        scene = server.scene
        scene.set_up_direction(look.up)
        scene.configure_environment_map(None)  # whose shader takes most of the time where there is no graphics card
        scene.configure_default_lights(True, cast_shadow=False)
        scene.add_light_ambient("/light", intensity=0.9)
        names = ["/world", *(f"/link{i}" for i in range(len(self.links)))]
        long, thick = 0.07 * self.size, 0.004 * self.size
        self._frames = [scene.add_frame(name, False, axes_length=long, axes_radius=thick) for name in names]
        self.meshes = tuple((mesh, self._added(f"mesh{i}", mesh)) for i, mesh in enumerate(drawn))
        self.rough = tuple((mesh, self._added(f"rough{i}", mesh)) for i, mesh in enumerate(self._roughly(drawn)))
        for i, ground in enumerate(look.grounds):
            self._ground(i, ground)
        self._moving(first)
        self._forces, self._com = True, False
        self._last = replace(first, places=np.full_like(first.places, np.nan))  # so that all is shown
        self._kind, self.moving, self.few = "drawn", False, True
        self._path: LineSegmentsHandle | None = None
        self.look("drawn")
        self.show(first)
        self._camera()

    # ---- What is shown of it

    def look(self, kind: Kind | str) -> None:
        """Visuals, shapes or sticks of all links; "drawn": what each has of these, in that order."""
        self._kind = kind
        best = best_kinds(mesh for mesh, _ in self.meshes)
        rough = self.moving and self.few and bool(self.rough)
        for shown, drawn in ((not rough, self.meshes), (rough, self.rough)):
            for mesh, handle in drawn:
                chosen = best[mesh.link] if kind == "drawn" or mesh.link == WORLD else kind
                handle.visible = shown and mesh.kind == chosen

    def move(self, moving: bool) -> None:
        """Whether something moves: few triangles are shown then, if `few`."""
        if moving != self.moving:
            self.moving = moving
            self.look(self._kind)

    def spare(self, few: bool) -> None:
        """Whether few triangles are shown while something moves."""
        self.few = few
        self.look(self._kind)

    def forces(self, shown: bool) -> None:
        """Contact forces and their points."""
        self._forces = shown
        self.show(self._last)

    def com(self, shown: bool) -> None:
        """The mass centre, and its path where that is known."""
        self._com = shown
        if self._path is not None:
            self._path.visible = shown
        self.show(self._last)

    def frames(self, shown: bool) -> None:
        """Frames of all links and of the world: x red, y green, z blue."""
        for frame in self._frames:
            frame.show_axes = shown

    def show(self, moment: Moment) -> None:
        """Everything goes where it is at a moment."""
        before, self._last = self._last, moment
        moved = (moment.places != before.places).any(axis=1) | (moment.turns != before.turns).any(axis=1)
        with self.server.atomic():
            for i in np.flatnonzero(moved):
                self._frames[1 + i].position, self._frames[1 + i].wxyz = moment.places[i], np.roll(moment.turns[i], 1)
            self._show_forces(moment)
            self._ball.visible = self._com and moment.com is not None
            if moment.com is not None:
                self._ball.position = moment.com
            for spot, holds in zip(self._spots, moment.active, strict=False):
                spot.color, spot.scale = (ACTIVE, 1.0) if holds else (LOOSE, 0.7)
            if self._rods is not None:
                self._rods.points = self._rod_ends(moment).astype(np.float32)

    def path(self, points: Array) -> None:
        """(k, 3) [m] the way of the mass centre, k > 1."""
        pairs = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
        self._path = self.server.scene.add_line_segments(
            "/path of the mass centre", pairs, COM, thickness=0.003 * self.size, visible=self._com
        )

    def line(self, ends: tuple[Array, Array] | None) -> None:
        """The line from what the mouse holds to the cursor; None for no line."""
        self._pull.visible = ends is not None
        if ends is not None:
            self._pull.points = np.array([ends], dtype=np.float32)

    def _show_forces(self, moment: Moment) -> None:
        sizes = np.linalg.norm(moment.forces, axis=1)
        pressing = sizes > 0.0
        self._arrows.visible = self._dots.visible = bool(self._forces and pressing.any())
        if self._arrows.visible:
            longest = LONGEST * self.size
            long = np.minimum(ARROW * self.size * sizes[pressing] / (self.usual or sizes.max()), longest)
            tails = moment.points[pressing]
            heads = tails + moment.forces[pressing] * (long / sizes[pressing])[:, None]
            self._arrows.points = np.stack([tails, heads], axis=1).astype(np.float32)
            self._dots.points = tails.astype(np.float32)

    # ---- What it is made of

    def _under(self, link: str) -> str:
        return "/world" if link == WORLD else f"/link{self._number[link]}"

    def _roughly(self, drawn: Sequence[Mesh]) -> tuple[Mesh, ...]:
        """What is shown while something moves; nothing where that would spare little."""
        best = best_kinds(drawn)
        count = sum(len(mesh.triangles) for mesh in drawn if mesh.kind == best[mesh.link])
        if count < 1.5 * ROUGH:
            return ()
        return meshes(replace(self._look, surfaces=rough_surfaces(self._look, ROUGH)), self.links, count)

    def _added(self, name: str, mesh: Mesh) -> MeshHandle:
        *colour, opacity = mesh.colour
        return self.server.scene.add_mesh_simple(
            f"{self._under(mesh.link)}/{name}",
            mesh.vertices,
            mesh.triangles,
            color=_bytes(colour),
            opacity=opacity if opacity < 1.0 else None,
            side="front" if mesh.solid else "double",  # back sides cost as much as front sides
            flat_shading=mesh.kind == "shape",
            cast_shadow=False,
            receive_shadow=False,
        )

    def _ground(self, number: int, ground: Ground) -> None:
        """A grid, as a mesh: viser's own has no end, and its lines, like planes, take long where there is no graphics
        card.
        """
        if ground.link != WORLD and ground.link not in self._number:
            return
        corners, faces = _strips(_grid(self.size), 0.002 * self.size)
        turn = np.roll(quaternions(ground.place[None, None, :, :3])[0, 0], 1)
        self.server.scene.add_mesh_simple(
            f"{self._under(ground.link)}/ground{number}",
            corners,
            faces,
            color=LINE,
            side="double",
            position=ground.place[:, 3],
            wxyz=turn,
            cast_shadow=False,
            receive_shadow=False,
        )

    def _moving(self, first: Moment) -> None:
        """What is no part of a link."""
        scene, size = self.server.scene, self.size
        nowhere = np.zeros((1, 2, 3), dtype=np.float32)
        self._arrows = scene.add_arrows(
            "/forces",
            nowhere,
            FORCE,
            shaft_radius=0.004 * size,
            head_radius=0.012 * size,
            head_length=0.035 * size,
            visible=False,
        )
        dots = nowhere[:, 0]
        self._dots = scene.add_point_cloud(
            "/contacts", dots, FORCE, point_size=0.012 * size, point_shape="circle", visible=False
        )
        self._ball = scene.add_icosphere("/mass centre", 0.014 * size, color=COM, visible=False)
        self._pull = scene.add_line_segments("/pull", nowhere, ACTIVE, thickness=0.004 * size, visible=False)
        self._spots = [
            scene.add_icosphere(
                f"{self._under(c.link)}/connection{i}", 0.014 * size, color=LOOSE, position=c.point, subdivisions=2
            )
            for i, c in enumerate(self._connections)
        ]
        known = {*self.links, WORLD}
        self._ends = [rod for rod in self._look.rods if {rod.link_a, rod.link_b} <= known]
        self._rods = None
        if self._ends:
            self._rods = scene.add_line_segments("/rods", self._rod_ends(first), ROD, thickness=0.006 * size)

    def _rod_ends(self, moment: Moment) -> Array:
        """(rods, 2, 3) [m] in world."""
        sides = [((rod.link_a, rod.point_a), (rod.link_b, rod.point_b)) for rod in self._ends]
        return np.array([[self._point(moment, *side) for side in pair] for pair in sides])

    def _point(self, moment: Moment, link: str, point: tuple[float, float, float]) -> Array:
        if link == WORLD:
            return np.array(point)
        i = self._number[link]
        return np.asarray(moment.places[i] + rotated(moment.turns[i], np.array(point)))

    def _camera(self) -> None:
        camera = self.server.initial_camera
        away = camera_axes(self._look.up, AZIMUTH)[2]
        camera.up = self._look.up
        camera.look_at = tuple(self.middle)
        camera.position = tuple(self.middle + 1.25 * self.size * away)


def _extent(drawn: Sequence[Mesh], number: dict[str, int], best: dict[str, Kind], first: Moment) -> tuple[float, Array]:
    """Diagonal [m] and (3) middle of the box around what moves; of all that is drawn where nothing does."""
    points = [first.places]
    for mesh in drawn:
        if mesh.link != WORLD and mesh.kind == best[mesh.link]:
            i = number[mesh.link]
            points.append(first.places[i] + rotated(first.turns[i], mesh.vertices))
    every = np.concatenate(points) if len(first.places) else np.zeros((1, 3))
    low, high = every.min(axis=0), every.max(axis=0)
    return float(np.linalg.norm(high - low)) or 1.0, 0.5 * (low + high)


def _grid(size: float) -> Array:
    """(lines, 2, 3) in the plane z = 0, about what is `size` [m] large: cells of 1 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(size / 5.0))
    cell = 5.0 * power if size / 5.0 >= 5.0 * power else power
    half = cell * np.ceil(WIDE * size / cell)
    at = np.arange(-half, half + 0.5 * cell, cell)
    far, none = np.full_like(at, half), np.zeros_like(at)
    along = np.stack([np.stack([at, -far, none], axis=1), np.stack([at, far, none], axis=1)], axis=1)
    return np.concatenate([along, along[..., [1, 0, 2]]])


def _strips(lines: Array, wide: float) -> tuple[Array, NDArray[np.int64]]:
    """Corners (4 lines, 3) and triangles (2 lines, 3) of strips as wide as that along lines in the plane z = 0."""
    along = lines[:, 1] - lines[:, 0]
    across = 0.5 * wide * np.cross([0.0, 0.0, 1.0], along / np.linalg.norm(along, axis=1)[:, None])
    corners = np.stack([lines[:, 0] - across, lines[:, 1] - across, lines[:, 1] + across, lines[:, 0] + across], axis=1)
    faces = 4 * np.arange(len(lines))[:, None, None] + np.array([[0, 1, 2], [0, 2, 3]])
    return corners.reshape(-1, 3), faces.reshape(-1, 3)


def _bytes(colour: Sequence[float]) -> tuple[int, int, int]:
    red, green, blue = (round(255 * min(max(float(x), 0.0), 1.0)) for x in colour)
    return red, green, blue
