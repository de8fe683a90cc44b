/* four_bar: nq = 3, nv = 3, 3 links.
 *
 * SI units, radians, quaternions [x y z w]; matrices row-major. Inputs and outputs must not overlap.
 * Every kernel takes q, v, ... of one state. Its _batch takes n states: x of state i stands at x + i*x_stride, so that
 * a stride of 0 repeats one; outputs stand one after the other.
 * C99, also for C++; needs libm, allocates nothing, keeps no state: what it works with stands on the stack, how much of
 * it gcc -fstack-usage tells. Compile it without -ffast-math and -Ofast.
 * Models of one program share what stands in kinegen/: generate them into one folder.
 * Keys such as [N98] are papers, a number after them its section or equation: docs/references.md of kinegen lists them,
 * docs/glossary.md what names stand for. */

#ifndef FOUR_BAR_H
#define FOUR_BAR_H

/* Sizes. */
enum {
    FOUR_BAR_NQ = 3, /* coordinates q */
    FOUR_BAR_NV = 3, /* velocities v, accelerations a, joint forces tau of kernels */
    FOUR_BAR_NTAU = 4, /* numbers of tau of a step: those of v, then of cut joints */
    FOUR_BAR_NU = 1, /* entries of tau with an actuator */
    FOUR_BAR_NP = 0, /* run-time parameters p */
    FOUR_BAR_NLINKS = 3, /* links */
    FOUR_BAR_NLOOPS = 1, /* loops */
};

/* First entry of each joint in q. */
enum {
    FOUR_BAR_Q_MOTOR = 0, /* revolute */
    FOUR_BAR_Q_WRIST = 1, /* revolute */
    FOUR_BAR_Q_KNEE = 2, /* revolute */
};

/* First entry of each joint in v, a and tau. */
enum {
    FOUR_BAR_V_MOTOR = 0, /* revolute */
    FOUR_BAR_V_WRIST = 1, /* revolute, not actuated */
    FOUR_BAR_V_KNEE = 2, /* revolute, not actuated */
};

/* First coordinate of each cut joint. */
enum {
    FOUR_BAR_CUT_Q_PIN = 0, /* revolute */
};

/* First velocity of each cut joint; tau has them behind the NV of the tree. */
enum {
    FOUR_BAR_CUT_V_PIN = 0, /* revolute, not actuated */
};

/* Links, as in poses and frames. */
enum {
    FOUR_BAR_LINK_CRANK = 0,
    FOUR_BAR_LINK_COUPLER = 1,
    FOUR_BAR_LINK_ROCKER = 2,
};

/* Loops by number, from parent to child: six rows of the closure each; forces told are those on the child. */
enum {
    FOUR_BAR_LOOP_PIN = 0, /* revolute, from world to rocker */
};

#ifdef __cplusplus
extern "C" {
#endif

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
    int rows[3]; /* pivot rows of K (m) */
    int columns[3]; /* entries of v: dependent ones (m), then independent ones (nv - m) */
    int laid; /* 1: H and `inverse` are zero outside of the blocks that the next members tell */
    int blocks; /* how many */
    int block_rows[1]; /* rows of each block */
    int block_columns[1]; /* columns of each block, filled up to eights */
    int block_pivot[3]; /* pivots of all blocks, one after the other */
    int block_column[8]; /* independent velocities of their columns */
    int block_place[8]; /* places of their columns in H */
    double ratio; /* smallest pivot over the largest */
    double chosen; /* the same when the partition was chosen, or the best since */
    double H[9]; /* v_dependent = H v_independent: (m, nv - m) */
    double inverse[9]; /* of the pivot rows and columns of K: (m, m) */
    double q[3]; /* that of the last partition_closure */
} four_bar_partition;

/* What the motion of a closed mechanism carries from step to step, and what it has to tell of the closure. A step is
 * put back on the closure; what that took in the last steps foretells what it will take (`lag`). */
