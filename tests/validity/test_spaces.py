"""Spaces: verdicts, counts, boxes, cores and repairs against brute force; the paper's modes as a cross-check."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.problem import UsageProblem
from analyzer.validity.chunks import chunks_of as chunks_of_space
from analyzer.validity.chunks import decide_chunked, joined, run_chunk
from analyzer.validity.classic import bulk, individual
from analyzer.validity.contracts import contract_of
from analyzer.validity.decide import DEPENDS, VALID_FOR_ALL, VALID_FOR_NONE, decide
from analyzer.validity.explain import check_vector, core, repairs
from analyzer.validity.solver import Z3Process
from analyzer.validity.space import Space
from analyzer.validity.space_reader import read_space

MODEL = """
version: 1
model:
  framework: torch
  inputs:
    x: {shape: [batch, 3, image, image], dtype: float32, format: layout}
  layers:
    - {name: conv1, op: Conv2d, in_channels: 3, out_channels: 8, kernel_size: k, stride: s}
    - {name: pool, op: MaxPool2d, kernel_size: 3, stride: 2}
    - {name: flat, op: Flatten, start_dim: 1}
    - {name: fc, op: Linear, in_features: 8*3*3, out_features: 10}
"""
DOMAINS = """
hyperparameters:
  k: [3, 5, 11]
  s: [1, 2, 4]
  image: {min: 5, max: 30}
  layout: [NCHW, NHWC]
  batch: [1, 8]
conditions:
  - s <= k
"""


def space(text: str = MODEL + DOMAINS) -> Space:
    return read_space(text, "space.yml")


def vectors(one: Space) -> list[dict[str, Any]]:
    names = list(one.by_name)
    return [
        dict(zip(names, values, strict=True))
        for values in itertools.product(*(h.values or () for h in one.by_name.values()))
    ]


def brute(one: Space) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Valid and invalid vectors, one by one."""
    valid, invalid = [], []
    for vector in vectors(one):
        try:
            (invalid if check_vector(one, vector) else valid).append(vector)
        except ValueError:
            continue
    return valid, invalid


def test_counts_boxes_and_failures_are_those_of_brute_force() -> None:
    one = space()
    valid, invalid = brute(one)
    decision = decide(one)
    assert decision.verdict == DEPENDS
    assert (decision.total, decision.valid) == (len(valid) + len(invalid), len(valid))
    assert sum(f.count or 0 for f in decision.failures) == len(invalid)
    for failure in decision.failures:
        step = check_vector(one, failure.example)
        assert step is not None
        assert step.requirement.rule.id == failure.step.requirement.rule.id
    assert all(any(b.contains(v) for b in decision.boxes) for v in invalid)
    assert not any(b.contains(v) for b in decision.boxes for v in valid)
    assert decision.example in valid


def test_the_modes_of_the_paper_find_the_same_vectors() -> None:
    one = space()
    valid = {tuple(v.values()) for v in brute(one)[0]}
    assert individual(one) == valid
    assert bulk(one) == valid
    assert bulk(one, block=37) == valid


def test_chunks_give_the_same_numbers_whatever_their_size() -> None:
    one = space()
    decision = decide(one)
    small, large = decide_chunked(one, jobs=1, cells=50), decide_chunked(one, jobs=1, cells=10_000)
    for counts in (small, large):
        assert (counts.total, counts.valid) == (decision.total, decision.valid)
    assert small.failures == large.failures
    assert decide_chunked(one, jobs=2, cells=50) == small


def test_a_lost_or_altered_chunk_is_noticed() -> None:
    one = space()
    results = [run_chunk(one, c) for c in chunks_of_space(one, 100)]
    with pytest.raises(RuntimeError, match="did not come back"):
        joined(results[1:], len(results))
    assert joined([*results, results[0]], len(results)) == joined(results, len(results))


def test_cores_are_minimal_and_speak_of_lines() -> None:
    one = space()
    decision = decide(one)
    vector = {"k": 11, "s": 1, "image": 10, "layout": "NCHW", "batch": 1}
    structure = next(s for s in decision.structures if s.fixed.get("layout") == "NCHW")
    found = core(one, structure, vector)
    assert found is not None
    assert found.values["k"] == 11
    assert found.values["image"] == 10
    assert "s" not in found.values
    assert "batch" not in found.values
    assert any("space.yml:14" in s for s in found.sentences)
    assert "kernel of 11 does not fit" in found.sentences[-1]


