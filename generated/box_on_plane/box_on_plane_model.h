/* box_on_plane: what the C in kinegen/, which does not depend on the mechanism, needs to know of it. */

#ifndef BOX_ON_PLANE_MODEL_H
#define BOX_ON_PLANE_MODEL_H

/* The model's own name for a function or type, and a call of one of its kernels, which take no parameters. */
#define MODEL(name) box_on_plane_##name
#define KERNEL(name, ...) ((void)p, box_on_plane_##name(__VA_ARGS__))

#define HAS_LOOPS 0
#define HAS_SWITCHES 0
#define HAS_SPECIALISED 0
#define HAS_CLOSING 0
#define HAS_GOING_ON 0
#define HAS_FACTORED 0
#define HAS_FACTORED_ALIKE 0
#define HAS_PULLED 0
#define HAS_CORE 0
#define HAS_MASSLESS 0
#define HAS_PASSIVE 0
#define HAS_DAMPING 0
#define HAS_SPIN 1
#define HAS_TURNS 0
#define HAS_CUT_FORCES 0
#define HAS_CUT_DAMPING 0
#define HAS_CUT_LIMITS 0
#define HAS_ROLLING 0
#define HAS_ROWS 1
#define HAS_SHAPES 1
#define HAS_POSES 1
#define HAS_TERMS 1
#define HAS_BROAD_PHASE 0
#define HAS_LISTED_PAIRS 1
#define HAS_HELD_ROWS 0
#define HAS_LOCKS 0
#define HAS_TREES 0
#define HAS_COUPLED_PATHS 0
#define HAS_ISLANDS 0
#define HAS_TURNING 0
#define HAS_NEWTON 1
#define HAS_RIMS 0
#define HAS_FEW_POINTS 1
#define HAS_OPEN_FRICTIONS 0
#define HAS_ROOTS 1
#define HAS_BESIDE 1
#define HAS_PARAMETERS 0

enum {
    NQ = 7,
    NV = 6,
    BODIES = 1,
    TREE_AXES = 6,
    PARAMETERS = 1,
    GOAL = 9,
    LANE_RUNS = 64,
    CUT_Q = 0,
    CUT_V = 0,
    CAPACITY = 8,
    LINKS = 1,
    SLOTS = 1,
    AXES = 6,
    SHAPES = 2,
    PAIRS = 1,
    LIMITS = 0,
    LOCKS = 0,
    STICTIONS = 0,
    KEPT = 5,
    FIRST_ROW = 1,
    FIRST_STICTION = 1,
    BOUNDED = 0,
    RUNS = 0,
    PIECES = 1,
    CUTS = 0,
    SIDES = 0,
    NEWTON_GROUPS = 1,
    NEWTON_BLOCKS = 1,
    NEWTON_PARTS = 8,
    WITHIN_ROWS = 26,
    ROOT_V = 6,
    ROOT_M = 36,
};

/* Part of a step within which two moments are the same. */
#define SAME_MOMENT 1e-9

/* Integrators, by which a step is made. */
enum { SEMI_IMPLICIT, RK4 };
/* Sources of work. */
enum { BY_TORQUES, BY_SERVOS, BY_SPRINGS, BY_DAMPERS, BY_WRENCHES, BY_MOTIONS, BY_ROWS, SOURCES };
/* What a target of inverse kinematics is about. */
enum { POSITION, ORIENTATION, LOOK_AT, DIRECTION, CENTRE };
/* How a search of inverse kinematics ended. */
enum { REACHED, STATIONARY, OUT_OF_PASSES, OUT_OF_BOUNDS };
/* What a row of the contact problem is. */
enum { NO_ROW, NORMAL_ROW, TANGENT_ROW, HELD_ROW, BOUNDED_ROW, ABOUT_ROW, ACROSS_ROW };

#endif
