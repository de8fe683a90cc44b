/* four_bar: closed loops and the time step. SI units, radians, quaternions [x y z w].
 * What does not depend on the mechanism stands in kinegen/; here are its tables. */

#include <math.h>
#include <string.h>
#include "four_bar.h"
#include "four_bar_model.h"
#include "kinegen/linear/extremes.h"

/* ---- Closure: tables --------------------------------------------------------------------------------------------- */

/* A row of K a + K'v = 0 is met up to this part of the size of its terms; an acceleration that is at work anyway. */
#define MISSED 1e-08
#define AT_WORK 19.62

/* Rows of K that can differ from zero (6 a loop), times row_scale (1/length of the loop for linear rows); columns times
 * unit (length of the loop for linear velocities), so that all entries are pure numbers. */
static const int row_of[] = {0, 1, 2, 3, 4};
static const double gap_scale[] = {1.0, 1.0, 1.0, 1.0, 1.0, 0.0}; /* entries of a residual as parts of a gap */
static const double row_scale[] = {2.0, 2.0, 2.0, 1.0, 1.0};
static const double unit[] = {1.0, 1.0, 1.0};
static const double per_unit[] = {1.0, 1.0, 1.0};
#define UNIT_SPREAD 1.0 /* the largest unit over the smallest */

/* Readiness of a velocity to be dependent: below 1 for actuated joints and for free bases. */
static const double readiness[] = {0.3, 1.0, 1.0};

/* The same where the velocities lead that give all others in H and W, below 1 for these; 1 for all: it is not known. */
static const double lead_ready[] = {1e-06, 1.0, 1.0};

/* The partition of the straight-line code: its rows, as places in row_of; its dependent columns, then the others. */
static const int own_rows[] = {0, 1};
static const int own_columns[] = {1, 2, 0};

/* Place in q of each dependent velocity of it, if all of these are the rates of coordinates: only then OWN_RATES is
 * 1. */
enum { OWN_RATES = 1 };
static const int own_coordinate[] = { 1, 2, 0 };

/* Entries of its H that it gives, the others are zero; row by row: where those of each row begin, their places in H,
 * and the independent velocities that they take. */
static const int own_first[] = {0, 1, 2};
static const int own_place[] = { 0, 1, 0 };
static const int own_lead[] = { 0, 0, 0 };

/* 1: the velocity belongs to a loop. */
static const double in_loop[] = {1.0, 1.0, 1.0};

/* Velocities that the rows of each loop may take, one loop after the other: where its own begin. */
static const int loop_first[] = {0, 3};
static const int loop_column[] = { 0, 1, 2, 0 };

/* Place in p that tells whether a loop is active, -1: it always is. */
static const int loop_flag[] = {-1};

/* Of each velocity of the cut joints, its loop; cut coordinates that are angles; bounds that tell how often one has
 * turned. */
static const int cut_loop[] = {0};
static const int cut_angle[] = {0};
static const struct {
    int q;
    double low, high;
} cut_bound[] = { { 0 }, };

/* ---- Cut joints: read from the pose of the child's side in the parent's ------------------------------------------ */

/* Coordinates of the cut joints, loop after loop; angles within half a turn of 0. */
void four_bar_loop_coordinates(const double *restrict q, double *restrict q_cut)
{
    double X[12*LOOPS];
    four_bar_cut_poses(q, X);
    /* pin (revolute) */
    q_cut[0] = atan2((X[2] - X[8]), X[0] + X[5] + X[10] - 1.0);
}

/* Velocities of the cut joints per v (cut dofs, nv). */
void four_bar_loop_jacobian(const double *restrict q, double *restrict C)
{
    double T[6*LOOPS*NV];
    four_bar_cut_twists(q, T);
    /* pin (revolute) */
    for (int j = 0; j < NV; j++) {
        C[0*NV + j] = T[4*NV + j];
    }
}

/* Cosine of the angle between the two sides of each loop where they must not stand upside down, 1 where any attitude
 * serves. */
static void closure_cosines(const double *p, const double *q, double *cosine)
{
    double X[12*LOOPS];
    KERNEL(cut_poses, q, X);
    for (int l = 0; l < LOOPS; l++)
        cosine[l] = 1.0;
    cosine[0] = (X[5]); /* pin */
}

