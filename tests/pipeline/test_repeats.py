"""A line that is reached from several places is one finding, which names them; what differs stays apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from analyzer.findings import Confidence, Evidence, Level, Suggestion
from analyzer.running.repeats import one_of_each_line
from tests.action.reports import LOG


def of_a_call(line: int, **changes: Any) -> Any:
    evidence = Evidence("interval", ("The operand reaches 0.",), data={"called_at": f"net.py:{line}"})
    return replace(LOG, node=f"log_{line}", message=f"`log_{line}` receives 0", evidence=evidence, **changes)


def test_a_helper_that_is_called_twice_is_one_finding_with_both_calls() -> None:
    possible, confirmed = of_a_call(3, confidence=Confidence.POSSIBLE), of_a_call(9)
    (found,) = one_of_each_line([possible, confirmed])
    assert (found.node, found.confidence) == ("log_9", Confidence.CONFIRMED), "the surest is kept"
    assert found.evidence.sentences == (
        "This line is called at `net.py:3`, `net.py:9`.",
        "At `log_3`: `log_3` receives 0.",
        "The operand reaches 0.",
    )


def test_the_same_said_twice_stands_once() -> None:
    (found,) = one_of_each_line([LOG, replace(LOG, node="log_8")])
    assert found.node == LOG.node
    assert found.evidence.sentences[0] == "So it is at `log_8`."


def test_two_problems_of_a_line_and_new_and_known_ones_stay_apart() -> None:
    other = replace(LOG, node="log_8", message="`log(q)` receives 0")
    assert one_of_each_line([LOG, other]) == (LOG, other)
    known = of_a_call(9, new=False)
    assert one_of_each_line([of_a_call(3), known]) == (of_a_call(3), known)


def step(number: int, **changes: Any) -> Any:
    message = f"`log` can receive 0: its operand, the result of `sub_{number}`, lies in [0, {number}]"
    changes = {"confidence": Confidence.POSSIBLE, "suggestion": None, "message": message, **changes}
    return replace(LOG, node=f"layers.{number}.log_{number}", **changes)


def test_what_is_possible_in_each_step_of_a_loop_is_one_finding_that_names_them() -> None:
    mended = step(2, suggestion=Suggestion("log_softmax(x)", proved=True))
    (found,) = one_of_each_line([step(1), mended, step(3)])
    assert found.node == "layers.2.log_2", "the one that can be mended"
    said = "The same line may fail alike at `layers.1.log_1`, `layers.3.log_3`, which no run has shown."
    assert found.evidence.sentences[-1] == said
    assert found.evidence.data["possible_at"] == ["layers.1.log_1", "layers.3.log_3"]


def test_what_a_run_shows_stands_for_what_is_possible_only_at_its_line_and_for_nothing_else() -> None:
    shown = step(
        4,
        confidence=Confidence.CONFIRMED,
        message="`log` receives 0: its operand, the result of `sub_4`, lies in [0, 4]",
    )
    other = replace(shown, node="layers.5.log_5", message=shown.message.replace("4", "5"))
    found = one_of_each_line([step(1), shown, other])
    assert [f.node for f in found] == ["layers.4.log_4", "layers.5.log_5"]


@pytest.mark.parametrize(
    "changes",
    [
        {"level": Level.WARNING},
        {"new": False},
        {"suppressed": "known"},
        {"operand": "denominator"},
        {"rule": "numerical/sqrt-of-negative"},
        {"message": "`log` can receive 0: its operand `1 - q` lies in [0, 1]"},
        {"location": None},
        {"evidence": Evidence("interval", data={"expression": "ReduceL2(Sub(.,.))"})},
    ],
)
def test_what_says_something_else_or_weighs_less_stays_apart(changes: dict[str, Any]) -> None:
    assert len(one_of_each_line([step(1), step(2, **changes)])) == 2
    shown = replace(step(1), confidence=Confidence.CONFIRMED)
    assert len(one_of_each_line([shown, step(2, **changes)])) == 2


def test_one_expression_that_runs_show_to_fail_in_several_steps_is_one_finding() -> None:
    evidence = Evidence("interval", data={"expression": "Sub(.,.)"})
    shown = [step(i, confidence=Confidence.CONFIRMED, evidence=evidence) for i in (1, 2)]
    (found,) = one_of_each_line([*shown, step(3, evidence=evidence)])
    assert found.evidence.sentences == (
        "The same line fails alike at `layers.2.log_2`.",
        "The same line may fail alike at `layers.3.log_3`, which no run has shown.",
    )
    other = replace(shown[1], evidence=Evidence("interval", data={"expression": "."}))
    assert one_of_each_line([shown[0], other]) == (shown[0], other)


@pytest.mark.parametrize(
    ("related", "confidence", "left"),
    [(True, Confidence.POSSIBLE, 1), (False, Confidence.POSSIBLE, 2), (True, Confidence.CONFIRMED, 2)],
)
def test_what_fails_by_an_exact_relation_alone_does_so_in_the_next_layer(
    related: bool, confidence: Confidence, left: int
) -> None:
    evidence = Evidence("interval", data={"expression": "Abs(.)", "related": related})
    shown = step(1, confidence=Confidence.CONFIRMED, level=Level.WARNING, evidence=evidence)
    unshown = step(2, confidence=confidence, evidence=replace(evidence, data={"expression": "Abs(.)"}))
    found = one_of_each_line([shown, unshown])
    assert len(found) == left
    assert found[0].level is Level.WARNING
