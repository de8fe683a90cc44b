"""Functions of a model in PyTorch: gradcheck in both directions, transforms, refusals, the blocks of the page.

pytest -m torch: PyTorch is too large for the extra of the tests.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.codegen.inspection.forms.libraries import functions_of
from kinegen.runtime.kinds import KINDS
from support.all_groups import all_groups
from support.oracles.mechanisms import cart_pole, full_of_functions
from support.oracles.numeric import error

pytestmark = pytest.mark.torch
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def torch() -> Any:
    import torch

    return torch


def unit(torch: Any, model: kg.Model, q: Any) -> Any:
    """q with quaternions and [cos sin] of unit norm, in PyTorch's own operations."""
    parts, at = [], 0
    for joint in model.manifest.joints:
        if joint.nv and (part := KINDS[joint.kind].rotation):
            begin, end = joint.q_start + part.start, joint.q_start + part.stop
            turn = q[..., begin:end]
            parts += [q[..., at:begin], turn / turn.norm(dim=-1, keepdim=True)]
            at = end
    return torch.cat([*parts, q[..., at:]], dim=-1)


def leaves(torch: Any, *arrays: Any) -> list[Any]:
    return [torch.tensor(np.asarray(x, dtype=float), requires_grad=True) for x in arrays]


NAMES = ["inverse_dynamics", "forward_dynamics", "bias", "gravity", "mass_matrix", "energy", "com", "frame_pose",
         "frame_velocity", "integrate"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_gradcheck(torch: Any, name: str) -> None:
    """Batched, in both directions, by differences of functions of numbers that are brought to unit norm."""
    at = all_groups()
    function: Callable[..., Any] = getattr(kg.torch.functions(at), name)
    if name.startswith("frame"):
        function = partial(function, frame="c")
    count = {"gravity": 1, "mass_matrix": 1, "com": 1, "frame_pose": 1}.get(
        name, 3 if name.endswith("_dynamics") else 2
    )
    rng = np.random.default_rng(2)
    given = [at.random(rng, size=2), rng.normal(size=at.nv), rng.normal(size=(2, at.nv))][:count]
    assert torch.autograd.gradcheck(
        lambda q, *more: function(unit(torch, at, q), *more), leaves(torch, *given), check_forward_ad=True
    )


def test_difference_and_step(torch: Any) -> None:
    at = all_groups()
    functions = kg.torch.functions(at)
    q = at.random(1)
    v = 0.3 * np.random.default_rng(1).normal(size=at.nv)
    both = leaves(torch, q, at.integrate(q, v))
    checked = torch.autograd.gradcheck
    assert checked(lambda a, b: functions.difference(unit(torch, at, a), unit(torch, at, b)), both)
    pole = kg.compile(cart_pole(), progress=False)
    step = partial(kg.torch.functions(pole).step, dt=1e-2)
    assert checked(step, leaves(torch, [0.1, 0.4], [1.0, -0.7], [0.3, 0.2]))


def test_transforms_of_functions(torch: Any) -> None:
    """vmap of grad, jacfwd, jacrev, jvp, arguments that are not mapped."""
    at = all_groups()
    functions = kg.torch.functions(at)
    rng = np.random.default_rng(5)
    q, v = torch.from_numpy(at.random(rng, size=3)), torch.from_numpy(rng.normal(size=at.nv))

    def loss(q: Any, v: Any) -> Any:
        return functions.energy(q, v).prod()

    x = q.clone().requires_grad_()
    functions.energy(x, v).prod(dim=-1).sum().backward()
    mapped = torch.func.vmap(torch.func.grad(loss), in_dims=(0, None))(q, v)
    assert error(mapped.numpy(), x.grad.numpy()) < 1e-14
    for jacobian in (torch.func.jacfwd(loss), torch.func.jacrev(loss)):
        assert error(jacobian(q[1], v).numpy(), x.grad[1].numpy()) < 1e-14
    _, rate = torch.func.jvp(lambda q: loss(q, v), (q[0],), (torch.ones_like(q[0]),))
    assert abs(float(rate - x.grad[0].sum())) < 1e-12 * max(1.0, abs(float(rate)))


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "energy", "frame_pose"])
def test_second_derivatives(torch: Any, name: str) -> None:
    """Backward through backward, by differences of gradients, in a batch."""
    at = all_groups()
    function = getattr(kg.torch.functions(at), name)
    if name.startswith("frame"):
        function = partial(function, frame=at.link_names[-1])
    rng = np.random.default_rng(3)
    count = {"inverse_dynamics": 3, "forward_dynamics": 3, "energy": 2}.get(name, 1)
    arrays = [np.stack([at.random(rng) for _ in range(2)]), *rng.normal(size=(count - 1, 2, at.nv))]
    given = leaves(torch, *arrays)
    assert torch.autograd.gradgradcheck(lambda q, *others: function(unit(torch, at, q), *others), given)


