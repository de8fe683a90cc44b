/* Nearest points of two convex shapes. */

#ifndef KG_GEOMETRY_NEAREST_H
#define KG_GEOMETRY_NEAREST_H

#include "placed.h"

/* 1: apart, with the nearest points x of a and y of b; 0: they meet, in x = y; -1: further apart than `far`. */
int kg_nearest(const kg_placed *a, const kg_placed *b, double far, double *x, double *y);

#endif
