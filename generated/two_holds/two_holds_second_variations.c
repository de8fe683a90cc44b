/* two_holds: second changes of the closure of the loops.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * d, qd, ds, dc: rate of what the name goes on to say, of a coordinate, of sine and cosine, as q and v move
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_closure_second_variation(const double *p, const double *q, const double *v, const double *a,
    const double *f, const double *dq, const double *dv, const double *eq, const double *ev, double *change);
void two_holds_closure_second_variation_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *a, long a_stride, const double *f, long f_stride, const double *dq,
    long dq_stride, const double *dv, long dv_stride, const double *eq, long eq_stride, const double *ev,
    long ev_stride, double *change);

/* How what closure_variation gives changes as q moves along eq and v by ev. 153 mul, 112 add, 1 sincos. */
void two_holds_closure_second_variation(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict f, const double *restrict dq, const double *restrict dv,
    const double *restrict eq, const double *restrict ev, double *restrict change)
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

    /* loop hook, drift */
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
    const double d_neg_ue_y = 0.5*dv[0];
    const double neg_d_us_x = v[0]*neg_d_p_grip_y - p_grip_y*dv[0];
    const double d_neg_us_y = p_grip_x*dv[0] + v[0]*d_p_grip_x - d_neg_ue_y;

    /* loop hook, drift */
    const double d_u_hook_x = v[1]*ds + s[0]*dv[1];
    const double d_u_hook_y = c[0]*dv[1] - v[1]*neg_dc;
    const double d_du_y = d_u_hook_y + d_neg_ue_y;
    const double neg_d_us_x_2 = v[0]*neg_d_p_hook_y - d_u_hook_x - p_hook_y*dv[0];
    const double d_neg_us_y_2 = p_hook_x*dv[0] + v[0]*d_p_hook_x - d_du_y;
    const double ds_2 = c[0]*eq[0];
    const double neg_dc_2 = s[0]*eq[0];

    /* loop grip */
    const double d_p_grip_x_2 = p[3]*ds_2 - p[11]*neg_dc_2;
    const double neg_d_p_grip_y_2 = p[3]*neg_dc_2 + p[11]*ds_2;

    /* loop hook */
    const double d_p_slider_x_2 = s[0]*eq[1] + q[1]*ds_2 + 0.5*neg_dc_2;
    const double neg_d_p_slider_y_2 = q[1]*neg_dc_2 - c[0]*eq[1] - 0.5*ds_2;
    const double d_p_hook_x_2 = d_p_slider_x_2 + p[15]*ds_2 - p[23]*neg_dc_2;
    const double neg_d_p_hook_y_2 = neg_d_p_slider_y_2 + p[23]*ds_2 + p[15]*neg_dc_2;

    /* loop grip, drift */
    const double d_neg_ue_y_2 = 0.5*ev[0];
    const double neg_d_us_x_3 = v[0]*neg_d_p_grip_y_2 - p_grip_y*ev[0];
    const double d_neg_us_y_3 = p_grip_x*ev[0] + v[0]*d_p_grip_x_2 - d_neg_ue_y_2;

    /* loop hook, drift */
    const double d_u_hook_x_2 = v[1]*ds_2 + s[0]*ev[1];
    const double d_u_hook_y_2 = c[0]*ev[1] - v[1]*neg_dc_2;
    const double d_du_y_2 = d_u_hook_y_2 + d_neg_ue_y_2;
    const double neg_d_us_x_4 = v[0]*neg_d_p_hook_y_2 - d_u_hook_x_2 - p_hook_y*ev[0];
    const double d_neg_us_y_4 = p_hook_x*ev[0] + v[0]*d_p_hook_x_2 - d_du_y_2;
    const double neg_d_ds = dq[0]*neg_dc_2;
    const double d_neg_dc = dq[0]*ds_2;

    /* loop grip */
    const double neg_d_d_p_grip_x = p[3]*neg_d_ds + p[11]*d_neg_dc;
    const double d_neg_d_p_grip_y = p[3]*d_neg_dc - p[11]*neg_d_ds;

    /* loop hook */
    const double neg_d_d_p_slider_x = q[1]*neg_d_ds - dq[1]*ds_2 - ds*eq[1] - 0.5*d_neg_dc;
    const double d_neg_d_p_slider_y = dq[1]*neg_dc_2 + neg_dc*eq[1] + q[1]*d_neg_dc + 0.5*neg_d_ds;
    const double neg_d_d_p_hook_x = neg_d_d_p_slider_x + p[23]*d_neg_dc + p[15]*neg_d_ds;
    const double d_neg_d_p_hook_y = d_neg_d_p_slider_y + p[15]*d_neg_dc - p[23]*neg_d_ds;

    /* loop grip, drift */
    const double d_neg_d_us_x = neg_d_p_grip_y*ev[0] + v[0]*d_neg_d_p_grip_y;
    change[0] = -d_neg_d_us_x;

    /* loop hook, drift */
    const double neg_d_neg_d_r = v[0]*neg_d_d_p_grip_x - d_p_grip_x*ev[0];
    change[1] = neg_d_neg_d_r;
    const double d_neg_d_r = neg_d_p_hook_y*ev[0] + v[0]*d_neg_d_p_hook_y + v[1]*neg_d_ds - ds*ev[1];
    change[6] = -d_neg_d_r;
    const double neg_d_neg_d_r_2 = v[0]*neg_d_d_p_hook_x - d_p_hook_x*ev[0] - neg_dc*ev[1] - v[1]*d_neg_dc;
    change[7] = neg_d_neg_d_r_2;
    const double d_neg_d_r_2 = f[0]*d_neg_d_p_grip_y + f[6]*d_neg_d_p_hook_y - f[1]*neg_d_d_p_grip_x
        - f[7]*neg_d_d_p_hook_x;
    change[24] = -d_neg_d_r_2;
    const double neg_d_d_r = f[6]*neg_d_ds + f[7]*d_neg_dc;
    change[25] = -neg_d_d_r;

    /* loop grip, drift */
    const double d_d_ww_rod = 2.0*dv[0]*ev[0];
    const double d_d_ae_x = 0.5*d_d_ww_rod;
    const double d_neg_d_us_x_2 = dv[0]*neg_d_p_grip_y_2 + neg_d_p_grip_y*ev[0] + v[0]*d_neg_d_p_grip_y;
    const double neg_d_d_neg_us_y = v[0]*neg_d_d_p_grip_x - dv[0]*d_p_grip_x_2 - d_p_grip_x*ev[0];
    const double d_d_ddu_x = dv[0]*d_neg_ue_y_2 + d_neg_ue_y*ev[0] + v[0]*neg_d_d_neg_us_y - d_d_ae_x
        - dv[0]*d_neg_us_y_3 - d_neg_us_y*ev[0];
    const double d_neg_d_neg_ddu_y = dv[0]*neg_d_us_x_3 + neg_d_us_x*ev[0] + v[0]*d_neg_d_us_x_2;

    /* loop hook, drift */
    const double neg_d_d_u_hook_x = v[1]*neg_d_ds - ds*ev[1] - dv[1]*ds_2;
    const double neg_d_d_u_hook_y = neg_dc*ev[1] + v[1]*d_neg_dc + dv[1]*neg_dc_2;
    const double d_neg_d_us_x_3 = neg_d_d_u_hook_x + dv[0]*neg_d_p_hook_y_2 + neg_d_p_hook_y*ev[0]
        + v[0]*d_neg_d_p_hook_y;
    const double neg_d_d_neg_us_y_2 = v[0]*neg_d_d_p_hook_x - neg_d_d_u_hook_y - dv[0]*d_p_hook_x_2 - d_p_hook_x*ev[0];
    const double neg_d_d_ddu_x = d_d_ae_x + v[0]*neg_d_d_u_hook_y + dv[0]*d_neg_us_y_4 + d_neg_us_y_2*ev[0]
        - dv[0]*d_du_y_2 - d_du_y*ev[0] - v[0]*neg_d_d_neg_us_y_2;
    const double neg_d_d_neg_ddu_y = v[0]*neg_d_d_u_hook_x + dv[0]*neg_d_us_x_4 + neg_d_us_x_2*ev[0]
        + v[0]*d_neg_d_us_x_3 - dv[0]*d_u_hook_x_2 - d_u_hook_x*ev[0];
    const double d_neg_d_r_3 = a[0]*d_neg_d_p_grip_y;
    const double d_d_r = d_d_ddu_x - d_neg_d_r_3;
    change[12] = d_d_r;
    const double neg_d_neg_d_r_3 = a[0]*neg_d_d_p_grip_x;
    const double d_neg_d_neg_r = neg_d_neg_d_r_3 + d_neg_d_neg_ddu_y;
    change[13] = d_neg_d_neg_r;
    const double d_neg_d_r_4 = a[0]*d_neg_d_p_hook_y + a[1]*neg_d_ds;
    const double neg_d_d_r_2 = d_neg_d_r_4 + neg_d_d_ddu_x;
    change[18] = -neg_d_d_r_2;
    const double neg_d_neg_d_r_4 = a[0]*neg_d_d_p_hook_x - a[1]*d_neg_dc;
    const double neg_d_d_neg_r = neg_d_neg_d_r_4 + neg_d_d_neg_ddu_y;
    change[19] = neg_d_d_neg_r;
}

void two_holds_closure_second_variation_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *a, long a_stride, const double *f, long f_stride, const double *dq,
    long dq_stride, const double *dv, long dv_stride, const double *eq, long eq_stride, const double *ev,
    long ev_stride, double *change)
{
    for (long i = 0; i < n; i++)
        two_holds_closure_second_variation(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, f + i*f_stride,
            dq + i*dq_stride, dv + i*dv_stride, eq + i*eq_stride, ev + i*ev_stride, change + i*26);
}

