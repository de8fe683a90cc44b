"""A compiled model of any tree with the mass matrix 1 and no bias: dynamics simple enough to be known exactly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kinegen.codegen.analysis.sizes import sizes_of
from kinegen.codegen.build import build
from kinegen.codegen.mechanism import KINDS, Joint, Link, Mechanism
from kinegen.codegen.mechanism.types import NEUTRAL
from kinegen.codegen.printing.kernels import Context
from kinegen.codegen.printing.library import library_of
from kinegen.codegen.printing.motion.files import Motion, motion_header, motion_kernels, motion_source
from kinegen.codegen.printing.sources import Sources
from kinegen.codegen.printing.step.inverse import inverse_file
from kinegen.codegen.printing.step.step import model_header, step_file
from kinegen.codegen.printing.structs.model import declarations
from kinegen.runtime.abi import INTEGRATORS, ArraySpec, JointSpec, KernelSpec, Manifest, ParameterSpec

ALL_KINDS = ("free", *(name for name in KINDS if name != "free"))


def chain(kinds: tuple[str, ...] = ALL_KINDS, **options: Any) -> Mechanism:
    """Links l0, l1, ... on joints j0, j1, ... of these kinds, in a row; `options` go to every joint that moves."""
    links = [Link(f"l{i}", mass=1.0, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 1.0)) for i in range(len(kinds))]
    own: dict[str, dict[str, Any]] = {"helical": {"pitch": 0.1}}
    joints = [
        Joint(
            f"j{i}",
            kind,
            "world" if i == 0 else f"l{i - 1}",
            f"l{i}",
            **(options if kind != "fixed" else {}),
            **own.get(kind, {}),
        )
        for i, kind in enumerate(kinds)
    ]
    return Mechanism("chain", links, joints)


def sources(mechanism: Mechanism, prefix: str = "unit") -> Sources:
    """C of the motion of `mechanism`, with a = tau and (1 + d) a = tau in place of its dynamics."""
    tree, parameters = mechanism.tree, mechanism.parameters
    parametric = bool(parameters)
    q, v = (tree.nq,), (tree.nv,)
    dynamics = (
        KernelSpec("forward_dynamics", f"{prefix}_forward_dynamics", _specs(q=q, v=v, tau=v), _specs(a=v)),
        KernelSpec(
            "forward_dynamics_damped",
            f"{prefix}_forward_dynamics_damped",
            _specs(q=q, v=v, tau=v, d=v),
            _specs(a=v),
        ),
    )
    motion = Motion(tree, prefix, parameters)
    context = Context(mechanism, prefix, lambda stage: None)
    sizes = sizes_of(mechanism)
    step, inverse = step_file(context, sizes, None), inverse_file(context)
    texts = [_dynamics(kernel, "(1.0 + d[i])" if "damped" in kernel.name else "1.0", parametric) for kernel in dynamics]
    rest = _rest(prefix, tree.nv, parametric)
    cdef = "".join(f"{line};\n" for text in (*texts, rest) for line in text.splitlines() if line.startswith("void"))
    cdef = declarations(sizes, prefix) + cdef + motion_header(motion) + step.declarations + inverse.declarations
    files = {
        f"{prefix}.h": f"#pragma once\n{cdef}",
        f"{prefix}_model.h": model_header(context, sizes),
        f"{prefix}.c": motion_source(motion),
        f"{prefix}_step.c": step.text,
        inverse.name: inverse.text,
        f"{prefix}_dynamics.c": f'#include "{prefix}.h"\n\n' + "\n".join([*texts, rest]),
    }
    files |= library_of(files.values())
    return Sources(_manifest(mechanism, prefix, dynamics, tuple(files)), files, cdef)


def _manifest(mechanism: Mechanism, prefix: str, dynamics: Sequence[KernelSpec], files: tuple[str, ...]) -> Manifest:
    tree = mechanism.tree
    return Manifest(
        name=mechanism.name,
        prefix=prefix,
        module=f"_{prefix}",
        nq=tree.nq,
        nv=tree.nv,
        links=tuple(body.link.name for body in tree.bodies),
        joints=tuple(
            JointSpec(
                body.joint.name,
                body.joint.kind,
                body.joint.parent,
                body.joint.child,
                body.q_start,
                body.nq,
                body.v_start,
                body.nv,
                body.joint.actuated,
                body.joint.lower,
                body.joint.upper,
                body.joint.velocity,
                body.joint.effort,
            )
            for body in tree.bodies
        ),
        frames=(),
        parameters=tuple(ParameterSpec(str(symbol)) for symbol in mechanism.parameters),
        kernels=(*motion_kernels(tree, prefix), *dynamics),
        neutral=tuple(x for body in tree.bodies if body.nq for x in NEUTRAL[body.joint.kind]),
        sources=files,
        integrators=tuple(INTEGRATORS),
    )


def _dynamics(kernel: KernelSpec, mass: str, parametric: bool) -> str:
    """C of one dynamics kernel, a = tau / mass, and of its batch."""
    p, use, pass_ = ("const double *p, ", "(void)p, ", "p, ") if parametric else ("", "", "")
    names, nv = [array.name for array in kernel.inputs], kernel.outputs[0].shape[0]
    plain = ", ".join(f"const double *{name}" for name in names)
    strided = ", ".join(f"const double *{name}, long s_{name}" for name in names)
    shifted = ", ".join(f"{name} + k*s_{name}" for name in names)
    return f"""
void {kernel.function}({p}{plain}, double *a)
{{
    {use}(void)q, (void)v;
    for (int i = 0; i < {nv}; i++)
        a[i] = tau[i]/{mass};
}}

void {kernel.function}_batch(long n, {p}{strided}, double *a)
{{
    for (long k = 0; k < n; k++)
        {kernel.function}({pass_}{shifted}, a + k*{nv});
}}
"""


def _rest(prefix: str, nv: int, parametric: bool) -> str:
    """C of the other kernels that a step and inverse kinematics call: M is the unit matrix."""
    kernels = (
        ("mass_matrix", ("q",), f"i < {nv * nv}", f"i % {nv + 1} == 0"),
        ("bias", ("q", "v"), f"i < {nv}", "0.0"),
        ("inverse_dynamics", ("q", "v", "a"), f"i < {nv}", "a[i]"),
        ("link_poses", ("q",), "i < 1", "0.0"),
        ("frame_jacobian", ("q", "frame"), "i < 1", "0.0"),
        ("com", ("q",), "i < 3", "0.0"),
        ("com_jacobian", ("q",), f"i < {3 * nv}", "0.0"),
    )
    text = []
    for name, inputs, condition, value in kernels:
        given = (*(["p"] if parametric else []), *inputs)
        head = f"void {prefix}_{name}({', '.join(f'const double *{x}' for x in given)}, double *out)"
        unused = ", ".join(f"(void){x}" for x in given)
        text.append(
            f"{head}\n{{\n    {unused};\n    for (int i = 0; {condition}; i++)\n        out[i] = {value};\n}}\n"
        )
    return "\n".join(text)


def compiled(mechanism: Mechanism) -> Path:
    """Folder of the compiled model."""
    return build(sources(mechanism))


def _specs(**shapes: tuple[int, ...]) -> tuple[ArraySpec, ...]:
    return tuple(ArraySpec(name, shape) for name, shape in shapes.items())
