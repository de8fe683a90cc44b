/* crane: slower routes to compare with.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * a, ap, aq: acceleration of the link's origin, with gravity where forces follow; as the parent carries it; turned
 * u, up: velocity of the link's origin; as the parent carries it (articulated: u is the joint force left)
 * f, fp, n: force and moment about the link's origin; p: in the parent's axes
 * m, s, S: mass, first moment and second moment of mass
 * I, H, M: articulated inertia [I H; H' M]; M also entries of the mass matrix
 * Ip, Hp, Mp, Hs: I, H, M in the parent's axes, H about its origin
 * Un, Uf, D, iD: articulated inertia along the joint's axis, D = its entry there, iD = 1/D (also of M = L'DL)
 * Vn, Vf, uD, dv: Un/D, Uf/D, u/D, acceleration of the joint
 * pn, pf, qn, qf, rn, rf: articulated bias wrench; with the joint's velocity products; in the parent's axes
 * wxp, wwp, wxs: w x p, w x (w x p), w x s
 * h: half of a turn, R S of R S R'; height along gravity
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 */

#include "crane_model.h"
#include "kinegen/linear/sincos.h"

/* What is defined and called here, as crane.h declares it. */
void crane_forward_dynamics_articulated(const double *p, const double *q, const double *v, const double *tau,
    double *a);
void crane_mass_matrix_cog(const double *p, const double *q, double *M);
void crane_mass_matrix_unit_vector(const double *p, const double *q, double *M);
void crane_inverse_dynamics_cog(const double *p, const double *q, const double *v, const double *a, double *tau);
void crane_forward_dynamics_unit_vector(const double *p, const double *q, const double *v, const double *tau,
    double *a);
void crane_cog_bias(const double *p, const double *q, const double *v, double *dGv);
void crane_bias(const double *p, const double *q, const double *v, double *h);
void crane_forward_dynamics_articulated_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a);
void crane_mass_matrix_cog_batch(long n, const double *p, const double *q, long q_stride, double *M);
void crane_mass_matrix_unit_vector_batch(long n, const double *p, const double *q, long q_stride, double *M);
void crane_inverse_dynamics_cog_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau);
void crane_forward_dynamics_unit_vector_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a);

/* Acceleration by articulated bodies. 20 mul, 8 add, 2 div, 1 sincos. */
void crane_forward_dynamics_articulated(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    const double m_trolley = p[3] + p[2];

    /* load */
    const double neg_wxs_load_y = neg_s_load_x*v[1];
    const double pf_load_x = v[1]*neg_wxs_load_y;

    /* load, articulated */
    const double iD_load = 1.0/S_load_xx;
    const double neg_Vf_load_y = neg_s_load_x*iD_load;
    const double neg_M_load_yy = neg_s_load_x*neg_Vf_load_y;
    const double neg_pf_load_y = tau[1]*neg_Vf_load_y;
    const double uD_load = tau[1]*iD_load;
    const double h_Mp_load = s[0]*neg_M_load_yy;
    const double neg_Mp_load_xx = s[0]*h_Mp_load;
    const double Mp_load_xy = c[0]*h_Mp_load;
    const double neg_Mp_load_yy = neg_M_load_yy - neg_Mp_load_xx;
    const double rf_load_z = s[0]*pf_load_x - c[0]*neg_pf_load_y;
    const double M_trolley_zz = m_trolley - neg_Mp_load_yy;

    /* trolley, articulated */
    const double iD_trolley = 1.0/M_trolley_zz;
    const double u_trolley = tau[0] - rf_load_z;
    const double Vf_trolley_y = Mp_load_xy*iD_trolley;
    const double uD_trolley = iD_trolley*u_trolley;

    /* trolley, acceleration */
    const double neg_dv_trolley = p[0]*Vf_trolley_y - uD_trolley;
    a[0] = -neg_dv_trolley;

    /* load, acceleration */
    const double neg_aq_load_y = p[0]*s[0] + c[0]*neg_dv_trolley;
    const double neg_dv_load = neg_Vf_load_y*neg_aq_load_y - uD_load;
    a[1] = -neg_dv_load;
}

void crane_forward_dynamics_articulated_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        crane_forward_dynamics_articulated(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}