typedef struct {
    four_bar_partition partition; /* in use */
    double ready[3]; /* how well each velocity may be a dependent one: see partition_closure */
    double cut_q[2]; /* coordinates of the cut joints with all their turns */
    double load[3]; /* forces of contact and limits in the last step, as joint torques */
    long pivotings; /* told: new partitions */
    long singular_steps; /* told: steps near a singularity */
    long worst_step; /* told: the one with the worst ratio of pivots */
    long lag_pivotings; /* new partitions there had been when `lag` was told */
    double lag[12]; /* by what steps were put back, and its differences */
    double left[3]; /* what the last step left of it */
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
    int looked; /* 1: `seen` is filled */
    double looked_q[3]; /* configuration that it belongs to */
    double seen[16]; /* what closing a step hands over to forward dynamics */
} four_bar_memory;

/* External wrenches on links. */
typedef struct {
    long count; /* wrenches */
    /* (count, 5) [link, x, y, z, rests] of each. rests 0: it acts at x, y, z in the link's axes, 1: its moment is that
     * about the origin of the world */
    const double *place;
    const double *rows; /* 6 count numbers [force; moment], world axes, for step i at rows + i*stride */
    long stride; /* numbers from step to step; 0: the same in all */
    const double *row; /* set by a step: those of the present one */
} four_bar_external;

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
    double a[3]; /* accelerations in the present step */
    double struck[3]; /* torques against impacts in the present step */
} four_bar_driving;

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
} four_bar_servos;

/* Work [J] of each source on each velocity: (7, nv). Sources: torques, servos, springs, dampers, wrenches, motions,
 * rows. */
typedef struct {
    double total[21]; /* since it was zero */
    double *log; /* null, or dense rows of `total` for the states that are logged */
    double step[21]; /* of the present step */
    double stages[21]; /* of what the integrator asked for in it */
} four_bar_ledger;

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
    four_bar_external *external; /* wrenches on links */
    four_bar_driving *driving; /* joints whose motion is given */
    four_bar_servos *servos; /* joint servos */
    four_bar_ledger *ledger; /* work that is asked for */
    four_bar_memory *memory; /* of the motion, never null; begin sets it, it goes along from call to call */
} four_bar_simulation;

/* Several simulations, of which a struct simulation tells the first. States stand one after the other. With count > 1
 * none is made where ledger of `simulation` asks for what is told of one alone; the torques that driving and servos
 * tell are those of the last. */
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
} four_bar_simulations;
/* Joint forces tau of the open chain, by recursion in link frames: q, v, a -> tau[3] */
void four_bar_inverse_dynamics(const double *q, const double *v, const double *a, double *tau);
void four_bar_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);

/* Bias h(q, v): tau at zero acceleration: q, v -> h[3] */
void four_bar_bias(const double *q, const double *v, double *h);
void four_bar_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h);

/* Gravity g(q): tau at rest: q -> g[3] */
void four_bar_gravity(const double *q, double *g);
void four_bar_gravity_batch(long n, const double *q, long q_stride, double *g);

/* Mass matrix M by unit vectors: q -> M[3][3] */
void four_bar_mass_matrix(const double *q, double *M);
void four_bar_mass_matrix_batch(long n, const double *q, long q_stride, double *M);

/* Acceleration by M = L'DL: q, v, tau -> a[3] */
void four_bar_forward_dynamics_open(const double *q, const double *v, const double *tau, double *a);
void four_bar_forward_dynamics_open_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);

/* Acceleration a of (M + diag d) a = tau - h: q, v, tau, d -> a[3] */
void four_bar_forward_dynamics_open_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void four_bar_forward_dynamics_open_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M: q, v, a -> dtau[3][3][3] */
void four_bar_inverse_derivatives(const double *q, const double *v, const double *a, double *dtau);
void four_bar_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau);

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q: q, v, a ->
 * second[4][3][3][3] */
