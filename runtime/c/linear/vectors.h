/* Vectors of three numbers. */

#ifndef KG_LINEAR_VECTORS_H
#define KG_LINEAR_VECTORS_H

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

#endif
