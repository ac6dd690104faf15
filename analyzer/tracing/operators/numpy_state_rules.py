"""NumPy's settings and random generators: what changes no shape, and generators that are made of others."""

from __future__ import annotations

from analyzer.tracing.language.builtins import Call
from analyzer.tracing.language.contexts import NULL
from analyzer.tracing.language.values import Api, ListV, Native, Object, Unknown, Value
from analyzer.tracing.operators.numpy_operands import array, made, of, unknown
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import shape_argument

MOST_SPAWNED = 1000


@operator("numpy.errstate numpy.printoptions", "*args")
def settings_inside(op: Op, args: tuple[Value, ...]) -> Value:
    """A context in which warnings or texts are others; no value is."""
    return Object(NULL, {}, {"value": None})


_GENERATORS = "PCG64 PCG64DXSM MT19937 Philox SFC64"


@operator("numpy.random.SeedSequence " + " ".join(f"numpy.random.{name}" for name in _GENERATORS.split()), "*seed")
def source_of_chance(op: Op, seed: tuple[Value, ...]) -> Value:
    """What a generator draws from. Further ones are made of it."""

    def spawned(c: Call) -> Value:
        number = c.get(0, "n_children")
        if not isinstance(number, int) or not 0 <= number <= MOST_SPAWNED:
            return ListV((), True)
        return ListV(source_of_chance(op, seed) for _ in range(number))

    def words(c: Call) -> Value:
        return made(op, shape_argument(op, (c.get(0, "n_words"),)), "uint32" if len(c.args) < 2 else None)

    entropy = seed[0] if seed else Unknown("a number", "data", pytype="int")
    return Object("a source of chance", {
        "entropy": entropy, "spawn": Native("spawn", spawned), "generate_state": Native("generate_state", words),
        "jumped": Native("jumped", lambda c: source_of_chance(op, seed)),
        "random_raw": Native("random_raw", lambda c: Unknown("a random number", "data", pytype="int")),
        "state": Unknown("the state of a generator", "data", "state", "object"),
    })  # fmt: skip


@operator("numpy.random.Generator", "bit_generator")
def generator(op: Op, bit_generator: Value) -> Value:
    """Its methods have the names of the module's functions."""
    return Api("numpy.random")


@operator("numpy.random.spawn", "n_children")
def generators(op: Op, n_children: Value) -> Value:
    if not isinstance(n_children, int) or not 0 <= n_children <= MOST_SPAWNED:
        return ListV((), True)
    return ListV(Api("numpy.random") for _ in range(n_children))


@operator("numpy.random.get_state", "*args")
def state(op: Op, args: tuple[Value, ...]) -> Value:
    return Unknown("the state of a generator", "data", "get_state()", "object")


@operator("numpy.random.set_state", "state")
def set_state(op: Op, state: Value) -> Value:
    return None


@operator("numpy.random.permuted", "x *rest")
def permuted(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    return unknown(op) if found is None else of(op, found, found.shape, found.dtype)


@operator("numpy.random.random_integers", "low high=None size=None")
def whole_numbers(op: Op, low: Value, high: Value, size: Value) -> Value:
    if size is None:
        return Unknown("a random number", "data", pytype="int")
    return made(op, shape_argument(op, (size,)), "int64")
