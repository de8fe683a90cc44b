"""Every "§" and every [key] in code, comments and pages leads to a section of docs/mathematics.md or a source.

A key stands in brackets, alone or with its place: [N98], [P (6)–(8)], [N98 Fig. 7], [S (4), B]. A "§" that follows no
key inside brackets is a section of docs/mathematics.md.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("api", "benchmarks", "codegen", "docs", "examples", "generated", "runtime", "templates", "tests")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
SUFFIXES = {".c", ".h", ".hpp", ".cpp", ".j2", ".md", ".py", ".toml"}
SECTIONS = set(re.findall(r"^## (\d+) ", (ROOT / "docs/mathematics.md").read_text(encoding="utf-8"), re.MULTILINE))
REFERENCES = (ROOT / "docs/references.md").read_text(encoding="utf-8")
SOURCES = re.findall(r"^- \*\*\[(\w+)\]\*\*", REFERENCES, re.MULTILINE)

PLACE = r"(?:§ ?\d|Figs?\.? ?\d|table \d|ch\. \d|\(\d|\d)[^,\[\]]*"
KEY = r"(?!Fig)[A-Z][A-Za-z]*(?:\d\d[a-z]?)?"
BRACKETS = re.compile(r"(?<![\w\])}])\[([^\[\]\n]+)\](?![(\[])")
CITED = re.compile(rf"({KEY}) (?:{PLACE})")
ALONE = re.compile(r"[A-Z][A-Za-z]*\d\d[a-z]?|[BPS]")  # [N], [J], [E] and the like are units and matrices
SECTION = re.compile(r"§ ?(\d+)")
NAMED_YEAR = re.compile(r"\b([A-Z][a-zé]+(?:-[A-Z][a-z]+)?)\b[^();]* ((?:19|20)\d\d)\b")
READ = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}  # since Python 3.12


@cache
def texts() -> tuple[tuple[str, int, str], ...]:
    """(file, number, line) of all that a reader may look at: of Python the comments and strings, else everything."""
    return tuple(_texts())


def _texts() -> Iterator[tuple[str, int, str]]:
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in SUFFIXES]
    for path in sorted(files) + [ROOT / page for page in PAGES]:
        if "out" in path.parts or "__pycache__" in path.parts or path == Path(__file__):
            continue
        name, text = str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
        if path.suffix != ".py":
            yield from ((name, n, line) for n, line in enumerate(text.splitlines(), 1))
            continue
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in READ:
                yield from ((name, token.start[0] + n, line) for n, line in enumerate(token.string.splitlines()))


def years(line: str) -> list[tuple[str, str]]:
    """(first name, year) that parentheses cite in words, as comments in C do: (Gilbert, Johnson and Keerthi 1988)."""
    inside = re.findall(r"\(([^()]+)\)", line)
    return [match.group(1, 2) for text in inside for part in text.split(";") if (match := NAMED_YEAR.search(part))]


def citations(line: str) -> list[str]:
    """The keys that a line cites."""
    found = []
    for inside in BRACKETS.findall(line):
        parts = [part.strip() for part in inside.split(",")]
        first = CITED.fullmatch(parts[0])
        if not first and not ALONE.fullmatch(parts[0]):
            continue
        for part in parts:
            cited = CITED.fullmatch(part)
            found += [cited[1]] if cited else [part] if ALONE.fullmatch(part) else []
    return found


def sections(line: str) -> list[str]:
    """The sections of mathematics.md that a line names: what stands in brackets after a key belongs to that source."""
    own = BRACKETS.sub(lambda match: re.sub(rf"\b{KEY}(?:,? {PLACE})+", "", match[0]), line)
    return SECTION.findall(own)


@cache
def cited() -> tuple[tuple[str, str], ...]:
    """(place, key) of every citation."""
    return tuple((f"{name}:{n}", key) for name, n, line in texts() for key in citations(line))


@pytest.mark.parametrize(
    ("line", "keys", "numbers"),
    [
        ("in closed form [N98 §2.2–2.3], see (§8, §11)", ["N98"], ["8", "11"]),
        ("[N98 §4, mathematics §9]", ["N98"], ["9"]),
        ("[S (9)(10), B] and [Norton §4.5, §6.7]; [N98 Figs 5, 6]", ["S", "B", "Norton", "N98"], []),
        ("force [N], J [6], [HZ], v[NV], [P](page.md), [R | p]", [], []),
        ("[X99], [Nobody (3)]: unknown keys are seen", ["X99", "Nobody"], []),
    ],
)
def test_what_counts_as_a_citation(line: str, keys: list[str], numbers: list[str]) -> None:
    assert citations(line) == keys
    assert sections(line) == numbers


def test_every_key_has_its_source() -> None:
    assert len(cited()) > 100
    assert [(place, key) for place, key in cited() if key not in SOURCES] == []


def test_every_author_and_year_has_its_source() -> None:
    entries = [" ".join(entry.split()) for entry in re.split(r"^- ", REFERENCES, flags=re.MULTILINE)[1:]]
    named = [
        (name, n, *found) for name, n, line in texts() if name.endswith((".c", ".h", ".j2")) for found in years(line)
    ]
    assert len(named) >= 3
    assert [each for each in named if not any(each[2] in entry and each[3] in entry for entry in entries)] == []


def test_every_section_exists() -> None:
    named = [(f"{name}:{n}", number) for name, n, line in texts() for number in sections(line)]
    assert len(named) > 50
    assert [(place, number) for place, number in named if number not in SECTIONS] == []


def test_no_citation_is_broken_by_the_end_of_a_line() -> None:
    broken = re.compile(rf"\[(?:{'|'.join(SOURCES)})$")
    assert [(name, n) for name, n, line in texts() if broken.search(line)] == []


def test_every_source_is_cited_and_listed_once() -> None:
    assert len(set(SOURCES)) == len(SOURCES)
    assert set(SOURCES) - {key for _, key in cited()} == set()


def test_links_between_pages_lead_somewhere() -> None:
    links = 0
    for page in [*(ROOT / "docs").glob("*.md"), *(ROOT / name for name in PAGES)]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).is_file(), f"{page.name}: {target}"
                links += 1
    assert links > 20


def test_paths_that_pages_name_exist() -> None:
    paths = 0
    for page in [*(ROOT / "docs").glob("*.md"), *(ROOT / name for name in PAGES)]:
        for path in re.findall(rf"\b(?:{'|'.join(ROOMS)})/[\w./-]*\w", page.read_text(encoding="utf-8")):
            if "NAME" not in path and path != "examples/out":
                assert (ROOT / path).exists(), f"{page.name}: {path}"
                paths += 1
    assert paths > 50
