/* Parts of a result that holds several arrays of one shape, as a named tuple of views. */

#ifndef KINEGEN_PARTS_H
#define KINEGEN_PARTS_H

#include "arguments.h"

/* whole[..., i, ...] along this axis, to be written where `whole` is. */
static PyObject *part_of(PyArrayObject *whole, int axis, npy_intp i)
{
    npy_intp sizes[NPY_MAXDIMS], steps[NPY_MAXDIMS];
    int axes = 0;
    for (int e = 0; e < PyArray_NDIM(whole); e++)
        if (e != axis) {
            sizes[axes] = PyArray_DIM(whole, e);
            steps[axes++] = PyArray_STRIDE(whole, e);
        }
    PyArray_Descr *numbers = PyArray_DESCR(whole);
    const int flags = PyArray_FLAGS(whole) & (NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED);
    Py_INCREF(numbers);
    PyObject *part = PyArray_NewFromDescr(&PyArray_Type, numbers, axes, sizes, steps,
        PyArray_BYTES(whole) + i * PyArray_STRIDE(whole, axis), flags, NULL);
    if (part && PyArray_SetBaseObject((PyArrayObject *)part, Py_NewRef((PyObject *)whole)) < 0)
        Py_CLEAR(part);
    return part;
}

/* parts(kind, whole, axes, picked): the tuple `kind` of whole[..., i, ...] for i in picked, with so many axes behind. */
static PyObject *parts(PyObject *module, PyObject *arguments)
{
    PyTypeObject *kind;
    PyArrayObject *whole;
    PyObject *picked, *made = NULL;
    int axes;
    (void)module;
    if (!PyArg_ParseTuple(
            arguments, "O!O!iO!", &PyType_Type, &kind, &PyArray_Type, &whole, &axes, &PyTuple_Type, &picked))
        return NULL;
    const int axis = PyArray_NDIM(whole) - 1 - axes;
    if (axis < 0 || axes < 0 || !PyType_IsSubtype(kind, &PyTuple_Type)) {
        PyErr_SetString(PyExc_ValueError, "a kind of tuple, and fewer axes than there are");
        return NULL;
    }
    PyObject *all = PyTuple_New(PyTuple_GET_SIZE(picked)), *given = all ? PyTuple_Pack(1, all) : NULL;
    for (Py_ssize_t n = 0; given && n < PyTuple_GET_SIZE(picked); n++) {
        const npy_intp i = PyLong_AsSsize_t(PyTuple_GET_ITEM(picked, n));
        if ((i < 0 || i >= PyArray_DIM(whole, axis)) && !PyErr_Occurred())
            PyErr_SetString(PyExc_IndexError, "there is no such part");
        PyObject *part = PyErr_Occurred() ? NULL : part_of(whole, axis, i);
        PyTuple_SET_ITEM(all, n, part);
        if (!part)
            Py_CLEAR(given);
    }
    if (given)
        made = PyTuple_Type.tp_new(kind, given, NULL);
    Py_XDECREF(given);
    Py_XDECREF(all);
    return made;
}

#endif
