/* q moved by u, which is no velocity: bodies go on as they did along axes that rest. */

#ifndef KG_JOINTS_DISPLACE_H
#define KG_JOINTS_DISPLACE_H

#include "se2.h"
#include "se3.h"

static inline void kg_so3_displace(const kg_real *u, kg_real *q, kg_real *v)
{
    kg_real d[3];
    if (u[0] == 0 && u[1] == 0 && u[2] == 0)
        return;
    kg_turn(q, 1, v, d);
    kg_so3_integrate(q, u, q);
    kg_turn(q, -1, d, v);
}

static inline void kg_se2_displace(const kg_real *u, kg_real *q, kg_real *v)
{
    if (u[0] == 0 && u[1] == 0 && u[2] == 0)
        return;
    const kg_real dx = q[2] * v[0] - q[3] * v[1], dy = q[3] * v[0] + q[2] * v[1];
    kg_se2_integrate(q, u, q);
    v[0] = q[2] * dx + q[3] * dy;
    v[1] = q[2] * dy - q[3] * dx;
}

static inline void kg_se3_displace(const kg_real *u, kg_real *q, kg_real *v)
{
    kg_real d[6];
    if (u[0] == 0 && u[1] == 0 && u[2] == 0 && u[3] == 0 && u[4] == 0 && u[5] == 0)
        return;
    kg_turn(q + 3, 1, v, d);
    kg_turn(q + 3, 1, v + 3, d + 3);
    kg_se3_integrate(q, u, q);
    kg_turn(q + 3, -1, d, v);
    kg_turn(q + 3, -1, d + 3, v + 3);
}

#endif
