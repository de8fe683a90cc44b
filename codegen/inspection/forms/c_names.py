"""Names that C has taken where a text is compiled behind `#include <math.h>`, in any of its versions."""

from __future__ import annotations

import re

from kinegen.runtime.errors import ModelError, shown

from ...symbolic.names import C_WORDS, identifiers

_LATER_WORDS = (  # C11 and C23
    "alignas alignof atomic bool constexpr false generic noreturn nullptr static_assert thread_local true typeof_unqual"
)
_FUNCTIONS = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma "
    "fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan "
    "nearbyint nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma "
    "trunc"
)
_MACROS = (
    "FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO "
    "HUGE_VAL HUGE_VALF HUGE_VALL INFINITY MATH_ERREXCEPT MATH_ERRNO MAXFLOAT M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 "
    "M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAN fpclassify isfinite isgreater isgreaterequal "
    "isinf isless islessequal islessgreater isnan isnormal isunordered linux math_errhandling signbit unix"
)
_OF_POSIX = "drem finite gamma j0 j1 jn scalb signgam significand y0 y1 yn"

IN_USE = frozenset(f"{_LATER_WORDS} {_FUNCTIONS} {_MACROS}".split())
"""What no variable may be called."""
DECLARED = (
    IN_USE | C_WORDS | {f"{name}{kind}" for name in f"{_FUNCTIONS} {_OF_POSIX}".split() for kind in ("", "f", "l")}
)
"""What no function may be called."""


def check_function_name(name: str) -> None:
    """ModelError where a function of C cannot have this name."""
    if not name.isidentifier() or not name.isascii():
        raise ModelError(f"c: {shown(name)} is no name for a C function: letters, digits and underscores")
    if name in DECLARED or re.match("_[A-Z_]", name):
        raise ModelError(
            f"c: {shown(name)} is a name of C or of <math.h>; give another, such as 'my_{name.strip('_')}'"
        )


def variables(names: list[str], *arguments: str) -> list[str]:
    """The names of variables as C can have them, other than those of the arguments."""
    return identifiers([*arguments, *sorted(IN_USE), *names])[len(arguments) + len(IN_USE) :]
