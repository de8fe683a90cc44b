/* Types and lookups that the parts of contact share. Tables of the model: SHAPE, PAIR or RUN, SURFACE, LIMIT, LOCK,
 * STICTION, PATH, and in trees ROW, ENTRY, SUPPORT, ANSWERS, BLOCK, SHARED, if there are several TREE, SEAT and
 * BY_TREE, in libraries CARRIER and what look_at_pairs reads; where frictions of pairs depend on parameters the
 * function look_at_frictions. */

#ifndef KINEGEN_CONTACT_TABLES_H
#define KINEGEN_CONTACT_TABLES_H

#include "../linear/short_rows.h"
#include "../linear/extremes.h"
#include "../linear/vectors.h"

enum { PLAIN = 4 }; /* sweeps at both ends that follow no mean */

typedef MODEL(contact) contact;
typedef MODEL(contacts) contacts;
typedef MODEL(contact_workspace) workspace;
typedef MODEL(contact_options) options;

/* Numbers that tell the motion of a slot: six of a link, one of a coordinate. */
static inline int width_of(int s)
{
    return s < LINKS ? 6 : 1;
}

/* arm = x as seen from the origin of slot s: twists and wrenches of links are about a place of their own tree, since
 * what they answer about a place so many of their sizes away is lost to rounding in the square of that. */
static inline void seen_by(int s, const double *x, double *arm, const workspace *ws)
{
    for (int k = 0; k < 3; k++)
        arm[k] = x[k] - ws->origins[s][k];
}

/* Velocity u (3) at x of what moves with link s, whose twist is given. */
static inline void velocity_at(int s, const double *twist, const double *x, double *u, const workspace *ws)
{
    double arm[3];
    seen_by(s, x, arm, ws);
    for (int k = 0; k < 3; k++)
        u[k] = twist[k] + twist[3 + (k + 1) % 3] * arm[(k + 2) % 3] - twist[3 + (k + 2) % 3] * arm[(k + 1) % 3];
}

/* Slot of the first or second side of row i. */
static inline int slot_of(const workspace *ws, long i, int side)
{
    return side ? ws->at[i].b : ws->at[i].a;
}

#if HAS_CUT_LIMITS
/* Dof of the cut joint whose bounded coordinate slot s is, from NV on; less: it is of none. */
static inline int cut_dof_of(int s)
{
    return s >= LINKS && s < LINKS + LIMITS ? LIMIT[s - LINKS].v : 0;
}

#endif
/* The column y of a coordinate, one number for each dof, or each independent velocity where loops close. */
static inline double *column_of_coordinate(int s, workspace *ws)
{
    return ws->y[s][0];
}

/* D^-1 y of a coordinate, beside its y. */
static inline double *weighted_column(int s, workspace *ws)
{
    return column_of_coordinate(s, ws) + NV;
}

/* Slots that may answer each other are of one tree; slot k of all when they stand tree by tree. */
static inline int same_tree(int a, int b)
{
#if HAS_TREES
    return TREE[a] == TREE[b];
#else
    (void)a, (void)b;
    return 1;
#endif
}

static inline int slot_by_tree(int k)
{
#if HAS_TREES
    return BY_TREE[k];
#else
    return k;
#endif
}

/* Slot: what a row pushes, a link or, after them, a bounded coordinate; -1: the world. */
#if HAS_SHAPES
static inline shape_pair pair_at(long pair)
{
#if HAS_LISTED_PAIRS
    return PAIR[pair];
#else
    int low = 0, high = RUNS;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (RUN[middle].start <= pair)
            low = middle;
        else
            high = middle;
    }
    const int shape = RUN[low].shape, other = RUN[low].later + (int)pair - RUN[low].start;
    const shape_pair found = {RUN[low].turned ? other : shape, RUN[low].turned ? shape : other, RUN[low].surface};
    return found;
#endif
}

static inline int first_slot(long pair)
{
#if HAS_TURNING
    pair -= pair >= FIRST_TURNING ? FIRST_TURNING : 0; /* moments act on the links of their pair */
#endif
    return pair < PAIRS ? SHAPE[pair_at(pair).first].slot : -1;
}

static inline int second_slot(long pair)
{
#if HAS_TURNING
    pair -= pair >= FIRST_TURNING ? FIRST_TURNING : 0;
#endif
    return pair < PAIRS ? SHAPE[pair_at(pair).second].slot : LINKS + (int)pair - PAIRS;
}

static inline double friction_of(const workspace *ws, long pair)
{
#if HAS_OPEN_FRICTIONS
    if (pair < PAIRS && SURFACE[pair_at(pair).surface].open >= 0)
        return ws->open_friction[SURFACE[pair_at(pair).surface].open];
#else
    (void)ws;
#endif
    return pair < PAIRS ? SURFACE[pair_at(pair).surface].friction : 0.0;
}

static inline double restitution_of(long pair)
{
    return pair < PAIRS ? SURFACE[pair_at(pair).surface].restitution : 0.0;
}
#else
static inline int first_slot(long pair)
{
    (void)pair;
    return -1;
}

static inline int second_slot(long pair)
{
    return LINKS + (int)pair - PAIRS;
}

static inline double friction_of(const workspace *ws, long pair)
{
    (void)ws, (void)pair;
    return 0.0;
}

static inline double restitution_of(long pair)
{
    (void)pair;
    return 0.0;
}
#endif

#if HAS_TURNING
static inline int resists_turning(long pair)
{
    const int surface = pair_at(pair).surface;
    return SURFACE[surface].torsion > 0.0 || SURFACE[surface].rolling > 0.0;
}

#endif
/* The pair does not touch, or the joint of the limit is not there, with what is active just now. */
static inline int is_idle(const workspace *ws, int pair)
{
#if HAS_SWITCHES
    return ws->idle[pair];
#else
    (void)ws, (void)pair;
    return 0;
#endif
}

#if HAS_SWITCHES
/* Pairs that do not touch with what is active in p: links that hang together through joints that can be cut, the two
 * sides of a connection; limits of joints that are not there. */
static void look_at_pairs(const double *p, workspace *ws)
{
#if HAS_SHAPES
    int whole[PIECES];
    for (int i = 0; i < PIECES; i++)
        whole[i] = i;
    for (int k = 0; k < CUTS; k++) {
        const int a = whole[CUT[k].first], b = whole[CUT[k].second];
        for (int i = 0; p[CUT[k].flag] != 0.0 && i < PIECES; i++)
            whole[i] = whole[i] == b ? a : whole[i];
    }
    for (int i = 0; i < PAIRS; i++) {
        const shape_pair pair = pair_at(i);
        const int a = PIECE[pair.first], b = PIECE[pair.second];
        ws->idle[i] = CUTS && a >= 0 && b >= 0 && whole[a] == whole[b];
    }
    for (int k = 0; k < SIDES; k++)
        if (p[CONNECTED[k].flag] != 0.0)
            ws->idle[CONNECTED[k].pair] = 1;
#endif
    for (int k = 0; k < LIMITS; k++)
        ws->idle[PAIRS + k] = LIMIT[k].flag >= 0 && p[LIMIT[k].flag] == 0.0;
}
#endif

#endif
