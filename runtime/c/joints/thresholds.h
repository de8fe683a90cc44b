/* Speeds and distances of joints by which the scalar step and the step in lanes both decide. */

#ifndef KINEGEN_JOINTS_THRESHOLDS_H
#define KINEGEN_JOINTS_THRESHOLDS_H

#define BRISK 0.03 /* rad a step from which the turns of links are looked after */
#define PART 0.2 /* rad by which a link turns at most in a part of a coast */
#define UNSURE 1e-3 /* part of the energy that a coast may have lost by its own error: more was lost by an impact */
#define LITTLE 1e-12 /* part of a kinetic energy below which links do not move against each other */

/* Distance of a bound [m or rad] below which a coordinate of speed |v| may meet it within dt. */
#define LIMIT_REACH(dt, speed) (5e-4 + 1.5 * (dt) * (speed))

#endif
