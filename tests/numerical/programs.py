"""Random small programs: chains of operators with shared values, so that relations between values are exercised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from containment import analysed, failed, graph_of, outside
from onnx import TensorProto, helper, numpy_helper
from operator_catalogue import Operand
from sampling import Tally, abstraction, random_box, samples

Shape = tuple[int, ...]
SMOOTH = ("Sigmoid", "Tanh", "Softplus", "Erf", "Elu", "LeakyRelu", "Gelu", "HardSigmoid", "Cos", "Softsign")
KINKED = ("Relu", "Abs", "Neg", "Sign", "Floor", "Identity")
RISKY = ("Exp", "Log", "Sqrt", "Reciprocal")
COMPARISONS = ("Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal")
CONSTANTS = (0.0, 1.0, -1.0, 2.0, 0.5, 1e-7, 1e-3, 1e8, -3.0, 100.0)


@dataclass
class Program:
    """Nodes in order; `shapes` of every value by name."""

    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    shapes: dict[str, Shape] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def node(self, op: str, inputs: list[str], *shapes: Shape, **attributes: Any) -> list[str]:
        names = [f"v{len(self.shapes) + k}" for k in range(len(shapes))]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"{op}_{len(self.nodes)}", **attributes))
        self.shapes.update(zip(names, shapes, strict=True))
        return names

    def model(self) -> onnx.ModelProto:
        """Every float value is an output, so that each can be compared."""
        info = helper.make_tensor_value_info
        inputs = [info(n, TensorProto.FLOAT, self.shapes[n]) for n in self.inputs]
        made = [o for n in self.nodes for o in n.output if o in self.shapes]  # no truth values, no narrow types
        graph = helper.make_graph(
            self.nodes, "g", inputs, [helper.make_empty_tensor_value_info(o) for o in made], self.constants
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
        return onnx.shape_inference.infer_shapes(model)


def random_program(rng: np.random.Generator, steps: int) -> Program:
    """`steps` operators on two inputs of shape (3, 4)."""
    program = Program(inputs=("x", "y"))
    program.shapes.update({"x": (3, 4), "y": (3, 4)})
    kinds: list[Callable[[Program, np.random.Generator], None]] = [
        _unary, _unary, _with_constant, _with_constant, _binary, _binary, _binary, _layout, _layout, _joined, _reduced,
        _selected, _narrow,
    ]  # fmt: skip
    for _ in range(steps):
        kinds[int(rng.integers(len(kinds)))](program, rng)
    return program


def _pick(program: Program, rng: np.random.Generator) -> str:
    """Any value, later ones more often."""
    names = list(program.shapes)
    return names[max(int(rng.integers(len(names))), int(rng.integers(len(names))))]


def _partner(program: Program, rng: np.random.Generator, name: str) -> str:
    """A value that broadcasts to the shape of `name`."""
    shape = program.shapes[name]
    fits = [
        n
        for n, s in program.shapes.items()
        if len(s) == len(shape) and all(a in (1, b) for a, b in zip(s, shape, strict=True))
    ]
    return fits[int(rng.integers(len(fits)))]


def _unary(program: Program, rng: np.random.Generator) -> None:
    x = _pick(program, rng)
    op = str(rng.choice([*SMOOTH, *KINKED, *KINKED, *RISKY, "Softmax", "LogSoftmax"]))
    program.node(op, [x], program.shapes[x])


def _with_constant(program: Program, rng: np.random.Generator) -> None:
    x = _pick(program, rng)
    shape = program.shapes[x]
    value = float(rng.choice(CONSTANTS))
    c = program.constant(value)
    how = str(rng.choice(["Add", "Sub", "from", "Mul", "Div", "Clip", "Pow", "Max", "Min"]))
    if how == "from":
        program.node("Sub", [c, x], shape)
    elif how == "Clip":
        program.node("Clip", [x, program.constant(min(value, 1.0)), program.constant(max(value, 1.0))], shape)
    elif how == "Pow":
        program.node("Pow", [x, program.constant(float(rng.choice([2, 3, 0.5, -1])))], shape)
    else:
        program.node(how, [x, c], shape)


def _binary(program: Program, rng: np.random.Generator) -> None:
    x = _pick(program, rng)
    y = _partner(program, rng, x)
    op = str(rng.choice(["Add", "Add", "Sub", "Sub", "Sub", "Mul", "Div", "Max", "Min"]))
    program.node(op, [x, y], program.shapes[x])


def _layout(program: Program, rng: np.random.Generator) -> None:
    x = _pick(program, rng)
    shape = program.shapes[x]
    how = str(rng.choice(["Transpose", "Reshape", "Slice", "Gather", "Unsqueeze", "Squeeze", "Expand", "Tile", "Pad"]))
    if how == "Transpose":
        perm = [int(p) for p in rng.permutation(len(shape))]
        program.node("Transpose", [x], tuple(shape[p] for p in perm), perm=perm)
    elif how == "Reshape":
        n = int(np.prod(shape))
        options = [(n,), (n, 1), *((k, n // k) for k in (2, 3, 4, 6) if n % k == 0)]
        new = options[int(rng.integers(len(options)))]
        program.node("Reshape", [x, program.constant(new, np.int64)], new)
    elif how == "Slice":
        axis = int(rng.integers(len(shape)))
        if shape[axis] > 1:
            a = int(rng.integers(0, shape[axis] - 1))
            b = int(rng.integers(a + 1, shape[axis] + 1))
            parts = [program.constant([v], np.int64) for v in (a, b, axis)]
            program.node("Slice", [x, *parts], tuple(b - a if i == axis else d for i, d in enumerate(shape)))
    elif how == "Gather":
        axis = int(rng.integers(len(shape)))
        index = rng.integers(0, shape[axis], int(rng.integers(1, 4)))
        new = tuple(len(index) if i == axis else d for i, d in enumerate(shape))
        program.node("Gather", [x, program.constant(index, np.int64)], new, axis=axis)
    elif how == "Unsqueeze" and len(shape) < 4:
        program.node("Unsqueeze", [x, program.constant([0], np.int64)], (1, *shape))
    elif how == "Squeeze" and len(shape) > 1 and shape[0] == 1:
        program.node("Squeeze", [x, program.constant([0], np.int64)], shape[1:])
    elif how == "Expand" and 1 in shape:
        new = tuple(3 if d == 1 else d for d in shape)
        program.node("Expand", [x, program.constant(new, np.int64)], new)
    elif how == "Tile" and np.prod(shape) <= 24:
        times = [2] + [1] * (len(shape) - 1)
        program.node("Tile", [x, program.constant(times, np.int64)], (2 * shape[0], *shape[1:]))
    elif how == "Pad" and len(shape) == 2:
        program.node("Pad", [x, program.constant([0, 1, 0, 0], np.int64)], (shape[0], shape[1] + 1))


def _joined(program: Program, rng: np.random.Generator) -> None:
    """Concat of values whose other axes agree, or Split in two."""
    x = _pick(program, rng)
    shape = program.shapes[x]
    axis = int(rng.integers(len(shape)))
    if rng.random() < 0.6:
        fits = [
            n
            for n, s in program.shapes.items()
            if len(s) == len(shape) and all(a == b for i, (a, b) in enumerate(zip(s, shape, strict=True)) if i != axis)
        ]
        others = [fits[int(rng.integers(len(fits)))] for _ in range(int(rng.integers(1, 3)))]
        total = shape[axis] + sum(program.shapes[o][axis] for o in others)
        if total <= 12:
            program.node(
                "Concat", [x, *others], tuple(total if i == axis else d for i, d in enumerate(shape)), axis=axis
            )
    elif shape[axis] > 1:
        cut = int(rng.integers(1, shape[axis]))
        sizes = (cut, shape[axis] - cut)
        shapes = [tuple(n if i == axis else d for i, d in enumerate(shape)) for n in sizes]
        program.node("Split", [x, program.constant(sizes, np.int64)], *shapes, axis=axis)


def _reduced(program: Program, rng: np.random.Generator) -> None:
    """A reduction over the last axis, and half of the time the value less it, or divided by it."""
    x = _pick(program, rng)
    shape = program.shapes[x]
    op = str(rng.choice(["ReduceMax", "ReduceSum", "ReduceMean", "ReduceMin", "ReduceL2", "ReduceLogSumExp"]))
    (r,) = program.node(op, [x, program.constant([len(shape) - 1], np.int64)], (*shape[:-1], 1))
    if rng.random() < 0.5:
        program.node(str(rng.choice(["Sub", "Sub", "Div"])), [x, r], shape)


def _selected(program: Program, rng: np.random.Generator) -> None:
    x = _pick(program, rng)
    shape = program.shapes[x]
    subject, branch = _partner(program, rng, x), _partner(program, rng, x)
    if rng.random() < 0.5:
        subject = x
    other = program.constant(float(rng.choice(CONSTANTS))) if rng.random() < 0.7 else _partner(program, rng, x)
    name = f"b{len(program.nodes)}"
    program.nodes.append(helper.make_node(str(rng.choice(COMPARISONS)), [subject, other], [name], name=f"cmp_{name}"))
    if rng.random() < 0.2:
        program.nodes.append(helper.make_node("Not", [name], [f"n{name}"], name=f"not_{name}"))
        name = f"n{name}"
    sides = [x, branch] if rng.random() < 0.5 else [branch, x]
    if rng.random() < 0.3:
        sides[1] = program.constant(float(rng.choice(CONSTANTS)))
        sides[0] = x
    program.node("Where", [name, *sides], shape)


NARROW = (TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E5M2)


def _narrow(program: Program, rng: np.random.Generator) -> None:
    """To a narrower float type and back."""
    x = _pick(program, rng)
    name = f"h{len(program.nodes)}"
    to = int(rng.choice(NARROW))
    program.nodes.append(helper.make_node("Cast", [x], [name], name=f"narrow_{name}", to=to))
    program.node("Cast", [name], program.shapes[x], to=TensorProto.FLOAT)


def session(model: onnx.ModelProto, optimised: bool) -> Any:
    """ONNX Runtime, as it runs models or node by node."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    level = ort.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if optimised else level.ORT_DISABLE_ALL
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def check_program(
    program: Program, rng: np.random.Generator, boxes: int, runs: int, tally: Tally, **options: Any
) -> None:
    """Runs of a program lie within its bounds; runs that fail are flagged."""
    if not program.nodes:
        return
    model = program.model()
    run = session(model, bool(rng.random() < 0.5))
    names = [o.name for o in model.graph.output]
    operands = {n: Operand(program.shapes[n]) for n in program.inputs}
    assert tally.problems is not None
    for _ in range(boxes):
        ranges = {n: random_box(rng, o) for n, o in operands.items()}
        graph = graph_of(model)
        result = analysed(graph, {n: abstraction(rng, o, *ranges[n]) for n, o in operands.items()}, **options)
        flagged = failed(result)
        values = {v.name: t for v, t in result.values.items()}
        tally.flagged += flagged
        witnessed = False
        streams = {n: samples(rng, o, *ranges[n], runs) for n, o in operands.items()}
        for _ in range(runs):
            feed = {n: next(s) for n, s in streams.items()}
            with np.errstate(all="ignore"):
                outputs = run.run(None, feed)
            tally.runs += 1
            broken = not all(np.isfinite(o).all() for o in outputs)
            witnessed |= broken
            if broken and flagged:
                continue  # what such a run goes on to compute is no longer bounded
            for name, output in zip(names, outputs, strict=True):
                tensor = values.get(name)
                if tensor is None:
                    continue
                tally.checks += int(np.size(output))
                why = outside(tensor, output)
                if why:
                    tally.problems.append(f"{name}: {why}\n{_listing(program)}\n{ranges}\n{feed}")
                    return
        tally.witnessed += witnessed


def _listing(program: Program) -> str:
    constants = {c.name: numpy_helper.to_array(c).tolist() for c in program.constants}
    lines = []
    for node in program.nodes:
        inputs = [str(constants.get(i, i)) for i in node.input]
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        lines.append(f"{', '.join(node.output)} = {node.op_type}({', '.join(inputs)}) {attributes or ''}")
    return "\n".join(lines)
