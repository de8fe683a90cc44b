/* What derivatives of the dynamics of a tree are made of (mathematics, section 14; Singh, Russell, Wensing 2022). One
 * column for each motion axis, all in one frame: twists [angular; linear], wrenches [moment; force] at its origin. The
 * model's header (see ../model.h) and its tables stand before it: axis_dof, axis_above (next axis towards the root, -1
 * for none), axis_first, axis_end (first and last axis of the same joint), axis_below (one past the subtree). */

#ifndef KINEGEN_DERIVATIVES_TERMS_H
#define KINEGEN_DERIVATIVES_TERMS_H

#include "../linear/lane_vectors.h"

enum { AXIS_ROOM = KG_WHOLE_EIGHTS(TREE_AXES) };

typedef double axis_row[AXIS_ROOM];

/* S axis, J inertia of the one link (at the last axis of its joint); V, A twist and acceleration of what the joint
 * moves, V_above, A_above of what it hangs on; dS = V_above x S, ddS = A_above x S + V_above x dS, D = dS + V x S. Of
 * the subtree: total inertia, Q = [B; c] what velocities do, F wrench. Its answers: IS = I S, b, and the wrenches by q
 * (Fc, with the axis's turning of F) and by v (Fv). */
typedef struct {
    axis_row S[6], J[10];
    axis_row V_above[6], V[6], dS[6], D[6], A_above[6], A[6], ddS[6];
    axis_row total[10], Q[12], F[6], IS[6], b[3], Fc[6], Fv[6];
    axis_row index, first, below; /* of each axis, to be compared: itself, axis_first, axis_below */
} tree_terms;

/* Axes k ... k + count - 1, and one past the last axis that hangs below one of them, or is one: since axes stand depth
 * first, all from k on until then do so, or are of the joint of k. */
typedef struct {
    int k, count, end;
} axis_block;

static inline axis_block block_at(int k, int count)
{
    axis_block block = {k, count, k};
    for (int i = k; i < k + count && i < TREE_AXES; i++)
        block.end = axis_below[i] > block.end ? axis_below[i] : block.end;
    return block;
}

/* Axes of the free joint by which the first tree hangs on the world, 0 if it does by another: in its frame their twists
 * are the unit ones, the linear ones first. */
static inline int base_axes(void)
{
    return TREE_AXES > 5 && axis_end[0] == 5 ? 6 : 0;
}

/* The entry of twists and wrenches that is such an axis's. */
static inline int base_entry(int axis)
{
    return (axis + 3) % 6;
}

/* Numbers k ... k + KG_LANES - 1 of n rows. */
static inline void take(int n, axis_row *rows, int k, kg_lanes *out)
{
    for (int c = 0; c < n; c++)
        out[c] = *kg_lanes_at(rows[c] + k);
}

static inline void put(int n, const kg_lanes *x, axis_row *rows, int k)
{
    for (int c = 0; c < n; c++)
        *kg_lanes_to(rows[c] + k) = x[c];
}

/* x_above and x of all axes from the root to the leaves: x = x_above + the shares of all axes of the joint; what hangs
 * on nothing begins with `seed` (3 a tree, linear; null: zero). Shares stand in x. On its own, or compilers take shares
 * out of vectors one by one. */
static KG_NOINLINE void carry_down(axis_row *restrict x_above, axis_row *restrict x, const double *seed)
{
    for (int c = 0; c < 6; c++) {
        double own[TREE_AXES], reached[TREE_AXES];
        int tree = -1;
        KG_UNROLLED
        for (int i = 0; i < TREE_AXES; i++) {
            const int above = axis_above[axis_first[i]];
            tree += axis_above[i] < 0;
            x_above[c][i] = above >= 0 ? reached[above] : seed && c > 2 ? seed[3 * tree + c - 3] : 0.0;
            own[i] = axis_first[i] < i ? own[i - 1] + x[c][i] : x[c][i];
            reached[i] = x_above[c][i] + own[i];
        }
        KG_UNROLLED
        for (int i = 0; i < TREE_AXES; i++)
            if (axis_first[i] < axis_end[i])
                x[c][i] = own[axis_end[i]];
        for (int i = TREE_AXES; i < AXIS_ROOM; i++)
            x_above[c][i] = 0.0;
    }
    for (int c = 0; c < 6; c++)
        for (int k = 0; k < AXIS_ROOM; k += KG_LANES)
            *kg_lanes_to(x[c] + k) += *kg_lanes_at(x_above[c] + k);
}

