/* What the formulas of joints take for a number: kg_entry, a number, or a vector with one of each of several states in
 * its lanes, where KG_WIDE_ENTRIES is defined before (lanes/groups.h). KG_ENTRY(name): a function of such numbers;
 * KG_WHERE(mark, a, b): a where a comparison says so, else b; KG_EVERY(x): a constant. */

#ifndef KG_LINEAR_ENTRY_H
#define KG_LINEAR_ENTRY_H

#include "real.h"

#ifdef KG_WIDE_ENTRIES
typedef kg_wide kg_entry;
#define KG_ENTRY(name) kg_wide_##name
#define KG_WHERE(mark, a, b) kg_wide_select((kg_wide_mask)(mark), a, b)
#define KG_EVERY(x) kg_splat(KG_REAL(x))
#else
typedef kg_real kg_entry;
#define KG_ENTRY(name) KG_MATH(name)
#define KG_WHERE(mark, a, b) ((mark) ? (a) : (b))
#define KG_EVERY(x) KG_REAL(x)
#endif

#endif
