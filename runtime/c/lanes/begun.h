/* A step of a tree of which lanes have found what it begins with: see beside.h. */

#ifndef KINEGEN_LANES_BEGUN_H
#define KINEGEN_LANES_BEGUN_H

/* The step is not, or no longer, one that was begun by lanes. */
static void begin_alone(const simulation *s)
{
    if (s->workspace)
        s->workspace->begun = 0;
}

/* Forces and diagonal of a semi-implicit step; 0 if none were found. */
static int take_terms(const simulation *s, step_terms *t)
{
    if (!s->workspace || !s->workspace->begun)
        return 0;
    memcpy(t->f, s->workspace->begun->f, sizeof t->f);
    memcpy(t->d, s->workspace->begun->d, sizeof t->d);
    return 1;
}

/* L, D, half a solve, poses and motion axes; 0 if none were found, or of other forces or another diagonal. */
static int take_factors(const step_terms *t, MODEL(contact_workspace) * w)
{
    if (!w->begun || memcmp(t->f, w->begun->f, sizeof t->f) || memcmp(t->d, w->begun->d, sizeof t->d))
        return 0;
    memcpy(w->z, w->begun->z, sizeof w->z);
    memcpy(w->iD, w->begun->iD, sizeof w->iD);
    memcpy(w->L, w->begun->L, sizeof w->L);
    memcpy(w->poses, w->begun->poses, sizeof w->begun->poses);
    memcpy(w->axes, w->begun->axes, sizeof w->begun->axes);
    memcpy(w->origins, w->begun->origins, sizeof w->begun->origins);
    return 1;
}

#endif
