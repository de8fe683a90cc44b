/* two_holds: nq = 2, nv = 2, 2 links.
 *
 * SI units, radians, quaternions [x y z w]; matrices row-major. Inputs and outputs must not overlap.
 * Every kernel takes q, v, ... of one state. Its _batch takes n states: x of state i stands at x + i*x_stride, so that
 * a stride of 0 repeats one; outputs stand one after the other.
 * p, the run-time parameters, comes first in every kernel; in a _batch it has no stride and serves all states.
 * C99, also for C++; needs libm, allocates nothing, keeps no state: what it works with stands on the stack, how much of
 * it gcc -fstack-usage tells. Compile it without -ffast-math and -Ofast.
 * Models of one program share what stands in kinegen/: generate them into one folder.
 * Keys such as [N98] are papers, a number after them its section or equation: docs/references.md of kinegen lists
 * them. */

#ifndef TWO_HOLDS_H
#define TWO_HOLDS_H

/* Sizes. */
enum {
    TWO_HOLDS_NQ = 2, /* coordinates q */
    TWO_HOLDS_NV = 2, /* velocities v, accelerations a, joint forces tau of kernels */
    TWO_HOLDS_NTAU = 4, /* numbers of tau of a step: those of v, then of cut joints */
    TWO_HOLDS_NU = 2, /* entries of tau with an actuator */
    TWO_HOLDS_NP = 26, /* run-time parameters p */
    TWO_HOLDS_NLINKS = 2, /* links */
    TWO_HOLDS_NLOOPS = 2, /* loops */
};

/* First entry of each joint in q. */
enum {
    TWO_HOLDS_Q_SWING = 0, /* revolute */
    TWO_HOLDS_Q_RAIL = 1, /* prismatic */
};

/* First entry of each joint in v, a and tau. */
enum {
    TWO_HOLDS_V_SWING = 0, /* revolute */
    TWO_HOLDS_V_RAIL = 1, /* prismatic */
};

/* First coordinate of each cut joint. */
enum {
    TWO_HOLDS_CUT_Q_GRIP = 0, /* revolute */
    TWO_HOLDS_CUT_Q_HOOK = 1, /* revolute */
};

/* First velocity of each cut joint; tau has them behind the NV of the tree. */
enum {
    TWO_HOLDS_CUT_V_GRIP = 0, /* revolute, not actuated */
    TWO_HOLDS_CUT_V_HOOK = 1, /* revolute, not actuated */
};

/* Parameters in p. */
enum {
    TWO_HOLDS_P_GRIP_POSE00 = 0, /* grip.pose00, usually 1.0 */
    TWO_HOLDS_P_GRIP_POSE01 = 1, /* grip.pose01, usually 0.0 */
    TWO_HOLDS_P_GRIP_POSE02 = 2, /* grip.pose02, usually 0.0 */
    TWO_HOLDS_P_GRIP_POSE03 = 3, /* grip.pose03, usually 0.0 */
    TWO_HOLDS_P_GRIP_POSE04 = 4, /* grip.pose04, usually 0.0 */
    TWO_HOLDS_P_GRIP_POSE05 = 5, /* grip.pose05, usually 1.0 */
    TWO_HOLDS_P_GRIP_POSE06 = 6, /* grip.pose06, usually 0.0 */
    TWO_HOLDS_P_GRIP_POSE07 = 7, /* grip.pose07, usually 0.0 */
    TWO_HOLDS_P_GRIP_POSE08 = 8, /* grip.pose08, usually 0.0 */
    TWO_HOLDS_P_GRIP_POSE09 = 9, /* grip.pose09, usually 0.0 */
    TWO_HOLDS_P_GRIP_POSE10 = 10, /* grip.pose10, usually 1.0 */
    TWO_HOLDS_P_GRIP_POSE11 = 11, /* grip.pose11, usually 0.0 */
    TWO_HOLDS_P_HOOK_POSE00 = 12, /* hook.pose00, usually 1.0 */
    TWO_HOLDS_P_HOOK_POSE01 = 13, /* hook.pose01, usually 0.0 */
    TWO_HOLDS_P_HOOK_POSE02 = 14, /* hook.pose02, usually 0.0 */
    TWO_HOLDS_P_HOOK_POSE03 = 15, /* hook.pose03, usually 0.0 */
    TWO_HOLDS_P_HOOK_POSE04 = 16, /* hook.pose04, usually 0.0 */
    TWO_HOLDS_P_HOOK_POSE05 = 17, /* hook.pose05, usually 1.0 */
    TWO_HOLDS_P_HOOK_POSE06 = 18, /* hook.pose06, usually 0.0 */
    TWO_HOLDS_P_HOOK_POSE07 = 19, /* hook.pose07, usually 0.0 */
    TWO_HOLDS_P_HOOK_POSE08 = 20, /* hook.pose08, usually 0.0 */
    TWO_HOLDS_P_HOOK_POSE09 = 21, /* hook.pose09, usually 0.0 */
    TWO_HOLDS_P_HOOK_POSE10 = 22, /* hook.pose10, usually 1.0 */
    TWO_HOLDS_P_HOOK_POSE11 = 23, /* hook.pose11, usually 0.0 */
    TWO_HOLDS_P_GRIP_ACTIVE = 24, /* grip.active, usually 0.0 */
    TWO_HOLDS_P_HOOK_ACTIVE = 25, /* hook.active, usually 0.0 */
};

