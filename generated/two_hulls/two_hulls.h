/* two_hulls: nq = 2, nv = 2, 2 links.
 *
 * SI units, radians, quaternions [x y z w]; matrices row-major. Inputs and outputs must not overlap.
 * Every kernel takes q, v, ... of one state. Its _batch takes n states: x of state i stands at x + i*x_stride, so that
 * a stride of 0 repeats one; outputs stand one after the other.
 * C99, also for C++; needs libm, allocates nothing, keeps no state: what it works with stands on the stack, how much of
 * it gcc -fstack-usage tells. Compile it without -ffast-math and -Ofast.
 * Models of one program share what stands in kinegen/: generate them into one folder.
 * Keys such as [N98] are papers, a number after them its section or equation: docs/references.md of kinegen lists
 * them. */

#ifndef TWO_HULLS_H
#define TWO_HULLS_H

/* Sizes. */
enum {
    TWO_HULLS_NQ = 2, /* coordinates q */
    TWO_HULLS_NV = 2, /* velocities v, accelerations a, joint forces tau of kernels */
    TWO_HULLS_NTAU = 2, /* numbers of tau of a step: those of v, then of cut joints */
    TWO_HULLS_NU = 2, /* entries of tau with an actuator */
    TWO_HULLS_NP = 0, /* run-time parameters p */
    TWO_HULLS_NLINKS = 2, /* links */
};

/* First entry of each joint in q. */
enum {
    TWO_HULLS_Q_SLIDE_LEFT = 0, /* prismatic */
    TWO_HULLS_Q_SLIDE_RIGHT = 1, /* prismatic */
};

/* First entry of each joint in v, a and tau. */
enum {
    TWO_HULLS_V_SLIDE_LEFT = 0, /* prismatic */
    TWO_HULLS_V_SLIDE_RIGHT = 1, /* prismatic */
};

/* Links, as in poses and frames. */
enum {
    TWO_HULLS_LINK_LEFT = 0,
    TWO_HULLS_LINK_RIGHT = 1,
};

