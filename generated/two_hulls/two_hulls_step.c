/* two_hulls: the time step. SI units, radians, quaternions [x y z w].
 * What does not depend on the mechanism stands in kinegen/; here are its tables. */

#include <math.h>
#include <string.h>
#include "two_hulls.h"
#include "two_hulls_model.h"
#include "kinegen/linear/extremes.h"

#include "kinegen/joints/groups.h"
#include "kinegen/step/step.h"
