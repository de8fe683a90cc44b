/* two_hulls: constraint rows of a step: contacts of links with each other and with the world, joints at their
 * limits. SI units, world axes; twists and wrenches of links are about a place of their tree; quaternions [x y z w].
 * What does not depend on the mechanism stands in kinegen/contact; here are its tables. */

#include <math.h>
#include <string.h>
#include "two_hulls.h"
#include "two_hulls_model.h"

/* 1/kg, over the mass of all links: how little a point may answer a force is judged by it. */
#define INVERSE_MASS 0.5

const two_hulls_contact_options two_hulls_contact_usual = {
    .tolerance = 1e-05,
    .depth = 0.0001,
    .recovery = 0.2,
    .recovery_speed = 0.5,
    .bounce = 0.05,
    .sweeps = 120,
};

#include "kinegen/passing/passing.h"

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

static const double VERTEX0[][3] = {
    { 0.15000000000000002, 0.0, -0.025 },
    { -0.05, 0.1, -0.025 },
    { -0.05, -0.1, -0.025 },
    { -0.05, 0.0, 0.07500000000000001 },
};
static const double FACE0[][4] = {
    { 0.3333333333333333, 0.6666666666666666, 0.6666666666666666, 0.03333333333333333 },
    { 0.0, 0.0, -1.0, 0.025 },
    { 0.3333333333333333, -0.6666666666666666, 0.6666666666666666, 0.03333333333333333 },
    { -1.0, 0.0, 0.0, 0.05 },
};
static const short START0[] = { 0, 3, 6, 9, 12 };
static const short CORNER0[] = { 0, 1, 3, 0, 2, 1, 0, 3, 2, 1, 2, 3 };
static const short EDGE0[][4] = {
    { 0, 1, 0, 1 },
    { 0, 2, 1, 2 },
    { 0, 3, 2, 0 },
    { 1, 2, 3, 1 },
    { 1, 3, 0, 3 },
    { 2, 3, 3, 2 },
};

static const kg_polyhedron HULL[] = {
    { 4, 4, 6, VERTEX0, FACE0, START0, CORNER0, EDGE0, 0.025 },
};

/* Pose in the link of the slot, in world for slot -1; reach: radius about the shape's centre. */
static const struct {
    int kind, slot;
    double size[3], R[9], p[3], reach;
    const kg_polyhedron *hull;
    const kg_terrain *ground;
} SHAPE[SHAPES] = {
    { KG_CONVEX, 0, { 0.0, 0.0, 0.0 }, { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 }, { -0.05, 0.0, 0.025 },
        0.1520690632574555, HULL + 0, 0 }, /* convex of left */
    { KG_CONVEX, 1, { 0.0, 0.0, 0.0 }, { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 }, { -0.05, 0.0, 0.025 },
        0.1520690632574555, HULL + 0, 0 }, /* convex of right */
};

/* Surfaces of pairs: friction, restitution. */
static const struct {
    double friction, restitution;
} SURFACE[] = {
    { 0.5, 0.0 },
};

/* A collision pair: two shapes, their surface. */
typedef struct {
    int first, second, surface;
} shape_pair;
static const shape_pair PAIR[PAIRS] = {
    { 0, 1, 0 },
};

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* Bounded coordinates, with places past the ends of q and v for cut joints, each of those with its flag in p, -1 for
 * always; number k is slot LINKS + k and pair PAIRS + k. */
static const struct {
    int q, v, flag;
    double low, high;
} LIMIT[LIMITS + 1] = {
    {0},
};

/* Motion axes and their dofs on the path of each slot; rows of L; dofs where its y is not zero; its answers to the
 * slots of its tree; dofs that two share. */
static const int PATH[SLOTS + 1] = { 0, 1, 2 };
static const int PATH_AXIS[] = { 0, 1 };
static const int PATH_DOF[] = { 0, 1 };
static const int ROW[NV + 1] = { 0, 0, 0 };
static const int ENTRY[] = { 0 };
static const int SUPPORT[SLOTS + 1] = { 0, 1, 2 };
static const int SUPPORT_DOF[] = { 0, 1 };
static const int ANSWERS[SLOTS + 1] = { 0, 1, 2 };
static const int BLOCK[] = { 0, 1 };
static const int SEAT[SLOTS] = { 0, 0 };
static const int TREE[SLOTS] = { 0, 1 };
static const int BY_TREE[SLOTS] = { 0, 1 };
static const int SHARED[] = { 0, 1, 2 };
static const int SHARED_DOF[] = { 0, 1 };

#include "kinegen/contact/shapes.h"
#include "kinegen/contact/contact.h"
