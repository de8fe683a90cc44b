/* What depends from the velocities that lead, by straight-line code for the states of a block; with one lane
 * (ONE_STATE) for a state, which goes to pivoting where that code does not serve (mathematics, section 8). Tables of
 * the model: leader, follower, entry_row, entry_lead, entry_first, followed, actuated, leading. */

#ifndef KG_LANES_DEPENDENT_H
#define KG_LANES_DEPENDENT_H

#include "../closure/trusted.h"
#include "least.h"

/* Entries of H at q; above TRUSTED they are right. Several kernels call it. */
static KG_NOINLINE void dependence_at(const kg_wide *p, const kg_wide *q, kg_wide *entries, kg_wide *quality)
{
    kg_wide v[NV], shift[FOLLOWERS], both[2];
    for (int i = 0; i < NV; i++)
        v[i] = kg_splat(0.0);
    KERNEL(dependence, q, v, entries, shift, both);
    *quality = both[0];
}

/* W (NV, LEADERS): all velocities per leading one. */
static inline void W_at(const kg_wide *p, const kg_wide *q, kg_wide *W, kg_wide *quality)
{
    kg_wide entries[ENTRIES];
    dependence_at(p, q, entries, quality);
    for (int k = 0; k < NV * LEADERS; k++)
        W[k] = kg_splat(0.0);
    for (int j = 0; j < LEADERS; j++)
        W[leader[j] * LEADERS + j] = kg_splat(1.0);
    for (int e = 0; e < ENTRIES; e++)
        W[entry_row[e] * LEADERS + entry_lead[e]] = entries[e];
}

/* v and a (2, NV) whose dependent entries follow from the leading ones. */
static inline void motion_at(
    const kg_wide *p, const kg_wide *q, const kg_wide *v, const kg_wide *a, kg_wide *motion, kg_wide *quality)
{
    kg_wide entries[ENTRIES], shift[FOLLOWERS], both[2], *a_led = motion + NV;
    KERNEL(dependence, q, v, entries, shift, both);
    for (int i = 0; i < NV; i++) {
        motion[i] = v[i];
        a_led[i] = a[i];
    }
    for (int k = 0; k < FOLLOWERS; k++) {
        kg_wide speed = kg_splat(0.0), rate = shift[k];
        for (int e = entry_first[k]; e < entry_first[k + 1]; e++) {
            const int from = leader[entry_lead[e]];
            speed += entries[e] * v[from];
            rate += entries[e] * a[from];
        }
        motion[follower[k]] = speed;
        a_led[follower[k]] = rate;
    }
    *quality = both[1];
}

/* Rows of W by their places; what stands from NV on, of the cut joints, stays as it is. */
static inline void rows_per_leader(const kg_wide *W, int count, const int *place, kg_wide *rows)
{
    for (int r = 0; r < count; r++)
        if (place[r] < NV)
            memcpy(rows + r * LEADERS, W + place[r] * LEADERS, LEADERS * sizeof *rows);
}

#ifdef HAS_CUT_ROWS
/* Rows of the cut joints (CUT_V, LEADERS) by W, whose rows of velocities that lead are those of the unit matrix. */
static inline void cut_rows_at(const kg_wide *p, const kg_wide *q, const kg_wide *W, kg_wide *rows)
{
    kg_wide C[CUT_LED + CUT_OTHERS];
    KERNEL(cut_rates, q, C);
    for (int k = 0; k < CUT_V * LEADERS; k++)
        rows[k] = kg_splat(0.0);
    for (int e = 0; e < CUT_LED; e++)
        rows[cut_place[e]] = C[e];
    for (int e = 0; e < CUT_OTHERS; e++) {
        const kg_wide *from = W + cut_column[e] * LEADERS, factor = C[CUT_LED + e];
        for (int k = 0; k < LEADERS; k++)
            rows[cut_row[e] * LEADERS + k] += factor * from[k];
    }
}
#endif

#if HAS_SHARES
/* Torques of the actuators (ACTUATED) that balance W' force, the least ones: S' tau = W' force. Above TRUSTED they
 * are right. */
static inline kg_wide share(const kg_wide *W, const kg_wide *S, const kg_wide *force, kg_wide *tau)
{
    kg_wide wanted[LEADERS], work[LEADERS * (LEADERS + 3)];
    for (int k = 0; k < LEADERS; k++)
        wanted[k] = kg_splat(0.0);
    for (int i = 0; i < NV; i++)
        for (int k = 0; k < LEADERS; k++)
            wanted[k] += W[i * LEADERS + k] * force[i];
    return kg_wide_shortest(ACTUATED, LEADERS, S, wanted, work, tau) * TRUSTED;
}
#endif

