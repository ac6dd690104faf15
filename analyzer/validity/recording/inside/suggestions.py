"""Stand-ins for Optuna's trial and Keras Tuner's hyperparameters: they note each domain and answer with values."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any


class AttributeDict(dict[str, Any]):
    """A configuration whose values are found as ``config["width"]``, ``cfg.width`` and ``cfg.model.width``."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name, self)

    def __missing__(self, name: str) -> Any:
        return self


class _Asked:
    def __init__(self, vector: dict[str, Any], domains: dict[str, Any], value: Callable[[str, Any], Any]) -> None:
        self._vector, self._domains, self._value = vector, domains, value
        self.params: dict[str, Any] = {}

    def _answer(self, name: str, domain: Any) -> Any:
        self._domains.setdefault(name, domain)
        self._vector.setdefault(name, self._domains[name][0])
        self.params[name] = self._vector[name]
        return self._value(name, self._vector[name])


class Trial(_Asked):
    """``optuna.Trial``."""

    number = 0

    def suggest_int(self, name: str, low: int, high: int, *, step: int = 1, log: bool = False) -> Any:
        return self._answer(name, range(int(low), int(high) + 1, int(step)))

    def suggest_categorical(self, name: str, choices: Any) -> Any:
        return self._answer(name, list(choices))

    def suggest_float(self, name: str, low: float, high: float, *, step: float | None = None, log: bool = False) -> Any:
        return self._answer(name, _floats(low, high, step))

    def suggest_uniform(self, name: str, low: float, high: float) -> Any:
        return self._answer(name, _floats(low, high, None))

    suggest_loguniform = suggest_uniform

    def suggest_discrete_uniform(self, name: str, low: float, high: float, q: float) -> Any:
        return self._answer(name, _floats(low, high, q))

    def report(self, *_values: Any) -> None:
        return None

    def should_prune(self) -> bool:
        return False

    def set_user_attr(self, *_values: Any) -> None:
        return None


class Parameters(_Asked):
    """``keras_tuner.HyperParameters``."""

    def Int(
        self, name: str, min_value: int, max_value: int, step: Any = None, sampling: Any = None, **_others: Any
    ) -> Any:
        if sampling == "log" and step:
            values = [min_value]
            while values[-1] * step <= max_value:
                values.append(values[-1] * step)
            return self._answer(name, values)
        return self._answer(name, range(min_value, max_value + 1, step or 1))

    def Choice(self, name: str, values: Any, **_others: Any) -> Any:
        return self._answer(name, list(values))

    def Boolean(self, name: str, **_others: Any) -> Any:
        return self._answer(name, [False, True])

    def Fixed(self, name: str, value: Any, **_others: Any) -> Any:
        return self._answer(name, [value])

    def Float(self, name: str, min_value: float, max_value: float, step: Any = None, **_others: Any) -> Any:
        return self._answer(name, _floats(min_value, max_value, step))

    def get(self, name: str) -> Any:
        return self._value(name, self._vector[name])

    def conditional_scope(self, *_condition: Any) -> Any:
        return contextlib.nullcontext()

    name_scope = conditional_scope


def _floats(low: float, high: float, step: float | None) -> list[float]:
    """The values of a stepped domain; of a continuous one its ends and its middle, which are tried as they are."""
    if step:
        return [round(low + i * step, 12) for i in range(int((high - low) / step + 1e-9) + 1)]
    return [low, (low + high) / 2, high] if low != high else [low]
