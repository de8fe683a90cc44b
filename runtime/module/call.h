/* The call of a kernel: a look at the arguments, the kernel, a look at its result. */

#ifndef KINEGEN_CALL_H
#define KINEGEN_CALL_H

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <structmember.h>
#include <numpy/arrayobject.h>
#include <math.h>

/* KINEGEN_SINGLE: kernels of floats. */
#ifdef KINEGEN_SINGLE
typedef float Real;
#define NPY_REAL NPY_FLOAT
#else
typedef double Real;
#define NPY_REAL NPY_DOUBLE
#endif

enum { MOST_POINTERS = 8, MOST_AXES = 4 };

typedef const Real *In;
typedef void (*Kernel)(void);
typedef long (*FirstOffUnit)(long n, Real tolerance, In q);

typedef struct {
    int axes;
    npy_intp shape[MOST_AXES], size;
} Shape;

/* What calls begin with. */
typedef struct {
    PyObject ob_base;
    vectorcallfunc call;
    PyObject *general; /* called with the same arguments where something is different */
} Head;

/* A kernel with what must hold of its arguments and result. */
typedef struct {
    Head head;
    PyObject *owner; /* of the parameters' memory */
    In parameters; /* NULL if there are none */
    Kernel kernel;
    FirstOffUnit first_off_unit;
    PyObject *named; /* what may stand in the last input, by name, and nothing else; NULL: arrays as in the others */
    Py_ssize_t inputs;
    Shape given[MOST_POINTERS], result;
    unsigned turning; /* bit i: rotations in input i have unit norm, within tolerance */
    Py_ssize_t looked_at; /* so many numbers of the result are looked at */
    int brief; /* done before another thread could have begun: the GIL is kept */
    Real tolerance, large;
} Call;

/* ---- The call ----------------------------------------------------------------------------------------------------- */

/* Whether no number is larger than `large` in size, and all are numbers. */
static int within(npy_intp n, Real large, In x)
{
    int good = 1;
    for (npy_intp i = 0; i < n; i++)
        good &= fabs(x[i]) <= large;
    return good;
}

static int all_finite(npy_intp n, In x)
{
    Real zeros[8] = {0}; /* sums that do not wait for each other */
    npy_intp i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            zeros[k] += 0 * x[i + k];
    for (; i < n; i++)
        zeros[0] += 0 * x[i];
    for (int k = 1; k < 8; k++)
        zeros[0] += zeros[k];
    return zeros[0] == 0;
}

/* The numbers of an array of that shape, in C order; NULL if x is anything else. */
static In numbers(PyObject *x, const Shape *shape)
{
    if (!PyArray_CheckExact(x))
        return NULL;
    PyArrayObject *array = (PyArrayObject *)x;
    if (PyArray_TYPE(array) != NPY_REAL || !PyArray_ISCARRAY_RO(array) || PyArray_NDIM(array) != shape->axes)
        return NULL;
    for (int axis = 0; axis < shape->axes; axis++)
        if (PyArray_DIM(array, axis) != shape->shape[axis])
            return NULL;
    return PyArray_DATA(array);
}

/* The array of that name; NULL if there is none. */
static PyObject *by_name(PyObject *known, PyObject *name)
{
    return PyUnicode_CheckExact(name) ? PyDict_GetItemWithError(known, name) : NULL;
}

static void run(Kernel kernel, int inputs, const In *x, Real *y)
{
    switch (inputs) {
    case 1:
        ((void (*)(In, Real *))kernel)(x[0], y);
        break;
    case 2:
        ((void (*)(In, In, Real *))kernel)(x[0], x[1], y);
        break;
    case 3:
        ((void (*)(In, In, In, Real *))kernel)(x[0], x[1], x[2], y);
        break;
    case 4:
        ((void (*)(In, In, In, In, Real *))kernel)(x[0], x[1], x[2], x[3], y);
        break;
    case 5:
        ((void (*)(In, In, In, In, In, Real *))kernel)(x[0], x[1], x[2], x[3], x[4], y);
        break;
    case 6:
        ((void (*)(In, In, In, In, In, In, Real *))kernel)(x[0], x[1], x[2], x[3], x[4], x[5], y);
        break;
    case 7:
        ((void (*)(In, In, In, In, In, In, In, Real *))kernel)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], y);
        break;
    default:
        ((void (*)(In, In, In, In, In, In, In, In, Real *))kernel)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], y);
    }
}

/* The same arguments to the function that takes what can be taken, and tells what is wrong. */
static PyObject *hand_over(const Head *head, PyObject *const *arguments, size_t flags, PyObject *names)
{
    if (head->general)
        return PyObject_Vectorcall(head->general, arguments, flags, names);
    PyErr_SetString(PyExc_RuntimeError, "the model of this call is being deleted");
    return NULL;
}

static PyObject *call_kernel(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names)
{
    const Call *c = (const Call *)self;
    In x[MOST_POINTERS + 1];
    int n = 0;
    if (PyVectorcall_NARGS(flags) != c->inputs || (names && PyTuple_GET_SIZE(names)))
        return hand_over(&c->head, arguments, flags, names);
    if (c->parameters)
        x[n++] = c->parameters;
    for (Py_ssize_t i = 0; i < c->inputs; i++, n++) {
        PyObject *given = c->named && i == c->inputs - 1 ? by_name(c->named, arguments[i]) : arguments[i];
        x[n] = given ? numbers(given, &c->given[i]) : NULL;
        if (!x[n] || !within(c->given[i].size, c->large, x[n])
            || (c->turning >> i & 1 && c->first_off_unit(1, c->tolerance, x[n]) >= 0))
            return hand_over(&c->head, arguments, flags, names);
    }
    PyObject *result = PyArray_SimpleNew(c->result.axes, c->result.shape, NPY_REAL);
    if (!result)
        return NULL;
    Real *y = PyArray_DATA((PyArrayObject *)result);
    PyThreadState *state = c->brief ? NULL : PyEval_SaveThread();
    run(c->kernel, n, x, y);
    if (state)
        PyEval_RestoreThread(state);
    if (all_finite(c->looked_at, y))
        return result;
    Py_DECREF(result);
    return hand_over(&c->head, arguments, flags, names);
}

#endif
