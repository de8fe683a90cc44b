"""The pages as a site: it is built without a warning, asks nothing of the network, and has every public name."""

from __future__ import annotations

import builtins
import inspect
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.homes import HOMES, MODULES
from support.fuzz.public import everything

ROOT = Path(__file__).parents[2]
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """What a page loads by itself, and the places that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in LOADED and (value := given.get(LOADED[tag])) and given.get("rel") != "canonical":
            self.loads.append(value)
        if name := given.get("id"):
            self.places.add(name)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(folder / "html")]
    options = ["-d", str(folder / "trees"), "-D", "live_pages=0"]  # tests/live makes such pages
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    """Functions and classes, and the methods of classes, each where a link can lead to."""
    text = (site / "reference.html").read_text(encoding="utf-8")
    places = Page(text).places
    classes = {
        name
        for name in {*kg.__all__, *MODULES, *(name for names in HOMES.values() for name in names)}
        if inspect.isclass(getattr(kg, name))
    }
    called = {name for name in everything() if name in kg.__all__ or name.rpartition(".")[0] in classes}
    public = sorted(name for name in called if name.replace(".", "").isidentifier() and "__" not in name)
    assert len(public) > 200
    assert [name for name in public if f"kinegen.{name}" not in places] == []
    assert [name for name in kg.__all__ if name not in text] == []


def test_pages_ask_nothing_of_the_network(site: Path) -> None:
    pages = [*site.glob("*.html"), *site.glob("notebooks/*.html")]
    loads = {(page, load) for page in pages for load in Page(page.read_text("utf-8")).loads}
    assert len(loads) > 20
    assert [(page.name, load) for page, load in loads if re.match(r"(https?:)?//", load)] == []
    assert [
        (page.name, load)
        for page, load in loads
        if not (page.parent / load.partition("?")[0].partition("#")[0]).exists()
    ] == []


def test_every_page_can_be_reached(site: Path) -> None:
    contents = (site / "index.html").read_text(encoding="utf-8")
    pages = [page.stem for page in (ROOT / "docs").glob("*.md") if page.stem != "index"]
    assert [page for page in pages if f'href="{page}.html"' not in contents] == []


def test_messages_that_the_page_explains_are_still_said() -> None:
    """Every message in the tables of docs/messages.md stands in the code, whose strings are joined as Python does."""
    kinds = [(ROOT / room, kind) for room in ("api", "codegen", "runtime") for kind in ("*.py", "*.h")]
    files = [path for room, kind in kinds for path in room.rglob(kind)]
    code = "\n".join(re.sub(r"""["']\s*\n\s*f?["']""", "", path.read_text(encoding="utf-8")) for path in files)
    rows = re.findall(r"^\|(.*)\|$", (ROOT / "docs/messages.md").read_text(encoding="utf-8"), re.MULTILINE)
    cells = [cell for row in rows for cell in row.split("|")[:2]]
    said = [told[1] for cell in cells if (told := re.fullmatch(r" `([^`]* [^`]*)` ", cell))]
    assert len(said) > 20
    assert [text for text in said if text not in code] == []


def test_every_warning_and_error_is_explained() -> None:
    text = (ROOT / "docs/messages.md").read_text(encoding="utf-8")
    kinds = [name for name in kg.__all__ if name.endswith(("Error", "Warning"))]
    assert len(kinds) > 6 and [name for name in kinds if f"`{name}`" not in text and f"kg.{name}`" not in text] == []


def test_every_class_that_the_page_of_messages_names_is_where_it_says() -> None:
    """Of kinegen itself where no module is said, so that it can be caught or turned into an error."""
    text = (ROOT / "docs/messages.md").read_text(encoding="utf-8")
    named = re.findall(r"`(?:(kinegen(?:\.\w+)*)\.)?(\w+(?:Error|Warning))`", text)
    homes = [(home or "kinegen", name) for home, name in named if not hasattr(builtins, name)]
    assert len(homes) > 6 and [one for one in homes if not hasattr(import_module(one[0]), one[1])] == []
