/* two_holds: nq = 2, nv = 2, 2 links.
 *
 * SI units, radians, quaternions [x y z w]; matrices row-major. Inputs and outputs must not overlap.
 * Every kernel takes q, v, ... of one state. Its _batch takes n states: x of state i stands at x + i*x_stride, so that
 * a stride of 0 repeats one; outputs stand one after the other.
 * p, the run-time parameters, comes first in every kernel; in a _batch it has no stride and serves all states.
 * C99, also for C++; needs libm, allocates nothing, keeps no state: what it works with stands on the stack, how much of
 * it gcc -fstack-usage tells. Compile it without -ffast-math and -Ofast.
 * Models of one program share what stands in kinegen/: generate them into one folder.
 * Keys such as [N98] are papers, a number after them its section or equation: docs/references.md of kinegen lists them,
 * docs/glossary.md what names stand for. */

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

/* Partition of the tree's velocities on the closure K v = 0 into m dependent and nv - m independent ones. */
typedef struct {
    int rank; /* m, that of K */
    int weak_row; /* of K, at the smallest pivot */
    int weak_column; /* its velocity */
    int inverted; /* 1: `inverse` is that at a q nearby */
    int known; /* 1: `inverse` and H are those at q */
    int sparse; /* 1: H is zero where that of the straight-line code is, in whose order the velocities are */
    int first; /* columns of H from this one */
    int until; /* to the one before this are not all zero */
    int rows[2]; /* pivot rows of K (m) */
    int columns[2]; /* entries of v: dependent ones (m), then independent ones (nv - m) */
    int laid; /* 1: H and `inverse` are zero outside of the blocks that the next members tell */
    int blocks; /* how many */
    int block_rows[2]; /* rows of each block */
    int block_columns[2]; /* columns of each block, filled up to eights */
    int block_pivot[2]; /* pivots of all blocks, one after the other */
    int block_column[16]; /* independent velocities of their columns */
    int block_place[16]; /* places of their columns in H */
    double ratio; /* smallest pivot over the largest */
    double chosen; /* the same when the partition was chosen, or the best since */
    double H[4]; /* v_dependent = H v_independent: (m, nv - m) */
    double inverse[4]; /* of the pivot rows and columns of K: (m, m) */
    double q[2]; /* that of the last partition_closure */
} two_holds_partition;

/* What the motion of a closed mechanism carries from step to step, and what it has to tell of the closure. A step is
 * put back on the closure; what that took in the last steps foretells what it will take (`lag`). */
typedef struct {
    two_holds_partition partition; /* in use */
    double ready[2]; /* how well each velocity may be a dependent one: see partition_closure */
    double cut_q[3]; /* coordinates of the cut joints with all their turns */
    double load[2]; /* forces of contact and limits in the last step, as joint torques */
    long pivotings; /* told: new partitions */
    long singular_steps; /* told: steps near a singularity */
    long worst_step; /* told: the one with the worst ratio of pivots */
    long lag_pivotings; /* new partitions there had been when `lag` was told */
    double lag[8]; /* by what steps were put back, and its differences */
    double left[2]; /* what the last step left of it */
    double lag_dt; /* length of the steps that `lag` tells of [s]; 0: it tells nothing */
    double geared; /* gearing of dependent velocities beyond which another partition is looked for */
    double worst; /* told: the worst ratio of pivots */
    double gap; /* told: the largest gap that a step left [m, rad] */
    double missed; /* told: gap of loops that could not be closed */
    int weak_row; /* told: row of K where the ratio was worst */
    int weak_column; /* told: velocity where it was worst */
    int last_row; /* weak_row of the last step at full rank */
    int last_column; /* weak_column of that step */
    int lags; /* entries of `lag` that are known */
    int full_rank; /* rank of K but for singularities */
    int blocked; /* 1: the closure undid most of the last step */
    int open; /* told, 1: loops could not be closed */
    /* 0: no step was made in this structure yet; 1: neither contact nor limits acted in the last one; 2: they did, see
     * `load` */
    int loaded;
    /* what earlier parts of a step that events divide add to the mean of `load`, then to that of the forces of stops
     * of cut joints */
    double passed[4];
    double earlier; /* share of these parts in the step */
    double share; /* share of its last part */
} two_holds_memory;

