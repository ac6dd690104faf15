"""Relations that make real code provable, and the defective twin of each that must still be found."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
from build import Builder, bounds, rules
from hypothesis import given
from hypothesis import strategies as st

from analyzer.graph import Graph
from analyzer.numerical import interpreter
from analyzer.numerical.domain.dtypes import element_type
from analyzer.numerical.domain.tensor import AbstractTensor

WIDE = (-1e4, 1e4)


def engine(graph: Graph) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString(), options)


def test_a_value_minus_itself_is_zero() -> None:
    b = Builder()
    x = b.input("x", ("n", 4))
    assert bounds(b.graph(b.op("Sub", b.op("Add", x, b.const(1.0)), b.op("Add", x, b.const(1.0)))), {"x": WIDE}) == (
        0,
        0,
    )


def test_rounding_is_not_forgotten_when_terms_cancel() -> None:
    b = Builder()
    x = b.input("x", (4,))
    low, high = bounds(b.graph(b.op("Sub", b.op("Add", x, b.const(1e8)), x)), {"x": (-100, 100)})
    value = np.float32(np.float32(3.3) + np.float32(1e8)) - np.float32(3.3)
    assert low <= value <= high
    assert low < 1e8 - 1


def test_relu_axioms() -> None:
    b = Builder()
    x = b.input("x", (4,))
    assert bounds(b.graph(b.op("Sub", b.op("Relu", x), x)), {"x": (-3, 5)}) == (0, 3)
    both = b.op("Sub", b.op("Relu", b.op("Neg", x)), b.op("Sub", b.op("Relu", x), x))
    assert bounds(b.graph(both), {"x": (-3, 5)}) == pytest.approx((0, 0), abs=1e-6)


def test_predicate_splitting_proves_the_stable_logistic_loss() -> None:
    b = Builder()
    x = b.input("x", (4,))
    r = b.op("Relu", x)
    total = b.op("Add", b.op("Exp", b.op("Neg", r)), b.op("Exp", b.op("Sub", x, r)))
    graph = b.graph(b.op("Log", total, name="log"))
    assert rules(graph, {"x": (-500, 400)}) == []
    assert rules(graph, {"x": (-500, 400)}, splitting=False) == [("log-of-nonpositive", "log")]


@pytest.mark.parametrize("provable_first", [True, False])
@pytest.mark.parametrize("vain", [1, None])
def test_cases_that_prove_nothing_use_up_what_a_run_has_for_them(
    monkeypatch: pytest.MonkeyPatch, provable_first: bool, vain: int | None
) -> None:
    """What they prove costs nothing of it; what is given up is told."""
    monkeypatch.setattr(interpreter, "ROUNDS_OF_A_RUN", 0)  # boxes prove it as well
    if vain is not None:
        monkeypatch.setattr(interpreter, "VAIN_APPLICATIONS", vain)
    b = Builder()
    made = []
    for provable in (provable_first, not provable_first):
        x = b.input("x" if provable else "y", (4,))
        r = b.op("Relu", x)
        total = b.op("Add", b.op("Exp", b.op("Neg", r)), b.op("Exp", b.op("Sub", x, r)))
        total = total if provable else b.op("Sub", total, b.const(1.5))
        made.append(b.op("Log", total, name="proved" if provable else "open"))
    told = [name for _, name in rules(b.graph(b.op("Add", *made)), {"x": (-500, 400), "y": (-500, 400)})]
    expected = {"open"} if vain is None or provable_first else {"open", "proved"}
    assert set(told) == expected


def hand_written_softmax(subtract: bool) -> Builder:
    b = Builder()
    x = b.input("x", ("n", 10))
    if subtract:
        x = b.op("Sub", x, b.op("ReduceMax", x, b.const([1], np.int64)))
    e = b.op("Exp", x, name="exp")
    total = b.op("ReduceSum", e, b.const([1], np.int64))
    b.op("Div", e, total, name="div")
    return b


def test_softmax_by_hand_needs_the_maximum_subtracted() -> None:
    safe, unsafe = hand_written_softmax(True), hand_written_softmax(False)
    graph = safe.graph(safe.nodes[-1].output[0])
    assert rules(graph, {"x": WIDE}) == []
    low, high = bounds(graph, {"x": WIDE})
    assert low == 0
    assert high <= 1.001
    assert rules(unsafe.graph(unsafe.nodes[-1].output[0]), {"x": WIDE}) == [
        ("exp-overflow", "exp"),
        ("division-by-zero", "div"),
    ]


def test_log_sum_exp_by_hand() -> None:
    b = Builder()
    x = b.input("x", ("n", 10))
    m = b.op("ReduceMax", x, b.const([1], np.int64))
    total = b.op("ReduceSum", b.op("Exp", b.op("Sub", x, m)), b.const([1], np.int64))
    assert rules(b.graph(b.op("Log", total)), {"x": WIDE}) == []


def test_log_of_softmax_depends_on_the_logit_gap() -> None:
    b = Builder()
    graph = b.graph(b.op("Log", b.op("Softmax", b.input("x", ("n", 10))), name="log"))
    assert rules(graph, {"x": (-30, 30)}) == []
    assert rules(graph, {"x": (-60, 60)}) == [("log-of-nonpositive", "log")]


def test_log_softmax_is_stable() -> None:
    b = Builder()
    assert rules(b.graph(b.op("LogSoftmax", b.input("x", ("n", 10)))), {"x": WIDE}) == []


@pytest.mark.parametrize("limit", [15.0, 18.0])  # ONNX Runtime gives 1 from 15.73 on, others from 16.7
def test_one_minus_sigmoid_reaches_zero_in_float32(limit: float) -> None:
    b = Builder()
    p = b.op("Sigmoid", b.input("x", (4,)))
    graph = b.graph(b.op("Log", b.op("Sub", b.const(1.0), p), name="log"))
    assert bool(rules(graph, {"x": (-limit, limit)})) == (limit > 17)


def test_epsilon_lost_to_constant_folding() -> None:
    b = Builder()
    p = b.op("Sigmoid", b.input("x", (4,)))
    lost = b.op("Log", b.op("Sub", b.op("Add", b.const(1e-10), b.const(1.0)), p), name="lost")
    kept = b.op("Log", b.op("Add", b.op("Sub", b.const(1.0), p), b.const(1e-10)), name="kept")
    assert rules(b.graph(lost, kept), {"x": (-50, 50)}) == [("log-of-nonpositive", "lost")]


def test_both_branches_of_where_are_refined() -> None:
    b = Builder()
    x = b.input("x", (4,))
    positive = b.op("Greater", x, b.const(0.0))
    assert bounds(b.graph(b.op("Where", positive, x, b.op("Neg", x))), {"x": (-3, 5)}) == (0, 5)
    guarded = b.op("Where", positive, x, b.const(1.0))
    assert rules(b.graph(b.op("Log", guarded)), {"x": (-3, 5)}) == []


def test_negated_and_combined_conditions() -> None:
    b = Builder()
    x = b.input("x", (4,))
    small = b.op("Not", b.op("Or", b.op("Less", x, b.const(1.0)), b.op("Greater", x, b.const(2.0))))
    assert bounds(b.graph(b.op("Where", small, x, b.const(1.5))), {"x": (-3, 5)}) == (1, 2)


def test_a_comparison_with_nan_says_nothing_when_false() -> None:
    b = Builder()
    x = b.input("x", (4,))
    nan = b.op("Div", x, x)
    graph = b.graph(b.op("Where", b.op("Less", x, b.const(0.0)), b.const(0.0), x), nan)
    low, _ = bounds(graph, {"x": (-3, 5)})
    assert low == 0


def test_the_square_of_a_value_and_parabolas() -> None:
    b = Builder()
    x = b.input("x", (4,))
    assert bounds(b.graph(b.op("Mul", x, x)), {"x": (-2, 1)}) == (0, 4)
    low, high = bounds(b.graph(b.op("Mul", x, b.op("Sub", b.const(1.0), x))), {"x": (0, 1)})
    assert -1e-6 <= low <= 0
    assert high == pytest.approx(0.25, abs=1e-6)


def variance(eps: float) -> Builder:
    b = Builder()
    x = b.input("x", ("n", 10))
    centred = b.op("Sub", x, b.op("ReduceMean", x, b.const([1], np.int64)))
    total = b.op("Add", b.op("ReduceMean", b.op("Mul", centred, centred), b.const([1], np.int64)), b.const(eps))
    b.op("Div", centred, b.op("Sqrt", total), name="div")
    return b


def test_variance_needs_an_epsilon() -> None:
    good, bad = variance(1e-5), variance(0.0)
    assert rules(good.graph(good.nodes[-1].output[0]), {"x": (-50, 50)}) == []
    assert rules(bad.graph(bad.nodes[-1].output[0]), {"x": (-50, 50)}) == [("division-by-zero", "div")]


def test_normalisation_by_its_own_norm_is_bounded() -> None:
    b = Builder()
    x = b.input("x", ("n", 10))
    norm = b.op("Sqrt", b.op("ReduceSum", b.op("Mul", x, x), b.const([1], np.int64)))
    guarded = b.op("Max", norm, b.const(1e-6))
    low, high = bounds(b.graph(b.op("Div", x, guarded)), {"x": WIDE})
    assert -1.5 <= low <= -1
    assert 1 <= high <= 1.5


def test_x_over_x_plus_epsilon() -> None:
    b = Builder()
    x = b.input("x", (4,))
    low, high = bounds(b.graph(b.op("Div", x, b.op("Add", x, b.const(1e-3)))), {"x": (0, 1e4)})
    assert low == 0
    assert 1 <= high <= 1.01


def test_clip_guards_and_a_clip_whose_result_is_discarded() -> None:
    b = Builder()
    x = b.input("x", (4,))
    clipped = b.op("Clip", x, b.const(1e-7), b.const(1.0))
    graph = b.graph(b.op("Log", clipped, name="good"), b.op("Log", x, name="bad"))
    assert rules(graph, {"x": (0, 1)}) == [("log-of-nonpositive", "bad")]


def test_one_symbolic_result_covers_every_batch_size() -> None:
    b = Builder()
    x = b.input("x", ("n", 3))
    mean = b.op("ReduceMean", x, b.const([0], np.int64))
    assert bounds(b.graph(mean), {"x": (1, 2)}) == pytest.approx((1, 2), rel=1e-3)


def test_a_mean_over_selected_elements_may_be_empty() -> None:
    b = Builder()
    x = b.input("x", (8,))
    kept = b.op("Compress", x, b.op("Greater", x, b.const(0.0)))
    assert rules(b.graph(b.op("ReduceMean", kept, name="mean", keepdims=0)), {"x": (-1, 1)}) == [("empty-mean", "mean")]


def mask(rows_of_nothing: bool) -> Builder:
    b = Builder()
    x = b.input("x", ("n", 4, 4))
    allowed = np.tril(np.ones((4, 4), bool), -1 if rows_of_nothing else 0)
    scores = b.op("Add", x, b.const(np.where(allowed, 0, -np.inf)))
    b.op("Softmax", scores, name="softmax")
    return b


def test_attention_masks() -> None:
    good, bad = mask(False), mask(True)
    assert rules(good.graph(good.nodes[-1].output[0]), {"x": (-9, 9)}) == []
    assert rules(bad.graph(bad.nodes[-1].output[0]), {"x": (-9, 9)}) == [("softmax-of-minus-infinity", "softmax")]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("by", ["Equal", "Less", "Not"])
def test_a_causal_mask_that_is_compared_and_cut(by: str, strict: bool) -> None:
    """A table of ones on and below the diagonal, larger than what is kept block by block, cut to the length at hand."""
    b = Builder()
    x = b.input("x", ("n", 16, 16))
    table = np.tril(np.ones((32, 32), np.float32), -1 if strict else 0)
    end = b.const([16, 16], np.int64)
    cut = b.op("Slice", b.const(table, np.float32), b.const([0, 0], np.int64), end, b.const([0, 1], np.int64))
    if by == "Not":
        hidden = b.op("Not", b.op("Cast", cut, to=9))
    else:
        hidden = b.op(by, cut, b.const(0.0 if by == "Equal" else 0.5, np.float32))
    scores = b.op("Where", hidden, b.const(-np.inf, np.float32), x)
    found = rules(b.graph(b.op("Softmax", scores, name="softmax")), {"x": (-9, 9)})
    assert found == ([("softmax-of-minus-infinity", "softmax")] if strict else [])


def test_partitions_follow_concatenation_and_split() -> None:
    b = Builder()
    x, y = b.input("x", ("n", 2)), b.input("y", ("n", 3))
    parts = b.op("Split", b.op("Concat", x, y, axis=1), b.const([2, 3], np.int64), axis=1, outputs=2)
    graph = b.graph(parts[1])
    assert bounds(graph, {"x": (-9, -8), "y": (1, 2)}) == (1, 2)


def test_smashing_loses_what_partitions_keep() -> None:
    from analyzer.numerical import Partitioning

    b = Builder()
    x, y = b.input("x", (5, 2)), b.input("y", (5, 2))
    both = b.op("Abs", b.op("Concat", x, y, axis=1))
    graph = b.graph(
        b.op("Log", b.op("Slice", both, b.const([2], np.int64), b.const([4], np.int64), b.const([1], np.int64)))
    )
    ranges = {"x": (-1, 1), "y": (1, 2)}
    assert rules(graph, ranges) == []
    assert rules(graph, ranges, partitioning=Partitioning.SMASH) != []


def test_the_first_failing_operator_is_the_root_of_its_victims() -> None:
    from build import run

    b = Builder()
    x = b.input("x", (4,))
    b.op("Log", x, name="first")
    b.op("Reciprocal", x, name="second")
    warnings = run(b.graph("v0_0", "v1_0"), {"x": (0, 1)}).warnings
    assert [w.node.name for w in warnings if w.root is None] == ["first"]


def test_gradient_of_sqrt_at_zero_is_no_forward_failure() -> None:
    from build import run

    b = Builder()
    graph = b.graph(b.op("Sqrt", b.input("x", (4,))))
    result = run(graph, {"x": (0, 1)})
    assert [(w.rule, w.backward) for w in result.warnings] == [("numerical/gradient-of-sqrt-at-zero", True)]
    assert result.unsafe_checked == result.unsafe_safe == 1
    assert run(graph, {"x": (0, 1)}, backward=False).warnings == ()


def test_overflow_is_reported_where_a_run_certainly_reaches_it() -> None:
    b = Builder()
    x = b.input("x", (4,), "float16")
    assert rules(b.graph(b.op("Mul", x, x, name="mul")), {"x": (-300, 300)}) == [("overflow", "mul")]
    assert rules(b.graph(b.op("Mul", x, x, name="mul")), {"x": (-200, 200)}) == []
    c = Builder()
    w = c.input("w", (4, 4))
    assert rules(c.graph(c.op("MatMul", w, w)), {"w": (-np.inf, np.inf)}) == []


def test_pow_domain() -> None:
    for exponent, expected in ((0.5, 1), (2.0, 0), (-1.0, 1), (3.0, 0), (1.5, 1)):
        b = Builder()
        graph = b.graph(b.op("Pow", b.input("x", (4,)), b.const(exponent)))
        assert len(rules(graph, {"x": (-2, 3)})) == expected, exponent


def test_a_failure_that_where_discards_leaks_only_into_the_gradient() -> None:
    from build import run

    b = Builder()
    x = b.input("x", (4,))
    discarded = b.op("Where", b.op("Greater", x, b.const(0.0)), b.op("Log", x, name="log"), b.const(0.0))
    result = run(b.graph(discarded), {"x": (-1, 1)})
    assert [(w.rule, w.node.name, w.backward) for w in result.warnings] == [
        ("numerical/where-leaks-nan-gradient", "log", True)
    ]
    c = Builder()
    x = c.input("x", (4,))
    wrong = c.op("Where", c.op("Greater", x, c.const(-0.5)), c.op("Log", x, name="log"), c.const(0.0))
    assert rules(c.graph(wrong), {"x": (-1, 1)}) == [("log-of-nonpositive", "log")]


def test_a_discarded_failure_is_followed_through_casts() -> None:
    """Buckets of relative positions, as T5 computes them: the logarithm of 0 is computed and thrown away."""
    from build import run

    def buckets(limit: int, table: bool = False) -> list[tuple[str, bool]]:
        b = Builder()
        if table:  # of 12 positions by 12: some columns have no distance of 8 or more
            row, column = b.const(np.arange(12)[None], np.int64), b.const(np.arange(12)[:, None], np.int64)
            distance = b.op("Abs", b.op("Sub", row, column))
        else:
            distance = b.input("d", (4,), "int64")
        ratio = b.op("Div", b.op("Cast", distance, to=1), b.const(8.0))
        scaled = b.op("Mul", b.op("Div", b.op("Log", ratio, name="log"), b.const(2.77)), b.const(8.0))
        total = b.op("Add", b.op("Cast", scaled, to=7), b.const(8, np.int64))
        most = b.op("Expand", b.op("CastLike", b.const(15.0), total), b.op("Shape", total))
        large = b.op("Min", total, most)
        chosen = b.op("Where", b.op("Less", distance, b.const(limit, np.int64)), distance, large)
        return [(w.rule, w.backward) for w in run(b.graph(chosen), {} if table else {"d": (0, 15)}).warnings]

    for table in (False, True):
        assert buckets(8, table) == []  # no gradient passes through an integer
        assert buckets(0, table) == [("numerical/log-of-nonpositive", False)]


def test_a_gradient_is_at_risk_only_where_one_passes() -> None:
    from build import run

    def rules_of(dtype: str, detached: bool) -> list[str]:
        b = Builder()
        x = b.input("x", (4,), dtype)
        root = b.op("Sqrt", b.op("Abs", b.op("Cast", x, to=1)), name="sqrt")
        return [w.rule for w in run(b.graph(b.op("Cast", root, to=7) if detached else root), {"x": (-1, 1)}).warnings]

    assert rules_of("float32", detached=False) == ["numerical/gradient-of-sqrt-at-zero"]
    assert rules_of("int64", detached=False) == []
    assert rules_of("float32", detached=True) == []


def tie_count(
    over: str = "x",
    reduction: str = "ReduceMax",
    *,
    absolute: bool = False,
    keep: bool = True,
    summed: int = 1,
    first: int | str = "n",
) -> Graph:
    """How many elements of each row of x equal the row's extreme, as the gradient of an extreme divides by it."""
    b = Builder()
    x, y = b.input("x", (first, 6)), b.input("y", (first, 6))
    if absolute:
        x = b.op("Abs", x)
    extreme = b.op(reduction, x if over == "x" else y, b.const([1], np.int64), keepdims=int(keep))
    if not keep:
        n = b.op("Slice", b.op("Shape", x), b.const([0], np.int64), b.const([1], np.int64))
        extreme = b.op("Reshape", extreme, b.op("Concat", n, b.const([1], np.int64), axis=0))
    ties = b.op("Cast", b.op("Equal", extreme, x), to=1)
    total = b.op("ReduceSum", ties, b.const([summed], np.int64))
    return b.graph(b.op("Div", ties, total, name="div"))


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("reduction", ["ReduceMax", "ReduceMin"])
def test_an_extreme_equals_at_least_one_element(reduction: str, keep: bool, absolute: bool) -> None:
    graph = tie_count(reduction=reduction, keep=keep, absolute=absolute)
    assert rules(graph, {"x": WIDE, "y": WIDE}) == []