#ifdef __cplusplus
extern "C" {
#endif

/* One point of contact between the shapes of a collision pair: normal from the pair's first shape to its second, gap
 * between them [m] (negative: depth), force [N] on the second along world axes, moment [N m] of torsional and rolling
 * friction on it. Pairs after those of shapes are joints at their limits, moments (as force) of the pairs that have
 * them, then other rows. */
typedef struct {
    long pair;
    long long feature;
    double gap;
    double point[3];
    double normal[3];
    double force[3];
    double moment[3];
} two_hulls_contact;

/* Rows of the last step: `points` have `count` entries; more `found` than 8 stop the motion, so does a locked row that
 * does not hold: `open` is 1 + its number, else 0. */
typedef struct {
    long count;
    long found;
    long sweeps;
    long open;
    double residual;
    two_hulls_contact points[8];
} two_hulls_contacts;

/* A block of three rows: entries of the wrenches of unit impulses along them on both links, the velocities that these
 * give them, K of the block, the inverse of its part along both tangents (`rest`), that times what the normal impulse
 * adds along them (`follow`), impulses. */
typedef struct {
    double row[2][6][4];
    double response[2][3][8];
    double k[6];
    double iK;
    double reach;
    double friction;
    double target;
    double rest[3];
    double follow[2];
    double impulse[3];
    int a;
    int b;
    int apart[10];
} two_hulls_contact_row;

/* Room to work in, zero before the first call; nothing that matters in it outlives a step. Fastest where it starts at
 * a multiple of 64 bytes: what stands in eights then fills whole lines of the cache. */
typedef struct {
    double y[2][2][8];
    double mobility[2][6][8];
    double axes[3][8];
    double origins[2][3];
    double speed[2][8];
    double twist[2][8];
    double free_twist[2][8];
    double wrench[2][8];
    double waiting[2][6][4];
    two_hulls_contact_row at[9];
    int bears[8];
    double past_twist[5][2][8];
    double past[5][24];
    double change[5][24];
    double start[24];
    double iD[2];
    double poses[24];
    double z[2];
    double L[1];
    double shape_R[2][9];
    double shape_p[2][3];
    double impact[8][3];
    double bounded[1];
    double bounded_speed[1];
    int links;
    int touching[2];
    int list[2];
    int neighbours[2];
    int first_neighbour[2];
    int neighbour[2];
    int present[2];
    long known;
    two_hulls_contact before[8];
    two_hulls_contact aside[8];
    int root[2];
    int island[2];
    long island_row[8];
    int island_link[2];
    long row_start[3];
    int link_start[3];
    double bounce[8];
    double before_step[24];
    int struck[8];
    int islands;
    double block[4][6][8];
    double slope[8][3][4];
    double columns[16][6][4];
    double weighed[16][3][8];
    int part_group[16];
    int first_part[9];
    int dof_seat[2];
    double best[24];
    double within[1][26][8];
} two_hulls_contact_workspace;

/* How rows are solved, in Python kg.ContactOptions with the same names; in brackets the usual values. tolerance
 * (1e-05): change of velocity in a sweep [m/s] below which it ends; sweeps (120): at most so many, at least 1; depth
 * (0.0001) [m] that stays; recovery (0.2): part of the depth beyond that a step removes, at recovery_speed (0.5) [m/s]
 * at most; bounce (0.05): approach speed [m/s] above which restitution acts; solve (0): what takes the place of
 * sweeps: it gives the impulses of `count` blocks to contact_solution and returns its residual [m/s]. */
typedef struct {
    double tolerance;
    double depth;
    double recovery;
    double recovery_speed;
    double bounce;
    long sweeps;
    double (*solve)(long count, two_hulls_contact_workspace *workspace);
} two_hulls_contact_options;

/* External wrenches on links: `count` of them. place: [link, x, y, z, rests] of each: rests 0: it acts at x, y, z in
 * the link's axes, 1: its moment is that about the origin of the world; rows: 6 count numbers [force; moment], world
 * axes, for step i at rows + i*stride; row: those of the present step. */
typedef struct {
    long count;
    const double *place;
    const double *rows;
    long stride;
    const double *row;
} two_hulls_external;

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
} two_hulls_driving;

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
} two_hulls_servos;

/* Work [J] of each source on each velocity (7, nv), source after source: torques, servos, springs, dampers, wrenches,
 * motions, rows. total: since it was zero; log: dense rows of total, for the states that are logged, from the first
 * step on; 0: none. Of the present step: step, stages. */
typedef struct {
    double total[14];
    double *log;
    double step[14];
    double stages[14];
} two_hulls_ledger;

/* A motion to be made: p: run-time parameters, 0 where there are none; integrator: 0 semi-implicit Euler, 1
 * Runge-Kutta 4; steps of dt [s] from q, v, in place, step i driven by the 2 numbers at tau + i*tau_stride, those of
 * v; with every > 0 the states after every, 2 every, ... steps go to the dense arrays q_log, v_log. external: wrenches
 * on links, driving: joints whose motion is given, servos, ledger: work that is asked for; 0: none. workspace: 0, and
 * rows are left out; limits, shapes: 1 if joints stop at their limits, if shapes touch; options: null for the usual;
 * contacts: needed where there is a workspace, zero before the first call, what they hold starts the next step; every
 * log_every-th step, the first included, appends its contacts to contact_log and their number to contact_count
 * (log_every 0: none), 8 contacts at most. */
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
    two_hulls_external *external;
    two_hulls_driving *driving;
    two_hulls_servos *servos;
    two_hulls_ledger *ledger;
    long limits;
    long shapes;
    const two_hulls_contact_options *options;
    two_hulls_contacts *contacts;
    two_hulls_contact_workspace *workspace;
    long log_every;
    two_hulls_contact *contact_log;
    long *contact_count;
} two_hulls_simulation;

