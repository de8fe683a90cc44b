/* box_on_plane: the time step. SI units, radians, quaternions [x y z w].
 * What does not depend on the mechanism stands in kinegen/; here are its tables. */

#include <math.h>
#include <string.h>
#include "box_on_plane.h"
#include "box_on_plane_model.h"
#include "kinegen/linear/extremes.h"

/* Joints that leave a tree free, or free to turn: places in q and v, number of velocities, where those of the tree end;
 * where their rows of M v and their block of M begin among those of all. */
enum { FREE_ROOT = 1, PLANAR_ROOT, BALL_ROOT };
typedef struct {
    int kind, q, v, nv, end, h, M;
} root;
static const root ROOT[] = { { FREE_ROOT, 0, 0, 6, 6, 0, 0 }, {0} };

#include "kinegen/joints/groups.h"
#include "kinegen/step/step.h"
