/* double_pendulum: the time step. SI units, radians, quaternions [x y z w].
 * What does not depend on the mechanism stands in kinegen/; here are its tables. */

#include <math.h>
#include <string.h>
#include "double_pendulum.h"
#include "double_pendulum_model.h"
#include "kinegen/linear/extremes.h"

/* Of each velocity, the group of links that share its motion. Free joints that leave a whole group free: places in q
 * and v, the group, and the place in q of the first such joint of the group. */
enum { GROUPS = 1, FLOATING = 0 };
static const int group_of[] = {0, 0};
static const struct {
    int q, v, group, first;
} floating[] = { { 0 }, };

#include "kinegen/joints/groups.h"
#include "kinegen/step/step.h"
