"""A slice as a stand-alone torch program: what a gradient reproducer consists of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.numerical.confirm.backends import ConcreteRun
from analyzer.numerical.confirm.failing_gradients import first_to_fail
from analyzer.numerical.confirm.problem import SearchProblem
from analyzer.numerical.confirm.torch_dtypes import from_numpy, torch_dtype
from analyzer.numerical.confirm.torch_evaluation import OperatorTrace, PreparedModel, run
from analyzer.numerical.confirm.torch_registry import Mode
from analyzer.operators.declaration import RANDOM, SHAPE_ONLY, STATEFUL
from analyzer.operators.registry import traits_of

# Python source of ``program(leaves, constants)`` with its constants; tracing takes longer than many runs.
Written = Callable[[], tuple[str, dict[str, np.ndarray]]]


def run_torch(problem: SearchProblem, leaves: Mapping[str, np.ndarray]) -> tuple[ConcreteRun, Written]:
    """A real forward and backward run, and what writes it down."""
    import torch

    tensors = _tensors(problem, leaves)
    floating = [name for name, tensor in tensors.items() if tensor.is_floating_point()]
    for name in floating:
        tensors[name].requires_grad_(True)
    trace = OperatorTrace(problem.outputs[0], infinite=problem.infinite)
    values = run(PreparedModel(problem.model), tensors, Mode(surrogate=False), trace)
    ends = list(problem.ends)
    total = torch.stack([values[n].sum() for n in ends if values[n].is_floating_point()]).sum()
    own = not trace.earlier and any(first_to_fail(total, given, made) for given, made in trace.executions)
    found = torch.autograd.grad(total, [tensors[n] for n in floating], allow_unused=True)
    gradients = {n: g.float().numpy() for n, g in zip(floating, found, strict=True) if g is not None}
    results = {n: values[n].detach().float().numpy() for n in [*problem.results, *ends]}
    done = ConcreteRun(results, f"PyTorch {torch.__version__}", gradients, own)
    return done, lambda: _source(problem, tensors, ends, trace)


def run_torch_forward(problem: SearchProblem, leaves: Mapping[str, np.ndarray]) -> tuple[ConcreteRun, Written]:
    """The same without gradients; the program returns the operator's operands and results."""
    import torch

    tensors = _tensors(problem, leaves)
    trace = OperatorTrace(problem.outputs[0], infinite=problem.infinite)
    with torch.no_grad():
        values = run(PreparedModel(problem.model), dict(tensors), Mode(surrogate=False), trace)
    ends = [n for n in (*problem.operands, *problem.outputs) if n in values]
    results = {n: _array(values[n]) for n in ends}

    def written() -> tuple[str, dict[str, np.ndarray]]:
        with torch.no_grad():
            return _source(problem, tensors, ends, trace)

    return ConcreteRun(results, f"PyTorch {torch.__version__}", own=not trace.earlier), written


def _tensors(problem: SearchProblem, leaves: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The leaves in their own dtypes, in the problem's order."""
    return {leaf.name: from_numpy(leaves[leaf.name]).to(torch_dtype(leaf.dtype)) for leaf in problem.leaves}


def _array(tensor: Any) -> np.ndarray:
    found: np.ndarray = (tensor.float() if tensor.is_floating_point() else tensor).detach().numpy()
    return found


def _source(
    problem: SearchProblem, tensors: Mapping[str, Any], ends: list[str], trace: OperatorTrace
) -> tuple[str, dict[str, np.ndarray]]:
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx

    sizes = _told_by_shapes(problem.model, tensors)

    def program(*leaves: Any) -> Any:
        again = OperatorTrace(replayed=iter(trace.decisions))
        # A tracer looks at single numbers that are made before its eyes, and at no others.
        seen = {name: torch.tensor(x.tolist(), dtype=x.dtype) if x.numel() == 1 else x for name, x in sizes.items()}
        prepared = PreparedModel(problem.model).knowing(seen)
        values = run(prepared, dict(zip(tensors, leaves, strict=True)), Mode(surrogate=False), again)
        return [values[n] for n in ends]

    traced = make_fx(program)(*[tensor.detach() for tensor in tensors.values()])
    names = iter(tensors)
    constants: dict[str, np.ndarray] = {}
    lines = ["def program(leaves, constants):"]
    for node in traced.graph.nodes:
        if node.op == "placeholder":
            name = next(names)
            narrow = ".to(torch.bfloat16)" if tensors[name].dtype == torch.bfloat16 else ""  # NumPy has no such type
            lines.append(f"    {node.name} = leaves[{name!r}]{narrow}")
        elif node.op == "get_attr":
            tensor = getattr(traced, node.target).detach()
            constants[node.name] = (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
            lines.append(f"    {node.name} = constants[{node.name!r}].to({tensor.dtype})")
        elif node.op == "call_function":
            arguments = [_text(a) for a in node.args] + [f"{k}={_text(v)}" for k, v in node.kwargs.items()]
            target = (
                f"torch.ops.{node.target}" if isinstance(node.target, torch._ops.OpOverload) else "operator.getitem"
            )
            lines.append(f"    {node.name} = {target}({', '.join(arguments)})")
        elif node.op == "output":
            lines.append(f"    return {_text(node.args[0])}")
    return "\n".join(lines) + "\n", constants


def _told_by_shapes(model: ir.Model, tensors: Mapping[str, Any]) -> dict[str, Any]:
    """Integers that hang on the shapes of leaves alone: a tracer does not look at those of more than one element."""
    told = {name for name, value in model.graph.initializers.items() if name not in tensors}
    for node in model.graph:
        traits = traits_of(node)
        fixed = not traits & (RANDOM | STATEFUL) and all(v is None or v.name in told for v in node.inputs)
        if (fixed or traits & SHAPE_ONLY) and not any(isinstance(a.value, ir.Graph) for a in node.attributes.values()):
            told.update(v.name for v in node.outputs if v.name)
    import torch

    values = run(PreparedModel(model), dict(tensors), Mode(surrogate=False))
    made = {v.name or "" for node in model.graph for v in node.outputs} & told & values.keys()
    tensors_told = {name: values[name] for name in made if isinstance(values[name], torch.Tensor)}
    return {name: x for name, x in tensors_told.items() if not (x.is_floating_point() or x.is_complex())}


def _text(argument: Any) -> str:
    import torch

    if isinstance(argument, torch.fx.Node):
        return str(argument.name)
    if isinstance(argument, (list, tuple)):
        return "[" + ", ".join(_text(a) for a in argument) + "]"
    if isinstance(argument, torch.device):
        return f"torch.device({str(argument)!r})"
    if isinstance(argument, float) and not np.isfinite(argument):
        return f"float({str(argument)!r})"
    return repr(argument)
