/* two_holds: what a coast keeps.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 */

#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_momenta(const double *p, const double *q, const double *v, double *h);

/* Momenta h = M v. 2 mul. */
void two_holds_momenta(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict h)
{
    (void)p;
    (void)q;

    /* rod */
    const double n_rod_z = 0.08333333333333333*v[0];
    h[0] = n_rod_z;

    /* slider */
    const double f_slider_z = 0.5*v[1];
    h[1] = f_slider_z;
}

