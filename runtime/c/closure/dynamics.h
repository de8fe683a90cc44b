/* Forward dynamics of a closed mechanism in its independent accelerations, A a_G = tau_G - b, a = W a_G + [c; 0],
 * c = H' v_G [N98 (17)-(19)], by A = W' M W and by unit vectors. */

#ifndef KINEGEN_CLOSURE_DYNAMICS_H
#define KINEGEN_CLOSURE_DYNAMICS_H

#include "reduced.h"
#if HAS_CORE
#include "../core/core.h"
#elif HAS_ROWS
/* Independent velocities stay in the order of the tree. */
static void core_first(const double *p, partition *held)
{
    (void)p, (void)held;
}
#endif

/* Nothing is active: all velocities are independent. */
static void partition_nothing(partition *held)
{
    held->rank = held->known = held->inverted = held->sparse = held->laid = held->first = held->until = 0;
    held->ratio = 1.0;
    for (int i = 0; i < NV; i++)
        held->columns[i] = i;
}

/* Partition at q, and c (m): the dependent accelerations that v alone makes. Returns 1 if the partition is a new
 * one. */
static int partition_at(
    const double *p, const double *q, const double *v, const double *ready, double soft, partition *held, double *c)
{
    double K[6 * LOOPS * NV], turning[6 * LOOPS];
    int row[ROWS];
    if (HAS_SWITCHES && !active_rows(p, row)) {
        partition_nothing(held);
        return 0;
    }
    KERNEL(closure_rows_bias, q, v, turning);
    if (is_known(held, q)) {
        solve_by_inverse(held, turning, c);
        return 0;
    }
    KERNEL(closure_rows, q, K);
    return partition_rows(p, K, turning, ready, soft, held, c);
}

#if HAS_MASSLESS
static void take_diagonal(int n, const double *A, double *diagonal)
{
    for (int k = 0; k < n; k++)
        diagonal[k] = A[k * n + k];
}

/* Where links without mass are the only ones that a motion moves, no acceleration is right: all are not numbers.
 * diagonal: of A before it was factored. */
static void refuse_massless(int n, const double *diagonal, const double *inverse, double *a)
{
    for (int k = 0; k < n; k++)
        if (!(inverse[k] > 0.0 && INERT * diagonal[k] * inverse[k] < 1.0))
            for (int i = 0; i < NV; i++)
                a[i] = (double)NAN;
}
#endif

/* Velocities whose readiness is 0 are given: in A x = b (independent ones; lower triangle of A) they are x = given (nv;
 * null: 0). Before A is factored. */
static void give(const partition *held, const double *ready, const double *given, double *A, double *b)
{
    const int m = held->rank, n = NV - m;
    for (int j = 0; j < n; j++)
        if (ready[held->columns[m + j]] == 0.0)
            kg_give_entry(n, A, b, j, given ? given[held->columns[m + j]] : 0.0);
}

/* From here on they answer no force. */
static void hold_given(const partition *held, const double *ready, double *inverse)
{
    const int m = held->rank;
    for (int j = 0; j < NV - m; j++)
        if (ready[held->columns[m + j]] == 0.0)
            inverse[j] = 0.0;
}

/* What dampers and friction at the end of a step add to M; null: nothing. */
typedef struct {
    const double *diagonal, *full; /* (nv), (nv, nv) */
} added_inertia;

static void damped_mass_matrix(const double *p, const double *q, added_inertia added, double *M)
{
    KERNEL(mass_matrix, q, M);
    for (int i = 0; added.diagonal && i < NV; i++)
        M[i * NV + i] += added.diagonal[i];
    for (int i = 0; added.full && i < NV * NV; i++)
        M[i] += added.full[i];
}

/* Accelerations (nv) under torques tau for this partition and c: with what is added to M,
 * A = W' M W, b = W' (M [0; c] + h - tau). given (nv; null: none): those of the velocities whose readiness is 0. f: how
 * A is factored; null: not asked for. */
static void solve_dynamics(const double *p, const double *q, const double *v, const double *tau, added_inertia added,
    const double *ready, const double *given, const partition *held, const double *c, reduced_factor *f, double *a)
{
#if HAS_CORE
    if (!given && !added.full) {
        core_dynamics(p, q, v, tau, added.diagonal, held, c, f, a);
        return;
    }
#endif
    reduced_factor own;
    double M[NV * NV], h[NV], a_G[NV] = {0.0};
    f = f ? f : &own;
#if HAS_CORE
    f->n = 0;
#endif
    damped_mass_matrix(p, q, added, M);
    KERNEL(bias, q, v, h);
    const int m = held->rank;
    for (int i = 0; i < NV; i++)
        h[i] = tau[i] - h[i];
    for (int k = 0; k < m; k++)
        kg_axpy(NV, -c[k], M + held->columns[k] * NV, h);
    reduce_inertia(held, M, f->A);
    gather(held, h, a_G);
    if (given)
        give(held, ready, given, f->A, a_G);
#if HAS_MASSLESS
    double diagonal[NV];
    take_diagonal(NV - m, f->A, diagonal);
#endif
    factor_reduced(NV - m, f->A, f->inverse);
    kg_solve_factored(NV - m, f->A, f->inverse, a_G);
    spread(held, a_G, c, a);
#if HAS_MASSLESS
    refuse_massless(NV - m, diagonal, f->inverse, a);
#endif
    if (given)
        hold_given(held, ready, f->inverse);
}

