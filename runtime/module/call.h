/* The call of a kernel: a look at the arguments, the kernel, a look at its result. */

#ifndef KINEGEN_CALL_H
#define KINEGEN_CALL_H

#include "states.h"

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

/* One state in arrays of its own shapes; NULL without an error where it is anything else, or something is wrong. */
static PyObject *call_state(const Call *c, PyObject *const *arguments)
{
    In x[MOST_POINTERS + 1];
    int n = 0;
    if (c->parameters)
        x[n++] = c->parameters;
    for (Py_ssize_t i = 0; i < c->inputs; i++, n++) {
        PyObject *given = c->named && i == c->inputs - 1 ? by_name(c->named, arguments[i]) : arguments[i];
        x[n] = given ? numbers(given, &c->given[i]) : NULL;
        if (!x[n] || !within(c->given[i].size, c->large, x[n])
            || (c->turning >> i & 1 && c->first_off_unit(1, c->tolerance, x[n]) >= 0))
            return NULL;
    }
    PyObject *result = PyArray_SimpleNew(c->result.axes, c->result.shape, NPY_REAL);
    if (!result)
        return NULL;
    Real *y = PyArray_DATA((PyArrayObject *)result);
    PyThreadState *state = c->brief ? NULL : PyEval_SaveThread();
    run(c->kernel, n, x, y);
    if (state)
        PyEval_RestoreThread(state);
    if (all_finite(c->looked_at, c->factor, y))
        return result;
    Py_DECREF(result);
    return NULL;
}

/* Whether nothing is named but `out`. */
static int only_out(PyObject *names)
{
    return PyTuple_GET_SIZE(names) == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "out") == 0;
}

/* What is called without the name that is the last argument; NULL if nothing is. */
static PyObject *called_by_name(const Call *c, PyObject *const *arguments)
{
    PyObject *found = c->named ? by_name(c->named, arguments[c->inputs - 1]) : NULL;
    return found && PyCallable_Check(found) ? found : NULL;
}

static PyObject *call_kernel(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names)
{
    const Call *c = (const Call *)self;
    const int named = names && PyTuple_GET_SIZE(names);
    PyObject *result = NULL;
    if (PyVectorcall_NARGS(flags) == c->inputs && (!named || only_out(names))) {
        PyObject *own = named ? NULL : called_by_name(c, arguments);
        if (own)
            return PyObject_Vectorcall(own, arguments, c->inputs - 1, NULL);
        PyObject *out = named && arguments[c->inputs] != Py_None ? arguments[c->inputs] : NULL;
        result = named ? NULL : call_state(c, arguments);
        if (!result && !PyErr_Occurred())
            result = call_states(c, arguments, out);
    }
    return result || PyErr_Occurred() ? result : hand_over(&c->head, arguments, flags, names);
}

#endif
