"""Names in Latin letters: Greek ones by their names, letters with accents without them, of others where that is asked
their numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SMALL = "αβγδεζηθικλμνξοπρστυφχψω"  # which Unicode calls GREEK SMALL LETTER ALPHA, ..., LAMDA for λ
GREEK = {unicodedata.name(x).rpartition(" ")[2].lower().replace("lamda", "lambda"): x for x in _SMALL}
GREEK |= {word.capitalize(): letter.upper() for word, letter in GREEK.items()}
"""Letters by their names."""
_LATIN = {ord(letter): word for word, letter in GREEK.items()} | {ord("ς"): "sigma", ord("ϑ"): "theta", ord("ϕ"): "phi"}
_LATIN |= {ord("ß"): "ss", ord("ø"): "o", ord("Ø"): "O", ord("æ"): "ae", ord("Æ"): "AE", ord("ł"): "l", ord("Ł"): "L"}


def latin(name: str) -> str:
    """Greek letters by their names, letters with accents without them."""
    plain = unicodedata.normalize("NFKD", name).translate(_LATIN)
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def in_ascii(name: str) -> str:
    """In Latin letters; what has none by the number that Unicode gives it: theta of θ, u81c2 of 臂."""
    name = unicodedata.normalize("NFC", name)
    return "".join(own if (own := latin(sign)).isascii() else f"u{ord(sign):x}" for sign in name)


def parameter_name(*parts: str) -> str:
    """What a run-time parameter is called that WHAT of NAME becomes, an identifier for one such as "mass of arm-1":
    mass_arm_1, mass_theta of θ, mass_u81c2 of 臂, by the number that Unicode gives a letter."""
    return re.sub(r"\W", "_", in_ascii("_".join(part for part in parts if part)))


def parameter_names(what: str, owners: Sequence[str]) -> list[str]:
    """Of WHAT of all of these: of those that would be called the same, and have no parameters, as they are."""
    names = [parameter_name(what, owner) for owner in owners]
    return [x if names.count(x) == 1 else f"{what}_{owner}" for x, owner in zip(names, owners, strict=True)]
