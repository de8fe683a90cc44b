/* Parts of a step that events divide: what rows exert is told as the mean over the whole step. */

#ifndef KINEGEN_WATCH_PARTS_H
#define KINEGEN_WATCH_PARTS_H

typedef MODEL(condition) condition;

/* Part of the whole step that one of dt is. */
static double share_of(const simulation *s, double dt)
{
    return dt < s->whole ? dt / s->whole : 1.0;
}

/* 1 if dt after where the call begins no step is under way. */
static int is_between_steps(const simulation *s, double dt)
{
    const double since = s->since + dt;
    return !(since > 0.0 && since < s->whole * (1.0 - SAME_MOMENT));
}

/* What of the present step is not told of: the rest of it, and what passed before a change of structure. */
static inline double untold(const memory *m)
{
    const double rest = 1.0 - m->earlier - m->share;
    return m->loaded == NOT_KNOWN ? 1.0 : rest > SAME_MOMENT ? rest : 0.0;
}

/* The next step begins, or the next part of the same: forces of the parts before count by their shares. */
static void begin_part(const simulation *s)
{
    memory *m = s->memory;
    const double share = s->since > 0.0 ? m->share : 0.0;
    for (long i = 0; i < s->watches; i++) {
        condition *w = s->watch + i;
        double f[3] = {0.0};
#if HAS_ROWS
        if (s->workspace && w->kind == MODEL(CONTACT_FORCE))
            MODEL(contact_force)(s->contacts, (int)w->first, (int)w->second, f);
#endif
        for (int k = 0; k < 3; k++)
            w->passed[k] = s->since > 0.0 ? w->passed[k] + share * f[k] : 0.0;
    }
    if (!(s->since > 0.0)) {
        m->earlier = 0.0;
        memset(m->passed, 0, sizeof m->passed);
        return;
    }
    if (m->loaded != NOT_KNOWN) {
        m->earlier += share;
        kg_axpy(NV, share, m->load, m->passed);
    }
#if HAS_ROWS
    if (s->workspace && m->loaded == LOADED)
        MODEL(contact_stops)(s->contacts, share, m->passed + NV);
#endif
    m->share = 0.0;
}

#endif
