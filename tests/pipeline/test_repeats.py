"""A line that is reached from several places is one finding, which names them; what differs stays apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analyzer.findings import Confidence, Evidence
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