def test_repairs_are_valid_and_nearest() -> None:
    one = space()
    decision = decide(one)
    valid, invalid = brute(one)
    rng = random.Random(1)
    for vector in rng.sample(invalid, 25):
        structure = next(s for s in decision.structures if all(vector[k] == v for k, v in s.fixed.items()))
        found = repairs(one, structure, vector)
        singles = [v for v in valid if sum(v[n] != vector[n] for n in v) == 1]
        assert bool(singles) == any(len(r.changes) == 1 for r in found)
        for repair in found:
            changed = {**vector, **{n: new for n, (_, new) in repair.changes.items()}}
            assert check_vector(one, changed) is None
            if len(repair.changes) == 1 and isinstance(vector[next(iter(repair.changes))], int):
                ((name, (old, new)),) = repair.changes.items()
                assert abs(new - old) == min(abs(v[name] - old) for v in singles if v[name] != old)


@pytest.mark.parametrize(
    ("image", "text"),
    [("{min: 1}", "image ∈ {15, 16, 17, 18}"), ("{min: 16}", "image ∈ {16, 17, 18}")],
)
def test_contracts_of_unbounded_sizes(image: str, text: str) -> None:
    one = space(MODEL + f"hyperparameters: {{k: [3], s: [2], image: {image}, layout: [NCHW], batch: [1]}}\n")
    with Z3Process() as solver:
        decision = decide(one, solver=solver)
        assert decision.verdict == DEPENDS
        assert [s.partition(" (")[0] for s in contract_of(decision, solver)] == [text]


def test_congruences_are_found_and_proved() -> None:
    one = space(
        "version: 1\nmodel:\n  inputs: {x: {shape: [batch, 12]}}\n  layers:\n"
        "    - {name: r, op: reshape, shape: [-1, 8, 12]}\n"
    )
    with Z3Process() as solver:
        assert list(contract_of(decide(one, solver=solver), solver)) == ["batch % 8 = 0"]


def test_a_space_of_1e30_vectors_is_answered_without_enumerating() -> None:
    names = [f"h{i}" for i in range(10)]
    layers = "".join(f"    - {{name: l{i}, op: Linear, in_features: 4, out_features: 4}}\n" for i in range(2))
    text = "version: 1\nmodel:\n  inputs: {x: {shape: [" + ", ".join(names) + ", 4]}}\n  layers:\n" + layers
    text += "hyperparameters:\n" + "".join(f"  {n}: {{min: 1, max: 1000}}\n" for n in names)
    decision = decide(space(text))
    assert decision.total == 10**30
    assert decision.verdict == VALID_FOR_ALL
    with pytest.raises(UsageProblem, match="1e\\+30 vectors are more than"):
        list(chunks_of_space(space(text)))


def test_a_component_beyond_the_grid_is_solved() -> None:
    text = "version: 1\nmodel:\n  inputs: {x: {shape: [a, b]}, y: {shape: [c, d]}}\n  layers:\n"
    text += (
        "    - {name: m, op: matmul, inputs: [x, y]}\n    - {name: r, op: Linear, in_features: d, out_features: 3}\n"
    )
    text += "hyperparameters:\n" + "".join(f"  {n}: {{min: 1, max: 1000000}}\n" for n in "abcd")
    decision = decide(space(text))
    assert decision.verdict == DEPENDS
    assert all(check_vector(decision.space, f.example) is not None for f in decision.failures)
    assert decision.example is not None
    assert check_vector(decision.space, decision.example) is None


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_random_stacks_are_decided_as_brute_force_decides_them(seed: int) -> None:
    rng = random.Random(seed)
    layers, width = [], 3
    for index in range(rng.randint(1, 4)):
        out = rng.choice([2, 4])
        kernel, stride = rng.choice(["k", "3", "k+1"]), rng.choice(["s", "1"])
        layers.append(
            f"    - {{name: c{index}, op: Conv2d, in_channels: {width}, out_channels: {out}, kernel_size: {kernel},"
            f" stride: {stride}, padding: {rng.choice(['0', 'p'])}, groups: {rng.choice(['1', 'g'])}}}\n"
        )
        width = out
    text = "version: 1\nmodel:\n  inputs: {x: {shape: [1, 3, n, n]}}\n  layers:\n" + "".join(layers)
    text += (
        "hyperparameters:\n  k: [1, 3, 5]\n  s: [0, 1, 2]\n  p: [0, 1]\n  g: [1, 2]\n  n: {min: 1, max: 12, step: 3}\n"
    )
    one = space(text)
    valid, invalid = brute(one)
    decision = decide(one)
    assert (decision.total, decision.valid) == (len(valid) + len(invalid), len(valid))
    expected = VALID_FOR_ALL if not invalid else VALID_FOR_NONE if not valid else DEPENDS
    assert decision.verdict == expected
    assert not any(b.contains(v) for b in decision.boxes for v in valid)
    if all(b.complete for b in decision.boxes):
        assert all(any(b.contains(v) for b in decision.boxes) for v in invalid)


