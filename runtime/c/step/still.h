/* The time step of a mechanism in which no joint moves: it has no coordinates, and only time goes on. The model's
 * header must stand before it (see ../model.h). */

#ifndef KINEGEN_STEP_STILL_H
#define KINEGEN_STEP_STILL_H

long MODEL(simulate)(MODEL(simulation) * s)
{
    return s->integrator == SEMI_IMPLICIT || s->integrator == RK4 ? s->steps : 0;
}

#endif
