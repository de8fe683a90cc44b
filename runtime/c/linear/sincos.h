/* sin and cos of many angles at once. Needs libm only beyond |x| = 1e5 rad. */

#ifndef KG_LINEAR_SINCOS_H
#define KG_LINEAR_SINCOS_H

#include <math.h>

#define KG_ROUND_UP(n) (((n) + 7) / 8 * 8)

#if defined(__GNUC__)
/* Angles in the lanes of one vector, as many as the machine's hold: compilers split longer ones badly. */
#if defined(__AVX512F__)
#define KG_ANGLES 8
#elif defined(__AVX__)
#define KG_ANGLES 4
#else
#define KG_ANGLES 2
#endif
typedef double kg_angles __attribute__((vector_size(8 * KG_ANGLES), aligned(8), may_alias));
typedef long long kg_angle_mask __attribute__((vector_size(8 * KG_ANGLES), aligned(8), may_alias));

/* Cody-Waite reduction by pi/2 in three parts, minimax polynomials on [-pi/4, pi/4] (Cephes), select by the quadrant.
 * `far` collects a mask of the lanes that are too far out for the reduction (or NaN). */
static inline void kg_sincos_vector(const double *x_in, double *s_out, double *c_out, kg_angle_mask *far)
{
    const kg_angles x = *(const kg_angles *)(const void *)x_in;
    const kg_angles shifted = x * 0.63661977236758134308 + 6755399441055744.0; /* 1.5 2^52: rounds to an integer */
    const kg_angles n = shifted - 6755399441055744.0;
    const kg_angle_mask quadrant = (kg_angle_mask)shifted;
    kg_angles r = x - n * 1.57079632673412561417;
    r = r - n * 6.07710050630396597660e-11;
    r = r - n * 2.02226624879595063154e-21;
    const kg_angles z = r * r;
    const kg_angles odd =
        ((((1.58962301576546568060e-10 * z - 2.50507477628578072866e-8) * z + 2.75573136213857245213e-6) * z
             - 1.98412698295895385996e-4)
                * z
            + 8.33333333332211858878e-3)
            * z
        - 1.66666666666666307295e-1;
    const kg_angles even =
        ((((-1.13585365213876817300e-11 * z + 2.08757008419747316778e-9) * z - 2.75573141792967388112e-7) * z
             + 2.48015872888517045348e-5)
                * z
            - 1.38888888888730564116e-3)
            * z
        + 4.16666666666665929218e-2;
    const kg_angle_mask s = (kg_angle_mask)(r + r * z * odd);
    const kg_angle_mask c = (kg_angle_mask)(1.0 - 0.5 * z + z * z * even);
    const kg_angle_mask swap = -(quadrant & 1);
    const kg_angle_mask sin_sign = (quadrant & 2) << 62;
    const kg_angle_mask cos_sign = ((quadrant + 1) & 2) << 62;
    *(kg_angles *)(void *)s_out = (kg_angles)(((s & ~swap) | (c & swap)) ^ sin_sign);
    *(kg_angles *)(void *)c_out = (kg_angles)(((c & ~swap) | (s & swap)) ^ cos_sign);
    *far |= ~((x > -1e5) & (x < 1e5));
}

/* s[i] = sin x[i], c[i] = cos x[i] for i < n, where x is near; `far` as above. */
static inline void kg_sincos_all(int n, const double *x, double *s, double *c, kg_angle_mask *far)
{
    const int whole = n / KG_ANGLES * KG_ANGLES;
    for (int i = 0; i < whole; i += KG_ANGLES)
        kg_sincos_vector(x + i, s + i, c + i, far);
    if (whole < n) {
        double rest[KG_ANGLES];
        for (int k = 0; k < KG_ANGLES; k++)
            rest[k] = whole + k < n ? x[whole + k] : 0.0;
        kg_sincos_vector(rest, s + whole, c + whole, far);
    }
}

/* The same; 1 if an angle is too far out. */
static inline int kg_sincos_near(int n, const double *x, double *s, double *c)
{
    kg_angle_mask far = {0};
    long long any = 0;
    kg_sincos_all(n, x, s, c, &far);
    for (int k = 0; k < KG_ANGLES; k++)
        any |= far[k];
    return any != 0;
}
#endif

/* s[i] = sin x[i], c[i] = cos x[i] for i < n; s and c have room for KG_ROUND_UP(n), x has n entries. */
static inline void kg_sincos(int n, const double *x, double *s, double *c)
{
#if defined(__GNUC__)
    if (!kg_sincos_near(n, x, s, c))
        return;
#endif
    for (int i = 0; i < n; i++) {
        s[i] = sin(x[i]);
        c[i] = cos(x[i]);
    }
}

#endif
