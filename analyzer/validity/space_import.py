"""Search spaces of Keras Tuner and Optuna, as they are saved in JSON, as hyperparameters. Neither tool is imported."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.problem import UsageProblem
from analyzer.validity.space import Hyperparameter
from analyzer.validity.space_text import Text


def from_keras_tuner(config: Mapping[str, Any], where: str) -> tuple[tuple[Hyperparameter, ...], tuple[Text, ...]]:
    """Hyperparameters and conditions of ``HyperParameters.get_config()``.

    A hyperparameter that is only active under parents' values is kept; its domain does not depend on them.
    Raises UsageProblem for a config that is none.
    """
    items = config.get("space")
    if not isinstance(items, list):
        raise UsageProblem(
            f"{where}: a Keras Tuner space has a list `space`; save HyperParameters.get_config() as JSON"
        )
    found = []
    for item in items:
        kind, body = str(item.get("class_name", "")), item.get("config", {})
        name = str(body.get("name", ""))
        match kind:
            case "Int":
                low, high = int(body["min_value"]), int(body["max_value"])
                step = body.get("step") or 1
                if body.get("sampling") == "log" and step != 1:
                    found.append(Hyperparameter(name, _powers(low, high, int(step))))
                else:
                    found.append(Hyperparameter(name, range(low, high + 1, int(step))))
            case "Choice":
                found.append(Hyperparameter(name, tuple(body["values"])))
            case "Boolean":
                found.append(Hyperparameter(name, (False, True)))
            case "Fixed":
                found.append(Hyperparameter(name, (body["value"],)))
            case "Float":
                found.append(Hyperparameter(name, _floats(body["min_value"], body["max_value"])))
            case _:
                raise UsageProblem(
                    f"{where}: `{name}` is of the unknown kind `{kind}`; Keras Tuner has Int, Float, Choice"
                )
    return tuple(found), ()


def _powers(low: int, high: int, factor: int) -> tuple[int, ...]:
    values = [low]
    while values[-1] * factor <= high and factor > 1:
        values.append(values[-1] * factor)
    return tuple(values)


def _floats(low: float, high: float) -> Sequence[float]:
    """The ends of a continuous domain: no shape depends on what lies between."""
    return (float(low),) if low == high else (float(low), float(high))


def from_optuna(distributions: Mapping[str, Any], where: str) -> tuple[tuple[Hyperparameter, ...], tuple[Text, ...]]:
    """Hyperparameters of Optuna distributions: each as ``distribution_to_json`` writes it, as text or as an object.

    Raises UsageProblem for a distribution that is none.
    """
    found = []
    for name, item in distributions.items():
        try:
            data = json.loads(item) if isinstance(item, str) else item
            kind, body = data["name"], data["attributes"]
        except (ValueError, KeyError, TypeError):
            raise UsageProblem(
                f"{where}: `{name}` is not an Optuna distribution; write distribution_to_json's result"
            ) from None
        match kind:
            case "IntDistribution" | "IntUniformDistribution" | "IntLogUniformDistribution":
                found.append(
                    Hyperparameter(name, range(int(body["low"]), int(body["high"]) + 1, int(body.get("step") or 1)))
                )
            case "CategoricalDistribution":
                found.append(Hyperparameter(name, tuple(body["choices"])))
            case "FloatDistribution" | "UniformDistribution" | "LogUniformDistribution":
                found.append(Hyperparameter(name, _floats(body["low"], body["high"])))
            case _:
                raise UsageProblem(f"{where}: `{name}` is of the unknown kind `{kind}`")
    return tuple(found), ()


IMPORTERS = {"keras-tuner": from_keras_tuner, "optuna": from_optuna}
