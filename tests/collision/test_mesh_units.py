"""COLLADA files in millimetres and inches: metres in contact and in pictures, along the axes of the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from kinegen.codegen.mechanism.geometry.meshes import mesh_hull
from kinegen.codegen.mechanism.geometry.triangles import pieces
from kinegen.runtime.errors import ModelError
from support.contact.contact_scenes import shapes


def collada(file: Path, unit: str, up: str = "Z_UP") -> Path:
    """A box of 100 × 200 × 300 units, in a node that lifts it by 1000."""
    text = trimesh.creation.box((100, 200, 300)).export(file_type="dae").decode()
    assert text.count("<up_axis>Y_UP") == text.count("<instance_geometry") == 1
    text = text.replace("<instance_geometry", "<translate>0 0 1000</translate><instance_geometry")
    file.write_text(text.replace("<up_axis>Y_UP", f"{unit}<up_axis>{up}"))
    return file


@pytest.mark.parametrize("up", ["X_UP", "Y_UP", "Z_UP"])
@pytest.mark.parametrize(("meter", "metres"), [("0.001", 1e-3), ("0.0254", 0.0254), ("1", 1.0), ("", 1.0)])
def test_collada_is_in_the_unit_that_it_names_and_axes_are_those_of_the_file(
    meter: str, metres: float, up: str, tmp_path: Path
) -> None:
    """In contact as in pictures; `scale` comes on top."""
    unit = f'<unit meter="{meter}" name="its"/>' if meter else ""
    shape = shapes.mesh(collada(tmp_path / "b.dae", unit, up), scale=(2, 1, 1))
    expected = metres * np.array([[-100, -100, 850], [100, 100, 1150]])
    touches = np.array(mesh_hull(shape)[0].vertices)
    np.testing.assert_allclose([touches.min(axis=0), touches.max(axis=0)], expected, rtol=1e-6)
    (seen,) = pieces(shape, solid=False)
    corners = seen.vertices @ seen.place[:, :3].T + seen.place[:, 3]
    np.testing.assert_allclose([corners.min(axis=0), corners.max(axis=0)], expected, rtol=1e-6)


@pytest.mark.parametrize("meter", ["0", "-1", "nan", "inf"])
def test_a_unit_of_collada_that_is_no_length_is_refused(meter: str, tmp_path: Path) -> None:
    shape = shapes.mesh(collada(tmp_path / "b.dae", f'<unit meter="{meter}" name="its"/>'))
    refused = r"b\.dae' cannot be read: .*<unit meter='.*'> is no length: write how many"
    with pytest.raises(ModelError, match=refused):
        mesh_hull(shape)
    with pytest.raises(ModelError, match=refused):
        list(pieces(shape, solid=False))
