/* How touching links of a mechanism with loops answer forces: J A^-1 J', A = W' M W = L' D L, y = L'^-1 W' J'. */

#ifndef KINEGEN_CONTACT_RESPONSE_CLOSED_H
#define KINEGEN_CONTACT_RESPONSE_CLOSED_H

#include "find.h"

/* Two slots answer each other where their rows of y overlap, else -1; a slot answers itself, if only by nothing, as a
 * body that loops hold fast. */
static inline int block_of(const workspace *ws, int a, int b)
{
    return a == b || (ws->from[a] < ws->until[b] && ws->from[b] < ws->until[a]) ? a * SLOTS + b : -1;
}

/* The same where there is one. */
static inline int known_block(int a, int b)
{
    return a * SLOTS + b;
}

/* Velocities that move a slot, independent ones: number k of them, from the first one to the end. */
static inline int first_mover(int s, const workspace *ws)
{
    return ws->from[s];
}

static inline int end_of_movers(int s, const workspace *ws)
{
    return ws->until[s];
}

static inline int mover(int k)
{
    return k;
}

/* Velocities that links are given by u, those at the end of a step: dependent ones by H, where the step begins. Of what
 * links gain while the step turns them, u has one half, dW/dt, and rows without dJ/dt have not the other. Where a row
 * can hardly move, one half alone would ask for any force, and give any energy. */
static void put_on_closure(const double *u, workspace *ws)
{
    const int n = ws->free, m = NV - n;
    memcpy(ws->on_closure, u, sizeof ws->on_closure);
    for (int i = 0; i < NV; i++)
        if (ws->place[i] < m) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += ws->H[ws->place[i] * n + j] * u[ws->leads[j]];
            ws->on_closure[i] = sum;
        }
}

/* Those of slot s: coordinates of joints gain all of it, as nothing turns them. */
static inline const double *velocities_of(int s, const double *u, const workspace *ws)
{
    return s < LINKS ? ws->on_closure : u;
}

/* No velocity moves both. */
static inline int are_apart(int a, int b, const workspace *ws)
{
    return block_of(ws, a, b) < 0;
}

/* J' of a link += scale axis at one dof, into y = W' J' and the velocity J u. */
static void add_dof(int s, int dof, double scale, const double *axis, const double *u, workspace *ws)
{
    const int n = ws->free, m = NV - n, at = ws->place[dof];
    kg_add_scaled(ws->twist[s], scale * u[dof], axis);
    if (at >= m)
        kg_add_scaled(ws->y[s][at - m], scale, axis);
    for (int j = 0; at < m && j < n; j++)
        if (ws->H[at * n + j] != 0.0)
            kg_add_scaled(ws->y[s][j], scale * ws->H[at * n + j], axis);
}

static inline int is_link(int s)
{
    return HAS_POSES && s < LINKS;
}

static int is_nothing(const double *y)
{
    int nothing = 1;
    for (int k = 0; k < 6; k++)
        nothing &= y[k] == 0.0;
    return nothing;
}

/* y = L'^-1 W' J' of a link and its velocity with nothing touching, J u. */
static void prepare_link(int s, const double *u, workspace *ws)
{
    const int n = ws->free;
    double (*y)[8] = ws->y[s];
    memset(y, 0, (size_t)n * sizeof y[0]);
    for (int k = PATH[s]; k < PATH[s + 1]; k++)
        add_dof(s, PATH_DOF[k], 1.0, ws->axes[PATH_AXIS[k]], u, ws);
    for (int i = n - 1; i >= 0; i--) { /* last row to first */
        if (is_nothing(y[i]))
            continue;
        ws->from[s] = i;
        if (!ws->until[s])
            ws->until[s] = i + 1;
        for (int j = 0; j < i; j++)
            if (ws->A[i * n + j] != 0.0)
                kg_add_scaled(y[j], -ws->A[i * n + j], y[i]);
    }
}

/* J' of a coordinate += scale at one dof. */
static void add_to_coordinate(int s, int dof, double scale, const double *u, workspace *ws)
{
    const int n = ws->free, m = NV - n, at = ws->place[dof];
    double *y = column_of_coordinate(s, ws);
    ws->twist[s][0] += scale * u[dof];
    if (at >= m)
        y[at - m] += scale;
    else
        kg_axpy(n, scale, ws->H + at * n, y);
}

/* Below this place among the independent velocities a coordinate has its entries of W' J'. */
static int top_of_coordinate(int s, const workspace *ws)
{
    const int n = ws->free, m = NV - n;
    int top = 0;
#if HAS_CUT_LIMITS
    if (cut_dof_of(s) >= NV)
        return n;
#endif
    for (int k = PATH[s]; k < PATH[s + 1]; k++) {
        const int at = ws->place[PATH_DOF[k]], above = at < m ? n : at - m + 1;
        top = above > top ? above : top;
    }
    return top;
}

/* The same as prepare_link for a coordinate. */
static void prepare_coordinate(int s, const double *u, workspace *ws)
{
    const int top = top_of_coordinate(s, ws), n = ws->free;
    double *y = column_of_coordinate(s, ws);
    memset(y, 0, (size_t)top * sizeof *y);
    for (int k = PATH[s]; k < PATH[s + 1]; k++)
        add_to_coordinate(s, PATH_DOF[k], 1.0, u, ws);
#if HAS_CUT_LIMITS
    const int dof = cut_dof_of(s);
    for (int j = 0; dof >= NV && j < NV; j++)
        if (ws->C[(dof - NV) * NV + j] != 0.0)
            add_to_coordinate(s, j, ws->C[(dof - NV) * NV + j], u, ws);
#endif
    for (int i = top - 1; i >= 0; i--) { /* last row to first */
        if (y[i] == 0.0)
            continue;
        ws->from[s] = i;
        if (!ws->until[s])
            ws->until[s] = i + 1;
        kg_axpy(i, -y[i], ws->A + i * n, y);
    }
    for (int i = ws->from[s]; i < ws->until[s]; i++)
        weighted_column(s, ws)[i] = ws->iD[i] * y[i];
}