@pytest.mark.parametrize(
    "graph",
    [
        tie_count("y"),  # the extreme of something else
        tie_count(reduction="ReduceMean"),
        tie_count(summed=0),  # a column need not hold the extreme of any row
    ],
)
def test_other_values_need_not_occur(graph: Graph) -> None:
    assert rules(graph, {"x": WIDE, "y": WIDE}) == [("division-by-zero", "div")]


@pytest.mark.parametrize(("rows", "least"), [(0, 0), (3, 1)])
def test_the_extreme_of_nothing_equals_nothing(rows: int, least: int) -> None:
    b = Builder()
    x = b.input("x", ("n", 6))
    ties = b.op("Cast", b.op("Equal", b.op("ReduceMax", x, b.const([0], np.int64)), x), to=1)
    graph = b.graph(b.op("ReduceSum", ties, b.const([0], np.int64)))
    assert bounds(graph, {"x": WIDE}, symbols={"n": (rows, None)})[0] == least


def test_nan_equals_not_even_itself() -> None:
    b = Builder()
    x = b.input("x", (4, 6))
    ties = b.op("Cast", b.op("Equal", b.op("ReduceMax", x, b.const([1], np.int64)), x), to=1)
    graph = b.graph(b.op("ReduceSum", ties, b.const([1], np.int64)))
    for nan, least in ((True, 0), (False, 1)):
        value = AbstractTensor(element_type("float32"), (4, 6), np.float64(-1), np.float64(1), None, nan)
        assert bounds(graph, {"x": value})[0] == least