/* Angle [rad] by which the two sides of each loop are turned against each other beyond what it lets turn. */
static void closure_angles(const double *p, const double *q, double *angle)
{
    double X[12*LOOPS];
    KERNEL(cut_poses, q, X);
    for (int l = 0; l < LOOPS; l++)
        angle[l] = 0.0;
    /* pin (revolute) */
    {
        const double a[3] = {0.0, 1.0, 0.0}, b[3] = {0.0, 1.0, 0.0};
        const double c[3] = {b[0]*X[0] + b[1]*X[1] + b[2]*X[2], b[0]*X[4] + b[1]*X[5] + b[2]*X[6],
            b[0]*X[8] + b[1]*X[9] + b[2]*X[10]};
        angle[0] = atan2(hypot(hypot((a[1]*c[2] - a[2]*c[1]), (a[2]*c[0] - a[0]*c[2])), (a[0]*c[1] - a[1]*c[0])),
            a[0]*c[0] + a[1]*c[1] + a[2]*c[2]);
    }
}

/* Of each velocity, the group of links that share its motion. Free joints that leave a whole group free: places in q
 * and v, the group, and the place in q of the first such joint of the group. */
enum { GROUPS = 1, FLOATING = 0 };
static const int group_of[] = {0, 0, 0};
static const struct {
    int q, v, group, first;
} floating[] = { { 0 }, };

#include "kinegen/joints/groups.h"
#include "kinegen/step/step.h"
#include "kinegen/closure/judged.h"

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

/* Gap of every loop in the axes of its cut joint, upside down counted as open. */
void four_bar_closure_gap(const double *restrict q, double *restrict gap)
{
    far_residual(0, q, gap);
}

/* How far the two sides of every loop are apart as far as it locks them: distance [m], angle [rad]; 0 of what is not
 * active. */
void four_bar_closure_offsets(const double *restrict q, double *restrict offset)
{
    offsets(0, q, offset);
}

/* Springs, dampers and friction of the tree's joints and of the cut ones, as torques of the tree. */
void four_bar_passive_forces(const double *restrict q, const double *restrict v, double *restrict f)
{
    const double none[NV + CUT_V + 1] = {0.0};
    cut_motion cut;
    closed_joint_forces(0, q, v, none, 0, &cut, f);
}

/* Acceleration of every tree joint: straight-line code where its partition serves, else pivoting; not numbers where
 * that is not the acceleration of the closed mechanism. */
void four_bar_forward_dynamics(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    dynamics(0, q, v, tau, a);
}

/* By A = W' M W, always pivoting: where the loops hold fewer directions, of a mechanism with as many freedoms more. */
void four_bar_forward_dynamics_reduced(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    dynamics_reduced(0, q, v, tau, a);
}

/* As above by unit vectors [N98 2.4]. */
void four_bar_forward_dynamics_unit_vector(const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    dynamics_unit_vector(0, q, v, tau, a);
}

/* As above with a diagonal d added to M: dampers at the end of the step. */
void four_bar_forward_dynamics_damped(const double *restrict q, const double *restrict v,
    const double *restrict tau, const double *restrict d, double *restrict a)
{
    dynamics_damped(0, q, v, tau, d, a);
}

/* ---- Batches: stride = distance in doubles between two states, 0 repeats one state; outputs are dense ----------- */

void four_bar_forward_dynamics_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        four_bar_forward_dynamics(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*3);
}

void four_bar_forward_dynamics_reduced_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        four_bar_forward_dynamics_reduced(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*3);
}

void four_bar_forward_dynamics_unit_vector_batch(long n, const double *q, long q_stride, const double *v,
    long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        four_bar_forward_dynamics_unit_vector(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*3);
}

void four_bar_forward_dynamics_damped_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    const double *tau, long tau_stride, const double *d, long d_stride, double *a)
{
    for (long i = 0; i < n; i++)
        four_bar_forward_dynamics_damped(q + i*q_stride, v + i*v_stride, tau + i*tau_stride, d + i*d_stride, a + i*3);
}

void four_bar_passive_forces_batch(long n, const double *q, long q_stride, const double *v, long v_stride,
    double *f)
{
    for (long i = 0; i < n; i++)
        four_bar_passive_forces(q + i*q_stride, v + i*v_stride, f + i*3);
}

void four_bar_closure_gap_batch(long n, const double *q, long q_stride, double *gap)
{
    for (long i = 0; i < n; i++)
        four_bar_closure_gap(q + i*q_stride, gap + i*6);
}

void four_bar_closure_offsets_batch(long n, const double *q, long q_stride, double *offset)
{
    for (long i = 0; i < n; i++)
        four_bar_closure_offsets(q + i*q_stride, offset + i*2);
}

void four_bar_loop_coordinates_batch(long n, const double *q, long q_stride, double *q_cut)
{
    for (long i = 0; i < n; i++)
        four_bar_loop_coordinates(q + i*q_stride, q_cut + i*1);
}

void four_bar_loop_jacobian_batch(long n, const double *q, long q_stride, double *C)
{
    for (long i = 0; i < n; i++)
        four_bar_loop_jacobian(q + i*q_stride, C + i*3);
}
