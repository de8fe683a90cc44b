/* Momentum of a tree, for pushes. Part of tree.h. */

#ifndef KINEGEN_STEP_TREE_MOMENTUM_H
#define KINEGEN_STEP_TREE_MOMENTUM_H

/* 1: nothing but rows holds a root. */
static int is_free_root(const simulation *s, const root *r)
{
    (void)s, (void)r;
    return 1;
}

/* Before momentum_of and momentum_response: M = L'DL at q, without dampers. */
static void momentum_terms(const simulation *s, const double *q)
{
    const double still[NV] = {0.0};
    step_terms t;
    memset(&t, 0, sizeof t);
    factor_all(s, q, still, &t);
}

/* h = M v. */
static void momentum_of(const simulation *s, const double *v, double *h)
{
    MODEL(contact_momentum)(v, h, s->workspace);
}

/* x = M^-1 g. */
static void momentum_response(const simulation *s, const double *q, const double *g, double *x)
{
    double z[NV];
    if (s->driving) {
        answer_driven(s, q, g, x);
        return;
    }
    MODEL(contact_descend)(g, z, s->workspace);
    finish(s, q, 1.0, z, x);
}

#endif
