/* Height fields as tables. */

#ifndef KG_TERRAIN_H
#define KG_TERRAIN_H

/* Heights z over a grid of count[0] by count[1] corners, `step` apart along x and y, about the origin; the highest. */
typedef struct {
    int count[2];
    double step[2], top;
    const double *z;
} kg_terrain;

#endif
