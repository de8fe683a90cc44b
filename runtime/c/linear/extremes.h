/* The larger and the smaller of two numbers, the other one where one is not a number: fmax and fmin of <math.h>, which
 * compilers leave calls of the C library. */

#ifndef KG_LINEAR_EXTREMES_H
#define KG_LINEAR_EXTREMES_H

static inline double kg_max(double a, double b)
{
    return a > b || b != b ? a : b;
}

static inline double kg_min(double a, double b)
{
    return a < b || b != b ? a : b;
}

#endif
