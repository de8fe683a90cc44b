/* Rows at the end of a step whose forces were found for its beginning (see meet_rows.h). */

#ifndef KINEGEN_ROWS_RESUME_H
#define KINEGEN_ROWS_RESUME_H

#include "../contact/touch.h"

/* What nothing that comes near in a step reaches [m/s, rad/s]. */
#define LET_GO (-1.0)

/* Touching links and coordinates move at u. */
static void take_velocities(const double *u, workspace *ws)
{
    put_on_closure(u, ws);
    for (int e = 0; e < ws->links; e++) {
        const int s = ws->list[e];
        const double *v = velocities_of(s, u, ws);
        double *twist = ws->twist[s];
        memset(twist, 0, sizeof ws->twist[s]);
        for (int k = PATH[s]; k < PATH[s + 1]; k++)
            kg_add_scaled(twist, v[PATH_DOF[k]], ws->axes[PATH_AXIS[k]]);
#if HAS_CUT_LIMITS
        const int dof = cut_dof_of(s);
        for (int j = 0; dof >= NV && j < NV; j++)
            twist[0] += ws->C[(dof - NV) * NV + j] * u[j];
#endif
    }
}

/* Rows that act allow no velocity, the others any. */
static void aim_at_rest(const contacts *c, workspace *ws)
{
    for (long i = 0; i < c->count; i++) {
        ws->at[i].target = ws->at[i].impulse[0] > 0.0 ? 0.0 : LET_GO;
#if HAS_HELD_ROWS
        memset(ws->at[i].aim, 0, sizeof ws->at[i].aim);
#endif
    }
}

/* The impulses of all rows go on from where they are, links moving at u; the wrenches are those of what changes, over
 * dt. */
static void resume(double dt, const double *u, const options *o, contacts *c, workspace *ws)
{
#if HAS_FEW_POINTS
    if (!ws->answered)
        answer_points(c, ws);
#endif
    take_velocities(u, ws);
    clear_wrenches(ws);
    add_wrenches(-1.0 / dt, c->count, ws);
    solve_rows(dt, o, 0, 0, c, ws);
    add_wrenches(1.0 / dt, c->count, ws);
}

/* 1 if some contact presses. */
int MODEL(contact_presses)(const contacts *c, const workspace *ws)
{
    for (long i = 0; HAS_SHAPES && i < c->count; i++)
        if (c->points[i].pair < PAIRS && ws->at[i].impulse[0] > 0.0)
            return 1;
    return 0;
}

/* The wrenches that the rows still lack where the step ends with velocity u: their forces are then those of all of it.
 * After contact_solve. */
void MODEL(contact_end)(double dt, const double *u, const options *o, contacts *c, workspace *ws)
{
    const long sweeps = c->sweeps;
    resume(dt, u, o, c, ws);
    c->sweeps += sweeps;
    store_forces(dt, c, ws);
}

/* Those with which rows that act take away the velocity u, which is forgotten; forces stay. After contact_end. */
void MODEL(contact_stay)(double dt, const double *u, const options *o, contacts *c, workspace *ws)
{
    const long sweeps = c->sweeps;
    const double residual = c->residual;
    aim_at_rest(c, ws);
    resume(dt, u, o, c, ws);
    c->sweeps = sweeps;
    c->residual = residual;
}

#endif
