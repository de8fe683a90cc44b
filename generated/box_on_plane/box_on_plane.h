/* box_on_plane: nq = 7, nv = 6, 1 links.
 *
 * SI units, radians, quaternions [x y z w]; matrices row-major. Inputs and outputs must not overlap.
 * Every kernel takes q, v, ... of one state. Its _batch takes n states: x of state i stands at x + i*x_stride, so that
 * a stride of 0 repeats one; outputs stand one after the other.
 * C99, also for C++; needs libm, allocates nothing, keeps no state: what it works with stands on the stack, how much of
 * it gcc -fstack-usage tells. Compile it without -ffast-math and -Ofast.
 * Models of one program share what stands in kinegen/: generate them into one folder.
 * Keys such as [N98] are papers, a number after them its section or equation: docs/references.md of kinegen lists them,
 * docs/glossary.md what names stand for. */

#ifndef BOX_ON_PLANE_H
#define BOX_ON_PLANE_H

/* Sizes. */
enum {
    BOX_ON_PLANE_NQ = 7, /* coordinates q */
    BOX_ON_PLANE_NV = 6, /* velocities v, accelerations a, joint forces tau of kernels */
    BOX_ON_PLANE_NTAU = 6, /* numbers of tau of a step: those of v, then of cut joints */
    BOX_ON_PLANE_NU = 0, /* entries of tau with an actuator */
    BOX_ON_PLANE_NP = 0, /* run-time parameters p */
    BOX_ON_PLANE_NLINKS = 1, /* links */
};

/* First entry of each joint in q. */
enum {
    BOX_ON_PLANE_Q_FLOAT = 0, /* free: x y z qx qy qz qw */
};

/* First entry of each joint in v, a and tau. */
enum {
    BOX_ON_PLANE_V_FLOAT = 0, /* free: vx vy vz wx wy wz, not actuated */
};

/* Links, as in poses and frames. */
enum {
    BOX_ON_PLANE_LINK_BOX = 0,
};