/* Links, as in poses and frames. */
enum {
    TWO_HOLDS_LINK_ROD = 0,
    TWO_HOLDS_LINK_SLIDER = 1,
};

/* Loops by number, from parent to child: six rows of the closure each; forces told are those on the child. */
enum {
    TWO_HOLDS_LOOP_GRIP = 0, /* revolute, from rod to world */
    TWO_HOLDS_LOOP_HOOK = 1, /* revolute, from rod to slider */
};

#ifdef __cplusplus
extern "C" {
#endif

/* What the value of a condition is. */
enum { two_holds_DISTANCE, two_holds_POSITION, two_holds_TURN, two_holds_COORDINATE, two_holds_VELOCITY,
    two_holds_LOOP_COORDINATE, two_holds_LOOP_VELOCITY, two_holds_FORCE, two_holds_MOMENT, two_holds_CONTACT_FORCE };

/* Partition of the tree's velocities on the closure K v = 0: rank m, pivot rows of K, entries of v (dependent (m),
 * then independent (nv - m)), smallest pivot over largest, now and when the partition was chosen, and where that
 * stood, H (m, nv - m). inverted: 1 if inverse (m, m) is that of the pivot rows and columns at a q nearby; known: 1 if
 * it and H are those at q; sparse: 1 if H is zero where the straight-line code's is, in whose order the velocities
 * are; columns of H from `first` until `until` are not all zero. laid: 1 if H and inverse are zero outside of the
 * blocks that stand here: so many, rows and columns of each, their pivots, velocities and places in H, columns filled
 * up to eights. */
typedef struct {
    int rank;
    int weak_row;
    int weak_column;
    int inverted;
    int known;
    int sparse;
    int first;
    int until;
    int rows[2];
    int columns[2];
    int laid;
    int blocks;
    int block_rows[2];
    int block_columns[2];
    int block_pivot[2];
    int block_column[16];
    int block_place[16];
    double ratio;
    double chosen;
    double H[4];
    double inverse[4];
    double q[2];
} two_holds_partition;

/* What the motion of a closed mechanism carries from step to step: the partition in use, readiness of the velocities
 * to be dependent, coordinates of the cut joints with all their turns, forces of contact and limits in the last step,
 * or part of one, as joint torques; loaded: 0 if there was no step in this structure yet, 1 if none of them acted in
 * the last one, else 2; lag: by what the last steps, of lag_dt (0: not known) and by one partition, were put back on
 * the closure, its differences (of the dependent velocities), `lags` of them known, and what the last one left;
 * geared: gearing from which on another partition is looked for; and what it has to tell: new partitions, steps near a
 * singularity, the worst ratio and where, the largest gap left [m, rad], 1 if a loop could not be closed, and by how
 * much it was missed. Of a step that events divide: share: of its last part in the whole, earlier: of those before,
 * and what these add to the mean of load, and of the forces of stops of cut joints, passed. */
typedef struct {
    two_holds_partition partition;
    double ready[2];
    double cut_q[3];
    double load[2];
    long pivotings;
    long singular_steps;
    long worst_step;
    long lag_pivotings;
    double lag[8];
    double left[2];
    double lag_dt;
    double geared;
    double worst;
    double gap;
    double missed;
    int weak_row;
    int weak_column;
    int last_row;
    int last_column;
    int lags;
    int full_rank;
    int blocked;
    int open;
    int loaded;
    double passed[4];
    double earlier;
    double share;
} two_holds_memory;

/* A condition: it holds where sign (value - threshold) > 0. kind: what the value is, of `first` and `second`:
 * DISTANCE, POSITION, TURN: of two links (-1: the world), with points fixed to them, from the first to the second,
 * POSITION: along axis 0, 1, 2 of the first; COORDINATE, VELOCITY: place in q, in v; LOOP_COORDINATE, LOOP_VELOCITY:
 * place among those of cut joints, and the loop that must be active for it to have a value (-1: none); FORCE, MOMENT:
 * number of the loop; CONTACT_FORCE: link on which it acts and link that exerts it (-1: the world, -2: all). armed: it
 * has not held since it fired last; fired: it has come true just now; margin: sign (value - threshold) of the last
 * state; passed: what earlier parts of the step add to the mean force of contact [N]. */
typedef struct {
    long kind;
    double sign;
    double threshold;
    long first;
    double first_offset[3];
    long second;
    double second_offset[3];
    long axis;
    long armed;
    long fired;
    double margin;
    double passed[3];
} two_holds_condition;

/* External wrenches on links: `count` of them. place: [link, x, y, z, rests] of each: rests 0: it acts at x, y, z in
 * the link's axes, 1: its moment is that about the origin of the world; rows: 6 count numbers [force; moment], world
 * axes, for step i at rows + i*stride; row: those of the present step. */
typedef struct {
    long count;
    const double *place;
    const double *rows;
    long stride;
    const double *row;
} two_holds_external;

/* Motion that is given: `count` entries, of q at place[k], of v at dof[k]; rows: q, v, a of all (3 count) at the
 * beginning of the first step and at the end of each, `span` [s] apart; torque: what the joints exert, `count` numbers
 * a step; stuck: 0, or 1 + an entry that loops keep from its motion. Of the present step: its rows, its torques, how
 * much of it [s] is over, accelerations (nv), torques against impacts. */
typedef struct {
    long count;
    const int *place;
    const int *dof;
    const double *rows;
    double span;
    double *torque;
    long stuck;
    const double *row;
    double *out;
    double since;
    double a[2];
    double struck[2];
} two_holds_driving;

/* Joint servos: `count` entries, of q at place[k], of v at dof[k], with gains and largest force; entries of joints
 * that close loops stand behind those of the tree, from nq and nv on, cut: 1 if there are any; rows: positions, then
 * velocities that they go to, 2 count numbers for step i at rows + i*stride; torque: what they exert, `count` numbers
 * a step. off: 0, or room for two numbers for each velocity where servos act on joints whose coordinates do not add:
 * their place[k] is -1, and every row ends with coordinates of all joints, where they go. asked, mode: room for
 * `count` entries each, of the present step: what the gains ask for; 1, -1 at a limit; row, out: its row and torques,
 * which the step sets. */
typedef struct {
    long count;
    long cut;
    const int *place;
    const int *dof;
    const double *kp;
    const double *kd;
    const double *limit;
    const double *rows;
    long stride;
    double *torque;
    double *off;
    const double *row;
    double *out;
    double *asked;
    int *mode;
} two_holds_servos;

/* Work [J] of each source on each velocity (7, nv), source after source: torques, servos, springs, dampers, wrenches,
 * motions, rows. total: since it was zero; log: dense rows of total, for the states that are logged, from the first
 * step on; 0: none. Of the present step: step, stages. */
typedef struct {
    double total[14];
    double *log;
    double step[14];
    double stages[14];
} two_holds_ledger;

/* A motion to be made: p: run-time parameters, 0 where there are none; integrator: 0 semi-implicit Euler, 1
 * Runge-Kutta 4; steps of dt [s] from q, v, in place, step i driven by the 4 numbers at tau + i*tau_stride, those of
 * v, then one for each velocity of the cut joints; with every > 0 the states after every, 2 every, ... steps go to the
 * dense arrays q_log, v_log. external: wrenches on links, driving: joints whose motion is given, servos, ledger: work
 * that is asked for; 0: none. memory: of the motion, never 0; begin sets it, and it goes along from call to call.
 * watch: so many conditions as watches tells, 64 at most; part: -1, or how much of a step the motion is into as one
 * came true. whole [s]: of the step of which one of dt is a part, since [s]: what of it is over; 0: each is a whole
 * one. */
typedef struct {
    const double *p;
    long integrator;
    long steps;
    double dt;
    double *q;
    double *v;
    const double *tau;
    long tau_stride;
    long every;
    double *q_log;
    double *v_log;
    two_holds_external *external;
    two_holds_driving *driving;
    two_holds_servos *servos;
    two_holds_ledger *ledger;
    two_holds_memory *memory;
    long watches;
    two_holds_condition *watch;
    double part;
    double whole;
    double since;
} two_holds_simulation;

/* Several simulations: `count` of them, of which a struct simulation tells the first. States stand one after the
 * other, q_log and v_log with room for `logs` states of each; p, tau, wrenches: how many numbers from those of one to
 * the next one's, 0: the same; gains, targets: likewise of kp, kd and limits of the servos, from `gain` on, and of
 * their rows, from `target` on, 0: as they are; fresh: 1: none has contacts of a step before; 2: nor that, and where
 * each starts, on the closure, goes in front of its q_log and v_log, as one of `logs` states; done: steps that each
 * has made, read and written: to be set before the call, 0 for one that starts; one that is less than 0 or more than
 * steps makes no step and is then -1, as is one of which there is something to tell of where it starts. With count > 1
 * none is made where ledger or watches of `simulation` asks for what is told of one alone; the torques that driving
 * and servos tell are those of the last. */
typedef struct {
    long count;
    long p;
    long tau;
    long wrenches;
    long gains;
    long targets;
    long logs;
    long fresh;
    const double *gain;
    const double *target;
    long *done;
} two_holds_simulations;
/* Joint forces tau of the open chain, by recursion in link frames: p, q, v, a -> tau[2] */
void two_holds_inverse_dynamics(const double *p, const double *q, const double *v, const double *a, double *tau);
void two_holds_inverse_dynamics_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau);

