/* floating_arm: nq = 10, nv = 9, 3 links.
 *
 * SI units, radians, quaternions [x y z w]; matrices row-major. Inputs and outputs must not overlap.
 * Every kernel takes q, v, ... of one state. Its _batch takes n states: x of state i stands at x + i*x_stride, so that
 * a stride of 0 repeats one; outputs stand one after the other.
 * C99, also for C++; needs libm, allocates nothing, keeps no state: what it works with stands on the stack, how much of
 * it gcc -fstack-usage tells. Compile it without -ffast-math and -Ofast.
 * Models of one program share what stands in kinegen/: generate them into one folder.
 * Keys such as [N98] are papers, a number after them its section or equation: docs/references.md of kinegen lists them,
 * docs/glossary.md what names stand for. */

#ifndef FLOATING_ARM_H
#define FLOATING_ARM_H

/* Sizes. */
enum {
    FLOATING_ARM_NQ = 10, /* coordinates q */
    FLOATING_ARM_NV = 9, /* velocities v, accelerations a, joint forces tau of kernels */
    FLOATING_ARM_NTAU = 9, /* numbers of tau of a step: those of v, then of cut joints */
    FLOATING_ARM_NU = 3, /* entries of tau with an actuator */
    FLOATING_ARM_NP = 0, /* run-time parameters p */
    FLOATING_ARM_NLINKS = 3, /* links */
};

/* First entry of each joint in q. */
enum {
    FLOATING_ARM_Q_FLOAT = 0, /* free: x y z qx qy qz qw */
    FLOATING_ARM_Q_SHOULDER = 7, /* universal: first second */
    FLOATING_ARM_Q_SLIDE = 9, /* prismatic */
};

/* First entry of each joint in v, a and tau. */
enum {
    FLOATING_ARM_V_FLOAT = 0, /* free: vx vy vz wx wy wz, not actuated */
    FLOATING_ARM_V_SHOULDER = 6, /* universal: first second */
    FLOATING_ARM_V_SLIDE = 8, /* prismatic */
};

/* Links, as in poses and frames. */
enum {
    FLOATING_ARM_LINK_BASE = 0,
    FLOATING_ARM_LINK_ARM = 1,
    FLOATING_ARM_LINK_HAND = 2,
};

#ifdef __cplusplus
extern "C" {
#endif

/* External wrenches on links. */
typedef struct {
    long count; /* wrenches */
    /* (count, 5) [link, x, y, z, rests] of each. rests 0: it acts at x, y, z in the link's axes, 1: its moment is that
     * about the origin of the world */
    const double *place;
    const double *rows; /* 6 count numbers [force; moment], world axes, for step i at rows + i*stride */
    long stride; /* numbers from step to step; 0: the same in all */
    const double *row; /* set by a step: those of the present one */
} floating_arm_external;

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
    double a[9]; /* accelerations in the present step */
    double struck[9]; /* torques against impacts in the present step */
} floating_arm_driving;

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
} floating_arm_servos;

/* Work [J] of each source on each velocity: (7, nv). Sources: torques, servos, springs, dampers, wrenches, motions,
 * rows. */
typedef struct {
    double total[63]; /* since it was zero */
    double *log; /* null, or dense rows of `total` for the states that are logged */
    double step[63]; /* of the present step */
    double stages[63]; /* of what the integrator asked for in it */
} floating_arm_ledger;

