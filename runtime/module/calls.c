/* Calls of kernels from Python: a look at the arguments, the kernel, a look at its result.
 *
 * One state in numpy arrays of doubles that need no care, or all that was given goes to another function, which takes
 * what can be taken and tells what is wrong. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <structmember.h>
#include <numpy/arrayobject.h>
#include <math.h>

enum { MOST_POINTERS = 8, MOST_AXES = 3 };

typedef const double *In;
typedef void (*Kernel)(void);
typedef long (*FirstOffUnit)(long n, double tolerance, const double *q);

typedef struct {
    int axes;
    npy_intp shape[MOST_AXES], size;
} Shape;

/* A kernel with what must hold of its arguments and result. */
typedef struct {
    PyObject ob_base;
    vectorcallfunc call;
    PyObject *general; /* called with the same arguments where something is different */
    PyObject *owner; /* of the parameters' memory */
    In parameters; /* NULL if there are none */
    Kernel kernel;
    FirstOffUnit first_off_unit;
    Py_ssize_t inputs;
    Shape given[MOST_POINTERS], result;
    unsigned turning; /* bit i: rotations in input i have unit norm, within tolerance */
    Py_ssize_t looked_at; /* so many numbers of the result are looked at */
    double tolerance, large;
} Call;

/* ---- The call ----------------------------------------------------------------------------------------------------- */

/* Whether no number is larger than `large` in size, and all are numbers. */
static int within(npy_intp n, double large, In x)
{
    int good = 1;
    for (npy_intp i = 0; i < n; i++)
        good &= fabs(x[i]) <= large;
    return good;
}

static int all_finite(npy_intp n, In x)
{
    double zeros = 0.0;
    for (npy_intp i = 0; i < n; i++)
        zeros += 0.0 * x[i];
    return zeros == 0.0;
}

/* The numbers of an array of doubles of that shape, in C order; NULL if x is anything else. */
static In numbers(PyObject *x, const Shape *shape)
{
    if (!PyArray_CheckExact(x))
        return NULL;
    PyArrayObject *array = (PyArrayObject *)x;
    if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array) || PyArray_NDIM(array) != shape->axes)
        return NULL;
    for (int axis = 0; axis < shape->axes; axis++)
        if (PyArray_DIM(array, axis) != shape->shape[axis])
            return NULL;
    return PyArray_DATA(array);
}

static void run(Kernel kernel, int inputs, const In *x, double *y)
{
    switch (inputs) {
    case 1:
        ((void (*)(In, double *))kernel)(x[0], y);
        break;
    case 2:
        ((void (*)(In, In, double *))kernel)(x[0], x[1], y);
        break;
    case 3:
        ((void (*)(In, In, In, double *))kernel)(x[0], x[1], x[2], y);
        break;
    case 4:
        ((void (*)(In, In, In, In, double *))kernel)(x[0], x[1], x[2], x[3], y);
        break;
    case 5:
        ((void (*)(In, In, In, In, In, double *))kernel)(x[0], x[1], x[2], x[3], x[4], y);
        break;
    case 6:
        ((void (*)(In, In, In, In, In, In, double *))kernel)(x[0], x[1], x[2], x[3], x[4], x[5], y);
        break;
    case 7:
        ((void (*)(In, In, In, In, In, In, In, double *))kernel)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], y);
        break;
    default:
        ((void (*)(In, In, In, In, In, In, In, In, double *))kernel)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], y);
    }
}

/* The same arguments to the function that takes what can be taken, and tells what is wrong. */
static PyObject *hand_over(const Call *c, PyObject *const *arguments, size_t flags, PyObject *names)
{
    if (c->general)
        return PyObject_Vectorcall(c->general, arguments, flags, names);
    PyErr_SetString(PyExc_RuntimeError, "the model of this kernel is being deleted");
    return NULL;
}