/* Bias h(q, v): tau at zero acceleration: p, q, v -> h[2] */
void two_holds_bias(const double *p, const double *q, const double *v, double *h);
void two_holds_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *h);

/* Gravity g(q): tau at rest: p, q -> g[2] */
void two_holds_gravity(const double *p, const double *q, double *g);
void two_holds_gravity_batch(long n, const double *p, const double *q, long q_stride, double *g);

/* Mass matrix M by composite inertias: p, q -> M[2][2] */
void two_holds_mass_matrix(const double *p, const double *q, double *M);
void two_holds_mass_matrix_batch(long n, const double *p, const double *q, long q_stride, double *M);

/* Acceleration by articulated bodies: p, q, v, tau -> a[2] */
void two_holds_forward_dynamics_open(const double *p, const double *q, const double *v, const double *tau,
    double *a);
void two_holds_forward_dynamics_open_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration a of (M + diag d) a = tau - h: p, q, v, tau, d -> a[2] */
void two_holds_forward_dynamics_open_damped(const double *p, const double *q, const double *v, const double *tau,
    const double *d, double *a);
void two_holds_forward_dynamics_open_damped_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M: p, q, v, a -> dtau[3][2][2] */
void two_holds_inverse_derivatives(const double *p, const double *q, const double *v, const double *a, double *dtau);
void two_holds_inverse_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *dtau);

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q: p, q, v, a ->
 * second[4][2][2][2] */
