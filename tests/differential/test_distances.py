"""CRADLE's metrics: the paper's definitions, and the rules for what it leaves open."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from analyzer.differential import distances as d

ROWS = hnp.arrays(np.float64, st.integers(2, 12), elements=st.floats(-1e6, 1e6))


def test_the_petri_dish_of_the_paper() -> None:
    first = np.array([0.6, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05])
    sixth = np.array([0.05, 0.3, 0.2, 0.15, 0.12, 0.1, 0.08])
    assert d.class_score(first, 0) == 16
    assert d.class_score(sixth, 0) == 0
    assert d.class_distance(first, sixth, 0) == 16


@pytest.mark.parametrize(("rank", "score"), [(1, 16), (2, 8), (3, 4), (4, 2), (5, 1), (6, 0), (9, 0)])
def test_score_by_rank(rank: int, score: float) -> None:
    row = -np.arange(10.0)
    assert d.class_score(row, rank - 1) == score


def test_ties_rank_the_truth_last() -> None:
    assert d.class_score(np.zeros(3), 0) == 4  # rank 3 of three equal classes
    assert d.class_score(np.zeros(100), 0) == 0


def test_a_nan_score_is_behind_all_numbers_and_has_no_rank() -> None:
    assert d.class_score(np.array([np.nan, 0.1, 0.2]), 0) == 0
    assert d.class_score(np.array([np.nan, 0.1, 0.2]), 2) == 16


@given(ROWS, st.data())
def test_class_distance_reaches_only_the_papers_values(row: np.ndarray, data: st.DataObject) -> None:
    other = data.draw(hnp.arrays(np.float64, row.shape, elements=st.floats(-1e6, 1e6)))
    truth = data.draw(st.integers(0, len(row) - 1))
    assert d.class_distance(row, other, truth) in {0, 1, 2, 3, 4, 6, 7, 8, 12, 14, 15, 16}
    assert d.class_distance(row, other, truth) == d.class_distance(other, row, truth)


def test_dave_of_the_paper() -> None:
    """Steering angles: |0.4 - 0.1| against |-0.1 - 0.1| around a truth of 0.1, by the definition."""
    assert d.mad_distance(np.array([0.4]), np.array([-0.1]), np.array([0.1])) == pytest.approx(
        (0.3 - 0.2) / (0.3 + 0.2)
    )


@given(ROWS, st.data())
def test_mad_distance_is_symmetric_and_in_the_unit_interval(row: np.ndarray, data: st.DataObject) -> None:
    same_shape = hnp.arrays(np.float64, row.shape, elements=st.floats(-1e6, 1e6))
    other, truth = data.draw(same_shape), data.draw(same_shape)
    value = d.mad_distance(row, other, truth)
    assert 0 <= value <= 1
    assert value == d.mad_distance(other, row, truth)


def test_zero_over_zero_and_nan() -> None:
    truth = np.array([1.0, 2.0])
    assert d.mad_distance(truth, truth, truth) == 0
    assert d.mad_distance(truth, truth + 1, truth) == 1
    assert d.mad_distance(np.array([np.nan, 2.0]), truth, truth) == 1
    assert d.mad_distance(np.array([np.nan, 2.0]), np.array([np.inf, 2.0]), truth) == 0


def test_a_deviation_by_nan_is_infinite_unless_both_have_it() -> None:
    clean, broken = np.array([1.0, 2.0]), np.array([np.nan, 2.0])
    assert d.deviation(broken, clean) == d.deviation(clean, broken) == np.inf
    assert d.deviation(broken, broken.copy()) == 0
    assert d.deviation(clean, np.ones(3)) == np.inf
    assert d.deviation(clean, clean + 3) == 3


def test_thresholds_are_reached_not_passed() -> None:
    assert d.against_threshold("class", [16.0, 0.0], 16, 0).inconsistent
    assert d.against_threshold("mad", [1.0], 1.0, 0).inconsistent
    assert not d.against_threshold("mad", [0.0, 0.0], 0.0, 0).inconsistent, "no difference never triggers"
    assert not d.against_threshold("class", [16.0, 0.0, 0.0, 0.0], 16, 50).inconsistent, "a quarter is less than p"
    assert d.against_threshold("class", [3.0, 16.0, 7.0], 1, 0).worst == 1


def test_a_share_of_exactly_p_per_cent_is_enough() -> None:
    assert d.against_threshold("class", [16.0, 0.0, 0.0, 0.0], 16, 25).inconsistent
    assert not d.against_threshold("class", [16.0, 0.0, 0.0, 0.0], 16, 25.1).inconsistent
    assert d.against_threshold("class", [16.0, 15.9, 0.5], 0.5, 100).triggering == (0, 1, 2)
    assert d.against_threshold("mad", [], 0.5, 0).worst == 0
    assert d.against_threshold("mad", [], 0.5, 0).inconsistent is False


def test_each_edge_belongs_to_the_bin_above_it() -> None:
    assert d.bin_edges("class") == (16, 8, 4, 2, 1, 0)
    assert d.bin_edges("mad") == pytest.approx((0, 0.2, 0.4, 0.6, 0.8))
    for metric in ("class", "mad"):
        for index, edge in enumerate(d.bin_edges(metric)):
            for value in (edge, np.nextafter(edge, 0)) if metric == "mad" else (edge,):  # a distance is rounded
                assert d.pattern(metric, [value])[index] == 1
    assert d.pattern("mad", [0.2 - 1e-9]) == (1, 0, 0, 0, 0)


def test_patterns_make_inconsistencies_unique() -> None:
    assert d.pattern("class", [16, 16, 8, 15, 7, 3, 1, 0]) == (2, 2, 1, 1, 1, 1)
    assert d.pattern("mad", [0.0, 0.2, 0.8, 1.0]) == (1, 1, 0, 0, 2)
    same = ("resnet", "tf-torch", (2, 0, 0, 0, 0, 8))
    groups = d.unique({"3.5.0": same, "3.8.0": same, "3.12.0": ("resnet", "tf-torch", (1, 0, 0, 0, 0, 9))})
    assert sorted(map(sorted, groups.values())) == [["3.12.0"], ["3.5.0", "3.8.0"]]


def test_rates_by_hand() -> None:
    """A fork: the larger of the inbound deviations counts; eps keeps the first layer finite."""
    deltas = {"a": 1e-7, "b": 0.5, "c": 0.5, "d": 1.0}
    inbound = {"b": ("a",), "c": ("a", "b"), "d": ("a", "c")}
    rates = d.rates(deltas, inbound)
    assert rates["a"] == pytest.approx(1.0)
    assert rates["b"] == pytest.approx((0.5 - 1e-7) / 2e-7)
    assert rates["c"] == pytest.approx(0.0, abs=1e-6)
    assert rates["d"] == pytest.approx(1.0, rel=1e-6)
    assert d.third_quartile([1, 2, 3, 4]) == pytest.approx(3.25)
    assert d.third_quartile([]) == 0
    assert d.third_quartile([np.inf, np.inf]) == 1e300
    assert d.rates({"a": np.inf, "b": 1.0}, {"b": ("a", "not measured")}) == {"a": np.inf, "b": 0.0}


def test_relative_error_counts_one_wrong_element_and_misplaced_nans() -> None:
    right = np.array([1.0, -4.0, np.nan, np.inf])
    assert d.relative_error(right.copy(), right) == 0
    assert d.relative_error(np.array([1.0, -3.0, np.nan, np.inf]), right) == pytest.approx(0.25)
    assert d.relative_error(np.array([1.0, -4.0, 0.0, np.inf]), right) == np.inf
    assert d.relative_error(np.array([1.0, -4.0, np.nan, -np.inf]), right) == np.inf
    assert d.relative_error(np.zeros(3), np.zeros(4)) == np.inf
    assert d.relative_error(np.array([1, 2, 3, 4]), np.array([1, 2, 3, 5])) == 0.25
    assert d.relative_error(np.zeros((0, 2)), np.zeros((0, 2))) == 0


def test_relative_errors_of_small_and_single_and_complex_elements() -> None:
    assert d.relative_error(np.array([0.25]), np.array([0.125])) == 1
    assert d.relative_error(np.array([0.25]), np.array([0.125]), small=0.5) == 0.25
    assert d.relative_error(np.array([0.25, 0.0]), np.zeros(2)) == 0.25
    assert d.relative_error(np.array([0.5]), np.array([1])) == d.relative_error(np.array([1]), np.array([2.0])) == 0.5
    assert d.relative_error(np.array([1 + 1j]), np.array([1.0 + 0j])) == 1
    assert (
        d.relative_error(np.array([1 + 1j]), np.array([1.0]))
        == d.relative_error(np.array([1.0]), np.array([1j + 0])) / 2**0.5
    )
    assert d.relative_error(np.array([True, False]), np.array([True, True])) == 0.5
    assert d.relative_error(np.array([np.nan, 1.0]), np.array([np.nan, 2.0])) == 0.5
    assert d.deviation(np.array([np.inf]), np.array([np.inf])) == 0
    assert d.deviation(np.array([np.nan, np.inf]), np.array([np.nan, 1.0])) == np.inf
    assert d.deviation(np.array([np.nan, 1.0]), np.array([1, 1])) == np.inf
    assert d.mad(np.zeros(0), np.zeros(0)) == 0


def test_empty_tensors_do_not_deviate() -> None:
    assert d.relative_error(np.zeros((0, 3)), np.zeros((0, 3))) == 0.0
    assert d.relative_error(np.zeros((0, 3)), np.zeros((0, 2))) == float("inf")