static void prepare_slot(int s, const double *u, workspace *ws)
{
    memset(ws->twist[s], 0, sizeof ws->twist[s]);
    ws->from[s] = ws->free;
    ws->until[s] = 0;
    if (is_link(s))
        prepare_link(s, velocities_of(s, u, ws), ws);
    else
        prepare_coordinate(s, u, ws);
}

/* mobility of two coordinates, one number. */
static void prepare_coordinates(int a, int b, int from, int until, workspace *ws)
{
    const double m = kg_dot(until - from, column_of_coordinate(a, ws) + from, weighted_column(b, ws) + from);
    double *there = ws->mobility[a * SLOTS + b][0], *back = ws->mobility[b * SLOTS + a][0];
    memset(there, 0, sizeof ws->mobility[0][0]);
    memset(back, 0, sizeof ws->mobility[0][0]);
    there[0] = back[0] = m;
}

/* mobility[j][i]: what a unit wrench j on slot b does to the velocity i of slot a <= b; links come first. */
static void prepare_pair(int a, int b, workspace *ws)
{
    const int end = ws->until[a] < ws->until[b] ? ws->until[a] : ws->until[b];
    const int from = ws->from[a] > ws->from[b] ? ws->from[a] : ws->from[b], until = end > from ? end : from;
    if (!is_link(a)) {
        prepare_coordinates(a, b, from, until, ws);
        return;
    }
    double (*m)[8] = ws->mobility[a * SLOTS + b], (*back)[8] = ws->mobility[b * SLOTS + a], sum[6][8] = {{0.0}};
    if (is_link(b)) {
        for (int g = from; g < until; g++)
            for (int j = 0; j < 6; j++)
                kg_add_scaled(sum[j], ws->iD[g] * ws->y[b][g][j], ws->y[a][g]);
    } else {
        kg_add_rows(sum[0], until - from, (const double (*)[8])ws->y[a] + from, weighted_column(b, ws) + from);
    }
    const int width = width_of(b), height = width_of(a);
    memcpy(m, sum, (size_t)width * sizeof sum[0]);
    for (int i = 0; a != b && i < height; i++)
        for (int j = 0; j < 8; j++)
            back[i][j] = j < width ? sum[j][i] : 0.0;
}

static void free_velocity_is(workspace *ws)
{
    (void)ws;
}

/* All of them; u: velocity at the end of a step of dt in which nothing touches. */
static void prepare_links(double dt, const double *u, workspace *ws)
{
    (void)dt;
    for (int e = 0, known = 0; e < ws->links; e++) {
        if (!known && ws->list[e] < LINKS) {
            put_on_closure(u, ws);
            known = 1;
        }
        prepare_slot(ws->list[e], u, ws);
    }
}

/* What they answer each other. */
static void prepare_answers(workspace *ws)
{
    for (int e = 0; e < ws->links; e++)
        for (int f = 0; f <= e; f++)
            if (block_of(ws, ws->list[e], ws->list[f]) >= 0)
                prepare_pair(ws->list[f], ws->list[e], ws);
}

/* How forces are answered from here on: n independent of the velocities `columns` (dependent ones first), H (nv - n,
 * n), A = L' D L (n, n) as it is factored, iD = 1/D. */
void MODEL(contact_factor)(int n, const int *columns, const double *H, const double *A, const double *iD, workspace *ws)
{
    ws->free = n;
    ws->H = H;
    ws->A = A;
    memcpy(ws->iD, iD, (size_t)n * sizeof *iD);
    for (int j = 0; j < NV; j++)
        ws->place[columns[j]] = j;
    memcpy(ws->leads, columns + NV - n, (size_t)n * sizeof *columns);
}

/* x (n) = D^-1 (sum of y' wrench) of every touching link, from the last rows that were solved: A^-1 W' J' of the
 * wrenches is L^-1 x. */
void MODEL(contact_weighted)(double *x, workspace *ws)
{
    const int n = ws->free;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int e = 0; e < ws->links; e++) {
        const int s = ws->list[e], from = ws->from[s], until = ws->until[s];
        const double *w = ws->wrench[s];
        if (!is_link(s)) {
            kg_axpy(until - from, w[0], weighted_column(s, ws) + from, x + from);
            continue;
        }
        for (int g = from; g < until; g++) {
            const double *y = ws->y[s][g];
            x[g] += ws->iD[g] * (y[0] * w[0] + y[1] * w[1] + y[2] * w[2] + y[3] * w[3] + y[4] * w[4] + y[5] * w[5]);
        }
    }
}

/* The velocities that the rows found act on, each alone: how many; -1 if some act on links, on
 * what closes loops, or hold a row at all times. */
int MODEL(contact_dofs)(const contacts *c, int *dof)
{
    for (long i = 0; i < c->count; i++) {
        const long k = c->points[i].pair - PAIRS;
        if (HAS_HELD_ROWS || k < 0 || k >= LIMITS || LIMIT[k].v >= NV)
            return -1;
        dof[i] = LIMIT[k].v;
    }
    return (int)c->count;
}

#endif
