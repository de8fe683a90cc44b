/* Rows beside contacts in the sweeps: locked axes between links (see also lock_solve.h), dry friction of joints. */

#ifndef KINEGEN_ROWS_HELD_SOLVE_H
#define KINEGEN_ROWS_HELD_SOLVE_H

#include "../contact/points.h"

/* Inverse of the block K = [0 1 2; 1 3 4; 2 4 5] in the same order, by sweeps of its pivots, largest first; what
 * rounding alone makes of a row, against `size`, is left out: redundant rows are normal. */
static void invert_block(const double *K, const double *size, double *inverse)
{
    double A[3][3] = {{K[0], K[1], K[2]}, {K[1], K[3], K[4]}, {K[2], K[4], K[5]}};
    int swept[3] = {0};
    for (int n = 0; n < 3; n++) {
        int p = -1;
        for (int k = 0; k < 3; k++)
            if (!swept[k] && A[k][k] > 1e-11 * size[k] && (p < 0 || A[k][k] * size[p] > A[p][p] * size[k]))
                p = k;
        if (p < 0)
            break;
        const double d = A[p][p];
        swept[p] = 1;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                if (i != p && j != p)
                    A[i][j] -= A[i][p] * A[p][j] / d;
        for (int i = 0; i < 3; i++)
            if (i != p) {
                A[i][p] /= d;
                A[p][i] /= d;
            }
        A[p][p] = -1.0 / d;
    }
    for (int i = 0, e = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            inverse[e++] = swept[i] && swept[j] ? -A[i][j] : 0.0;
}

#if HAS_LOCKS
/* d/dt of the directions of lock k, which move with its first link (those across two axes with both). */
static void turn_way(int k, const double *first, const double *second, double rate[3][3], const workspace *ws)
{
    for (int i = 0; i < 3; i++)
        kg_cross3(first + 3, ws->way[k][i], rate[i]);
    if (LOCK[k].turns != 1)
        return;
    double A[3][3], B[3][3], x[3], a[3], b[3], left[3], right[3], across_both[3];
    frame_of(LOCK[k].a, LOCK[k].R, LOCK[k].p, A, x, ws);
    frame_of(LOCK[k].b, LOCK[k].S, LOCK[k].s, B, x, ws);
    kg_cross3(A[2], B[2], across_both);
    const double sine = kg_max(sqrt(kg_dot3(across_both, across_both)), 1e-6);
    kg_cross3(first + 3, A[2], a);
    kg_cross3(second + 3, B[2], b);
    kg_cross3(a, B[2], left);
    kg_cross3(A[2], b, right);
    for (int i = 0; i < 3; i++)
        rate[0][i] = (left[i] + right[i]) / sine;
}

/* aim = minus what the step makes of J v by itself: rows hold where the links are at its end, J' v' = 0. */
static void aim_ahead(int k, const double *x, long i, double dt, const double *v_flat, workspace *ws)
{
    double speed[2][8] = {{0.0}}, bias[2][8] = {{0.0}}, rate[3][3], u[2][3] = {{0.0}}, b[2][3] = {{0.0}};
    double moved[3], turn[3];
    for (int side = 0; side < 2; side++) {
        const int s = side ? LOCK[k].b : LOCK[k].a;
        if (s < 0)
            continue;
        memcpy(speed[side], ws->speed[s], sizeof speed[side]);
        kg_add_scaled(bias[side], dt, ws->carried[s]);
        kg_add_scaled(bias[side], 1.0, ws->speed[s]);
        for (int e = PATH[s]; e < PATH[s + 1]; e++) /* v_flat holds a part of it */
            kg_add_scaled(bias[side], -v_flat[PATH_DOF[e]], ws->axes[PATH_AXIS[e]]);
        velocity_at(s, speed[side], x, u[side], ws);
        velocity_at(s, bias[side], x, b[side], ws);
    }
    turn_way(k, speed[0], speed[1], rate, ws);
    for (int e = 0; e < 3; e++)
        turn[e] = speed[1][3 + e] - speed[0][3 + e];
    kg_cross3(turn, u[1], moved); /* the point goes with the second link */
    for (int row = 0; row < LOCK[k].count; row++) {
        double sum = 0.0;
        for (int e = 0; e < 3; e++)
            sum += LOCK[k].turns
                ? ws->way[k][row][e] * (bias[1][3 + e] - bias[0][3 + e]) + dt * rate[row][e] * turn[e]
                : ws->way[k][row][e] * (b[1][e] - b[0][e] + dt * moved[e]) + dt * rate[row][e] * (u[1][e] - u[0][e]);
        ws->at[i].aim[row] = -sum;
    }
}

#endif
/* What unit impulses at x (null: turns) can make of the velocity there along any axis of the world, at most: the rows
 * of a block may all lie along axes on which nothing moves. */
static double block_size(long i, const double *x, const workspace *ws)
{
    double largest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double size = 0.0;
        for (int side = 0; side < 2; side++) {
            const int s = slot_of(ws, i, side);
            if (s < 0)
                continue;
            const double (*m)[8] = (const double (*)[8])ws->mobility[block_of(ws, s, s)];
            const int next = (axis + 1) % 3, last = (axis + 2) % 3;
            double arm[3];
            if (!x) {
                size += sqrt(kg_max(m[3 + axis][3 + axis], 0.0));
                continue;
            }
            seen_by(s, x, arm, ws);
            size += sqrt(kg_max(m[axis][axis], 0.0)) + fabs(arm[last]) * sqrt(kg_max(m[3 + next][3 + next], 0.0))
                + fabs(arm[next]) * sqrt(kg_max(m[3 + last][3 + last], 0.0));
        }
        largest = kg_max(largest, size * size);
    }
    return largest;
}