void two_holds_inverse_second_derivatives(const double *p, const double *q, const double *v, const double *a,
    double *second);
void two_holds_inverse_second_derivatives_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *a, long a_stride, double *second);

/* Second derivatives of weights'tau, the same ones: p, q, v, a, weights -> second[4][2][2] */
void two_holds_inverse_weighed_derivatives(const double *p, const double *q, const double *v, const double *a,
    const double *weights, double *second);
void two_holds_inverse_weighed_derivatives_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *a, long a_stride, const double *weights, long weights_stride,
    double *second);

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau: p, q, v, tau -> da[3][2][2] */
void two_holds_forward_derivatives_open(const double *p, const double *q, const double *v, const double *tau,
    double *da);
void two_holds_forward_derivatives_open_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *da);

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a: p, q, v, a, frame -> parts[4][6][2] */
void two_holds_frame_derivatives(const double *p, const double *q, const double *v, const double *a,
    const double *frame, double *parts);
void two_holds_frame_derivatives_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space: p, q, v -> dv_dq[3][2] */
void two_holds_com_velocity_derivative(const double *p, const double *q, const double *v, double *dv_dq);
void two_holds_com_velocity_derivative_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, double *dv_dq);

/* What dampers and friction add to M over dt, and its slope in v: p, q, v -> D[2][2] */
void two_holds_damping_terms(const double *p, const double *q, const double *v, double *D);
void two_holds_damping_terms_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *D);

/* World poses of the link frames: p, q -> poses[2][4][4] */
void two_holds_link_poses(const double *p, const double *q, double *poses);
void two_holds_link_poses_batch(long n, const double *p, const double *q, long q_stride, double *poses);

/* COG accelerations dG/dt v at zero joint acceleration: p, q, v -> dGv[12] */
void two_holds_cog_bias(const double *p, const double *q, const double *v, double *dGv);
void two_holds_cog_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *dGv);

/* Centre of mass: p, q -> com[3] */
void two_holds_com(const double *p, const double *q, double *com);
void two_holds_com_batch(long n, const double *p, const double *q, long q_stride, double *com);

/* Jacobian of the centre of mass: p, q -> J_com[3][2] */
void two_holds_com_jacobian(const double *p, const double *q, double *J_com);
void two_holds_com_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *J_com);

/* Kinetic and potential energy: p, q, v -> energy[2] */
void two_holds_energy(const double *p, const double *q, const double *v, double *energy);
void two_holds_energy_batch(long n, const double *p, const double *q, long q_stride, const double *v, long v_stride,
    double *energy);

/* Linear momentum, angular momentum about the centre of mass: p, q, v -> momentum[6] */
void two_holds_momentum(const double *p, const double *q, const double *v, double *momentum);
void two_holds_momentum_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *momentum);

/* Centroidal momentum matrix: p, q -> A_G[6][2] */
void two_holds_centroidal_momentum_matrix(const double *p, const double *q, double *A_G);
void two_holds_centroidal_momentum_matrix_batch(long n, const double *p, const double *q, long q_stride,
    double *A_G);

/* COG Jacobian G: [dp_G; w] = G v, world axes: p, q -> G[12][2] */
void two_holds_cog_jacobian(const double *p, const double *q, double *G);
void two_holds_cog_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *G);

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]: p, q, frame -> J[6][2] */
void two_holds_frame_jacobian(const double *p, const double *q, const double *frame, double *J);
void two_holds_frame_jacobian_batch(long n, const double *p, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J);

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]: p, q, placed -> pose[4][4] */
void two_holds_frame_pose(const double *p, const double *q, const double *placed, double *pose);
void two_holds_frame_pose_batch(long n, const double *p, const double *q, long q_stride, const double *placed,
    long placed_stride, double *pose);

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above: p, q, v, frame -> velocity[6] */
void two_holds_frame_velocity(const double *p, const double *q, const double *v, const double *frame,
    double *velocity);
