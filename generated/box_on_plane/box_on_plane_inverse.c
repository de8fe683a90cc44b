/* box_on_plane: inverse kinematics. What does not depend on the mechanism stands in kinegen/. */

#include "box_on_plane.h"
#include "box_on_plane_model.h"
#include "kinegen/inverse/solve.h"