#ifdef __cplusplus
extern "C" {
#endif

/* One point of contact between the shapes of a collision pair. */
typedef struct {
    /* its number. Those after the pairs of shapes are joints at their limits, then moments (as force) of the pairs
     * that have them, then other rows */
    long pair;
    long long feature; /* what of the shapes touches: corner, edge or face */
    double gap; /* distance of the shapes [m]; negative: how deep they overlap */
    double point[3]; /* where, world axes [m] */
    double normal[3]; /* from the pair's first shape to its second */
    double force[3]; /* on the second shape, world axes [N] */
    double moment[3]; /* of torsional and rolling friction on the second shape [N m] */
} box_on_plane_contact;

/* Rows of the last step. */
typedef struct {
    long count; /* entries of `points` */
    long found; /* points that there were: more than 8 stop the motion */
    long sweeps; /* that it took to solve them */
    long open; /* 0, or 1 + the number of a locked row that does not hold, which stops the motion */
    double residual; /* what the last sweep changed [m/s] */
    box_on_plane_contact points[8]; /* in the order of the pairs */
} box_on_plane_contacts;

/* A block of three rows: a normal and two tangents, a moment about each, or what a joint holds. */
typedef struct {
    double row[2][6][4]; /* entries of the wrenches of unit impulses along the rows, on both links */
    double response[2][3][8]; /* the twists that these give both links */
    double k[6]; /* K of the block: 00, 01, 02, 11, 12, 22 */
    double iK; /* 1 over k[0]; 0: the row moves nothing */
    double reach; /* 1 over the larger eigenvalue of K of both tangents */
    double friction; /* coefficient of friction */
    double target; /* least velocity along the normal */
    double rest[3]; /* inverse of K of both tangents */
    double follow[2]; /* that times what the normal impulse adds along them */
    double impulse[3]; /* along the rows */
    int a; /* link, or bounded coordinate, that the impulse pushes back; -1: the world */
    int b; /* the one that it pushes */
    int apart[10]; /* not used: the next block begins with a line of the cache */
} box_on_plane_contact_row;

/* What a step of a tree begins with. M = L'DL, with d on its diagonal. */
typedef struct {
    double f[6]; /* forces of joints */
    double d[6]; /* added to the diagonal of M */
    double z[6]; /* L'^-1 (f - h) */
    double iD[6]; /* D^-1 */
    double L[1]; /* its entries below the diagonal that are not zero */
    double poses[12]; /* of the links that may touch: R | p, row by row */
    double axes[6][8]; /* their motion axes: [linear; angular], world axes */
    double origins[1][3]; /* places that twists of these links are about */
} box_on_plane_begun;

/* Room to work in, zero before the first call; nothing that matters in it outlives a step. Slots are the links that
 * may be pushed, then the bounded coordinates; twists and wrenches of slots are [linear; angular] about their origins,
 * world axes, filled up to eights; a coordinate uses the first number. Fastest where the room starts at a multiple of
 * 64 bytes: what stands in eights then fills whole lines of the cache. */
typedef struct {
    double y[1][6][8]; /* L'^-1 J' of each slot; see M = L'DL */
    double mobility[1][6][8]; /* twist of one slot by a unit wrench on another: J M^-1 J' */
    double axes[7][8]; /* motion axes of the links */
    double origins[1][3]; /* places that twists and wrenches of the links are about */
    double speed[1][8]; /* twists before the step */
    double twist[1][8]; /* twists under the impulses so far */
    double free_twist[1][8]; /* twists at the end of a step without rows */
    double wrench[1][8]; /* sums of the impulses */
    double waiting[1][6][4]; /* impulses that other slots have not answered yet */
    box_on_plane_contact_row at[9]; /* blocks of rows, and the mean of points between two links */
    int bears[8]; /* 1: a point that counts in that mean */
    double past_twist[5][1][8]; /* twists after earlier sweeps */
    double past[5][24]; /* impulses after earlier sweeps */
    double change[5][24]; /* what these sweeps changed */
    double start[24]; /* impulses before a sweep */
    double iD[6]; /* D^-1 */
    double poses[12]; /* of the slots' links: R | p, row by row */
    double z[6]; /* L'^-1 (f - h) */
    double L[1]; /* entries below its diagonal that are not zero */
    double shape_R[2][9]; /* rotations of the shapes */
    double shape_p[2][3]; /* places of the shapes */
    double impact[8][3]; /* forces of the impacts with which the step begins */
    double bounded[1]; /* coordinates that have limits */
    double bounded_speed[1]; /* how fast they have been in this step */
    int links; /* slots that rows push in this step */
    int touching[1]; /* 1: a slot that is one of these */
    int list[1]; /* these slots (links) */
    int neighbours[1]; /* how many others answer each */
    int first_neighbour[1]; /* place of the first of these in `neighbour` */
    int neighbour[1]; /* slots that answer */
    int present[2]; /* slots of the block that is visited, whose impulses may be waiting */
    long known; /* points of the last step: how many */
    box_on_plane_contact before[8]; /* points of the last step (known) */
    box_on_plane_contact aside[8]; /* all points, while stops that did not push are left out */
    int answered; /* 1: `mobility` is there */
    double block[1][6][8]; /* blocks of the equations, columns one after another */
    double slope[8][3][4]; /* of each block's impulses in its velocities */
    double columns[8][6][4]; /* rows of each part: velocities that they move */
    double weighed[8][3][8]; /* columns times D^-1 */
    int part_group[8]; /* group of each part */
    int first_part[9]; /* of each block */
    int dof_seat[6]; /* place of each velocity in its group: 8 groups + place */
    double best[24]; /* impulses with the least residual so far */
    double within[1][26][8]; /* variables of the interior point method, points in lanes */
    const box_on_plane_begun *begun; /* null, or what this step begins with */
} box_on_plane_contact_workspace;

/* How rows are solved, in Python kg.ContactOptions with the same names; in brackets the usual values. */
typedef struct {
    double tolerance; /* (1e-05) a sweep that changes no velocity by more ends the solution [m/s] */
    double depth; /* (0.0001) that stays [m] */
    double recovery; /* (0.2) part of the depth beyond that which a step removes */
    double recovery_speed; /* (0.5) at most so fast [m/s] */
    double bounce; /* (0.05) approach speed above which restitution acts [m/s] */
    long sweeps; /* (120) at most so many, at least 1 */
    /* (null) what takes the place of sweeps: it gives the impulses of `count` blocks to contact_solution and returns
     * its residual [m/s] */
    double (*solve)(long count, box_on_plane_contact_workspace *workspace);
} box_on_plane_contact_options;

/* External wrenches on links. */
typedef struct {
    long count; /* wrenches */
    /* (count, 5) [link, x, y, z, rests] of each. rests 0: it acts at x, y, z in the link's axes, 1: its moment is that
     * about the origin of the world */
    const double *place;
    const double *rows; /* 6 count numbers [force; moment], world axes, for step i at rows + i*stride */
    long stride; /* numbers from step to step; 0: the same in all */
    const double *row; /* set by a step: those of the present one */
} box_on_plane_external;

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
    double a[6]; /* accelerations in the present step */
    double struck[6]; /* torques against impacts in the present step */
} box_on_plane_driving;

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
} box_on_plane_servos;