def test_the_count_of_ties_holds_in_real_runs() -> None:
    """Ties, zeros of both signs, denormals, infinities and magnitudes that differ widely."""
    import onnx_ir as ir
    import onnxruntime

    rng = np.random.default_rng(5)
    numbers = np.array([0.0, -0.0, 1e-45, -1e-45, 1.0, -1.0, 3.4e38, -3.4e38, 1e-38, np.inf, -np.inf], np.float32)
    for reduction in ("ReduceMax", "ReduceMin"):
        for absolute in (False, True):
            graph = tie_count(reduction=reduction, absolute=absolute, first=50)
            graph.graph.outputs[:] = [next(n for n in graph.graph if n.op_type == "ReduceSum").outputs[-1]]
            low, high = bounds(graph, {"x": WIDE, "y": WIDE})
            model = ir.to_proto(graph.model).SerializeToString()
            session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
            for _ in range(40):
                x = rng.choice(numbers, (50, 6))
                (counts,) = session.run(None, {"x": x, "y": x} if len(session.get_inputs()) == 2 else {"x": x})
                assert low <= counts.min() <= counts.max() <= high
                assert low == 1


@pytest.mark.parametrize(
    ("given", "divisor", "expected"),
    [((5, 6), 4, (1, 2)), ((3, 4), 4, (0, 3)), ((-3, -2), 4, (1, 2)), ((-1, 0), 4, (0, 3)), ((8, 8), 3, (2, 2))],
)
def test_an_integer_remainder_within_one_period(
    given: tuple[int, int], divisor: int, expected: tuple[int, int]
) -> None:
    b = Builder()
    graph = b.graph(b.op("Mod", b.input("x", (4,), "int64"), b.const(divisor, np.int64)))
    assert bounds(graph, {"x": given}) == expected