void four_bar_inverse_second_derivatives(const double *q, const double *v, const double *a, double *second);
void four_bar_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);

/* Second derivatives of weights'tau, the same ones: q, v, a, weights -> second[4][3][3] */
void four_bar_inverse_weighed_derivatives(const double *q, const double *v, const double *a, const double *weights,
    double *second);
void four_bar_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second);

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau: q, v, tau -> da[3][3][3] */
void four_bar_forward_derivatives_open(const double *q, const double *v, const double *tau, double *da);
void four_bar_forward_derivatives_open_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da);

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a: q, v, a, frame -> parts[4][6][3] */
void four_bar_frame_derivatives(const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void four_bar_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space: q, v -> dv_dq[3][3] */
void four_bar_com_velocity_derivative(const double *q, const double *v, double *dv_dq);
void four_bar_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dv_dq);

/* What dampers and friction add to M over dt, and its slope in v: q, v -> D[2][3] */
void four_bar_damping_terms(const double *q, const double *v, double *D);
void four_bar_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *D);

/* World poses of the link frames: q -> poses[3][4][4] */
void four_bar_link_poses(const double *q, double *poses);
void four_bar_link_poses_batch(long n, const double *q, long q_stride, double *poses);

/* COG accelerations dG/dt v at zero joint acceleration: q, v -> dGv[18] */
void four_bar_cog_bias(const double *q, const double *v, double *dGv);
void four_bar_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *dGv);

/* Centre of mass: q -> com[3] */
void four_bar_com(const double *q, double *com);
void four_bar_com_batch(long n, const double *q, long q_stride, double *com);

/* Jacobian of the centre of mass: q -> J_com[3][3] */
void four_bar_com_jacobian(const double *q, double *J_com);
void four_bar_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com);

/* Kinetic and potential energy: q, v -> energy[2] */
void four_bar_energy(const double *q, const double *v, double *energy);
void four_bar_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *energy);

/* Linear momentum, angular momentum about the centre of mass: q, v -> momentum[6] */
void four_bar_momentum(const double *q, const double *v, double *momentum);
void four_bar_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);

/* Centroidal momentum matrix: q -> A_G[6][3] */
void four_bar_centroidal_momentum_matrix(const double *q, double *A_G);
void four_bar_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G);

/* COG Jacobian G: [dp_G; w] = G v, world axes: q -> G[18][3] */
void four_bar_cog_jacobian(const double *q, double *G);
void four_bar_cog_jacobian_batch(long n, const double *q, long q_stride, double *G);

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]: q, frame -> J[6][3] */
void four_bar_frame_jacobian(const double *q, const double *frame, double *J);
void four_bar_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame, long frame_stride,
    double *J);

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]: q, placed -> pose[4][4] */
void four_bar_frame_pose(const double *q, const double *placed, double *pose);
void four_bar_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose);

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above: q, v, frame -> velocity[6] */
void four_bar_frame_velocity(const double *q, const double *v, const double *frame, double *velocity);
void four_bar_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity);

/* Rate of that velocity; frame as above: q, v, a, frame -> acceleration[6] */
void four_bar_frame_acceleration(const double *q, const double *v, const double *a, const double *frame,
    double *acceleration);
void four_bar_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above: q, v, a, frame ->
 * motion[2][6] */
void four_bar_frame_motion(const double *q, const double *v, const double *a, const double *frame, double *motion);
void four_bar_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* Acceleration by articulated bodies: q, v, tau -> a[3] */
void four_bar_forward_dynamics_open_articulated(const double *q, const double *v, const double *tau, double *a);
void four_bar_forward_dynamics_open_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Mass matrix M by composite inertias: q -> M[3][3] */
void four_bar_mass_matrix_composite(const double *q, double *M);
void four_bar_mass_matrix_composite_batch(long n, const double *q, long q_stride, double *M);