/* A motion to be made. Pointers that are null leave out what they are about. */
typedef struct {
    const double *p; /* run-time parameters; null: there are none */
    long integrator; /* 0 semi-implicit Euler, 1 Runge-Kutta 4 */
    long steps; /* how many */
    double dt; /* length of a step [s] */
    double *q; /* (nq) where it starts, then where it ends */
    double *v; /* (nv) velocities there */
    const double *tau; /* step i is driven by the 9 numbers at tau + i*tau_stride, those of v */
    long tau_stride; /* numbers from step to step; 0: the same in all */
    long every; /* with every > 0 the states after every, 2 every, ... steps go to the dense arrays q_log, v_log */
    double *q_log; /* (steps / every, nq) */
    double *v_log; /* (steps / every, nv) */
    floating_arm_external *external; /* wrenches on links */
    floating_arm_driving *driving; /* joints whose motion is given */
    floating_arm_servos *servos; /* joint servos */
    floating_arm_ledger *ledger; /* work that is asked for */
} floating_arm_simulation;

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
    long fresh; /* 1: none has contacts of a step before */
    const double *gain; /* gains of all: kp, kd, limits, one simulation after the other */
    const double *target; /* targets of all */
    /* (count) steps that each has made, read and written: 0 for one that starts. One that is less than 0 or more than
     * steps makes no step and is then -1 */
    long *done;
} floating_arm_simulations;
/* Joint forces tau of the open chain, by recursion in link frames: q, v, a -> tau[9] */
void floating_arm_inverse_dynamics(const double *q, const double *v, const double *a, double *tau);
void floating_arm_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);

/* Bias h(q, v): tau at zero acceleration: q, v -> h[9] */
void floating_arm_bias(const double *q, const double *v, double *h);
void floating_arm_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h);

/* Gravity g(q): tau at rest: q -> g[9] */
void floating_arm_gravity(const double *q, double *g);
void floating_arm_gravity_batch(long n, const double *q, long q_stride, double *g);

/* Mass matrix M by composite inertias: q -> M[9][9] */
void floating_arm_mass_matrix(const double *q, double *M);
void floating_arm_mass_matrix_batch(long n, const double *q, long q_stride, double *M);

/* Acceleration by articulated bodies: q, v, tau -> a[9] */
void floating_arm_forward_dynamics(const double *q, const double *v, const double *tau, double *a);
void floating_arm_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);

/* Acceleration a of (M + diag d) a = tau - h: q, v, tau, d -> a[9] */
void floating_arm_forward_dynamics_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void floating_arm_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M: q, v, a -> dtau[3][9][9] */
void floating_arm_inverse_derivatives(const double *q, const double *v, const double *a, double *dtau);
void floating_arm_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau);

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q: q, v, a ->
 * second[4][9][9][9] */
void floating_arm_inverse_second_derivatives(const double *q, const double *v, const double *a, double *second);
void floating_arm_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);

/* Second derivatives of weights'tau, the same ones: q, v, a, weights -> second[4][9][9] */
void floating_arm_inverse_weighed_derivatives(const double *q, const double *v, const double *a,
    const double *weights, double *second);
void floating_arm_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second);

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau: q, v, tau -> da[3][9][9] */
void floating_arm_forward_derivatives(const double *q, const double *v, const double *tau, double *da);
void floating_arm_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da);

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a: q, v, a, frame -> parts[4][6][9] */
void floating_arm_frame_derivatives(const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void floating_arm_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space: q, v -> dv_dq[3][9] */
void floating_arm_com_velocity_derivative(const double *q, const double *v, double *dv_dq);
void floating_arm_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq);

/* What dampers and friction add to M over dt, and its slope in v: q, v -> D[2][9] */
void floating_arm_damping_terms(const double *q, const double *v, double *D);
void floating_arm_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D);

/* World poses of the link frames: q -> poses[3][4][4] */
void floating_arm_link_poses(const double *q, double *poses);
void floating_arm_link_poses_batch(long n, const double *q, long q_stride, double *poses);

/* COG accelerations dG/dt v at zero joint acceleration: q, v -> dGv[18] */
void floating_arm_cog_bias(const double *q, const double *v, double *dGv);
void floating_arm_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv);

/* Centre of mass: q -> com[3] */
void floating_arm_com(const double *q, double *com);
void floating_arm_com_batch(long n, const double *q, long q_stride, double *com);

/* Jacobian of the centre of mass: q -> J_com[3][9] */
void floating_arm_com_jacobian(const double *q, double *J_com);
void floating_arm_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com);

/* Kinetic and potential energy: q, v -> energy[2] */
void floating_arm_energy(const double *q, const double *v, double *energy);
void floating_arm_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *energy);

/* Linear momentum, angular momentum about the centre of mass: q, v -> momentum[6] */
void floating_arm_momentum(const double *q, const double *v, double *momentum);
void floating_arm_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);

