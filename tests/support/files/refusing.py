"""What every reader owes to a file that it refuses."""

from __future__ import annotations

import pytest

from kinegen.codegen.mechanism import load
from kinegen.runtime.errors import ModelError


def assert_refused(file, text, words, **options):
    """The ModelError names the file first, and holds the words."""
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=words) as caught:
        load(file, **options)
    assert str(caught.value).startswith(str(file))