/* Rows of block k as number i of what is solved. */
static void prepare_row(int k, const contact *point, long i, double dt, const double *v_flat, workspace *ws)
{
    static const double nowhere[3] = {0.0};
    double size[3];
    ws->at[i].a = k < LOCKS ? LOCK[k].a : -1;
    ws->at[i].b = k < LOCKS ? LOCK[k].b : FIRST_STICTION + k - LOCKS;
    prepare_block(i, (const double (*)[3])ws->way[k], k < LOCKS && !LOCK[k].turns ? point->point : nowhere,
        k < LOCKS && LOCK[k].turns, ws);
    for (int row = 0; row < 3; row++) {
        size[row] = 0.0;
        for (int side = 0; side < 2; side++) {
            const int s = slot_of(ws, i, side);
            for (int e = 0; s >= 0 && e < 6; e++)
                size[row] += fabs(ws->at[i].row[side][e][row])
                    * sqrt(kg_max(ws->mobility[block_of(ws, s, s)][e][e], 0.0));
        }
        size[row] *= size[row];
    }
    const double largest = block_size(i, k < LOCKS && !LOCK[k].turns ? point->point : 0, ws);
    for (int row = 0; row < 3; row++)
        ws->at[i].scale[row] = largest > 0.0 ? 1.0 / sqrt(largest) : 0.0;
    invert_block(ws->at[i].k, size, ws->at[i].inverse);
    ws->at[i].friction = k < LOCKS ? 0.0 : dt * STICTION[k - LOCKS];
    for (int row = 0; row < 3; row++) {
        ws->at[i].aim[row] = 0.0;
        ws->at[i].impulse[row] = dt * kg_dot3(point->force, ws->way[k][row]);
    }
#if HAS_LOCKS
    if (k < LOCKS)
        aim_ahead(k, point->point, i, dt, v_flat, ws);
#else
    (void)v_flat;
#endif
    if (k >= LOCKS)
        ws->at[i].impulse[0] = kg_max(kg_min(ws->at[i].impulse[0], ws->at[i].friction), -ws->at[i].friction);
}

/* Dry friction: |f| <= friction. Gives what visit gives. */
static double visit_bounded(long i, workspace *ws)
{
    double v[4], d[3] = {0.0}, *f = ws->at[i].impulse;
    velocity_of(ws, i, v);
    d[0] = kg_max(kg_min(f[0] - ws->at[i].inverse[0] * v[0], ws->at[i].friction), -ws->at[i].friction) - f[0];
    f[0] += d[0];
    apply(ws, i, d);
    return fabs(d[0]) * ws->at[i].k[0];
}

/* Velocities that take a lock back to where it belongs, all of it in a step but bounded. */
static void aim_back(int k, long i, double dt, const options *o, workspace *ws)
{
    const double off = sqrt(kg_dot3(ws->off[k], ws->off[k]));
    for (int e = 0; e < 3; e++)
        ws->at[i].aim[e] = -ws->off[k][e] * kg_min(1.0 / dt, o->recovery_speed / kg_max(off, 1e-300));
}

#endif
