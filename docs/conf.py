"""The pages and the reference as one site: `sphinx-build -W -b html docs out/site`. It asks nothing of the network."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

from kinegen.codegen.build.toolchain import find_wasm_toolchain
from kinegen.runtime.errors import BuildError

project = "kinegen"
copyright = "the authors of kinegen"
extensions = ["myst_nb", "sphinx.ext.autodoc"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["Thumbs.db"]
nb_execution_mode = "off"  # with pictures: -D nb_execution_mode=force

html_theme = "furo"
html_title = "kinegen"
html_copy_source = False
html_show_sphinx = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_inherit_docstrings = False
autodoc_preserve_defaults = True

pygments_style = "friendly"


def plain(app: object, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """Docstrings are plain text with code in single backticks, which reStructuredText would read as markup."""
    parts = re.split("`+", "\n".join(lines))
    text = [re.sub(r"([\\*|_])", r"\\\1", part) for part in parts[::2]]
    code = [f"``{part}``" for part in parts[1::2]] + [""]
    joined = [
        f"{t}{c}" if not u[:1].isalnum() else f"{t}{c}\\ " for t, c, u in zip(text, code, [*text[1:], ""], strict=True)
    ]
    lines[:] = "".join(joined).split("\n")


def choose_pages(app: Any, config: Any) -> None:
    """Live pages are in the site (`only` live) if there is a compiler for them and they are not turned off."""
    if config.live_pages:
        try:
            find_wasm_toolchain()
        except BuildError:
            return
        app.tags.add("live")


def write_pages(app: Any, failed: Exception | None) -> None:
    if failed is None and app.builder.name == "html" and "live" in app.tags:
        main = runpy.run_path(str(Path(__file__).parents[1] / "examples/live_pages.py"))["main"]
        folder = Path(app.outdir) / "live"
        folder.mkdir(exist_ok=True)
        main(folder)


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", plain)
    app.add_config_value("live_pages", True, "env", types=[bool])
    app.connect("config-inited", choose_pages)
    app.connect("build-finished", write_pages)
