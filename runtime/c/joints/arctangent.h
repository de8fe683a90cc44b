/* Arc tangents, by arithmetic alone and without a case. */

#ifndef KG_JOINTS_ARCTANGENT_H
#define KG_JOINTS_ARCTANGENT_H

#include "../linear/entry.h"

/* (1 - atan(x)/x)/x^2 from z = x^2 <= 1: the polynomial of least relative error, 8.3e-17 (in single precision 1.7e-10);
 * 1/3 at zero. Powers of z are formed beside each other, as sums of four that wait for none of the others. */
static inline kg_entry kg_atan_rest(kg_entry z)
{
#ifdef KG_SINGLE
    static const kg_real c[] = {0.333333333275399f, -0.1999999829178547f, 0.14285630199800123f, -0.11109472676452395f,
        0.0907418041216794f, -0.07589520205788819f, 0.06254510316475488f, -0.04744556508310215f, 0.030091618601568147f,
        -0.014204359106983614f, 0.0042764174127000835f, -0.0006029060784968741f};
#else
    static const kg_real c[] = {0.3333333333333333, -0.1999999999999775, 0.14285714285409548, -0.11111111094674309,
        0.09090908620075418, -0.0769229941083653, 0.06666569108294138, -0.05881537932007626, 0.052581327703744615,
        -0.047383613965012776, 0.04262140693866768, -0.03753478753267109, 0.031345983108062386, -0.023787822333684545,
        0.01562696092263275, -0.008438066796609613, 0.0035335378537947187, -0.001063606609904842, 0.0002031431149978851,
        -1.8394897427702474e-05};
#endif
    enum { FOURS = sizeof c / (4 * sizeof *c) };
    const kg_entry z2 = z * z, z4 = z2 * z2, z8 = z4 * z4;
    kg_entry four[FOURS];
    KG_UNROLLED
    for (int i = 0; i < FOURS; i++)
        four[i] = (c[4 * i] + c[4 * i + 1] * z) + z2 * (c[4 * i + 2] + c[4 * i + 3] * z);
#ifdef KG_SINGLE
    return (four[0] + z4 * four[1]) + z8 * four[2];
#else
    return (four[0] + z4 * four[1]) + z8 * ((four[2] + z4 * four[3]) + z8 * four[4]);
#endif
}

#endif