/* Centroidal momentum matrix: q -> A_G[6][9] */
void floating_arm_centroidal_momentum_matrix(const double *q, double *A_G);
void floating_arm_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G);

/* COG Jacobian G: [dp_G; w] = G v, world axes: q -> G[18][9] */
void floating_arm_cog_jacobian(const double *q, double *G);
void floating_arm_cog_jacobian_batch(long n, const double *q, long q_stride, double *G);

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]: q, frame -> J[6][9] */
void floating_arm_frame_jacobian(const double *q, const double *frame, double *J);
void floating_arm_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J);

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]: q, placed -> pose[4][4] */
void floating_arm_frame_pose(const double *q, const double *placed, double *pose);
void floating_arm_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose);

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above: q, v, frame -> velocity[6] */
void floating_arm_frame_velocity(const double *q, const double *v, const double *frame, double *velocity);
void floating_arm_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity);

/* Rate of that velocity; frame as above: q, v, a, frame -> acceleration[6] */
void floating_arm_frame_acceleration(const double *q, const double *v, const double *a, const double *frame,
    double *acceleration);
void floating_arm_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above: q, v, a, frame ->
 * motion[2][6] */
void floating_arm_frame_motion(const double *q, const double *v, const double *a, const double *frame,
    double *motion);
void floating_arm_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* Mass matrix M = G' M^ G: q -> M[9][9] */
void floating_arm_mass_matrix_cog(const double *q, double *M);
void floating_arm_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M);

/* Mass matrix M by unit vectors: q -> M[9][9] */
void floating_arm_mass_matrix_unit_vector(const double *q, double *M);
void floating_arm_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M);

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^): q, v, a -> tau[9] */
void floating_arm_inverse_dynamics_cog(const double *q, const double *v, const double *a, double *tau);
void floating_arm_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);

/* Acceleration by unit vectors: q, v, tau -> a[9] */
void floating_arm_forward_dynamics_unit_vector(const double *q, const double *v, const double *tau, double *a);
void floating_arm_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration by M = L'DL: q, v, tau -> a[9] */
void floating_arm_forward_dynamics_ltdl(const double *q, const double *v, const double *tau, double *a);
void floating_arm_forward_dynamics_ltdl_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);

/* Torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity: q, v, a -> terms[9][3][3] */
void floating_arm_torque_terms(const double *q, const double *v, const double *a, double *terms);
void floating_arm_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms);

/* Regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link: q, v, a -> Y[9][30] */
void floating_arm_torque_regressor(const double *q, const double *v, const double *a, double *Y);
void floating_arm_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters: q, v -> Y_energy[2][30] */
void floating_arm_energy_regressor(const double *q, const double *v, double *Y_energy);
void floating_arm_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy);

/* Inertial parameters pi of the links: m, m c, I about the origin: q -> pi[30] */
void floating_arm_inertial_parameters(const double *q, double *pi);
void floating_arm_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi);

/* Armature of every joint: q -> armatures[9] */
void floating_arm_rotor_inertias(const double *q, double *armatures);
void floating_arm_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures);

/* Rate of the momentum: linear, angular about the centre of mass: q, v, a -> momentum_rate[6] */
void floating_arm_momentum_rate(const double *q, const double *v, const double *a, double *momentum_rate);
void floating_arm_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate);

/* Mass of all links: q -> mass[1] */
void floating_arm_total_mass(const double *q, double *mass);
void floating_arm_total_mass_batch(long n, const double *q, long q_stride, double *mass);

/* Acceleration of gravity, world axes: q -> g[3] */
void floating_arm_gravity_acceleration(const double *q, double *g);
void floating_arm_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g);

/* ---- Motion of the coordinates ---- */

/* q moved by v_dt for unit time: q, v_dt -> q_out[10] */
void floating_arm_integrate(const double *q, const double *v_dt, double *q_out);
void floating_arm_integrate_batch(long n, const double *q, long q_stride, const double *v_dt, long v_dt_stride,
    double *q_out);