/* Several simulations: `count` of them, of which a struct simulation tells the first. States stand one after the
 * other, q_log and v_log with room for `logs` states of each; p, tau, wrenches: how many numbers from those of one to
 * the next one's, 0: the same; gains, targets: likewise of kp, kd and limits of the servos, from `gain` on, and of
 * their rows, from `target` on, 0: as they are; fresh: 1: none has contacts of a step before; done: steps that each
 * has made, read and written: to be set before the call, 0 for one that starts; one that is less than 0 or more than
 * steps makes no step and is then -1. With count > 1 none is made where ledger or log_every of `simulation` asks for
 * what is told of one alone; the torques that driving and servos tell are those of the last. */
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
} two_hulls_simulations;
/* Joint forces tau of the open chain, by recursion in link frames: q, v, a -> tau[2] */
void two_hulls_inverse_dynamics(const double *q, const double *v, const double *a, double *tau);
void two_hulls_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);

/* Bias h(q, v): tau at zero acceleration: q, v -> h[2] */
void two_hulls_bias(const double *q, const double *v, double *h);
void two_hulls_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h);

/* Gravity g(q): tau at rest: q -> g[2] */
void two_hulls_gravity(const double *q, double *g);
void two_hulls_gravity_batch(long n, const double *q, long q_stride, double *g);

/* Mass matrix M by composite inertias: q -> M[2][2] */
void two_hulls_mass_matrix(const double *q, double *M);
void two_hulls_mass_matrix_batch(long n, const double *q, long q_stride, double *M);

/* Acceleration by articulated bodies: q, v, tau -> a[2] */
void two_hulls_forward_dynamics(const double *q, const double *v, const double *tau, double *a);
void two_hulls_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);

/* Acceleration a of (M + diag d) a = tau - h: q, v, tau, d -> a[2] */
void two_hulls_forward_dynamics_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void two_hulls_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M: q, v, a -> dtau[3][2][2] */
void two_hulls_inverse_derivatives(const double *q, const double *v, const double *a, double *dtau);
void two_hulls_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau);

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q: q, v, a ->
 * second[4][2][2][2] */
void two_hulls_inverse_second_derivatives(const double *q, const double *v, const double *a, double *second);
void two_hulls_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);

/* Second derivatives of weights'tau, the same ones: q, v, a, weights -> second[4][2][2] */
void two_hulls_inverse_weighed_derivatives(const double *q, const double *v, const double *a, const double *weights,
    double *second);
void two_hulls_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second);

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau: q, v, tau -> da[3][2][2] */
void two_hulls_forward_derivatives(const double *q, const double *v, const double *tau, double *da);
void two_hulls_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da);

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a: q, v, a, frame -> parts[4][6][2] */
void two_hulls_frame_derivatives(const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void two_hulls_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space: q, v -> dv_dq[3][2] */
void two_hulls_com_velocity_derivative(const double *q, const double *v, double *dv_dq);
void two_hulls_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dv_dq);

/* What dampers and friction add to M over dt, and its slope in v: q, v -> D[2][2] */
void two_hulls_damping_terms(const double *q, const double *v, double *D);
void two_hulls_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D);

/* World poses of the link frames: q -> poses[2][4][4] */
void two_hulls_link_poses(const double *q, double *poses);
void two_hulls_link_poses_batch(long n, const double *q, long q_stride, double *poses);

/* COG accelerations dG/dt v at zero joint acceleration: q, v -> dGv[12] */
void two_hulls_cog_bias(const double *q, const double *v, double *dGv);
void two_hulls_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *dGv);

/* Centre of mass: q -> com[3] */
void two_hulls_com(const double *q, double *com);
void two_hulls_com_batch(long n, const double *q, long q_stride, double *com);

/* Jacobian of the centre of mass: q -> J_com[3][2] */
void two_hulls_com_jacobian(const double *q, double *J_com);
void two_hulls_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com);

/* Kinetic and potential energy: q, v -> energy[2] */
void two_hulls_energy(const double *q, const double *v, double *energy);
void two_hulls_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *energy);

/* Linear momentum, angular momentum about the centre of mass: q, v -> momentum[6] */
void two_hulls_momentum(const double *q, const double *v, double *momentum);
void two_hulls_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);

/* Centroidal momentum matrix: q -> A_G[6][2] */
void two_hulls_centroidal_momentum_matrix(const double *q, double *A_G);
void two_hulls_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G);

