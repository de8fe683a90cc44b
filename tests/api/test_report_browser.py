"""The report in a real browser (`pytest -m browser`, needs Chromium): no request, no complaint, nothing empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import kinegen as kg
from support.browser import browser
from support.mechanisms.closed_mechanisms import stewart
from support.mechanisms.robots import FOLDER

pytestmark = pytest.mark.browser

EXAMPLES = Path(__file__).parents[2] / "examples"
MECHANISMS: Mapping[str, Callable[[], kg.Mechanism]] = {
    "fourbar": lambda: kg.load(EXAMPLES / "fourbar.toml"),
    "talos": lambda: kg.load(FOLDER / "talos_data/robots/talos_reduced.urdf", root="free"),
    "stewart": stewart,
}


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.sweep if n == "talos" else ()) for n in MECHANISMS])
def test_report_opens_offline(name: str, tmp_path: Path) -> None:
    path = kg.report(MECHANISMS[name](), tmp_path / f"{name}.html")
    with browser(tmp_path / "profile") as chromium:
        page = chromium.open(path.as_uri())
        assert [url for url in page.requests if not url.startswith("data:")] == [path.as_uri()]
        assert page.errors == []
        assert chromium.value("document.compatMode") == "CSS1Compat"
        empty = "Array.from(document.querySelectorAll('{}')).filter(e => e.getBoundingClientRect().width < 2).length"
        for shown in ("svg", "section", "table", "pre.code", "math"):
            assert chromium.value(f"document.querySelectorAll('{shown}').length") > 0
            assert chromium.value(empty.format(shown)) == 0
        assert chromium.value("document.documentElement.scrollWidth <= innerWidth")
        tall = "Array.from(document.querySelectorAll('mtable')).every(e => e.getBoundingClientRect().height > 10)"
        assert chromium.value(tall)
        chromium.picture(tmp_path / f"{name}.png")
    assert (tmp_path / f"{name}.png").stat().st_size > 20_000


def test_the_browser_would_have_told(tmp_path: Path) -> None:
    """A page that does ask for something and does complain is seen to do so."""
    path = tmp_path / "loud.html"
    path.write_text('<!DOCTYPE html><img src="http://127.0.0.1:9/x.png"><script>console.error("no")</script>')
    with browser(tmp_path / "profile") as chromium:
        page = chromium.open(path.as_uri())
    assert "http://127.0.0.1:9/x.png" in page.requests
    assert "console: error" in page.errors and len(page.errors) > 1
