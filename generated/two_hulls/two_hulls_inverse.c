/* two_hulls: inverse kinematics. What does not depend on the mechanism stands in kinegen/. */

#include "two_hulls.h"
#include "two_hulls_model.h"
#include "kinegen/inverse/solve.h"
