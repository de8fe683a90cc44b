/* spherical_pendulum: what a coast keeps.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 */

#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as spherical_pendulum.h declares it. */
void spherical_pendulum_momenta(const double *q, const double *v, double *h);

/* Momenta h = M v. 3 mul. */
void spherical_pendulum_momenta(const double *restrict q, const double *restrict v, double *restrict h)
{
    (void)q;

    /* ball */
    const double n_ball_x = 0.502*v[0];
    h[0] = n_ball_x;
    const double n_ball_y = 0.502*v[1];
    h[1] = n_ball_y;
    const double n_ball_z = 0.002000000000000001*v[2];
    h[2] = n_ball_z;
}

