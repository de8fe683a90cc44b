/* two_holds: changes of the closure of the loops.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * ue, ae, us, du, ddu, dW, ddW, dz: sides of a loop: velocity, acceleration of the end; of one against the other,
 *     rates
 * d, qd, ds, dc: rate of what the name goes on to say, of a coordinate, of sine and cosine, as q and v move
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_closure_variation(const double *p, const double *q, const double *v, const double *a, const double *f,
    const double *dq, const double *dv, double *change);
void two_holds_closure_variation_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *f, long f_stride, const double *dq, long dq_stride,
    const double *dv, long dv_stride, double *change);

/* Changes of K v, of K a + dK/dt v and of K'f as q moves along dq and v by dv. 83 mul, 58 add, 1 sincos. */
void two_holds_closure_variation(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict f, const double *restrict dq, const double *restrict dv,
    double *restrict change)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q, s, c);
    for (int i = 0; i < 26; i++) change[i] = 0.0;

    /* loop grip */
    const double p_grip_x = 0.5 + p[3]*s[0] + p[11]*c[0];
    const double p_grip_y = p[3]*c[0] - p[11]*s[0];

    /* loop hook */
    const double p_slider_x = 0.5 + q[1]*s[0] - 0.5*c[0];
    const double p_slider_y = q[1]*c[0] + 0.5*s[0];
    const double p_hook_x = p_slider_x + p[23]*c[0] + p[15]*s[0];
    const double p_hook_y = p_slider_y + p[15]*c[0] - p[23]*s[0];

    /* loop grip, drift */
    const double neg_ue_y = 0.5*v[0];
    const double us_x = v[0]*p_grip_y;
    const double neg_us_y = v[0]*p_grip_x - neg_ue_y;

    /* loop hook, drift */
    const double u_hook_x = s[0]*v[1];
    const double u_hook_y = c[0]*v[1];
    const double du_y = u_hook_y + neg_ue_y;
    const double us_x_2 = u_hook_x + v[0]*p_hook_y;
    const double neg_us_y_2 = v[0]*p_hook_x - du_y;
    const double ds = c[0]*dq[0];
    const double neg_dc = s[0]*dq[0];

    /* loop grip */
    const double d_p_grip_x = p[3]*ds - p[11]*neg_dc;
    const double neg_d_p_grip_y = p[3]*neg_dc + p[11]*ds;

    /* loop hook */
    const double d_p_slider_x = s[0]*dq[1] + q[1]*ds + 0.5*neg_dc;
    const double neg_d_p_slider_y = q[1]*neg_dc - c[0]*dq[1] - 0.5*ds;
    const double d_p_hook_x = d_p_slider_x + p[15]*ds - p[23]*neg_dc;
    const double neg_d_p_hook_y = neg_d_p_slider_y + p[23]*ds + p[15]*neg_dc;

    /* loop grip, drift */
    const double neg_d_us_x = v[0]*neg_d_p_grip_y;
    change[0] = -neg_d_us_x;

    /* loop hook, drift */
    const double neg_d_r = v[0]*d_p_grip_x;
    change[1] = -neg_d_r;
    const double neg_d_r_2 = v[0]*neg_d_p_hook_y - v[1]*ds;
    change[6] = -neg_d_r_2;
    const double neg_d_r_3 = v[0]*d_p_hook_x + v[1]*neg_dc;
    change[7] = -neg_d_r_3;
    const double neg_d_r_4 = f[0]*neg_d_p_grip_y + f[1]*d_p_grip_x + f[6]*neg_d_p_hook_y + f[7]*d_p_hook_x;
    change[24] = -neg_d_r_4;
    const double d_r = f[6]*ds - f[7]*neg_dc;
    change[25] = d_r;

    /* loop grip, drift */
    const double d_ww_rod = 2.0*v[0]*dv[0];
    const double d_neg_ue_y = 0.5*dv[0];
    const double d_ae_x = 0.5*d_ww_rod;
    const double neg_d_us_x_2 = v[0]*neg_d_p_grip_y - p_grip_y*dv[0];
    const double d_neg_us_y = p_grip_x*dv[0] + v[0]*d_p_grip_x - d_neg_ue_y;
    const double d_ddu_x = dv[0]*neg_ue_y + v[0]*d_neg_ue_y - d_ae_x - dv[0]*neg_us_y - v[0]*d_neg_us_y;
    const double neg_d_neg_ddu_y = v[0]*neg_d_us_x_2 - dv[0]*us_x;

    /* loop hook, drift */
    const double d_u_hook_x = v[1]*ds + s[0]*dv[1];
    const double d_u_hook_y = c[0]*dv[1] - v[1]*neg_dc;
    const double d_du_y = d_u_hook_y + d_neg_ue_y;
    const double neg_d_us_x_3 = v[0]*neg_d_p_hook_y - d_u_hook_x - p_hook_y*dv[0];
    const double d_neg_us_y_2 = p_hook_x*dv[0] + v[0]*d_p_hook_x - d_du_y;
    const double d_ddu_x_2 = dv[0]*du_y + v[0]*d_du_y - d_ae_x - dv[0]*neg_us_y_2 - v[0]*d_neg_us_y_2;
    const double d_neg_ddu_y = dv[0]*u_hook_x + v[0]*d_u_hook_x + dv[0]*us_x_2 - v[0]*neg_d_us_x_3;
    const double neg_d_r_5 = a[0]*neg_d_p_grip_y;
    const double d_r_2 = d_ddu_x - neg_d_r_5;
    change[12] = d_r_2;
    const double neg_d_r_6 = a[0]*d_p_grip_x;
    const double neg_d_neg_r = neg_d_neg_ddu_y - neg_d_r_6;
    change[13] = neg_d_neg_r;
    const double neg_d_r_7 = a[0]*neg_d_p_hook_y - a[1]*ds;
    const double d_r_3 = d_ddu_x_2 - neg_d_r_7;
    change[18] = d_r_3;
    const double neg_d_r_8 = a[0]*d_p_hook_x + a[1]*neg_dc;
    const double d_neg_r = neg_d_r_8 + d_neg_ddu_y;
    change[19] = -d_neg_r;
}

void two_holds_closure_variation_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *f, long f_stride, const double *dq, long dq_stride,
    const double *dv, long dv_stride, double *change)
{
    for (long i = 0; i < n; i++)
        two_holds_closure_variation(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, f + i*f_stride,
            dq + i*dq_stride, dv + i*dv_stride, change + i*26);
}

