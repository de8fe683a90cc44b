/* two_holds: closure of the loops that are active.
 *
 * Straight-line code, one value a name: LETTERS_link_axis, where nothing else is said along axes of the link that are
 * turned so that its joint, if it has one degree of freedom, turns about or slides along z.
 * neg_..: the negative of what the name says; _2, _3: another or a later one of that name; an output's name and a
 * number: an entry of it.
 */

#include <math.h>
#include "kinegen/linear/real.h"

/* What is defined and called here, as two_holds.h declares it. */
void two_holds_closure_residual(const double *p, const double *q, double *gap);
void two_holds_closure_rows(const double *p, const double *q, double *K);
void two_holds_closure_rows_bias(const double *p, const double *q, const double *v, double *dKv);
void two_holds_cut_poses(const double *p, const double *q, double *poses);
void two_holds_cut_twists(const double *p, const double *q, double *twists);
void two_holds_closure_bias(const double *p, const double *q, const double *v, double *dJv);
void two_holds_closure_jacobian(const double *p, const double *q, double *J_C);
void two_holds_closure_residual_batch(long n, const double *p, const double *q, long q_stride, double *gap);
void two_holds_closure_rows_batch(long n, const double *p, const double *q, long q_stride, double *K);
void two_holds_closure_rows_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *dKv);
void two_holds_cut_poses_batch(long n, const double *p, const double *q, long q_stride, double *poses);
void two_holds_cut_twists_batch(long n, const double *p, const double *q, long q_stride, double *twists);
void two_holds_closure_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *dJv);
void two_holds_closure_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *J_C);

#include "two_holds.h"

enum { NV = 2 };

void two_holds_closure_residual(const double *restrict p, const double *restrict q, double *restrict gap)
{
    (void)p, (void)q;
    if (p[24] != 0.0)
        two_holds_loop0_gap(p, q, gap + 0);
    else
        for (int i = 0; i < 6; i++)
            gap[0 + i] = 0.0;
    if (p[25] != 0.0)
        two_holds_loop1_gap(p, q, gap + 6);
    else
        for (int i = 0; i < 6; i++)
            gap[6 + i] = 0.0;
}

void two_holds_closure_rows(const double *restrict p, const double *restrict q, double *restrict K)
{
    (void)p, (void)q;
    if (p[24] != 0.0)
        two_holds_loop0_rows(p, q, K + 0);
    else
        for (int i = 0; i < 12; i++)
            K[0 + i] = 0.0;
    if (p[25] != 0.0)
        two_holds_loop1_rows(p, q, K + 12);
    else
        for (int i = 0; i < 12; i++)
            K[12 + i] = 0.0;
}

void two_holds_closure_rows_bias(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict dKv)
{
    (void)p, (void)q;
    if (p[24] != 0.0)
        two_holds_loop0_turning(p, q, v, dKv + 0);
    else
        for (int i = 0; i < 6; i++)
            dKv[0 + i] = 0.0;
    if (p[25] != 0.0)
        two_holds_loop1_turning(p, q, v, dKv + 6);
    else
        for (int i = 0; i < 6; i++)
            dKv[6 + i] = 0.0;
}

void two_holds_cut_poses(const double *restrict p, const double *restrict q, double *restrict poses)
{
    (void)p, (void)q;
    two_holds_loop0_pose(p, q, poses + 0);
    two_holds_loop1_pose(p, q, poses + 12);
}

void two_holds_cut_twists(const double *restrict p, const double *restrict q, double *restrict twists)
{
    (void)p, (void)q;
    two_holds_loop0_twist(p, q, twists + 0);
    two_holds_loop1_twist(p, q, twists + 12);
}

void two_holds_closure_bias(const double *restrict p, const double *restrict q, const double *restrict v,
    double *restrict dJv)
{
    (void)p, (void)q;
    if (p[24] != 0.0)
        two_holds_loop0_bias(p, q, v, dJv + 0);
    else
        for (int i = 0; i < 6; i++)
            dJv[0 + i] = 0.0;
    if (p[25] != 0.0)
        two_holds_loop1_bias(p, q, v, dJv + 6);
    else
        for (int i = 0; i < 6; i++)
            dJv[6 + i] = 0.0;
}

void two_holds_closure_jacobian(const double *restrict p, const double *restrict q, double *restrict J_C)
{
    for (int i = 0; i < 12*(NV + 2); i++)
        J_C[i] = 0.0;
    if (p[24] != 0.0) {
        double J[6*(NV + 1)];
        two_holds_loop0_jacobian(p, q, J);
        for (int i = 0; i < 6; i++) {
            double *row = J_C + (0 + i)*(NV + 2);
            for (int j = 0; j < NV; j++)
                row[j] = J[i*(NV + 1) + j];
            for (int j = 0; j < 1; j++)
                row[NV + 0 + j] = J[i*(NV + 1) + NV + j];
        }
    }
    if (p[25] != 0.0) {
        double J[6*(NV + 1)];
        two_holds_loop1_jacobian(p, q, J);
        for (int i = 0; i < 6; i++) {
            double *row = J_C + (6 + i)*(NV + 2);
            for (int j = 0; j < NV; j++)
                row[j] = J[i*(NV + 1) + j];
            for (int j = 0; j < 1; j++)
                row[NV + 1 + j] = J[i*(NV + 1) + NV + j];
        }
    }
}

void two_holds_closure_residual_batch(long n, const double *p, const double *q, long q_stride, double *gap)
{
    for (long i = 0; i < n; i++)
        two_holds_closure_residual(p, q + i*q_stride, gap + i*12);
}

void two_holds_closure_rows_batch(long n, const double *p, const double *q, long q_stride, double *K)
{
    for (long i = 0; i < n; i++)
        two_holds_closure_rows(p, q + i*q_stride, K + i*24);
}

void two_holds_closure_rows_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *dKv)
{
    for (long i = 0; i < n; i++)
        two_holds_closure_rows_bias(p, q + i*q_stride, v + i*v_stride, dKv + i*12);
}

void two_holds_cut_poses_batch(long n, const double *p, const double *q, long q_stride, double *poses)
{
    for (long i = 0; i < n; i++)
        two_holds_cut_poses(p, q + i*q_stride, poses + i*24);
}

void two_holds_cut_twists_batch(long n, const double *p, const double *q, long q_stride, double *twists)
{
    for (long i = 0; i < n; i++)
        two_holds_cut_twists(p, q + i*q_stride, twists + i*24);
}

void two_holds_closure_bias_batch(long n, const double *p, const double *q, long q_stride, const double *v,
    long v_stride, double *dJv)
{
    for (long i = 0; i < n; i++)
        two_holds_closure_bias(p, q + i*q_stride, v + i*v_stride, dJv + i*12);
}

void two_holds_closure_jacobian_batch(long n, const double *p, const double *q, long q_stride, double *J_C)
{
    for (long i = 0; i < n; i++)
        two_holds_closure_jacobian(p, q + i*q_stride, J_C + i*48);
}