def test_hessians_and_where_they_end(torch: Any) -> None:
    """Transforms of transforms beside the program in PyTorch's own operations; third derivatives are refused."""
    mechanism = cart_pole()
    functions = kg.torch.functions(kg.compile(mechanism, progress=False))
    q, v, tau = torch.tensor([[0.3, 0.8], [0.5, -1.2], [2.0, 0.1]], dtype=torch.float64)
    own = kg.derive(mechanism).program("forward_dynamics").lambdify("torch")

    def ours(q: Any, v: Any) -> Any:
        return functions.forward_dynamics(q, v, tau)[1]

    found = torch.func.hessian(ours, argnums=(0, 1))(q, v)
    wanted = torch.func.hessian(lambda q, v: own(q, v, tau)[1], argnums=(0, 1))(q, v)
    for row, other in zip(found, wanted, strict=True):
        assert all(error(x.numpy(), y.numpy()) < 1e-10 for x, y in zip(row, other, strict=True))
    with pytest.raises(kg.ModelError, match="forward_dynamics: it can be differentiated twice here"):
        torch.func.jacrev(torch.func.hessian(ours))(q, v)
    (v,) = leaves(torch, [0.5, -1.2])
    (slope,) = torch.autograd.grad(functions.step(q, v, tau, dt=1e-3)[1][0], v, create_graph=True)
    with pytest.raises(kg.ModelError, match="step: its gradient has no gradient here"):
        slope.sum().backward()


def test_what_is_refused_leaves_all_as_it_was(torch: Any) -> None:
    pole = kg.compile(cart_pole(), progress=False)
    functions = kg.torch.functions(pole)
    q = torch.tensor([0.3, 0.8], dtype=torch.float64)
    before = functions.gravity(q)
    for wrong, message in [
        (q.float(), r"q: expected a tensor of torch.float64, got torch.float32; write q\.double\(\)"),
        (q.long(), "q: expected a tensor of torch.float64, got torch.int64"),
        (q.to("meta"), r"q: expected a tensor on the CPU, got one on meta; write q\.cpu\(\)"),
        (q.to_sparse(), r"q: expected a dense tensor, got torch.sparse_coo; write q\.to_dense\(\)"),
        (
            torch.nested.nested_tensor([q, q], layout=torch.jagged),
            r"q: expected a dense tensor, got a nested one; write torch\.stack\(q\.unbind\(\)\)",
        ),
        (q[:1], r"q: expected shape \(\.\.\., 2\), got \(1,\)"),
        (q * torch.nan, "q: entry 0 is nan, expected a number"),
        (["x", 1], "q: expected float64 numbers"),
    ]:
        with pytest.raises(kg.ModelError, match=message):
            functions.gravity(wrong)
    with pytest.raises(kg.ModelError, match="bias: batch axes do not broadcast"):
        functions.bias(q.expand(2, 2), q.expand(3, 2))
    assert torch.equal(functions.gravity(q), before)
    assert torch.equal(q, torch.tensor([0.3, 0.8], dtype=torch.float64))


def test_parts_of_complex_tensors_are_taken_for_what_they_are(torch: Any) -> None:
    """The imaginary part of a conjugate is a view that PyTorch negates when it is read."""
    functions = kg.torch.functions(kg.compile(cart_pole(), progress=False))
    q = torch.tensor([0.3, 0.8], dtype=torch.float64)
    view = torch.complex(q, q).conj().imag
    assert view.is_neg() and torch.equal(functions.gravity(view), functions.gravity(-q))
    (x,) = leaves(torch, q)
    functions.gravity(torch.complex(x, x).conj().imag).sum().backward()
    (y,) = leaves(torch, q)
    functions.gravity(-y).sum().backward()
    assert torch.equal(x.grad, y.grad)