/* Work [J] of each source on each velocity: (7, nv). Sources: torques, servos, springs, dampers, wrenches, motions,
 * rows. */
typedef struct {
    double total[42]; /* since it was zero */
    double *log; /* null, or dense rows of `total` for the states that are logged */
    double step[42]; /* of the present step */
    double stages[42]; /* of what the integrator asked for in it */
} box_on_plane_ledger;

/* A motion to be made. Pointers that are null leave out what they are about. */
typedef struct {
    const double *p; /* run-time parameters; null: there are none */
    long integrator; /* 0 semi-implicit Euler, 1 Runge-Kutta 4 */
    long steps; /* how many */
    double dt; /* length of a step [s] */
    double *q; /* (nq) where it starts, then where it ends */
    double *v; /* (nv) velocities there */
    const double *tau; /* step i is driven by the 6 numbers at tau + i*tau_stride, those of v */
    long tau_stride; /* numbers from step to step; 0: the same in all */
    long every; /* with every > 0 the states after every, 2 every, ... steps go to the dense arrays q_log, v_log */
    double *q_log; /* (steps / every, nq) */
    double *v_log; /* (steps / every, nv) */
    box_on_plane_external *external; /* wrenches on links */
    box_on_plane_driving *driving; /* joints whose motion is given */
    box_on_plane_servos *servos; /* joint servos */
    box_on_plane_ledger *ledger; /* work that is asked for */
    long limits; /* 1: joints stop at their limits */
    long shapes; /* 1: shapes touch */
    const box_on_plane_contact_options *options; /* null: the usual ones */
    /* needed where there is a workspace; zero before the first call, what they hold starts the next step */
    box_on_plane_contacts *contacts;
    box_on_plane_contact_workspace *workspace; /* null: neither limits nor contact */
    long log_every; /* every so many steps, the first included, contacts are logged; 0: never */
    box_on_plane_contact *contact_log; /* contacts of these steps one after the other, 8 a step at most */
    long *contact_count; /* their number in each of these steps */
} box_on_plane_simulation;

/* Several simulations, of which a struct simulation tells the first. States stand one after the other. With count > 1
 * none is made where ledger or log_every of `simulation` asks for what is told of one alone; the torques that driving
 * and servos tell are those of the last. */
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
    /* null, or what finds by lanes what steps begin with: all have the same parameters then, and make semi-implicit
     * steps */
    long (*terms)(long n, const double *q, long q_state, long q_entry, const double *v, long v_state, long v_entry,
        const double *tau, long tau_state, long tau_entry, const double *d, long d_state, long d_entry, double *terms,
        long terms_state, long terms_entry);
    box_on_plane_begun *begun; /* room for what `terms` finds, of eight that have made as many steps */
    box_on_plane_contacts *contacts; /* of eight simulations */
} box_on_plane_simulations;
/* Joint forces tau of the open chain, by recursion in link frames: q, v, a -> tau[6] */
void box_on_plane_inverse_dynamics(const double *q, const double *v, const double *a, double *tau);
void box_on_plane_inverse_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);