/* Motion axes [z; l; p] and centres of mass, world axes. 2 mul, 1 add, 1 sincos. */
static void crane_motion_columns(const double *restrict p, const double *restrict q, double *restrict axes,
    double *restrict centers)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 18; i++) axes[i] = 0.0;
    axes[3] = 1.0;
    axes[10] = 1.0;
    centers[1] = 0.0;
    centers[2] = 0.0;
    centers[4] = 0.0;
    axes[6] = q[0];
    axes[15] = q[0];
    centers[0] = q[0];

    /* load */
    const double neg_pG_load_x = p[1]*s[0] - q[0];
    centers[3] = -neg_pG_load_x;
    const double neg_pG_load_z = p[1]*c[0];
    centers[5] = -neg_pG_load_z;
}

/* Moments of inertia about the centres of mass in world axes, masses. No operations. */
static void crane_world_inertias(const double *restrict p, const double *restrict q, double *restrict inertias,
    double *restrict masses)
{
    (void)q;
    for (int i = 0; i < 18; i++) inertias[i] = 0.0;
    masses[0] = p[3];
    masses[1] = p[2];
}

/* Armature of every joint. No operations. */
static void crane_armatures(const double *restrict p, const double *restrict q, double *restrict armatures)
{
    (void)p;
    (void)q;
    armatures[0] = 0.0;
    armatures[1] = 0.0;
}

/* Joint forces at rest without gravity. 9 mul, 3 add, 1 sincos. */
static void crane_unit_torque(const double *restrict p, const double *restrict q, const double *restrict a,
    double *restrict tau)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);

    /* load */
    const double neg_s_load_x = p[1]*p[2];
    const double S_load_xx = p[1]*p[1]*p[2];
    const double m_trolley = p[3] + p[2];

    /* trolley */
    const double f_trolley_z = a[0]*m_trolley;

    /* load */
    const double a_load_y = c[0]*a[0];
    const double neg_f_load_y = neg_s_load_x*a[1];
    const double neg_n_load_z = neg_s_load_x*a_load_y - S_load_xx*a[1];
    tau[1] = -neg_n_load_z;

    /* load, back */
    const double neg_fp_load_z = c[0]*neg_f_load_y;
    const double f_trolley_z_2 = f_trolley_z - neg_fp_load_z;
    tau[0] = f_trolley_z_2;
}

/* Acceleration of gravity, world axes. No operations. */
static void crane_gravity_vector(const double *restrict p, const double *restrict q, double *restrict g)
{
    (void)q;
    g[0] = 0.0;
    g[1] = 0.0;
    g[2] = -p[0];
}

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};
/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0};
/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};
/* Where each row of L of M = L'DL begins. */
static const int factor_row[] = {0, 0, 1};
/* The columns in which its entries stand. */
static const int factor_column[] = {0};

#include "kinegen/tree/mass_matrix_cog.h"
#include "kinegen/tree/mass_matrix_unit_vector.h"
#include "kinegen/tree/inverse_dynamics_cog.h"
#include "kinegen/tree/forward_dynamics_unit_vector.h"

/* Mass matrix M = G' M^ G. */
void crane_mass_matrix_cog(const double *restrict p, const double *restrict q, double *restrict M)
{
    mass_matrix_cog(p, q, M);
}

/* Mass matrix M by unit vectors. */
void crane_mass_matrix_unit_vector(const double *restrict p, const double *restrict q, double *restrict M)
{
    mass_matrix_unit_vector(p, q, M);
}

/* Joint forces by the COG Jacobian: tau = G'(M^ ddq_G + b^). */
void crane_inverse_dynamics_cog(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a, double *restrict tau)
{
    inverse_dynamics_cog(p, q, v, a, tau);
}

/* Acceleration by unit vectors. */
void crane_forward_dynamics_unit_vector(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict tau, double *restrict a)
{
    forward_dynamics_unit_vector(p, q, v, tau, a);
}

void crane_mass_matrix_cog_batch(long n, const double *p, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        crane_mass_matrix_cog(p, q + i*q_stride, M + i*4);
}

void crane_mass_matrix_unit_vector_batch(long n, const double *p, const double *q, long q_stride, double *M)
{
    for (long i = 0; i < n; i++)
        crane_mass_matrix_unit_vector(p, q + i*q_stride, M + i*4);
}

void crane_inverse_dynamics_cog_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *tau)
{
    for (long i = 0; i < n; i++)
        crane_inverse_dynamics_cog(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, tau + i*2);
}

void crane_forward_dynamics_unit_vector_batch(long n, const double *p, const double *q, long q_stride,
    const double *v, long v_stride, const double *tau, long tau_stride, double *a)
{
    for (long i = 0; i < n; i++)
        crane_forward_dynamics_unit_vector(p, q + i*q_stride, v + i*v_stride, tau + i*tau_stride, a + i*2);
}