void two_holds_frame_velocity_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *frame, long frame_stride, double *velocity);

/* Rate of that velocity; frame as above: p, q, v, a, frame -> acceleration[6] */
void two_holds_frame_acceleration(const double *p, const double *q, const double *v, const double *a,
    const double *frame, double *acceleration);
void two_holds_frame_acceleration_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above: p, q, v, a, frame ->
 * motion[2][6] */
void two_holds_frame_motion(const double *p, const double *q, const double *v, const double *a, const double *frame,
    double *motion);
void two_holds_frame_motion_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* Mass matrix M = G' M^ G: p, q -> M[2][2] */
void two_holds_mass_matrix_cog(const double *p, const double *q, double *M);
void two_holds_mass_matrix_cog_batch(long n, const double *p, const double *q, long q_stride, double *M);

/* Mass matrix M by unit vectors: p, q -> M[2][2] */
void two_holds_mass_matrix_unit_vector(const double *p, const double *q, double *M);
void two_holds_mass_matrix_unit_vector_batch(long n, const double *p, const double *q, long q_stride, double *M);

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^): p, q, v, a -> tau[2] */
void two_holds_inverse_dynamics_cog(const double *p, const double *q, const double *v, const double *a, double *tau);
void two_holds_inverse_dynamics_cog_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau);

/* Acceleration by unit vectors: p, q, v, tau -> a[2] */
void two_holds_forward_dynamics_open_unit_vector(const double *p, const double *q, const double *v,
    const double *tau, double *a);
void two_holds_forward_dynamics_open_unit_vector_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration by M = L'DL: p, q, v, tau -> a[2] */
void two_holds_forward_dynamics_open_ltdl(const double *p, const double *q, const double *v, const double *tau,
    double *a);
void two_holds_forward_dynamics_open_ltdl_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a);

/* Changes of K v, of K a + dK/dt v and of K'f as q moves along dq and v by dv: p, q, v, a, f, dq, dv -> change[26] */
void two_holds_closure_variation(const double *p, const double *q, const double *v, const double *a, const double *f,
    const double *dq, const double *dv, double *change);
void two_holds_closure_variation_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *f, long f_stride, const double *dq, long dq_stride,
    const double *dv, long dv_stride, double *change);

/* How what closure_variation gives changes as q moves along eq and v by ev: p, q, v, a, f, dq, dv, eq, ev ->
 * change[26] */
void two_holds_closure_second_variation(const double *p, const double *q, const double *v, const double *a,
    const double *f, const double *dq, const double *dv, const double *eq, const double *ev, double *change);
void two_holds_closure_second_variation_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *a, long a_stride, const double *f, long f_stride, const double *dq,
    long dq_stride, const double *dv, long dv_stride, const double *eq, long eq_stride, const double *ev,
    long ev_stride, double *change);

/* Torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity: p, q, v, a ->
 * terms[2][2][3] */
void two_holds_torque_terms(const double *p, const double *q, const double *v, const double *a, double *terms);
void two_holds_torque_terms_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *terms);

/* Regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link: p, q, v, a -> Y[2][20] */
void two_holds_torque_regressor(const double *p, const double *q, const double *v, const double *a, double *Y);
void two_holds_torque_regressor_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters: p, q, v -> Y_energy[2][20] */
void two_holds_energy_regressor(const double *p, const double *q, const double *v, double *Y_energy);
void two_holds_energy_regressor_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *Y_energy);

/* Inertial parameters pi of the links: m, m c, I about the origin: p, q -> pi[20] */
void two_holds_inertial_parameters(const double *p, const double *q, double *pi);
void two_holds_inertial_parameters_batch(long n, const double *p, const double *q, long q_stride, double *pi);

/* Armature of every joint: p, q -> armatures[2] */
void two_holds_rotor_inertias(const double *p, const double *q, double *armatures);
void two_holds_rotor_inertias_batch(long n, const double *p, const double *q, long q_stride, double *armatures);

/* Rate of the momentum: linear, angular about the centre of mass: p, q, v, a -> momentum_rate[6] */
void two_holds_momentum_rate(const double *p, const double *q, const double *v, const double *a,
    double *momentum_rate);
void two_holds_momentum_rate_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *momentum_rate);

/* Mass of all links: p, q -> mass[1] */
void two_holds_total_mass(const double *p, const double *q, double *mass);
void two_holds_total_mass_batch(long n, const double *p, const double *q, long q_stride, double *mass);

/* Acceleration of gravity, world axes: p, q -> g[3] */
void two_holds_gravity_acceleration(const double *p, const double *q, double *g);
void two_holds_gravity_acceleration_batch(long n, const double *p, const double *q, long q_stride, double *g);

/* Gap of each loop: linear, angular, in the cut joint's frame: p, q -> gap[12] */
void two_holds_closure_residual(const double *p, const double *q, double *gap);
void two_holds_closure_residual_batch(long n, const double *p, const double *q, long q_stride, double *gap);

