/* Calls from Python that take no Python: of kernels, a look at the arguments, the kernel, a look at its result; answers
 * that are ready; and parts of results.
 *
 * States in numpy arrays of the kernel's numbers that need no care, or all that was given goes to another function, which
 * takes what can be taken and tells what is wrong. */

#include "answer.h"
#include "call.h"
#include "parts.h"

/* ---- Calls of kernels --------------------------------------------------------------------------------------------- */

static int shape_of(PyObject *sizes, Shape *shape)
{
    if (!PyTuple_Check(sizes) || PyTuple_GET_SIZE(sizes) > MOST_AXES) {
        PyErr_SetString(PyExc_ValueError, "a shape is a tuple of at most four sizes");
        return -1;
    }
    shape->axes = (int)PyTuple_GET_SIZE(sizes);
    shape->size = 1;
    for (int axis = 0; axis < shape->axes; axis++) {
        shape->shape[axis] = PyLong_AsSsize_t(PyTuple_GET_ITEM(sizes, axis));
        shape->size *= shape->shape[axis];
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* Call(kernel, loop, lanes, most, first_off_unit, parameters, owner, given, turning, named, result, looked_at, factor,
 * brief, tolerance, large, general): addresses of functions (lanes 0: none) and of the parameters (0: none) with what keeps
 * these; shapes of the arguments; a dict of arrays by name, or None. */
static PyObject *call_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    unsigned long long kernel, loop, lanes, first_off_unit, parameters;
    PyObject *owner, *given, *named, *result, *general;
    double factor, tolerance, large;
    Call made = {0};
    if (names && PyDict_GET_SIZE(names)) {
        PyErr_SetString(PyExc_TypeError, "arguments go by their places");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "KKKnKKOO!IOO!ndpddO", &kernel, &loop, &lanes, &made.many.most, &first_off_unit,
            &parameters, &owner, &PyTuple_Type, &given, &made.turning, &named, &PyTuple_Type, &result, &made.looked_at,
            &factor, &made.brief, &tolerance, &large, &general))
        return NULL;
    made.factor = (Real)factor;
    made.tolerance = (Real)tolerance;
    made.large = (Real)large;
    if (named != Py_None && !PyDict_Check(named)) {
        PyErr_SetString(PyExc_TypeError, "arrays by name stand in a dict");
        return NULL;
    }
    made.inputs = PyTuple_GET_SIZE(given);
    if (made.inputs + (parameters != 0) > MOST_POINTERS) {
        PyErr_SetString(PyExc_ValueError, "a kernel takes at most eight arrays");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < made.inputs; i++)
        if (shape_of(PyTuple_GET_ITEM(given, i), &made.given[i]) < 0)
            return NULL;
    if (shape_of(result, &made.result) < 0)
        return NULL;
    if (made.inputs < 1 || made.inputs > (lanes ? 3 : 4))
        made.many.most = 0;
    Call *call = (Call *)type->tp_alloc(type, 0);
    if (!call)
        return NULL;
    made.head.ob_base = call->head.ob_base;
    *call = made;
    call->head.call = call_kernel;
    call->kernel = (Kernel)(uintptr_t)kernel;
    call->many.loop = (Kernel)(uintptr_t)loop;
    call->many.lanes = (Kernel)(uintptr_t)lanes;
    call->first_off_unit = (FirstOffUnit)(uintptr_t)first_off_unit;
    call->parameters = (In)(uintptr_t)parameters;
    call->owner = Py_NewRef(owner);
    call->named = named == Py_None ? NULL : Py_NewRef(named);
    call->head.general = Py_NewRef(general);
    return (PyObject *)call;
}

static int call_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Head *)self)->general);
    Py_VISIT(((Call *)self)->named);
    return 0;
}

/* The owner is in no circle of references, and stays for as long as the parameters may be read; so do arrays. */
static int call_clear(PyObject *self)
{
    Py_CLEAR(((Head *)self)->general);
    return 0;
}

static void call_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    call_clear(self);
    Py_CLEAR(((Call *)self)->owner);
    Py_CLEAR(((Call *)self)->named);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyType_Slot call_slots[] = {
    {Py_tp_new, call_new},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getattro, call_attribute},
    {Py_tp_members, call_members},
    {Py_tp_methods, call_methods},
    {Py_tp_getset, call_getset},
    {Py_tp_repr, call_repr},
    {Py_tp_descr_get, call_get},
    {Py_tp_traverse, call_traverse},
    {Py_tp_clear, call_clear},
    {Py_tp_dealloc, call_dealloc},
    {0, NULL},
};

static PyType_Spec call_type = {
    .name = "kinegen_calls.Call",
    .basicsize = sizeof(Call),
    .flags = CALL_FLAGS,
    .slots = call_slots,
};

/* ---- Answers that are ready --------------------------------------------------------------------------------------- */

/* Answer(general, drawn): see Answer in answer.h. */
static PyObject *answer_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    PyObject *general, *drawn;
    static char *known[] = {"", "", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, names, "OO", known, &general, &drawn))
        return NULL;
    Answer *answer = (Answer *)type->tp_alloc(type, 0);
    if (!answer)
        return NULL;
    answer->head.call = call_answer;
    answer->head.general = Py_NewRef(general);
    answer->drawn = drawn == Py_None ? NULL : Py_NewRef(drawn);
    return (PyObject *)answer;
}

static int answer_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Answer *)self)->head.general);
    Py_VISIT(((Answer *)self)->drawn);
    Py_VISIT(((Answer *)self)->kept);
    return 0;
}

static int answer_clear(PyObject *self)
{
    Py_CLEAR(((Answer *)self)->head.general);
    Py_CLEAR(((Answer *)self)->drawn);
    Py_CLEAR(((Answer *)self)->kept);
    return 0;
}

static void answer_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    answer_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyType_Slot answer_slots[] = {
    {Py_tp_new, answer_new},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getattro, call_attribute},
    {Py_tp_members, call_members},
    {Py_tp_methods, call_methods},
    {Py_tp_getset, call_getset},
    {Py_tp_repr, call_repr},
    {Py_tp_descr_get, call_get},
    {Py_tp_traverse, answer_traverse},
    {Py_tp_clear, answer_clear},
    {Py_tp_dealloc, answer_dealloc},
    {0, NULL},
};

static PyType_Spec answer_type = {
    .name = "kinegen_calls.Answer",
    .basicsize = sizeof(Answer),
    .flags = CALL_FLAGS,
    .slots = answer_slots,
};

/* ---- The module --------------------------------------------------------------------------------------------------- */

static int add(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    const int added = type ? PyModule_AddObjectRef(module, name, type) : -1;
    Py_XDECREF(type);
    return added;
}

static int fill(PyObject *module)
{
    if (_import_array() < 0 || count_forks() < 0 || add(module, "Call", &call_type) < 0)
        return -1;
    return add(module, "Answer", &answer_type);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, fill},
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyMethodDef functions[] = {{"parts", parts, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "kinegen_calls",
    .m_size = 0,
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit_kinegen_calls(void)
{
    return PyModuleDef_Init(&module);
}
