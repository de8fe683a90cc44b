/* Half angles of rotation vectors w, t = |w|, and the factor of logarithms. */

#ifndef KG_JOINTS_ANGLE_H
#define KG_JOINTS_ANGLE_H

#include <math.h>

/* s = sin(t/2)/t and c = cos(t/2) from t^2; a series below one radian, exact to rounding and without a pole at 0. */
static inline void kg_half_angle(double t2, double *s, double *c)
{
    if (t2 < 1.0) {
        const double x = 0.25 * t2;
        double sine = 1.0 - x * (1.0 / 156.0);
        sine = 1.0 - x * (1.0 / 110.0) * sine;
        sine = 1.0 - x * (1.0 / 72.0) * sine;
        sine = 1.0 - x * (1.0 / 42.0) * sine;
        sine = 1.0 - x * (1.0 / 20.0) * sine;
        sine = 1.0 - x * (1.0 / 6.0) * sine;
        double cosine = 1.0 - x * (1.0 / 182.0);
        cosine = 1.0 - x * (1.0 / 132.0) * cosine;
        cosine = 1.0 - x * (1.0 / 90.0) * cosine;
        cosine = 1.0 - x * (1.0 / 56.0) * cosine;
        cosine = 1.0 - x * (1.0 / 30.0) * cosine;
        cosine = 1.0 - x * (1.0 / 12.0) * cosine;
        cosine = 1.0 - x * (1.0 / 2.0) * cosine;
        *s = 0.5 * sine;
        *c = cosine;
    } else {
        const double t = sqrt(t2);
        *s = sin(0.5 * t) / t;
        *c = cos(0.5 * t);
    }
}

/* (1 - (t/2) cot(t/2))/t^2, the second factor of a logarithm's translation; 1/12 at 0. */
static inline double kg_log_factor(double t2)
{
    if (t2 < 0.01)
        return 1.0 / 12.0
            + t2 * (1.0 / 720.0 + t2 * (1.0 / 30240.0 + t2 * (1.0 / 1209600.0 + t2 * (1.0 / 47900160.0))));
    const double h = 0.5 * sqrt(t2);
    return (1.0 - h * cos(h) / sin(h)) / t2;
}

#endif