/* The shortest motion that takes q0 to q1 in unit time: q0, q1 -> v_dt[9] */
void floating_arm_difference(const double *q0, const double *q1, double *v_dt);
void floating_arm_difference_batch(long n, const double *q0, long q0_stride, const double *q1, long q1_stride,
    double *v_dt);

/* Forces of springs, dampers and dry friction: q, v -> f[9] */
void floating_arm_passive_forces(const double *q, const double *v, double *f);
void floating_arm_passive_forces_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *f);

/* Index of the first of n numbers that is not finite, -1 if there is none. */
long floating_arm_first_non_finite(long n, const double *x);
/* Index in q (n states) of the first rotation whose norm is off 1 by more than tolerance, -1 if there is none. */
long floating_arm_first_off_unit(long n, double tolerance, const double *q);
/* kernel(q, v, x) -> out. 0: done; 1: not called, since a number is larger than `large` or a rotation in q is off unit
 * norm by more than tolerance; 2: one of the first n results is not finite. */
long floating_arm_call_q(double tolerance, double large, void (*kernel)(const double *, double *), const double *q,
    long n, double *out);
long floating_arm_call_q_v(double tolerance, double large, void (*kernel)(const double *, const double *, double *),
    const double *q, const double *v, long n, double *out);
long floating_arm_call_q_v_x(double tolerance, double large, void (*kernel)(const double *, const double *,
    const double *, double *), const double *q, const double *v, const double *x, long n, double *out);

/* ---- Pieces of a step, which calls them: of the tree's joints q has nq numbers, all else nv ---- */

/* v += dt a, then q moved by dt v, in place. */
void floating_arm_advance(double dt, const double *a, double *q, double *v);
/* k_out = rate of the displacement u at velocity v. */
void floating_arm_rate(const double *u, const double *v, double *k_out);
/* q moved by u, which is no velocity, in place. */
void floating_arm_displace(const double *u, double *q, double *v);
/* x of joints whose coordinates do not add: place of q1 along the child's axes at q0, and the turn to it. */
void floating_arm_offset(const double *q0, const double *q1, double *x);
/* u += dt times what the turning of its axes adds to v along them. */
void floating_arm_turning(double dt, const double *v, double *u);
/* No link turns faster than this [rad/s], those that fly by themselves left out unless alone is 1. */
double floating_arm_turn(int alone, const double *v);
/* f += held, which acts from q0 on along axes that rest, at q. */
void floating_arm_held_forces(const double *q0, const double *q, const double *held, double *f);
/* Stiffness k and displacement x to the rest (nv each) of springs; others stay as they are. */
void floating_arm_springs(const double *q, double *k, double *x);
/* Momenta h = M v: q[10], v[9] -> h[9] */
void floating_arm_momenta(const double *q, const double *v, double *h);

/* ---- The time step, and what prepares for it ---- */

/* Makes the steps of s; gives how many were done: none if there is no such integrator,
 * fewer than s->steps if a state was not finite. */
long floating_arm_simulate(floating_arm_simulation *s);

/* The same of several simulations, s the first of them: see the struct. Gives how many there were: none if s cannot be
 * made. */
long floating_arm_simulate_all(floating_arm_simulation *s, const floating_arm_simulations *all);
/* A target of inverse kinematics. */
typedef struct {
    long kind; /* 0 position, 1 orientation, 2 look-at, 3 direction, 4 centre of mass */
    double place[4]; /* [link, x, y, z] of a point of it [m] */
    double axis[3]; /* unit vector in the link's axes */
    double weight[3]; /* of the three residuals, world axes */
} floating_arm_target;

/* Inverse kinematics: searches for configurations, in place. */
typedef struct {
    const double *p; /* run-time parameters; null: there are none */
    long rows; /* searches */
    long follow; /* 1: each starts where the one before ended */
    double *q; /* (rows, nq): where each starts, and what it found */
    long count; /* targets */
    const floating_arm_target *targets; /* (count) */
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
} floating_arm_ik;

/* The searches of s; each row of s->q then holds where one ended. */
void floating_arm_solve_ik(const floating_arm_ik *s);

#ifdef __cplusplus
}
#endif

#endif
