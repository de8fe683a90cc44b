/* Pushes: q moved by a displacement that is no velocity. What is pushed goes on as it did: links keep their velocities
 * along axes that rest, and every tree that hangs on nothing keeps its linear momentum and its angular momentum about
 * its own centre of mass (about its pivot where it hangs on a ball joint); loops gain no kinetic energy. */

#ifndef KINEGEN_STEP_PUSH_H
#define KINEGEN_STEP_PUSH_H

#if HAS_ROOTS
#include "../linear/symmetric.h"
#endif
#if HAS_LOOPS && HAS_ROWS
#include "push_loops.h"
#endif

/* The way that q is moved by, as if by velocities, and what the roots must keep, by turns (see note_momentum). */
typedef struct {
    double way[NV], kept[NV];
} displacement;

#if HAS_ROWS
static int is_pushed(const displacement *push)
{
    return kg_dot(NV, push->way, push->way) != 0.0;
}

#if HAS_ROOTS
/* Of all roots by turns: their rows of M v, and their blocks of M, which are the inertia of a whole tree as one
 * body. */
typedef struct {
    double h[ROOT_V], M[ROOT_M];
} root_terms;

static void root_terms_at(const simulation *s, const double *q, const double *v, root_terms *t)
{
    const double *p = s->p;
    KERNEL(root_terms, q, v, t->h, t->M);
}

/* Angular momentum (its places in h) of a root about the centre of mass, or back about its origin for sign -1. Mass and
 * first moment stand in M. */
static void shift_momentum(const root *r, const double *M, double sign, double *h)
{
    const int n = r->nv;
    const double *last = M + n * (n - 1), over = sign / M[0];
    if (r->kind == PLANAR_ROOT)
        h[2] -= over * (last[0] * h[0] + last[1] * h[1]);
    if (r->kind == FREE_ROOT) {
        const double moment[3] = {last[1], -last[0], M[4 * n]};
        double x[3];
        kg_cross3(moment, h, x);
        for (int i = 0; i < 3; i++)
            h[3 + i] -= over * x[i];
    }
}

static void turn_momentum(const root *r, const double *q, double sign, double *h)
{
    if (r->kind == PLANAR_ROOT) {
        const double c = q[r->q + 2], z = sign * q[r->q + 3], x = c * h[0] - z * h[1];
        h[1] = z * h[0] + c * h[1];
        h[0] = x;
        return;
    }
    for (int i = 0; i < r->nv; i += 3)
        kg_turn(q + r->q + (r->kind == FREE_ROOT ? 3 : 0), sign, h + i, h + i);
}

/* What each root must keep, by turns in `kept`: along axes that rest. */
static void note_momentum(const simulation *s, const double *q, const double *v, double *kept)
{
    root_terms t;
    root_terms_at(s, q, v, &t);
    memcpy(kept, t.h, sizeof t.h);
    for (const root *r = ROOT; r->kind; r++) {
        shift_momentum(r, t.M + r->M, 1.0, kept + r->h);
        turn_momentum(r, q, 1.0, kept + r->h);
    }
}

/* 1 if the tree of a root is pushed: others keep their velocities to the last bit. */
static int is_pushed_tree(const root *r, const displacement *push)
{
    const int n = r->end - r->v;
    return kg_dot(n, push->way + r->v, push->way + r->v) != 0.0;
}

#if HAS_LOOPS
/* 1 if no loop holds a root: none of its velocities depends on others, and none depends on it. */
static int is_free_root(const simulation *s, const root *r)
{
    const partition *held = &s->memory->partition;
    const int m = held->rank, n = NV - m;
    int independent = 0;
    for (int j = 0; j < n; j++) {
        const int i = held->columns[m + j] - r->v;
        if (i < 0 || i >= r->nv)
            continue;
        independent++;
        for (int k = 0; k < m; k++)
            if (fabs(held->H[k * n + j]) > 1e-9)
                return 0;
    }
    return independent == r->nv;
}
#else
/* 1: nothing but rows holds a root. */
static int is_free_root(const simulation *s, const root *r)
{
    (void)s, (void)r;
    return 1;
}
#endif

/* Momentum that v lacks of what a root must keep (in place of kept, n) becomes the change of velocity that gives it:
 * the tree as one body, M_rr x = r, which of all changes has the least kinetic energy. */
static void as_one_body(const root *r, const double *q, root_terms *t, double *kept)
{
    double inverse[6], work[6];
    turn_momentum(r, q, -1.0, kept);
    shift_momentum(r, t->M + r->M, -1.0, kept);
    for (int i = 0; i < r->nv; i++)
        kept[i] -= t->h[r->h + i];
    kg_factor_ldl(r->nv, t->M + r->M, inverse, work);
    kg_solve_factored(r->nv, t->M + r->M, inverse, kept);
}
#endif

/* q moved by push, where that is not nothing; what the roots must keep is noted. */
static void move(const simulation *s, displacement *push, double *q, double *v)
{
    if (!is_pushed(push))
        return;
#if HAS_ROOTS
    note_momentum(s, q, v, push->kept);
#endif
#if HAS_LOOPS
    push_loops(s, push->way, q, v);
#else
    (void)s;
    MODEL(displace)(push->way, q, v);
#endif
}

/* v changed at the root of each pushed tree so that it keeps what it must. At the end of a step. */
static void keep_momentum(const simulation *s, const displacement *push, const double *q, double *v)
{
#if HAS_ROOTS
    root_terms t;
    if (!is_pushed(push))
        return;
    root_terms_at(s, q, v, &t);
    for (const root *r = ROOT; r->kind; r++) {
        double x[6];
        if (!is_pushed_tree(r, push) || !is_free_root(s, r))
            continue;
        memcpy(x, push->kept + r->h, (size_t)r->nv * sizeof *x);
        as_one_body(r, q, &t, x);
        for (int i = 0; i < r->nv; i++)
            v[r->v + i] += x[i];
    }
#else
    (void)s, (void)push, (void)q, (void)v;
#endif
}
#endif

#endif