/* Bias h(q, v): tau at zero acceleration: q, v -> h[6] */
void box_on_plane_bias(const double *q, const double *v, double *h);
void box_on_plane_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride, double *h);

/* Gravity g(q): tau at rest: q -> g[6] */
void box_on_plane_gravity(const double *q, double *g);
void box_on_plane_gravity_batch(long n, const double *q, long q_stride, double *g);

/* Mass matrix M by composite inertias: q -> M[6][6] */
void box_on_plane_mass_matrix(const double *q, double *M);
void box_on_plane_mass_matrix_batch(long n, const double *q, long q_stride, double *M);

/* Acceleration by M = L'DL: q, v, tau -> a[6] */
void box_on_plane_forward_dynamics(const double *q, const double *v, const double *tau, double *a);
void box_on_plane_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a);

/* Acceleration a of (M + diag d) a = tau - h: q, v, tau, d -> a[6] */
void box_on_plane_forward_dynamics_damped(const double *q, const double *v, const double *tau, const double *d,
    double *a);
void box_on_plane_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, const double *d, long d_stride, double *a);

/* Derivatives of the joint forces: dtau/dq on the tangent space, dtau/dv, M: q, v, a -> dtau[3][6][6] */
void box_on_plane_inverse_derivatives(const double *q, const double *v, const double *a, double *dtau);
void box_on_plane_inverse_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *dtau);

/* Second derivatives of tau, its entries first: by q and q, by q and v, by v and v, by a and q: q, v, a ->
 * second[4][6][6][6] */
void box_on_plane_inverse_second_derivatives(const double *q, const double *v, const double *a, double *second);
void box_on_plane_inverse_second_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *second);

/* Second derivatives of weights'tau, the same ones: q, v, a, weights -> second[4][6][6] */
void box_on_plane_inverse_weighed_derivatives(const double *q, const double *v, const double *a,
    const double *weights, double *second);
void box_on_plane_inverse_weighed_derivatives_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, const double *weights, long weights_stride, double *second);

/* Derivatives of the acceleration: da/dq on the tangent space, da/dv, da/dtau: q, v, tau -> da[3][6][6] */
void box_on_plane_forward_derivatives(const double *q, const double *v, const double *tau, double *da);
void box_on_plane_forward_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *da);

/* Derivatives of frame_motion: velocity per q, acceleration per q, per v, per a: q, v, a, frame -> parts[4][6][6] */
void box_on_plane_frame_derivatives(const double *q, const double *v, const double *a, const double *frame,
    double *parts);
void box_on_plane_frame_derivatives_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *parts);

/* Derivative of the velocity of the centre of mass by q on the tangent space: q, v -> dv_dq[3][6] */
void box_on_plane_com_velocity_derivative(const double *q, const double *v, double *dv_dq);
void box_on_plane_com_velocity_derivative_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, double *dv_dq);

/* What dampers and friction add to M over dt, and its slope in v: q, v -> D[2][6] */
void box_on_plane_damping_terms(const double *q, const double *v, double *D);
void box_on_plane_damping_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *D);

/* World poses of the link frames: q -> poses[1][4][4] */
void box_on_plane_link_poses(const double *q, double *poses);
void box_on_plane_link_poses_batch(long n, const double *q, long q_stride, double *poses);

/* COG accelerations dG/dt v at zero joint acceleration: q, v -> dGv[6] */
void box_on_plane_cog_bias(const double *q, const double *v, double *dGv);
void box_on_plane_cog_bias_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *dGv);

