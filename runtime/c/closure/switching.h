/* Structure change: loops made active and let go while the mechanism moves, with the velocity boundary condition
 * [N98 4]. Tables of the model: loop_flag, loop_pose_at, loop_turned, cut_at; functions loop_pose, loop_wrench. */

#ifndef KINEGEN_CLOSURE_SWITCHING_H
#define KINEGEN_CLOSURE_SWITCHING_H

#include "../linear/semidefinite.h"
#include "closing.h"
#include "cut_joints.h"
#include "motion_memory.h"

#define DEPENDENT 1e-11 /* what is left of a row of J A^-1 J' that others give already */

/* The open frame of a loop set so that the coordinates of its joint are zero at q. */
static void take_pose(int loop, double *p, const double *q)
{
    static const double identity[12] = {1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    double X[12] = {0.0}, *pose = p + loop_pose_at[loop];
    memcpy(pose, identity, sizeof identity);
    loop_pose(loop, p, q, X);
    if (loop_turned[loop]) {
        memcpy(pose, X, sizeof X);
        return;
    }
    for (int i = 0; i < 3; i++) { /* [R | p]^-1 = [R' | -R'p] */
        for (int j = 0; j < 3; j++)
            pose[4 * i + j] = X[4 * j + i];
        pose[4 * i + 3] = -(X[i] * X[3] + X[4 + i] * X[7] + X[8 + i] * X[11]);
    }
}

/* Rows J of the loops in `joins`, times W, without those that the partition holds already: J (rows, n) and J v_G;
 * row: their numbers. Returns how many. */
static int joining_rows(const double *p_after, const int *joins, const double *q, const partition *held,
    const double *v_G, double *J, double *speed, int *row)
{
    const int n = NV - held->rank;
    double K[6 * LOOPS * NV];
    int rows = 0;
    MODEL(closure_rows)(p_after, q, K);
    for (int i = 0; i < ROWS; i++) {
        double *left = J + rows * NV, all = 0.0, rest = 0.0, sum = 0.0;
        if (!joins[row_of[i] / 6])
            continue;
        gather(held, K + row_of[i] * NV, left);
        for (int j = 0; j < NV; j++)
            all = kg_max(all, fabs(K[row_of[i] * NV + j] * unit[j]));
        for (int j = 0; j < n; j++)
            rest = kg_max(rest, fabs(left[j] * unit[held->columns[held->rank + j]]));
        if (!(rest > 1e-9 * all)) /* held by what is there */
            continue;
        for (int j = 0; j < n; j++) {
            left[j] *= row_scale[i];
            sum += left[j] * v_G[j];
        }
        speed[rows] = sum;
        row[rows++] = i;
    }
    return rows;
}

/* Velocity boundary condition [N98 (20)-(33)] of the loops in `joins`, all at once: p before them, p_after with them.
 * J = their rows times W before, phi of (J A^-1 J') phi = J v_G, v_G -= A^-1 J' phi. The rows are the locked directions
 * only, so that nothing acts along free ones (23). impulse (6 a loop): -phi, along the rows of K. */
static void boundary_velocity(const double *p, const double *p_after, const double *ready, const int *joins,
    const double *q, double *v, double *impulse)
{
    partition held;
    double M[NV * NV], A[NV * NV], inverse[SIDE], v_G[NV], J[ROWS * NV], Y[ROWS * NV], B[ROWS * ROWS], phi[SIDE];
    double work[2 * SIDE];
    int row[ROWS], order[SIDE];
    held.rank = -1;
    MODEL(partition_closure)(p, q, ready, &held);
    follow(&held, v);
    const int n = NV - held.rank;
    for (int i = 0; i < n; i++)
        v_G[i] = v[held.columns[held.rank + i]];
    MODEL(mass_matrix)(p, q, M);
    reduce_inertia(&held, M, A);
    memcpy(Y, v_G, (size_t)n * sizeof *Y);
    give(&held, ready, 0, A, Y);
    factor_reduced(n, A, inverse);
    hold_given(&held, ready, inverse);
    const int rows = joining_rows(p_after, joins, q, &held, v_G, J, phi, row);
    memcpy(Y, J, sizeof Y);
    for (int i = 0; i < rows; i++)
        kg_solve_factored(n, A, inverse, Y + i * NV);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rows; k++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += J[i * NV + j] * Y[k * NV + j];
            B[i * rows + k] = sum;
        }
    kg_solve_semidefinite(rows, B, phi, DEPENDENT, work, order);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++)
            v_G[j] -= Y[i * NV + j] * phi[i];
        impulse[row_of[row[i]]] = -row_scale[row[i]] * phi[i];
    }
    spread(&held, v_G, 0, v);
}

