/* four_bar: what depends from the velocities that lead, several states at a time or one, as KG_WIDTH says.
 * Names as in four_bar_specialised.c. */

#ifndef FOUR_BAR_DEPENDENCE_H
#define FOUR_BAR_DEPENDENCE_H

#include <math.h>
#include <string.h>
#include "four_bar.h"
#include "four_bar_model.h"
#include "kinegen/lanes/functions.h"
#include "kinegen/lanes/sincos.h"

#define HAS_SHARES 1 /* there are as many actuators as freedoms, or more */

enum {
    LEADERS = 1,
    FOLLOWERS = 2,
    ENTRIES = 2,
    FOLLOWED = 3,
    ACTUATED = 1,
};

/* Velocities that lead; those that follow, in the order of elimination; of each entry of H the velocity that follows
 * and the place of the one that leads; the first entry of each that follows, and their end. */
static const int leader[] = {0};
static const int follower[] = {1, 2};
static const int entry_row[] = {1, 2};
static const int entry_lead[] = {0, 0};
static const int entry_first[] = {0, 1, 2};

/* Rows of H and of S: velocities of the tree, and from NV on those of the cut joints. */
static const int followed[] = {1, 2, 3};
static const int actuated[] = { 0, };

/* Dependent velocities: v_S = H v_G, a_S = H a_G + dHv. 45 mul, 27 add, 3 div, 4 call, 3 sincos. */
static KG_INLINE void four_bar_dependence(const kg_wide *restrict q, const kg_wide *restrict v, kg_wide *restrict H,
    kg_wide *restrict dHv, kg_wide *restrict quality)
{
    kg_wide s[KG_ROUND_UP(3)], c[KG_ROUND_UP(3)];
    kg_wide_sincos(3, q, s, c);

    /* loop pin */
    const kg_wide neg_R_coupler_xx = s[0]*s[1] - c[0]*c[1];
    const kg_wide neg_R_coupler_xy = c[0]*s[1] + s[0]*c[1];
    const kg_wide neg_p_coupler_x = 0.2*s[0];
    const kg_wide neg_p_coupler_y = 0.5 - 0.2*c[0];
    const kg_wide neg_R_rocker_xx = c[2]*neg_R_coupler_xx + s[2]*neg_R_coupler_xy;
    const kg_wide R_rocker_xy = s[2]*neg_R_coupler_xx - c[2]*neg_R_coupler_xy;
    const kg_wide neg_p_rocker_x = neg_p_coupler_x + 0.5*neg_R_coupler_xy;
    const kg_wide neg_p_rocker_y = neg_p_coupler_y + 0.5*neg_R_coupler_xx;
    const kg_wide p_pin_x = 0.4*R_rocker_xy - neg_p_rocker_x;
    const kg_wide neg_p_pin_y = neg_p_rocker_y + 0.4*neg_R_rocker_xx;
    const kg_wide r_crank_y = 0.5 - neg_p_pin_y;
    const kg_wide r_coupler_x = p_pin_x + neg_p_coupler_x;
    const kg_wide r_coupler_y = neg_p_coupler_y - neg_p_pin_y;
    const kg_wide r_rocker_x = p_pin_x + neg_p_rocker_x;
    const kg_wide r_rocker_y = neg_p_rocker_y - neg_p_pin_y;

    /* elimination */
    const kg_wide ip_0 = 1.0/(-r_coupler_y);
    const kg_wide neg_k = r_crank_y*ip_0;
    const kg_wide neg_k_2 = r_rocker_y*ip_0;
    const kg_wide k = p_pin_x + r_coupler_x*neg_k;
    const kg_wide k_2 = r_rocker_x + r_coupler_x*neg_k_2;
    const kg_wide ip_1 = 1.0/k_2;
    const kg_wide k_3 = k*ip_1;
    H[1] = -k_3;
    const kg_wide neg_k_3 = neg_k - neg_k_2*k_3;
    H[0] = neg_k_3;
    const kg_wide neg_size = 2.0*r_coupler_y;
    const kg_wide size = kg_wide_fabs(-neg_size);
    const kg_wide size_2 = 2.0*k_2;
    const kg_wide size_3 = kg_wide_fabs(size_2);
    const kg_wide least = kg_wide_min(size, size_3);
    const kg_wide most = kg_wide_max(size, size_3);
    const kg_wide k_4 = 1.0/most;
    const kg_wide led = v[0]*neg_k_3;
    const kg_wide neg_led = v[0]*k_3;

    /* loop pin, drift */
    const kg_wide ww_crank = v[0]*v[0];
    const kg_wide w_coupler_z = v[0] + led;
    const kg_wide neg_ap_coupler_y = 0.2*ww_crank;
    const kg_wide neg_a_coupler_x = s[1]*neg_ap_coupler_y;
    const kg_wide neg_a_coupler_y = c[1]*neg_ap_coupler_y;
    const kg_wide ww_coupler = w_coupler_z*w_coupler_z;
    const kg_wide neg_w_rocker_z = neg_led - w_coupler_z;
    const kg_wide neg_ap_rocker_y = neg_a_coupler_y + 0.5*ww_coupler;
    const kg_wide neg_a_rocker_x = c[2]*neg_a_coupler_x + s[2]*neg_ap_rocker_y;
    const kg_wide a_rocker_y = s[2]*neg_a_coupler_x - c[2]*neg_ap_rocker_y;
    const kg_wide ww_rocker = neg_w_rocker_z*neg_w_rocker_z;
    const kg_wide ae_y = a_rocker_y - 0.4*ww_rocker;
    const kg_wide a_pin_x = neg_R_rocker_xx*neg_a_rocker_x + R_rocker_xy*ae_y;
    const kg_wide neg_a_pin_y = neg_R_rocker_xx*ae_y - R_rocker_xy*neg_a_rocker_x;

    /* elimination */
    const kg_wide k_5 = ip_0*a_pin_x;
    const kg_wide neg_k_4 = neg_a_pin_y + r_coupler_x*k_5;
    const kg_wide neg_k_5 = ip_1*neg_k_4;
    dHv[1] = neg_k_5;
    const kg_wide neg_k_6 = neg_k_2*neg_k_5 - k_5;
    dHv[0] = neg_k_6;
    const kg_wide quality_0 = least*k_4;
    quality[0] = quality_0;
    quality[1] = quality_0;
}

/* Velocities of the cut joints per v. No operations. */
static inline void four_bar_cut_rates(const kg_wide *restrict q, kg_wide *restrict C)
{
    (void)q;
    C[0] = kg_splat(1.0);
    C[1] = kg_splat(1.0);
    C[2] = kg_splat(1.0);
}

/* Of its entries, the first are of velocities that lead, with these places among the rows (CUT_V, LEADERS); the others
 * stand in these rows and columns. */
#define HAS_CUT_ROWS
enum { CUT_LED = 1, CUT_OTHERS = 2 };
static const int cut_place[] = { 0, };
static const int cut_row[] = { 0, 0, };
static const int cut_column[] = { 1, 2, };


#endif