/* Mass matrix M = G' M^ G: q -> M[3][3] */
void four_bar_mass_matrix_cog(const double *q, double *M);
void four_bar_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M);

/* Mass matrix M by unit vectors: q -> M[3][3] */
void four_bar_mass_matrix_unit_vector(const double *q, double *M);
void four_bar_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M);

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^): q, v, a -> tau[3] */
void four_bar_inverse_dynamics_cog(const double *q, const double *v, const double *a, double *tau);
void four_bar_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);

/* Acceleration by unit vectors: q, v, tau -> a[3] */
void four_bar_forward_dynamics_open_unit_vector(const double *q, const double *v, const double *tau, double *a);
void four_bar_forward_dynamics_open_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Gap of each loop: linear, angular, in the cut joint's frame: q -> gap[6] */
void four_bar_closure_residual(const double *q, double *gap);
void four_bar_closure_residual_batch(long n, const double *q, long q_stride, double *gap);

/* Rows K of K v = 0: locked twist of each loop in the cut joint's frame: q -> K[6][3] */
void four_bar_closure_rows(const double *q, double *K);
void four_bar_closure_rows_batch(long n, const double *q, long q_stride, double *K);

/* Rate dK/dt v of the rows: q, v -> dKv[6] */
void four_bar_closure_rows_bias(const double *q, const double *v, double *dKv);
void four_bar_closure_rows_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dKv);

/* Pose [R | p] of each cut joint's frame on the child in its frame on the parent: q -> poses[1][12] */
void four_bar_cut_poses(const double *q, double *poses);
void four_bar_cut_poses_batch(long n, const double *q, long q_stride, double *poses);

/* Twist of each cut joint, child axes, per unit of v: q -> twists[6][3] */
void four_bar_cut_twists(const double *q, double *twists);
void four_bar_cut_twists_batch(long n, const double *q, long q_stride, double *twists);

/* Jacobian J_C: twist of virtual minus real link, world axes; tree, then cut joints: q -> J_C[6][4] */
void four_bar_closure_jacobian(const double *q, double *J_C);
void four_bar_closure_jacobian_batch(long n, const double *q, long q_stride, double *J_C);

/* Rate dJ_C/dt dtheta_J, world axes: q, v -> dJv[6] */
void four_bar_closure_bias(const double *q, const double *v, double *dJv);
void four_bar_closure_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dJv);

/* Changes of K v, of K a + dK/dt v and of K'f as q moves along dq and v by dv: q, v, a, f, dq, dv -> change[15] */
void four_bar_closure_variation(const double *q, const double *v, const double *a, const double *f, const double *dq,
    const double *dv, double *change);
void four_bar_closure_variation_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *f, long f_stride, const double *dq, long dq_stride,
    const double *dv, long dv_stride, double *change);

/* How what closure_variation gives changes as q moves along eq and v by ev: q, v, a, f, dq, dv, eq, ev -> change[15] */
void four_bar_closure_second_variation(const double *q, const double *v, const double *a, const double *f,
    const double *dq, const double *dv, const double *eq, const double *ev, double *change);
void four_bar_closure_second_variation_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *f, long f_stride, const double *dq, long dq_stride,
    const double *dv, long dv_stride, const double *eq, long eq_stride, const double *ev, long ev_stride,
    double *change);

/* Torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity: q, v, a -> terms[3][3][3] */
void four_bar_torque_terms(const double *q, const double *v, const double *a, double *terms);
void four_bar_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms);

/* Regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link: q, v, a -> Y[3][30] */
void four_bar_torque_regressor(const double *q, const double *v, const double *a, double *Y);
void four_bar_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters: q, v -> Y_energy[2][30] */
void four_bar_energy_regressor(const double *q, const double *v, double *Y_energy);
void four_bar_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy);

/* Inertial parameters pi of the links: m, m c, I about the origin: q -> pi[30] */
void four_bar_inertial_parameters(const double *q, double *pi);
void four_bar_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi);

