/* spherical_pendulum: inverse kinematics. What does not depend on the mechanism stands in kinegen/. */

#include "spherical_pendulum.h"
#include "spherical_pendulum_model.h"
#include "kinegen/inverse/solve.h"
