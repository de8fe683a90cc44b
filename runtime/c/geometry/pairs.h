/* Points of contact of two shapes, by their kinds; see kg_meet. Give room for KG_MOST_POINTS. */

#ifndef KG_GEOMETRY_PAIRS_H
#define KG_GEOMETRY_PAIRS_H

#include "placed.h"

int kg_sphere_sphere(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t);
int kg_ball_solid(
    const double *c, double radius, const kg_placed *solid, long long feature, double margin, kg_touch *t);
int kg_sphere_capsule(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t);
int kg_capsule_capsule(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t);
int kg_plane_shape(const kg_placed *plane, const kg_placed *s, double margin, kg_touch *t);
int kg_plane_hull(const kg_placed *plane, const kg_placed *s, double margin, kg_touch *t);
int kg_field_shape(const kg_placed *ground, const kg_placed *shape, double margin, kg_touch *t);
int kg_box_box(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t);
int kg_hull_hull(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t);
int kg_round_solid(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t);

#endif
