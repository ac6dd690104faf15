"""Builtins that make or combine numbers, text and truths."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from contextlib import suppress
from itertools import islice

from analyzer.tracing.language.arithmetic import binary
from analyzer.tracing.language.builtins.call import Call
from analyzer.tracing.language.collected import in_order
from analyzer.tracing.language.displays import representation, text_of
from analyzer.tracing.language.evaluation import call, get_attribute, iterate
from analyzer.tracing.language.own_truths import own_truth
from analyzer.tracing.language.plain_data import NotPlain, applied, plain_data
from analyzer.tracing.language.shuffled import in_any_order
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.truths import truth_of
from analyzer.tracing.language.values import Instance, Unknown, Value
from analyzer.tracing.operators import elementwise
from analyzer.tracing.operators.scalars import demand_one_element
from analyzer.tracing.paths.attained import record
from analyzer.validity.terms import Cond, Poly, maximum, minimum


def int_(c: Call) -> Value:
    value = c.get(0, default=0)
    demand_one_element(c.tr, value, "int", c.node)
    if isinstance(value, (int, float)):
        try:
            return int(value)
        except (ValueError, OverflowError):
            return c.tr.unknown("a number", pytype="int")
    if isinstance(value, str) and len(value) < 100:
        try:
            return applied(int, c.args, c.kwargs)
        except NotPlain:
            return c.tr.unknown("a number", pytype="int")
    if isinstance(value, Instance) and value.cls.find("__int__"):
        return call(c.tr, get_attribute(c.tr, value, "__int__"), (), {})
    if isinstance(value, Poly):
        return value
    if isinstance(value, Tensor) and isinstance(value.value, (int, Poly)):
        return value.value
    if (number := _sampled(c, value)) is not None:
        return int(number)
    if isinstance(value, Unknown):
        if value.term is not None and value.pytype != "float":
            return value.term
        if value.term is not None:
            return value.term
        result = Unknown("a number", value.origin, value.label, "int")
        result.factors = value.factors
        result.default = value.default if isinstance(value.default, int) else None
        if isinstance(value.default, str) and value.default.isdigit():
            result.default = int(value.default)
        return record("int", (value,), {}, result)
    told = _TOLD_BY.get(type(value), "data")
    return record("int", (value,), {}, c.tr.unknown("a number", getattr(value, "origin", told), pytype="int"))


def float_(c: Call) -> Value:
    value = c.get(0, default=0.0)
    demand_one_element(c.tr, value, "float", c.node)
    if isinstance(value, (int, float, str)):
        try:
            return float(value)
        except ValueError:
            pass
    if (number := _sampled(c, value)) is not None:
        return float(number)
    if isinstance(value, Instance) and value.cls.find("__float__"):
        return call(c.tr, get_attribute(c.tr, value, "__float__"), (), {})
    origin = getattr(value, "origin", _TOLD_BY.get(type(value), "data"))
    return record("float", (value,), {}, Unknown("a number", origin, getattr(value, "label", ""), "float"))


def _sampled(c: Call, value: Value) -> int | float | None:
    """The number that a tensor holds in a run on made-up numbers."""
    c.tr.shared.asks_values = c.tr.shared.asks_values or isinstance(value, Tensor)
    number = None if c.tr.sampler is None else c.tr.sampler.scalar(value)
    return number if isinstance(number, (int, float)) and math.isfinite(number) else None


def str_(c: Call) -> Value:
    if len(c.args) > 1 or c.kwargs:
        with suppress(NotPlain, LookupError, TypeError, ValueError):
            given = {name: plain_data(value) for name, value in c.kwargs.items()}
            return str(*map(plain_data, c.args), **given)
        return c.tr.unknown("a text", "imprecise", pytype="str")
    return text_of(c.tr, c.get(0, default=""))


def repr_(c: Call) -> Value:
    return representation(c.tr, c.get(0))


def bool_(c: Call) -> Value:
    value = c.get(0, default=False)
    demand_one_element(c.tr, value, "bool", c.node)
    value = own_truth(c.tr, value)
    truth = truth_of(value)
    return (
        truth
        if truth is not None
        else value
        if isinstance(value, (Cond,))
        else record(
            "bool",
            (value,),
            {},
            c.tr.unknown("a truth", getattr(value, "origin", _TOLD_BY.get(type(value), "data")), pytype="bool"),
        )
    )


_TOLD_BY = {Instance: "imprecise"}  # whose truth and number a class of a library may tell


def extremum(largest: bool) -> Callable[[Call], Value]:
    def run(c: Call) -> Value:
        values: list[Value] = list(c.args)
        endless = False
        if len(values) == 1:
            items, endless = iterate(c.tr, values[0], c.node)
            values = [] if endless else in_any_order(list(items))
        if not values and "default" in c.kwargs and not endless:
            return c.kwargs["default"]
        if "key" in c.kwargs and values:
            return in_order(c.tr, values, {"key": c.kwargs["key"], "reverse": largest})[0]
        if not values:
            return c.tr.unknown("an extremum")
        if c.tr.sampler is not None and any(isinstance(v, Tensor) for v in values):
            values = [v if (number := _sampled(c, v)) is None else number for v in values]
        if all(isinstance(v, (int, float)) or _is_known_scalar(v) for v in values):
            return (max if largest else min)(values, key=lambda v: v.value if isinstance(v, Tensor) else v)
        if all(isinstance(v, str) for v in values):
            return max(values) if largest else min(values)
        terms = [
            v
            if isinstance(v, (int, Poly))
            else c.tr.term_of(v)
            if isinstance(v, Unknown) and v.term is not None
            else None
            for v in values
        ]
        if any(t is None for t in terms):
            return _bounded(c, values, largest)
        result = terms[0]
        for term in terms[1:]:
            result = maximum(result, term) if largest else minimum(result, term)
        return result

    return run


def _is_known_scalar(value: Value) -> bool:
    return isinstance(value, Tensor) and value.dims == () and isinstance(value.value, int)


def _bounded(c: Call, values: list[Value], largest: bool) -> Value:
    """The largest or smallest of numbers that are not all known: the known ones are a bound of it."""
    known = [v for v in values if type(v) is int]
    others = [v for v in values if type(v) is not int]
    numbers = all(isinstance(v, (Poly, Tensor)) or _may_be_number(v) for v in others)
    told = all(isinstance(v, (Poly, Tensor)) or getattr(v, "origin", "") == "data" for v in others)
    made = c.tr.unknown("an extremum", "data" if told else "imprecise", pytype=_common_type(values))
    result = record("extremum", values, {}, made)
    if known and numbers:
        bounds = {"lo": max(known)} if largest else {"lo": None, "hi": min(known)}
        result.term = c.tr.fresh("extremum", "unknown" if told else "lost", **bounds)
    return result


def _common_type(values: list[Value]) -> str:
    """The type of one of several numbers, whichever it is; empty where one may be something else."""
    kinds = {v.pytype if isinstance(v, Unknown) else "int" if isinstance(v, Poly) else type(v).__name__ for v in values}
    return "" if not kinds <= {"int", "float", "number"} else kinds.pop() if len(kinds) == 1 else "number"


def _may_be_number(value: Value) -> bool:
    return isinstance(value, Unknown) and value.pytype in ("", "number", "int", "float") and value.value is None


def sum_(c: Call) -> Value:
    items, endless = iterate(c.tr, c.get(0), c.node)
    total = c.get(1, "start", 0)
    for value in in_any_order(list(islice(items, 3 if endless else 1024))):
        total = binary(c.tr, ast.Add, total, value, c.node or ast.Constant(0))
    if endless and not isinstance(total, Tensor):
        return c.tr.unknown("a sum")
    return total


def abs_(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, (int, float, complex)):
        return abs(value)
    if isinstance(value, Tensor):
        return elementwise.unary(c.tr, value, "abs")
    if isinstance(value, Instance) and value.cls.find("__abs__"):
        return call(c.tr, get_attribute(c.tr, value, "__abs__"), (), {})
    return record("abs", (value,), {}, c.tr.unknown("a number", getattr(value, "origin", "imprecise")))


def round_(c: Call) -> Value:
    value = c.get(0)
    if isinstance(value, (int, float)):
        digits = c.get(1)
        return round(value, digits) if isinstance(digits, int) else round(value)
    return record("round", (value,), {}, c.tr.unknown("a number", getattr(value, "origin", "imprecise")))


def divmod_(c: Call) -> Value:
    node = c.node or ast.Constant(0)
    return binary(c.tr, ast.FloorDiv, c.get(0), c.get(1), node), binary(c.tr, ast.Mod, c.get(0), c.get(1), node)


def pow_(c: Call) -> Value:
    if len(c.args) > 2:
        try:
            return applied(pow, c.args, {})
        except NotPlain:
            return c.tr.unknown("a number", pytype="int")
    return binary(c.tr, ast.Pow, c.get(0), c.get(1), c.node or ast.Constant(0))
