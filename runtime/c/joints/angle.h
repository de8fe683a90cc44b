/* Half angles of rotation vectors w, t = |w|, and the factors of exponentials and logarithms. Those that are found in
 * one way near zero and in another beyond stand here for one number, in lanes/groups.h for the lanes of vectors. */

#ifndef KG_JOINTS_ANGLE_H
#define KG_JOINTS_ANGLE_H

#include <math.h>
#include "arctangent.h"

/* s = sin(t/2)/t and c = cos(t/2) from t^2 below one: series, exact to rounding and without a pole at 0. */
static inline void kg_half_angle_near(kg_entry t2, kg_entry *s, kg_entry *c)
{
    const kg_entry x = KG_REAL(0.25) * t2;
    kg_entry sine = 1 - x * KG_REAL(1.0 / 156.0);
    sine = 1 - x * KG_REAL(1.0 / 110.0) * sine;
    sine = 1 - x * KG_REAL(1.0 / 72.0) * sine;
    sine = 1 - x * KG_REAL(1.0 / 42.0) * sine;
    sine = 1 - x * KG_REAL(1.0 / 20.0) * sine;
    sine = 1 - x * KG_REAL(1.0 / 6.0) * sine;
    kg_entry cosine = 1 - x * KG_REAL(1.0 / 182.0);
    cosine = 1 - x * KG_REAL(1.0 / 132.0) * cosine;
    cosine = 1 - x * KG_REAL(1.0 / 90.0) * cosine;
    cosine = 1 - x * KG_REAL(1.0 / 56.0) * cosine;
    cosine = 1 - x * KG_REAL(1.0 / 30.0) * cosine;
    cosine = 1 - x * KG_REAL(1.0 / 12.0) * cosine;
    cosine = 1 - x * KG_REAL(1.0 / 2.0) * cosine;
    *s = KG_REAL(0.5) * sine;
    *c = cosine;
}

/* The same from one on. */
static inline void kg_half_angle_far(kg_real t2, kg_real *s, kg_real *c)
{
    const kg_real t = KG_MATH(sqrt)(t2);
    *s = KG_MATH(sin)(KG_REAL(0.5) * t) / t;
    *c = KG_MATH(cos)(KG_REAL(0.5) * t);
}

/* (t - sin t)/t^3 from t^2, below one radian. */
static inline kg_entry kg_sine_rest(kg_entry t2)
{
    kg_entry sum = 1 - t2 * KG_REAL(1.0 / 272.0);
    sum = 1 - t2 * KG_REAL(1.0 / 210.0) * sum;
    sum = 1 - t2 * KG_REAL(1.0 / 156.0) * sum;
    sum = 1 - t2 * KG_REAL(1.0 / 110.0) * sum;
    sum = 1 - t2 * KG_REAL(1.0 / 72.0) * sum;
    sum = 1 - t2 * KG_REAL(1.0 / 42.0) * sum;
    sum = 1 - t2 * KG_REAL(1.0 / 20.0) * sum;
    return KG_REAL(1.0 / 6.0) * sum;
}

/* t^2 up to which five terms of a series give the factor to rounding; the quotient does beyond. */
#ifdef KG_SINGLE
#define KG_LOG_NEAR 1.0f
#else
#define KG_LOG_NEAR 0.01
#endif

/* (1 - (t/2) cot(t/2))/t^2, the second factor of a logarithm's translation, near zero: a series; 1/12 there. */
static inline kg_entry kg_log_factor_near(kg_entry t2)
{
    kg_entry sum = KG_REAL(1.0 / 1209600.0) + t2 * KG_REAL(1.0 / 47900160.0);
    sum = KG_REAL(1.0 / 30240.0) + t2 * sum;
    sum = KG_REAL(1.0 / 720.0) + t2 * sum;
    return KG_REAL(1.0 / 12.0) + t2 * sum;
}

/* The same beyond. */
static inline kg_real kg_log_factor_far(kg_real t2)
{
    const kg_real h = KG_REAL(0.5) * KG_MATH(sqrt)(t2);
    return (1 - h * KG_MATH(cos)(h) / KG_MATH(sin)(h)) / t2;
}

/* t/e of a rotation by t <= pi whose quaternion, of any length, has a vector of the square e2 = e^2 and the real part
 * r >= 0; second: kg_log_factor of t^2. x = tan(t/4) = e/(|quaternion| + r) <= 1, b = (1 - atan(x)/x)/x^2 and
 * a = atan(x)/x give t/e = 4 a x/e and (t/2) cot(t/2) = a (1 - x^2), of which nothing vanishes with e. */
static inline kg_entry kg_log_scale(kg_entry e2, kg_entry r, kg_entry *second)
{
    const kg_entry inverse = 1 / (KG_ENTRY(sqrt)(e2 + r * r) + r), z = e2 * inverse * inverse;
    const kg_entry b = kg_atan_rest(z), a = 1 - z * b;
    *second = (a + b) / (16 * a * a);
    return 4 * a * inverse;
}

#ifndef KG_WIDE_ENTRIES
static inline void kg_half_angle(kg_entry t2, kg_entry *s, kg_entry *c)
{
    if (t2 < 1)
        kg_half_angle_near(t2, s, c);
    else
        kg_half_angle_far(t2, s, c);
}

/* (t - sin t)/t^3, where s and c are those of half the angle. */
static inline kg_entry kg_sine_factor(kg_entry t2, kg_entry s, kg_entry c)
{
    return t2 < 1 ? kg_sine_rest(t2) : (1 - 2 * s * c) / t2;
}

static inline kg_entry kg_log_factor(kg_entry t2)
{
    return t2 < KG_LOG_NEAR ? kg_log_factor_near(t2) : kg_log_factor_far(t2);
}
#endif

#endif
