/* Rows beside contacts: locked axes between links, dry friction of joints [P §2]. */

#ifndef KINEGEN_ROWS_HELD_ROWS_H
#define KINEGEN_ROWS_HELD_ROWS_H

#include "../contact/note.h"

/* R (columns in C[k]) and p of a frame in slot s, in world. */
static void frame_of(int s, const double *R, const double *p, double C[3][3], double *x, const workspace *ws)
{
    for (int row = 0; row < 3; row++) {
        const double *T = ws->poses + 12 * s + 4 * row;
        x[row] = s < 0 ? p[row] : kg_dot3(T, p) + T[3];
        for (int k = 0; k < 3; k++)
            C[k][row] = s < 0 ? R[3 * row + k] : T[0] * R[k] + T[1] * R[3 + k] + T[2] * R[6 + k];
    }
}

/* World directions of the rows of lock k, how far it is off along them [m, rad], and where its force acts. */
static void look_at_lock(int k, double *point, workspace *ws)
{
    double A[3][3], B[3][3], x[3], turn[3], (*way)[3] = ws->way[k], *off = ws->off[k];
    frame_of(LOCK[k].a, LOCK[k].R, LOCK[k].p, A, x, ws);
    frame_of(LOCK[k].b, LOCK[k].S, LOCK[k].s, B, point, ws);
    memset(ws->way[k], 0, sizeof ws->way[k]);
    memset(ws->off[k], 0, sizeof ws->off[k]);
    if (LOCK[k].turns == 1) {
        kg_cross3(A[2], B[2], way[0]);
        const double sine = sqrt(kg_dot3(way[0], way[0]));
        for (int i = 0; i < 3; i++)
            way[0][i] = sine > 1e-6 ? way[0][i] / sine : A[0][i];
        off[0] = sine > 1e-6 ? (LOCK[k].slant - kg_dot3(A[2], B[2])) / sine : 0.0;
        return;
    }
    if (LOCK[k].turns == 3)
        for (int i = 0; i < 3; i++) { /* of (R - R')/2, R = A'B */
            const int j = (i + 1) % 3, m = (i + 2) % 3;
            turn[i] = 0.5 * (kg_dot3(A[m], B[j]) - kg_dot3(A[j], B[m]));
        }
    else
        kg_cross3(A[2], B[2], turn);
    for (int i = 0; i < LOCK[k].count; i++) {
        const double gap[3] = {point[0] - x[0], point[1] - x[1], point[2] - x[2]};
        memcpy(way[i], A[i], sizeof way[i]);
        off[i] = LOCK[k].turns == 3 ? turn[i] : kg_dot3(A[i], LOCK[k].turns ? turn : gap);
    }
}

#if HAS_LOCKS
/* Acceleration of a link that the turning of the axes on its path makes by itself. */
static void carry(int s, const double *v, workspace *ws)
{
    double twist[8] = {0.0}, base[8] = {0.0}, *b = ws->carried[s];
    memset(b, 0, sizeof ws->carried[s]);
    for (int k = PATH[s]; k < PATH[s + 1]; k++) {
        const double *a = ws->axes[PATH_AXIS[k]], speed = v[PATH_DOF[k]];
        if (PATH_TURNS[k]) /* else it turns with the one before */
            memcpy(base, twist, sizeof base);
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, m = (i + 2) % 3;
            b[i] += speed * (base[3 + j] * a[m] - base[3 + m] * a[j] + base[j] * a[3 + m] - base[m] * a[3 + j]);
            b[3 + i] += speed * (base[3 + j] * a[3 + m] - base[3 + m] * a[3 + j]);
        }
        kg_add_scaled(twist, speed, a);
    }
}

#endif
/* All rows as entries of c->points: gap: minus how far the block is off; force: the moment where the block holds
 * turns. */
static void find_rows(const double *v, long known, long *from, contacts *c, workspace *ws)
{
    ws->cones = c->count;
#if HAS_LOCKS
    for (int k = 0; k < LOCKS; k++)
        for (int side = 0; side < 2; side++)
            if ((side ? LOCK[k].b : LOCK[k].a) >= 0)
                carry(side ? LOCK[k].b : LOCK[k].a, v, ws);
#else
    (void)v;
#endif
    for (int k = 0; k < LOCKS + STICTIONS; k++) {
        double point[3] = {0.0}, normal[3] = {1.0, 0.0, 0.0}, gap = 0.0;
        if (k < LOCKS) {
            look_at_lock(k, point, ws);
            gap = -sqrt(kg_dot3(ws->off[k], ws->off[k]));
            memcpy(normal, ws->way[k][0], sizeof normal);
        } else {
            memset(ws->way[k], 0, sizeof ws->way[k]);
            ws->way[k][0][0] = 1.0;
        }
        note(FIRST_ROW + k, 0, gap, point, normal, known, from, c, ws);
    }
}

#endif
