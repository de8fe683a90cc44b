/* Points within their cones, eight at a time: number i of each row is that of point i. With velocities v of a point and
 *
 *     g = (f_n, f_t / mu),   u = (v_n + mu |v_t|, mu v_t)          (de Saxce's correction, [DeSaxce98])
 *
 * Coulomb's law says that both lie in the cone x_0 >= |x_t| and that g'u = 0: then g o u = (g'u, g_0 u_t + u_0 g_t) is
 * zero. W is that of Nesterov and Todd, W u = W^-1 g, symmetric, by its scale^2 and the tangents of its unit vector w:
 *
 *     W^2 = scale^2 (2 w w' - diag(1, -1, -1))
 *
 * Limits have no tangents, mu = 0. E is what u changes as |u_t| does; 0 where that is to follow a step later. */

#ifndef KINEGEN_NEWTON_WITHIN_H
#define KINEGEN_NEWTON_WITHIN_H

#include <math.h>

#include "../linear/extremes.h"

/* Rows: mu, 1/mu or 0; 1/K along the normal and across it; g, u, T v, W; changes of g and u; what is left to do for
 * g o u = 0 without the velocities' change; how |u_t| bends away from what E says: WITHIN_ROWS in all.
 * T = diag(1, mu, mu) */
enum {
    IN_FRICTION = 0,
    IN_OVER = 1,
    IN_OWN = 2,
    IN_G = 4,
    IN_U = 7,
    IN_V = 10,
    IN_W = 13,
    IN_DG = 16,
    IN_DU = 19,
    IN_LEFT = 22,
    IN_BEND = 25
};

typedef double (*eight_points)[8];

static inline double length_of_two(double x, double y)
{
    return sqrt(x * x + y * y);
}

static inline void scale_points(eight_points p)
{
    double (*g)[8] = p + IN_G, (*u)[8] = p + IN_U, (*W)[8] = p + IN_W;
    for (int i = 0; i < 8; i++) {
        const double size_g = length_of_two(g[1][i], g[2][i]), size_u = length_of_two(u[1][i], u[2][i]);
        const double within_g = sqrt((g[0][i] - size_g) * (g[0][i] + size_g));
        const double within_u = sqrt((u[0][i] - size_u) * (u[0][i] + size_u));
        const double over_g = 1.0 / within_g, over_u = 1.0 / within_u;
        const double dot = (g[0][i] * u[0][i] + g[1][i] * u[1][i] + g[2][i] * u[2][i]) * (over_g * over_u);
        const double half = 1.0 / sqrt(2.0 + 2.0 * dot);
        W[0][i] = within_g * over_u;
        W[1][i] = half * (g[1][i] * over_g - u[1][i] * over_u);
        W[2][i] = half * (g[2][i] * over_g - u[2][i] * over_u);
    }
}

/* The change of u that changes d of T v make, (1 + E)(d + T v + |u_t| e - u), and what |u_t| bends; `lags`: E is 0. */
static inline void follow_points(int lags, eight_points p, const double (*d)[8], double (*du)[8])
{
    const double slope = lags ? 0.0 : 1.0;
    double (*u)[8] = p + IN_U, (*v)[8] = p + IN_V;
    for (int i = 0; i < 8; i++) {
        const double size = length_of_two(u[1][i], u[2][i]), over = size > 0.0 ? slope / size : 0.0;
        const double t = d[1][i] + v[1][i] - u[1][i], s = d[2][i] + v[2][i] - u[2][i];
        du[0][i] = d[0][i] + v[0][i] + size - u[0][i] + over * (u[1][i] * t + u[2][i] * s) + p[IN_BEND][i];
        du[1][i] = t;
        du[2][i] = s;
    }
}

/* How |u_t| bends in the part `made` of the step, from here on. Gives the sum of g_0 |r|, r = T v + |u_t| e - u, that
 * is left after it. */