/* Sums over subtrees, from the leaves to the root. */
static inline void gather_up(int n, axis_row *x)
{
    for (int c = 0; c < n; c++) {
        KG_UNROLLED
        for (int i = TREE_AXES - 1; i >= 0; i--)
            if (axis_above[i] >= 0)
                x[c][axis_above[i]] += x[c][i];
    }
}

/* B = 2 (tr(P) E - P) and c = 2 (w x s + m u) with P = [w]x S + u s', of one link. */
static inline void momentum_of(const kg_lanes *J, const kg_lanes *V, kg_lanes *Q)
{
    const kg_lanes *w = V, *u = V + 3, *s = J + 1, *S = J + 4;
    const kg_lanes columns[3][3] = {{S[0], S[1], S[2]}, {S[1], S[3], S[4]}, {S[2], S[4], S[5]}};
    kg_lanes P[3][3]; /* by columns */
    for (int c = 0; c < 3; c++) {
        kg_lanes_cross(w, columns[c], P[c]);
        for (int r = 0; r < 3; r++)
            P[c][r] += u[r] * s[c];
    }
    const kg_lanes trace = P[0][0] + P[1][1] + P[2][2];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            Q[3 * r + c] = -2.0 * P[c][r];
        Q[4 * r] += 2.0 * trace;
    }
    kg_lanes_cross(w, s, Q + 9);
    for (int r = 0; r < 3; r++)
        Q[9 + r] = 2.0 * (Q[9 + r] + J[0] * u[r]);
}

/* b = B' w + c x u */
static inline void answer_of(const kg_lanes *Q, const kg_lanes *S, kg_lanes *b)
{
    kg_lanes_cross(Q + 9, S + 3, b);
    for (int c = 0; c < 3; c++)
        b[c] += Q[c] * S[0] + Q[3 + c] * S[1] + Q[6 + c] * S[2];
}

/* The wrench that moves one link: I A + V x* (I V). */
static inline void wrench_of(const kg_lanes *J, const kg_lanes *V, const kg_lanes *A, kg_lanes *F)
{
    kg_lanes momentum[6];
    kg_lanes_inertia(J, V, momentum);
    kg_lanes_inertia(J, A, F);
    kg_lanes_add_turned(V, momentum, F);
}

static inline void number_axes(tree_terms *t)
{
    for (int i = 0; i < TREE_AXES; i++) {
        t->index[i] = i;
        t->first[i] = axis_first[i];
        t->below[i] = axis_below[i];
    }
    for (int i = TREE_AXES; i < AXIS_ROOM; i++) {
        t->index[i] = t->first[i] = TREE_AXES;
        t->below[i] = 0.0;
    }
}

/* x of every axis, of its entry in v, and zeros. */
static inline void by_axes(const double *restrict x, double *restrict out)
{
    for (int i = 0; i < TREE_AXES; i++)
        out[i] = x[axis_dof[i]];
    for (int i = TREE_AXES; i < AXIS_ROOM; i++)
        out[i] = 0.0;
}

