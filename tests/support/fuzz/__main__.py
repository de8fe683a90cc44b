"""More mutants, calls and damaged states than the tests take.

PYTHONPATH=tests python -m support.fuzz --count 20000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from .run import call, go_on_from, run
from .seeds import READERS

CHUNK = 50
OTHERS = {"arguments": call, "states": go_on_from}


def main() -> int:
    parser = argparse.ArgumentParser(description="Read mutants of files; every error but a KinegenError is printed.")
    parser.add_argument("--count", type=int, default=20_000, help="mutants, calls and states together")
    parser.add_argument("--seed", type=int, default=0, help="the first seed; those of the tests begin at 0")
    parser.add_argument("--kind", choices=[*READERS, *OTHERS], help="one format, the calls, or the states, only")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin nothing more after so long")
    asked = parser.parse_args()
    end = time.monotonic() + 60.0 * asked.minutes
    kinds = [asked.kind] if asked.kind else [*READERS, *OTHERS]
    each, found = -(-asked.count // len(kinds)), 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            read = refused = 0
            next_seed = asked.seed
            for first in range(asked.seed, asked.seed + each, CHUNK):
                if time.monotonic() > end:
                    break
                seeds = range(first, min(first + CHUNK, asked.seed + each))
                outcome = OTHERS[kind](seeds) if kind in OTHERS else run(kind, seeds, Path(folder))
                read, refused = read + outcome.read, refused + outcome.refused
                for finding in outcome.findings:
                    found += 1
                    print(f"--- {finding.kind}, seed {finding.seed}\n{finding.error}", flush=True)
                next_seed = seeds.stop
            print(f"{kind}: {read} read, {refused} refused, seeds {asked.seed} to {next_seed - 1}", flush=True)
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main())
