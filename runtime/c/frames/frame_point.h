/* Where a frame is: the pose of its link and the motion axes on the path to it, of which no other link is looked at. */

#ifndef KINEGEN_FRAMES_FRAME_POINT_H
#define KINEGEN_FRAMES_FRAME_POINT_H

#include "../linear/lane_vectors.h"
#include "../linear/sincos.h"
#include "xyz.h"

/* Links from one to the root, where the angles of each begin, one past the last and whole vectors; sines, cosines. */
typedef struct {
    int count, links[BODIES], begin[BODIES + 1];
    double angle[KG_ROUND_UP(PATH_ANGLES + 8)], s[KG_ROUND_UP(PATH_ANGLES + 8)], c[KG_ROUND_UP(PATH_ANGLES + 8)];
} link_path;

/* Numbers of a pose, columns [R p], and of a motion axis, [z; l; p]. */
enum { POSE = 4 * XYZ, AXIS = 3 * XYZ };

/* What carries the poses along a path; the axes on it. */
typedef struct {
    KG_ALIGNED double poses[2][POSE];
    KG_ALIGNED double axes[AXIS * TREE_AXES];
} path_room;

static inline void find_path(const double *p, const double *restrict q, int link, link_path *path)
{
    int count = 0, angles = 0;
    for (int i = link; i >= 0; i = link_above[i]) {
        path->links[count] = i;
        path->begin[count++] = angles;
        angles += KERNEL(link_step_angles, i, q, path->angle + angles);
    }
    path->begin[path->count = count] = angles;
}

/* To the last bit those that each link would find for itself: one with an angle far out takes all its own by libm. */
static inline void turn_path(link_path *path)
{
    const int *begin = path->begin;
#if defined(__GNUC__)
    const int angles = begin[path->count];
    kg_angle_mask far = {0};
    *(kg_angles *)(void *)(path->angle + angles) = (kg_angles){0.0}; /* the last vector's others */
    for (int i = 0; i < angles; i += KG_ANGLES)
        kg_sincos_vector(kg_angles_apart(KG_ANGLES, path->angle + i), path->s + i, path->c + i, &far);
    if (!kg_any_far(far))
        return;
#endif
    for (int i = 0; i < path->count; i++)
        kg_sincos(begin[i + 1] - begin[i], path->angle + begin[i], path->s + begin[i], path->c + begin[i]);
}

/* Pose of a link in world, in `room`, where the axes on its path are then. */
KG_NOINLINE static const double *path_pose(const double *p, const double *restrict q, int link, path_room *room)
{
    static const double world[POSE] = {[0] = 1.0, [XYZ + 1] = 1.0, [2 * XYZ + 2] = 1.0};
    const double *above = world;
    link_path path;
    find_path(p, q, link, &path);
    turn_path(&path);
    for (int k = path.count - 1; k >= 0; k--) { /* from the root to the link */
        const int i = path.links[k];
        const double *s = path.s + path.begin[k], *c = path.c + path.begin[k];
        double *own = room->poses[k & 1], *axes = room->axes + AXIS * link_axis[i];
        KERNEL(link_step, i, s, c, q, above, own, axes);
        above = own;
    }
    return above;
}

/* R x, or R x + p with a place 1. */
static inline void pose_times(const double *pose, const double *x, int place, double *restrict out)
{
    for (int e = 0; e < 3; e += AT_ONCE) {
        const double *at = pose + e;
        kg_xyz sum = x[0] * *kg_xyz_at(at) + x[1] * *kg_xyz_at(at + XYZ) + x[2] * *kg_xyz_at(at + 2 * XYZ);
        if (place)
            sum += *kg_xyz_at(at + 3 * XYZ);
        *kg_xyz_to(out + e) = sum;
    }
}

/* frame = [link index, offset x, y, z in link axes]: the offset's point (XYZ) in world; its link. Axes as above. */
static inline int frame_point(
    const double *p, const double *restrict q, const double *restrict frame, path_room *room, double *restrict point)
{
    const int link = (int)frame[0];
    pose_times(path_pose(p, q, link, room), frame + 1, 1, point);
    return link;
}

/* Column [z x (point - o) + l; z] of axis k of the room: velocity of a world point and turning. */
static inline void path_column(
    const path_room *room, int k, const double *restrict point, double (*restrict column)[XYZ])
{
    const double *axis = room->axes + AXIS * k;
#ifdef KG_ALL_AT_ONCE
    const kg_xyz z = *kg_xyz_at(axis), r = *kg_xyz_at(point) - *kg_xyz_at(axis + 2 * XYZ);
    const kg_xyz turned = z * KG_NEXT(r) - KG_NEXT(z) * r;
    *kg_xyz_to(column[0]) = KG_NEXT(turned) + *kg_xyz_at(axis + XYZ);
    *kg_xyz_to(column[1]) = z;
#else
    const double *z = axis, *l = axis + XYZ, *o = l + XYZ;
    const double rx = point[0] - o[0], ry = point[1] - o[1], rz = point[2] - o[2];
    column[0][0] = z[1] * rz - z[2] * ry + l[0];
    column[0][1] = z[2] * rx - z[0] * rz + l[1];
    column[0][2] = z[0] * ry - z[1] * rx + l[2];
    column[0][3] = 0.0;
    memcpy(column[1], z, sizeof column[1]);
#endif
}

#endif