@given(
    st.sampled_from(["Mul", "Div"]),
    st.sampled_from(["Greater", "Less", "GreaterOrEqual", "LessOrEqual"]),
    st.floats(-1e3, 1e3, width=32).filter(lambda c: abs(c) > 1e-3),
    st.floats(-1e3, 1e3, width=32),
    st.integers(0, 2**32 - 1),
)
def test_a_comparison_of_a_multiple_bounds_the_value_itself(
    operator: str, comparison: str, factor: float, limit: float, seed: int
) -> None:
    """The sum has no affine form of one term, so that only the multiplication itself leads back to it."""
    b = Builder()
    total = b.op("Add", b.input("x", (200,)), b.input("y", (200,)))
    condition = b.op(comparison, b.op(operator, total, b.const(factor)), b.const(limit))
    chosen = b.op("Where", condition, total, b.const(0.0))
    graph = b.graph(chosen)
    low, high = bounds(graph, {"x": (-500, 500), "y": (-500, 500)})
    rng = np.random.default_rng(seed)
    x, y = (rng.uniform(-500, 500, 200).astype(np.float32) for _ in "xy")
    sums = x + y
    scaled = sums * np.float32(factor) if operator == "Mul" else sums / np.float32(factor)
    taken = {"Greater": scaled > limit, "Less": scaled < limit}.get(
        comparison, scaled >= limit if comparison == "GreaterOrEqual" else scaled <= limit
    )
    results = np.where(taken, sums, np.float32(0))
    assert low <= results.min()
    assert results.max() <= high


