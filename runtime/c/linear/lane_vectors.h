/* Three-vectors of as many numbers as the processor takes at once: entry c of all of them stands in lane vector c. */

#ifndef KG_LINEAR_LANE_VECTORS_H
#define KG_LINEAR_LANE_VECTORS_H

#include <stdint.h>
#include "../compiler/inlining.h"
#include "lanes.h"
#include "real.h"

#if defined(__GNUC__)
enum { KG_LANES = KG_PIECE };
#define KG_ALIGNED __attribute__((aligned(64)))
#define KG_EXPECT(x) __builtin_prefetch(x, 1) /* to be written soon */
typedef kg_piece_marks kg_marks;
typedef double kg_pair __attribute__((vector_size(16), aligned(KG_REAL_ALIGNMENT), may_alias));
#else
enum { KG_LANES = 1 };
typedef double kg_lanes, kg_pair;
typedef int kg_marks;
#define KG_ALIGNED
#define KG_EXPECT(x) ((void)(x))
#endif

/* n rounded up to whole vectors of eight, whatever the width is. */
#define KG_WHOLE_EIGHTS(n) (((n) + 7) / 8 * 8)

/* The vector that begins at x. */
static inline const kg_lanes *kg_lanes_at(const double *x)
{
    return (const kg_lanes *)(const void *)x;
}

static inline kg_lanes *kg_lanes_to(double *x)
{
    return (kg_lanes *)(void *)x;
}

/* The same of two numbers. */
static inline const kg_pair *kg_pair_at(const double *x)
{
    return (const kg_pair *)(const void *)x;
}

static inline kg_pair *kg_pair_to(double *x)
{
    return (kg_pair *)(void *)x;
}

/* x where it is marked, else 0. */
static inline kg_lanes kg_lanes_where(kg_marks marks, kg_lanes x)
{
#if defined(__GNUC__)
    return (kg_lanes)((kg_marks)x & marks);
#else
    return marks ? x : 0.0;
#endif
}

/* out = a x b */
static inline void kg_lanes_cross(const kg_lanes *a, const kg_lanes *b, kg_lanes *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out += a x b */
static inline void kg_lanes_add_cross(const kg_lanes *a, const kg_lanes *b, kg_lanes *out)
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

/* Twists (w, u): out = (w x w', w x u' + u x w'). */
static inline void kg_lanes_twist(const kg_lanes *a, const kg_lanes *b, kg_lanes *out)
{
    kg_lanes_cross(a, b, out);
    kg_lanes_cross(a, b + 3, out + 3);
    kg_lanes_add_cross(a + 3, b, out + 3);
}

/* out += S x* F of a twist (w, u) and a wrench (n, f): (w x n + u x f, w x f). */
static inline void kg_lanes_add_turned(const kg_lanes *S, const kg_lanes *F, kg_lanes *out)
{
    kg_lanes_add_cross(S, F, out);
    kg_lanes_add_cross(S + 3, F + 3, out);
    kg_lanes_add_cross(S, F + 3, out + 3);
}

/* out = I x for the pseudo-inertia J = [m, s, xx xy xz yy yz zz] and a twist: (tr(S) w - S w + s x u, m u + w x s). */
static inline void kg_lanes_inertia(const kg_lanes *J, const kg_lanes *x, kg_lanes *out)
{
    const kg_lanes *s = J + 1, *S = J + 4;
    const kg_lanes trace = S[0] + S[3] + S[5];
    kg_lanes_cross(s, x + 3, out);
    out[0] += trace * x[0] - S[0] * x[0] - S[1] * x[1] - S[2] * x[2];
    out[1] += trace * x[1] - S[1] * x[0] - S[3] * x[1] - S[4] * x[2];
    out[2] += trace * x[2] - S[2] * x[0] - S[4] * x[1] - S[5] * x[2];
    kg_lanes_cross(x, s, out + 3);
    for (int c = 0; c < 3; c++)
        out[3 + c] += J[0] * x[3 + c];
}

/* x = 0, n numbers: most of them two vectors at a time, from where vectors begin in memory. */
static inline void kg_clear(int n, double *x)
{
    int i = 0;
#if defined(__GNUC__)
    const kg_lanes zero = {0.0};
    if (n >= 2 * KG_LANES) {
        *kg_piece_to(x, 0) = zero;
        for (i = KG_LANES - (int)((uintptr_t)x / sizeof *x % KG_LANES); i + 2 * KG_LANES <= n; i += 2 * KG_LANES)
            kg_piece_to(x + i, 0)[0] = kg_piece_to(x + i, 0)[1] = zero;
        i = n - 2 * KG_LANES;
        kg_piece_to(x + i, 0)[0] = kg_piece_to(x + i, 0)[1] = zero;
        return;
    }
#endif
    for (; i < n; i++)
        x[i] = 0.0;
}

#endif
