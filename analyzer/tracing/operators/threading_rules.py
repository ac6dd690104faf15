"""`threading`: locks, which hold back other threads and change no value."""

from __future__ import annotations

from analyzer.tracing.language.contexts import LOCK
from analyzer.tracing.language.values import Object, Value
from analyzer.tracing.operators.table import Op, operator

_KINDS = "Lock RLock Semaphore BoundedSemaphore Condition"


@operator(
    " ".join(f"{home}.{kind}" for home in ("threading", "multiprocessing") for kind in _KINDS.split())
    + " _thread.allocate_lock _thread.RLock",
    "*args",
)
def lock(op: Op, args: tuple[Value, ...]) -> Value:
    return Object(LOCK, {}, {}, op.where)
