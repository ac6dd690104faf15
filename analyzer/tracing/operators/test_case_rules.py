"""What `unittest.TestCase` and classes of frameworks that inherit from it give a test: its assertions."""

from __future__ import annotations

from collections.abc import Collection

from analyzer.tracing.language.values import Object, Value
from analyzer.tracing.paths.paths import PathEnd
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer

CASES = frozenset((
    "unittest.TestCase", "unittest.case.TestCase", "unittest.IsolatedAsyncioTestCase", "tf.test.TestCase",
    "torch.testing._internal.common_utils.TestCase", "absl.testing.absltest.TestCase",
    "absl.testing.parameterized.TestCase",
))  # fmt: skip
_CONTEXTS = ("assertRaises", "assertRaisesRegex", "assertWarns", "assertWarnsRegex", "assertLogs", "assertNoLogs")
_OTHERS = ("subTest", "skipTest", "fail", "addCleanup", "assertRaisesWithPredicateMatch", "assertRaisesOpError")


def is_assertion(bases: Collection[str], name: str) -> bool:
    """Whether a class of tests gives the method."""
    return not CASES.isdisjoint(bases) and (name.startswith("assert") or name in _OTHERS)


def assertion(tr: Tracer, name: str, args: tuple[Value, ...]) -> Value:
    """A context where an exception or a warning is expected of what is inside; nothing else is looked at.

    Whether an assertion holds is told where it is an `assert` statement; here the test goes on.
    """
    if name == "skipTest":
        raise PathEnd
    if name == "fail":
        raise PyRaise("AssertionError", "a test fails itself")
    if name in _CONTEXTS or name in _OTHERS:
        tr.forget(args)
        return Object("context manager")
    return None
