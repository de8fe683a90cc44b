/* cart_pole: inverse kinematics. What does not depend on the mechanism stands in kinegen/. */

#include "cart_pole.h"
#include "cart_pole_model.h"
#include "kinegen/inverse/solve.h"
