/* sin and cos of the angles of several states at once, in each lane to the last bit those of linear/sincos.h. */

#ifndef KG_LANES_SINCOS_H
#define KG_LANES_SINCOS_H

#include "../linear/sincos.h"
#include "wide.h"

/* All n angles of one lane by libm: so does kg_sincos with the angles of a state of which one is far out. */
static inline void kg_sincos_lane(int n, int lane, const double *x, double *s, double *c)
{
    for (int i = lane; i < n * KG_WIDTH; i += KG_WIDTH) {
        s[i] = sin(x[i]);
        c[i] = cos(x[i]);
    }
}

/* s[i] = sin x[i], c[i] = cos x[i] for i < n; s and c have room for KG_ROUND_UP(n), x has n entries. */
static inline void kg_wide_sincos(int n, const kg_wide *x_in, kg_wide *s_out, kg_wide *c_out)
{
    const double *x = (const double *)(const void *)x_in;
    double *s = kg_lanes_of(s_out), *c = kg_lanes_of(c_out);
#if defined(__GNUC__)
    /* eight numbers at a time, whose lanes repeat since KG_WIDTH divides eight */
    kg_angle_mask far = {0};
    const int count = n * KG_WIDTH, whole = count / 8 * 8;
    for (int i = 0; i < whole; i += 8)
        kg_sincos8(x + i, s + i, c + i, &far);
    if (whole < count) {
        double rest[8];
        for (int k = 0; k < 8; k++)
            rest[k] = whole + k < count ? x[whole + k] : 0.0;
        kg_sincos8(rest, s + whole, c + whole, &far);
    }
    if (!((far[0] | far[1]) | (far[2] | far[3]) | (far[4] | far[5]) | (far[6] | far[7])))
        return;
    long long lanes[8] = {0};
    for (int k = 0; k < 8; k++)
        lanes[k % KG_WIDTH] |= far[k];
    for (int l = 0; l < KG_WIDTH; l++)
        if (lanes[l])
            kg_sincos_lane(n, l, x, s, c);
#else
    for (int l = 0; l < KG_WIDTH; l++)
        kg_sincos_lane(n, l, x, s, c);
#endif
}

#endif