/* Centre of mass: q -> com[3] */
void box_on_plane_com(const double *q, double *com);
void box_on_plane_com_batch(long n, const double *q, long q_stride, double *com);

/* Jacobian of the centre of mass: q -> J_com[3][6] */
void box_on_plane_com_jacobian(const double *q, double *J_com);
void box_on_plane_com_jacobian_batch(long n, const double *q, long q_stride, double *J_com);

/* Kinetic and potential energy: q, v -> energy[2] */
void box_on_plane_energy(const double *q, const double *v, double *energy);
void box_on_plane_energy_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *energy);

/* Linear momentum, angular momentum about the centre of mass: q, v -> momentum[6] */
void box_on_plane_momentum(const double *q, const double *v, double *momentum);
void box_on_plane_momentum_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *momentum);

/* Centroidal momentum matrix: q -> A_G[6][6] */
void box_on_plane_centroidal_momentum_matrix(const double *q, double *A_G);
void box_on_plane_centroidal_momentum_matrix_batch(long n, const double *q, long q_stride, double *A_G);

/* COG Jacobian G: [dp_G; w] = G v, world axes: q -> G[6][6] */
void box_on_plane_cog_jacobian(const double *q, double *G);
void box_on_plane_cog_jacobian_batch(long n, const double *q, long q_stride, double *G);

/* Jacobian [linear; angular] of a frame, world axes; frame = [link, offset x y z]: q, frame -> J[6][6] */
void box_on_plane_frame_jacobian(const double *q, const double *frame, double *J);
void box_on_plane_frame_jacobian_batch(long n, const double *q, long q_stride, const double *frame,
    long frame_stride, double *J);

/* Pose of a frame in world; placed = [link, offset x y z, rotation row by row]: q, placed -> pose[4][4] */
void box_on_plane_frame_pose(const double *q, const double *placed, double *pose);
void box_on_plane_frame_pose_batch(long n, const double *q, long q_stride, const double *placed, long placed_stride,
    double *pose);

/* Velocity [linear; angular] of a frame at its origin, world axes; frame as above: q, v, frame -> velocity[6] */
void box_on_plane_frame_velocity(const double *q, const double *v, const double *frame, double *velocity);
void box_on_plane_frame_velocity_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *frame, long frame_stride, double *velocity);

/* Rate of that velocity; frame as above: q, v, a, frame -> acceleration[6] */
void box_on_plane_frame_acceleration(const double *q, const double *v, const double *a, const double *frame,
    double *acceleration);
void box_on_plane_frame_acceleration_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *acceleration);

/* Velocity [linear; angular] of a frame at its origin, world axes, and its rate; frame as above: q, v, a, frame ->
 * motion[2][6] */
void box_on_plane_frame_motion(const double *q, const double *v, const double *a, const double *frame,
    double *motion);
void box_on_plane_frame_motion_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, const double *frame, long frame_stride, double *motion);

/* Acceleration by articulated bodies: q, v, tau -> a[6] */
void box_on_plane_forward_dynamics_articulated(const double *q, const double *v, const double *tau, double *a);
void box_on_plane_forward_dynamics_articulated_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Mass matrix M = G' M^ G: q -> M[6][6] */
void box_on_plane_mass_matrix_cog(const double *q, double *M);
void box_on_plane_mass_matrix_cog_batch(long n, const double *q, long q_stride, double *M);

/* Mass matrix M by unit vectors: q -> M[6][6] */
void box_on_plane_mass_matrix_unit_vector(const double *q, double *M);
void box_on_plane_mass_matrix_unit_vector_batch(long n, const double *q, long q_stride, double *M);

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^): q, v, a -> tau[6] */
void box_on_plane_inverse_dynamics_cog(const double *q, const double *v, const double *a, double *tau);
void box_on_plane_inverse_dynamics_cog_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *tau);

/* Acceleration by unit vectors: q, v, tau -> a[6] */
void box_on_plane_forward_dynamics_unit_vector(const double *q, const double *v, const double *tau, double *a);
void box_on_plane_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a);

