/* spherical_pendulum: what the C in kinegen/, which does not depend on the mechanism, needs to know of it. */

#ifndef SPHERICAL_PENDULUM_MODEL_H
#define SPHERICAL_PENDULUM_MODEL_H

/* The model's own name for a function or type, and a call of one of its kernels, which take no parameters. */
#define MODEL(name) spherical_pendulum_##name
#define KERNEL(name, ...) ((void)p, spherical_pendulum_##name(__VA_ARGS__))

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
#define HAS_SPIN 0
#define HAS_TURNS 1
#define HAS_CUT_FORCES 0
#define HAS_CUT_DAMPING 0
#define HAS_CUT_LIMITS 0
#define HAS_ROLLING 0
#define HAS_ROWS 0
#define HAS_SHAPES 0
#define HAS_POSES 0
#define HAS_TERMS 0
#define HAS_BROAD_PHASE 0
#define HAS_LISTED_PAIRS 0
#define HAS_HELD_ROWS 0
#define HAS_LOCKS 0
#define HAS_TREES 0
#define HAS_COUPLED_PATHS 0
#define HAS_ISLANDS 0
#define HAS_TURNING 0
#define HAS_NEWTON 0
#define HAS_RIMS 0
#define HAS_FEW_POINTS 0
#define HAS_OPEN_FRICTIONS 0
#define HAS_ROOTS 0
#define HAS_BESIDE 0
#define HAS_PARAMETERS 0

enum {
    NQ = 4,
    NV = 3,
    BODIES = 1,
    TREE_AXES = 3,
    PARAMETERS = 1,
    GOAL = 9,
    LANE_RUNS = 64,
    CUT_Q = 0,
    CUT_V = 0,
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
