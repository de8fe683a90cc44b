/* Motion as one body, and momentum, of groups of links that float. Tables of the model: floating; GROUPS, FLOATING. */

#ifndef KINEGEN_TREE_FLOATING_H
#define KINEGEN_TREE_FLOATING_H

#include <string.h>

#include "../joints/so3.h"

/* v += the motion of every group that floats as one body with this twist about the place of its first floating link. */
static inline void add_motion(const kg_entry *q, kg_entry twist[][6], kg_entry *v)
{
    for (int i = 0; i < FLOATING; i++) {
        const kg_entry *place = q + floating[i].q, *first = q + floating[i].first, *t = twist[floating[i].group];
        const kg_entry arm[3] = {place[0] - first[0], place[1] - first[1], place[2] - first[2]};
        kg_entry x[3], *linear = v + floating[i].v;
        kg_cross3(t + 3, arm, x);
        for (int k = 0; k < 3; k++)
            x[k] += t[k];
        kg_turn(place + 3, -1, x, x);
        for (int k = 0; k < 3; k++)
            linear[k] += x[k];
        kg_turn(place + 3, -1, t + 3, x);
        for (int k = 0; k < 3; k++)
            linear[3 + k] += x[k];
    }
}

/* The momentum of every group that floats, [linear; angular about its first floating link], world axes; h = M v. */
static inline void add_up_momentum(const kg_entry *q, const kg_entry *h, kg_entry momentum[][6])
{
    memset(momentum, 0, GROUPS * sizeof *momentum);
    for (int i = 0; i < FLOATING; i++) {
        const kg_entry *place = q + floating[i].q, *first = q + floating[i].first;
        const kg_entry arm[3] = {place[0] - first[0], place[1] - first[1], place[2] - first[2]};
        kg_entry force[3], moment[3], x[3], *sum = momentum[floating[i].group];
        kg_turn(place + 3, 1, h + floating[i].v, force);
        kg_turn(place + 3, 1, h + floating[i].v + 3, moment);
        kg_cross3(arm, force, x);
        for (int k = 0; k < 3; k++) {
            sum[k] += force[k];
            sum[3 + k] += moment[k] + x[k];
        }
    }
}

/* Momentum about where the first floating links have gone from q0 to q. */
static inline void move_momentum(const kg_entry *q0, const kg_entry *q, kg_entry momentum[][6])
{
    for (int i = 0; i < FLOATING; i++) {
        if (floating[i].q != floating[i].first)
            continue;
        const kg_entry *from = q0 + floating[i].q, *to = q + floating[i].q;
        const kg_entry way[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        kg_entry *sum = momentum[floating[i].group], turned[3];
        kg_cross3(way, sum, turned);
        for (int k = 0; k < 3; k++)
            sum[3 + k] -= turned[k];
    }
}

#endif
