/* Vectors of three numbers. */

#ifndef KG_LINEAR_VECTORS_H
#define KG_LINEAR_VECTORS_H

#include <math.h>

#include "entry.h"

static inline kg_entry kg_dot3(const kg_entry *a, const kg_entry *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b; c is neither of them. */
static inline void kg_cross3(const kg_entry *a, const kg_entry *b, kg_entry *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* The angle, 0 to pi, of the rotation D (3, 3), exact also where it is small or near pi; sine (3): its axis times its
 * sine. */
static inline double kg_turned_by(const double *D, double *sine)
{
    sine[0] = 0.5 * (D[7] - D[5]);
    sine[1] = 0.5 * (D[2] - D[6]);
    sine[2] = 0.5 * (D[3] - D[1]);
    return atan2(sqrt(sine[0] * sine[0] + sine[1] * sine[1] + sine[2] * sine[2]), 0.5 * (D[0] + D[4] + D[8] - 1.0));
}

#endif
