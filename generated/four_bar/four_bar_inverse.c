/* four_bar: inverse kinematics. What does not depend on the mechanism stands in kinegen/. */

#include "four_bar.h"
#include "four_bar_model.h"
#include "kinegen/inverse/solve.h"
