/* Servos of the joints of a tree. The other provider of the same functions is served_closed.h. */

#ifndef KINEGEN_DRIVE_SERVED_TREE_H
#define KINEGEN_DRIVE_SERVED_TREE_H

#include "servos.h"

/* f += forces of servos at q, v (dt 0), or what of them at the end of a step does not depend on the acceleration; d +=
 * what does, as of dampers. dt > 0: after begin_servos. */
KG_NOINLINE static void serve(const simulation *s, double dt, const double *q, const double *v, double *f, double *d)
{
    if (!s->servos)
        return;
    if (!(dt > 0.0))
        begin_servos(s, 0.0, q, v);
    add_entries(s->servos, dt, q, v, f, d);
}

/* f += forces of servos at q, v. */
static void add_servos(const simulation *s, const double *q, const double *v, double *f)
{
    serve(s, 0.0, q, v, f, 0);
}

/* The accelerations that a step of dt found (null: servos act at q, v alone): what each asks for and gives. After
 * begin_servos. */
KG_NOINLINE static void note_servos(const simulation *s, double dt, const double *q, const double *v, const double *a)
{
    note_entries(s->servos, dt, q, v, a);
}

/* f += what servos gave. */
KG_COLD static void add_served(const simulation *s, const double *q, double *f)
{
    (void)q;
    for (long k = 0; s->servos && k < s->servos->count; k++)
        f[s->servos->dof[k]] += s->servos->out[k];
}

#endif