static PyObject *call_kernel(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names)
{
    const Call *c = (const Call *)self;
    In x[MOST_POINTERS + 1];
    int n = 0;
    if (PyVectorcall_NARGS(flags) != c->inputs || (names && PyTuple_GET_SIZE(names)))
        return hand_over(c, arguments, flags, names);
    if (c->parameters)
        x[n++] = c->parameters;
    for (Py_ssize_t i = 0; i < c->inputs; i++, n++) {
        x[n] = numbers(arguments[i], &c->given[i]);
        if (!x[n] || !within(c->given[i].size, c->large, x[n])
            || (c->turning >> i & 1 && c->first_off_unit(1, c->tolerance, x[n]) >= 0))
            return hand_over(c, arguments, flags, names);
    }
    PyObject *result = PyArray_SimpleNew(c->result.axes, c->result.shape, NPY_DOUBLE);
    if (!result)
        return NULL;
    double *y = PyArray_DATA((PyArrayObject *)result);
    PyThreadState *state = PyEval_SaveThread();
    run(c->kernel, n, x, y);
    PyEval_RestoreThread(state);
    if (all_finite(c->looked_at, y))
        return result;
    Py_DECREF(result);
    return hand_over(c, arguments, flags, names);
}

/* ---- The type ----------------------------------------------------------------------------------------------------- */

static int shape_of(PyObject *sizes, Shape *shape)
{
    if (!PyTuple_Check(sizes) || PyTuple_GET_SIZE(sizes) > MOST_AXES) {
        PyErr_SetString(PyExc_ValueError, "a shape is a tuple of at most three sizes");
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

/* Call(kernel, first_off_unit, parameters, owner, given, turning, result, looked_at, tolerance, large, general):
 * addresses of two functions and of the parameters (0: none) with what keeps these; shapes of the arguments. */
static PyObject *call_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    unsigned long long kernel, first_off_unit, parameters;
    PyObject *owner, *given, *result, *general;
    Call made = {0};
    if (names && PyDict_GET_SIZE(names)) {
        PyErr_SetString(PyExc_TypeError, "arguments go by their places");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "KKKOO!IO!nddO", &kernel, &first_off_unit, &parameters, &owner, &PyTuple_Type,
            &given, &made.turning, &PyTuple_Type, &result, &made.looked_at, &made.tolerance, &made.large, &general))
        return NULL;
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
    Call *call = (Call *)type->tp_alloc(type, 0);
    if (!call)
        return NULL;
    made.ob_base = call->ob_base;
    *call = made;
    call->call = call_kernel;
    call->kernel = (Kernel)(uintptr_t)kernel;
    call->first_off_unit = (FirstOffUnit)(uintptr_t)first_off_unit;
    call->parameters = (In)(uintptr_t)parameters;
    call->owner = Py_NewRef(owner);
    call->general = Py_NewRef(general);
    return (PyObject *)call;
}

static int call_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Call *)self)->general);
    return 0;
}

/* The owner is in no circle of references, and stays for as long as the parameters may be read. */
static int call_clear(PyObject *self)
{
    Py_CLEAR(((Call *)self)->general);
    return 0;
}

static void call_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    call_clear(self);
    Py_CLEAR(((Call *)self)->owner);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef call_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Call, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot call_slots[] = {
    {Py_tp_new, call_new},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_members, call_members},
    {Py_tp_traverse, call_traverse},
    {Py_tp_clear, call_clear},
    {Py_tp_dealloc, call_dealloc},
    {0, NULL},
};

static PyType_Spec call_type = {
    .name = "kinegen_calls.Call",
    .basicsize = sizeof(Call),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = call_slots,
};

/* ---- The module --------------------------------------------------------------------------------------------------- */

static int fill(PyObject *module)
{
    if (_import_array() < 0)
        return -1;
    PyObject *type = PyType_FromModuleAndSpec(module, &call_type, NULL);
    if (!type || PyModule_AddObjectRef(module, "Call", type) < 0)
        return -1;
    Py_DECREF(type);
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, fill},
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "kinegen_calls", .m_size = 0, .m_slots = slots};

PyMODINIT_FUNC PyInit_kinegen_calls(void)
{
    return PyModuleDef_Init(&module);
}