/* Torque of every dof by link and cause: acceleration, centrifugal and Coriolis, gravity: q, v, a -> terms[6][1][3] */
void box_on_plane_torque_terms(const double *q, const double *v, const double *a, double *terms);
void box_on_plane_torque_terms_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *terms);

/* Regressor Y: tau = Y pi + armature a, by m, m c, I about the origin of each link: q, v, a -> Y[6][10] */
void box_on_plane_torque_regressor(const double *q, const double *v, const double *a, double *Y);
void box_on_plane_torque_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *Y);

/* Kinetic and potential energy by inertial parameters: q, v -> Y_energy[2][10] */
void box_on_plane_energy_regressor(const double *q, const double *v, double *Y_energy);
void box_on_plane_energy_regressor_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *Y_energy);

/* Inertial parameters pi of the links: m, m c, I about the origin: q -> pi[10] */
void box_on_plane_inertial_parameters(const double *q, double *pi);
void box_on_plane_inertial_parameters_batch(long n, const double *q, long q_stride, double *pi);

/* Armature of every joint: q -> armatures[6] */
void box_on_plane_rotor_inertias(const double *q, double *armatures);
void box_on_plane_rotor_inertias_batch(long n, const double *q, long q_stride, double *armatures);

/* Rate of the momentum: linear, angular about the centre of mass: q, v, a -> momentum_rate[6] */
void box_on_plane_momentum_rate(const double *q, const double *v, const double *a, double *momentum_rate);
void box_on_plane_momentum_rate_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *a, long a_stride, double *momentum_rate);

/* Mass of all links: q -> mass[1] */
void box_on_plane_total_mass(const double *q, double *mass);
void box_on_plane_total_mass_batch(long n, const double *q, long q_stride, double *mass);

/* Acceleration of gravity, world axes: q -> g[3] */
void box_on_plane_gravity_acceleration(const double *q, double *g);
void box_on_plane_gravity_acceleration_batch(long n, const double *q, long q_stride, double *g);

/* ---- Motion of the coordinates ---- */

/* q moved by v_dt for unit time: q, v_dt -> q_out[7] */
void box_on_plane_integrate(const double *q, const double *v_dt, double *q_out);
void box_on_plane_integrate_batch(long n, const double *q, long q_stride, const double *v_dt, long v_dt_stride,
    double *q_out);

/* The shortest motion that takes q0 to q1 in unit time: q0, q1 -> v_dt[6] */
void box_on_plane_difference(const double *q0, const double *q1, double *v_dt);
void box_on_plane_difference_batch(long n, const double *q0, long q0_stride, const double *q1, long q1_stride,
    double *v_dt);

/* Forces of springs, dampers and dry friction: q, v -> f[6] */
void box_on_plane_passive_forces(const double *q, const double *v, double *f);
void box_on_plane_passive_forces_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *f);

/* Index of the first of n numbers that is not finite, -1 if there is none. */
long box_on_plane_first_non_finite(long n, const double *x);
/* Index in q (n states) of the first rotation whose norm is off 1 by more than tolerance, -1 if there is none. */
long box_on_plane_first_off_unit(long n, double tolerance, const double *q);
/* kernel(q, v, x) -> out. 0: done; 1: not called, since a number is larger than `large` or a rotation in q is off unit
 * norm by more than tolerance; 2: one of the first n results is not finite. */
long box_on_plane_call_q(double tolerance, double large, void (*kernel)(const double *, double *), const double *q,
    long n, double *out);
long box_on_plane_call_q_v(double tolerance, double large, void (*kernel)(const double *, const double *, double *),
    const double *q, const double *v, long n, double *out);
long box_on_plane_call_q_v_x(double tolerance, double large, void (*kernel)(const double *, const double *,
    const double *, double *), const double *q, const double *v, const double *x, long n, double *out);

/* ---- Pieces of a step, which calls them: of the tree's joints q has nq numbers, all else nv ---- */

