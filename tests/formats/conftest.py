"""What the tests of model files read their texts by."""

from __future__ import annotations

import pytest

from kinegen.codegen.mechanism import load


@pytest.fixture
def read(request, tmp_path):
    """A function from the text of a file, and options, to the mechanism; SUFFIX of the test's module, else MJCF."""

    def read(text, **options):
        file = tmp_path / f"model{getattr(request.module, 'SUFFIX', '.xml')}"
        file.write_text(text, encoding="utf-8")
        return load(file, **{"merge": False, **options})

    return read
