/* Two shapes: which function finds their points. */

#include "pairs.h"

int kg_meet(const kg_placed *a, const kg_placed *b, double margin, kg_touch *t)
{
    if (a->kind == KG_PLANE)
        return b->kind == KG_CONVEX ? kg_plane_hull(a, b, margin, t) : kg_plane_shape(a, b, margin, t);
    if (a->kind == KG_HEIGHT_FIELD)
        return kg_field_shape(a, b, margin, t);
    if (a->kind == KG_SPHERE && b->kind != KG_CONVEX)
        return b->kind == KG_SPHERE ? kg_sphere_sphere(a, b, margin, t)
            : b->kind == KG_CAPSULE ? kg_sphere_capsule(a, b, margin, t)
                                    : kg_ball_solid(a->p, a->size[0], b, 0, margin, t);
    if (a->kind == KG_CAPSULE && b->kind == KG_CAPSULE)
        return kg_capsule_capsule(a, b, margin, t);
    if (a->kind < KG_BOX)
        return kg_round_solid(a, b, margin, t);
    if (b->kind == KG_CONVEX)
        return kg_hull_hull(a, b, margin, t);
    return kg_box_box(a, b, margin, t);
}
