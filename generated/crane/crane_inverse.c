/* crane: inverse kinematics. What does not depend on the mechanism stands in kinegen/. */

#include "crane_model.h"
#include "kinegen/inverse/solve.h"