def test_a_scaled_softplus_with_a_threshold_is_not_negative() -> None:
    """As the exporter of PyTorch writes it; state-space models take exp(-rate * softplus)."""
    b = Builder()
    z = b.op("Add", b.input("x", (4,)), b.input("y", (4,)))
    scaled = b.op("Mul", z, b.const(1.0))
    step = b.op("Where", b.op("Greater", scaled, b.const(20.0)), z, b.op("Div", b.op("Softplus", scaled), b.const(1.0)))
    rate = b.op("Neg", b.op("Exp", b.input("a", (4,))))
    decay = b.op("Exp", b.op("Mul", rate, step))
    wide = (-1e30, 1e30)
    assert rules(b.graph(decay), {"x": wide, "y": wide, "a": (-1, 1)}) == []


@pytest.mark.parametrize("largest", [1, 0])
def test_the_largest_probabilities_can_be_normalised_again(largest: int) -> None:
    """A router of experts: the largest of n probabilities is at least 1/n; the smallest may all be 0."""
    b = Builder()
    probabilities = b.op("Softmax", b.input("x", ("n", 8)), axis=-1)
    chosen, _ = b.op("TopK", probabilities, b.const([2], np.int64), outputs=2, axis=-1, largest=largest)
    total = b.op("ReduceSum", chosen, b.const([-1], np.int64), keepdims=1)
    found = rules(b.graph(b.op("Div", chosen, total, name="div")), {"x": WIDE})
    assert found == ([] if largest else [("division-by-zero", "div")])


