/* sin and cos of many angles at once. Needs libm only beyond |x| = KG_FAR rad. */

#ifndef KG_LINEAR_SINCOS_H
#define KG_LINEAR_SINCOS_H

#include <math.h>
#include "real.h"

#define KG_ROUND_UP(n) (((n) + 64 / KG_REAL_BYTES - 1) / (64 / KG_REAL_BYTES) * (64 / KG_REAL_BYTES))

#if defined(__GNUC__)
/* Angles in the lanes of one vector. Not 64 bytes but where all else is as wide: while such vectors are computed,
 * single numbers have a unit less. */
#ifndef KG_ANGLE_BYTES
#if defined(__AVX__)
#define KG_ANGLE_BYTES 32
#else
#define KG_ANGLE_BYTES 16
#endif
#endif
#define KG_ANGLES (KG_ANGLE_BYTES / KG_REAL_BYTES)
#define KG_OF_ANGLES vector_size(KG_ANGLE_BYTES), aligned(KG_REAL_ALIGNMENT), may_alias
typedef kg_real kg_angles __attribute__((KG_OF_ANGLES));
typedef kg_bits kg_angle_mask __attribute__((KG_OF_ANGLES));

/* pi/2 in three parts, of which small multiples of the first two are exact; a number that rounds what is added to it to
 * integers, in its last bits; the distance from the second bit to the sign; minimax polynomials in z = r^2 on
 * [-pi/4, pi/4] (Cephes): sin r = r + r z odd, cos r = 1 - z/2 + z^2 even. */
#ifdef KG_SINGLE
#define KG_FAR 8192.0f
#define KG_HALF_PI_1 1.5703125f
#define KG_HALF_PI_2 4.837512969970703125e-4f
#define KG_HALF_PI_3 7.54978995489188216e-8f
#define KG_ROUNDING 12582912.0f /* 1.5 2^23 */
#define KG_TOP 30

static inline kg_angles kg_odd(kg_angles z)
{
    return (-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f;
}

static inline kg_angles kg_even(kg_angles z)
{
    return (2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f;
}
#else
#define KG_FAR 1e5
#define KG_HALF_PI_1 1.57079632673412561417
#define KG_HALF_PI_2 6.07710050630396597660e-11
#define KG_HALF_PI_3 2.02226624879595063154e-21
#define KG_ROUNDING 6755399441055744.0 /* 1.5 2^52 */
#define KG_TOP 62

static inline kg_angles kg_odd(kg_angles z)
{
    return ((((1.58962301576546568060e-10 * z - 2.50507477628578072866e-8) * z + 2.75573136213857245213e-6) * z
                - 1.98412698295895385996e-4)
                   * z
               + 8.33333333332211858878e-3)
        * z
        - 1.66666666666666307295e-1;
}

static inline kg_angles kg_even(kg_angles z)
{
    return ((((-1.13585365213876817300e-11 * z + 2.08757008419747316778e-9) * z - 2.75573141792967388112e-7) * z
                + 2.48015872888517045348e-5)
                   * z
               - 1.38888888888730564116e-3)
        * z
        + 4.16666666666665929218e-2;
}
#endif

/* Cody-Waite reduction by pi/2, polynomials, select by the quadrant. `far` collects a mask of the lanes that are too
 * far out for the reduction (or NaN). */
static inline void kg_sincos_vector(kg_angles x, kg_real *s_out, kg_real *c_out, kg_angle_mask *far)
{
    const kg_angles shifted = x * KG_REAL(0.63661977236758134308) + KG_ROUNDING;
    const kg_angles n = shifted - KG_ROUNDING;
    const kg_angle_mask quadrant = (kg_angle_mask)shifted;
    kg_angles r = x - n * KG_HALF_PI_1;
    r = r - n * KG_HALF_PI_2;
    r = r - n * KG_HALF_PI_3;
    const kg_angles z = r * r;
    const kg_angle_mask s = (kg_angle_mask)(r + r * z * kg_odd(z));
    const kg_angle_mask c = (kg_angle_mask)(KG_REAL(1.0) - KG_REAL(0.5) * z + z * z * kg_even(z));
    const kg_angle_mask swapped = (s ^ c) & -(quadrant & 1);
    const kg_angle_mask sin_sign = (quadrant & 2) << KG_TOP;
    const kg_angle_mask cos_sign = ((quadrant + 1) & 2) << KG_TOP;
    *(kg_angles *)(void *)s_out = (kg_angles)(s ^ swapped ^ sin_sign);
    *(kg_angles *)(void *)c_out = (kg_angles)(c ^ swapped ^ cos_sign);
    *far |= ~((x > -KG_FAR) & (x < KG_FAR));
}

/* The first n angles at x and zeros, each read by itself, which compilers must not undo: what was written just now one
 * by one is not yet where whole vectors are read. */
static inline kg_angles kg_angles_apart(int n, const volatile kg_real *x)
{
    kg_angles read = {KG_REAL(0.0)};
    KG_UNROLLED
    for (int k = 0; k < KG_ANGLES; k++)
        if (k < n)
            read[k] = x[k];
    return read;
}

/* s[i] = sin x[i], c[i] = cos x[i] for i < n, where x is near; `far` as above; `apart`: x was written just now. */
static inline void kg_sincos_all(int n, int apart, const kg_real *x, kg_real *s, kg_real *c, kg_angle_mask *far)
{
    const int whole = n / KG_ANGLES * KG_ANGLES;
    for (int i = 0; i < whole; i += KG_ANGLES) {
        const kg_angles read = apart ? kg_angles_apart(KG_ANGLES, x + i) : *(const kg_angles *)(const void *)(x + i);
        kg_sincos_vector(read, s + i, c + i, far);
    }
    if (whole < n)
        kg_sincos_vector(kg_angles_apart(n - whole, x + whole), s + whole, c + whole, far);
}

/* Whether any lane is far out. */
static inline int kg_any_far(kg_angle_mask far)
{
    kg_bits any = 0;
    for (int k = 0; k < KG_ANGLES; k++)
        any |= far[k];
    return any != 0;
}
#endif

/* s[i] = sin x[i], c[i] = cos x[i] for i < n, by libm. */
static inline void kg_sincos_far(int n, const kg_real *x, kg_real *s, kg_real *c)
{
    for (int i = 0; i < n; i++) {
        s[i] = KG_MATH(sin)(x[i]);
        c[i] = KG_MATH(cos)(x[i]);
    }
}

/* s[i] = sin x[i], c[i] = cos x[i] for i < n; s and c have room for KG_ROUND_UP(n), x has n entries. */
static inline void kg_sincos(int n, const kg_real *x, kg_real *s, kg_real *c)
{
#if defined(__GNUC__)
    kg_angle_mask far = {0};
    kg_sincos_all(n, 0, x, s, c, &far);
    if (!kg_any_far(far))
        return;
#endif
    kg_sincos_far(n, x, s, c);
}

/* The same of angles that were written just now one by one. */
static inline void kg_sincos_apart(int n, const kg_real *x, kg_real *s, kg_real *c)
{
#if defined(__GNUC__)
    kg_angle_mask far = {0};
    kg_sincos_all(n, 1, x, s, c, &far);
    if (!kg_any_far(far))
        return;
#endif
    kg_sincos_far(n, x, s, c);
}

#endif
