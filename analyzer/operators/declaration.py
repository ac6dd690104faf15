"""How an operator is declared: its names in each framework, its traits, the conditions under which it is unsafe.

The rooms hand in what they know of it, by decorators on their functions, since this one imports none of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Flag, auto
from typing import Any

ML = "ai.onnx.ml"
TRAINING = "ai.onnx.preview.training"


class Trait(Flag):
    """What can be said of an operator whatever its operands are."""

    ELEMENTWISE = auto()  # output element i depends on element i of each operand (after broadcasting) alone
    SAME_SHAPE = auto()  # one operand, whose shape and element type the result has
    SELECTS = auto()  # each output element is one of operand 0's; attributes, shapes and other operands choose which
    RESHAPES = auto()  # the elements of operand 0 in the same row-major order under another shape
    IDENTITY = auto()  # the result is operand 0, bit by bit
    CONVERTS = auto()  # the result is operand 0 in another element type
    SHAPE_ONLY = auto()  # reads the shape (and type) of operand 0, never its values
    COMPARISON = auto()  # orders two operands; false wherever one is NaN (NotEqual: true)
    BOOLEAN = auto()  # the result is boolean
    SELECTION = auto()  # operand 0 is a condition that chooses between operands 1 and 2
    LINEAR = auto()  # in each operand when the others are fixed, up to a constant
    MONOTONE = auto()  # non-decreasing in operand 0
    PIECEWISE_LINEAR = auto()  # with kinks or jumps, at which a proof by cases splits
    DETACHED = auto()  # no gradient passes
    RANDOM = auto()  # draws numbers
    IMPURE = auto()  # reads what is outside the graph: equal operands may give different results
    STATEFUL = auto()  # reads or writes a variable
    ACTS = auto()  # acts on the world: files, processes, other machines
    CONSTANT = auto()  # holds its value in an attribute
    PLUS_ZERO = auto()  # a result of 0 is +0, never -0
    BOUNDED = auto()  # of one operand, whose infinities become finite; NaN stays
    FLOATING = auto()  # PyTorch gives the results of integers in the default floating type
    FLOORED = auto()  # of one operand, whose -inf becomes finite; +inf and NaN stay
    SIGN_OF_OPERAND = auto()  # of one operand: each result is 0 or has its sign, and is 0 where it is
    ASKS_FINITE = auto()  # tells whether operand 0 is NaN or infinite
    PRODUCT = auto()  # multiplies elements of one operand with each other or with themselves: grows exponentially
    CLASS_LOSS = auto()  # operand 0 holds a row of scores for each class number in operand 1
    FROM_SIZES = auto()  # PyTorch's functions make a tensor from sizes and numbers alone
    SOURCE = auto()  # has no operand: a constant, or what is fed to the graph or kept beside it
    CONTRACTION = auto()  # sums products of two operands
    INTEGER_PRODUCT = auto()  # sums products of 8-bit integers
    QUANTIZES_INSIDE = auto()  # takes real numbers and makes 8-bit integers of them, in portions that nobody states
    DENSE = auto()  # PyTorch makes a new tensor whose axes lie in memory in their order, however the operands lie
    DENSE_OR_CHANNELS_LAST = auto()  # so too, unless an operand of four or five axes may be channels-last
    OTHER_LAYOUT = (
        auto()
    )  # PyTorch may lay the result out in another order, or with gaps, though its operands are dense
    RECURRENT = auto()  # a recurrent layer or cell
    WEIGHTS = auto()  # layers of it may hold weights of their own
    BUILT_FOR_LAST_AXIS = (
        auto()
    )  # Keras makes the layer's weights for the size of operand 0's last axis, then demands it
    POLYNOMIAL = auto()  # each output element is a polynomial of the operands' elements
    DEFINITE = auto()  # each output element is 0 exactly where all elements of operand 0 that it reads are 0
    TAKES_ROWS = auto()  # operand 1 counts along an axis of operand 0
    WIDEST = auto()  # joins operands, or takes elements of either: the result has the largest of their element types
    ROUNDS = auto()  # to a whole number; what is not finite stays
    EXTREME_OF_NONE = auto()  # where there is nothing to reduce the result is the lowest or highest number of its type
    LOOP = auto()
    BRANCH = auto()
    CALL = auto()  # calls a function of the model


ELEMENTWISE = Trait.ELEMENTWISE
SAME_SHAPE = Trait.SAME_SHAPE
SELECTS = Trait.SELECTS
RESHAPES = Trait.RESHAPES
IDENTITY = Trait.IDENTITY
CONVERTS = Trait.CONVERTS
SHAPE_ONLY = Trait.SHAPE_ONLY
COMPARISON = Trait.COMPARISON
BOOLEAN = Trait.BOOLEAN
SELECTION = Trait.SELECTION
LINEAR = Trait.LINEAR
MONOTONE = Trait.MONOTONE
PIECEWISE_LINEAR = Trait.PIECEWISE_LINEAR
DETACHED = Trait.DETACHED
RANDOM = Trait.RANDOM
IMPURE = Trait.IMPURE
STATEFUL = Trait.STATEFUL
ACTS = Trait.ACTS
CONSTANT = Trait.CONSTANT
PLUS_ZERO = Trait.PLUS_ZERO
BOUNDED = Trait.BOUNDED
FLOATING = Trait.FLOATING
FLOORED = Trait.FLOORED
SIGN_OF_OPERAND = Trait.SIGN_OF_OPERAND
ASKS_FINITE = Trait.ASKS_FINITE
PRODUCT = Trait.PRODUCT
CLASS_LOSS = Trait.CLASS_LOSS
FROM_SIZES = Trait.FROM_SIZES
SOURCE = Trait.SOURCE
CONTRACTION = Trait.CONTRACTION
INTEGER_PRODUCT = Trait.INTEGER_PRODUCT
QUANTIZES_INSIDE = Trait.QUANTIZES_INSIDE
DENSE = Trait.DENSE
DENSE_OR_CHANNELS_LAST = Trait.DENSE_OR_CHANNELS_LAST
OTHER_LAYOUT = Trait.OTHER_LAYOUT
RECURRENT = Trait.RECURRENT
WEIGHTS = Trait.WEIGHTS
BUILT_FOR_LAST_AXIS = Trait.BUILT_FOR_LAST_AXIS
POLYNOMIAL = Trait.POLYNOMIAL
DEFINITE = Trait.DEFINITE
TAKES_ROWS = Trait.TAKES_ROWS
WIDEST = Trait.WIDEST
ROUNDS = Trait.ROUNDS
EXTREME_OF_NONE = Trait.EXTREME_OF_NONE
LOOP = Trait.LOOP
BRANCH = Trait.BRANCH
CALL = Trait.CALL

UNARY = ELEMENTWISE | SAME_SHAPE  # a function of one operand, element by element
NOTHING = Trait(0)
Column = dict[tuple[str, str], Any]  # by framework (of a graph node: by domain) and name there


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator, whatever a framework calls it.

    `name` is ONNX's where ONNX has the operator (then `versions` are the operator sets that defined or changed it,
    in `domain`), else a name of our own. `tf` are the types of GraphDef nodes, `torch` the names of modules and of
    functions (of `torch`, `torch.nn.functional` and aten without overload), `keras` those of layers, and of functions
    as ``ops.exp``. `aten` are the types of nodes for operators of torch without an ONNX form (see
    `analyzer.exporting.inside.opaque`), `microsoft` names in ONNX Runtime's own domain, whose values
    `numerical.contributed` writes out.
    `unsafe` are the ids of the rules that say when an operand makes it fail, `pole` is where a logarithm is infinite.
    Two operators of a framework that read their operands alike share a declaration; what reads them differently has
    one of its own.

    What each room knows of it is a column: `bounds` its transfer functions (`numerical.transfer`), `types` its
    refinement types (`validity.specs`), `references` the differentiable calls of the search for a failing input
    (`numerical.confirm.torch_operators`). `lacks` names the columns that an operator of the standard does without.
    """

    name: str
    versions: tuple[int, ...]
    domain: str
    tf: tuple[str, ...]
    torch: tuple[str, ...]
    keras: tuple[str, ...]
    traits: Trait
    unsafe: tuple[str, ...]
    aten: tuple[str, ...] = ()
    microsoft: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    pole: float = 0.0
    bounds: Column = field(default_factory=dict, compare=False, repr=False)
    types: Column = field(default_factory=dict, compare=False, repr=False)
    references: Column = field(default_factory=dict, compare=False, repr=False)

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """(domain, type) of the graph nodes that are this operator.

        The loaders put TensorFlow's under ``tf``, the exporter those without an ONNX form under ``torch.aten``, or
        ``torch.prims``, into which torch decomposes some.
        """
        own = ((self.domain, self.name),) if self.versions else ()
        opaque = ((domain, name) for name in self.aten for domain in ("torch.aten", "torch.prims"))
        contributed = (("com.microsoft", name) for name in self.microsoft)
        return (*own, *(("tf", name) for name in self.tf), *opaque, *contributed)


def operator(
    name: str,
    versions: Iterable[int] = (),
    *,
    domain: str = "",
    tf: str = "",
    torch: str = "",
    keras: str = "",
    aten: str = "",
    microsoft: str = "",
    traits: Trait = NOTHING,
    unsafe: tuple[str, ...] = (),
    lacks: str = "",
    pole: float = 0.0,
) -> Operator:
    """A declaration; the names of a framework, and of columns, are separated by spaces."""
    return Operator(
        name,
        tuple(versions),
        domain,
        tuple(tf.split()),
        tuple(torch.split()),
        tuple(keras.split()),
        traits,
        unsafe,
        tuple(aten.split()),
        tuple(microsoft.split()),
        tuple(lacks.split()),
        pole,
    )