/* COG Jacobian G: [dp_G; w] = G v, world axes: q -> G[12][2] */
void two_hulls_cog_jacobian(const double *q, double *G);
void two_hulls_cog_jacobian_batch(long n, const double *q, long q_stride, double *G);

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]: q, frame -> J[6][2] */
void two_hulls_frame_jacobian(const double *q, const double *frame, double *J);
void two_hulls_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame, long frame_stride,
    double *J);

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]: q, placed -> pose[4][4] */
void two_hulls_frame_pose(const double *q, const double *placed, double *pose);
void two_hulls_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose);

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above: q, v, frame -> velocity[6] */
void two_hulls_frame_velocity(const double *q, const double *v, const double *frame, double *velocity);
void two_hulls_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity);

/* Rate of that velocity; frame as above: q, v, a, frame -> acceleration[6] */
void two_hulls_frame_acceleration(const double *q, const double *v, const double *a, const double *frame,
    double *acceleration);
void two_hulls_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above: q, v, a, frame ->
 * motion[2][6] */
void two_hulls_frame_motion(const double *q, const double *v, const double *a, const double *frame, double *motion);
void two_hulls_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* Mass matrix M = G' M^ G: q -> M[2][2] */
void two_hulls_mass_matrix_cog(const double *q, double *M);
void two_hulls_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M);

/* Mass matrix M by unit vectors: q -> M[2][2] */
void two_hulls_mass_matrix_unit_vector(const double *q, double *M);
void two_hulls_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M);

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^): q, v, a -> tau[2] */
void two_hulls_inverse_dynamics_cog(const double *q, const double *v, const double *a, double *tau);
void two_hulls_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);

/* Acceleration by unit vectors: q, v, tau -> a[2] */
void two_hulls_forward_dynamics_unit_vector(const double *q, const double *v, const double *tau, double *a);
void two_hulls_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration by M = L'DL: q, v, tau -> a[2] */
void two_hulls_forward_dynamics_ltdl(const double *q, const double *v, const double *tau, double *a);
void two_hulls_forward_dynamics_ltdl_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);

/* Torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity: q, v, a -> terms[2][2][3] */
void two_hulls_torque_terms(const double *q, const double *v, const double *a, double *terms);
void two_hulls_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms);

/* Regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link: q, v, a -> Y[2][20] */
void two_hulls_torque_regressor(const double *q, const double *v, const double *a, double *Y);
void two_hulls_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters: q, v -> Y_energy[2][20] */
void two_hulls_energy_regressor(const double *q, const double *v, double *Y_energy);
void two_hulls_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy);

/* Inertial parameters pi of the links: m, m c, I about the origin: q -> pi[20] */
void two_hulls_inertial_parameters(const double *q, double *pi);
void two_hulls_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi);

/* Armature of every joint: q -> armatures[2] */
void two_hulls_rotor_inertias(const double *q, double *armatures);
void two_hulls_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures);

/* Rate of the momentum: linear, angular about the centre of mass: q, v, a -> momentum_rate[6] */
void two_hulls_momentum_rate(const double *q, const double *v, const double *a, double *momentum_rate);
void two_hulls_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate);

/* Mass of all links: q -> mass[1] */
void two_hulls_total_mass(const double *q, double *mass);
void two_hulls_total_mass_batch(long n, const double *q, long q_stride, double *mass);

/* Acceleration of gravity, world axes: q -> g[3] */
void two_hulls_gravity_acceleration(const double *q, double *g);
void two_hulls_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g);

/* ---- Motion of the coordinates ---- */

/* q moved by v_dt for unit time: q, v_dt -> q_out[2] */
void two_hulls_integrate(const double *q, const double *v_dt, double *q_out);
void two_hulls_integrate_batch(long n, const double *q, long q_stride, const double *v_dt, long v_dt_stride,
    double *q_out);

/* The shortest motion that takes q0 to q1 in unit time: q0, q1 -> v_dt[2] */
void two_hulls_difference(const double *q0, const double *q1, double *v_dt);
void two_hulls_difference_batch(long n, const double *q0, long q0_stride, const double *q1, long q1_stride,
    double *v_dt);

