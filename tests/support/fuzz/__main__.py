"""More mutants and calls than the tests take: PYTHONPATH=tests python -m support.fuzz --count 20000 --seed 1."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from .run import call, run
from .seeds import READERS

CHUNK, ARGUMENTS = 200, "arguments"


def main() -> int:
    parser = argparse.ArgumentParser(description="Read mutants of files; every error but a KinegenError is printed.")
    parser.add_argument("--count", type=int, default=20_000, help="mutants of all formats together")
    parser.add_argument("--seed", type=int, default=0, help="the first seed; those of the tests begin at 0")
    parser.add_argument("--kind", choices=[*READERS, ARGUMENTS], help="one format, or the calls, only")
    asked = parser.parse_args()
    kinds = [asked.kind] if asked.kind else [*READERS, ARGUMENTS]
    each, found = -(-asked.count // len(kinds)), 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            read = refused = 0
            for first in range(asked.seed, asked.seed + each, CHUNK):
                seeds = range(first, min(first + CHUNK, asked.seed + each))
                outcome = call(seeds) if kind == ARGUMENTS else run(kind, seeds, Path(folder))
                read, refused = read + outcome.read, refused + outcome.refused
                for finding in outcome.findings:
                    found += 1
                    print(f"--- {finding.kind}, seed {finding.seed}\n{finding.error}", flush=True)
            print(f"{kind}: {read} read, {refused} refused", flush=True)
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main())