/* v += dt a, then q moved by dt v, in place. */
void box_on_plane_advance(double dt, const double *a, double *q, double *v);
/* k_out = rate of the displacement u at velocity v. */
void box_on_plane_rate(const double *u, const double *v, double *k_out);
/* q moved by u, which is no velocity, in place. */
void box_on_plane_displace(const double *u, double *q, double *v);
/* x of joints whose coordinates do not add: place of q1 along the child's axes at q0, and the turn to it. */
void box_on_plane_offset(const double *q0, const double *q1, double *x);
/* u += dt times what the turning of its axes adds to v along them. */
void box_on_plane_turning(double dt, const double *v, double *u);
/* f += what the forces of a free body's spin change by when they act in the middle of a step of dt. */
void box_on_plane_spin(double dt, const double *v, double *f);
/* a: acceleration of a step of dt from v, in place: mass centres of free bodies move as they were given. */
void box_on_plane_centre(double dt, const double *v, double *a);
/* f += held, which acts from q0 on along axes that rest, at q. */
void box_on_plane_held_forces(const double *q0, const double *q, const double *held, double *f);
/* What the links that may touch share in a step: q[7], v[6], tau[6], d[6] -> z[6], iD[6], L[1], poses[1][12],
 * axes[6][8], origins[1][3]; d: added to the diagonal of M */
void box_on_plane_contact_terms(const double *q, const double *v, const double *tau, const double *d, double *z,
    double *iD, double *L, double *poses, double *axes, double *origins);
/* Acceleration from z = 1/D (L'^-1 (tau - h) + y f): q[7], L[1], z[6] -> a[6] */
void box_on_plane_contact_finish(const double *q, const double *L, const double *z, double *a);
/* Momentum and inertia of each tree as one body, at its root: q[7], v[6] -> h[6], M[36] */
void box_on_plane_root_terms(const double *q, const double *v, double *h, double *M);

/* The usual options, to be copied where some are to be others. */
extern const box_on_plane_contact_options box_on_plane_contact_usual;

/* ---- Constraint rows of a step: called by the time step ---- */

/* How the rows of s are solved. */
const box_on_plane_contact_options *box_on_plane_contact_options_of(const box_on_plane_simulation *s);
/* Rows that may act within dt from q, v; 0 if there are more than room. C: velocities of bounded cut joints per v. */
int box_on_plane_contact_find(double dt, const box_on_plane_simulation *s, const double *q, const double *v,
    const double *C);
/* The points and forces of the last step again, as they were before those of this one were found. */
void box_on_plane_contact_unfind(box_on_plane_contacts *contacts, const box_on_plane_contact_workspace *workspace);
/* A step begins, whose rows may be found several times. */
void box_on_plane_contact_begin(box_on_plane_contact_workspace *workspace);
/* 1 if a joint passes a limit that was not found, where the step ends with v: it is to be made again. */
int box_on_plane_contact_misses(double dt, const double *v, box_on_plane_contact_workspace *workspace);
/* Twists of the links at v. */
void box_on_plane_contact_speeds(const double *v, box_on_plane_contact_workspace *workspace);
/* Forces of all rows and their wrenches on the links; u: free velocity. */
void box_on_plane_contact_solve(double dt, const double *u, const box_on_plane_contact_options *options,
    box_on_plane_contacts *contacts, box_on_plane_contact_workspace *workspace);
/* 1 and the wrenches of impacts at v where rows would come nearer in dt than their gaps allow, else 0. */
int box_on_plane_contact_strike(double dt, const double *v, const box_on_plane_contact_options *options,
    box_on_plane_contacts *contacts, box_on_plane_contact_workspace *workspace);
/* The forces of a step: those of its impacts and those that act through it. */
void box_on_plane_contact_add_impacts(box_on_plane_contacts *contacts, const box_on_plane_contact_workspace *workspace);
/* Stops that are near but did not push leave the points, if nothing else is near: how many there are with them, 0 if
 * none leaves. All again: 1 if a step of dt from v with acceleration a leaves them alone, 0 if all are to be solved. */
