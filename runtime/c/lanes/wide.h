/* KG_WIDTH states at a time: one number of each in the lanes of a vector of the compiler, as wide as the machine's. The
 * operators + - * / act lane by lane; a plain number beside a vector stands in every lane. */

#ifndef KG_LANES_WIDE_H
#define KG_LANES_WIDE_H

#ifndef KG_WIDTH
#if !defined(__GNUC__)
#define KG_WIDTH 1
#elif defined(__AVX512F__)
#define KG_WIDTH 8
#elif defined(__AVX__)
#define KG_WIDTH 4
#else
#define KG_WIDTH 2
#endif
#endif

#if KG_WIDTH > 1
typedef double kg_wide __attribute__((vector_size(8 * KG_WIDTH), may_alias));
typedef long long kg_wide_mask __attribute__((vector_size(8 * KG_WIDTH), may_alias));
/* Anywhere in an array of doubles. */
typedef double kg_wide_at __attribute__((vector_size(8 * KG_WIDTH), aligned(8), may_alias));
#else
typedef double kg_wide;
typedef double kg_wide_at;
#endif

/* x in every lane; minus 0 and not plus 0, which would lose the sign of a zero. */
#define kg_splat(x) ((x) - (kg_wide){0})

/* The lanes of vectors that stand one after the other, as doubles. */
static inline double *kg_lanes_of(kg_wide *x)
{
    return (double *)(void *)x;
}

#endif
