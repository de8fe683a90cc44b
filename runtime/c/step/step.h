/* The time step: one loop over steps, a table of integrators, and two providers of the dynamics, trees and mechanisms
 * with loops. The model's header must stand before it (see ../model.h). */

#ifndef KINEGEN_STEP_STEP_H
#define KINEGEN_STEP_STEP_H

#include <math.h>
#include <string.h>

#include "../linear/extremes.h"
#include "../linear/lanes.h"

#if HAS_LOOPS
#include "closed_stages.h"
#else
#include "tree.h"
#endif
#if HAS_SWITCHES
#include "../watch/parts.h"
#include "../watch/constraint_wrenches.h"
#endif
#include "integrators.h"
#include "simulate.h"

#endif
