/* floating_arm: inverse kinematics. What does not depend on the mechanism stands in kinegen/. */

#include "floating_arm.h"
#include "floating_arm_model.h"
#include "kinegen/inverse/solve.h"
