"""The languages that programs are printed in."""

from __future__ import annotations

from ...program.dialect import Dialect
from ...program.operations import CALLS

C_DOUBLE = Dialect(
    scalar="double",
    functions={name: {"Abs": "fabs"}.get(name, name) for name in CALLS},
    store="{array}[{index}] = {value};",
    assign="const double {name} = {value};",
    restrict="restrict ",
)
