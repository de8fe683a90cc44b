"""Files with values exchanged, doubled, emptied or replaced by nonsense are read, or refused by a ModelError."""

from __future__ import annotations

import random
import re
import warnings

import pytest

from kinegen.codegen.mechanism import load
from kinegen.runtime.errors import ModelError
from support.files.mjcf_texts import EQUALITIES, LOOP, MJCF, random_text
from support.files.sdf_texts import GEARBOX, SDF
from support.files.toml_texts import EVERYTHING, TOML

SEEDS = {
    "sdf": [SDF, SDF.replace("</model>", GEARBOX)],
    "xml": [MJCF, *(random_text(i) for i in range(3)), *(LOOP.format(text) for text in EQUALITIES.values())],
    "toml": [TOML, EVERYTHING],
}
NONSENSE = [
    "0",
    "-1",
    "nan",
    "inf",
    "1e400",
    "true",
    "[]",
    "world",
    "",
    "1 2 3",
    "0 0 0",
    "é",
    "1e-320",
    "9" * 20,
    "l/2",
]
VALUES = {
    "sdf": r'(?<=")[^"<>]+(?=")|(?<=>)[^<>]+(?=<)',
    "xml": r'(?<=")[^"<>]+(?=")',
    "toml": r'(?<=[=\[,] )[^\]\[{},\n]+|(?<=")[^"\n]+(?=")',
}


def mutated(rng, kind):
    text = rng.choice(SEEDS[kind])
    for _ in range(rng.randint(1, 3)):
        places = list(re.finditer(VALUES[kind], text))
        place, way = rng.choice(places), rng.random()
        new = rng.choice(NONSENSE) if way < 0.5 else rng.choice(places).group() if way < 0.9 else place.group() * 2
        text = text[: place.start()] + new + text[place.end() :]
    return text


@pytest.mark.parametrize("kind", SEEDS)
@pytest.mark.parametrize("seed", range(4))
def test_no_file_is_a_crash(tmp_path, kind, seed):
    rng = random.Random(seed)
    file = tmp_path / f"file.{kind}"
    read = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(150):
            file.write_text(mutated(rng, kind), encoding="utf-8")
            try:
                load(
                    file,
                    root="fixed" if kind == "toml" else rng.choice(["fixed", "free"]),
                    merge=rng.random() < 0.5,
                    unphysical="allow",
                )
                read += 1
            except ModelError as error:
                assert str(error).startswith(str(file))
    assert read > 0
