/* sin and cos of the angles of several states at once, in each lane to the last bit those of linear/sincos.h. */

#ifndef KG_LANES_SINCOS_H
#define KG_LANES_SINCOS_H

#if defined(__AVX512F__)
#define KG_ANGLE_BYTES 64
#endif
#include "../linear/sincos.h"
#include "wide.h"

#if defined(__GNUC__) && KG_ANGLES % KG_WIDTH
#error "KG_WIDTH must divide the number of angles of a vector"
#endif

/* All n angles of one lane by libm: so does kg_sincos with the angles of a state of which one is far out. */
static inline void kg_sincos_lane(int n, int lane, const kg_real *x, kg_real *s, kg_real *c)
{
    for (int i = lane; i < n * KG_WIDTH; i += KG_WIDTH) {
        s[i] = KG_MATH(sin)(x[i]);
        c[i] = KG_MATH(cos)(x[i]);
    }
}

/* s[i] = sin x[i], c[i] = cos x[i] for i < n; s and c have room for KG_ROUND_UP(n), x has n entries. */
static inline void kg_wide_sincos(int n, const kg_wide *x_in, kg_wide *s_out, kg_wide *c_out)
{
    const kg_real *x = (const kg_real *)(const void *)x_in;
    kg_real *s = kg_lanes_of(s_out), *c = kg_lanes_of(c_out);
#if defined(__GNUC__)
    /* vectors of angles hold whole states' lanes */
    kg_angle_mask far = {0};
    kg_bits lanes[KG_WIDTH] = {0}, any = 0;
    kg_sincos_all(n * KG_WIDTH, 0, x, s, c, &far);
    for (int k = 0; k < KG_ANGLES; k++)
        lanes[k % KG_WIDTH] |= far[k];
    for (int l = 0; l < KG_WIDTH; l++)
        any |= lanes[l];
    if (!any)
        return;
    for (int l = 0; l < KG_WIDTH; l++)
        if (lanes[l])
            kg_sincos_lane(n, l, x, s, c);
#else
    for (int l = 0; l < KG_WIDTH; l++)
        kg_sincos_lane(n, l, x, s, c);
#endif
}

#endif
