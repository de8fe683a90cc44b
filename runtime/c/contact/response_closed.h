/* How touching links of a mechanism with loops answer forces: J A^-1 J', A = W' M W = L D L', y = L^-1 W' J'. */

#ifndef KINEGEN_CONTACT_RESPONSE_CLOSED_H
#define KINEGEN_CONTACT_RESPONSE_CLOSED_H

#include "find.h"

/* Rows of y of two slots that overlap, else they do not answer each other: -1. */
static inline int block_of(const workspace *ws, int a, int b)
{
    return ws->from[a] < ws->until[b] && ws->from[b] < ws->until[a] ? a * SLOTS + b : -1;
}

/* J' of a link += scale axis at one dof, into y = W' J' and the velocity J u. */
static void add_dof(int s, int dof, double scale, const double *axis, const double *u, workspace *ws)
{
    const int n = ws->free, m = NV - n, at = ws->place[dof];
    int first = at - m;
    kg_add_scaled(ws->twist[s], scale * u[dof], axis);
    if (at >= m)
        kg_add_scaled(ws->y[s][at - m], scale, axis);
    for (int j = n - 1; at < m && j >= 0; j--)
        if (ws->H[at * n + j] != 0.0) {
            kg_add_scaled(ws->y[s][j], scale * ws->H[at * n + j], axis);
            first = j;
        }
    if (first >= 0 && first < ws->from[s])
        ws->from[s] = first;
}

/* y = L^-1 W' J' of a link and its velocity with nothing touching, J u. */
static void prepare_link(int s, const double *u, workspace *ws)
{
    const int n = ws->free;
    double (*y)[8] = ws->y[s];
    memset(y, 0, (size_t)n * sizeof y[0]);
    memset(ws->twist[s], 0, sizeof ws->twist[s]);
    ws->from[s] = n;
    for (int k = PATH[s]; k < PATH[s + 1]; k++)
        add_dof(s, PATH_DOF[k], 1.0, ws->axes[PATH_AXIS[k]], u, ws);
#if HAS_CUT_LIMITS
    if (s >= LINKS && s < LINKS + LIMITS && LIMIT[s - LINKS].v >= NV)
        for (int j = 0; j < NV; j++)
            if (ws->C[(LIMIT[s - LINKS].v - NV) * NV + j] != 0.0)
                add_dof(s, j, ws->C[(LIMIT[s - LINKS].v - NV) * NV + j], ws->axes[AXES], u, ws);
#endif
    ws->until[s] = ws->from[s];
    for (int i = ws->from[s]; i < n; i++) { /* first row to last */
        for (int j = ws->from[s]; j < ws->until[s]; j++)
            if (ws->A[i * n + j] != 0.0)
                kg_add_scaled(y[i], -ws->A[i * n + j], y[j]);
        for (int k = 0; k < 6; k++)
            if (y[i][k] != 0.0)
                ws->until[s] = i + 1;
    }
}

/* mobility[j][i]: what a unit wrench j on link b does to the velocity i of link a. */
static void prepare_pair(int a, int b, workspace *ws)
{
    const int from = ws->from[a] > ws->from[b] ? ws->from[a] : ws->from[b];
    const int until = ws->until[a] < ws->until[b] ? ws->until[a] : ws->until[b];
    double (*m)[8] = ws->mobility[a * SLOTS + b], (*back)[8] = ws->mobility[b * SLOTS + a], sum[6][8] = {{0.0}};
    for (int g = from; g < until; g++)
        for (int j = 0; j < 6; j++)
            kg_add_scaled(sum[j], ws->iD[g] * ws->y[b][g][j], ws->y[a][g]);
    memcpy(m, sum, sizeof sum);
    if (a != b)
        for (int j = 0; j < 6; j++)
            for (int i = 0; i < 6; i++)
                back[i][j] = sum[j][i];
}

static void free_velocity_is(workspace *ws)
{
    (void)ws;
}

/* All of them; u: velocity at the end of a step of dt in which nothing touches. */
static void prepare_links(double dt, const double *u, workspace *ws)
{
    (void)dt;
    for (int e = 0; e < ws->links; e++)
        prepare_link(ws->list[e], u, ws);
    for (int e = 0; e < ws->links; e++)
        for (int f = 0; f <= e; f++)
            if (block_of(ws, ws->list[e], ws->list[f]) >= 0)
                prepare_pair(ws->list[e], ws->list[f], ws);
}

#endif
