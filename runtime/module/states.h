/* The call of a kernel with many states: arrays with axes in front of a state's own, all the same, or one state for all. */

#ifndef KINEGEN_STATES_H
#define KINEGEN_STATES_H

#include "arguments.h"

/* Axes in front, and how many states they hold. */
typedef struct {
    int axes;
    npy_intp sizes[MOST_BATCH_AXES + MOST_AXES], count;
} Batch;

/* Arrays as kernels take them: where they begin, and the way from state to state. */
typedef struct {
    In x[MOST_POINTERS];
    long step[MOST_POINTERS];
} States;

/* The axes of an array in front of those of a state; -1 if x is anything else. */
static int axes_in_front(PyObject *x, const Shape *own)
{
    if (!PyArray_CheckExact(x))
        return -1;
    PyArrayObject *array = (PyArrayObject *)x;
    const int front = PyArray_NDIM(array) - own->axes;
    if (front < 0 || front > MOST_BATCH_AXES || PyArray_TYPE(array) != NPY_REAL || !PyArray_ISCARRAY_RO(array))
        return -1;
    for (int axis = 0; axis < own->axes; axis++)
        if (PyArray_DIM(array, front + axis) != own->shape[axis])
            return -1;
    return front;
}

/* Whether these axes are those of the batch, which takes them if it has none. */
static int same_batch(Batch *batch, PyArrayObject *array, int front)
{
    if (batch->axes == 0)
        for (; batch->axes < front; batch->axes++) {
            batch->sizes[batch->axes] = PyArray_DIM(array, batch->axes);
            batch->count *= batch->sizes[batch->axes];
        }
    if (front != batch->axes)
        return 0;
    for (int axis = 0; axis < front; axis++)
        if (PyArray_DIM(array, axis) != batch->sizes[axis])
            return 0;
    return 1;
}

/* The arrays of all arguments; 0 if they are anything else. */
static int all_states(const Call *c, PyObject *const *arguments, Batch *batch, States *given)
{
    *batch = (Batch){.count = 1};
    for (Py_ssize_t i = 0; i < c->inputs; i++) {
        PyObject *x = c->named && i == c->inputs - 1 ? by_name(c->named, arguments[i]) : arguments[i];
        const int front = x ? axes_in_front(x, &c->given[i]) : -1;
        if (front < 0 || (front > 0 && !same_batch(batch, (PyArrayObject *)x, front)))
            return 0;
        given->x[i] = PyArray_DATA((PyArrayObject *)x);
        given->step[i] = front ? (long)c->given[i].size : 0;
    }
    return 1;
}

/* Whether the numbers may be computed with. */
static int good_states(const Call *c, const Batch *batch, const States *given)
{
    for (Py_ssize_t i = 0; i < c->inputs; i++) {
        const npy_intp n = given->step[i] ? batch->count : 1;
        if (!within(n * c->given[i].size, c->large, given->x[i]))
            return 0;
        if (c->turning >> i & 1 && c->first_off_unit((long)n, c->tolerance, given->x[i]) >= 0)
            return 0;
    }
    return 1;
}

/* `out`, if it can take the result; NULL if not. */
static PyObject *result_in(PyObject *out, const Call *c, Batch *batch, const States *given)
{
    PyArrayObject *array = (PyArrayObject *)out;
    const int front = axes_in_front(out, &c->result);
    if (front != batch->axes || !PyArray_ISCARRAY(array) || !same_batch(batch, array, front))
        return NULL;
    const uintptr_t first = (uintptr_t)PyArray_DATA(array), end = first + (uintptr_t)PyArray_NBYTES(array);
    for (Py_ssize_t i = 0; i < c->inputs; i++) {
        const npy_intp n = given->step[i] ? batch->count : 1;
        const uintptr_t begin = (uintptr_t)given->x[i];
        if (begin < end && first < begin + (uintptr_t)(n * c->given[i].size) * sizeof(Real))
            return NULL;
    }
    return Py_NewRef(out);
}

static PyObject *fresh_result(const Call *c, Batch *batch)
{
    for (int axis = 0; axis < c->result.axes; axis++)
        batch->sizes[batch->axes + axis] = c->result.shape[axis];
    return PyArray_SimpleNew(batch->axes + c->result.axes, batch->sizes, NPY_REAL);
}

#define ONE(i) s->x[i], s->step[i]
#define ENTRY(i) ONE(i), 1L

