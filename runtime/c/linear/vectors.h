/* Vectors of three numbers. */

#ifndef KG_LINEAR_VECTORS_H
#define KG_LINEAR_VECTORS_H

static inline double kg_dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b; c is neither of them. */
static inline void kg_cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
