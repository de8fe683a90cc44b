/* Motion along the path from a link to the root. Twists and their rates are [linear; angular] of the point of a body
 * that is at one world point just now, world axes. The table axis_first (first axis of the same joint) stands before
 * it. */

#ifndef KINEGEN_DERIVATIVES_PATH_MOTION_H
#define KINEGEN_DERIVATIVES_PATH_MOTION_H

#include "../frames/frame_point.h"

/* An axis, its twist S per unit of v; twist and acceleration of what its joint hangs on, twist of what it moves. */
typedef struct {
    int axis;
    double S[6], V_above[6], A_above[6], V[6];
} path_axis;

/* out += x y of angular velocity x and a vector y. */
static inline void add_turned(const double *x, const double *y, double *out)
{
    out[0] += x[1] * y[2] - x[2] * y[1];
    out[1] += x[2] * y[0] - x[0] * y[2];
    out[2] += x[0] * y[1] - x[1] * y[0];
}

/* out += [w_x x u_y + u_x x w_y; w_x x w_y] of twists x = [u_x; w_x] and y. */
static inline void add_twist_cross(const double *restrict x, const double *restrict y, double *restrict out)
{
    add_turned(x + 3, y, out);
    add_turned(x, y + 3, out);
    add_turned(x + 3, y + 3, out + 3);
}

static inline void copy_twist(const double *restrict from, double *restrict to)
{
    for (int c = 0; c < 6; c++)
        to[c] = from[c];
}

/* From the root to the link: V += S v, A += S a + V_above x S v, joint by joint; gives the number of axes, the last of
 * which is path[0]. */
static inline int path_motion(const double *p, const double *restrict q, const double *restrict v,
    const double *restrict a, const double *restrict frame, path_axis *restrict path, double *restrict V,
    double *restrict A)
{
    path_room room;
    double point[XYZ], column[2][XYZ];
    int count = 0;
    for (int k = axis_last[frame_point(p, q, frame, &room, point)]; k >= 0; k = axis_above[k], count++) {
        path[count].axis = k;
        path_column(&room, k, point, column);
        KG_UNROLLED
        for (int i = 0; i < 3; i++) {
            path[count].S[i] = column[0][i];
            path[count].S[3 + i] = column[1][i];
        }
    }
    for (int c = 0; c < 6; c++)
        V[c] = A[c] = 0.0;
    for (int i = count - 1, end; i >= 0; i = end) {
        double own[6] = {0.0}, above[12];
        copy_twist(V, above);
        copy_twist(A, above + 6);
        for (end = i; end >= 0 && axis_first[path[end].axis] == axis_first[path[i].axis]; end--) {
            const int dof = axis_dof[path[end].axis];
            copy_twist(above, path[end].V_above);
            copy_twist(above + 6, path[end].A_above);
            for (int c = 0; c < 6; c++) {
                own[c] += path[end].S[c] * v[dof];
                A[c] += path[end].S[c] * a[dof];
            }
        }
        add_twist_cross(above, own, A);
        for (int c = 0; c < 6; c++)
            V[c] += own[c];
        for (int k = i; k > end; k--)
            copy_twist(V, path[k].V);
    }
    return count;
}

#endif
