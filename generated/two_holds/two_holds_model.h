/* two_holds: what the C in kinegen/, which does not depend on the mechanism, needs to know of it. */

#ifndef TWO_HOLDS_MODEL_H
#define TWO_HOLDS_MODEL_H

/* The model's own name for a function or type, and a call of one of its kernels. */
#define MODEL(name) two_holds_##name
#define KERNEL(name, ...) two_holds_##name(p, __VA_ARGS__)

#define HAS_LOOPS 1
#define HAS_SWITCHES 1
#define HAS_SPECIALISED 0
#define HAS_CLOSING 0
#define HAS_GOING_ON 0
#define HAS_FACTORED 0
#define HAS_FACTORED_ALIKE 0
#define HAS_PULLED 0
#define HAS_CORE 1
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
#define HAS_PARAMETERS 1

enum {
    NQ = 2,
    NV = 2,
    BODIES = 2,
    TREE_AXES = 2,
    PARAMETERS = 26,
    GOAL = 9,
    LANE_RUNS = 64,
    CUT_Q = 2,
    CUT_V = 2,
    LOOPS = 2,
    ROWS = 10,
    SIDE = 11,
    RANK = 0,
    CUT_ANGLES = 2,
    CUT_BOUNDS = 0,
    LAGS = 4,
    MOST_CONDITIONS = 64,
};

/* Part of a step within which two moments are the same. */
#define SAME_MOMENT 1e-9

/* By which loops are judged. */
#define PINNED 1e-5
#define RANK_TOLERANCE 1e-5
#define SINGULAR 0.001
#define TIED 1.000001
#define KEPT_RATIO 0.01
#define KEPT_RATIO_MISFIT 0.2
#define CLOSED_GAP 1e-10
#define MARGIN 20.0
#define NOTICED_GAP 1e-6
#define INERT 1e-12

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
