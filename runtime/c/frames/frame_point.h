/* Where a frame is: the pose of its link and the motion axes on the path to it, of which no other link is looked at. */

#ifndef KINEGEN_FRAMES_FRAME_POINT_H
#define KINEGEN_FRAMES_FRAME_POINT_H

#include "../linear/sincos.h"
#include "../tree/columns.h"

/* Links from one to the root, where the angles of each begin, one past the last and whole vectors; sines, cosines. */
typedef struct {
    int count, links[BODIES], begin[BODIES + 1];
    double angle[KG_ROUND_UP(PATH_ANGLES + 8)], s[KG_ROUND_UP(PATH_ANGLES + 8)], c[KG_ROUND_UP(PATH_ANGLES + 8)];
} link_path;

/* What carries the poses along a path. */
typedef struct {
    double poses[2][12], axes[9 * TREE_AXES];
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
    const int angles = begin[path->count], all = KG_ROUND_UP(angles);
    kg_angle_mask far = {0};
    for (int i = angles; i < all; i++)
        path->angle[i] = 0.0;
    for (int i = 0; i < angles; i += KG_ANGLES)
        kg_sincos_vector(kg_angles_apart(KG_ANGLES, path->angle + i), path->s + i, path->c + i, &far);
    if (!kg_any_far(far))
        return;
#endif
    for (int i = 0; i < path->count; i++)
        kg_sincos(begin[i + 1] - begin[i], path->angle + begin[i], path->s + begin[i], path->c + begin[i]);
}

/* [R p] (3, 4) of a link in world, in `room`, where the axes (TREE_AXES, 9) on its path are then. */
static inline const double *path_pose(const double *p, const double *restrict q, int link, path_room *room)
{
    static const double world[12] = {1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    const double *above = world;
    link_path path;
    find_path(p, q, link, &path);
    turn_path(&path);
    for (int k = path.count - 1; k >= 0; k--) { /* from the root to the link */
        const int i = path.links[k], angles = path.begin[k];
        double *own = room->poses[k & 1];
        KERNEL(link_step, i, path.s + angles, path.c + angles, q, above, own, room->axes + 9 * link_axis[i]);
        above = own;
    }
    return above;
}

/* frame = [link index, offset x, y, z in link axes]: the offset's point in world; its link. Axes as above. */
static inline int frame_point(
    const double *p, const double *restrict q, const double *restrict frame, path_room *room, double *restrict point)
{
    const int link = (int)frame[0];
    const double *pose = path_pose(p, q, link, room);
    const double x = frame[1], y = frame[2], z = frame[3];
    point[0] = pose[0] * x + pose[1] * y + pose[2] * z + pose[3];
    point[1] = pose[4] * x + pose[5] * y + pose[6] * z + pose[7];
    point[2] = pose[8] * x + pose[9] * y + pose[10] * z + pose[11];
    return link;
}

#endif
