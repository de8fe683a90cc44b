/* Derivatives of what is weighed by a vector, of matrices (n, n) row by row. */

#ifndef KINEGEN_BRIDGES_WEIGHED_H
#define KINEGEN_BRIDGES_WEIGHED_H

#include <string.h>

/* out (n) = weights'D */
static inline void kg_weigh_rows(int n, const double *weights, const double *D, double *out)
{
    for (int j = 0; j < n; j++)
        out[j] = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[j] += weights[i] * D[i * n + j];
}

/* to (columns, rows) = the transpose of from (rows, columns). */
static inline void kg_put_transposed(int rows, int columns, const double *from, double *to)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            to[j * rows + i] = from[i * columns + j];
}

/* Both triangles become their mean. */
static inline void kg_mean_triangles(int n, double *x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            x[i * n + j] = x[j * n + i] = 0.5 * (x[i * n + j] + x[j * n + i]);
}

/* out += X'Y */
static inline void kg_add_product(int n, const double *X, const double *Y, double *out)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                out[i * n + j] += X[k * n + i] * Y[k * n + j];
}

/* second (4, n, n) of mu'tau by q and q, q and v, v and v, a and q, with mu = M^-1 w, becomes that of w'a, the last by
 * tau and q: with X by a and q, -(by q and q + X'a_q + (X'a_q)'), -(by q and v + X'a_v), -by v and v, -M^-1 X.
 * first: a_q, a_v, M^-1; room: 2 n^2. */
static inline void kg_curves_of_acceleration(int n, const double *first, double *second, double *room)
{
    const int size = n * n;
    double *moved = room, *by_force = room + size, *X = second + 3 * size;
    memset(room, 0, 2 * (size_t)size * sizeof *room);
    kg_add_product(n, X, first, moved);
    kg_add_product(n, first + 2 * size, X, by_force);
    kg_add_product(n, X, first + size, second + size);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            second[i * n + j] += moved[i * n + j] + moved[j * n + i];
    memcpy(X, by_force, (size_t)size * sizeof *X);
    for (int i = 0; i < 4 * size; i++)
        second[i] = -second[i];
}

#endif
