/* Packs: a number of each of two or four limbs that are alike in a vector of the compiler, limb by limb. */

#ifndef KG_LINEAR_PACKS_H
#define KG_LINEAR_PACKS_H

#include "real.h"

/* The most limbs that a vector of the processor takes; 1: it takes none, and limbs are computed one by one. */
#ifndef KG_PACK
#if !defined(__GNUC__)
#define KG_PACK 1
#elif defined(__AVX__)
#define KG_PACK 4
#else
#define KG_PACK 2
#endif
#endif

#if KG_PACK >= 2
typedef double kg_pack_2 __attribute__((vector_size(16)));
typedef double kg_line_2 __attribute__((vector_size(16), aligned(KG_REAL_ALIGNMENT), may_alias));
typedef long long kg_signs_2 __attribute__((vector_size(16)));

/* -x where a sign is KG_MINUS, x where it is 0. */
#define KG_MINUS (-0x7fffffffffffffffLL - 1)
static inline kg_pack_2 kg_turned_2(kg_pack_2 x, kg_signs_2 sign)
{
    return (kg_pack_2)((kg_signs_2)x ^ sign);
}

/* Numbers that stand side by side. */
static inline kg_pack_2 kg_read_2(const double *x)
{
    return *(const kg_line_2 *)(const void *)x;
}

static inline void kg_write_2(kg_pack_2 x, double *to)
{
    *(kg_line_2 *)(void *)to = x;
}

/* x and y side by side, limb by limb. */
static inline void kg_across_2(kg_pack_2 x, kg_pack_2 y, double *first, double *second)
{
    kg_write_2((kg_pack_2){x[0], y[0]}, first);
    kg_write_2((kg_pack_2){x[1], y[1]}, second);
}
#endif

#if KG_PACK >= 4
typedef double kg_pack_4 __attribute__((vector_size(32)));
typedef double kg_line_4 __attribute__((vector_size(32), aligned(KG_REAL_ALIGNMENT), may_alias));
typedef long long kg_signs_4 __attribute__((vector_size(32)));

static inline kg_pack_4 kg_turned_4(kg_pack_4 x, kg_signs_4 sign)
{
    return (kg_pack_4)((kg_signs_4)x ^ sign);
}

static inline kg_pack_4 kg_read_4(const double *x)
{
    return *(const kg_line_4 *)(const void *)x;
}

static inline void kg_write_4(kg_pack_4 x, double *to)
{
    *(kg_line_4 *)(void *)to = x;
}

static inline void kg_across_4(kg_pack_4 x, kg_pack_4 y, double *first, double *second, double *third, double *fourth)
{
    kg_across_2((kg_pack_2){x[0], x[1]}, (kg_pack_2){y[0], y[1]}, first, second);
    kg_across_2((kg_pack_2){x[2], x[3]}, (kg_pack_2){y[2], y[3]}, third, fourth);
}
#endif

#endif
