"""A module as it runs on its example inputs: what it reads from its own values (branches, sizes, numbers) is fixed.

Tracers that know no values refuse code that asks for them (``if x.sum() > 0``, ``range(int(lengths.max()))``). The
module is run once on real values and every operator recorded; what is traced afterwards replays the record.

What is computed from constants alone is the same in every run: its numbers hold for all inputs, and masks
(``x[~torch.eye(n, dtype=torch.bool)]``) become indices.

A number that was read may decide everything that Python does from there on. Operators recorded before the first such
reading carry the frame `INDEPENDENT` in their stack trace; all others hold for the example's numbers only.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

NOTE = (
    "the model asks for its own values while it runs (a branch, a size, a number); they were fixed as the example "
    "inputs give them, so other branches were not analysed, and nothing behind the first such place is proved"
)
_FRAME = re.compile(r'File "([^"\n]+)", line (\d+)')
CONSTANT_NOTE = "what the model reads from values that it computes from constants alone was taken as it is in every run"
LARGEST_CONSTANT = 1 << 20  # elements of a mask that is computed here
INDEPENDENT = 'File "<before any value was read>", line 1, in forward'
_READ = "assay.read"  # marks a node whose place in the record holds a value of the example
_READERS = ("tolist", "numpy", "__array__", "__dlpack__")  # of a tensor's memory: no operator is recorded for them


Innermost = Callable[[Iterator[tuple[str, int]]], Any]  # of frames, the first of the project: path and line, or None


@dataclass(frozen=True)
class Fixed:
    """What a record fixes, in words; `read`: which leaves of (args, kwargs) decide what was read; None: others may."""

    note: str
    read: tuple[int, ...] | None = None


def fix(
    module: Any, args: Any, kwargs: Any, torch: Any, innermost: Innermost, *, selections: bool = False
) -> Fixed | None:
    """Replace ``module.forward`` by the record of one run; says what was fixed, None where this torch cannot record.

    With `selections`, masks and places that were computed from values select what they did in that run, so that no
    size is left open.
    """
    from torch.fx import traceback
    from torch.fx.experimental.proxy_tensor import make_fx

    known = inspect.signature(make_fx).parameters
    options = {"_error_on_data_dependent_ops": False, "record_stack_traces": True}
    if "_error_on_data_dependent_ops" not in known:
        return None

    def functional(state: Any, args: Any, kwargs: Any) -> Any:
        with _readings_recorded(torch):
            return torch.func.functional_call(module, state, args, kwargs)

    given = {k: v for k, v in options.items() if k in known}
    drawn = torch.get_rng_state()
    recorded = make_fx(functional, **given)(_state(module), args, kwargs or {})
    masks = _constant_masks(recorded, torch)
    if selections:
        _fix_selections(recorded, (_state(module), args, kwargs or {}), drawn, torch)
    independent, first, constants = _before_reading(recorded.graph, torch)
    read = None if first is None or selections else _inputs_read(recorded.graph, len(_state(module)), torch)
    if first is not None:  # without one, some other way of asking made tracers give up: no node is independent
        for node in independent:
            node.meta["stack_trace"] = f"{node.meta.get('stack_trace') or ''}\n  {INDEPENDENT}\n    forward\n"
    for node in reversed(list(recorded.graph.nodes)):
        if torch.Tag.data_dependent_output in getattr(node.target, "tags", ()) and not node.users:
            recorded.graph.erase_node(node)
    recorded.recompile()

    @functools.wraps(module.forward)
    def forward(*args: Any, **kwargs: Any) -> Any:
        flat = torch.utils._pytree.tree_leaves((_state(module), args, kwargs))
        with traceback.preserve_node_meta():
            return torch.fx.Interpreter(recorded).run(*flat)

    module.forward = forward
    if (masks or constants) and first is None:
        return Fixed(CONSTANT_NOTE)
    place = innermost(iter(_frames(first))) if first is not None else None
    return Fixed(NOTE + (f" ({place[0]}:{place[1]})" if place else ""), read)


def _frames(node: Any) -> list[tuple[str, int]]:
    """Where the operator was called, innermost first."""
    found = _FRAME.findall(node.meta.get("stack_trace") or "")
    return [(name, int(line)) for name, line in reversed(found)]


def _constant_masks(recorded: Any, torch: Any) -> int:
    """Turns masks that rest on constants alone into indices; how many.

    The values of constants are computed in the order of the record, in-place changes included; what a change by
    something else reaches is no longer a constant.
    """
    values: dict[Any, Any] = {}
    count = 0
    for node in list(recorded.graph.nodes):
        if node.op == "get_attr":
            held = functools.reduce(getattr, node.target.split("."), recorded)
            if isinstance(held, torch.Tensor) and held.numel() <= LARGEST_CONSTANT:
                values[node] = held.clone()
        elif node.op == "call_function" and all(source in values for source in node.all_input_nodes):
            if _small(node, torch) and not _draws(node, torch):
                given, named = torch.fx.node.map_arg((node.args, node.kwargs), values.__getitem__)
                values[node] = node.target(*given, **named)
        elif node.op == "call_function":
            _forget_changed(node, values)
            if node.target is torch.ops.aten.index.Tensor:
                count += _as_indices(recorded, node, values, torch)
    return count


def _small(node: Any, torch: Any) -> bool:
    made = node.meta.get("val", node.meta.get("tensor_meta"))
    return isinstance(made, torch.Tensor) and _plain(made.shape) and made.numel() <= LARGEST_CONSTANT


def _plain(shape: Any) -> bool:
    return all(isinstance(size, int) for size in shape)


def _forget_changed(node: Any, values: dict[Any, Any]) -> None:
    """An operator with other operands than constants may write into one: it and all its views are none any more."""
    schema = getattr(node.target, "_schema", None)
    if schema is None or not schema.is_mutable:
        return
    touched = {values[s].untyped_storage().data_ptr() for s in node.all_input_nodes if s in values}
    for other in [n for n, value in values.items() if value.untyped_storage().data_ptr() in touched]:
        del values[other]


def _as_indices(recorded: Any, node: Any, values: dict[Any, Any], torch: Any) -> int:
    """Replaces those masks of an indexing whose values are known; 1 if there are any."""
    masks = [i for i in node.args[1] if i in values and values[i].dtype == torch.bool]
    chosen = []
    for index in node.args[1] if masks else ():
        places = values[index].nonzero(as_tuple=True) if index in masks else ()
        chosen += [_held(recorded, node, axis) for axis in places] if index in masks else [index]
    if masks:
        node.args = (node.args[0], chosen)
    return len(masks[:1])


def _held(recorded: Any, node: Any, value: Any) -> Any:
    """A node before `node` that gives a constant."""
    name = f"_assay_value{len(list(recorded.buffers()))}"
    recorded.register_buffer(name, value)
    with recorded.graph.inserting_before(node):
        made = recorded.graph.get_attr(name)
    made.meta["val"] = value
    return made


def _fix_selections(recorded: Any, given: Any, drawn: Any, torch: Any) -> None:
    """Masks and computed places as they are in a run of the record; what used them stays marked as a reading."""
    seen: dict[Any, Any] = {}

    class Watching(torch.fx.Interpreter):  # type: ignore[misc]
        def run_node(self, n: Any) -> Any:
            if n.target is torch.ops.aten.index.Tensor:
                for index in n.args[1]:
                    if index is not None and self.env[index].dtype == torch.bool:
                        seen[index] = self.env[index].clone()
            result = super().run_node(n)
            if _chooses(n, torch) and isinstance(result, torch.Tensor) and not result.is_floating_point():
                seen[n] = result.clone()
            return result

    torch.set_rng_state(drawn)
    Watching(recorded).run(*torch.utils._pytree.tree_leaves(given))
    for node in list(recorded.graph.nodes):
        if node.target is torch.ops.aten.index.Tensor:
            if _as_indices(recorded, node, seen, torch):
                node.meta[_READ] = True
        elif node in seen and _chooses(node, torch):
            held = _held(recorded, node, seen[node])
            held.meta[_READ] = True
            node.replace_all_uses_with(held)


def _readings_recorded(torch: Any) -> Any:
    """A mode under which reading a tensor's memory leaves an operator in the record, as ``item`` does."""
    from torch.overrides import TorchFunctionMode

    class Readings(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = getattr(function, "__name__", "")
            if name in _READERS and args and isinstance(args[0], torch.Tensor):
                _noted(args[0])
            if name == "_pack_padded_sequence" and not kwargs:
                return _packed(torch, function, *args)
            return function(*args, **(kwargs or {}))

    return Readings()


def _noted(tensor: Any) -> None:
    """Leave an operator in the record that reads the tensor."""
    if tensor.numel():
        tensor.detach().reshape(-1)[0].item()


def _packed(torch: Any, pack: Callable[..., Any], padded: Any, lengths: Any, batch_first: bool) -> Any:
    """The steps of sequences of several lengths, and how many sequences reach each step, as the lengths now are.

    An indexing in the place of an operator whose result tracers know no size of.
    """
    _noted(lengths)
    numbers = lengths.tolist()
    count, steps = padded.shape[:2] if batch_first else padded.shape[1::-1]
    if len(numbers) != count or not 0 < numbers[-1] <= numbers[0] <= steps or numbers != sorted(numbers)[::-1]:
        return pack(padded, lengths, batch_first)  # which says what is wrong
    reached = [[row for row, length in enumerate(numbers) if length > step] for step in range(numbers[0])]
    step = torch.tensor([step for step, rows in enumerate(reached) for _ in rows])
    row = torch.tensor([row for rows in reached for row in rows])
    return padded[(row, step) if batch_first else (step, row)], torch.tensor([len(rows) for rows in reached])


def _before_reading(graph: Any, torch: Any) -> tuple[list[Any], Any, bool]:
    """The nodes that come before the first reading of a value, or of a size that hangs on values; this reading or None.

    Numbers read from constants of the program are what every run reads (``torch.arange(2, x.ndim).tolist()``); whether
    there are such is the third answer.
    """
    fixed: set[Any] = set()  # nodes that rest on constants alone
    before: list[Any] = []
    constants = False
    for node in graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        if node.meta.get(_READ):
            return before, node, constants
        if node.op == "get_attr" or all(source in fixed for source in node.all_input_nodes):
            if not _draws(node, torch):
                fixed.add(node)
                constants |= node.op != "get_attr" and _reads(node, torch)
        elif _reads(node, torch):
            return before, node, constants
        before.append(node)
    return before, None, constants


def _inputs_read(graph: Any, weights: int, torch: Any) -> tuple[int, ...] | None:
    """The arguments that alone decide what was read: with the same ones every run reads the same numbers.

    None where weights or random draws have a part in it, or where something was written in place, whose readers the
    record does not name.
    """
    sources: dict[Any, frozenset[int] | None] = {}
    found: set[int] = set()
    place, written = 0, False
    for node in graph.nodes:
        if node.op == "placeholder":
            sources[node] = frozenset({place - weights}) if place >= weights else None
            place += 1
            continue
        known = [sources[source] for source in node.all_input_nodes]
        told = [k for k in known if k is not None]
        certain = len(told) == len(known) and not _draws(node, torch)
        sources[node] = frozenset().union(*told) if certain else None
        schema = getattr(node.target, "_schema", None)
        written |= schema is not None and bool(schema.is_mutable)
        if node.op == "call_function" and _reads(node, torch):
            read = sources[node]
            if read is None or written:
                return None
            found |= read
    return tuple(sorted(found))


def _reads(node: Any, torch: Any) -> bool:
    """Whether what an operator hands to Python (a number, a size) depends on the values of its operands."""
    if node.target is torch.ops.aten.index.Tensor:
        selecting = (torch.bool, torch.uint8)
        return any(getattr(i.meta.get("val"), "dtype", torch.bool) in selecting for i in node.args[1] if i is not None)
    tags = getattr(node.target, "tags", ())
    return torch.Tag.data_dependent_output in tags or torch.Tag.dynamic_output_shape in tags


def _chooses(node: Any, torch: Any) -> bool:
    """Whether a result's size or number depends on values: one result of several, as of ``unique``, too."""
    return _reads(node.args[0] if node.target is operator.getitem else node, torch)


def _draws(node: Any, torch: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def _state(module: Any) -> dict[str, Any]:
    """Parameters and buffers by name, those that are shared under each of their names."""
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
