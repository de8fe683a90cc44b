/* Half angles of rotation vectors w, t = |w|, and the factor of logarithms. */

#ifndef KG_JOINTS_ANGLE_H
#define KG_JOINTS_ANGLE_H

#include <math.h>
#include "../linear/real.h"

/* s = sin(t/2)/t and c = cos(t/2) from t^2; a series below one radian, exact to rounding and without a pole at 0. */
static inline void kg_half_angle(kg_real t2, kg_real *s, kg_real *c)
{
    if (t2 < 1) {
        const kg_real x = KG_REAL(0.25) * t2;
        kg_real sine = 1 - x * KG_REAL(1.0 / 156.0);
        sine = 1 - x * KG_REAL(1.0 / 110.0) * sine;
        sine = 1 - x * KG_REAL(1.0 / 72.0) * sine;
        sine = 1 - x * KG_REAL(1.0 / 42.0) * sine;
        sine = 1 - x * KG_REAL(1.0 / 20.0) * sine;
        sine = 1 - x * KG_REAL(1.0 / 6.0) * sine;
        kg_real cosine = 1 - x * KG_REAL(1.0 / 182.0);
        cosine = 1 - x * KG_REAL(1.0 / 132.0) * cosine;
        cosine = 1 - x * KG_REAL(1.0 / 90.0) * cosine;
        cosine = 1 - x * KG_REAL(1.0 / 56.0) * cosine;
        cosine = 1 - x * KG_REAL(1.0 / 30.0) * cosine;
        cosine = 1 - x * KG_REAL(1.0 / 12.0) * cosine;
        cosine = 1 - x * KG_REAL(1.0 / 2.0) * cosine;
        *s = KG_REAL(0.5) * sine;
        *c = cosine;
    } else {
        const kg_real t = KG_MATH(sqrt)(t2);
        *s = KG_MATH(sin)(KG_REAL(0.5) * t) / t;
        *c = KG_MATH(cos)(KG_REAL(0.5) * t);
    }
}

/* t^2 up to which five terms of a series give the factor to rounding; the quotient does beyond. */
#ifdef KG_SINGLE
#define KG_LOG_NEAR 1.0f
#else
#define KG_LOG_NEAR 0.01
#endif

/* (1 - (t/2) cot(t/2))/t^2, the second factor of a logarithm's translation; 1/12 at 0. */
static inline kg_real kg_log_factor(kg_real t2)
{
    if (t2 < KG_LOG_NEAR) {
        kg_real sum = KG_REAL(1.0 / 1209600.0) + t2 * KG_REAL(1.0 / 47900160.0);
        sum = KG_REAL(1.0 / 30240.0) + t2 * sum;
        sum = KG_REAL(1.0 / 720.0) + t2 * sum;
        return KG_REAL(1.0 / 12.0) + t2 * sum;
    }
    const kg_real h = KG_REAL(0.5) * KG_MATH(sqrt)(t2);
    return (1 - h * KG_MATH(cos)(h) / KG_MATH(sin)(h)) / t2;
}

#endif
