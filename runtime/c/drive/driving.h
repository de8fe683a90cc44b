/* Joints whose motion is given (mathematics, section 13): where they are at any time of a step. Their motion between
 * two rows is the polynomial of degree 5 that has position, velocity and acceleration of both. */

#ifndef KINEGEN_DRIVE_DRIVING_H
#define KINEGEN_DRIVE_DRIVING_H

typedef MODEL(driving) driving;

/* The rows of step number `step`. */
static void take_motion(const simulation *s, long step)
{
    driving *d = s->driving;
    if (!d)
        return;
    d->row = d->rows + step * 3 * d->count;
    d->out = d->torque + step * d->count;
    d->since = 0.0;
}

/* q, v, a of driven entry k at time t [s] after the row. */
static void driven_state(const driving *d, long k, double t, double *q, double *v, double *a)
{
    const long n = d->count;
    const double *begin = d->row + k, *end = begin + 3 * n, h = d->span, x = t / h;
    if (!(t < h)) {
        *q = end[0];
        *v = end[n];
        *a = end[2 * n];
        return;
    }
    const double speed = h * begin[n], rise = h * h * begin[2 * n], moved = end[0] - begin[0] - speed - 0.5 * rise,
                 gained = h * end[n] - speed - rise, more = h * h * end[2 * n] - rise;
    const double c3 = 10.0 * moved - 4.0 * gained + 0.5 * more, c4 = -15.0 * moved + 7.0 * gained - more,
                 c5 = 6.0 * moved - 3.0 * gained + 0.5 * more;
    *q = begin[0] + x * (speed + x * (0.5 * rise + x * (c3 + x * (c4 + x * c5))));
    *v = (speed + x * (rise + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / h;
    *a = (rise + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))) / (h * h);
}

/* Driven entries of q and v put where they are at time t [s] after the row, in place, with their accelerations. */
KG_COLD static void impose(const simulation *s, double t, double *q, double *v)
{
    driving *d = s->driving;
    for (long k = 0; k < d->count; k++)
        driven_state(d, k, t, q + d->place[k], v + d->dof[k], d->a + d->dof[k]);
}

/* A step of dt from v begins: the accelerations that take the driven entries of v to where they are at its end. */
KG_COLD static void begin_motion(const simulation *s, double dt, const double *v)
{
    driving *d = s->driving;
    for (long k = 0; k < d->count; k++) {
        double q_end, v_end, a_end;
        driven_state(d, k, dt, &q_end, &v_end, &a_end);
        d->a[d->dof[k]] = (v_end - v[d->dof[k]]) / dt;
        d->struck[d->dof[k]] = 0.0;
    }
    d->since = 0.0;
}

/* Driven joints go on as they do. */
static inline void rest_motion(const simulation *s)
{
    for (long k = 0; k < s->driving->count; k++)
        s->driving->a[s->driving->dof[k]] = 0.0;
}

/* The torques of a step are told with what struck the driven joints in it. */
static inline void tell_struck(const simulation *s)
{
    for (long k = 0; s->driving && k < s->driving->count; k++)
        s->driving->out[k] += s->driving->struck[s->driving->dof[k]];
}

/* 1 if driven entry k moves between its rows. */
static inline int is_moving(const driving *d, long k)
{
    const double *begin = d->row + k, *end = begin + 3 * d->count;
    return begin[0] != end[0] || begin[d->count] != 0.0 || end[d->count] != 0.0;
}

/* Part of a step is over: where the driven entries are now. */
static inline void pass_time(const simulation *s, double part, double *q, double *v)
{
    if (!s->driving)
        return;
    s->driving->since += part;
    impose(s, s->driving->since, q, v);
}

#endif