/* Forces of springs, dampers and dry friction: q, v -> f[2] */
void two_hulls_passive_forces(const double *q, const double *v, double *f);
void two_hulls_passive_forces_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *f);

/* Index of the first of n numbers that is not finite, -1 if there is none. */
long two_hulls_first_non_finite(long n, const double *x);
/* Index in q (n states) of the first rotation whose norm is off 1 by more than tolerance, -1 if there is none. */
long two_hulls_first_off_unit(long n, double tolerance, const double *q);
/* kernel(q, v, x) -> out. 0: done; 1: not called, since a number is larger than `large` or a rotation in q is off unit
 * norm by more than tolerance; 2: one of the first n results is not finite. */
long two_hulls_call_q(double tolerance, double large, void (*kernel)(const double *, double *), const double *q,
    long n, double *out);
long two_hulls_call_q_v(double tolerance, double large, void (*kernel)(const double *, const double *, double *),
    const double *q, const double *v, long n, double *out);
long two_hulls_call_q_v_x(double tolerance, double large, void (*kernel)(const double *, const double *,
    const double *, double *), const double *q, const double *v, const double *x, long n, double *out);

/* ---- Pieces of a step, which calls them: of the tree's joints q has nq numbers, all else nv ---- */

/* v += dt a, then q moved by dt v, in place. */
void two_hulls_advance(double dt, const double *a, double *q, double *v);
/* k_out = rate of the displacement u at velocity v. */
void two_hulls_rate(const double *u, const double *v, double *k_out);
/* q moved by u, which is no velocity, in place. */
void two_hulls_displace(const double *u, double *q, double *v);
/* x of joints whose coordinates do not add: place of q1 along the child's axes at q0, and the turn to it. */
void two_hulls_offset(const double *q0, const double *q1, double *x);
/* u += dt times what the turning of its axes adds to v along them. */
void two_hulls_turning(double dt, const double *v, double *u);
/* f += held, which acts from q0 on along axes that rest, at q. */
void two_hulls_held_forces(const double *q0, const double *q, const double *held, double *f);
/* What the links that may touch share in a step: q[2], v[2], tau[2], d[2] -> z[2], iD[2], L[1], poses[2][12],
 * axes[2][8], origins[2][3]; d: added to the diagonal of M */
void two_hulls_contact_terms(const double *q, const double *v, const double *tau, const double *d, double *z,
    double *iD, double *L, double *poses, double *axes, double *origins);
/* Acceleration from z = 1/D (L'^-1 (tau - h) + y f): q[2], L[1], z[2] -> a[2] */
void two_hulls_contact_finish(const double *q, const double *L, const double *z, double *a);

/* The usual options, to be copied where some are to be others. */
extern const two_hulls_contact_options two_hulls_contact_usual;

/* ---- Constraint rows of a step: called by the time step ---- */

/* How the rows of s are solved. */
const two_hulls_contact_options *two_hulls_contact_options_of(const two_hulls_simulation *s);
/* Rows that may act within dt from q, v; 0 if there are more than room. C: velocities of bounded cut joints per v. */
int two_hulls_contact_find(double dt, const two_hulls_simulation *s, const double *q, const double *v, const double *C);
/* The points and forces of the last step again, as they were before those of this one were found. */
void two_hulls_contact_unfind(two_hulls_contacts *contacts, const two_hulls_contact_workspace *workspace);
/* A step begins, whose rows may be found several times. */
void two_hulls_contact_begin(two_hulls_contact_workspace *workspace);
/* 1 if a joint passes a limit that was not found, where the step ends with v: it is to be made again. */
int two_hulls_contact_misses(double dt, const double *v, two_hulls_contact_workspace *workspace);
/* Twists of the links at v. */
void two_hulls_contact_speeds(const double *v, two_hulls_contact_workspace *workspace);
/* Forces of all rows and their wrenches on the links; u: free velocity. */
void two_hulls_contact_solve(double dt, const double *u, const two_hulls_contact_options *options,
    two_hulls_contacts *contacts, two_hulls_contact_workspace *workspace);
