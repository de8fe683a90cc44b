/* What a call of a kernel knows, looks at arguments and results, and what all calls have for Python. */

#ifndef KINEGEN_ARGUMENTS_H
#define KINEGEN_ARGUMENTS_H

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

enum { MOST_POINTERS = 8, MOST_AXES = 4, MOST_BATCH_AXES = 8 };

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

/* How a kernel computes many states. Arguments are n, that of parameters if there are any, then those of each array. */
typedef struct {
    Kernel loop; /* one after the other: an array and the way from state to state; the result */
    Kernel lanes; /* several at a time, all with the way from entry to entry too: the first that failed, or -1 */
    npy_intp most; /* so many states are not shared among threads */
} Many;

/* A kernel with what must hold of its arguments and result. */
typedef struct {
    Head head;
    PyObject *owner; /* of the parameters' memory */
    In parameters; /* NULL if there are none */
    Kernel kernel;
    Many many;
    FirstOffUnit first_off_unit;
    PyObject *named; /* what the last input may be, or is called without it, by name; NULL: an array as the others */
    Py_ssize_t inputs;
    Shape given[MOST_POINTERS], result;
    unsigned turning; /* bit i: rotations in input i have unit norm, within tolerance */
    Py_ssize_t looked_at; /* so many numbers of the result are looked at */
    Real factor; /* they are good if they are finite times this: 0, or so much that those beyond a bound are not */
    int brief; /* done before another thread could have begun: the GIL is kept */
    Real tolerance, large;
} Call;

/* Whether no number is larger than `large` in size, and all are numbers. */
static int within(npy_intp n, Real large, In x)
{
    int good = 1;
    for (npy_intp i = 0; i < n; i++)
        good &= fabs(x[i]) <= large;
    return good;
}

/* Whether the numbers, each times `factor`, are finite, and their sums too. */
static int all_finite(npy_intp n, Real factor, In x)
{
    Real sums[8] = {0}; /* that do not wait for each other */
    npy_intp i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            sums[k] += factor * x[i + k];
    for (; i < n; i++)
        sums[0] += factor * x[i];
    for (int k = 1; k < 8; k++)
        sums[0] += sums[k];
    return isfinite(sums[0]);
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

/* The same arguments to the function that takes what can be taken, and tells what is wrong. */
static PyObject *hand_over(const Head *head, PyObject *const *arguments, size_t flags, PyObject *names)
{
    if (head->general)
        return PyObject_Vectorcall(head->general, arguments, flags, names);
    PyErr_SetString(PyExc_RuntimeError, "the model of this call is being deleted");
    return NULL;
}

/* ---- What all calls have for Python: name, text and signature are those of the general way ------------------------- */

/* What `general` has, for the others. */
static PyObject *call_attribute(PyObject *self, PyObject *name)
{
    PyObject *own = PyObject_GenericGetAttr(self, name), *general = ((Head *)self)->general;
    if (own || !general || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return own;
    PyErr_Clear();
    return PyObject_GetAttr(general, name);
}

static PyObject *call_text(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *general = ((Head *)self)->general;
    return general ? PyObject_GetAttrString(general, "__doc__") : Py_NewRef(Py_None);
}

static PyObject *call_wrapped(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *general = ((Head *)self)->general;
    return Py_NewRef(general ? general : Py_None);
}

static PyObject *call_repr(PyObject *self)
{
    PyObject *general = ((Head *)self)->general;
    return general ? PyObject_Repr(general) : PyUnicode_FromString("a call of a deleted model");
}

/* With this `help` takes it for a function. */
static PyObject *call_get(PyObject *self, PyObject *holder, PyObject *owner)
{
    (void)holder, (void)owner;
    return Py_NewRef(self);
}

/* Pickled as the general way. */
static PyObject *call_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *general = ((Head *)self)->general;
    return PyObject_CallMethod(general ? general : Py_None, "__reduce__", NULL);
}

/* What never changes is its own copy, as functions are. */
static PyObject *call_copy(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(self);
}

static PyMethodDef call_methods[] = {
    {"__reduce__", call_reduce, METH_NOARGS, NULL},
    {"__copy__", call_copy, METH_NOARGS, NULL},
    {"__deepcopy__", call_copy, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef call_getset[] = {
    {"__doc__", call_text, NULL, NULL, NULL},
    {"__wrapped__", call_wrapped, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef call_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Head, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

enum { CALL_FLAGS = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE };

#endif