/* The same for the partition at q, when A is of no further use; an open tree (nothing active) of which no motion is
 * given goes along the tree. Returns 1 if the partition is a new one. */
static int reduced_dynamics(const double *p, const double *q, const double *v, const double *tau, added_inertia added,
    const double *ready, const double *given, double soft, partition *held, double *a)
{
    double c[SIDE];
#if HAS_SWITCHES
    int row[ROWS];
    if (!given && !active_rows(p, row)) {
        double d[NV];
        for (int i = 0; i < NV; i++)
            d[i] = (added.diagonal ? added.diagonal[i] : 0.0) + (added.full ? added.full[i * NV + i] : 0.0);
        if (added.diagonal || added.full)
#if HAS_CORE
            open_dynamics(p, q, v, tau, d, a);
#else
            KERNEL(forward_dynamics_open_damped, q, v, tau, d, a);
#endif
        else
            KERNEL(forward_dynamics_open, q, v, tau, a);
        partition_nothing(held);
        return 0;
    }
#endif
    const int anew = partition_at(p, q, v, ready, soft, held, c);
    solve_dynamics(p, q, v, tau, added, ready, given, held, c, 0, a);
    return anew;
}

/* The velocity on the closure that takes least energy to reach: v_G = A^-1 W' M v; energy does not rise. Velocities
 * whose readiness is 0 stay. */
static void shed(const double *p, const double *q, const double *ready, const partition *held, double *v)
{
    double M[NV * NV], A[NV * NV], inverse[SIDE], momentum[NV], v_G[NV];
    KERNEL(mass_matrix, q, M);
    reduce_inertia(held, M, A);
    for (int i = 0; i < NV; i++) {
        momentum[i] = 0.0;
        for (int j = 0; j < NV; j++)
            momentum[i] += M[i * NV + j] * v[j];
    }
    gather(held, momentum, v_G);
    give(held, ready, v, A, v_G);
    factor_reduced(NV - held->rank, A, inverse);
    kg_solve_factored(NV - held->rank, A, inverse, v_G);
    spread(held, v_G, 0, v);
}

/* Acceleration of every tree joint by A = W' M W. */
static void dynamics_reduced(const double *p, const double *q, const double *v, const double *tau, double *a)
{
    partition held;
    const added_inertia nothing = {0, 0};
    held.rank = -1;
    reduced_dynamics(p, q, v, tau, nothing, readiness, 0, 0.0, &held, a);
}

#if HAS_SPECIALISED
/* Acceleration of every tree joint by straight-line code; d (nv), null for nothing: added to the diagonal of M where
 * dampers or servos may act. Returns the pivot quality: above TRUSTED, a is right. */
static double straight_dynamics(
    const double *p, const double *q, const double *v, const double *tau, const double *d, double *a)
{
    double quality;
    static const double none[NV] = {0.0};
    KERNEL(forward_dynamics_specialised, q, v, tau, d ? d : none, a, &quality);
    return quality;
}
#endif

/* As above with any diagonal d added to M: dampers at the end of the step. */
static void dynamics_damped(
    const double *p, const double *q, const double *v, const double *tau, const double *d, double *a)
{
    partition held;
    const added_inertia dampers = {d, 0};
    held.rank = -1;
    reduced_dynamics(p, q, v, tau, dampers, readiness, 0, 0.0, &held, a);
}

/* Acceleration of every tree joint by unit vectors [N98 2.4 (1)-(5)]: inverse dynamics at a_G = 0 and a_G = e_i. */
static void dynamics_unit_vector(const double *p, const double *q, const double *v, const double *tau, double *a)
{
    partition held;
    double c[SIDE], torque[NV], b[NV], f[NV], A[NV * NV], inverse[SIDE], a_G[NV], right[NV];
    const double still[NV] = {0.0};
    held.rank = -1;
    partition_at(p, q, v, readiness, 0.0, &held, c);
    const int n = NV - held.rank;
    gather(&held, tau, right); /* (1) tau_G */
    spread(&held, still, c, a);
    KERNEL(inverse_dynamics, q, v, a, torque);
    gather(&held, torque, b); /* (2) b */
    for (int j = 0; j < n; j++) { /* (3) columns of A */
        for (int i = 0; i < n; i++)
            a_G[i] = i == j ? 1.0 : 0.0;
        spread(&held, a_G, c, a);
        KERNEL(inverse_dynamics, q, v, a, torque);
        gather(&held, torque, f);
        for (int i = 0; i < n; i++)
            A[i * n + j] = f[i] - b[i];
    }
    for (int i = 0; i < n; i++)
        right[i] -= b[i];
#if HAS_MASSLESS
    double diagonal[NV];
    take_diagonal(n, A, diagonal);
#endif
    factor_reduced(n, A, inverse); /* (4) */
    kg_solve_factored(n, A, inverse, right);
    spread(&held, right, c, a); /* (5) */
#if HAS_MASSLESS
    refuse_massless(n, diagonal, inverse, a);
#endif
}

#endif
