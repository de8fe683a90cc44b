/* Pushes: q moved by a displacement that is no velocity. What is pushed goes on as it did: links keep their velocities
 * along axes that rest, and every tree that hangs on nothing keeps its linear momentum and its angular momentum about
 * its own centre of mass (about its pivot where it hangs on a ball joint). */

#ifndef KINEGEN_STEP_PUSH_H
#define KINEGEN_STEP_PUSH_H

#if HAS_ROWS
/* Mass and first moment of what hangs on a root, along the root's axes: they stand in M. */
static double first_moment(const simulation *s, const root *r, double *moment)
{
    double mass = 0.0;
    memset(moment, 0, 3 * sizeof *moment);
    for (int k = 0; k < 2; k++) {
        double unit_v[NV] = {0.0}, h[NV];
        unit_v[r->v + k] = 1.0;
        momentum_of(s, unit_v, h);
        mass = h[r->v + k];
        if (r->kind == PLANAR_ROOT) {
            moment[k ? 0 : 1] = k ? h[r->v + 2] : -h[r->v + 2];
        } else {
            moment[k ? 0 : 1] = k ? h[r->v + 5] : -h[r->v + 5];
            moment[2] = k ? -h[r->v + 3] : h[r->v + 4];
        }
    }
    return mass;
}

/* Angular momentum (its places in h) of a root about the centre of mass, or back about its origin for sign -1. */
static void shift_momentum(const simulation *s, const root *r, double sign, double *h)
{
    double moment[3], x[3], p[3] = {h[0], h[1], 0.0};
    if (r->kind == BALL_ROOT)
        return;
    const double mass = first_moment(s, r, moment);
    if (r->kind == FREE_ROOT)
        p[2] = h[2];
    kg_cross3(moment, p, x);
    for (int i = 0; i < 3; i++)
        if (r->kind == FREE_ROOT)
            h[3 + i] -= sign * x[i] / mass;
    if (r->kind == PLANAR_ROOT)
        h[2] -= sign * x[2] / mass;
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

/* What each root must keep, at its places in `kept` (nv): along axes that rest. */
static void note_momentum(const simulation *s, const double *q, const double *v, double *kept)
{
    momentum_terms(s, q);
    momentum_of(s, v, kept);
    for (const root *r = ROOT; r->kind; r++) {
        shift_momentum(s, r, 1.0, kept + r->v);
        turn_momentum(r, q, 1.0, kept + r->v);
    }
}

static int is_pushed(const double *push)
{
    return kg_dot(NV, push, push) != 0.0;
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

static int has_free_root(const simulation *s)
{
    int found = 0;
    for (const root *r = ROOT; r->kind; r++)
        found |= is_free_root(s, r);
    return found;
}

/* q moved by push, where that is not nothing; push + nv: what the roots must keep. */
static void move(const simulation *s, double *push, double *q, double *v)
{
    if (!is_pushed(push))
        return;
    if (has_free_root(s))
        note_momentum(s, q, v, push + NV);
    MODEL(displace)(push, q, v);
}

/* v changed as a wrench on each pushed root changes it, so that the root keeps what it must. At the end of a step. */
static void keep_momentum(const simulation *s, const double *push, const double *q, double *v)
{
    double h[NV], g[NV], x[NV], kept[NV + 6]; /* room for a free root, also where there is none */
    if (!is_pushed(push) || !has_free_root(s))
        return;
    momentum_terms(s, q);
    for (const root *r = ROOT; r->kind; r++) {
        if (!is_free_root(s, r))
            continue;
        const int n = r->nv;
        double missing = 0.0, left = 0.0;
        memcpy(kept, push + NV + r->v, (size_t)n * sizeof *kept);
        turn_momentum(r, q, -1.0, kept);
        shift_momentum(s, r, -1.0, kept);
        momentum_of(s, v, h);
        memset(g, 0, sizeof g);
        for (int i = 0; i < n; i++) {
            g[r->v + i] = kept[i] - h[r->v + i];
            missing = kg_max(missing, fabs(g[r->v + i]));
        }
        if (missing == 0.0)
            continue;
        momentum_response(s, q, g, x);
        momentum_of(s, x, h);
        for (int i = 0; i < n; i++)
            left = kg_max(left, fabs(g[r->v + i] - h[r->v + i]));
        for (int i = 0; i < NV && left < 1e-6 * missing; i++) /* else a loop holds it: it is not free to keep any */
            v[i] += x[i];
    }
}
#endif

#endif
