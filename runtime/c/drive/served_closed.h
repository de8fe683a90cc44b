/* Servos of a mechanism with loops. Those of joints that close loops act on the tree through C, their velocities per v:
 * C' f, and C' D C added to M. Of these only joints whose loops are active are felt. */

#ifndef KINEGEN_DRIVE_SERVED_CLOSED_H
#define KINEGEN_DRIVE_SERVED_CLOSED_H

#include "servos.h"

/* 1 if servos act on joints that close loops. */
static inline int serves_cut(const simulation *s)
{
    return CUT_V > 0 && s->servos && s->servos->cut;
}

/* 1 if steps count the turns of the joints that close loops. */
static inline int counts_turns(const simulation *s)
{
    return HAS_CUT_FORCES || HAS_CUT_LIMITS || serves_cut(s);
}

/* All joints at q, v, with e and u of those that close loops and whose coordinates do not add. */
static void read_served(const simulation *s, const double *q, const double *v, whole_state *x)
{
    const servos *a = s->servos;
    read_whole(s->p, q, v, s->memory->cut_q, x);
    if (CUT_Q == CUT_V || !a->off)
        return;
    MODEL(cut_offset)(x->q + NQ, a->row + 2 * a->count + NQ, a->off + NV);
    memcpy(a->off + NV + CUT_V + NV, x->v + NV, CUT_V * sizeof *x->v);
}

/* The same of the mechanism: f and d (nv) += what acts on the tree's joints; of the others f += C' f, and through_cut
 * (nv, nv; null where dt is 0) += C' D C. */
KG_COLD static void serve_all(
    const simulation *s, double dt, const double *q, const double *v, double *f, double *d, double *through_cut)
{
    whole_state x;
    double force[NV + CUT_V + 1] = {0.0}, added[NV + CUT_V + 1] = {0.0};
    read_served(s, q, v, &x);
    add_entries(s->servos, dt, x.q, x.v, force, added);
    for (int k = 0; k < CUT_V; k++)
        if (!is_active(s->p, cut_loop[k]))
            force[NV + k] = added[NV + k] = 0.0;
    for (int i = 0; i < NV; i++)
        f[i] += force[i];
    pull_cut(&x.cut, force + NV, f);
    if (!(dt > 0.0))
        return;
    for (int i = 0; i < NV; i++)
        d[i] += added[i];
    add_through_cut(&x.cut, added + NV, through_cut);
}

/* f += forces of servos at q, v (dt 0), or what of them at the end of a step does not depend on the acceleration; d and
 * through_cut += what does, as of dampers. dt > 0: after begin_servos. */
KG_COLD static void serve(
    const simulation *s, double dt, const double *q, const double *v, double *f, double *d, double *through_cut)
{
    if (!s->servos)
        return;
    if (!(dt > 0.0))
        begin_servos(s, 0.0, q, v);
    if (serves_cut(s))
        serve_all(s, dt, q, v, f, d, through_cut);
    else
        add_entries(s->servos, dt, q, v, f, d);
}

/* load (cut dofs) += what servos exert at q, v on joints that close loops, after begin_servos. */
static inline void add_cut_served(const simulation *s, const double *q, const double *v, double *load)
{
    whole_state x;
    double force[NV + CUT_V + 1] = {0.0}, added[NV + CUT_V + 1] = {0.0};
    if (!serves_cut(s))
        return;
    read_served(s, q, v, &x);
    add_entries(s->servos, 0.0, x.q, x.v, force, added);
    for (int k = 0; k < CUT_V; k++)
        load[k] += is_active(s->p, cut_loop[k]) ? force[NV + k] : 0.0;
}

/* f += forces of servos at q, v. */
static void add_servos(const simulation *s, const double *q, const double *v, double *f)
{
    serve(s, 0.0, q, v, f, 0, 0);
}

/* The accelerations that a step of dt found (null: servos act at q, v alone): what each asks for and gives. After
 * begin_servos. */
KG_COLD static void note_servos(const simulation *s, double dt, const double *q, const double *v, const double *a)
{
    servos *own = s->servos;
    whole_state x;
    double rate[NV + CUT_V + 1];
    if (!serves_cut(s)) {
        note_entries(own, dt, q, v, a);
        return;
    }
    read_served(s, q, v, &x);
    if (a) {
        memcpy(rate, a, NV * sizeof *a);
        cut_rates(&x.cut, a, rate + NV);
    }
    note_entries(own, dt, x.q, x.v, a ? rate : 0);
    for (long k = 0; k < own->count; k++)
        if (own->dof[k] >= NV && !is_active(s->p, cut_loop[own->dof[k] - NV]))
            own->asked[k] = own->out[k] = 0.0;
}

/* f += what servos gave. */
KG_COLD static void add_served(const simulation *s, const double *q, double *f)
{
    const double *p = s->p;
    double out[NV + CUT_V + 1] = {0.0};
    cut_motion cut;
    for (long k = 0; s->servos && k < s->servos->count; k++)
        out[s->servos->dof[k]] += s->servos->out[k];
    for (int i = 0; i < NV; i++)
        f[i] += out[i];
    if (serves_cut(s)) {
        KERNEL(loop_jacobian, q, cut.C);
        pull_cut(&cut, out + NV, f);
    }
}

#endif
