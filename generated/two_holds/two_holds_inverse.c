/* two_holds: inverse kinematics. What does not depend on the mechanism stands in kinegen/. */

#include "two_holds.h"
#include "two_holds_model.h"
#include "kinegen/inverse/solve.h"