/* Armature of every joint: q -> armatures[3] */
void four_bar_rotor_inertias(const double *q, double *armatures);
void four_bar_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures);

/* Rate of the momentum: linear, angular about the centre of mass: q, v, a -> momentum_rate[6] */
void four_bar_momentum_rate(const double *q, const double *v, const double *a, double *momentum_rate);
void four_bar_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate);

/* Mass of all links: q -> mass[1] */
void four_bar_total_mass(const double *q, double *mass);
void four_bar_total_mass_batch(long n, const double *q, long q_stride, double *mass);

/* Acceleration of gravity, world axes: q -> g[3] */
void four_bar_gravity_acceleration(const double *q, double *g);
void four_bar_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g);

/* Mass matrix M by unit vectors, packed: q -> M[6] */
void four_bar_mass_matrix_packed(const double *q, double *M);
void four_bar_mass_matrix_packed_batch(long n, const double *q, long q_stride, double *M);

/* M x of a packed mass matrix: M, x -> y[3] */
void four_bar_mass_matrix_product(const double *M, const double *x, double *y);
void four_bar_mass_matrix_product_batch(long n, const double *M, long M_stride, const double *x, long x_stride,
    double *y);

/* x of M x = b of a packed mass matrix: M, b -> x[3] */
void four_bar_mass_matrix_solve(const double *M, const double *b, double *x);
void four_bar_mass_matrix_solve_batch(long n, const double *M, long M_stride, const double *b, long b_stride,
    double *x);

/* Velocities of the tree per independent one: q -> W[3][1] */
void four_bar_W(const double *q, double *W);
void four_bar_W_batch(long n, const double *q, long q_stride, double *W);

/* Dependent velocities, those of the cut joints included, per independent one: q -> H[3][1] */
void four_bar_H(const double *q, double *H);
void four_bar_H_batch(long n, const double *q, long q_stride, double *H);

/* Rates v and a whose dependent entries follow from the independent ones: q, v, a -> motion[2][3] */
void four_bar_dependent_motion(const double *q, const double *v, const double *a, double *motion);
void four_bar_dependent_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *motion);

/* Velocities of the actuated joints per independent one: q -> S[1][1] */
void four_bar_S(const double *q, double *S);
void four_bar_S_batch(long n, const double *q, long q_stride, double *S);

/* Least torques of the actuated joints that give a motion on the closure, NaN where none do: q, v, a -> tau[1] */
void four_bar_actuator_torques(const double *q, const double *v, const double *a, double *tau);
void four_bar_actuator_torques_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);

/* Acceleration of the closed mechanism: q, v, tau -> a[3] */
void four_bar_forward_dynamics(const double *q, const double *v, const double *tau, double *a);
void four_bar_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);

/* Acceleration by A = W'MW: q, v, tau -> a[3] */
void four_bar_forward_dynamics_reduced(const double *q, const double *v, const double *tau, double *a);
void four_bar_forward_dynamics_reduced_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);

/* Acceleration by unit vectors: q, v, tau -> a[3] */
void four_bar_forward_dynamics_unit_vector(const double *q, const double *v, const double *tau, double *a);
void four_bar_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration with (M + diag d) in place of M: q, v, tau, d -> a[3] */
void four_bar_forward_dynamics_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void four_bar_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Forces of springs, dampers and dry friction, those of cut joints included: q, v -> f[3] */
void four_bar_passive_forces(const double *q, const double *v, double *f);
void four_bar_passive_forces_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *f);

/* Gap of each loop, upside down counted as open: q -> gap[6] */
void four_bar_closure_gap(const double *q, double *gap);
void four_bar_closure_gap_batch(long n, const double *q, long q_stride, double *gap);

/* Distance [m] and angle [rad] between the sides of each loop, as far as it locks them: q -> offset[1][2] */
void four_bar_closure_offsets(const double *q, double *offset);
void four_bar_closure_offsets_batch(long n, const double *q, long q_stride, double *offset);

