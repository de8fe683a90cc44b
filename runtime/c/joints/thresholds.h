/* Speeds, distances and forces by which a step decides, in one state as in lanes. */

#ifndef KINEGEN_JOINTS_THRESHOLDS_H
#define KINEGEN_JOINTS_THRESHOLDS_H

#define BRISK 0.03 /* rad a step from which the turns of links are looked after */
#define GENTLE 0.1 /* rad below which a coast of what hangs on world is taken by the midpoint rule */
#define PART 0.2 /* rad by which a link turns at most in a part of a coast */
#define PARTS 64 /* that a coast has at most */
#define UNSURE 1e-3 /* part of the energy that a coast may have lost by its own error: more was lost by an impact */
#define LITTLE 1e-12 /* part of a kinetic energy below which links do not move against each other */

/* Distance [m or rad] below which what moves at this speed, a coordinate to its bound or a shape to another, may meet
 * it within dt. */
#define CLOSE 5e-4
#define WITHIN_REACH(dt, speed) (CLOSE + 1.5 * (dt) * (speed))

/* By which a push out of a depth turns a link, or moves joints of loops, at most in a step [rad, lengths of the loops]:
 * it is right to first order. */
#define FARTHEST_PUSH 0.1

#define AGAIN 8 /* passes of a step in which servos may come off their limits; then they only go to them */
#define AT_LIMIT(limit) ((limit) * (1.0 + 1e-12)) /* force that a servo must ask for to be at its limit */

#endif
