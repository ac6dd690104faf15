"""Numerical defects by abstract interpretation: sound bounds of every tensor, and the operators that they may break.

>>> interpretation = interpret(graph, assumptions, options=Options())
"""

from analyzer.numerical.interpreter import interpret
from analyzer.numerical.result import Alarm, Interpretation, Interval, Options, Partitioning

__all__ = ["Alarm", "Interpretation", "Interval", "Options", "Partitioning", "interpret"]