/* Coordinates of the cut joints: q -> q_cut[1] */
void four_bar_loop_coordinates(const double *q, double *q_cut);
void four_bar_loop_coordinates_batch(long n, const double *q, long q_stride, double *q_cut);

/* Velocities of the cut joints per v: q -> C[1][3] */
void four_bar_loop_jacobian(const double *q, double *C);
void four_bar_loop_jacobian_batch(long n, const double *q, long q_stride, double *C);

/* ---- Motion of the coordinates ---- */

/* q moved by v_dt for unit time: q, v_dt -> q_out[3] */
void four_bar_integrate(const double *q, const double *v_dt, double *q_out);
void four_bar_integrate_batch(long n, const double *q, long q_stride, const double *v_dt, long v_dt_stride,
    double *q_out);

/* The shortest motion that takes q0 to q1 in unit time: q0, q1 -> v_dt[3] */
void four_bar_difference(const double *q0, const double *q1, double *v_dt);
void four_bar_difference_batch(long n, const double *q0, long q0_stride, const double *q1, long q1_stride,
    double *v_dt);

/* Forces of springs, dampers and dry friction of the tree's joints: q, v -> f[3] */
void four_bar_passive_forces_open(const double *q, const double *v, double *f);
void four_bar_passive_forces_open_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *f);

/* Index of the first of n numbers that is not finite, -1 if there is none. */
long four_bar_first_non_finite(long n, const double *x);
/* Index in q (n states) of the first rotation whose norm is off 1 by more than tolerance, -1 if there is none. */
long four_bar_first_off_unit(long n, double tolerance, const double *q);
/* kernel(q, v, x) -> out. 0: done; 1: not called, since a number is larger than `large` or a rotation in q is off unit
 * norm by more than tolerance; 2: one of the first n results is not finite. */
long four_bar_call_q(double tolerance, double large, void (*kernel)(const double *, double *), const double *q,
    long n, double *out);
long four_bar_call_q_v(double tolerance, double large, void (*kernel)(const double *, const double *, double *),
    const double *q, const double *v, long n, double *out);
long four_bar_call_q_v_x(double tolerance, double large, void (*kernel)(const double *, const double *,
    const double *, double *), const double *q, const double *v, const double *x, long n, double *out);

/* ---- Pieces of a step, which calls them: of the tree's joints q has nq numbers, all else nv ---- */

/* v += dt a, then q moved by dt v, in place. */
void four_bar_advance(double dt, const double *a, double *q, double *v);
/* k_out = rate of the displacement u at velocity v. */
void four_bar_rate(const double *u, const double *v, double *k_out);
/* q moved by u, which is no velocity, in place. */
void four_bar_displace(const double *u, double *q, double *v);
/* x of joints whose coordinates do not add: place of q1 along the child's axes at q0, and the turn to it. */
void four_bar_offset(const double *q0, const double *q1, double *x);
/* The same of the cut joints. */
void four_bar_cut_offset(const double *q0, const double *q1, double *x);
/* u += dt times what the turning of its axes adds to v along them. */
void four_bar_turning(double dt, const double *v, double *u);
/* No link turns faster than this [rad/s], those that fly by themselves left out unless alone is 1. */
double four_bar_turn(int alone, const double *v);
/* f += held, which acts from q0 on along axes that rest, at q. */
void four_bar_held_forces(const double *q0, const double *q, const double *held, double *f);
/* Acceleration under closed loops, by A = W'MW: q[3], v[3], tau[3], d[3] -> a[3], quality[1]; d: added to the diagonal
 * of M; quality: smallest pivot of the loops over the largest, less where the acceleration misses one of their rows */
void four_bar_forward_dynamics_specialised(const double *q, const double *v, const double *tau, const double *d,
    double *a, double *quality);
