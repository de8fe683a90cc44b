/* What second derivatives of weights' tau are made of, the power of inverse dynamics along weights (mathematics,
 * section 14); tau_i alone where the weights are those of one axis. */

#ifndef KINEGEN_DERIVATIVES_SECOND_TERMS_H
#define KINEGEN_DERIVATIVES_SECOND_TERMS_H

#include "pairs.h"

/* Of each axis, with x standing for the weights: sums of x I S, of x b and of x N over its joint and all that hangs
 * below, N w: what velocities w do to b; s: sum of x S over what its joint hangs on, U = s x S. Then what it says to
 * other axes: Z, W by q, R by v of those above, Y by v of those on its path, L = S x* (sum of x I S + I s). U is zero
 * but from axis `from` on until `end`. */
typedef struct {
    axis_row IS[6], b[3], N[9], s[6];
    axis_row U[6], Z[6], W[3], R[6], Y[3], L[6];
    int from, end;
} weighed_terms;

/* Some of count axes from k on have a U. */
static inline int has_turned(const weighed_terms *of, int k, int count)
{
    return k < of->end && k + count > of->from;
}

/* N of each axis alone. */
typedef struct {
    axis_row N[9];
} sways;

/* N = 2 (s u' - (s . u) E - P [w]x) of a subtree with first moment s and second moment P, and an axis S = [w; u]. */
static inline void sway_of(const kg_lanes *J, const kg_lanes *S, kg_lanes *N)
{
    const kg_lanes *w = S, *u = S + 3, *s = J + 1, *P = J + 4;
    const kg_lanes rows[3][3] = {{P[0], P[1], P[2]}, {P[1], P[3], P[4]}, {P[2], P[4], P[5]}};
    const kg_lanes inner = s[0] * u[0] + s[1] * u[1] + s[2] * u[2];
    for (int r = 0; r < 3; r++) {
        kg_lanes turned[3];
        kg_lanes_cross(rows[r], w, turned); /* row r of P [w]x */
        for (int c = 0; c < 3; c++)
            N[3 * r + c] = 2.0 * (s[r] * u[c] - turned[c]);
        N[4 * r] -= 2.0 * inner;
    }
}

/* out = N w + 2 u x p for x = [w; u], p: momentum of the sum of x I S. */
static inline void swayed(const kg_lanes *N, const kg_lanes *p, const kg_lanes *x, kg_lanes *out)
{
    kg_lanes_cross(x + 3, p, out);
    for (int r = 0; r < 3; r++)
        out[r] = 2.0 * out[r] + N[3 * r] * x[0] + N[3 * r + 1] * x[1] + N[3 * r + 2] * x[2];
}

/* The transpose: out = [N' w; 2 p x w]. */
static inline void swayed_back(const kg_lanes *N, const kg_lanes *p, const kg_lanes *w, kg_lanes *out)
{
    kg_lanes_cross(p, w, out + 3);
    for (int c = 0; c < 3; c++) {
        out[3 + c] *= 2.0;
        out[c] = N[c] * w[0] + N[3 + c] * w[1] + N[6 + c] * w[2];
    }
}

/* What velocities x of the whole subtree do, seen along the axis s. */
static inline void answer_to(const kg_lanes *J, const kg_lanes *x, const kg_lanes *s, kg_lanes *b)
{
    kg_lanes Q[12];
    momentum_of(J, x, Q);
    answer_of(Q, s, b);
}

/* U, L and Z = L + I U. */
static inline void weigh_masses(const kg_lanes *J, const kg_lanes *S, const kg_lanes *s, weighed_terms *of, int k)
{
    kg_lanes U[6], IS[6], by[6], L[6] = {{0.0}}, Z[6];
    kg_lanes_twist(s, S, U);
    kg_lanes_inertia(J, s, by);
    take(6, of->IS, k, IS);
    for (int c = 0; c < 6; c++)
        by[c] += IS[c];
    kg_lanes_add_turned(S, by, L);
    kg_lanes_inertia(J, U, Z);
    for (int c = 0; c < 6; c++)
        Z[c] += L[c];
    put(6, U, of->U, k);
    put(6, L, of->L, k);
    put(6, Z, of->Z, k);
}

/* W = N dS + w x (b + b(s)) + b of dS along s + b(U);  R = [N' w; 2 p x w] + 2 S x* IS + [y; 0];  Y = N S + y,
 * y: b of S along s. */
static inline void weigh_velocities(
    tree_terms *t, const kg_lanes *J, const kg_lanes *S, const kg_lanes *s, weighed_terms *of, int k)
{
    kg_lanes dS[6], Q[12], U[6], IS[6], N[9], b[3], by[3], W[3], R[6], Y[3], turned[6] = {{0.0}};
    take(6, t->dS, k, dS);
    take(12, t->Q, k, Q);
    take(6, of->U, k, U);
    take(6, of->IS, k, IS);
    take(9, of->N, k, N);
    take(3, of->b, k, b);
    swayed(N, IS + 3, dS, W);
    answer_of(Q, s, by);
    for (int c = 0; c < 3; c++)
        b[c] += by[c];
    kg_lanes_add_cross(S, b, W);
    answer_to(J, dS, s, by);
    answer_of(Q, U, b);
    for (int c = 0; c < 3; c++)
        W[c] += by[c] + b[c];
    put(3, W, of->W, k);
    answer_to(J, S, s, by);
    swayed(N, IS + 3, S, Y);
    swayed_back(N, IS + 3, S, R);
    kg_lanes_add_turned(S, IS, turned);
    for (int c = 0; c < 3; c++) {
        Y[c] += by[c];
        R[c] += by[c];
    }
    for (int c = 0; c < 6; c++)
        R[c] += 2.0 * turned[c];
    put(3, Y, of->Y, k);
    put(6, R, of->R, k);
}