def test_examples_stay_within_an_open_domain() -> None:
    """A size that starts at 5 is never shown as 1, whether the solver or the bounds have found the example."""
    one = space(
        "version: 1\nmodel:\n  inputs: {x: {shape: [n, m]}}\n  layers:\n"
        "    - {name: r, op: Linear, in_features: m, out_features: k}\n"
        "hyperparameters:\n  n: {min: 5}\n  m: {min: 7}\n  k: {min: -3, max: 4}\n"
    )
    decision = decide(one)
    assert decision.verdict == DEPENDS
    for vector in (decision.example, *(f.example for f in decision.failures)):
        assert vector is not None
        assert all(one.by_name[n].contains(v) for n, v in vector.items())


def test_a_space_that_cannot_be_enumerated_is_repaired_by_the_solver() -> None:
    """Two sizes must change together: no single change helps, and the grid is far too large to look through."""
    one = space(
        "version: 1\nmodel:\n  inputs: {x: {shape: [2, a]}, y: {shape: [b, 3]}}\n  layers:\n"
        "    - {name: m, op: matmul, inputs: [x, y]}\n"
        "    - {name: l, op: Linear, input: x, in_features: c, out_features: 3}\n"
        "    - {name: k, op: Linear, input: x, in_features: d + 1, out_features: 3}\n"
        "hyperparameters:\n" + "".join(f"  {n}: {{min: 1, max: 1000000}}\n" for n in "abcd")
    )
    vector = {"a": 100, "b": 90, "c": 100, "d": 50}
    with Z3Process() as solver:
        decision = decide(one, solver=solver)
        (repair,) = repairs(one, decision.structures[0], vector, solver)
    assert check_vector(one, {**vector, **{n: new for n, (_, new) in repair.changes.items()}}) is None
    assert len(repair.changes) == 2
    assert set(repair.changes) == {"b", "d"}


