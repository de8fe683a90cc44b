/* What a number is: a float where KG_SINGLE is defined before anything of this library is included, else a double, that
 * computes as IEEE 754 says; loops that are written out; copies. */

#ifndef KG_LINEAR_REAL_H
#define KG_LINEAR_REAL_H

#include <string.h>

/* Sums are in the order in which they stand (sines round by a large number that is added and taken away), and NaN is
 * told. Products may be fused with sums, divisors inverted. Clang does not tell -funsafe-math-optimizations. */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST)                                     \
    || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error this C computes wrongly with -ffast-math, -Ofast and the like (sines would be 0, NaN a number): leave them out
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 2
#error the x87 keeps more digits than a double has, and rounds twice: compile with -msse2 -mfpmath=sse
#endif
#if defined(__clang__) && __clang_major__ >= 14
#pragma clang fp reassociate(off)
#endif

/* Sizes are constants, and small ones leave loops without a turn: GCC unrolls them first and removes them last, and
 * between warns of what they would read. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#ifdef KG_SINGLE
#include <stdint.h>
typedef float kg_real;
typedef int32_t kg_bits; /* an integer as wide */
#define KG_REAL_BYTES 4
#define KG_MATH(name) name##f /* a function of <math.h> */
#define KG_MAGNITUDE 0x7fffffff /* all bits but the sign */
#else
typedef double kg_real;
typedef long long kg_bits;
#define KG_REAL_BYTES 8
#define KG_MATH(name) name
#define KG_MAGNITUDE 0x7fffffffffffffffLL
/* GCC's -fsingle-precision-constant would make floats of constants, sines wrong by 1e-3, and no macro tells of it. */
typedef char kg_leave_out_fsingle_precision_constant[sizeof(1.0) == sizeof(double) ? 1 : -1];
#endif

/* Of numbers in memory, and so of vectors there: on 32-bit x86 a double may begin at any multiple of four. */
#if defined(__i386__) && !defined(_WIN32)
#define KG_REAL_ALIGNMENT 4
#else
#define KG_REAL_ALIGNMENT KG_REAL_BYTES
#endif

/* Before a loop over what the compiler knows, as axes and their tables: written out. */
#if defined(__clang__)
#define KG_UNROLLED _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define KG_UNROLLED _Pragma("GCC unroll 256")
#else
#define KG_UNROLLED
#endif

/* A constant, of which the compiler makes such a number. */
#define KG_REAL(x) ((kg_real)(x))

/* y = x, n numbers; a few one by one, as they were written just now: they are not yet where whole vectors are read. */
static inline void kg_copy(int n, const kg_real *x, kg_real *y)
{
    if (n > 16) {
        memcpy(y, x, (size_t)n * sizeof *y);
        return;
    }
    KG_UNROLLED
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}

/* n zeros, a constant: of a few the compiler writes vectors. */
static inline void kg_zeros(int n, kg_real *x)
{
    memset(x, 0, (size_t)n * sizeof *x);
}

#endif
