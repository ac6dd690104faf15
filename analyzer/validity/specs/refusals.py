"""What the project's own code refuses: a `raise` or an `assert` that a branch of its own leads to."""

from __future__ import annotations

from analyzer.validity.spec import Case, Category, Rule, TensorType, define

REFUSED = Rule("refused-by-code", Category.ILLEGAL_VALUE, "the code refuses it: {sentence}")


@define("torch", "raise")
@define("keras", "raise")
def refusal(case: Case, *_operands: TensorType, sentence: str) -> tuple[TensorType, ...]:
    """A model that is never built."""
    case.require(REFUSED, False, sentence=sentence)
    return ()
