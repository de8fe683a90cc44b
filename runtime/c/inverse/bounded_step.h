/* The step of least squares within bounds: min 1/2 x'A x + g'x, s n'x <= d for every bound, by the dual method
 * (Goldfarb, Idnani, Math. Prog. 27, 1983), A = L'DL factored. */

#ifndef KINEGEN_INVERSE_BOUNDED_STEP_H
#define KINEGEN_INVERSE_BOUNDED_STEP_H

#include "../linear/symmetric.h"

#define COORDINATES (NV + CUT_V)
#define MET 1e-12 /* by so much [m, rad] a bound may be passed */

/* How far each coordinate may move down and up; its row n of `rows` (COORDINATES, n), null: coordinate i is x_i. */
typedef struct {
    double down[COORDINATES], up[COORDINATES];
    const double *rows;
} bounds;

/* Bounds that hold with equality: coordinate, sign, multiplier, A^-1 n, and how each answers the others (at most n). */
typedef struct {
    int count, coordinate[NV];
    double sign[NV], force[NV], y[NV * NV], answer[NV * NV];
} active_set;

static double along(const bounds *b, int n, int coordinate, const double *x)
{
    return b->rows ? kg_dot(n, b->rows + coordinate * n, x) : x[coordinate];
}

/* The bound that x passes most: its coordinate, sign and by how much; -1: none. */
static int passed_most(const bounds *b, int n, const double *x, double *sign, double *beyond)
{
    int worst = -1;
    *beyond = MET;
    for (int i = 0; i < COORDINATES; i++) {
        if (b->down[i] == -HUGE_VAL && b->up[i] == HUGE_VAL)
            continue;
        const double at = along(b, n, i, x), below = b->down[i] - at, above = at - b->up[i];
        if (kg_max(below, above) > *beyond) {
            worst = i;
            *beyond = kg_max(below, above);
            *sign = above > below ? 1.0 : -1.0;
        }
    }
    return worst;
}

/* r = (N'A^-1 N)^-1 N'y, what the active bounds answer to one more. */
static void answers(const active_set *s, const bounds *b, int n, const double *y, double *r)
{
    const int k = s->count;
    double S[NV * NV], inverse[NV], work[NV];
    for (int i = 0; i < k; i++) {
        for (int j = 0; j <= i; j++)
            S[i * k + j] = s->answer[i * NV + j];
        r[i] = s->sign[i] * along(b, n, s->coordinate[i], y);
    }
    kg_factor_ldl(k, S, inverse, work);
    kg_solve_factored(k, S, inverse, r);
}

static void hold_bound(
    active_set *s, const bounds *b, int n, int coordinate, double sign, double force, const double *y)
{
    const int k = s->count++;
    s->coordinate[k] = coordinate;
    s->sign[k] = sign;
    s->force[k] = force;
    memcpy(s->y + k * NV, y, (size_t)n * sizeof *y);
    for (int i = 0; i <= k; i++)
        s->answer[k * NV + i] = s->sign[i] * along(b, n, s->coordinate[i], y);
}

static void let_go(active_set *s, int gone)
{
    s->count--;
    for (int i = gone; i < s->count; i++) {
        s->coordinate[i] = s->coordinate[i + 1];
        s->sign[i] = s->sign[i + 1];
        s->force[i] = s->force[i + 1];
        memcpy(s->y + i * NV, s->y + (i + 1) * NV, NV * sizeof *s->y);
        for (int j = 0; j < i; j++)
            s->answer[i * NV + j] = s->answer[(i + 1) * NV + (j < gone ? j : j + 1)];
        s->answer[i * NV + i] = s->answer[(i + 1) * NV + i + 1];
    }
}

/* x moved until the bound, passed by `beyond`, is met, and those it drives out let go; 0: that cannot be. */
static int meet_bound(active_set *s, const bounds *b, int n, const double *L, const double *inverse, int coordinate,
    double sign, double beyond, double *x)
{
    double y[NV], z[NV], r[NV], force = 0.0;
    for (int i = 0; i < n; i++)
        y[i] = sign * (b->rows ? b->rows[coordinate * n + i] : i == coordinate ? 1.0 : 0.0);
    kg_solve_factored(n, L, inverse, y);
    const double answer = sign * along(b, n, coordinate, y);
    for (int pass = 0; pass <= 2 * n; pass++) {
        int driven = -1;
        double least = HUGE_VAL;
        answers(s, b, n, y, r);
        memcpy(z, y, (size_t)n * sizeof *z);
        for (int i = 0; i < s->count; i++) {
            kg_axpy(n, -r[i], s->y + i * NV, z);
            if (r[i] > 0.0 && s->force[i] < least * r[i]) {
                least = s->force[i] / r[i];
                driven = i;
            }
        }
        const double bend = sign * along(b, n, coordinate, z);
        const double full = bend > 1e-12 * answer ? beyond / bend : HUGE_VAL;
        const double t = kg_min(full, least);
        if (t == HUGE_VAL)
            return 0;
        if (full < HUGE_VAL) {
            kg_axpy(n, -t, z, x);
            beyond -= t * bend;
        }
        for (int i = 0; i < s->count; i++)
            s->force[i] -= t * r[i];
        force += t;
        if (full <= least) {
            if (s->count < n)
                hold_bound(s, b, n, coordinate, sign, force, y);
            return 1;
        }
        let_go(s, driven);
    }
    return 0;
}

/* x (n) as above, A given as L, 1/D; largest multiplier of a bound. */
static double bounded_step(const bounds *b, int n, const double *L, const double *inverse, const double *g, double *x)
{
    active_set s;
    double sign = 1.0, beyond, force = 0.0;
    s.count = 0;
    for (int i = 0; i < n; i++)
        x[i] = -g[i];
    kg_solve_factored(n, L, inverse, x);
    for (int pass = 0; pass < 4 * COORDINATES; pass++) {
        const int worst = passed_most(b, n, x, &sign, &beyond);
        if (worst < 0 || !meet_bound(&s, b, n, L, inverse, worst, sign, beyond, x))
            break;
    }
    for (int i = 0; i < s.count; i++)
        force = kg_max(force, s.force[i]);
    return force;
}

#endif