@given(st.integers(1, 5000), st.sampled_from([np.float16, np.float32]), st.integers(0, 2**32 - 1))
def test_the_largest_of_a_softmax_is_as_large_as_said(classes: int, dtype: type, seed: int) -> None:
    b = Builder()
    x = b.input("x", (3, classes), np.dtype(dtype).name)
    top, _ = b.op("TopK", b.op("Softmax", x, axis=-1), b.const([1], np.int64), outputs=2, axis=-1)
    graph = b.graph(b.op("ReduceSum", top, b.const([-1], np.int64), keepdims=1))
    low, _ = bounds(graph, {"x": (-20, 20)})
    assert low > 0
    values = np.random.default_rng(seed).uniform(-20, 20, (3, classes)).astype(dtype)
    for rows in (values, np.zeros_like(values), np.full_like(values, 20.0)):
        (result,) = engine(graph).run(None, {"x": rows})
        assert low <= float(result.min())


@pytest.mark.parametrize(
    ("after", "safe"),
    [
        *(("same mask", True), ("negated mask", True), ("computed again", True), ("nan to 0", True)),
        *(("nothing", False), ("other mask", False), ("other branch", False), ("used bare too", False)),
    ],
)
def test_rows_of_minus_infinity_that_are_replaced_after_the_softmax(after: str, safe: bool) -> None:
    b = Builder()
    x, mask, other = b.input("x", (3, 4)), b.input("mask", (3, 4), "bool"), b.input("other", (3, 4), "bool")
    masked = b.op("Where", b.op("Not", mask), b.const(-np.inf), x)
    p = b.op("Softmax", masked, axis=-1, name="softmax")
    zero, no = b.const(0.0), b.const(False, bool)
    results = {
        "same mask": lambda: [b.op("Where", mask, p, zero)],
        "negated mask": lambda: [b.op("Where", b.op("Not", mask), zero, p)],
        "computed again": lambda: [b.op("Where", b.op("Equal", mask, no), b.op("CastLike", zero, p), p)],
        "nan to 0": lambda: [b.op("Where", b.op("IsNaN", p), zero, p)],
        "nothing": lambda: [p],
        "other mask": lambda: [b.op("Where", other, p, zero)],
        "other branch": lambda: [b.op("Where", mask, zero, p)],
        "used bare too": lambda: [b.op("Where", mask, p, zero), b.op("Neg", p)],
    }[after]()
    graph = b.graph(*results)
    found = rules(graph, {"x": (-5, 5)})
    assert found == ([] if safe else [("softmax-of-minus-infinity", "softmax")])
    feeds = {"x": np.ones((3, 4), np.float32), "mask": np.zeros((3, 4), bool), "other": np.ones((3, 4), bool)}
    used = {i.name for i in engine(graph).get_inputs()}
    outputs = engine(graph).run(None, {k: v for k, v in feeds.items() if k in used})
    assert all(np.isfinite(o).all() for o in outputs) == safe


