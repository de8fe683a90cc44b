/* two_holds: mass matrix for loops that come and go.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 */

#include "two_holds.h"
#include <math.h>

/* Mass matrix M by composite inertias, packed. no operations. */
void two_holds_branch_inertia(const double *restrict p, const double *restrict q, double *restrict M)
{
    (void)p;
    (void)q;
    M[0] = 0.08333333333333333;
    M[1] = 0.5;
}