/* Gap of the loops, what closes it, v_S = H v_G there, and what is seen on the way: q[3] -> gap[6], x[2], H[2][1],
 * quality[2], seen[16]; quality: smallest pivot of the loops over the largest, what is left of their other rows over
 * it */
void four_bar_closing(const double *q, double *gap, double *x, double *H, double *quality, double *seen);
/* Acceleration under closed loops, from what a look at them has seen: q[3], v[3], tau[3], d[3], seen[16] -> a[3],
 * quality[1]; d: added to the diagonal of M; quality: smallest pivot of the loops over the largest, less where the
 * acceleration misses one of their rows */
void four_bar_forward_dynamics_seen(const double *q, const double *v, const double *tau, const double *d,
    const double *seen, double *a, double *quality);
/* Momenta h = M v: q[3], v[3] -> h[3] */
void four_bar_momenta(const double *q, const double *v, double *h);

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
int four_bar_partition_closure(const double *p, const double *q, const double *ready, four_bar_partition *held);
double four_bar_project(const double *p, double *q, double *v, const double *ready, four_bar_partition *held);
double four_bar_assemble(const double *p, double *q, const double *move);
long four_bar_led_coefficients(long n, const double *p, const double *q, const double *ready, double *W);
long four_bar_led_motion(long n, const double *p, const double *q, const double *ready, double *v, double *a);
void four_bar_begin(const double *p, const double *q, const double *ready, four_bar_memory *memory);
int four_bar_momentary(const double *p, const double *q, const double *ready);

/* Makes the steps of s; gives how many were done: none if there is no such integrator,
 * fewer than s->steps if a state was not finite, a loop could not be closed (memory->open). */
long four_bar_simulate(four_bar_simulation *s);

/* The same of several simulations, s the first of them: see the struct. Gives how many there were: none if s cannot be
 * made, not all if the memory of the last one tells something of its loops. */
long four_bar_simulate_all(four_bar_simulation *s, const four_bar_simulations *all);
/* A target of inverse kinematics. */
typedef struct {
    long kind; /* 0 position, 1 orientation, 2 look-at, 3 direction, 4 centre of mass */
    double place[4]; /* [link, x, y, z] of a point of it [m] */
    double axis[3]; /* unit vector in the link's axes */
    double weight[3]; /* of the three residuals, world axes */
} four_bar_target;

/* Inverse kinematics: searches for configurations, in place. */
typedef struct {
    const double *p; /* run-time parameters; null: there are none */
    long rows; /* searches */
    long follow; /* 1: each starts where the one before ended */
    double *q; /* (rows, nq): where each starts, and what it found */
    long count; /* targets */
    const four_bar_target *targets; /* (count) */
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
} four_bar_ik;

/* The searches of s; each row of s->q then holds where one ended. */
void four_bar_solve_ik(const four_bar_ik *s);
/* ---- Several states at a time: entry k of state i of x stands at x + i*x_state + k*x_entry, x_state 0 repeats one
 * state. The first of the n states of which an argument or a result is not finite, or, of mass_matrix, an argument
 * above 1e+40; -1: none. ---- */
long four_bar_inverse_dynamics_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *a, long a_state, long a_entry, double *tau, long tau_state,
    long tau_entry);
long four_bar_bias_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *h, long h_state, long h_entry);
long four_bar_gravity_lanes(long n, const double *q, long q_state, long q_entry, double *g, long g_state,
    long g_entry);
long four_bar_mass_matrix_lanes(long n, const double *q, long q_state, long q_entry, double *M, long M_state,
    long M_entry);

/* ---- Several states at a time: entry k of state i of x stands at x + i*x_state + k*x_entry, x_state 0 repeats one
 * state. The first of the n states of which an argument or a result is not finite; -1: none. ---- */
long four_bar_forward_dynamics_open_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *tau, long tau_state, long tau_entry, double *a, long a_state,
    long a_entry);

