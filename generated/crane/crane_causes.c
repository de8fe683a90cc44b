/* crane: torque by cause.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, along the axes of the link where nothing else is said.
 * neg_..: the negative of what the name says; _2, _3: the same quantity, further on; an output's name and a number: an
 * entry of it.
 * c[], s[]: cosine and sine of the joint angles
 * ww: products of entries of w
 * pG, vG, aG, Gx, ddq: centre of mass: position, velocity, acceleration; its part by joint accelerations
 */

#include "crane.h"
#include "kinegen/linear/sincos.h"

/* Axes, mass centres, inertias and accelerations of the velocities, world axes. 6 mul, 1 add, 1 sincos. */
static void cause_parts(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict axes,
    double *restrict rotors, double *restrict centers, double *restrict inertias, double *restrict masses,
    double *restrict drift)
{
    double s[KG_ROUND_UP(1)], c[KG_ROUND_UP(1)];
    kg_sincos(1, q + 1, s, c);
    for (int i = 0; i < 18; i++)
        axes[i] = 0.0;
    for (int i = 0; i < 18; i++)
        inertias[i] = 0.0;
    for (int i = 0; i < 12; i++)
        drift[i] = 0.0;
    axes[3] = 1.0;
    axes[10] = 1.0;
    rotors[0] = 0.0;
    rotors[1] = 0.0;
    centers[1] = 0.0;
    centers[2] = 0.0;
    centers[4] = 0.0;
    axes[6] = q[0];
    axes[15] = q[0];
    centers[0] = q[0];
    masses[0] = p[3];
    masses[1] = p[2];

    /* load */
    const double neg_pG_load_x = p[1]*s[0] - q[0];
    centers[3] = -neg_pG_load_x;
    const double neg_pG_load_z = p[1]*c[0];
    centers[5] = -neg_pG_load_z;
    const double ww_load = v[1]*v[1];
    const double aG_x = p[1]*ww_load;
    const double drift_6 = s[0]*aG_x;
    drift[6] = drift_6;
    const double drift_8 = c[0]*aG_x;
    drift[8] = drift_8;
}

enum { NV = 2, LINKS = 2, AXES = 2 };

/* Motion axis k moves dof axis_dof[k]. */
static const int axis_dof[] = {0, 1};

/* The next axis towards the root (-1: none): the paths of the tree. */
static const int axis_above[] = {-1, 0};

/* The motion axis at which the path of link i ends. */
static const int axis_last[] = {0, 1};

/* The link that each motion axis moves. */
static const int axis_link[] = {0, 1};

/* terms[dof][link][cause]: what the joint must exert because of the link's acceleration G_i a (0), the centrifugal and
 * Coriolis part dG_i/dt v and w x I w (1), and gravity (2). The wrench of a cause is [m ddp_G; I dw] at the mass
 * centre;
 * its share of a dof is the component along [z x r + l; z], r from the axis to the mass centre. The rotor of a joint
 * (armature) counts with the link that the joint moves. The sum over links and causes is the torque. */
void crane_torque_terms(const double *restrict p, const double *restrict q, const double *restrict v,
    const double *restrict a,
    double *restrict terms)
{
    const double gravity[3] = {0.0, 0.0, (-p[0])};
    double axes[9*AXES], rotors[AXES], centers[3*LINKS], inertias[9*LINKS], masses[LINKS], drift[6*LINKS], J[AXES][6];
    cause_parts(p, q, v, axes, rotors, centers, inertias, masses, drift);
    for (int i = 0; i < 3*NV*LINKS; i++)
        terms[i] = 0.0;
    for (int i = 0; i < LINKS; i++) {
        const double *c = centers + 3*i, *I = inertias + 9*i, *drifted = drift + 6*i;
        double moved[6] = {0.0}, w[3] = {0.0}, L[3], wrench[3][6];
        for (int k = axis_last[i]; k >= 0; k = axis_above[k]) {
            const double *z = axes + 9*k, *l = z + 3, *o = z + 6;
            const double r[3] = {c[0] - o[0], c[1] - o[1], c[2] - o[2]};
            J[k][0] = z[1]*r[2] - z[2]*r[1] + l[0];
            J[k][1] = z[2]*r[0] - z[0]*r[2] + l[1];
            J[k][2] = z[0]*r[1] - z[1]*r[0] + l[2];
            for (int m = 0; m < 3; m++) {
                J[k][3 + m] = z[m];
                w[m] += z[m]*v[axis_dof[k]];
            }
            for (int m = 0; m < 6; m++)
                moved[m] += J[k][m]*a[axis_dof[k]];
        }
        for (int m = 0; m < 3; m++) {
            const double *row = I + 3*m;
            wrench[0][m] = masses[i]*moved[m];
            wrench[1][m] = masses[i]*drifted[m];
            wrench[2][m] = -masses[i]*gravity[m];
            wrench[0][3 + m] = row[0]*moved[3] + row[1]*moved[4] + row[2]*moved[5];
            wrench[1][3 + m] = row[0]*drifted[3] + row[1]*drifted[4] + row[2]*drifted[5];
            wrench[2][3 + m] = 0.0;
            L[m] = row[0]*w[0] + row[1]*w[1] + row[2]*w[2];
        }
        wrench[1][3] += w[1]*L[2] - w[2]*L[1];
        wrench[1][4] += w[2]*L[0] - w[0]*L[2];
        wrench[1][5] += w[0]*L[1] - w[1]*L[0];
        for (int k = axis_last[i]; k >= 0; k = axis_above[k])
            for (int cause = 0; cause < 3; cause++)
                for (int m = 0; m < 6; m++)
                    terms[3*(LINKS*axis_dof[k] + i) + cause] += J[k][m]*wrench[cause][m];
    }
    for (int k = 0; k < AXES; k++)
        terms[3*(LINKS*axis_dof[k] + axis_link[k])] += rotors[k]*a[axis_dof[k]];
}


void crane_torque_terms_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, const double *a, long a_stride, double *terms)
{
    for (long i = 0; i < n; i++)
        crane_torque_terms(p, q + i*q_stride, v + i*v_stride, a + i*a_stride, terms + i*12);
}
