/* How touching links of a tree answer forces: M = L'DL, a link's Jacobian J becomes y = L'^-1 J', and two links a, b
 * answer each other with y_a' D^-1 y_b. */

#ifndef KINEGEN_CONTACT_RESPONSE_TREE_H
#define KINEGEN_CONTACT_RESPONSE_TREE_H

#include "find.h"
#include "../linear/branch_factor.h"

/* Number of the answer of slot a to slot b of the same tree, -1 if there is none. */
static inline int known_block(int a, int b)
{
#if HAS_TREES
    return BLOCK[ANSWERS[a] + SEAT[b]];
#else
    return BLOCK[ANSWERS[a] + b];
#endif
}

/* The same of any slots. */
static inline int block_of(const workspace *ws, int a, int b)
{
    (void)ws;
    return same_tree(a, b) ? known_block(a, b) : -1;
}

/* Dofs that move a slot: number k of them, from the first one to the end. */
static inline int first_mover(int s, const workspace *ws)
{
    (void)ws;
    return SUPPORT[s];
}

static inline int end_of_movers(int s, const workspace *ws)
{
    (void)ws;
    return SUPPORT[s + 1];
}

static inline int mover(int k)
{
    return SUPPORT_DOF[k];
}

/* Where nothing closes loops, velocities are what they are. */
static inline void put_on_closure(const double *u, workspace *ws)
{
    (void)u, (void)ws;
}

static inline const double *velocities_of(int s, const double *u, const workspace *ws)
{
    (void)s, (void)ws;
    return u;
}

/* No dof moves both, nor do slots between them share any. */
static inline int are_apart(int a, int b, const workspace *ws)
{
    (void)ws;
    return !same_tree(a, b);
}

/* y = L'^-1 J' of a bounded coordinate, D^-1 y, and its velocity as for a link. */
static void prepare_coordinate(int s, double dt, const double *v_flat, workspace *ws)
{
    double *y = column_of_coordinate(s, ws), *weighted = weighted_column(s, ws);
    double velocity = v_flat[PATH_DOF[PATH[s]]];
    for (int k = SUPPORT[s]; k < SUPPORT[s + 1]; k++)
        y[SUPPORT_DOF[k]] = 0.0;
    y[PATH_DOF[PATH[s]]] = 1.0;
    for (int k = SUPPORT[s + 1] - 1; k >= SUPPORT[s]; k--) { /* last dof to first */
        const int dof = SUPPORT_DOF[k];
        const double own = y[dof];
        for (int e = ROW[dof]; e < ROW[dof + 1]; e++)
            y[ENTRY[e]] -= ws->L[e] * own;
        weighted[dof] = ws->iD[dof] * own;
        velocity += dt * ws->iD[dof] * ws->z[dof] * own;
    }
    memset(ws->twist[s], 0, sizeof ws->twist[s]);
    ws->twist[s][0] = velocity;
}

/* y = L'^-1 J' of a link and its velocity with nothing touching; J v_flat is the part of the present velocity. */
static void prepare_link(int s, double dt, const double *v_flat, workspace *ws)
{
    double (*y)[8] = ws->y[s];
    const int *dof = SUPPORT_DOF + SUPPORT[s], count = SUPPORT[s + 1] - SUPPORT[s];
    int full[NV];
#if HAS_COUPLED_PATHS
    for (int k = 0; k < count; k++)
        memset(y[dof[k]], 0, sizeof y[0]);
    for (int k = PATH[s]; k < PATH[s + 1]; k++)
        kg_add_scaled(y[PATH_DOF[k]], 1.0, ws->axes[PATH_AXIS[k]]);
#else
    for (int k = PATH[s]; k < PATH[s + 1]; k++)
        memcpy(y[PATH_DOF[k]], ws->axes[PATH_AXIS[k]], sizeof y[0]);
#endif
    kg_solve_path(count, dof, ROW, ENTRY, ws->L, full, y);
    kg_lanes twist[8 / KG_LANES] = {{0.0}};
    for (int k = PATH[s]; k < PATH[s + 1]; k++)
        KG_UNROLLED for (int e = 0; e < 8; e += KG_LANES)
        {
            twist[e / KG_LANES] += v_flat[PATH_DOF[k]] * *kg_lanes_at(ws->axes[PATH_AXIS[k]] + e);
        }
    for (int k = count - 1; k >= 0; k--) {
        const double speed = dt * ws->iD[dof[k]] * ws->z[dof[k]];
        KG_UNROLLED for (int e = 0; e < 8; e += KG_LANES)
        {
            twist[e / KG_LANES] += speed * *kg_lanes_at(y[dof[k]] + e);
        }
    }
    KG_UNROLLED for (int e = 0; e < 8; e += KG_LANES)
    {
        *kg_lanes_to(ws->twist[s] + e) = twist[e / KG_LANES];
    }
}

/* mobility[j][i]: what a unit wrench j on slot b does to the velocity i of link a <= b; links come first. */
static void prepare_pair(int a, int b, workspace *ws)
{
    const int width = width_of(b);
    const int block = known_block(a, b), end = SHARED[block + 1];
    double (*m)[8] = ws->mobility[block], (*back)[8] = ws->mobility[known_block(b, a)], sum[6][8] = {{0.0}};
    for (int k = SHARED[block]; k < end; k++) {
        const int dof = SHARED_DOF[k];
        if (b < LINKS)
            for (int j = 0; j < 6; j++)
                kg_add_scaled(sum[j], ws->iD[dof] * ws->y[b][dof][j], ws->y[a][dof]);
        else
            kg_add_scaled(sum[0], weighted_column(b, ws)[dof], ws->y[a][dof]);
    }
    memcpy(m, sum, sizeof sum);
    if (a != b)
        for (int j = 0; j < width; j++)
            for (int i = 0; i < 6; i++)
                back[i][j] = sum[j][i];
}

/* The same of two coordinates, one number. */
static void prepare_coordinates(int a, int b, workspace *ws)
{
    const int block = known_block(a, b), other = known_block(b, a), end = SHARED[block + 1];
    const double *of_a = column_of_coordinate(a, ws), *of_b = weighted_column(b, ws);
    double sum = 0.0;
    for (int k = SHARED[block]; k < end; k++)
        sum += of_b[SHARED_DOF[k]] * of_a[SHARED_DOF[k]];
    memset(ws->mobility[block][0], 0, sizeof ws->mobility[block][0]);
    memset(ws->mobility[other][0], 0, sizeof ws->mobility[block][0]);
    ws->mobility[block][0][0] = ws->mobility[other][0][0] = sum;
}

/* The velocity given to contact_solve is all there is: no free acceleration. */
static void free_velocity_is(workspace *ws)
{
    memset(ws->z, 0, sizeof ws->z);
}

/* y and velocities of all of them: v_flat as above. */
static void prepare_links(double dt, const double *v_flat, workspace *ws)
{
    for (int e = 0; e < ws->links; e++)
        if (ws->list[e] < LINKS)
            prepare_link(ws->list[e], dt, v_flat, ws);
        else
            prepare_coordinate(ws->list[e], dt, v_flat, ws);
}

/* What they answer each other. */
static void prepare_answers(workspace *ws)
{
    for (int e = 0; e < ws->links; e++)
        for (int f = e; f >= 0 && same_tree(ws->list[f], ws->list[e]); f--) {
            const int a = ws->list[f], b = ws->list[e];
            if (block_of(ws, a, b) < 0)
                continue;
            if (a < LINKS)
                prepare_pair(a, b, ws);
            else
                prepare_coordinates(a, b, ws);
        }
}

#endif
