/* Structure change: loops made active and let go while the mechanism moves, with the velocity boundary condition
 * [N98 4]. Tables of the model: loop_flag, loop_pose_at, cut_at; functions loop_pose, loop_wrench. */

#ifndef KINEGEN_CLOSURE_SWITCHING_H
#define KINEGEN_CLOSURE_SWITCHING_H

#include "closing.h"
#include "cut_joints.h"
#include "motion_memory.h"

/* The open frame of a loop set so that the coordinates of its joint are zero at q. */
static void take_pose(int loop, double *p, const double *q)
{
    static const double identity[12] = {1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    double X[12] = {0.0}, *pose = p + loop_pose_at[loop];
    memcpy(pose, identity, sizeof identity);
    loop_pose(loop, p, q, X);
    for (int i = 0; i < 3; i++) { /* [R | p]^-1 = [R' | -R'p] */
        for (int j = 0; j < 3; j++)
            pose[4 * i + j] = X[4 * j + i];
        pose[4 * i + 3] = -(X[i] * X[3] + X[4 + i] * X[7] + X[8 + i] * X[11]);
    }
}

/* Rows J of the loops in `joins`, times W: pure numbers (ROWS, n), in the order of row_of. By elimination J = C R, what
 * is as small as rounding left out: R in the first rows of e, C the columns of J that it took. Returns their number. */
static int joining_rows(const double *p_after, const int *joins, const double *q, const double *ready,
    const partition *held, double *J, int *row, elimination *e)
{
    const int m = held->rank, n = NV - m;
    double K[6 * LOOPS * NV], may_lead[NV];
    partition found;
    MODEL(closure_rows)(p_after, q, K);
    order_rows(p_after, 0, e);
    take_rows(K, 0, 0, 0, e);
    const double size = size_of_rows(e);
    e->rows = 0;
    e->columns = n;
    e->width = (n + 8) / 8 * 8;
    for (int j = 0; j < n; j++) {
        e->column[j] = held->columns[m + j];
        may_lead[e->column[j]] = ready[e->column[j]] == 0.0 ? 0.0 : 1.0; /* no impulse changes what is driven */
    }
    for (int i = 0; i < ROWS; i++) {
        double *own = e->B[e->rows];
        if (!joins[row_of[i] / 6])
            continue;
        memset(own, 0, sizeof *e->B);
        gather(held, K + row_of[i] * NV, own);
        for (int j = 0; j < n; j++)
            J[e->rows * n + j] = own[j] *= row_scale[i] * unit[e->column[j]];
        e->row[e->rows] = row[e->rows] = i;
        e->rows++;
    }
    return eliminate_pivoting(e, may_lead, size, 0.0, &found);
}

/* The length that moments of all loops are measured over where loops share a load: that of the longest one. */
static double longest_loop(void)
{
    double longest = 0.0;
    for (int i = 0; i < ROWS; i++)
        if (row_of[i] % 6 < 3)
            longest = kg_max(longest, 1.0 / row_scale[i]);
    return longest > 0.0 ? longest : 1.0;
}

/* The smallest impulse along the rows of J = C R that gives R' phi: C' f = phi; -f is added to impulse (6 a loop).
 * Forces of all loops count alike, however long each is, and so do moments. */
static void share_impulse(
    int rank, const elimination *e, const int *row, const int *place, const double *J, double *phi, double *impulse)
{
    const double arm = longest_loop();
    double C[ROWS * RANK_ROOM], N[RANK_ROOM * RANK_ROOM], inverse[SIDE], left[RANK_ROOM], size[ROWS];
    for (int i = 0; i < e->rows; i++) /* of f where f / size is a force, or a moment over arm */
        size[i] = row_of[row[i]] % 6 < 3 ? 1.0 / row_scale[row[i]] : arm;
    for (int k = 0; k < rank; k++) {
        for (int i = 0; i < e->rows; i++)
            C[k * e->rows + i] = J[i * e->columns + place[e->column[k]]] * size[i];
        for (int l = 0; l <= k; l++)
            N[k * rank + l] = kg_dot(e->rows, C + k * e->rows, C + l * e->rows);
    }
    factor_reduced(rank, N, inverse);
    for (int pass = 0; pass < 2; pass++) { /* the second takes what rounding in C' C has left */
        memcpy(left, phi, (size_t)rank * sizeof *left);
        kg_solve_factored(rank, N, inverse, left);
        for (int i = 0; i < e->rows; i++) {
            double f = 0.0;
            for (int k = 0; k < rank; k++)
                f += C[k * e->rows + i] * left[k];
            impulse[row_of[row[i]]] -= row_scale[row[i]] * size[i] * f;
            for (int k = 0; k < rank; k++)
                phi[k] -= C[k * e->rows + i] * f;
        }
    }
}

/* Velocity boundary condition [N98 (20)-(33)] of the loops in `joins`, all at once: p before them, p_after with them.
 * R = their independent rows times W before, phi of (R A^-1 R') phi = R v_G, v_G -= A^-1 R' phi. The rows are the
 * locked directions only, so that nothing acts along free ones (23). impulse (6 a loop): along the rows of K. */
static void boundary_velocity(const double *p, const double *p_after, const double *ready, const int *joins,
    const double *q, double *v, double *impulse)
{
    partition held;
    elimination e;
    double M[NV * NV], A[NV * NV], inverse[SIDE], v_G[NV], J[ROWS * NV], R[RANK_ROOM * NV], Y[RANK_ROOM * NV];
    double B[RANK_ROOM * RANK_ROOM], phi[RANK_ROOM];
    int row[ROWS], place[NV];
    held.rank = -1;
    MODEL(partition_closure)(p, q, ready, &held);
    follow(&held, v);
    const int n = NV - held.rank;
    for (int j = 0; j < n; j++) {
        v_G[j] = v[held.columns[held.rank + j]];
        place[held.columns[held.rank + j]] = j;
    }
    MODEL(mass_matrix)(p, q, M);
    reduce_inertia(&held, M, A);
    memcpy(Y, v_G, (size_t)n * sizeof *Y);
    give(&held, ready, 0, A, Y);
    factor_reduced(n, A, inverse);
    hold_given(&held, ready, inverse);
    const int rank = joining_rows(p_after, joins, q, ready, &held, J, row, &e);
    for (int k = 0; k < rank; k++) {
        for (int j = 0; j < n; j++)
            R[k * n + place[e.column[j]]] = e.B[k][j] / unit[e.column[j]];
        memcpy(Y + k * n, R + k * n, (size_t)n * sizeof *Y);
        kg_solve_factored(n, A, inverse, Y + k * n);
        phi[k] = kg_dot(n, R + k * n, v_G);
        for (int l = 0; l <= k; l++)
            B[k * rank + l] = kg_dot(n, R + l * n, Y + k * n);
    }
    factor_reduced(rank, B, inverse);
    kg_solve_factored(rank, B, inverse, phi);
    for (int k = 0; k < rank; k++)
        kg_axpy(n, -phi[k], Y + k * n, v_G);
    share_impulse(rank, &e, row, place, J, phi, impulse);
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

/* The loop that is open by the most in any row, if by more than counts as closed; -1: none is. */
static int open_loop(const double *p, const double *q)
{
    double r[6 * LOOPS], gap = ALLOWED;
    int worst = -1;
    far_residual(p, q, r);
    for (int i = 0; i < ROWS && gap == gap; i++) {
        const double size = fabs(gap_scale[row_of[i]] * r[row_of[i]]);
        if (!(size <= gap)) {
            gap = size;
            worst = row_of[i] / 6;
        }
    }
    return worst;
}

/* Closes what joins, in place: by the displacements of least mass, dx' M dx with M at q, of what is not driven; where
 * they lead nowhere, as the closure is closed in any step. */
static void close_joining(const double *p, double *q, const double *ready)
{
    mass_weights M;
    partition held;
    double q_new[NQ], greatest = 0.0;
    MODEL(mass_matrix)(p, q, M.factor);
    for (int i = 0; i < NV; i++)
        greatest = kg_max(greatest, unit[i] * unit[i] * M.factor[i * NV + i]);
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < NV; j++)
            M.factor[i * NV + j] = ready[i] > 0.0 && ready[j] > 0.0
                ? unit[i] * unit[j] / greatest * M.factor[i * NV + j]
                : (double)(i == j);
    factor_reduced(NV, M.factor, M.inverse);
    memcpy(q_new, q, sizeof q_new);
    if (close_nearest(p, q_new, ready, &M) <= ALLOWED)
        memcpy(q, q_new, sizeof q_new);
    held.rank = -1;
    close_gap(p, q, ready, &held);
}

/* v of q put on, at q_new, where a gap was closed: along axes that rest, and then, as links stand otherwise against
 * each other, on the closure that there was before by the least energy. */
static void carry_velocity(const double *p, const double *ready, const double *q, const double *q_new, double *v)
{
    double carried[NV] = {0.0};
    partition held;
    MODEL(held_forces)(q, q_new, v, carried);
    for (int i = 0; i < NV; i++)
        v[i] = ready[i] > 0.0 ? carried[i] : v[i];
    held.rank = -1;
    MODEL(partition_closure)(p, q_new, ready, &held);
    shed(p, q_new, ready, &held, v);
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

/* What the last steps told, in another structure, is of no use. */
static void forget_steps(memory *m)
{
    m->lag_dt = 0.0;
    m->loaded = NOT_KNOWN;
    memset(m->load, 0, sizeof m->load);
    memset(m->passed, 0, sizeof m->passed);
    m->earlier = 0.0;
    m->partition.rank = -1;
}

/* The structure from here on: loop l is active if wanted[l] is not 0. What was active and is not wanted is let go, v
 * stays (4.4); then all new loops are made at once: where the links stand if taken[l] is not 0, else at the frame that
 * p holds: their sides may be `tolerance` [m] and [rad] apart, and are closed. q, v, p (flags and frames) and memory in
 * place; impulse (6 a loop): [force; moment] times time on the child of each new loop at its joint's frame, world axes.
 * Returns 0, or 1 + the loop whose sides are *gap apart or do not close: nothing has changed then. */
long MODEL(restructure)(double *p, const double *wanted, const double *taken, double tolerance, double *q, double *v,
    double *impulse, double *gap, memory *m)
{
    double p_before[PARAMETERS], p_after[PARAMETERS], q_new[NQ], v_new[NV];
    int joins[LOOPS], moves[LOOPS], joining = 0, moving = 0, open = 0;
    memcpy(p_before, p, sizeof p_before);
    memcpy(p_after, p, sizeof p_after);
    memcpy(q_new, q, sizeof q_new);
    memcpy(v_new, v, sizeof v_new);
    for (int i = 0; i < 6 * LOOPS; i++)
        impulse[i] = 0.0;
    for (int l = 0; l < LOOPS; l++) {
        joins[l] = !is_active(p, l) && wanted[l] != 0.0;
        moves[l] = joins[l] && taken[l] == 0.0;
        joining += joins[l];
        moving += moves[l];
        if (loop_flag[l] < 0)
            continue;
        p_before[loop_flag[l]] = is_active(p, l) && wanted[l] != 0.0 ? 1.0 : 0.0;
        p_after[loop_flag[l]] = wanted[l] != 0.0 ? 1.0 : 0.0;
        if (joins[l] && !moves[l])
            take_pose(l, p_after, q);
    }
    *gap = widest(p_after, q_new, 1.0, moving ? moves : 0, &open);
    if (!(*gap <= (moving ? tolerance : HUGE_VAL)))
        return 1 + open;
    if (moving) {
        close_joining(p_after, q_new, m->ready);
        open = open_loop(p_after, q_new);
        if (open >= 0)
            return 1 + open;
        carry_velocity(p_before, m->ready, q, q_new, v_new);
    }
    if (joining)
        boundary_velocity(p_before, p_after, m->ready, joins, q_new, v_new, impulse);
    for (int l = 0; l < LOOPS; l++)
        if (joins[l])
            to_world(l, p_after, q_new, impulse + 6 * l);
    memcpy(p, p_after, sizeof p_after);
    memcpy(q, q_new, sizeof q_new);
    forget_steps(m);
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
