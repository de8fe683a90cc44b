/* When the straight-line code of a closed mechanism, whose partition is fixed, is believed. */

#ifndef KINEGEN_CLOSURE_TRUSTED_H
#define KINEGEN_CLOSURE_TRUSTED_H

#ifndef MISFIT
#define MISFIT 0.0 /* loops close: their dimensions are not rounded */
#endif

#ifndef UNIT_LENGTH
#define UNIT_LENGTH 1.0 /* [m] what lengths of gaps are measured by: the loops are neither tiny nor huge */
#endif

#define TRUSTED (MISFIT > 0.0 ? 0.1 : 1e-3) /* pivot ratio above which the straight-line code is trusted */

#endif
