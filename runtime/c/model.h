/* What the sized part of this library (all but linear/, geometry/ and terrain/) is compiled for. Sizes are constants,
 * so that loops unroll and branches fold: a file of the model includes PREFIX_model.h and its tables first, then one of
 *
 *     kinegen/tree/KERNEL.h       a kernel of the tree that is a loop over its paths; each reads tables of its own
 *     kinegen/step/step.h         closure and time step
 *     kinegen/contact/contact.h   constraint rows: contacts, joint limits, locks, dry friction
 *
 * PREFIX_model.h defines MODEL(name), the model's own name of a function or type; KERNEL(name, ...), a call of one of
 * its straight-line kernels with the parameters p in scope; features HAS_... as 0 or 1; and the sizes as an enum. */

#ifndef MODEL
#error "include PREFIX_model.h before the files of kinegen/"
#endif
