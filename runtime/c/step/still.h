/* The time step of a mechanism in which no joint moves: it has no coordinates, and only time goes on. The model's
 * header must stand before it (see ../model.h). */

#ifndef KINEGEN_STEP_STILL_H
#define KINEGEN_STEP_STILL_H

long MODEL(simulate)(MODEL(simulation) * s)
{
    return s->integrator < 0 || s->integrator > 1 ? 0 : s->steps;
}

#endif
