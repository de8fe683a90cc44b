/* Points of contact: rows, responses, their own blocks of K. */

#ifndef KINEGEN_CONTACT_POINTS_H
#define KINEGEN_CONTACT_POINTS_H

#if HAS_LOOPS
#include "response_closed.h"
#else
#include "response_tree.h"
#endif
#if HAS_RIMS
#include "../rows/rims.h"
#endif

/* Two unit vectors across n (Duff et al. 2017, Building an Orthonormal Basis, Revisited). */
static void across(const double *n, double *t, double *u)
{
    const double sign = copysign(1.0, n[2]), a = -1.0 / (sign + n[2]), b = n[0] * n[1] * a;
    t[0] = 1.0 + sign * n[0] * n[0] * a;
    t[1] = sign * b;
    t[2] = -sign * n[0];
    u[0] = b;
    u[1] = sign + n[1] * n[1] * a;
    u[2] = -n[1];
}

/* The row pushes one bounded coordinate, which moves along one axis: the first numbers tell all. */
static inline int is_coordinate(const workspace *ws, long i)
{
    return SLOTS > LINKS && ws->at[i].a < 0 && ws->at[i].b >= LINKS;
}

static inline void velocity_of(const workspace *ws, long i, double *v)
{
    double sum[4] = {0.0};
    for (int side = 0; side < 2; side++) {
        const int s = side ? ws->at[i].b : ws->at[i].a;
        if (s < 0)
            continue;
        kg_add_short_rows(sum, 6, (const double (*)[4])ws->at[i].row[side], ws->twist[s]);
    }
    for (int k = 0; k < 4; k++)
        v[k] = sum[k];
}

static inline void apply(workspace *ws, long i, const double *impulse)
{
    const int first = ws->at[i].first, end = first + ws->at[i].responses;
    if (is_coordinate(ws, i)) {
        for (int e = first; e < end; e++)
            kg_add_scaled(ws->twist[ws->to[e]], impulse[0], ws->response[e][0]);
        return;
    }
    for (int e = first; e < end; e++)
        kg_add_rows(ws->twist[ws->to[e]], 3, (const double (*)[8])ws->response[e], impulse);
}

/* Forces along d (3, 3) act at `arm`, or turn if `turns`: wrenches on both links, about the world's origin. */
static inline void set_columns(long i, const double (*d)[3], const double *arm, int turns, workspace *ws)
{
    for (int side = 0; side < 2; side++) {
        const int s = side ? ws->at[i].b : ws->at[i].a;
        const double sign = side ? 1.0 : -1.0;
        double (*column)[8] = ws->at[i].column[side];
        if (s < 0)
            continue;
        memset(column, 0, sizeof ws->at[i].column[side]);
        for (int k = 0; k < 3; k++)
            for (int e = 0; e < 3; e++) {
                column[k][e] = turns ? 0.0 : sign * d[k][e];
                column[k][3 + e] = sign
                    * (turns ? d[k][e] : arm[(e + 1) % 3] * d[k][(e + 2) % 3] - arm[(e + 2) % 3] * d[k][(e + 1) % 3]);
            }
        for (int e = 0; e < 6; e++)
            for (int k = 0; k < 4; k++)
                ws->at[i].row[side][e][k] = k < 3 ? column[k][e] : 0.0;
    }
}

/* The same for a force along sign on a coordinate. */
static inline void set_column(long i, double sign, workspace *ws)
{
    memset(ws->at[i].column[1], 0, sizeof ws->at[i].column[1]);
    memset(ws->at[i].row[1], 0, sizeof ws->at[i].row[1]);
    ws->at[i].column[1][0][0] = ws->at[i].row[1][0][0] = sign;
}

