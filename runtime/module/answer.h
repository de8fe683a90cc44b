/* The call without arguments whose answer is ready: the same each time, or one of many that were made together. */

#ifndef KINEGEN_ANSWER_H
#define KINEGEN_ANSWER_H

#include "call.h"
#include <string.h>

#if PY_VERSION_HEX < 0x030d0000 /* one thread at a time is here */
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

typedef struct {
    Head head;
    PyObject *drawn; /* gives a block of answers (n, ...), each for one call of this process; NULL: general gives it */
    PyObject *kept; /* the block, or the answer: an array that nobody else has, or what cannot change */
    npy_intp left; /* of the block */
    long process; /* that asked for it, by its `forks`: a child of it must not go on with the same */
} Answer;

/* How many forks made this process since the module was loaded: asking for its number each time costs more than all. */
static long forks;

static PyObject *forked(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    forks++;
    Py_RETURN_NONE;
}

static PyMethodDef forked_function = {"forked", forked, METH_NOARGS, NULL};

/* os.register_at_fork(after_in_child=forked), where processes fork at all; once, for it cannot be taken back. */
static int count_forks(void)
{
    static int counted;
    if (counted)
        return 0;
    PyObject *os = PyImport_ImportModule("os"), *watch = os ? PyObject_GetAttrString(os, "register_at_fork") : NULL;
    Py_XDECREF(os);
    if (!watch)
        return os && PyErr_ExceptionMatches(PyExc_AttributeError) ? (PyErr_Clear(), 0) : -1;
    PyObject *call = PyCFunction_New(&forked_function, NULL), *none = PyTuple_New(0);
    PyObject *names = call ? Py_BuildValue("{sO}", "after_in_child", call) : NULL;
    PyObject *done = none && names ? PyObject_Call(watch, none, names) : NULL;
    Py_XDECREF(done);
    Py_XDECREF(names);
    Py_XDECREF(none);
    Py_XDECREF(call);
    Py_DECREF(watch);
    counted = done != NULL;
    return done ? 0 : -1;
}

/* A new array of kept[at], or of all of kept; of simple numbers in C order. */
static PyObject *copied(PyArrayObject *kept, int axes, npy_intp at)
{
    const int skipped = PyArray_NDIM(kept) - axes;
    PyObject *made = PyArray_SimpleNew(axes, PyArray_DIMS(kept) + skipped, PyArray_TYPE(kept));
    if (made) {
        const size_t size = (size_t)PyArray_NBYTES((PyArrayObject *)made);
        memcpy(PyArray_DATA((PyArrayObject *)made), PyArray_BYTES(kept) + (size_t)at * size, size);
    }
    return made;
}

/* A block of at least one answer, new: -1 with an error if there is none. */
static int renewed(Answer *answer)
{
    PyObject *block = PyObject_CallNoArgs(answer->drawn);
    if (!block)
        return -1;
    PyArrayObject *rows = (PyArrayObject *)block;
    if (!PyArray_CheckExact(block) || !PyArray_ISCARRAY(rows) || !PyTypeNum_ISNUMBER(PyArray_TYPE(rows))
        || PyArray_NDIM(rows) < 1 || PyArray_DIM(rows, 0) < 1) {
        Py_DECREF(block);
        PyErr_SetString(PyExc_RuntimeError, "answers stand in the rows of an array of numbers");
        return -1;
    }
    Py_XSETREF(answer->kept, block);
    answer->left = PyArray_DIM(rows, 0);
    answer->process = forks;
    return 0;
}

static PyObject *next_one(Answer *answer)
{
    if ((answer->left < 1 || answer->process != forks) && renewed(answer) < 0)
        return NULL;
    PyArrayObject *rows = (PyArrayObject *)answer->kept;
    return copied(rows, PyArray_NDIM(rows) - 1, --answer->left);
}

/* What `general` gave the first time. */
static PyObject *same(Answer *answer)
{
    PyObject *kept = answer->kept;
    if (kept)
        return PyArray_CheckExact(kept) ? copied((PyArrayObject *)kept, PyArray_NDIM((PyArrayObject *)kept), 0)
                                        : Py_NewRef(kept);
    PyObject *found = hand_over(&answer->head, NULL, 0, NULL);
    if (!found)
        return NULL;
    kept = PyArray_CheckExact(found) ? PyArray_NewCopy((PyArrayObject *)found, NPY_CORDER) : Py_NewRef(found);
    if (!kept) {
        Py_DECREF(found);
        return NULL;
    }
    Py_XSETREF(answer->kept, kept);
    return found;
}

static PyObject *call_answer(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names)
{
    Answer *answer = (Answer *)self;
    PyObject *found = NULL;
    if (PyVectorcall_NARGS(flags) || (names && PyTuple_GET_SIZE(names)))
        return hand_over(&answer->head, arguments, flags, names);
    Py_BEGIN_CRITICAL_SECTION(self);
    found = answer->drawn ? next_one(answer) : same(answer);
    Py_END_CRITICAL_SECTION();
    return found;
}

#endif
