/* Coordinates, velocities and forces of the cut joints, read from the pose of the child's side in the parent's.
 * Tables of the model: cut_angle, cut_bound. */

#ifndef KINEGEN_CLOSURE_CUT_JOINTS_H
#define KINEGEN_CLOSURE_CUT_JOINTS_H

#include "partition.h"

#define TWO_PI 6.283185307179586

/* How far the two sides of every loop are apart as far as it locks them, (LOOPS, 2): distance [m], angle [rad]; 0 of
 * what is not active. */
static void offsets(const double *p, const double *q, double *offset)
{
    double r[6 * LOOPS], angle[LOOPS];
    KERNEL(closure_residual, q, r);
    closure_angles(p, q, angle);
    for (int l = 0; l < LOOPS; l++) {
        offset[2 * l] = sqrt(kg_dot(3, r + 6 * l, r + 6 * l));
        offset[2 * l + 1] = is_active(p, l) ? angle[l] : 0.0;
    }
}

/* The largest of these, of all or those `among` them, angles times `length`, and its loop; a NaN is the largest. */
static double widest(const double *p, const double *q, double length, const int *among, int *loop)
{
    double offset[2 * LOOPS], most = -1.0;
    offsets(p, q, offset);
    for (int i = 0; i < 2 * LOOPS && most == most; i++) {
        const double size = i % 2 ? length * offset[i] : offset[i];
        if ((!among || among[i / 2]) && !(size <= most)) {
            most = size;
            *loop = i / 2;
        }
    }
    return most;
}

/* Velocities of the cut joints, and what they are per v: C (cut dofs, nv). */
typedef struct {
    double C[CUT_V * NV + 1], v[CUT_V + 1];
} cut_motion;

/* The angles in q_cut moved by whole turns to where they are next to those in q_last. */
static void unwind(const double *q_last, double *q_cut)
{
    for (int i = 0; i < CUT_ANGLES; i++) {
        const int k = cut_angle[i];
        q_cut[k] = q_last[k] + remainder(q_cut[k] - q_last[k], TWO_PI);
    }
}

/* rate (cut dofs) = C v. */
static void cut_rates(const cut_motion *cut, const double *v, double *rate)
{
    for (int i = 0; i < CUT_V; i++)
        rate[i] = kg_dot(NV, cut->C + i * NV, v);
}

/* f (nv) += C' force. */
static void pull_cut(const cut_motion *cut, const double *force, double *f)
{
    for (int i = 0; i < CUT_V; i++)
        kg_axpy(NV, force[i], cut->C + i * NV, f);
}

/* extra (nv, nv) += C' D C, D the diagonal d (cut dofs); a loop takes few of the velocities. */
static inline void add_through_cut(const cut_motion *cut, const double *d, double *extra)
{
    for (int k = 0; k < CUT_V; k++) {
        const double *row = cut->C + k * NV;
        for (int i = 0; d[k] > 0.0 && i < NV; i++)
            if (row[i] != 0.0)
                kg_axpy(NV, row[i] * d[k], row, extra + i * NV);
    }
}

/* Coordinates of the cut joints, angles next to q_last (null: within half a turn), C and the velocities C v. */
static void read_cut(
    const double *p, const double *q, const double *v, const double *q_last, double *q_cut, cut_motion *cut)
{
    KERNEL(loop_coordinates, q, q_cut);
    if (q_last)
        unwind(q_last, q_cut);
    KERNEL(loop_jacobian, q, cut->C);
    cut_rates(cut, v, cut->v);
}

/* Coordinates and velocities of the tree's joints, then of the cut ones. */
typedef struct {
    double q[NQ + CUT_Q + 1], v[NV + CUT_V + 1];
    cut_motion cut;
} whole_state;

/* Angles as read_cut reads them. */
static inline void read_whole(const double *p, const double *q, const double *v, const double *q_last, whole_state *x)
{
    memcpy(x->q, q, NQ * sizeof *q);
    memcpy(x->v, v, NV * sizeof *v);
    read_cut(p, q, v, q_last, x->q + NQ, &x->cut);
    memcpy(x->v + NV, x->cut.v, CUT_V * sizeof *x->v);
}

/* The angle, moved by whole turns to within the bounds where that can be. */
static double within(double low, double high, double angle)
{
    const double up = angle + TWO_PI * ceil((low - angle) / TWO_PI),
                 down = angle - TWO_PI * ceil((angle - high) / TWO_PI);
    if (angle < low && up <= high)
        return up;
    return angle > high && down >= low ? down : angle;
}

/* Coordinates of the cut joints with all their turns at the first moment: within their bounds where a turn can do
 * it. */
static void first_coordinates(const double *p, const double *q, double *q_cut)
{
    KERNEL(loop_coordinates, q, q_cut);
    for (int i = 0; i < CUT_BOUNDS; i++)
        q_cut[cut_bound[i].q] = within(cut_bound[i].low, cut_bound[i].high, q_cut[cut_bound[i].q]);
}

/* load (cut dofs): what acts along the velocities of the cut joints, their torques in tau (behind those of the tree),
 * springs, dampers and friction; of the active ones. C, the velocities too where these act. 0 if nothing acts. */
static int cut_load(const double *p, const double *q, const double *v, const double *tau, const double *q_last,
    cut_motion *cut, double *load)
{
    int acts = HAS_CUT_FORCES;
    KG_UNROLLED
    for (int i = 0; i < CUT_V; i++) {
        load[i] = !HAS_SWITCHES || is_active(p, cut_loop[i]) ? tau[NV + i] : 0.0;
        acts |= load[i] != 0.0;
    }
#if HAS_CUT_FORCES
    double q_cut[CUT_Q + 1];
    read_cut(p, q, v, q_last, q_cut, cut);
    KERNEL(cut_forces, q_cut, cut->v, load);
#else
    (void)q_last, (void)v;
    if (acts)
        KERNEL(loop_jacobian, q, cut->C);
#endif
    return acts;
}

/* f = tau + springs, dampers and friction of the tree's joints + C' (torques of the cut joints in tau + their own
 * forces); tau: nv numbers, then one for each velocity of the cut joints, of which the active ones count. Angles next
 * to q_last (null: within half a turn). */
static void closed_joint_forces(const double *p, const double *q, const double *v, const double *tau,
    const double *q_last, cut_motion *cut, double *f)
{
    double load[CUT_V + 1];
    KERNEL(passive_forces_open, q, v, f);
    kg_axpy(NV, 1.0, tau, f);
    if (CUT_V > 0 && cut_load(p, q, v, tau, q_last, cut, load))
        pull_cut(cut, load, f);
}

/* What dampers and friction of the tree's joints add to the diagonal of M when they act at the end of a step:
 * d (nv) = dt (damping + friction/sqrt(v^2 + slip^2)). */
static void tree_damping(const double *p, double dt, const double *v, double *d)
{
    (void)p, (void)dt, (void)v;
    memset(d, 0, NV * sizeof *d);
#if HAS_DAMPING
    KERNEL(damping, dt, v, d);
#endif
}

#if HAS_CUT_DAMPING
/* The same of the cut joints, d (cut dofs); after closed_joint_forces. */
static void damping_of_cut(const double *p, double dt, const cut_motion *cut, double *d)
{
    (void)p;
    memset(d, 0, CUT_V * sizeof *d);
    KERNEL(cut_damping, dt, cut->v, d);
}
#endif

#endif