/* Rows K of K v = 0: locked twist of each loop in the cut joint's frame: p, q -> K[12][2] */
void two_holds_closure_rows(const double *p, const double *q, double *K);
void two_holds_closure_rows_batch(long n, const double *p, const double *q, long q_stride, double *K);

/* Rate dK/dt v of the rows: p, q, v -> dKv[12] */
void two_holds_closure_rows_bias(const double *p, const double *q, const double *v, double *dKv);
void two_holds_closure_rows_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *dKv);

/* Pose [R | p] of each cut joint's frame on the child in its frame on the parent: p, q -> poses[2][12] */
void two_holds_cut_poses(const double *p, const double *q, double *poses);
void two_holds_cut_poses_batch(long n, const double *p, const double *q, long q_stride, double *poses);

/* Twist of each cut joint, child axes, per unit of v: p, q -> twists[12][2] */
void two_holds_cut_twists(const double *p, const double *q, double *twists);
void two_holds_cut_twists_batch(long n, const double *p, const double *q, long q_stride, double *twists);

/* Rate dJ_C/dt dtheta_J, world axes: p, q, v -> dJv[12] */
void two_holds_closure_bias(const double *p, const double *q, const double *v, double *dJv);
void two_holds_closure_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *dJv);

/* Jacobian J_C: twist of virtual minus real link, world axes; tree, then cut joints: p, q -> J_C[12][4] */
void two_holds_closure_jacobian(const double *p, const double *q, double *J_C);
void two_holds_closure_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *J_C);

/* Acceleration of the closed mechanism: p, q, v, tau -> a[2] */
void two_holds_forward_dynamics(const double *p, const double *q, const double *v, const double *tau, double *a);
void two_holds_forward_dynamics_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration by A = W'MW: p, q, v, tau -> a[2] */
void two_holds_forward_dynamics_reduced(const double *p, const double *q, const double *v, const double *tau,
    double *a);
void two_holds_forward_dynamics_reduced_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration by unit vectors: p, q, v, tau -> a[2] */
void two_holds_forward_dynamics_unit_vector(const double *p, const double *q, const double *v, const double *tau,
    double *a);
void two_holds_forward_dynamics_unit_vector_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration with (M + diag d) in place of M: p, q, v, tau, d -> a[2] */
void two_holds_forward_dynamics_damped(const double *p, const double *q, const double *v, const double *tau,
    const double *d, double *a);
void two_holds_forward_dynamics_damped_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Forces of springs, dampers and dry friction, those of cut joints included: p, q, v -> f[2] */
void two_holds_passive_forces(const double *p, const double *q, const double *v, double *f);
void two_holds_passive_forces_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *f);

/* Gap of each loop, upside down counted as open: p, q -> gap[12] */
void two_holds_closure_gap(const double *p, const double *q, double *gap);
void two_holds_closure_gap_batch(long n, const double *p, const double *q, long q_stride, double *gap);

/* Distance [m] and angle [rad] between the sides of each loop, as far as it locks them: p, q -> offset[2][2] */
void two_holds_closure_offsets(const double *p, const double *q, double *offset);
void two_holds_closure_offsets_batch(long n, const double *p, const double *q, long q_stride, double *offset);

/* Coordinates of the cut joints: p, q -> q_cut[2] */
void two_holds_loop_coordinates(const double *p, const double *q, double *q_cut);
void two_holds_loop_coordinates_batch(long n, const double *p, const double *q, long q_stride, double *q_cut);

/* Velocities of the cut joints per v: p, q -> C[2][2] */
void two_holds_loop_jacobian(const double *p, const double *q, double *C);
void two_holds_loop_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *C);

/* ---- Motion of the coordinates ---- */

/* q moved by v_dt for unit time: q, v_dt -> q_out[2] */
void two_holds_integrate(const double *p, const double *q, const double *v_dt, double *q_out);
void two_holds_integrate_batch(long n, const double *p, const double *q, long q_stride, const double *v_dt,
    long v_dt_stride, double *q_out);

/* The shortest motion that takes q0 to q1 in unit time: q0, q1 -> v_dt[2] */
void two_holds_difference(const double *p, const double *q0, const double *q1, double *v_dt);
void two_holds_difference_batch(long n, const double *p, const double *q0, long q0_stride, const double *q1,
    long q1_stride, double *v_dt);

/* Forces of springs, dampers and dry friction of the tree's joints: q, v -> f[2] */
void two_holds_passive_forces_open(const double *p, const double *q, const double *v, double *f);
void two_holds_passive_forces_open_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *f);

/* Index of the first of n numbers that is not finite, -1 if there is none. */
long two_holds_first_non_finite(long n, const double *x);
/* Index in q (n states) of the first rotation whose norm is off 1 by more than tolerance, -1 if there is none. */
long two_holds_first_off_unit(long n, double tolerance, const double *q);
/* kernel(q, v, x) -> out. 0: done; 1: not called, since a number is larger than `large` or a rotation in q is off unit
 * norm by more than tolerance; 2: one of the first n results is not finite. */
long two_holds_call_q(double tolerance, double large, void (*kernel)(const double *, const double *, double *),
    const double *p, const double *q, long n, double *out);
