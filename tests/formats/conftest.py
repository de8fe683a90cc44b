"""What the tests of MJCF read their files by; those of other formats have their own."""

from __future__ import annotations

import pytest

from kinegen.codegen.mechanism import load


@pytest.fixture
def read(tmp_path):
    """A function from the text of an MJCF file, and options, to the mechanism."""

    def read(text, **options):
        file = tmp_path / "model.xml"
        file.write_text(text, encoding="utf-8")
        return load(file, **{"merge": False, **options})

    return read