/* The velocities that unit impulses along the rows give, and their own block of K. */
static inline int prepare_responses(long i, int first, workspace *ws)
{
    double k[3][4] = {{0.0}};
    int next = first;
    for (int e = 0; e < ws->links; e++) {
        const int link = ws->list[e];
        double sum[3][8] = {{0.0}};
        int touched = 0;
        for (int side = 0; side < 2; side++) {
            const int s = side ? ws->at[i].b : ws->at[i].a, block = s < 0 ? -1 : block_of(ws, link, s);
            if (block < 0)
                continue;
            touched = 1;
            for (int row = 0; row < 3; row++)
                kg_add_rows(
                    sum[row], width_of(s), (const double (*)[8])ws->mobility[block], ws->at[i].column[side][row]);
        }
        if (!touched)
            continue;
        for (int side = 0; side < 2; side++)
            if (link == (side ? ws->at[i].b : ws->at[i].a))
                for (int row = 0; row < 3; row++)
                    kg_add_short_rows(k[row], 6, (const double (*)[4])ws->at[i].row[side], sum[row]);
        memcpy(ws->response[next], sum, sizeof sum);
        ws->to[next++] = link;
    }
    ws->at[i].first = first;
    ws->at[i].responses = next - first;
    const double K[6] = {k[0][0], k[0][1], k[0][2], k[1][1], k[1][2], k[2][2]}; /* nn, nt, nu, tt, tu, uu */
    memcpy(ws->at[i].k, K, sizeof K);
    return next;
}

/* The same for a coordinate. */
static inline int prepare_response(long i, int first, workspace *ws)
{
    const int own = ws->at[i].b;
    const double sign = ws->at[i].column[1][0][0];
    int next = first;
    memset(ws->at[i].k, 0, sizeof ws->at[i].k);
    for (int e = 0; e < ws->links; e++) {
        const int slot = ws->list[e], block = block_of(ws, slot, own);
        if (block < 0)
            continue;
        const double *mobility = ws->mobility[block][0];
        double *response = ws->response[next][0];
        for (int k = 0; k < 8; k++)
            response[k] = sign * mobility[k];
        ws->to[next++] = slot;
        if (slot == own)
            ws->at[i].k[0] = mobility[0];
    }
    ws->at[i].first = first;
    ws->at[i].responses = next - first;
    return next;
}

/* Rows along d (3, 3) as for set_columns: what pushes along them, and what answers. */
static int prepare_block(long i, const double (*d)[3], const double *arm, int turns, int first, workspace *ws)
{
    if (is_coordinate(ws, i)) {
        set_column(i, d[0][0], ws);
        return prepare_response(i, first, ws);
    }
    set_columns(i, d, arm, turns, ws);
    return prepare_responses(i, first, ws);
}

/* Rows along the normal and two tangents d, or about them if `turns`. */
static int prepare_axes(const contact *point, long i, int turns, int first, double (*d)[3], workspace *ws)
{
    double K[6];
    ws->at[i].a = first_slot(point->pair);
    ws->at[i].b = second_slot(point->pair);
    memcpy(d[0], point->normal, sizeof d[0]);
    across(d[0], d[1], d[2]);
    const int next = prepare_block(i, (const double (*)[3])d, point->point, turns, first, ws);
    memcpy(K, ws->at[i].k, sizeof K);
    ws->at[i].iK = K[0] > 0.0 ? 1.0 / K[0] : 0.0;
    const double det = K[3] * K[5] - K[4] * K[4], half = 0.5 * (K[3] - K[5]);
    ws->at[i].det = det > 1e-12 * K[3] * K[5] ? 1.0 / det : 0.0;
    ws->at[i].reach = 1.0
        / (0.5 * (K[3] + K[5]) + sqrt(half * half + K[4] * K[4]) + 1e-300); /* of the larger eigenvalue */
    return next;
}

/* A point of contact, or a joint at its limit. */
static int prepare_point(const contact *point, long i, int first, double dt, workspace *ws)
{
    double d[3][3];
    const int next = prepare_axes(point, i, 0, first, d, ws);
    ws->at[i].friction = friction_of(point->pair);
#if HAS_TURNING
    ws->at[i].other = -1;
#endif
    const double *f = point->force, normal = kg_max(dt * kg_dot3(f, d[0]), 0.0), t = dt * kg_dot3(f, d[1]),
                 u = dt * kg_dot3(f, d[2]);
    const double limit = ws->at[i].friction * normal,
                 scale = t * t + u * u > limit * limit ? limit / sqrt(t * t + u * u) : 1.0;
    const double impulse[3] = {normal, scale * t, scale * u};
    memcpy(ws->at[i].impulse, impulse, sizeof impulse);
#if HAS_RIMS
    lead_point(point, i, (const double (*)[3])d, ws);
#endif
    return next;
}

#endif
