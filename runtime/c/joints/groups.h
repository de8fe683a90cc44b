/* Exponentials, logarithms and rates of the rotation and motion groups that joints move in.
 *
 * integrate: q exp(v), v a motion in unit time. difference: its inverse. offset: place and turn of one from the other,
 * each by itself. advance: a time step, semi-implicit Euler. rate: of the coordinates u in q exp(u). rest: what a
 * constant force along resting axes gains in axes that turn. */

#ifndef KG_JOINTS_GROUPS_H
#define KG_JOINTS_GROUPS_H

#include "displace.h"
#include "se2.h"
#include "se3.h"
#include "so3.h"
#include "spin.h"

#endif
