/* The angle of a point, by arithmetic alone (Cephes). */

#ifndef KG_JOINTS_ARCTANGENT_H
#define KG_JOINTS_ARCTANGENT_H

#include "../linear/entry.h"

#define KG_TAN_FAR KG_REAL(2.41421356237309504880) /* tan 3/8 pi */
#define KG_HALF_PI KG_REAL(1.57079632679489661923)

/* atan x = x + x z KG_ATAN(z), z = x^2, up to |x| = KG_TAN_NEAR; what pi/2 is more than its number. */
#ifdef KG_SINGLE
#define KG_TAN_NEAR 0.41421356237309504880f
#define KG_HALF_PI_REST -4.37113900018624283e-8f

static inline kg_entry kg_atan_rest(kg_entry z)
{
    kg_entry sum = KG_REAL(8.05374449538e-2) * z - KG_REAL(1.38776856032e-1);
    sum = sum * z + KG_REAL(1.99777106478e-1);
    return sum * z - KG_REAL(3.33329491539e-1);
}
#else
#define KG_TAN_NEAR 0.66
#define KG_HALF_PI_REST 6.123233995736765886130e-17

static inline kg_entry kg_atan_rest(kg_entry z)
{
    kg_entry above = -8.750608600031904122785e-1 * z - 1.615753718733365076637e1;
    above = above * z - 7.500855792314704667340e1;
    above = above * z - 1.228866684490136173410e2;
    above = above * z - 6.485021904942025371773e1;
    kg_entry below = z + 2.485846490142306297962e1;
    below = below * z + 1.650270098316988542046e2;
    below = below * z + 4.328810604912902668951e2;
    below = below * z + 4.853903996359136964868e2;
    below = below * z + 1.945506571482613964425e2;
    return above / below;
}
#endif

/* atan2(y, x) of y >= 0, x >= 0: turned back by a half, a quarter or no right angle. */
static inline kg_entry kg_angle_of(kg_entry y, kg_entry x)
{
    const kg_entry aside = KG_WHERE(y > KG_TAN_NEAR * x, KG_EVERY(0.5), KG_EVERY(0.0));
    const kg_entry turned = KG_WHERE(y > KG_TAN_FAR * x, KG_EVERY(1.0), aside);
    const kg_entry top = KG_WHERE(turned > KG_REAL(0.75), -x, KG_WHERE(turned > KG_REAL(0.25), y - x, y));
    const kg_entry bottom = KG_WHERE(turned > KG_REAL(0.75), y, KG_WHERE(turned > KG_REAL(0.25), y + x, x));
    const kg_entry t = top / bottom, z = t * t;
    return turned * KG_HALF_PI + (turned * KG_HALF_PI_REST + (t + t * (z * kg_atan_rest(z))));
}

#endif
