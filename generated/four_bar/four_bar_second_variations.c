/* four_bar: second changes of the closure of the loops.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * R, p: pose in the parent or, where poses are asked for, in the world
 * w, wp: angular velocity; that of the parent in the link's axes
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * ww: products of entries of w
 * ue, ae, us, du, ddu, dW, ddW, dz: sides of a loop: velocity, acceleration of the end; of one against the other,
 *     rates
 * d, qd, ds, dc: rate of what the name goes on to say, of a coordinate, of sine and cosine, as q and v move
 */

#include "kinegen/linear/sincos.h"

/* What is defined and called here, as four_bar.h declares it. */
void four_bar_closure_second_variation(const double *q, const double *v, const double *a, const double *f,
    const double *dq, const double *dv, const double *eq, const double *ev, double *change);
void four_bar_closure_second_variation_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *f, long f_stride, const double *dq, long dq_stride,
    const double *dv, long dv_stride, const double *eq, long eq_stride, const double *ev, long ev_stride,
    double *change);

/* How what closure_variation gives changes as q moves along eq and v by ev. 229 mul, 157 add, 3 sincos. */
void four_bar_closure_second_variation(const double *restrict q, const double *restrict v, const double *restrict a,
    const double *restrict f, const double *restrict dq, const double *restrict dv, const double *restrict eq,
    const double *restrict ev, double *restrict change)
{
    double s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_sincos(3, q, s, c);
    change[2] = 0.0;
    change[3] = 0.0;
    change[4] = 0.0;
    change[5] = 0.0;
    change[8] = 0.0;
    change[9] = 0.0;
    change[10] = 0.0;
    change[11] = 0.0;

    /* loop pin */
    const double neg_R_coupler_xx = s[0]*s[1] - c[0]*c[1];
    const double neg_R_coupler_xy = c[0]*s[1] + s[0]*c[1];
    const double neg_R_rocker_xx = c[2]*neg_R_coupler_xx + s[2]*neg_R_coupler_xy;
    const double R_rocker_xy = s[2]*neg_R_coupler_xx - c[2]*neg_R_coupler_xy;

    /* loop pin, drift */
    const double ww_crank = v[0]*v[0];
    const double w_coupler_z = v[0] + v[1];
    const double neg_ap_coupler_y = 0.2*ww_crank;
    const double neg_a_coupler_x = s[1]*neg_ap_coupler_y;
    const double neg_a_coupler_y = c[1]*neg_ap_coupler_y;
    const double ww_coupler = w_coupler_z*w_coupler_z;
    const double w_rocker_z = w_coupler_z + v[2];
    const double neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const double neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_ap_rocker_y;
    const double a_rocker_y = s[2]*neg_a_coupler_x - c[2]*neg_ap_rocker_y;
    const double ww_rocker = w_rocker_z*w_rocker_z;
    const double ae_y = a_rocker_y - 0.4*ww_rocker;
    const double ds = c[0]*dq[0];
    const double neg_dc = s[0]*dq[0];
    const double ds_2 = c[1]*dq[1];
    const double neg_dc_2 = s[1]*dq[1];
    const double ds_3 = c[2]*dq[2];
    const double neg_dc_3 = s[2]*dq[2];

    /* loop pin */
    const double d_neg_R_coupler_xx = c[1]*neg_dc + c[0]*neg_dc_2 + s[1]*ds + s[0]*ds_2;
    const double neg_d_neg_R_coupler_xy = s[1]*neg_dc + s[0]*neg_dc_2 - c[0]*ds_2 - c[1]*ds;
    const double d_neg_p_coupler_x = 0.2*ds;
    const double d_neg_p_coupler_y = 0.2*neg_dc;
    const double neg_d_neg_R_rocker_xx = neg_R_coupler_xx*neg_dc_3 + s[2]*neg_d_neg_R_coupler_xy
        - c[2]*d_neg_R_coupler_xx - neg_R_coupler_xy*ds_3;
    const double d_R_rocker_xy = neg_R_coupler_xx*ds_3 + s[2]*d_neg_R_coupler_xx + neg_R_coupler_xy*neg_dc_3
        + c[2]*neg_d_neg_R_coupler_xy;
    const double neg_d_neg_p_rocker_x = 0.5*neg_d_neg_R_coupler_xy - d_neg_p_coupler_x;
    const double d_neg_p_rocker_y = d_neg_p_coupler_y + 0.5*d_neg_R_coupler_xx;
    const double d_p_pin_x = neg_d_neg_p_rocker_x + 0.4*d_R_rocker_xy;
    const double neg_d_neg_p_pin_y = 0.4*neg_d_neg_R_rocker_xx - d_neg_p_rocker_y;
    const double d_r_coupler_x = d_p_pin_x + d_neg_p_coupler_x;
    const double d_r_coupler_y = neg_d_neg_p_pin_y + d_neg_p_coupler_y;
    const double neg_d_r_rocker_x = neg_d_neg_p_rocker_x - d_p_pin_x;
    const double d_r_rocker_y = neg_d_neg_p_pin_y + d_neg_p_rocker_y;

    /* loop pin, drift */
    const double d_ww_crank = 2.0*v[0]*dv[0];
    const double d_w_coupler_z = dv[0] + dv[1];
    const double d_neg_ap_coupler_y = 0.2*d_ww_crank;
    const double d_neg_a_coupler_x = neg_ap_coupler_y*ds_2 + s[1]*d_neg_ap_coupler_y;
    const double d_neg_a_coupler_y = c[1]*d_neg_ap_coupler_y - neg_ap_coupler_y*neg_dc_2;
    const double d_ww_coupler = 2.0*w_coupler_z*d_w_coupler_z;
    const double d_w_rocker_z = d_w_coupler_z + dv[2];
    const double d_neg_ap_rocker_y = d_neg_a_coupler_y + 0.5*d_ww_coupler;
    const double d_neg_a_rocker_x = c[2]*d_neg_a_coupler_x + neg_ap_rocker_y*ds_3 + s[2]*d_neg_ap_rocker_y
        - neg_a_coupler_x*neg_dc_3;
    const double d_a_rocker_y = neg_a_coupler_x*ds_3 + s[2]*d_neg_a_coupler_x + neg_ap_rocker_y*neg_dc_3
        - c[2]*d_neg_ap_rocker_y;
    const double d_ww_rocker = 2.0*w_rocker_z*d_w_rocker_z;
    const double d_ae_y = d_a_rocker_y - 0.4*d_ww_rocker;
    const double ds_4 = c[0]*eq[0];
    const double neg_dc_4 = s[0]*eq[0];
    const double ds_5 = c[1]*eq[1];
    const double neg_dc_5 = s[1]*eq[1];
    const double ds_6 = c[2]*eq[2];
    const double neg_dc_6 = s[2]*eq[2];

    /* loop pin */
    const double d_neg_R_coupler_xx_2 = c[1]*neg_dc_4 + c[0]*neg_dc_5 + s[1]*ds_4 + s[0]*ds_5;
    const double neg_d_neg_R_coupler_xy_2 = s[1]*neg_dc_4 + s[0]*neg_dc_5 - c[0]*ds_5 - c[1]*ds_4;
    const double neg_d_neg_R_rocker_xx_2 = neg_R_coupler_xx*neg_dc_6 + s[2]*neg_d_neg_R_coupler_xy_2
        - c[2]*d_neg_R_coupler_xx_2 - neg_R_coupler_xy*ds_6;
    const double d_R_rocker_xy_2 = neg_R_coupler_xx*ds_6 + s[2]*d_neg_R_coupler_xx_2 + neg_R_coupler_xy*neg_dc_6
        + c[2]*neg_d_neg_R_coupler_xy_2;

    /* loop pin, drift */
    const double d_ww_crank_2 = 2.0*v[0]*ev[0];
    const double d_w_coupler_z_2 = ev[0] + ev[1];
    const double d_neg_ap_coupler_y_2 = 0.2*d_ww_crank_2;
    const double d_neg_a_coupler_x_2 = neg_ap_coupler_y*ds_5 + s[1]*d_neg_ap_coupler_y_2;
    const double d_neg_a_coupler_y_2 = c[1]*d_neg_ap_coupler_y_2 - neg_ap_coupler_y*neg_dc_5;
    const double d_ww_coupler_2 = 2.0*w_coupler_z*d_w_coupler_z_2;
    const double d_w_rocker_z_2 = d_w_coupler_z_2 + ev[2];
    const double d_neg_ap_rocker_y_2 = d_neg_a_coupler_y_2 + 0.5*d_ww_coupler_2;
    const double d_neg_a_rocker_x_2 = c[2]*d_neg_a_coupler_x_2 + neg_ap_rocker_y*ds_6 + s[2]*d_neg_ap_rocker_y_2
        - neg_a_coupler_x*neg_dc_6;
    const double d_a_rocker_y_2 = neg_a_coupler_x*ds_6 + s[2]*d_neg_a_coupler_x_2 + neg_ap_rocker_y*neg_dc_6
        - c[2]*d_neg_ap_rocker_y_2;
    const double d_ww_rocker_2 = 2.0*w_rocker_z*d_w_rocker_z_2;
    const double d_ae_y_2 = d_a_rocker_y_2 - 0.4*d_ww_rocker_2;
    const double neg_d_ds = dq[0]*neg_dc_4;
    const double d_neg_dc = dq[0]*ds_4;
    const double neg_d_ds_2 = dq[1]*neg_dc_5;
    const double d_neg_dc_2 = dq[1]*ds_5;
    const double neg_d_ds_3 = dq[2]*neg_dc_6;
    const double d_neg_dc_3 = dq[2]*ds_6;

    /* loop pin */
    const double neg_d_d_neg_R_coupler_xx = neg_dc*neg_dc_5 + neg_dc_2*neg_dc_4 + s[1]*neg_d_ds + s[0]*neg_d_ds_2
        - c[1]*d_neg_dc - c[0]*d_neg_dc_2 - ds*ds_5 - ds_2*ds_4;
    const double d_neg_d_neg_R_coupler_xy = neg_dc*ds_5 + s[1]*d_neg_dc + ds_2*neg_dc_4 + c[0]*neg_d_ds_2
        + ds*neg_dc_5 + c[1]*neg_d_ds + neg_dc_2*ds_4 + s[0]*d_neg_dc_2;
    const double neg_d_d_neg_p_coupler_x = 0.2*neg_d_ds;
    const double d_d_neg_p_coupler_y = 0.2*d_neg_dc;
    const double d_neg_d_neg_R_rocker_xx = neg_dc_3*d_neg_R_coupler_xx_2 + neg_R_coupler_xx*d_neg_dc_3
        + d_neg_R_coupler_xx*neg_dc_6 + c[2]*neg_d_d_neg_R_coupler_xx + ds_3*neg_d_neg_R_coupler_xy_2
        + neg_R_coupler_xy*neg_d_ds_3 + neg_d_neg_R_coupler_xy*ds_6 + s[2]*d_neg_d_neg_R_coupler_xy;
    const double neg_d_d_R_rocker_xy = neg_R_coupler_xx*neg_d_ds_3 + s[2]*neg_d_d_neg_R_coupler_xx
        + neg_dc_3*neg_d_neg_R_coupler_xy_2 + neg_d_neg_R_coupler_xy*neg_dc_6 - ds_3*d_neg_R_coupler_xx_2
        - d_neg_R_coupler_xx*ds_6 - neg_R_coupler_xy*d_neg_dc_3 - c[2]*d_neg_d_neg_R_coupler_xy;
    const double d_neg_d_neg_p_rocker_x = neg_d_d_neg_p_coupler_x + 0.5*d_neg_d_neg_R_coupler_xy;
    const double neg_d_d_neg_p_rocker_y = 0.5*neg_d_d_neg_R_coupler_xx - d_d_neg_p_coupler_y;
    const double neg_d_d_p_pin_x = 0.4*neg_d_d_R_rocker_xy - d_neg_d_neg_p_rocker_x;
    const double d_neg_d_neg_p_pin_y = neg_d_d_neg_p_rocker_y + 0.4*d_neg_d_neg_R_rocker_xx;
    const double neg_d_d_r_coupler_x = neg_d_d_p_pin_x + neg_d_d_neg_p_coupler_x;
    const double d_d_r_coupler_y = d_neg_d_neg_p_pin_y + d_d_neg_p_coupler_y;
    const double d_neg_d_r_rocker_x = neg_d_d_p_pin_x + d_neg_d_neg_p_rocker_x;
    const double neg_d_d_r_rocker_y = neg_d_d_neg_p_rocker_y - d_neg_d_neg_p_pin_y;

    /* loop pin, drift */
    const double d_d_neg_r = neg_d_neg_p_pin_y*ev[0] + v[0]*d_neg_d_neg_p_pin_y + d_r_coupler_y*ev[1]
        + v[1]*d_d_r_coupler_y + d_r_rocker_y*ev[2] - v[2]*neg_d_d_r_rocker_y;
    change[0] = -d_d_neg_r;
    const double neg_d_d_r = v[0]*neg_d_d_p_pin_x + v[1]*neg_d_d_r_coupler_x + neg_d_r_rocker_x*ev[2]
        + v[2]*d_neg_d_r_rocker_x - d_p_pin_x*ev[0] - d_r_coupler_x*ev[1];
    change[1] = -neg_d_d_r;
    const double d_neg_d_r = f[0]*d_neg_d_neg_p_pin_y + f[1]*neg_d_d_p_pin_x;
    change[12] = -d_neg_d_r;
    const double d_d_neg_r_2 = f[0]*d_d_r_coupler_y + f[1]*neg_d_d_r_coupler_x;
    change[13] = -d_d_neg_r_2;
    const double neg_d_d_neg_r = f[0]*neg_d_d_r_rocker_y - f[1]*d_neg_d_r_rocker_x;
    change[14] = neg_d_d_neg_r;
    const double d_d_ww_crank = 2.0*dv[0]*ev[0];
    const double d_d_neg_ap_coupler_y = 0.2*d_d_ww_crank;
    const double d_d_neg_a_coupler_x = ds_2*d_neg_ap_coupler_y_2 + d_neg_ap_coupler_y*ds_5
        + s[1]*d_d_neg_ap_coupler_y - neg_ap_coupler_y*neg_d_ds_2;
    const double d_d_neg_a_coupler_y = c[1]*d_d_neg_ap_coupler_y - neg_dc_2*d_neg_ap_coupler_y_2
        - neg_ap_coupler_y*d_neg_dc_2 - d_neg_ap_coupler_y*neg_dc_5;
    const double d_d_ww_coupler = 2.0*d_w_coupler_z*d_w_coupler_z_2;
    const double d_d_neg_ap_rocker_y = d_d_neg_a_coupler_y + 0.5*d_d_ww_coupler;
    const double d_d_neg_a_rocker_x = c[2]*d_d_neg_a_coupler_x + ds_3*d_neg_ap_rocker_y_2 + d_neg_ap_rocker_y*ds_6
        + s[2]*d_d_neg_ap_rocker_y - neg_dc_3*d_neg_a_coupler_x_2 - neg_a_coupler_x*d_neg_dc_3
        - d_neg_a_coupler_x*neg_dc_6 - neg_ap_rocker_y*neg_d_ds_3;
    const double d_d_a_rocker_y = ds_3*d_neg_a_coupler_x_2 + d_neg_a_coupler_x*ds_6 + s[2]*d_d_neg_a_coupler_x
        + neg_dc_3*d_neg_ap_rocker_y_2 + neg_ap_rocker_y*d_neg_dc_3 + d_neg_ap_rocker_y*neg_dc_6
        - neg_a_coupler_x*neg_d_ds_3 - c[2]*d_d_neg_ap_rocker_y;
    const double d_d_ww_rocker = 2.0*d_w_rocker_z*d_w_rocker_z_2;
    const double d_d_ae_y = d_d_a_rocker_y - 0.4*d_d_ww_rocker;
    const double d_d_a_pin_x = neg_R_rocker_xx*d_d_neg_a_rocker_x + d_R_rocker_xy*d_ae_y_2 + d_ae_y*d_R_rocker_xy_2
        + R_rocker_xy*d_d_ae_y - neg_d_neg_R_rocker_xx*d_neg_a_rocker_x_2 - neg_a_rocker_x*d_neg_d_neg_R_rocker_xx
        - d_neg_a_rocker_x*neg_d_neg_R_rocker_xx_2 - ae_y*neg_d_d_R_rocker_xy;
    const double d_d_neg_a_pin_y = neg_a_rocker_x*neg_d_d_R_rocker_xy + neg_R_rocker_xx*d_d_ae_y
        - d_R_rocker_xy*d_neg_a_rocker_x_2 - d_neg_a_rocker_x*d_R_rocker_xy_2 - R_rocker_xy*d_d_neg_a_rocker_x
        - neg_d_neg_R_rocker_xx*d_ae_y_2 - ae_y*d_neg_d_neg_R_rocker_xx - d_ae_y*neg_d_neg_R_rocker_xx_2;
    const double d_d_neg_r_3 = a[0]*d_neg_d_neg_p_pin_y + a[1]*d_d_r_coupler_y - a[2]*neg_d_d_r_rocker_y;
    const double d_d_r = d_d_a_pin_x - d_d_neg_r_3;
    change[6] = d_d_r;
    const double neg_d_d_r_2 = a[0]*neg_d_d_p_pin_x + a[1]*neg_d_d_r_coupler_x + a[2]*d_neg_d_r_rocker_x;
    const double d_d_neg_r_4 = neg_d_d_r_2 + d_d_neg_a_pin_y;
    change[7] = -d_d_neg_r_4;
}

void four_bar_closure_second_variation_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *f, long f_stride, const double *dq, long dq_stride,
    const double *dv, long dv_stride, const double *eq, long eq_stride, const double *ev, long ev_stride,
    double *change)
{
    for (long i = 0; i < n; i++)
        four_bar_closure_second_variation(q + i*q_stride, v + i*v_stride, a + i*a_stride, f + i*f_stride,
            dq + i*dq_stride, dv + i*dv_stride, eq + i*eq_stride, ev + i*ev_stride, change + i*15);
}

