"""Einsum of ONNX, PyTorch and TensorFlow, and the Keras layer whose kernel it shapes."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.broadcasting import promoted
from analyzer.validity.specs.common import broadcast, broadcast_size, need_positive, same_dtype
from analyzer.validity.terms import Term, any_of, equal

EQUATION = Rule("equation", Category.IMPROPER_VALUE, "the equation `{equation}` {problem}", ("equation",))
EINSUM_SIZE = Rule(
    "einsum-size",
    Category.INCOMPATIBLE_SHAPE,
    "in `{equation}` the letter {letter} stands for {a} and for {b}",
    ("equation",),
)


def einsum_shape(case: Case, equation: str, operands: Sequence[TensorType]) -> tuple[Term, ...]:
    """The shape of an einsum with optional ellipses; a letter's sizes must agree, or be 1."""
    text = equation.replace(" ", "")
    terms, arrow, output = text.partition("->")
    inputs = terms.split(",")
    ok = len(inputs) == len(operands)
    case.require(EQUATION, ok, equation=equation, problem=f"names {len(inputs)} operands but there are {len(operands)}")
    sizes: dict[str, Term] = {}
    wide: tuple[Term, ...] = ()
    for labels, operand in zip(inputs, operands, strict=True):
        plain = labels.replace("...", "")
        fits = operand.rank == len(plain) or ("..." in labels and operand.rank >= len(plain))
        problem = f"gives {len(plain)} letters to an operand of {operand.rank} dimensions"
        case.require(EQUATION, fits, equation=equation, problem=problem)
        before, dots, after = labels.partition("...")
        named = [*zip(before, operand.dims[: len(before)], strict=True)]
        if dots:
            stop = operand.rank - len(after)
            wide = broadcast(case, wide, operand.dims[len(before) : stop])
            named += zip(after, operand.dims[stop:], strict=True)
        own: dict[str, Term] = {}
        for letter, size in named:
            if letter in own:
                diagonal = equal(own[letter], size)
                case.require(EINSUM_SIZE, diagonal, equation=equation, letter=letter, a=own[letter], b=size)
            own[letter] = size
            if letter in sizes:
                same = equal(sizes[letter], size)
                ok = any_of(same, equal(size, 1), equal(sizes[letter], 1))
                case.require(EINSUM_SIZE, ok, equation=equation, letter=letter, a=sizes[letter], b=size)
                sizes[letter] = broadcast_size(sizes[letter], size, same)
            else:
                sizes[letter] = size
    if not arrow:
        flat = terms.replace("...", "").replace(",", "")
        output = ("..." if "..." in terms else "") + "".join(sorted(c for c in set(flat) if flat.count(c) == 1))
    before, dots, after = output.partition("...")
    for letter in before + after:
        problem = f"has the letter {letter} in its result only"
        case.require(EQUATION, letter in sizes, equation=equation, problem=problem)
    repeated = len(set(before + after)) == len(before + after)
    case.require(EQUATION, repeated, equation=equation, problem="names a letter of the result twice")
    return (*(sizes[c] for c in before), *(wide if dots else ()), *(sizes[c] for c in after))


def _contracts(equation: str) -> bool:
    """Whether a sum runs over a letter of several operands; else they are multiplied element by element."""
    terms, arrow, output = equation.replace(" ", "").replace("...", "").partition("->")
    letters = "".join("".join(dict.fromkeys(term)) for term in terms.split(","))
    kept = output if arrow else {c for c in letters if letters.count(c) == 1}
    return any(letters.count(c) > 1 and c not in kept for c in set(letters))


@define("torch", "einsum")
def torch_einsum(case: Case, *operands: TensorType, equation: str, **_others: Any) -> TensorType:
    """`torch.einsum`: a matrix product takes one element type, a product of elements several.

    Of three operands and more the order of the products decides, which is not followed.
    """
    if len(operands) == 2 and _contracts(equation):
        same_dtype(case, *((f"operand {i}", t) for i, t in enumerate(operands)))
    kinds = [t.dtype for t in operands]
    dtype = functools.reduce(promoted, kinds) if kinds else None
    return TensorType(einsum_shape(case, equation, operands), dtype)


@define("onnx", "Einsum")
@define("tf", "Einsum")
def einsum(case: Case, *operands: TensorType, equation: str, **_others: Any) -> TensorType:
    """Einsum of ONNX and TensorFlow."""
    same_dtype(case, *((f"operand {i}", t) for i, t in enumerate(operands)))
    return TensorType(einsum_shape(case, equation, operands), operands[0].dtype if operands else None)


@define("keras", "EinsumDense")
def keras_einsum_dense(
    case: Case, x: TensorType, *, equation: str, output_shape: Any, bias_axes: str | None = None, activation: Any = None
) -> TensorType:
    """``keras.layers.EinsumDense``: the equation and the output shape give the kernel's."""
    found = next((m for form in _EINSUM_FORMS if (m := re.match(form, equation.replace("...", "0")))), None)
    case.require(EQUATION, found is not None, equation=equation, problem="is not of the form ab,bc->ac")
    assert found is not None
    labels, kernel, output = found.groups()
    left = equation.startswith("...")
    elided = x.rank - len(labels)
    problem = f"gives {len(labels)} letters to an input of {x.rank} dimensions"
    case.require(EQUATION, elided == 0 or (elided > 0 and "..." in equation), equation=equation, problem=problem)
    stated = list(output_shape) if isinstance(output_shape, (tuple, list)) else [output_shape]
    stated.insert(0, x.dims[0])
    if left:
        stated[1:1] = x.dims[1:elided]
    else:
        stated.extend(x.dims[x.rank - elided :])
    start = elided if left else 0
    sizes = {letter: x.dims[start + i] for i, letter in enumerate(labels)}
    places = {letter: start + i for i, letter in enumerate(output)}
    problem = f"needs {start + len(output) - 1} output sizes and `output_shape` has {len(stated) - 1}"
    case.require(EQUATION, start + len(output) <= len(stated), equation=equation, problem=problem)
    for letter in labels:
        size = stated[places[letter]] if letter in places else None
        if size is not None:
            agreed = equal(sizes[letter], size)
            case.require(EINSUM_SIZE, agreed, equation=equation, letter=letter, a=sizes[letter], b=size)
    for letter in output:
        problem = f"has the letter {letter} in its result only"
        case.require(EQUATION, letter in labels or letter in kernel, equation=equation, problem=problem)
    weight: list[Term] = []
    for letter in kernel:
        problem = f"has the letter {letter} in its kernel only, or no size for it"
        size = stated[places[letter]] if letter in places else sizes.get(letter)
        case.require(EQUATION, size is not None, equation=equation, problem=problem)
        need_positive(case, output_shape=size)
        weight.append(size)
    return x.with_shape(einsum_shape(case, equation, (x, TensorType(tuple(weight), x.dtype))))


_EINSUM_FORMS = (
    "([a-zA-Z]+),([a-zA-Z]+)->([a-zA-Z]+)$",
    "0([a-zA-Z]+),([a-zA-Z]+)->0([a-zA-Z]+)$",
    "([a-zA-Z]{2,})0,([a-zA-Z]+)->([a-zA-Z]+)0$",
)
