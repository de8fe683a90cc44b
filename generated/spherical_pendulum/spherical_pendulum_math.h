/* spherical_pendulum: sin and cos of many angles at once. Needs libm only beyond |x| = 1e5 rad. */

#ifndef SPHERICAL_PENDULUM_MATH_H
#define SPHERICAL_PENDULUM_MATH_H

#include <math.h>

#define SPHERICAL_PENDULUM_ROUND_UP(n) (((n) + 7)/8*8)

#if defined(__GNUC__)
/* Eight angles in the lanes of one vector; the compiler splits it where the machine's vectors are shorter. */
typedef double spherical_pendulum_lanes __attribute__((vector_size(64), aligned(8), may_alias));
typedef long long spherical_pendulum_mask __attribute__((vector_size(64), aligned(8), may_alias));

/* Cody-Waite reduction by pi/2 in three parts, minimax polynomials on [-pi/4, pi/4] (Cephes), select by the quadrant.
 * `far` collects a mask of the lanes that are too far out for the reduction (or NaN). */
static inline void spherical_pendulum_sincos8(const double *x_in, double *s_out, double *c_out, spherical_pendulum_mask *far)
{
    const spherical_pendulum_lanes x = *(const spherical_pendulum_lanes *)(const void *)x_in;
    const spherical_pendulum_lanes shifted = x*0.63661977236758134308 + 6755399441055744.0; /* 1.5 2^52: rounds to an integer */
    const spherical_pendulum_lanes n = shifted - 6755399441055744.0;
    const spherical_pendulum_mask quadrant = (spherical_pendulum_mask)shifted;
    spherical_pendulum_lanes r = x - n*1.57079632673412561417;
    r = r - n*6.07710050630396597660e-11;
    r = r - n*2.02226624879595063154e-21;
    const spherical_pendulum_lanes z = r*r;
    const spherical_pendulum_lanes odd = ((((1.58962301576546568060e-10*z - 2.50507477628578072866e-8)*z
        + 2.75573136213857245213e-6)*z - 1.98412698295895385996e-4)*z + 8.33333333332211858878e-3)*z
        - 1.66666666666666307295e-1;
    const spherical_pendulum_lanes even = ((((-1.13585365213876817300e-11*z + 2.08757008419747316778e-9)*z
        - 2.75573141792967388112e-7)*z + 2.48015872888517045348e-5)*z - 1.38888888888730564116e-3)*z
        + 4.16666666666665929218e-2;
    const spherical_pendulum_mask s = (spherical_pendulum_mask)(r + r*z*odd);
    const spherical_pendulum_mask c = (spherical_pendulum_mask)(1.0 - 0.5*z + z*z*even);
    const spherical_pendulum_mask swap = -(quadrant & 1);
    const spherical_pendulum_mask sin_sign = (quadrant & 2) << 62;
    const spherical_pendulum_mask cos_sign = ((quadrant + 1) & 2) << 62;
    *(spherical_pendulum_lanes *)(void *)s_out = (spherical_pendulum_lanes)(((s & ~swap) | (c & swap)) ^ sin_sign);
    *(spherical_pendulum_lanes *)(void *)c_out = (spherical_pendulum_lanes)(((c & ~swap) | (s & swap)) ^ cos_sign);
    *far |= ~((x > -1e5) & (x < 1e5));
}
#endif

/* s[i] = sin x[i], c[i] = cos x[i] for i < n; s and c have room for SPHERICAL_PENDULUM_ROUND_UP(n), x has n entries. */
static inline void spherical_pendulum_sincos(int n, const double *x, double *s, double *c)
{
#if defined(__GNUC__)
    spherical_pendulum_mask far = {0};
    const int whole = n/8*8;
    for (int i = 0; i < whole; i += 8)
        spherical_pendulum_sincos8(x + i, s + i, c + i, &far);
    if (whole < n) {
        double rest[8];
        for (int k = 0; k < 8; k++)
            rest[k] = whole + k < n ? x[whole + k] : 0.0;
        spherical_pendulum_sincos8(rest, s + whole, c + whole, &far);
    }
    if (!((far[0] | far[1]) | (far[2] | far[3]) | (far[4] | far[5]) | (far[6] | far[7])))
        return;
#endif
    for (int i = 0; i < n; i++) {
        s[i] = sin(x[i]);
        c[i] = cos(x[i]);
    }
}

#endif