/* Everything that accelerations do not enter, of S and J. */
static void moving_terms(tree_terms *t, const double *restrict v)
{
    KG_ALIGNED axis_row speed;
    number_axes(t);
    by_axes(v, speed);
    for (int c = 0; c < 6; c++)
        for (int k = 0; k < AXIS_ROOM; k += KG_LANES)
            *kg_lanes_to(t->V[c] + k) = *kg_lanes_at(t->S[c] + k) * *kg_lanes_at(speed + k);
    carry_down(t->V_above, t->V, 0);
    for (int k = 0; k < AXIS_ROOM; k += KG_LANES) {
        kg_lanes S[6], J[10], V[6], above[6], dS[6], D[6], Q[12];
        take(6, t->S, k, S);
        take(10, t->J, k, J);
        take(6, t->V, k, V);
        take(6, t->V_above, k, above);
        kg_lanes_twist(above, S, dS);
        kg_lanes_twist(V, S, D);
        for (int c = 0; c < 6; c++)
            D[c] += dS[c];
        momentum_of(J, V, Q);
        put(6, dS, t->dS, k);
        put(6, D, t->D, k);
        put(12, Q, t->Q, k);
        put(10, J, t->total, k);
    }
    gather_up(10, t->total);
    gather_up(12, t->Q);
    for (int k = 0; k < AXIS_ROOM; k += KG_LANES) {
        kg_lanes S[6], J[10], Q[12], IS[6], b[3];
        take(6, t->S, k, S);
        take(10, t->total, k, J);
        take(12, t->Q, k, Q);
        kg_lanes_inertia(J, S, IS);
        answer_of(Q, S, b);
        put(6, IS, t->IS, k);
        put(3, b, t->b, k);
    }
}

/* A and the wrenches F of the subtrees under accelerations a (null: zero); lift: -gravity, 3 a tree. */
static void forced_terms(tree_terms *t, const double *restrict v, const double *restrict a, const double *restrict lift)
{
    KG_ALIGNED axis_row speed, rate = {0.0};
    by_axes(v, speed);
    if (a)
        by_axes(a, rate);
    for (int c = 0; c < 6; c++)
        for (int k = 0; k < AXIS_ROOM; k += KG_LANES)
            *kg_lanes_to(t->A[c] + k) = *kg_lanes_at(t->dS[c] + k) * *kg_lanes_at(speed + k)
                + *kg_lanes_at(t->S[c] + k) * *kg_lanes_at(rate + k);
    carry_down(t->A_above, t->A, lift);
    for (int k = 0; k < AXIS_ROOM; k += KG_LANES) {
        kg_lanes J[10], V[6], A[6], F[6];
        take(10, t->J, k, J);
        take(6, t->V, k, V);
        take(6, t->A, k, A);
        wrench_of(J, V, A, F);
        put(6, F, t->F, k);
    }
    gather_up(6, t->F);
}

/* A_above and F as accelerations a join those that they are of, in place of which A tells of a alone: a subtree moves
 * with what it hangs on, and its own axes by IS a. */
static inline void join_accelerations(tree_terms *t, const double *restrict a)
{
    KG_ALIGNED axis_row rate, above[6], force[6];
    by_axes(a, rate);
    for (int c = 0; c < 6; c++)
        for (int k = 0; k < AXIS_ROOM; k += KG_LANES) {
            *kg_lanes_to(t->A[c] + k) = *kg_lanes_at(t->S[c] + k) * *kg_lanes_at(rate + k);
            *kg_lanes_to(force[c] + k) = *kg_lanes_at(t->IS[c] + k) * *kg_lanes_at(rate + k);
        }
    carry_down(above, t->A, 0);
    gather_up(6, force);
    for (int c = 0; c < 6; c++)
        KG_UNROLLED
    for (int i = 0; i < TREE_AXES; i++)
        if (axis_first[i] < i)
            force[c][i] = force[c][axis_first[i]];
    for (int k = 0; k < AXIS_ROOM; k += KG_LANES) {
        kg_lanes J[10], A[6], F[6];
        take(10, t->total, k, J);
        take(6, above, k, A);
        kg_lanes_inertia(J, A, F);
        for (int c = 0; c < 6; c++) {
            *kg_lanes_to(t->A_above[c] + k) += A[c];
            *kg_lanes_to(t->F[c] + k) += F[c] + *kg_lanes_at(force[c] + k);
        }
    }
}

#endif