long two_holds_call_q_v(double tolerance, double large, void (*kernel)(const double *, const double *,
    const double *, double *), const double *p, const double *q, const double *v, long n, double *out);
long two_holds_call_q_v_x(double tolerance, double large, void (*kernel)(const double *, const double *,
    const double *, const double *, double *), const double *p, const double *q, const double *v, const double *x,
    long n, double *out);

/* ---- Pieces of a step, which calls them: of the tree's joints q has nq numbers, all else nv ---- */

/* v += dt a, then q moved by dt v, in place. */
void two_holds_advance(double dt, const double *a, double *q, double *v);
/* k_out = rate of the displacement u at velocity v. */
void two_holds_rate(const double *u, const double *v, double *k_out);
/* q moved by u, which is no velocity, in place. */
void two_holds_displace(const double *u, double *q, double *v);
/* x of joints whose coordinates do not add: place of q1 along the child's axes at q0, and the turn to it. */
void two_holds_offset(const double *q0, const double *q1, double *x);
/* The same of the cut joints. */
void two_holds_cut_offset(const double *q0, const double *q1, double *x);
/* u += dt times what the turning of its axes adds to v along them. */
void two_holds_turning(double dt, const double *v, double *u);
/* No link turns faster than this [rad/s], those that fly by themselves left out unless alone is 1. */
double two_holds_turn(const double *p, int alone, const double *v);
/* f += held, which acts from q0 on along axes that rest, at q. */
void two_holds_held_forces(const double *q0, const double *q, const double *held, double *f);
/* Gap of loop 0: q[2] -> gap[6] */
void two_holds_loop0_gap(const double *p, const double *q, double *gap);
/* Rows of K of loop 0: q[2] -> K[6][2] */
void two_holds_loop0_rows(const double *p, const double *q, double *K);
/* Rate dK/dt v of the rows of loop 0: q[2], v[2] -> dKv[6] */
void two_holds_loop0_turning(const double *p, const double *q, const double *v, double *dKv);
/* Pose [R | p] of the joint's frame on the child in its frame on the parent of loop 0: q[2] -> pose[12] */
void two_holds_loop0_pose(const double *p, const double *q, double *pose);
/* Twist of the child's side per unit of v, its axes of loop 0: q[2] -> twist[6][2] */
void two_holds_loop0_twist(const double *p, const double *q, double *twist);
/* Rows of J_C, columns of the tree and of the joint of loop 0: q[2] -> J[6][3] */
void two_holds_loop0_jacobian(const double *p, const double *q, double *J);
/* Rate dJ_C/dt dtheta_J of loop 0: q[2], v[2] -> dJv[6] */
void two_holds_loop0_bias(const double *p, const double *q, const double *v, double *dJv);
/* Wrench on the child's side in world axes per unit force along the rows of loop 0: q[2] -> N[6][6] */
void two_holds_loop0_wrench(const double *p, const double *q, double *N);
/* Wrench on the child's side in world axes per unit along the joint's velocities of loop 0: q[2] -> A[1][6] */
void two_holds_loop0_effort(const double *p, const double *q, double *A);
/* Gap of loop 1: q[2] -> gap[6] */
void two_holds_loop1_gap(const double *p, const double *q, double *gap);
/* Rows of K of loop 1: q[2] -> K[6][2] */
void two_holds_loop1_rows(const double *p, const double *q, double *K);
/* Rate dK/dt v of the rows of loop 1: q[2], v[2] -> dKv[6] */
void two_holds_loop1_turning(const double *p, const double *q, const double *v, double *dKv);
/* Pose [R | p] of the joint's frame on the child in its frame on the parent of loop 1: q[2] -> pose[12] */
void two_holds_loop1_pose(const double *p, const double *q, double *pose);
/* Twist of the child's side per unit of v, its axes of loop 1: q[2] -> twist[6][2] */
void two_holds_loop1_twist(const double *p, const double *q, double *twist);
/* Rows of J_C, columns of the tree and of the joint of loop 1: q[2] -> J[6][3] */
void two_holds_loop1_jacobian(const double *p, const double *q, double *J);
/* Rate dJ_C/dt dtheta_J of loop 1: q[2], v[2] -> dJv[6] */
void two_holds_loop1_bias(const double *p, const double *q, const double *v, double *dJv);
/* Wrench on the child's side in world axes per unit force along the rows of loop 1: q[2] -> N[6][6] */
void two_holds_loop1_wrench(const double *p, const double *q, double *N);
/* Wrench on the child's side in world axes per unit along the joint's velocities of loop 1: q[2] -> A[1][6] */
void two_holds_loop1_effort(const double *p, const double *q, double *A);
/* M = L'DL and forces as far as no loop is met: q[2], v[2], tau[2], d[2] -> M[2], iD[2], z[2]; d: added to the
 * diagonal of M */
void two_holds_branch_terms(const double *p, const double *q, const double *v, const double *tau, const double *d,
    double *M, double *iD, double *z);
