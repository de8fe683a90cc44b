/* crane: inverse kinematics. What does not depend on the mechanism stands in kinegen/. */

#include "crane.h"
#include "crane_model.h"
#include "kinegen/inverse/solve.h"