/* Forces along the rows of a loop, in place -> [force; moment] on the child at the joint's frame, world axes. */
static void to_world(int loop, const double *p, const double *q, double *f)
{
    double N[36] = {0.0}, wrench[6];
    loop_wrench(loop, p, q, N);
    for (int i = 0; i < 6; i++) {
        wrench[i] = 0.0;
        for (int k = 0; k < 6; k++)
            wrench[i] += N[6 * i + k] * f[k];
    }
    memcpy(f, wrench, sizeof wrench);
}

/* The loop that is open by more than `limit` with all that p holds active, -1 if none is; angles times `unit`. */
static int open_loop(const double *p, const double *q, double unit, double limit, double *gap)
{
    double r[6 * LOOPS];
    int worst = -1;
    MODEL(closure_residual)(p, q, r);
    *gap = 0.0;
    for (int i = 0; i < ROWS; i++) {
        const double size = fabs(row_of[i] % 6 < 3 ? r[row_of[i]] : unit * r[row_of[i]]);
        if (!(size <= *gap)) {
            *gap = size;
            if (!(size <= limit))
                worst = row_of[i] / 6;
        }
    }
    return worst;
}

/* Coordinates of the cut joints after loops in `joins` were made: a new joint has not turned yet. */
static void join_coordinates(const double *p, const double *q, const int *joins, double *q_last)
{
    double q_cut[CUT_Q + 1], fresh[CUT_Q + 1];
    if (CUT_V == 0)
        return;
    MODEL(loop_coordinates)(p, q, q_cut);
    unwind(q_last, q_cut);
    first_coordinates(p, q, fresh);
    for (int l = 0; l < LOOPS; l++)
        for (int i = cut_at[l]; joins[l] && i < cut_at[l + 1]; i++)
            q_cut[i] = fresh[i];
    memcpy(q_last, q_cut, CUT_Q * sizeof *q_cut);
}

/* The structure from here on: loop l is active if wanted[l] is not 0. What was active and is not wanted is let go, v
 * stays (4.4); then all new loops are made at once: where the links stand if taken[l] is not 0, else at the frame that
 * p holds, whose gap must be at most `tolerance` and is closed. q, v, p (flags and frames) and memory in place;
 * impulse (6 a loop): [force; moment] times time on the child of each new loop at its joint's frame, world axes.
 * Returns 0, or 1 + the loop that is open by *gap: nothing has changed then. */
long MODEL(restructure)(double *p, const double *wanted, const double *taken, double tolerance, double *q, double *v,
    double *impulse, double *gap, memory *m)
{
    double p_before[PARAMETERS], p_after[PARAMETERS], q_new[NQ], v_new[NV];
    int joins[LOOPS], joining = 0, moving = 0, open;
    memcpy(p_before, p, sizeof p_before);
    memcpy(p_after, p, sizeof p_after);
    memcpy(q_new, q, sizeof q_new);
    memcpy(v_new, v, sizeof v_new);
    for (int i = 0; i < 6 * LOOPS; i++)
        impulse[i] = 0.0;
    for (int l = 0; l < LOOPS; l++) {
        joins[l] = !is_active(p, l) && wanted[l] != 0.0;
        joining += joins[l];
        if (loop_flag[l] < 0)
            continue;
        p_before[loop_flag[l]] = is_active(p, l) && wanted[l] != 0.0 ? 1.0 : 0.0;
        p_after[loop_flag[l]] = wanted[l] != 0.0 ? 1.0 : 0.0;
        if (joins[l] && taken[l] != 0.0)
            take_pose(l, p_after, q);
        else
            moving += joins[l];
    }
    open = open_loop(p_after, q_new, 1.0, moving ? tolerance : HUGE_VAL, gap);
    if (open >= 0)
        return 1 + open;
    if (moving) {
        double left;
        partition held;
        held.rank = -1;
        close_gap(p_after, q_new, m->ready, &held);
        open = open_loop(p_after, q_new, UNIT_LENGTH, ALLOWED, &left);
        if (open >= 0)
            return 1 + open;
    }
    if (joining)
        boundary_velocity(p_before, p_after, m->ready, joins, q_new, v_new, impulse);
    for (int l = 0; l < LOOPS; l++)
        if (joins[l])
            to_world(l, p_after, q_new, impulse + 6 * l);
    memcpy(p, p_after, sizeof p_after);
    memcpy(q, q_new, sizeof q_new);
    m->lag_dt = 0.0;
    m->loaded = NOT_KNOWN; /* the last step's forces acted in another structure */
    memset(m->load, 0, sizeof m->load);
    memset(m->passed, 0, sizeof m->passed);
    m->earlier = 0.0;
    m->partition.rank = -1;
    MODEL(partition_closure)(p, q, m->ready, &m->partition);
    if (m->partition.ratio < SINGULAR)
        shed(p, q, m->ready, &m->partition, v_new);
    else
        follow(&m->partition, v_new);
    memcpy(v, v_new, sizeof v_new);
    start_account(m);
    join_coordinates(p, q, joins, m->cut_q);
    return 0;
}

#endif
