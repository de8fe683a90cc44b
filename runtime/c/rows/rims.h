/* Points that move along the rim of a cylinder, so that it keeps its energy as it rolls on its edge.
 *
 * A point of contact is found where the step begins, and is left with velocity 0. One step later another point of
 * the rim is the lowest, and it has the velocity that the rim has there: the drift. It is the same in every step, and
 * stopping it costs energy in proportion to dt. A point that presses from step to step is therefore left with minus
 * half the drift, whether it sticks or slips (friction is then against the mean slip of the step): the velocities that
 * it begins and ends with cancel, and so does their work, up to dt^2. The body then moves at the mean of its velocities
 * before and after the step, along which weight and contact do the work that the kinetic energy tells.
 *
 * For the same reason the moment of such points, as it was in the last step, counts where the spin of their body is
 * stepped: w x I w acts in the middle of the step, with half of what the moment turns it by. */

#ifndef KINEGEN_ROWS_RIMS_H
#define KINEGEN_ROWS_RIMS_H

#include "../contact/note.h"
#include "../joints/so3.h"

#define FARTHEST 0.1 /* that a point moves in a step and still is the same, over the size of the cylinder */

/* Radius of the cylinder of a pair about its centre, 0: there is none. */
static double rim_of(long pair)
{
    const shape_pair shapes = pair_at(pair);
    return SHAPE[shapes.second].kind == KG_CYLINDER ? SHAPE[shapes.second].reach
        : SHAPE[shapes.first].kind == KG_CYLINDER   ? SHAPE[shapes.first].reach
                                                    : 0.0;
}

/* As where something bounces, or is pushed out of a depth. */
static void lead_nothing(long i, workspace *ws)
{
    memset(ws->at[i].lead, 0, sizeof ws->at[i].lead);
    ws->at[i].steady = 0;
}

/* The velocities that a point is to be left with: d (3, 3) its normal and tangents. */
static void lead_point(const contact *point, long i, const double (*d)[3], workspace *ws)
{
    double speed[4] = {0.0}, way[3];
    lead_nothing(i, ws);
    if (!ws->leading || point->pair >= PAIRS || ws->was[i] < 0)
        return;
    const contact *old = ws->before + ws->was[i];
    for (int k = 0; k < 3; k++)
        way[k] = point->point[k] - old->point[k];
    const double far = FARTHEST * rim_of(point->pair);
    if (!(kg_dot3(way, way) < far * far) || !(kg_dot3(old->force, point->normal) > 0.0))
        return;
    for (int side = 0; side < 2; side++) {
        const int s = slot_of(ws, i, side);
        if (s >= 0)
            kg_add_short_rows(speed, 6, (const double (*)[4])ws->at[i].row[side], ws->speed[s]);
    }
    const double *left = ws->left_before[ws->was[i]];
    double drift[3];
    for (int k = 0; k < 3; k++)
        drift[k] = speed[k] - kg_dot3(left, d[k]);
    if (kg_dot3(left, left) > 4.0 * kg_dot3(drift, drift)) /* it was still on its way */
        return;
    for (int k = 0; k < 3; k++)
        ws->at[i].lead[k] = -0.5 * drift[k];
    ws->at[i].steady = 1;
    ws->at[i].lead[0] = kg_min(ws->at[i].lead[0], -speed[0]); /* the normal force gives nothing */
}

/* f (6): what the points of the last step exerted on body r at its origin, world axes; 0 if some of them struck it. */
static int steady_load(const contacts *c, int r, const double *x, double *f)
{
    double all = 0.0, steady = 0.0;
    memset(f, 0, 6 * sizeof *f);
    for (long i = 0; i < c->count && c->points[i].pair < PAIRS; i++) {
        const contact *point = c->points + i;
        const double sign = (second_slot(point->pair) == RIM[r].slot) - (first_slot(point->pair) == RIM[r].slot);
        const double arm[3] = {point->point[0] - x[0], point->point[1] - x[1], point->point[2] - x[2]};
        const double pressed = fabs(sign) * kg_max(kg_dot3(point->force, point->normal), 0.0);
        double moment[3];
        if (pressed == 0.0)
            continue;
        all += pressed;
        steady += pressed * c->left[i][3];
        kg_cross3(arm, point->force, moment);
        for (int k = 0; k < 3; k++) {
            f[k] += sign * point->force[k];
            f[3 + k] += sign * (moment[k] + point->moment[k]);
        }
    }
    return steady > (1.0 - 1e-9) * all; /* what another solver leaves of nothing is no blow */
}

/* load (nv): what the points of the last step exerted on bodies that roll on a rim, 0 for a body that was struck. */
void MODEL(contact_load)(const contacts *c, const double *q, double *load)
{
    memset(load, 0, NV * sizeof *load);
    for (int r = 0; r < RIMS; r++) {
        double f[6];
        if (!steady_load(c, r, q + RIM[r].q, f))
            continue;
        kg_turn(q + RIM[r].q + 3, -1.0, f, load + RIM[r].v);
        kg_turn(q + RIM[r].q + 3, -1.0, f + 3, load + RIM[r].v + 3);
    }
}

/* Bodies that rolled on a rim from q0, v0 to q, v have moved by dt times the mean of both velocities, q in place. */
void MODEL(contact_roll)(double dt, const contacts *c, const double *q0, const double *v0, const double *v, double *q)
{
    for (int r = 0; r < RIMS; r++) {
        double f[6], before[3], after[3];
        if (!steady_load(c, r, q0 + RIM[r].q, f))
            continue;
        kg_turn(q0 + RIM[r].q + 3, 1.0, v0 + RIM[r].v, before);
        kg_turn(q + RIM[r].q + 3, 1.0, v + RIM[r].v, after);
        for (int k = 0; k < 3; k++)
            q[RIM[r].q + k] += 0.5 * dt * (before[k] - after[k]);
    }
}

#endif