/* 1 and the wrenches of impacts at v where rows would come nearer in dt than their gaps allow, else 0. */
int two_hulls_contact_strike(double dt, const double *v, const two_hulls_contact_options *options,
    two_hulls_contacts *contacts, two_hulls_contact_workspace *workspace);
/* The forces of a step: those of its impacts and those that act through it. */
void two_hulls_contact_add_impacts(two_hulls_contacts *contacts, const two_hulls_contact_workspace *workspace);
/* Stops that are near but did not push leave the points, if nothing else is near: how many there are with them, 0 if
 * none leaves. All again: 1 if a step of dt from v with acceleration a leaves them alone, 0 if all are to be solved. */
long two_hulls_contact_set_aside(const two_hulls_contact_options *options, two_hulls_contacts *contacts,
    two_hulls_contact_workspace *workspace);
int two_hulls_contact_bring_back(double dt, const double *v, const double *a, long all, two_hulls_contacts *contacts,
    two_hulls_contact_workspace *workspace);
/* 1 if some contact presses. */
int two_hulls_contact_presses(const two_hulls_contacts *contacts, const two_hulls_contact_workspace *workspace);
/* The wrenches that rows still lack at velocity u, at the end of the step; those that take a velocity u away. */
void two_hulls_contact_end(double dt, const double *u, const two_hulls_contact_options *options,
    two_hulls_contacts *contacts, two_hulls_contact_workspace *workspace);
void two_hulls_contact_stay(double dt, const double *u, const two_hulls_contact_options *options,
    two_hulls_contacts *contacts, two_hulls_contact_workspace *workspace);
/* 1 and the wrenches of pushes where rows lie deeper than allowed, else 0; after contact_solve. */
int two_hulls_contact_push(double dt, const two_hulls_contact_options *options, two_hulls_contacts *contacts,
    two_hulls_contact_workspace *workspace);
/* g (nv) += J' wrench of every touching link. */
void two_hulls_contact_pull_back(double *g, int apart, const two_hulls_contact_workspace *workspace);
/* M = L'DL in place of M (nv, nv); z = L'^-1 r. */
void two_hulls_contact_factor(double *M, const double *r, two_hulls_contact_workspace *workspace);
/* z = L'^-1 g. */
void two_hulls_contact_descend(const double *g, double *z, const two_hulls_contact_workspace *workspace);
/* z += y' wrench of every touching link. */
void two_hulls_contact_collect(double *z, const two_hulls_contact_workspace *workspace);
/* The problem that the sweeps solve, v = K f + b (three rows a block), as matrices; kind: 0 no row, 1 normal of a cone,
 * 2 its tangents, 3 held, 4 |f| <= bound, 5 moment about the normal of the point `other`, 6 across it. */
void two_hulls_contact_problem(long count, two_hulls_contact_workspace *workspace, double *K, double *b, double *f,
    double *target, double *bound, int *kind, int *other);
/* Impulses f (3 count) in place of those there are. */
void two_hulls_contact_solution(long count, const double *f, two_hulls_contact_workspace *workspace);

/* ---- The time step, and what prepares for it ---- */

/* Makes the steps of s; gives how many were done: none if there is no such integrator or options allow no sweep,
 * fewer than s->steps if a state was not finite,
 * there were more points of contact than room (contacts->found). */
long two_hulls_simulate(two_hulls_simulation *s);

/* The same of several simulations, s the first of them: see the struct. Gives how many there were: none if s cannot be
 * made. */
long two_hulls_simulate_all(two_hulls_simulation *s, const two_hulls_simulations *all);
/* A target of inverse kinematics. kind: 0 position, 1 orientation, 2 look-at, 3 direction, 4 centre of mass; place:
 * [link, x, y, z] of a point of it, axis: a unit vector in its axes; weight: of the three residuals, world axes. */
typedef struct {
    long kind;
    double place[4];
    double axis[3];
    double weight[3];
} two_hulls_target;

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
    const two_hulls_target *targets;
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
} two_hulls_ik;

/* The searches of s; each row of s->q then holds where one ended. */
void two_hulls_solve_ik(const two_hulls_ik *s);

#ifdef __cplusplus
}
#endif

#endif