/* States one after the other. */
static void run_loop(Kernel f, int inputs, In p, long n, const States *s, Real *y)
{
    switch (2 * inputs + (p != NULL)) {
    case 2:
        ((void (*)(long, In, long, Real *))f)(n, ONE(0), y);
        break;
    case 3:
        ((void (*)(long, In, In, long, Real *))f)(n, p, ONE(0), y);
        break;
    case 4:
        ((void (*)(long, In, long, In, long, Real *))f)(n, ONE(0), ONE(1), y);
        break;
    case 5:
        ((void (*)(long, In, In, long, In, long, Real *))f)(n, p, ONE(0), ONE(1), y);
        break;
    case 6:
        ((void (*)(long, In, long, In, long, In, long, Real *))f)(n, ONE(0), ONE(1), ONE(2), y);
        break;
    case 7:
        ((void (*)(long, In, In, long, In, long, In, long, Real *))f)(n, p, ONE(0), ONE(1), ONE(2), y);
        break;
    case 8:
        ((void (*)(long, In, long, In, long, In, long, In, long, Real *))f)(n, ONE(0), ONE(1), ONE(2), ONE(3), y);
        break;
    default:
        ((void (*)(long, In, In, long, In, long, In, long, In, long, Real *))f)(
            n, p, ONE(0), ONE(1), ONE(2), ONE(3), y);
    }
}

/* Several states at a time: the first that failed, or -1. Results are `size` apart. */
static long run_lanes(Kernel f, int inputs, In p, long n, const States *s, Real *y, long size)
{
    switch (2 * inputs + (p != NULL)) {
    case 2:
        return ((long (*)(long, In, long, long, Real *, long, long))f)(n, ENTRY(0), y, size, 1L);
    case 3:
        return ((long (*)(long, In, In, long, long, Real *, long, long))f)(n, p, ENTRY(0), y, size, 1L);
    case 4:
        return ((long (*)(long, In, long, long, In, long, long, Real *, long, long))f)(
            n, ENTRY(0), ENTRY(1), y, size, 1L);
    case 5:
        return ((long (*)(long, In, In, long, long, In, long, long, Real *, long, long))f)(
            n, p, ENTRY(0), ENTRY(1), y, size, 1L);
    case 6:
        return ((long (*)(long, In, long, long, In, long, long, In, long, long, Real *, long, long))f)(
            n, ENTRY(0), ENTRY(1), ENTRY(2), y, size, 1L);
    default:
        return ((long (*)(long, In, In, long, long, In, long, long, In, long, long, Real *, long, long))f)(
            n, p, ENTRY(0), ENTRY(1), ENTRY(2), y, size, 1L);
    }
}

#undef ONE
#undef ENTRY

/* Whether all results are good. */
static int run_states(const Call *c, const Batch *batch, const States *given, int lanes, Real *y)
{
    const long n = (long)batch->count;
    const int inputs = (int)c->inputs;
    if (!lanes)
        run_loop(c->many.loop, inputs, c->parameters, n, given, y);
    else if (run_lanes(c->many.lanes, inputs, c->parameters, n, given, y, (long)c->result.size) >= 0)
        return 0;
    const int looked_at = c->looked_at > 0 && (!lanes || c->factor > 0); /* lanes have seen what is not finite */
    return !looked_at || all_finite(batch->count * c->result.size, c->factor, y);
}

/* The result, in `out` if that is not NULL. NULL without an error where the general way is asked. */
static PyObject *call_states(const Call *c, PyObject *const *arguments, PyObject *out)
{
    Batch batch;
    States given;
    if (!all_states(c, arguments, &batch, &given) || batch.count < 1 || batch.count > c->many.most)
        return NULL;
    const int lanes = c->many.lanes && batch.count > 1;
    if (!lanes && !good_states(c, &batch, &given)) /* lanes look at them on their way */
        return NULL;
    PyObject *result = out ? result_in(out, c, &batch, &given) : fresh_result(c, &batch);
    if (!result)
        return NULL;
    PyThreadState *state = c->brief && batch.count == 1 ? NULL : PyEval_SaveThread();
    const int good = run_states(c, &batch, &given, lanes, PyArray_DATA((PyArrayObject *)result));
    if (state)
        PyEval_RestoreThread(state);
    if (good)
        return result;
    Py_DECREF(result);
    return NULL;
}

#endif