#ifndef ONE_STATE
static inline void S_at(const kg_wide *p, const kg_wide *q, kg_wide *S, kg_wide *quality)
{
    kg_wide W[NV * LEADERS];
    W_at(p, q, W, quality);
    rows_per_leader(W, ACTUATED, actuated, S);
}

static inline void H_at(const kg_wide *p, const kg_wide *q, kg_wide *H, kg_wide *quality)
{
    kg_wide W[NV * LEADERS];
    W_at(p, q, W, quality);
    rows_per_leader(W, FOLLOWED, followed, H);
#ifdef HAS_CUT_ROWS
    cut_rows_at(p, q, W, H + (FOLLOWED - CUT_V) * LEADERS);
#endif
}

#if HAS_SHARES && defined(HAS_FORCES)
static inline void torques_at(kg_wide *p, kg_wide *q, kg_wide *v, kg_wide *a, kg_wide *tau, kg_wide *quality)
{
    kg_wide W[NV * LEADERS], S[ACTUATED * LEADERS], force[NV];
    inverse_dynamics_of(p, q, v, a, force);
    W_at(p, q, W, quality);
    rows_per_leader(W, ACTUATED, actuated, S);
    *quality = kg_wide_min(*quality, share(W, S, force, tau));
}
#endif
#else
static void no_numbers(int n, double *x)
{
    for (int k = 0; k < n; k++)
        x[k] = (double)NAN;
}

/* As W_at; not numbers where these velocities do not lead. */
static void coefficients(const double *p, const double *q, double *W)
{
    double quality;
    W_at(p, q, W, &quality);
    if (!(quality > TRUSTED) && MODEL(led_coefficients)(1, p, q, leading, W) < 1)
        no_numbers(NV * LEADERS, W);
}

/* Rows of the cut joints (CUT_V, LEADERS) by W. */
static void cut_rows(const double *p, const double *q, const double *W, double *rows)
{
#ifdef HAS_CUT_ROWS
    cut_rows_at(p, q, W, rows);
#else
    double C[CUT_V * NV + 1];
    KERNEL(loop_jacobian, q, C);
    for (int r = 0; r < CUT_V; r++, rows += LEADERS) {
        for (int k = 0; k < LEADERS; k++)
            rows[k] = 0.0;
        for (int j = 0; j < NV; j++)
            if (C[r * NV + j] != 0.0) /* most are zero */
                for (int k = 0; k < LEADERS; k++)
                    rows[k] += C[r * NV + j] * W[j * LEADERS + k];
    }
#endif
}

/* W, and rows of it and of the cut joints. */
static void coefficients_of(const double *p, const double *q, int count, const int *place, double *W, double *rows)
{
    double of_cut[CUT_V * LEADERS + 1];
    coefficients(p, q, W);
    rows_per_leader(W, count, place, rows);
    if (!count || place[count - 1] < NV)
        return;
    cut_rows(p, q, W, of_cut);
    for (int r = 0; r < count; r++)
        if (place[r] >= NV)
            memcpy(rows + r * LEADERS, of_cut + (place[r] - NV) * LEADERS, LEADERS * sizeof *rows);
}

static void led(const double *p, const double *q, const double *v, const double *a, double *motion)
{
    double quality;
    motion_at(p, q, v, a, motion, &quality);
    if (quality > TRUSTED)
        return;
    memcpy(motion, v, NV * sizeof *v);
    memcpy(motion + NV, a, NV * sizeof *a);
    if (MODEL(led_motion)(1, p, q, leading, motion, motion + NV) < 1)
        no_numbers(2 * NV, motion);
}

#if HAS_SHARES
/* Not numbers where the torques are not beyond doubt. */
static void torques(const double *p, const double *q, const double *v, const double *a, double *tau)
{
    double W[NV * LEADERS], S[ACTUATED * LEADERS], force[NV];
    KERNEL(inverse_dynamics, q, v, a, force);
    coefficients_of(p, q, ACTUATED, actuated, W, S);
    if (!(share(W, S, force, tau) > TRUSTED))
        no_numbers(ACTUATED, tau);
}
#endif
#endif

#endif
