/* Shapes that pass each other within a step. */

#ifndef KG_PASSING_H
#define KG_PASSING_H

#include "../geometry/geometry.h"

/* How all points x of a shape about p go within a step, seen from another shape: u + w x (x - p). */
typedef struct {
    double u[3], w[3];
} kg_way;

/* The `count` points t of kg_meet, where shape b goes its `way` in the step: those that it would go against by more
 * than `hair` have the normal and the gap of another axis if it goes less against that, or not at all. That is so where
 * b passes by an edge, or comes to an edge at which the two overlap by less than `allowed`. Gives the number of points.
 */
int kg_pass(
    const kg_placed *a, const kg_placed *b, const kg_way *way, double allowed, double hair, kg_touch *t, int count);

#endif
