/* Vectors in world axes, of which one vector of the compiler holds as many entries as the processor takes at once; in
 * memory each has room for four. */

#ifndef KINEGEN_FRAMES_XYZ_H
#define KINEGEN_FRAMES_XYZ_H

#include "../linear/real.h"

enum { XYZ = 4 };
#if defined(__GNUC__) && defined(__AVX__)
#define KG_ALL_AT_ONCE
enum { AT_ONCE = 4 };
#elif defined(__GNUC__)
enum { AT_ONCE = 2 };
#else
enum { AT_ONCE = 1 };
#endif
#if defined(__GNUC__)
typedef double kg_xyz __attribute__((vector_size(8 * AT_ONCE), aligned(KG_REAL_ALIGNMENT), may_alias));
#else
typedef double kg_xyz;
#endif

/* (y, z, x) */
#if defined(__clang__)
#define KG_NEXT(x) __builtin_shufflevector(x, x, 1, 2, 0, 3)
#elif defined(KG_ALL_AT_ONCE)
typedef long long kg_places __attribute__((vector_size(32)));
#define KG_NEXT(x) __builtin_shuffle(x, (kg_places){1, 2, 0, 3})
#endif

static inline const kg_xyz *kg_xyz_at(const double *x)
{
    return (const kg_xyz *)(const void *)x;
}

static inline kg_xyz *kg_xyz_to(double *x)
{
    return (kg_xyz *)(void *)x;
}

#endif