static inline double bend_points(int lags, double made, eight_points p)
{
    const double slope = lags ? 0.0 : 1.0, rest = 1.0 - made;
    double (*g)[8] = p + IN_G, (*u)[8] = p + IN_U, (*v)[8] = p + IN_V, (*du)[8] = p + IN_DU, left[8], sum = 0.0;
    for (int i = 0; i < 8; i++) {
        const double size = length_of_two(u[1][i], u[2][i]), over = size > 0.0 ? slope / size : 0.0;
        const double then = length_of_two(u[1][i] + made * du[1][i], u[2][i] + made * du[2][i]);
        const double bend = then - size - made * over * (u[1][i] * du[1][i] + u[2][i] * du[2][i]);
        const double r0 = rest * (v[0][i] + size - u[0][i]) + bend;
        left[i] = g[0][i] * (fabs(r0) + rest * length_of_two(v[1][i] - u[1][i], v[2][i] - u[2][i]));
        p[IN_BEND][i] = bend;
    }
    for (int i = 0; i < 8; i++)
        sum += left[i];
    return sum;
}

/* S = T W^2 (1 + E) T, column by column, and what is left to do: -g - W^2 du for no change of v. */
static inline void slope_points(int lags, eight_points p, double (*S)[8])
{
    const double none[3][8] = {{0.0}}, slope = lags ? 0.0 : 1.0;
    double du[3][8];
    double (*g)[8] = p + IN_G, (*u)[8] = p + IN_U, (*W)[8] = p + IN_W, (*left)[8] = p + IN_LEFT;
    follow_points(lags, p, none, du);
    for (int i = 0; i < 8; i++) {
        const double size = length_of_two(u[1][i], u[2][i]), over = size > 0.0 ? slope / size : 0.0;
        const double along[2] = {over * u[1][i], over * u[2][i]}, mu = p[IN_FRICTION][i], two = 2.0 * W[0][i];
        const double b = W[1][i], c = W[2][i], a2 = 1.0 + b * b + c * c, a = sqrt(a2);
        const double aa = two * a2 - W[0][i], ab = two * a * b, ac = two * a * c;
        const double bb = two * b * b + W[0][i], bc = two * b * c, cc = two * c * c + W[0][i];
        S[0][i] = aa;
        S[1][i] = mu * ab;
        S[2][i] = mu * ac;
        S[3][i] = mu * (ab + along[0] * aa);
        S[4][i] = mu * mu * (bb + along[0] * ab);
        S[5][i] = mu * mu * (bc + along[0] * ac);
        S[6][i] = mu * (ac + along[1] * aa);
        S[7][i] = mu * mu * (bc + along[1] * ab);
        S[8][i] = mu * mu * (cc + along[1] * ac);
        left[0][i] = -g[0][i] - aa * du[0][i] - ab * du[1][i] - ac * du[2][i];
        left[1][i] = -g[1][i] - ab * du[0][i] - bb * du[1][i] - bc * du[2][i];
        left[2][i] = -g[2][i] - ac * du[0][i] - bc * du[1][i] - cc * du[2][i];
    }
}

/* What is to be done more for g o u = target, less the product of the changes of g and u, and for what |u_t| bends:
 * W x - W^2 bend e, where (W^-1 g) o x = target - (W^-1 dg) o (W du). */
static inline void aim_points(double target, eight_points p, double (*more)[8])
{
    double (*g)[8] = p + IN_G, (*W)[8] = p + IN_W, (*dg)[8] = p + IN_DG, (*du)[8] = p + IN_DU;
    for (int i = 0; i < 8; i++) {
        const double b = W[1][i], c = W[2][i], a = sqrt(1.0 + b * b + c * c), under = 1.0 / (1.0 + a);
        const double size = sqrt(W[0][i]), over = 1.0 / size;
        const double dot_g = b * g[1][i] + c * g[2][i], more_g = dot_g * under - g[0][i];
        const double dot_d = b * dg[1][i] + c * dg[2][i], more_d = dot_d * under - dg[0][i];
        const double dot_u = b * du[1][i] + c * du[2][i], more_u = dot_u * under + du[0][i];
        const double m0 = over * (a * g[0][i] - dot_g), m1 = over * (g[1][i] + more_g * b);
        const double m2 = over * (g[2][i] + more_g * c);
        const double d0 = over * (a * dg[0][i] - dot_d), d1 = over * (dg[1][i] + more_d * b);
        const double d2 = over * (dg[2][i] + more_d * c);
        const double u0 = size * (a * du[0][i] + dot_u), u1 = size * (du[1][i] + more_u * b);
        const double u2 = size * (du[2][i] + more_u * c);
        const double z0 = target - (d0 * u0 + d1 * u1 + d2 * u2), z1 = -(d0 * u1 + u0 * d1);
        const double z2 = -(d0 * u2 + u0 * d2), m_t = length_of_two(m1, m2), over_m = 1.0 / m0;
        const double x0 = (m0 * z0 - m1 * z1 - m2 * z2) / ((m0 - m_t) * (m0 + m_t));
        const double x1 = (z1 - x0 * m1) * over_m, x2 = (z2 - x0 * m2) * over_m;
        const double dot_x = b * x1 + c * x2, more_x = dot_x * under + x0;
        const double two_bend = 2.0 * W[0][i] * a * p[IN_BEND][i];
        more[0][i] = size * (a * x0 + dot_x) - (two_bend * a - W[0][i] * p[IN_BEND][i]);
        more[1][i] = size * (x1 + more_x * b) - two_bend * b;
        more[2][i] = size * (x2 + more_x * c) - two_bend * c;
    }
}