def test_the_gradient_of_a_replaced_row_is_0() -> None:
    import torch

    for clean in (lambda p, keep: p.masked_fill(~keep, 0.0), lambda p, keep: torch.nan_to_num(p)):
        scores, keep = torch.ones(3, 4, requires_grad=True), torch.zeros(3, 4, dtype=torch.bool)
        clean(torch.softmax(scores.masked_fill(~keep, -torch.inf), -1), keep).sum().backward()
        assert scores.grad is not None
        assert not scores.grad.any()


@given(st.integers(-400, 400), st.integers(0, 400))
def test_a_hard_sigmoid_near_its_zero_is_inside_its_bounds(start: int, width: int) -> None:
    """alpha x + beta cancels there, and engines round the product or do not."""
    x, end = (-2.5 + k * 2.0**-22 for k in (start, start + width))
    b = Builder()
    graph = b.graph(b.op("HardSigmoid", b.input("x", (9,))))
    low, high = bounds(graph, {"x": (x, end)})
    values = np.linspace(x, end, 9).astype(np.float32)
    (result,) = engine(graph).run(None, {"x": values})
    assert low <= result.min()
    assert result.max() <= high


@pytest.mark.parametrize(("axis", "least"), [(1, 0.0), (0, -20.0)])
def test_the_largest_less_the_smallest_of_a_row_whose_axis_is_gone(axis: int, least: float) -> None:
    b = Builder()
    x = b.input("x", (3, 3))
    high = b.op("ReduceMax", x, b.const([1], np.int64), keepdims=0)
    low = b.op("ReduceMin", x, b.const([axis], np.int64), keepdims=0)
    assert bounds(b.graph(b.op("Sub", high, low)), {"x": (-10, 10)})[0] == least