def test_a_module_that_holds_functions_is_saved_whole(torch: Any, tmp_path: Path) -> None:
    functions = kg.torch.functions(kg.compile(cart_pole(), progress=False))
    module = torch.nn.Linear(2, 2, dtype=torch.float64)
    module.functions = functions
    torch.save(module, tmp_path / "module.pt")
    again = torch.load(tmp_path / "module.pt", weights_only=False)
    x = torch.tensor([0.2, 0.7], dtype=torch.float64)
    assert torch.equal(again.functions.bias(x, again(x)), functions.bias(x, module(x)))


def test_programs_in_torch(torch: Any) -> None:
    """`lambdify("torch")`: the program itself, differentiated there, against our derivatives."""
    made = kg.derive(cart_pole()).program("forward_dynamics").lambdify("torch")
    pole = kg.compile(cart_pole(), progress=False)
    given = [torch.tensor(x, dtype=torch.float64) for x in ([0.2, 0.7], [1.1, -2.0], [3.0, 0.5])]
    found = torch.func.jacrev(lambda q, v, tau: torch.stack(made(q, v, tau)), argnums=(0, 1, 2))(*given)
    wanted = pole.forward_dynamics_derivatives(*(x.numpy() for x in given))
    for ours, theirs in zip(wanted, found, strict=True):
        assert error(theirs.numpy(), ours) < 1e-12


PROGRAMS: dict[str, Callable[[], kg.Mechanism]] = {
    "mass_matrix": full_of_functions,
    **dict.fromkeys(("forward_dynamics_closed", "dependence"), lambda: kg.load(ROOT / "examples/fourbar.toml")),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_with_all_functions_in_torch(torch: Any, name: str) -> None:
    """Values and derivatives beside numpy's; a batch, single precision, and plain numbers beside tensors."""
    program = kg.derive(PROGRAMS[name]()).program(name)
    made, exact = program.lambdify("torch"), program.lambdify("numpy")
    sizes = [len(given.symbols) for given in program.function.inputs]
    arrays = [0.3 + 0.1 * np.arange(size) for size in sizes]
    given = [torch.tensor(x) for x in arrays]

    def whole(*tensors: Any) -> Any:
        return torch.stack(made(*tensors))

    wanted = np.array(exact(*arrays), dtype=float)
    assert error(whole(*given).numpy(), wanted) < 1e-13
    assert error(np.array([float(x) for x in made(*arrays[:-1], given[-1])]), wanted) < 1e-13
    assert error(np.array(made(*(x.tolist() for x in arrays)), dtype=float), wanted) < 1e-13
    single = whole(*(x.float() for x in given))
    assert single.dtype == torch.float32 and error(single.numpy(), wanted) < 1e-4
    many = torch.func.vmap(whole)(*(torch.stack([0.5 * x, x]) for x in given))
    assert error(many[1].numpy(), wanted) < 1e-13
    assert torch.autograd.gradcheck(whole, [x.requires_grad_() for x in given], check_forward_ad=True)
    assert torch.autograd.gradgradcheck(whole, given)


def test_functions_in_torch_take_plain_numbers_beside_tensors_as_they_are(torch: Any) -> None:
    """0.1 beside doubles is not the float nearest to it, beside floats they stay floats."""
    fmin, copysign, rint = (functions_of("torch")[name] for name in ("fmin", "copysign", "rint"))
    one = torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert fmin(one, 0.1).tolist() == [0.1, 0.1] and fmin(0.1, one.float()).dtype == torch.float32
    assert copysign(0.1, -one).tolist() == [-0.1, -0.1] and copysign(0.1, -2) == -0.1
    assert rint(one / 4).tolist() == [0.0, 0.0] and rint(1.5) == 2.0 and fmin(3, 2) == 2


def test_blocks_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of docs/bridges.md that need PyTorch, which the run of all pages leaves out."""
    monkeypatch.chdir(ROOT)
    blocks = re.findall(
        r"^```{code-block} python\n(.*?)^```$", (ROOT / "docs/bridges.md").read_text(encoding="utf-8"), re.M | re.S
    )
    assert blocks
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)


def test_a_policy_learns(tmp_path: Path, torch: Any) -> None:
    """examples/learning/policy.py: poles stand for twice as long as was learnt, from starts that were not seen."""
    example = runpy.run_path(str(ROOT / "examples/learning/policy.py"))
    learnt, states = example["main"](tmp_path)
    assert learnt.costs[-1] < 0.05 * learnt.costs[0]
    assert np.abs(states[-1, :, 1]).max() < 0.1
    assert (tmp_path / "policy.png").stat().st_size > 5000
