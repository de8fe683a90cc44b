/* The groups that joints move in, with a state in each lane: the formulas of joints/, of vectors. Before anything else
 * that includes them. */

#ifndef KG_LANES_GROUPS_H
#define KG_LANES_GROUPS_H

#ifdef KG_LINEAR_ENTRY_H
#error "include lanes/groups.h before the files of joints/"
#endif

#include "functions.h"

#if KG_WIDTH > 1
#define KG_WIDE_ENTRIES
#include "../joints/angle.h"

/* In each lane what joints/angle.h has for one number; no lane divides by zero. */
static inline void kg_half_angle(kg_entry t2, kg_entry *s, kg_entry *c)
{
    const kg_wide_mask near = (kg_wide_mask)(t2 < KG_REAL(1.0));
    kg_half_angle_near(t2, s, c);
    for (int l = 0; l < KG_WIDTH; l++)
        if (!near[l])
            kg_half_angle_far(kg_lanes_of(&t2)[l], kg_lanes_of(s) + l, kg_lanes_of(c) + l);
}

static inline kg_entry kg_sine_factor(kg_entry t2, kg_entry s, kg_entry c)
{
    const kg_entry beyond = (1 - 2 * s * c) / kg_wide_max(t2, kg_splat(KG_REAL(1.0)));
    return kg_wide_select((kg_wide_mask)(t2 < KG_REAL(1.0)), kg_sine_rest(t2), beyond);
}

static inline kg_entry kg_log_factor(kg_entry t2)
{
    const kg_wide_mask near = (kg_wide_mask)(t2 < KG_LOG_NEAR);
    kg_entry factor = kg_log_factor_near(t2);
    for (int l = 0; l < KG_WIDTH; l++)
        if (!near[l])
            kg_lanes_of(&factor)[l] = kg_log_factor_far(kg_lanes_of(&t2)[l]);
    return factor;
}
#endif

#include "../joints/se2.h"
#include "../joints/se3.h"

#endif
