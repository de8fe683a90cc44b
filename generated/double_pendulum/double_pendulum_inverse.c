/* double_pendulum: inverse kinematics. What does not depend on the mechanism stands in kinegen/. */

#include "double_pendulum.h"
#include "double_pendulum_model.h"
#include "kinegen/inverse/solve.h"
