/* The larger and the smaller of two numbers, the other one where one is not a number: fmax and fmin of <math.h>, which
 * compilers leave calls of the C library. */

#ifndef KG_LINEAR_EXTREMES_H
#define KG_LINEAR_EXTREMES_H

#include "real.h"

static inline kg_real kg_max(kg_real a, kg_real b)
{
    return a > b || b != b ? a : b;
}

static inline kg_real kg_min(kg_real a, kg_real b)
{
    return a < b || b != b ? a : b;
}

#endif
