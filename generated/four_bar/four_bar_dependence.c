/* four_bar: what depends from the velocities that lead. Straight-line code where its partition serves, else
 * pivoting; not numbers where these velocities do not lead. */

#undef KG_WIDTH
#define KG_WIDTH 1
#define ONE_STATE

#include "four_bar_dependence.h"

/* Readiness to be dependent, as pivoting takes it. */
static const double leading[] = {1e-06, 1.0, 1.0};

#include "kinegen/lanes/dependent.h"

/* Velocities of the tree per independent one. */
void four_bar_W(const double *restrict q, double *restrict W)
{
    coefficients(0, q, W);
}

void four_bar_W_batch(long n, const double *q, long q_stride, double *W)
{
    for (long i = 0; i < n; i++)
        four_bar_W(q + i*q_stride, W + i*3);
}

/* Dependent velocities, those of the cut joints included, per independent one. */
void four_bar_H(const double *restrict q, double *restrict H)
{
    double W[NV * LEADERS];
    coefficients_of(0, q, FOLLOWED, followed, W, H);
}

void four_bar_H_batch(long n, const double *q, long q_stride, double *H)
{
    for (long i = 0; i < n; i++)
        four_bar_H(q + i*q_stride, H + i*3);
}

/* Rates v and a whose dependent entries follow from the independent ones. */
void four_bar_dependent_motion(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict motion)
{
    led(0, q, v, a, motion);
}

void four_bar_dependent_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *motion)
{
    for (long i = 0; i < n; i++)
        four_bar_dependent_motion(q + i*q_stride, v + i*v_stride, a + i*a_stride, motion + i*6);
}

/* Velocities of the actuated joints per independent one. */
void four_bar_S(const double *restrict q, double *restrict S)
{
    double W[NV * LEADERS];
    coefficients_of(0, q, ACTUATED, actuated, W, S);
}

void four_bar_S_batch(long n, const double *q, long q_stride, double *S)
{
    for (long i = 0; i < n; i++)
        four_bar_S(q + i*q_stride, S + i*1);
}

/* Least torques of the actuated joints that give a motion on the closure, NaN where none do. */
void four_bar_actuator_torques(const double *restrict q, const double *restrict v, const double *restrict a,
    double *restrict tau)
{
    torques(0, q, v, a, tau);
}

void four_bar_actuator_torques_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        four_bar_actuator_torques(q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*1);
}