enum { BY_Q_Q, BY_Q_V, BY_V_V, BY_A_Q, SECOND_PARTS };

/* Row r by those of the block on its path or of its joint. */
static inline void add_second_above(const tree_terms *t, const weighed_terms *of, int r, int k, kg_lanes *found)
{
    const double row = r, first = axis_first[r], last = axis_end[r];
    const kg_lanes index = *kg_lanes_at(t->index + k), below = *kg_lanes_at(t->below + k);
    const kg_marks joint = (index >= first) & (index <= last), above = (index < first) & (below > row);
    const kg_marks path = joint | above;
    kg_lanes x[SECOND_PARTS] = {{0.0}};
    add_along(6, of->Z, r, t->ddS, k, x + BY_Q_Q);
    add_along(3, of->W, r, t->dS, k, x + BY_Q_Q);
    add_along(6, of->Z, r, t->D, k, x + BY_Q_V);
    add_along(3, of->W, r, t->S, k, x + BY_Q_V);
    add_along(3, of->Y, r, t->S, k, x + BY_V_V);
    if (has_turned(of, k, KG_LANES)) {
        add_along(6, t->Fc, r, of->U, k, x + BY_Q_Q);
        add_along(6, t->IS, r, of->U, k, x + BY_A_Q);
    }
    if (k + KG_LANES > axis_first[r]) { /* there are axes of its joint */
        kg_lanes own = {0.0}, less = {0.0};
        add_along(6, t->dS, r, of->R, k, &own);
        add_along(6, of->U, r, t->Fv, k, &own);
        add_along(6, of->L, r, t->S, k, &less);
        found[BY_Q_V] += kg_lanes_where(joint, own);
        found[BY_V_V] -= kg_lanes_where(joint, less);
    }
    found[BY_Q_Q] += kg_lanes_where(path, x[BY_Q_Q]);
    found[BY_Q_V] += kg_lanes_where(above, x[BY_Q_V]);
    found[BY_V_V] += kg_lanes_where(path, x[BY_V_V]);
    found[BY_A_Q] += kg_lanes_where(path, x[BY_A_Q]);
}

/* By those that hang below its joint: by q and q, and by v and v, what these say of it. */
static inline void add_second_below(const tree_terms *t, const weighed_terms *of, int r, int k, kg_lanes *found)
{
    const double last = axis_end[r], end = axis_below[r];
    const kg_lanes index = *kg_lanes_at(t->index + k);
    const kg_marks below = (index > last) & (index < end);
    kg_lanes x[SECOND_PARTS] = {{0.0}};
    add_along(6, t->ddS, r, of->Z, k, x + BY_Q_Q);
    add_along(3, t->dS, r, of->W, k, x + BY_Q_Q);
    add_along(6, t->dS, r, of->R, k, x + BY_Q_V);
    add_along(3, t->S, r, of->Y, k, x + BY_V_V);
    add_along(6, t->S, r, of->Z, k, x + BY_A_Q);
    if (has_turned(of, r, 1)) {
        add_along(6, of->U, r, t->Fc, k, x + BY_Q_Q);
        add_along(6, of->U, r, t->Fv, k, x + BY_Q_V);
    }
    for (int part = 0; part < SECOND_PARTS; part++)
        found[part] += kg_lanes_where(below, x[part]);
}

/* Everything of the axes k ... k + KG_LANES - 1 but the sums, which are there. */
static inline void weigh_axes(tree_terms *t, weighed_terms *of, int k)
{
    kg_lanes J[10], S[6], s[6];
    take(10, t->total, k, J);
    take(6, t->S, k, S);
    take(6, of->s, k, s);
    weigh_masses(J, S, s, of, k);
    weigh_velocities(t, J, S, s, of, k);
}

/* Entries of row r by the block, of each part (NV, NV), `apart` numbers apart. */
static inline void enter_second(
    const tree_terms *t, const weighed_terms *of, axis_block block, int r, long apart, double *restrict second)
{
    kg_lanes found[SECOND_PARTS] = {{0.0}};
    if (has_above(block, r))
        add_second_above(t, of, r, block.k, found);
    if (has_below(block, r))
        add_second_below(t, of, r, block.k, found);
    for (int part = 0; part < SECOND_PARTS; part++)
        enter_row(found[part], r, block.k, second + part * apart);
}

/* What all of them begin with. */
static inline void begin_second(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict a, tree_terms *t, sways *own)
{
    double lift[3 * TREE_AXES], armature[NV];
    KERNEL(derivative_parts, q, t->S[0], lift, armature);
    moving_terms(t, v);
    forced_terms(t, v, a, lift);
    answers(t);
    for (int k = 0; k < AXIS_ROOM; k += KG_LANES) {
        kg_lanes J[10], S[6], sway[9];
        take(10, t->total, k, J);
        take(6, t->S, k, S);
        sway_of(J, S, sway);
        put(9, sway, own->N, k);
    }
}

#endif
