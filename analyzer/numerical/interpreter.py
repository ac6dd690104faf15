"""The abstract interpreter: walks a graph in topological order and applies one transfer function a node."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.graph import Graph, ValueRange
from analyzer.numerical.abstraction import Abstraction
from analyzer.numerical.beside import beside, keep_beside
from analyzer.numerical.boxes import ROUNDS_OF_A_RUN
from analyzer.numerical.context import Application, Context
from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.affine import Form
from analyzer.numerical.domain.tensor import (
    AbstractTensor,
    bounds_on,
    coarsened,
    top,
)
from analyzer.numerical.functions import body_of
from analyzer.numerical.ledger import UNDECIDED, Ledger
from analyzer.numerical.relevance import relevant
from analyzer.numerical.result import Interpretation, Options
from analyzer.numerical.splitting import VAIN_APPLICATIONS
from analyzer.numerical.transfer.attained import add_attained, attained_by
from analyzer.numerical.transfer.complex_numbers import by_part, is_complex
from analyzer.numerical.transfer.found_sizes import Sizes, with_sizes, without_sizes
from analyzer.numerical.transfer.registry import TransferRule, rules

IGNORED_ATTRIBUTES = frozenset({"_class", "_output_shapes", "T", "Tidx", "Tshape", "_XlaMustCompile"})


class Run(Abstraction):
    """The state of one interpretation."""

    def __init__(self, graph: Graph, assumptions: Mapping[str, ValueRange | AbstractTensor], options: Options) -> None:
        super().__init__(assumptions, options)
        self.graph = graph
        self.rules = rules()
        self.opset = graph.model.opset_imports.get("", 20)
        self.values: dict[ir.Value, Any] = {}
        self.restricted_operands: dict[int, AbstractTensor] = {}
        self.restricted_sizes: Sizes = frozenset()  # above 0 inside a branch
        self.ledger = Ledger(options)
        self._needed: dict[ir.Graph | ir.Function, list[ir.Node]] = {}
        self.sources: dict[int, str] = {}
        self.rounds_left = ROUNDS_OF_A_RUN  # of proofs over boxes
        self.applications = 0  # of operators that were applied again
        self.vain_left = VAIN_APPLICATIONS  # of them in distinctions of cases that proved nothing

    # -- walking -------------------------------------------------------------------------------------------------

    def run(self) -> Interpretation:
        graph = self.graph.graph
        self.bind(graph)
        with np.errstate(all="ignore"):
            self.walk(graph)
        values = {v: t for v, t in self.values.items() if isinstance(t, AbstractTensor)}
        found = self.ledger
        return Interpretation(
            values,
            tuple(found.warnings),
            tuple(found.overflows),
            found.unsafe_checked,
            found.unsafe_safe,
            dict(found.unknown),
            tuple(found.failed_rules.items()),
            tuple(found.excuses.values()),
            found.unsafe_fixed,
        )

    def bind(self, graph: ir.Graph) -> None:
        """Give graph inputs and initializers their assumed values, when first used."""
        for value in graph.inputs:
            if value not in self.values:
                bound = self.values[value] = self.assumed(value, self.dtype_of(value))
                if isinstance(bound, AbstractTensor):
                    bound.final = True

    def value(self, value: ir.Value | None) -> Any:
        """The abstract value of an operand."""
        if value is None:
            return None
        known = self.values.get(value)
        if known is None:
            if value.const_value is not None or value.producer() is None:
                known = self.assumed(value, self.dtype_of(value))
            else:
                known = top(self.dtype_of(value), self.shape_of(value))
            if isinstance(known, AbstractTensor):
                known.final = True
            self.values[value] = known
        if self.restricted_operands and isinstance(known, AbstractTensor):
            known = self.restricted_operands.get(known.key, known)
        if self.restricted_sizes and isinstance(known, AbstractTensor):
            return with_sizes(known, self.restricted_sizes)
        return known

    def ensure(self, value: ir.Value | None, depth: int = 8) -> Any:
        """The abstract value of an operand, interpreted ahead of its turn if need be.

        None if that goes too far, or where an operator on the way may fail: its turn decides what is known behind it.
        """
        if value is None:
            return None
        producer = value.producer()
        if value not in self.values and producer is not None:
            if depth == 0 or any(i is not None and self.ensure(i, depth - 1) is None for i in producer.inputs):
                return None
            unproven = self.ledger.unproven
            with self.ledger.quietly():
                self.visit(producer)
            if self.ledger.unproven > unproven:
                for made in producer.outputs:
                    self.values.pop(made, None)
                return None
        return self.value(value)

    def walk(self, graph: ir.Graph | ir.Function, references: dict[str, ir.Attr] | None = None) -> None:
        """Interpret the nodes of a graph whose inputs are bound."""
        needed = self._needed.get(graph)
        if needed is None:
            everything = self.options.everything or graph is not self.graph.graph
            needed = self._needed[graph] = list(graph) if everything else relevant(self.graph.graph, self.rule)
        for node in needed:
            self.visit(node, references)

    def rule(self, node: ir.Node) -> TransferRule | None:
        domain = "" if node.domain in ("", "ai.onnx") else node.domain
        return self.rules.get((domain, node.op_type))

    def visit(
        self,
        node: ir.Node,
        references: dict[str, ir.Attr] | None = None,
        operands: tuple[ir.Value | None, ...] | None = None,
    ) -> None:
        """Interpret a node; `operands` are what it reads instead of its inputs, where a call leaves some out."""
        inputs = tuple(self.value(i) for i in (node.inputs if operands is None else operands))
        try:
            results = self.applied(node, inputs, references)
        except Exception as error:  # our defect, or operands that are not the operator's: never silence
            results = self.broken(node, error)
        for output, result in zip(node.outputs, results, strict=False):
            if result is not None:
                self.values[output] = result

    def applied(self, node: ir.Node, inputs: tuple[Any, ...], references: dict[str, ir.Attr] | None) -> tuple[Any, ...]:
        """What the node's rule, or its body where it has none, makes of the operands."""
        rule = self.rule(node)
        if rule is None:
            return self.expand(node, inputs)
        context = Context(self, node, rule, references)
        found = rule.function(context, *inputs)
        results: tuple[Any, ...] = found if isinstance(found, tuple) else (found,)
        if any(is_complex(i) for i in inputs):
            results = tuple(by_part(context, inputs, r) if isinstance(r, AbstractTensor) else r for r in results)
        for index, result in enumerate(results):
            if isinstance(result, AbstractTensor):
                if context.bad and result.dtype.is_float:
                    context.with_bad_results(result)
                elif not result.final and any(beside(i) is not None for i in inputs):
                    keep_beside(context, inputs, result)
                self.finish(context, inputs, index, result)
        return results

    def broken(self, node: ir.Node, error: Exception) -> tuple[Any, ...]:
        """The rule of a node raised: anything may come out, and an operator that can fail may have failed.

        Operands of another number or kind than the operator's do it as well, in models that no engine would run.
        """
        self.ledger.unknown[name_of(node)] += 1
        self.ledger.raised(node, error)
        rule = self.rule(node)
        if rule is not None and rule.unsafe and not self.ledger.quiet:
            self.ledger.checked(node)
            operand = self.value(node.inputs[0]) if node.inputs and node.inputs[0] is not None else None
            if not isinstance(operand, AbstractTensor):
                operand = top(dtypes.FLOAT32, None)
            forward = [u for u in rule.unsafe if not u.startswith("numerical/gradient")]
            if forward:
                self.ledger.warn(node, forward[0], 0, operand, UNDECIDED, backward=False)
        return tuple(self.top_value(o, self.dtype_of(o), self.shape_of(o)) for o in node.outputs)

    def attempt(self, node: ir.Node, proof: Callable[[], bool]) -> bool:
        """Whether a proof succeeds; one that raises does not, and is told."""
        try:
            return proof()
        except Exception as error:
            self.ledger.raised(node, error)
            return False

    def finish(self, context: Context, inputs: tuple[Any, ...], index: int, result: AbstractTensor) -> None:
        """Give a result its identity: value number, origin, affine form of its own."""
        if result.final:
            return  # passed through: one of the operands, or finished inside a body
        rule = context.rule
        result.final = True
        if rule.pure:
            keys = tuple(i.key if isinstance(i, AbstractTensor) else (None if i is None else id(i)) for i in inputs)
            attributes = self.attributes(context)
            result.key = self.number((rule.name, context.op, index, keys, attributes))
            first = inputs[0] if rule.selects and self.options.affine and result.form is None else None
            if isinstance(first, AbstractTensor) and first.form is not None:
                result.form = self.selected(
                    first, result, lambda key: (rule.name, context.op, index, (key, *keys[1:]), attributes)
                )
        result.origin = Application(context, inputs, index)
        if rule.elementwise and rule.pure and any(attained_by(i) for i in inputs):
            add_attained(context, inputs, result)
        if (
            result.starts is not None
            and result.lo.size > self.block_limit
            and (result.dtype.kind != dtypes.INTEGER or result.lo.size > 64)
        ):
            coarsened(result, self.block_limit)

    def selected(self, x: AbstractTensor, result: AbstractTensor, name: Callable[[int], Any]) -> Form:
        """The affine form of a selection of the elements of `x`: of the same selection of every variable."""
        assert x.form is not None
        terms = {}
        for key, (variable, plain, relu) in x.form.terms.items():
            whole = x.shape is not None and variable.shape == x.shape
            new = self.number(name(key) if whole else ("broadcast", x.shape or x.key, name(key)))
            moved = AbstractTensor(
                variable.dtype, result.shape, *bounds_on(variable, None), None, variable.nan, new, final=True
            )
            terms[new] = (moved, plain, relu)
        return Form(terms, x.form.constant, x.form.error)

    def attributes(self, context: Context) -> Any:
        node = context.node
        if not node.attributes:
            return None
        items: list[Any] = []
        for name, attribute in node.attributes.items():
            if name in IGNORED_ATTRIBUTES:
                continue
            value = attribute.value if not attribute.is_ref() else context.attr(name)
            if isinstance(value, list):
                value = tuple(value)
            if not isinstance(value, (int, float, str, tuple, bytes, type(None))):
                value = id(value)
            items.append((name, value))
        items.sort(key=lambda item: item[0])
        try:
            hash(key := tuple(items))
        except TypeError:
            return id(node)
        return key

    def apply_again(self, tensor: AbstractTensor, inputs: tuple[Any, ...]) -> AbstractTensor:
        """The value `tensor` from narrower operands."""
        self.applications += 1
        application = tensor.origin
        results = application.rule.function(application.context, *inputs)
        result = results[application.output] if isinstance(results, tuple) else results
        if not isinstance(result, AbstractTensor):
            return tensor
        if result.final:
            result = dataclasses.replace(result)
        if application.context.bad:
            application.context.with_bad_results(result)
        result.key, result.final = tensor.key, True
        result.origin = Application(application.context, inputs, application.output)
        return result

    # -- operators without a rule --------------------------------------------------------------------------------

    def expand(self, node: ir.Node, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Interpret a function's body: the model's own functions, and operators that ONNX defines as functions."""
        function = self.graph.model.functions.get(node.op_identifier())
        if function is None:
            function = body_of(node, self.opset, tuple(_type_of(i) for i in inputs))
            if function is None:
                self.ledger.unknown[name_of(node)] += 1
                return tuple(self.top_value(o, self.dtype_of(o), self.shape_of(o)) for o in node.outputs)
            owner, self.ledger.owner = self.ledger.owner, self.ledger.owner or node
            try:
                return self.call(function, node, inputs)
            finally:
                self.ledger.owner = owner
        return self.call(function, node, inputs)

    def call(self, function: ir.Function, node: ir.Node, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        references = dict(function.attributes)
        references.update(node.attributes)
        for position, formal in enumerate(function.inputs):
            actual = inputs[position] if position < len(inputs) else None
            if actual is not None:
                self.values[formal] = actual
            else:
                self.values.pop(formal, None)
        for inner in function:
            given = tuple(
                None if i is None or (i in function.inputs and i not in self.values) else i for i in inner.inputs
            )
            if given == tuple(inner.inputs):
                self.visit(inner, references)
                continue
            while given and given[-1] is None:
                given = given[:-1]
            self.visit(inner, references, given)
        return tuple(self.values.get(o) for o in function.outputs)

    # -- subgraphs -----------------------------------------------------------------------------------------------

    def body(self, graph: ir.Graph, inputs: Iterable[Any], sizes: Sizes | None = None) -> tuple[Any, ...]:
        """The outputs of a subgraph for the given inputs; outer values are visible.

        `sizes` are above 0 where the subgraph runs. Of its results and of outer values that is forgotten.
        """
        for formal, actual in zip(graph.inputs, inputs, strict=False):
            self.values[formal] = actual
            if isinstance(actual, AbstractTensor):
                actual.final = True
        before, outside, known = dict(self.restricted_operands), self.restricted_sizes, len(self.values)
        self.restricted_sizes = outside | sizes if sizes else outside
        self.walk(graph)
        results = tuple(self.value(o) for o in graph.outputs)
        self.restricted_operands = before  # a body may not run at all
        if sizes:
            self.restricted_sizes = outside
            results = tuple(without_sizes(r, sizes) if isinstance(r, AbstractTensor) else r for r in results)
            inside = {graph, *graph.subgraphs()}
            for value in list(itertools.islice(self.values, known, None)):
                made = value.producer()
                if made is not None and made.graph not in inside:  # interpreted ahead of its turn
                    del self.values[value]
        return results


def _type_of(value: Any) -> tuple[str, tuple[int | None, ...] | None]:
    if not isinstance(value, AbstractTensor):
        return "", None
    shape = None if value.shape is None else tuple(d if isinstance(d, int) else None for d in value.shape)
    return value.dtype.name, shape


def name_of(node: ir.Node) -> str:
    return node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}::{node.op_type}"


def interpret(
    graph: Graph, assumptions: Mapping[str, ValueRange | AbstractTensor], *, options: Options | None = None
) -> Interpretation:
    """Bound every value of `graph` that matters to an operator that can fail.

    `assumptions` maps names of graph inputs and initializers to what is assumed of them. An initializer without an
    assumption has exactly its data; an input without one may be anything that its dtype can hold and that is finite.
    """
    return Run(graph, assumptions, options or Options()).run()


__all__ = ["Run", "interpret"]
