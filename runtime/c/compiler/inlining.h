/* Functions that a compiler sets into those that call them, and functions that it does not. */

#ifndef KG_COMPILER_INLINING_H
#define KG_COMPILER_INLINING_H

#if defined(__GNUC__)
#define KG_INLINE inline __attribute__((always_inline))
#define KG_NOINLINE __attribute__((noinline))
#define KG_COLD __attribute__((noinline, cold)) /* few motions call it: it must not make the common path longer */
#else
#define KG_INLINE inline
#define KG_NOINLINE
#define KG_COLD
#endif

#endif
