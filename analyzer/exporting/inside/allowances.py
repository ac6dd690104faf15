"""What tracing and writing need to be allowed so that ordinary models pass; no result changes by it."""

from __future__ import annotations

import contextlib
import importlib
import math
import struct
import sys
from collections.abc import Iterator
from typing import Any

HELD = 2  # references to what only a pair of our list holds, while it is counted


@contextlib.contextmanager
def unchecked_distributions(torch: Any) -> Iterator[None]:
    """Distributions look at their parameters' values to validate them, which no tracer can; results are the same."""
    distribution = torch.distributions.Distribution
    before = distribution._validate_args
    distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        distribution.set_default_validate_args(before)


def data_that_stays(torch: Any) -> Any:
    """A mode under which ``w.data = w.data`` is nothing, and ``w.data`` alone is ``w.detach()``.

    The first is how code moves a weight to where it is already. Tracers record it as a replacement of the weight's
    memory, which they then refuse. The second has the same memory without a gradient: what changes it in place
    (``noise.data.normal_()``) changes the buffer, where tracers see a constant that nothing may change. Another tensor
    as the data is copied into its memory (``k.data = k.data * m + q.data * (1 - m)``, a running mean of weights), if it
    has the same shape and type and nothing that was read of the old data is still held: that would change as well. Else
    it is refused: tracers go on with the old one.
    """
    from torch.overrides import TorchFunctionMode

    read, write = torch.Tensor.data.__get__, torch.Tensor.data.__set__
    given: list[tuple[Any, Any]] = []  # what was read, of which tensor

    class Staying(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if function == write:
                tensor, new = args
                if any(made is new and of is tensor for made, of in given):
                    return None
                alike = (tensor.shape, tensor.dtype, tensor.device) == (new.shape, new.dtype, new.device)
                given[:] = [pair for pair in given if sys.getrefcount(pair[0]) > HELD]  # what nobody reads any more
                if alike and not any(of is tensor for _, of in given):
                    tensor.detach().copy_(new.detach())
                    return None
                raise RuntimeError("the memory of a tensor is replaced (`.data = …`), which no tracer follows")
            if function == read:
                given.append((args[0].detach(), args[0]))
                return given[-1][0]
            return function(*args, **(kwargs or {}))

    return Staying()


def integers_drawn(torch: Any) -> Any:
    """A mode under which ``x.random_(low, high)`` copies what ``randint`` draws.

    Tracers write the first by the name of its overload, ``from``, which is no name in the program that they make.
    """
    from torch.overrides import TorchFunctionMode

    class Drawn(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            named = dict(kwargs or {})
            if function == torch.Tensor.random_ and len(args) == 3 and args[2] is not None:
                x, low, high = args
                return x.copy_(torch.randint(low, high, x.shape, device=x.device, generator=named.get("generator")))
            return function(*args, **named)

    return Drawn()


def equal_bounds(program: Any, torch: Any) -> None:
    """``clamp(1e-7, 1)``: the exporter knows no bounds of two types."""
    for node in program.graph.nodes:
        if node.op != "call_function" or node.target not in (torch.ops.aten.clamp.default, torch.ops.aten.clip.default):
            continue
        bounds = [*node.args[1:], *(node.kwargs.get(k) for k in ("min", "max"))]
        if {type(b) for b in bounds if b is not None} == {int, float}:
            node.args = (node.args[0], *(float(b) if isinstance(b, int) else b for b in node.args[1:]))
            node.kwargs = {k: float(v) if isinstance(v, int) else v for k, v in node.kwargs.items()}


def constants_copied(program: Any, torch: Any) -> None:
    """What a model writes into a tensor that is no buffer of it goes into a copy: the exporter refuses such constants.

    A run reads what the tensor held and what was written since, as it does of the copy.
    """
    kind = torch.export.graph_signature.InputKind.CONSTANT_TENSOR
    names = {spec.arg.name for spec in program.graph_signature.input_specs if spec.kind == kind}
    constant = {node: node for node in program.graph.nodes if node.op == "placeholder" and node.name in names}
    written: dict[Any, None] = {}
    for node in program.graph.nodes:
        schema = getattr(node.target, "_schema", None)
        for argument, value in zip(schema.arguments, node.args) if schema is not None else ():  # noqa: B905
            if isinstance(value, torch.fx.Node) and value in constant and argument.alias_info is not None:
                constant[node] = constant[value]
                if argument.alias_info.is_write:
                    written[constant[value]] = None
    behind = next((node for node in program.graph.nodes if node.op != "placeholder"), None)
    for node in written:
        with program.graph.inserting_before(behind):
            copy = program.graph.call_function(torch.ops.aten.clone.default, (node,))
        copy.meta.update(node.meta)
        node.replace_all_uses_with(copy, delete_user_cb=lambda user, copy=copy: user is not copy)
    if written:
        program.graph_module.recompile()


def tensors_alone(program: Any, torch: Any) -> None:
    """Numbers and texts among the results (``x.shape``) are left out: the exporter takes every result for a tensor."""
    output = next(node for node in reversed(program.graph.nodes) if node.op == "output")
    results = output.args[0]
    for place, (spec, result) in enumerate(zip(program.graph_signature.output_specs, results)):  # noqa: B905
        if result is not None and not isinstance(result, torch.fx.Node):
            program.graph_signature.output_specs[place].arg = type(spec.arg)(name=spec.arg.name, value=None)
    output.args = (tuple(r if isinstance(r, torch.fx.Node) else None for r in results),)
    program.graph_module.recompile()


@contextlib.contextmanager
def without_checks(torch: Any) -> Iterator[None]:
    """Leave out what only raises: `_linalg_check_errors`, behind every decomposed factorisation, has no result and no
    ONNX form, and the tokens that keep it in its place have none either."""
    try:
        passes: Any = importlib.import_module("torch.onnx._internal.exporter._fx_passes")
        plain = importlib.import_module("torch.export._remove_effect_tokens_pass")._remove_effect_tokens
        original, check = passes.decompose_with_registry, torch.ops.aten._linalg_check_errors.default
    except (ImportError, AttributeError):  # another version, which is asked as it is
        yield
        return

    def decomposed(*arguments: Any, **named: Any) -> Any:
        program = original(*arguments, **named)
        if any(check in node.args for node in program.graph.nodes):
            program = plain(program)
        for node in list(program.graph.nodes):
            if node.target is check and not node.users:
                _told(node.args[0], torch)
                program.graph.erase_node(node)
        return program

    passes.decompose_with_registry = decomposed
    try:
        yield
    finally:
        passes.decompose_with_registry = original


@contextlib.contextmanager
def numbers_as_tensors(torch: Any) -> Iterator[None]:
    """``1.0 - y`` of integers: decomposed it is a difference whose first operand is a number, which torch runs.

    The exporter brings the integers to floating point, looks for the overload that takes what there is now, and finds
    none that takes a number there. It is the one that takes a tensor of no axes: torch makes one of such a number.
    """
    try:
        promotion: Any = importlib.import_module("torch.onnx._internal.fx.passes.type_promotion")
        original = promotion.find_compatible_op_overload
    except (ImportError, AttributeError):  # another version, which is asked as it is
        yield
        return

    def found(op: Any, args: Any, kwargs: Any) -> Any:
        try:
            return original(op, args, kwargs)
        except RuntimeError:
            first, *rest = args or (None,)
            if isinstance(first, bool) or not isinstance(first, (int, float)):
                raise
            return original(op, (torch.scalar_tensor(first), *rest), kwargs)

    promotion.find_compatible_op_overload = found
    try:
        yield
    finally:
        promotion.find_compatible_op_overload = original


@contextlib.contextmanager
def numbers_of_doubles(program: Any, torch: Any) -> Iterator[None]:
    """In a program with doubles, a number that float32 rounds is written as one before it is cast to what it meets.

    The exporter writes every number in float32, and a model in doubles loses its own guards:
    ``log(p.clamp(min=1e-300))``, ``log(1 - p.clamp(max=1 - 1e-10))``.
    """
    if not any(_is_double(node.meta.get("val"), torch) for node in program.graph.nodes):
        yield
        return
    try:
        building: Any = importlib.import_module("torch.onnx._internal.exporter._building")
        double = importlib.import_module("onnx_ir").DataType.DOUBLE
        original, constant = building._process_python_constants, building._get_or_create_constant
    except (ImportError, AttributeError):  # another version, which is asked as it is
        yield
        return

    def processed(signature: Any, inputs: dict[str, Any], types: Any, constants: Any, opset: Any) -> Any:
        if signature.name in ("Cast", "CastLike"):
            for name, value in list(inputs.items()):
                if isinstance(value, float) and math.isfinite(value) and _rounded(value):
                    inputs[name] = constant(constants, value, double, opset)
        return original(signature, inputs, types, constants, opset)

    building._process_python_constants = processed
    try:
        yield
    finally:
        building._process_python_constants = original


def _is_double(value: Any, torch: Any) -> bool:
    parts = value if isinstance(value, (tuple, list)) else (value,)
    return any(getattr(part, "dtype", None) == torch.float64 for part in parts)


def _rounded(number: float) -> bool:
    """Whether it is another number in float32."""
    try:
        return bool(struct.unpack("f", struct.pack("f", number))[0] != number)
    except OverflowError:
        return True


def _told(errors: Any, torch: Any) -> None:
    """Note at a factorisation that its errors are looked at: what goes on from there has succeeded."""
    made: Any = errors.args[0] if getattr(errors, "args", ()) else None
    schema = getattr(getattr(made, "target", None), "_schema", None)
    if (
        made is not None
        and schema is not None
        and any(argument.name == "check_errors" for argument in schema.arguments)
    ):
        made.kwargs = {**made.kwargs, "check_errors": True}


@contextlib.contextmanager
def sizes_without_values(torch: Any) -> Iterator[None]:
    """Shapes of results whose sizes PyTorch reads from values, where another size bounds them or they are as a rule.

    The width of CTC's table of partial sums is the greatest length of a target; the width of the targets bounds it, and
    only the gradient reads the table. Least squares gives no residuals where the matrix has not full rank.
    """
    implementations = getattr(getattr(torch._subclasses, "fake_impls", None), "op_implementations_dict", {})

    def partial_sums(fake_mode: Any, func: Any, scores: Any, targets: Any, *lengths: Any, **options: Any) -> Any:
        with fake_mode:
            steps, *batch = scores.shape[:-1]
            rows = scores.new_empty(batch)
            return rows, scores.new_empty([*(batch or [1]), steps, 2 * targets.shape[-1] + 1])

    def least_squares(fake_mode: Any, func: Any, matrix: Any, wanted: Any, *rest: Any, **options: Any) -> Any:
        with fake_mode:
            *batch, rows, columns = matrix.shape
            vector = wanted.dim() == 1 or list(wanted.shape) == [*batch, rows]
            more = [] if vector else [wanted.shape[-1]]
            residuals = wanted.new_empty([*batch, *more] if rows > columns else [0])
            rank = wanted.new_empty(batch, dtype=torch.int64)
            return wanted.new_empty([*batch, columns, *more]), residuals, rank, wanted.new_empty([0])

    aten = torch.ops.aten
    shaped = {("_ctc_loss", "Tensor"): partial_sums, ("linalg_lstsq", "default"): least_squares}
    overloads = {getattr(getattr(aten, name, None), kind, None): rule for (name, kind), rule in shaped.items()}
    added = {op: rule for op, rule in overloads.items() if op is not None and op not in implementations}
    implementations.update(added)
    try:
        yield
    finally:
        for overload in added:
            del implementations[overload]


@contextlib.contextmanager
def views_may_copy(torch: Any) -> Iterator[None]:
    """Let ``view`` of a tensor whose layout does not allow it copy, as ``reshape`` does.

    The exporter runs the decomposed program once more on fake tensors. Attention that is kept whole has another memory
    layout there than where the program was traced, so that views behind it (T5's) are refused. In ONNX
    both are Reshape.
    """
    implementations = getattr(getattr(torch._subclasses, "fake_impls", None), "op_implementations_dict", {})
    view = torch.ops.aten.view.default
    original = implementations.get(view)
    if original is None:
        yield
        return

    def lenient(fake_mode: Any, func: Any, tensor: Any, *shape: Any, **options: Any) -> Any:
        try:
            return original(fake_mode, func, tensor, *shape, **options)
        except ValueError:
            return original(fake_mode, func, tensor, *shape, allow_copy=True)

    implementations[view] = lenient
    try:
        yield
    finally:
        implementations[view] = original