/* A condition: it holds where sign (value - threshold) > 0. The value, of `first` and `second`, by its kind: DISTANCE,
 * POSITION, TURN: of two links (-1: the world), with points fixed to them, from the first to the second, POSITION:
 * along axis 0, 1, 2 of the first; COORDINATE, VELOCITY: place in q, in v; LOOP_COORDINATE, LOOP_VELOCITY: place among
 * those of cut joints, and the loop that must be active for it to have a value (-1: none); FORCE, MOMENT: number of
 * the loop; CONTACT_FORCE: link on which it acts and link that exerts it (-1: the world, -2: all). */
typedef struct {
    long kind; /* what the value is */
    double sign; /* 1 or -1 */
    double threshold; /* in the unit of the value */
    long first; /* what the value is of, by its kind */
    double first_offset[3]; /* point fixed to the first link [m] */
    long second; /* likewise */
    double second_offset[3]; /* point fixed to the second link [m] */
    long axis; /* of POSITION: 0, 1, 2 of the first link */
    long armed; /* 1: it has not held since it fired last */
    long fired; /* 1: it has come true just now */
    double margin; /* sign (value - threshold) of the last state */
    double passed[3]; /* what earlier parts of the step add to the mean force of contact [N] */
} two_holds_condition;

/* External wrenches on links. */
typedef struct {
    long count; /* wrenches */
    /* (count, 5) [link, x, y, z, rests] of each. rests 0: it acts at x, y, z in the link's axes, 1: its moment is that
     * about the origin of the world */
    const double *place;
    const double *rows; /* 6 count numbers [force; moment], world axes, for step i at rows + i*stride */
    long stride; /* numbers from step to step; 0: the same in all */
    const double *row; /* set by a step: those of the present one */
} two_holds_external;

/* Joints whose motion is given. */
typedef struct {
    long count; /* entries */
    const int *place; /* of each in q */
    const int *dof; /* of each in v */
    const double *rows; /* q, v, a of all (3 count) where the first step begins and where each ends */
    double span; /* time from row to row [s] */
    double *torque; /* told: what the joints exert, count numbers a step */
    long stuck; /* told: 0, or 1 + an entry that loops keep from its motion */
    const double *row; /* set by a step: its rows */
    double *out; /* set by a step: its torques */
    double since; /* how much of the present step is over [s] */
    double a[2]; /* accelerations in the present step */
    double struck[2]; /* torques against impacts in the present step */
} two_holds_driving;

/* Joint servos. Their entries are those of the tree's joints, then, from nq and nv on, those of cut joints. */
typedef struct {
    long count; /* entries */
    long cut; /* 1: there are some of cut joints */
    const int *place; /* of each in q; -1: of a joint whose coordinates do not add */
    const int *dof; /* of each in v */
    const double *kp; /* stiffness of each */
    const double *kd; /* damping of each */
    const double *limit; /* largest force of each */
    /* where they go: count positions, then count velocities, then, where `off` is there, coordinates of all joints;
     * for step i at rows + i*stride */
    const double *rows;
    long stride; /* numbers from step to step; 0: the same in all */
    double *torque; /* told: what they exert, count numbers a step */
    double *off; /* null, or where a place is -1 room for two numbers for each velocity */
    const double *row; /* set by a step: its row */
    double *out; /* set by a step: its torques */
    double *asked; /* room (count): what the gains ask for in the present step */
    int *mode; /* room (count): 1, -1: at its limit */
} two_holds_servos;

/* Work [J] of each source on each velocity: (7, nv). Sources: torques, servos, springs, dampers, wrenches, motions,
 * rows. */
typedef struct {
    double total[14]; /* since it was zero */
    double *log; /* null, or dense rows of `total` for the states that are logged */
    double step[14]; /* of the present step */
    double stages[14]; /* of what the integrator asked for in it */
} two_holds_ledger;