/* ---- Several states at a time: entry k of state i of x stands at x + i*x_state + k*x_entry, x_state 0 repeats one
 * state. The first of the n states of which an argument or a result is not finite, or, of link_poses, cog_bias,
 * com_jacobian, centroidal_momentum_matrix, an argument above 1e+40; -1: none. ---- */
long four_bar_link_poses_lanes(long n, const double *q, long q_state, long q_entry, double *poses, long poses_state,
    long poses_entry);
long four_bar_cog_bias_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *dGv, long dGv_state, long dGv_entry);
long four_bar_com_lanes(long n, const double *q, long q_state, long q_entry, double *com, long com_state,
    long com_entry);
long four_bar_com_jacobian_lanes(long n, const double *q, long q_state, long q_entry, double *J_com,
    long J_com_state, long J_com_entry);
long four_bar_energy_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *energy, long energy_state, long energy_entry);
long four_bar_momentum_lanes(long n, const double *q, long q_state, long q_entry, const double *v, long v_state,
    long v_entry, double *momentum, long momentum_state, long momentum_entry);
long four_bar_centroidal_momentum_matrix_lanes(long n, const double *q, long q_state, long q_entry, double *A_G,
    long A_G_state, long A_G_entry);

/* ---- Several states at a time: entry k of state i of x stands at x + i*x_state + k*x_entry, x_state 0 repeats one
 * state. The first of the n states of which an argument or a result is not finite, or, of mass_matrix_packed, an
 * argument above 1e+40; -1: none. ---- */
long four_bar_mass_matrix_packed_lanes(long n, const double *q, long q_state, long q_entry, double *M, long M_state,
    long M_entry);
long four_bar_mass_matrix_product_lanes(long n, const double *M, long M_state, long M_entry, const double *x,
    long x_state, long x_entry, double *y, long y_state, long y_entry);
long four_bar_mass_matrix_solve_lanes(long n, const double *M, long M_state, long M_entry, const double *b,
    long b_state, long b_entry, double *x, long x_state, long x_entry);

/* ---- Several states at a time: entry k of state i of x stands at x + i*x_state + k*x_entry, x_state 0 repeats one
 * state. The first of the n states of which an argument or a result is not finite; -1: none. ---- */
long four_bar_forward_dynamics_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *tau, long tau_state, long tau_entry, double *a, long a_state,
    long a_entry);

/* ---- Several states at a time: entry k of state i of x stands at x + i*x_state + k*x_entry, x_state 0 repeats one
 * state. The first of the n states of which an argument or a result is not finite; -1: none. ---- */
long four_bar_W_lanes(long n, const double *q, long q_state, long q_entry, double *W, long W_state, long W_entry);
long four_bar_H_lanes(long n, const double *q, long q_state, long q_entry, double *H, long H_state, long H_entry);
long four_bar_dependent_motion_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *a, long a_state, long a_entry, double *motion, long motion_state,
    long motion_entry);
long four_bar_S_lanes(long n, const double *q, long q_state, long q_entry, double *S, long S_state, long S_entry);
long four_bar_actuator_torques_lanes(long n, const double *q, long q_state, long q_entry, const double *v,
    long v_state, long v_entry, const double *a, long a_state, long a_entry, double *tau, long tau_state,
    long tau_entry);

/* ---- Several states at a time: entry k of state i of x stands at x + i*x_state + k*x_entry, x_state 0 repeats one
 * state. The first of the n states of which an argument or a result is not finite; -1: none. ---- */
long four_bar_integrate_lanes(long n, const double *q, long q_state, long q_entry, const double *v_dt,
    long v_dt_state, long v_dt_entry, double *q_out, long q_out_state, long q_out_entry);
long four_bar_difference_lanes(long n, const double *q0, long q0_state, long q0_entry, const double *q1,
    long q1_state, long q1_entry, double *v_dt, long v_dt_state, long v_dt_entry);


#ifdef __cplusplus
}
#endif

#endif