long box_on_plane_contact_set_aside(const box_on_plane_contact_options *options, box_on_plane_contacts *contacts,
    box_on_plane_contact_workspace *workspace);
int box_on_plane_contact_bring_back(double dt, const double *v, const double *a, long all,
    box_on_plane_contacts *contacts,
    box_on_plane_contact_workspace *workspace);
/* 1 if some contact presses. */
int box_on_plane_contact_presses(const box_on_plane_contacts *contacts,
    const box_on_plane_contact_workspace *workspace);
/* The wrenches that rows still lack at velocity u, at the end of the step; those that take a velocity u away. */
void box_on_plane_contact_end(double dt, const double *u, const box_on_plane_contact_options *options,
    box_on_plane_contacts *contacts, box_on_plane_contact_workspace *workspace);
void box_on_plane_contact_stay(double dt, const double *u, const box_on_plane_contact_options *options,
    box_on_plane_contacts *contacts, box_on_plane_contact_workspace *workspace);
/* 1 and the wrenches of pushes where rows lie deeper than allowed, else 0; after contact_solve. */
int box_on_plane_contact_push(double dt, const box_on_plane_contact_options *options, box_on_plane_contacts *contacts,
    box_on_plane_contact_workspace *workspace);
/* g (nv) += J' wrench of every touching link. */
void box_on_plane_contact_pull_back(double *g, int apart, const box_on_plane_contact_workspace *workspace);
/* M = L'DL in place of M (nv, nv); z = L'^-1 r. */
void box_on_plane_contact_factor(double *M, const double *r, box_on_plane_contact_workspace *workspace);
/* z = L'^-1 g. */
void box_on_plane_contact_descend(const double *g, double *z, const box_on_plane_contact_workspace *workspace);
/* z += y' wrench of every touching link. */
void box_on_plane_contact_collect(double *z, const box_on_plane_contact_workspace *workspace);
/* The problem that the sweeps solve, v = K f + b (three rows a block), as matrices; kind: 0 no row, 1 normal of a cone,
 * 2 its tangents, 3 held, 4 |f| <= bound, 5 moment about the normal of the point `other`, 6 across it. */
void box_on_plane_contact_problem(long count, box_on_plane_contact_workspace *workspace, double *K, double *b,
    double *f,
    double *target, double *bound, int *kind, int *other);
/* Impulses f (3 count) in place of those there are. */
void box_on_plane_contact_solution(long count, const double *f, box_on_plane_contact_workspace *workspace);

/* ---- The time step, and what prepares for it ---- */

/* Makes the steps of s; gives how many were done: none if there is no such integrator or options allow no sweep,
 * fewer than s->steps if a state was not finite,
 * there were more points of contact than room (contacts->found). */
long box_on_plane_simulate(box_on_plane_simulation *s);

/* The same of several simulations, s the first of them: see the struct. Gives how many there were: none if s cannot be
 * made. */
long box_on_plane_simulate_all(box_on_plane_simulation *s, const box_on_plane_simulations *all);
/* A target of inverse kinematics. */
typedef struct {
    long kind; /* 0 position, 1 orientation, 2 look-at, 3 direction, 4 centre of mass */
    double place[4]; /* [link, x, y, z] of a point of it [m] */
    double axis[3]; /* unit vector in the link's axes */
    double weight[3]; /* of the three residuals, world axes */
} box_on_plane_target;

/* Inverse kinematics: searches for configurations, in place. */
typedef struct {
    const double *p; /* run-time parameters; null: there are none */
    long rows; /* searches */
    long follow; /* 1: each starts where the one before ended */
    double *q; /* (rows, nq): where each starts, and what it found */
    long count; /* targets */
    const box_on_plane_target *targets; /* (count) */
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
} box_on_plane_ik;

/* The searches of s; each row of s->q then holds where one ended. */
void box_on_plane_solve_ik(const box_on_plane_ik *s);

#ifdef __cplusplus
}
#endif

#endif