/* A motion to be made. Pointers that are null leave out what they are about. */
typedef struct {
    const double *p; /* run-time parameters; null: there are none */
    long integrator; /* 0 semi-implicit Euler, 1 Runge-Kutta 4 */
    long steps; /* how many */
    double dt; /* length of a step [s] */
    double *q; /* (nq) where it starts, then where it ends */
    double *v; /* (nv) velocities there */
    /* step i is driven by the 4 numbers at tau + i*tau_stride, those of v, then one for each velocity of the cut
     * joints */
    const double *tau;
    long tau_stride; /* numbers from step to step; 0: the same in all */
    long every; /* with every > 0 the states after every, 2 every, ... steps go to the dense arrays q_log, v_log */
    double *q_log; /* (steps / every, nq) */
    double *v_log; /* (steps / every, nv) */
    two_holds_external *external; /* wrenches on links */
    two_holds_driving *driving; /* joints whose motion is given */
    two_holds_servos *servos; /* joint servos */
    two_holds_ledger *ledger; /* work that is asked for */
    two_holds_memory *memory; /* of the motion, never null; begin sets it, it goes along from call to call */
    long watches; /* conditions that are watched, 64 at most */
    two_holds_condition *watch; /* these (watches) */
    double part; /* told: -1, or how much of a step the motion is into as one came true */
    double whole; /* length of the step of which one of dt is a part [s]; 0: each is a whole one */
    double since; /* what of that is over [s] */
} two_holds_simulation;

/* Several simulations, of which a struct simulation tells the first. States stand one after the other. With count > 1
 * none is made where ledger or watches of `simulation` asks for what is told of one alone; the torques that driving
 * and servos tell are those of the last. */
typedef struct {
    long count; /* how many */
    long p; /* numbers from the parameters of one to those of the next; 0: the same */
    long tau; /* likewise of torques */
    long wrenches; /* likewise of external wrenches */
    long gains; /* likewise of kp, kd and limits of the servos, which stand at `gain`; 0: as they are */
    long targets; /* likewise of the rows of the servos, which stand at `target`; 0: as they are */
    long logs; /* states of each that q_log and v_log have room for */
    /* 1: none has contacts of a step before; 2: nor that, and where each starts, on the closure, goes in front of its
     * q_log and v_log, as one of `logs` states */
    long fresh;
    const double *gain; /* gains of all: kp, kd, limits, one simulation after the other */
    const double *target; /* targets of all */
    /* (count) steps that each has made, read and written: 0 for one that starts. One that is less than 0 or more than
     * steps makes no step and is then -1, as is one of which there is something to tell of where it starts */
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
/* A target of inverse kinematics. */
typedef struct {
    long kind; /* 0 position, 1 orientation, 2 look-at, 3 direction, 4 centre of mass */
    double place[4]; /* [link, x, y, z] of a point of it [m] */
    double axis[3]; /* unit vector in the link's axes */
    double weight[3]; /* of the three residuals, world axes */
} two_holds_target;

/* Inverse kinematics: searches for configurations, in place. */
typedef struct {
    const double *p; /* run-time parameters; null: there are none */
    long rows; /* searches */
    long follow; /* 1: each starts where the one before ended */
    double *q; /* (rows, nq): where each starts, and what it found */
    long count; /* targets */
    const two_holds_target *targets; /* (count) */
    const double *goals; /* (rows, count, 9): a point, a unit vector or a rotation of the link */
    const double *lower; /* limit of every velocity's coordinate, then of those of cut joints */
    const double *upper; /* the same, above */
    const int *entry; /* place of each of these in q, or in the coordinates of cut joints */
    const int *turns; /* 1 for each that is an angle */
    const double *moves; /* (nv): 0 holds a velocity */
    const double *ready; /* (nv), of mechanisms with loops: as for partition_closure; else not read */
    double tolerance; /* size of a target's residual that counts as reached [m, rad] */
    double slack; /* by how much limits may be missed */
    double closed; /* gap of loops that counts as closed */
    long passes; /* at most so many */
    long centre; /* 1: a target needs the centre of mass */
    double *work; /* room for 6 numbers a target */
    double *size; /* (rows, count), found: size of each residual; NaN where something given is NaN */
    long *taken; /* (rows), found: passes taken */
    /* (rows), found: 0 reached, 1 nothing better near, 2 out of passes, 3 out of limits; 1 where something given is
     * NaN */
    long *ended;
} two_holds_ik;

/* The searches of s; each row of s->q then holds where one ended. */
void two_holds_solve_ik(const two_holds_ik *s);

#ifdef __cplusplus
}
#endif

#endif