BAD = {
    "an empty domain": (
        DOMAINS.replace("{min: 5, max: 30}", "{min: 30, max: 5}"),
        "is empty: min 30 is larger than max 5",
    ),
    "no values": (DOMAINS.replace("[3, 5, 11]", "[]"), "`k` has no values"),
    "an unknown layer": (DOMAINS + "bind:\n  convl.stride: s\n", "did you mean `conv1`"),
    "an unknown attribute": (
        DOMAINS + "bind:\n  conv1.steps: s\n",
        "`conv1.steps` does not exist; Conv2d has in_channels",
    ),
    "an unknown dimension": (DOMAINS + "bind:\n  x.shape[7]: s\n", "`x` has 4 dimensions"),
    "a circle": (DOMAINS + "derived:\n  a: b + 1\n  b: a * 2\n", "is defined through itself"),
    "an unknown name": (DOMAINS + "  - kernel < 3\n", "which is not a hyperparameter"),
    "a call": (DOMAINS + "  - __import__('os').system('x') == 0\n", "is not allowed"),
    "a contradiction": (DOMAINS + "  - s > k\n", "exclude every vector"),
    "no condition": (DOMAINS + "  - s + 1\n", "is not a condition"),
    "an unknown key": (DOMAINS + "hyperparameter: {}\n", "did you mean `hyperparameters`"),
    "structure without end": (
        DOMAINS.replace("layout: [NCHW, NHWC]", "layout: [NCHW]\n  d: {min: 1}") + "bind:\n  flat.start_dim: d\n",
        "which is unbounded; give it a `max`",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_spaces_get_one_clear_sentence(name: str) -> None:
    text, sentence = BAD[name]
    with pytest.raises(UsageProblem) as caught:
        decide(space(MODEL + text))
    message = str(caught.value)
    assert sentence in message
    assert message.startswith("space.yml")
    assert "\n" not in message


def test_misspelt_operators_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(
        UsageProblem, match=r"space\.yml:8: there is no rule for the torch operator `Conv2D`; did you mean `Conv2d`"
    ):
        space(MODEL.replace("op: Conv2d", "op: Conv2D") + DOMAINS)


def test_a_solver_that_hangs_is_killed_and_never_means_valid() -> None:
    from analyzer.validity.terms import equal, symbol

    x, y, z = (symbol(n, 1) for n in "xyz")
    hard = equal(x * x * x + y * y * y + z * z * z, 114 * 10**9 + 7)
    with Z3Process(timeout=0.3) as solver:
        assert solver.satisfy([hard]).status in ("unknown", "sat")
        assert solver.satisfy([x >= 5]).status == "sat"


def test_layers_that_a_hyperparameter_repeats_or_leaves_out() -> None:
    text = """version: 1
model:
  inputs: {x: {shape: [1, 3, size, size]}}
  layers:
    - repeat: depth
      layers:
        - {name: conv, op: Conv2d, in_channels: 3 if i == 0 else c, out_channels: c, kernel_size: 3}
        - {name: norm, op: BatchNorm2d, num_features: c, when: normed}
        - {name: pool, op: MaxPool2d, kernel_size: 2}
    - {name: flat, op: Flatten, input: pool}
    - {name: fc, op: Linear, in_features: "flat.shape[1]", out_features: int(10 * scale)}
hyperparameters:
  depth: {min: 1, max: 3}
  c: [4, 8]
  normed: [true, false]
  scale: [0.5, 1.5]
  size: {min: 2, max: 24}
"""
    decision = decide(read_space(text, "space.yml"))
    fits = sum(1 for depth in (1, 2, 3) for size in range(2, 25) if halved(size, depth) >= 1)
    assert (decision.total, decision.valid) == (3 * 2 * 2 * 2 * 23, fits * 8)


def halved(size: int, depth: int) -> int:
    for _ in range(depth):
        size = (size - 2) // 2
    return size


@pytest.mark.parametrize("index", [":, 1:k, ..., -1", "[:, 1:k, ..., -1]"])
def test_a_part_of_a_tensor_in_python_s_spelling(index: str) -> None:
    """Of 12 rows and columns, `x[:, 1:k, ..., -1]` has `k - 1` rows, and the linear layer wants four features."""
    text = f"""
version: 1
model:
  inputs: {{x: {{shape: [2, 12, 4, 7]}}}}
  layers:
    - {{name: part, op: getitem, index: "{index}"}}
    - {{name: rows, op: Linear, in_features: 4, out_features: 3}}
    - {{name: whole, op: Reshape, shape: [2, 3 * (k - 1)]}}
    - {{name: last, op: Linear, in_features: 15, out_features: 1}}
hyperparameters: {{k: [2, 5, 6, 13]}}
""".replace("op: Reshape", "op: reshape")
    found = decide(space(text))
    assert (found.total, found.valid) == (4, 1)
    assert found.failures[0].step.layer.name == "last"
    assert check_vector(space(text), {"k": 6}) is None
    new = text.replace(index, "None, :, ::2, 0").replace("op: Linear, in_features: 4,", "op: Linear, in_features: 7,")
    assert decide(space(new)).failures[0].step.layer.name == "whole"


@pytest.mark.parametrize(("index", "said"), [(":, 1:(", "is no subscript"), ("x, 1 +", "is no subscript")])
def test_a_wrong_subscript_is_one_sentence(index: str, said: str) -> None:
    text = f'{{version: 1, model: {{inputs: {{x: {{shape: [2, 3]}}}}, layers: [{{op: getitem, index: "{index}"}}]}}}}'
    with pytest.raises(UsageProblem, match=said):
        space(text)
