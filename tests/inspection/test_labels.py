"""Names in the drawing of a report: beside their bars, and not over each other."""

from __future__ import annotations

import re
import warnings
from html import unescape
from itertools import combinations

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.report.drawing import drawing
from kinegen.codegen.report.geometry import geometry
from kinegen.codegen.report.labels import Box, Label, labels
from support.mechanisms.closed_mechanisms import stewart
from support.mechanisms.robots import FOLDER

TEXT = re.compile(r'<text x="([-\d.]+)" y="([-\d.]+)" class="name" text-anchor="(\w+)">([^<]*)</text>')


def go2() -> kg.Mechanism:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kg.load(FOLDER / "go2_description/urdf/go2.urdf", root="free")


@pytest.mark.parametrize("make", [go2, stewart])
def test_names_do_not_cover_each_other(make) -> None:  # type: ignore[no-untyped-def]
    mechanism = make()
    found = TEXT.findall(drawing(geometry(mechanism), mechanism.name))
    assert {unescape(text) for *_, text in found} <= {link.name for link in mechanism.links} and len(found) > 5
    boxes = [Label(unescape(text), float(x), float(y), anchor).box for x, y, anchor, text in found]
    assert sum(one.covers(other) for one, other in combinations(boxes, 2)) == 0.0


def test_crowded_bars() -> None:
    """Ten names on five bars in a small picture: all inside, none over another."""
    rng = np.random.default_rng(2)
    bars = [(f"link_{i}", *(tuple(p) for p in rng.uniform(60, 340, (2, 2)))) for i in range(10)]
    found = [label.box for label in labels(bars, [], (400.0, 400.0))]
    page = Box(0.0, 0.0, 400.0, 400.0)
    assert all(page.covers(box) == pytest.approx((box.right - box.left) * (box.bottom - box.top)) for box in found)
    assert sum(one.covers(other) for one, other in combinations(found, 2)) == 0.0