/* How much of d can be added to x within the cone, at most 1. The square is at least 0 but for rounding. */
static inline double length_within(double x0, double x1, double x2, double d0, double d1, double d2)
{
    const double size = length_of_two(x1, x2), within = (x0 - size) * (x0 + size);
    const double A = d0 * d0 - d1 * d1 - d2 * d2, B = x0 * d0 - x1 * d1 - x2 * d2, square = B * B - A * within;
    const double over = sqrt(square > 0.0 ? square : 0.0) - B;
    return over > within ? within / over : 1.0;
}

static inline double reach_of_points(eight_points p)
{
    double (*g)[8] = p + IN_G, (*u)[8] = p + IN_U, (*dg)[8] = p + IN_DG, (*du)[8] = p + IN_DU, reach[8];
    for (int i = 0; i < 8; i++) {
        const double by_g = length_within(g[0][i], g[1][i], g[2][i], dg[0][i], dg[1][i], dg[2][i]);
        const double by_u = length_within(u[0][i], u[1][i], u[2][i], du[0][i], du[1][i], du[2][i]);
        reach[i] = by_u < by_g ? by_u : by_g;
    }
    double least = 1.0;
    for (int i = 0; i < 8; i++)
        least = reach[i] < least ? reach[i] : least;
    return least;
}

/* g'u of eight after the part `length` of their changes. */
static inline double product_of_points(double length, eight_points p)
{
    double sum[8] = {0.0}, all = 0.0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 8; i++)
            sum[i] += (p[IN_G + k][i] + length * p[IN_DG + k][i]) * (p[IN_U + k][i] + length * p[IN_DU + k][i]);
    for (int i = 0; i < 8; i++)
        all += sum[i];
    return all;
}

/* The largest change of velocity that a point would ask for by itself; HUGE_VAL if any is no number. */
static inline double residual_of_points(eight_points p)
{
    double (*g)[8] = p + IN_G, (*v)[8] = p + IN_V, left[8], largest = 0.0;
    for (int i = 0; i < 8; i++) {
        const double mu = p[IN_FRICTION][i], over = p[IN_OVER][i], reach = p[IN_OWN + 1][i];
        const double normal = g[0][i] - p[IN_OWN][i] * v[0][i], f = normal < 0.0 ? 0.0 : normal;
        const double t = mu * g[1][i] - reach * over * v[1][i], s = mu * g[2][i] - reach * over * v[2][i];
        const double size2 = t * t + s * s, limit = mu * f, slides = size2 > limit * limit ? size2 : 1.0;
        const double scale = size2 > limit * limit ? limit / sqrt(slides) : 1.0;
        const double along = length_of_two(scale * t - mu * g[1][i], scale * s - mu * g[2][i]);
        const double by_normal = (f > g[0][i] ? f - g[0][i] : g[0][i] - f) / p[IN_OWN][i];
        const double by_tangents = reach > 0.0 ? along / (reach > 0.0 ? reach : 1.0) : 0.0;
        left[i] = by_normal + by_tangents < HUGE_VAL ? kg_max(by_normal, by_tangents) : HUGE_VAL;
    }
    for (int i = 0; i < 8; i++)
        largest = left[i] > largest ? left[i] : largest;
    return largest;
}

#endif