/* All of M = L'DL: q[2], v[2], tau[2], d[2] -> M[2], iD[2], z[2]; d: added to the diagonal of M */
void two_holds_open_terms(const double *p, const double *q, const double *v, const double *tau, const double *d,
    double *M, double *iD, double *z);
/* Momenta h = M v: q[2], v[2] -> h[2] */
void two_holds_momenta(const double *p, const double *q, const double *v, double *h);

/* ---- The time step, and what prepares for it ---- */

/* Of mechanisms with loops; p: run-time parameters, 0 where there are none; ready (nv): 1 for a velocity that may well
 * be dependent, less for one that should rather be independent, at most 1e-6 for one that must be, 0 for one that
 * is given; null for the usual.
 * partition_closure: partition of the velocities at q, held->rank -1: none yet; 1 if it is a new one.
 * project: q, v put back on the closure from near it; gives the gap left. assemble: a closed configuration near q; move
 * (nv): 0 holds a coordinate, null: all move; gives the gap left. begin: a memory for a motion that starts at q.
 * momentary: the entry of v that moves most in a motion that the loops' rates allow at q, for an instant only; -1:
 * there is none. Of n states, led by the velocities of which ready is at most 1e-6; they give n, or the first state at
 * which these do not lead. led_coefficients: W (n, nv, nf), all velocities per independent one. led_motion: v, a (n,
 * nv) in place, what depends from what leads. */
int two_holds_partition_closure(const double *p, const double *q, const double *ready, two_holds_partition *held);
double two_holds_project(const double *p, double *q, double *v, const double *ready, two_holds_partition *held);
double two_holds_assemble(const double *p, double *q, const double *move);
long two_holds_led_coefficients(long n, const double *p, const double *q, const double *ready, double *W);
long two_holds_led_motion(long n, const double *p, const double *q, const double *ready, double *v, double *a);
void two_holds_begin(const double *p, const double *q, const double *ready, two_holds_memory *memory);
int two_holds_momentary(const double *p, const double *q, const double *ready);

/* The structure from here on: loop l (TWO_HOLDS_LOOP_NAME) is active if wanted[l] is not 0; new ones where the
 * links stand if taken[l] is not 0, else at the frame in the child that p holds, from which they may be `tolerance`
 * [m] and [rad] away. p (flags and frames), q, v and memory in place; impulse (6 a loop): [force; moment] times time
 * on the child, world axes. Gives 0, or 1 + the loop that is *gap away [m, rad] or cannot be closed: nothing has
 * changed then. */
long two_holds_restructure(double *p, const double *wanted, const double *taken, double tolerance, double *q, double *v,
    double *impulse, double *gap, two_holds_memory *memory);
/* [force; moment] (6 a loop) on the child of each active loop at the joint's frame in it, world axes. */
void two_holds_constraint_wrenches(const two_holds_simulation *s, const double *q, const double *v,
    const double *tau, double *wrench);

/* Makes the steps of s; gives how many were done: none if there is no such integrator or there are too many conditions,
 * fewer than s->steps if a state was not finite, a loop could not be closed (memory->open), or a condition came true
 * (part). */
long two_holds_simulate(two_holds_simulation *s);

/* The same of several simulations, s the first of them: see the struct. Gives how many there were: none if s cannot be
 * made, not all if the memory of the last one tells something of its loops. */
long two_holds_simulate_all(two_holds_simulation *s, const two_holds_simulations *all);
/* A target of inverse kinematics. kind: 0 position, 1 orientation, 2 look-at, 3 direction, 4 centre of mass; place:
 * [link, x, y, z] of a point of it, axis: a unit vector in its axes; weight: of the three residuals, world axes. */
typedef struct {
    long kind;
    double place[4];
    double axis[3];
    double weight[3];
} two_holds_target;

/* Inverse kinematics: `rows` searches in place from q, each for its row of goals (9 a target: a point, a unit vector
 * or a rotation of the link), follow: 1 if each starts where the one before ended. Limits and places (in q, or in the
 * cut coordinates) of every velocity, then of those of cut joints; turns: 1 for an angle; moves (nv): 0 holds a
 * velocity; ready (nv), of mechanisms with loops: as for partition_closure, else not read. tolerance [m, rad] of each
 * target, passes at most; what limits and loops may be missed by; centre: 1 if a target needs the centre of mass;
 * work: 6 numbers a target. Of each row: size of each target's residual, passes taken, how it ended: 0 reached, 1
 * nothing better near, 2 out of passes, 3 out of limits; 1 with a size of NaN where something given is NaN. */
typedef struct {
    const double *p;
    long rows;
    long follow;
    double *q;
    long count;
    const two_holds_target *targets;
    const double *goals;
    const double *lower;
    const double *upper;
    const int *entry;
    const int *turns;
    const double *moves;
    const double *ready;
    double tolerance;
    double slack;
    double closed;
    long passes;
    long centre;
    double *work;
    double *size;
    long *taken;
    long *ended;
} two_holds_ik;

/* The searches of s; each row of s->q then holds where one ended. */
void two_holds_solve_ik(const two_holds_ik *s);

#ifdef __cplusplus
}
#endif

#endif
