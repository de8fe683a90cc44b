/* Functions of a number, lane by lane; each lane is what the function of one number gives. */

#ifndef KG_LANES_FUNCTIONS_H
#define KG_LANES_FUNCTIONS_H

#include <math.h>
#include "../compiler/inlining.h"
#include "../linear/extremes.h"
#include "wide.h"

/* A function of its own, so that products in it are rounded as those of the scalar code are. */
#define KG_SEPARATE static KG_NOINLINE

#define KG_LANEWISE(name)                                                                                              \
    static inline kg_wide kg_wide_##name(kg_wide x)                                                                    \
    {                                                                                                                  \
        for (int l = 0; l < KG_WIDTH; l++)                                                                             \
            kg_lanes_of(&x)[l] = KG_MATH(name)(kg_lanes_of(&x)[l]);                                                    \
        return x;                                                                                                      \
    }
#define KG_LANEWISE_TWO(name)                                                                                          \
    static inline kg_wide kg_wide_##name(kg_wide x, kg_wide y)                                                         \
    {                                                                                                                  \
        for (int l = 0; l < KG_WIDTH; l++)                                                                             \
            kg_lanes_of(&x)[l] = KG_MATH(name)(kg_lanes_of(&x)[l], kg_lanes_of(&y)[l]);                                \
        return x;                                                                                                      \
    }

KG_LANEWISE(sqrt)
KG_LANEWISE(exp)
KG_LANEWISE(log)
KG_LANEWISE(rint)
KG_LANEWISE(ceil)
KG_LANEWISE(sin)
KG_LANEWISE(cos)
KG_LANEWISE(tan)
KG_LANEWISE(asin)
KG_LANEWISE(acos)
KG_LANEWISE(atan)
KG_LANEWISE(sinh)
KG_LANEWISE(cosh)
KG_LANEWISE(tanh)
KG_LANEWISE_TWO(copysign)
KG_LANEWISE_TWO(pow)
KG_LANEWISE_TWO(atan2)

#if KG_WIDTH > 1
static inline kg_wide kg_wide_fabs(kg_wide x)
{
    return (kg_wide)((kg_wide_mask)x & KG_MAGNITUDE);
}

/* As kg_max and kg_min of linear/extremes.h: a where the mask says so, else b. */
static inline kg_wide kg_wide_select(kg_wide_mask first, kg_wide a, kg_wide b)
{
    return (kg_wide)(((kg_wide_mask)a & first) | ((kg_wide_mask)b & ~first));
}

static inline kg_wide kg_wide_max(kg_wide a, kg_wide b)
{
    return kg_wide_select((kg_wide_mask)(b > a), b, a);
}

static inline kg_wide kg_wide_min(kg_wide a, kg_wide b)
{
    return kg_wide_select((kg_wide_mask)(b < a), b, a);
}
#else
KG_LANEWISE(fabs)

static inline kg_wide kg_wide_max(kg_wide a, kg_wide b)
{
    return kg_max(a, b);
}

static inline kg_wide kg_wide_min(kg_wide a, kg_wide b)
{
    return kg_min(a, b);
}
#endif

#endif
