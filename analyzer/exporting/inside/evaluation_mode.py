"""A module in evaluation mode, whatever its class means by ``train`` and ``eval``.

Many classes call their own training loop ``train``, which ``module.eval()`` would run: torch's ``eval`` is
``train(False)`` of each part.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any


def enter(module: Any) -> None:
    """As ``module.eval()``; where that is another thing for a part, the flag of every part is set instead."""
    if _ends_training(module) and all(_takes_mode(part) for part in module.modules()):
        module.eval()
        return
    for part in module.modules():
        part.training = False


def note(module: Any, before: Mapping[Any, bool]) -> list[str]:
    """What there is to say of the mode of a module whose parts had the modes `before`."""
    if not before[module]:
        return []
    if module.training:
        return ["exported in training mode, where alone it gives a result (dropout off, batch statistics fixed)"]
    return ["exported in evaluation mode (dropout off, batch statistics fixed)"]


def back_to_training(module: Any, before: Mapping[Any, bool]) -> None:
    """The modes that parts had `before`; torch's own layers (dropout, batch statistics) stay as they are."""
    for part, mode in before.items():
        if not type(part).__module__.startswith("torch.nn."):
            part.training = mode


def gives_nothing(program: Any) -> bool:
    """Whether a traced program has no result that is a tensor: ``None`` for a loss that training alone computes."""
    specs = getattr(getattr(program, "graph_signature", None), "output_specs", ())
    given = [spec.arg for spec in specs if getattr(spec.kind, "name", "") == "USER_OUTPUT"]
    return all(type(arg).__name__ == "ConstantArgument" for arg in given)


def _takes_mode(part: Any) -> bool:
    """Whether ``train`` is torch's own, or one in its place: its argument is the mode."""
    wanted = _parameters(part.train)
    return bool(wanted) and (wanted[0].name == "mode" or wanted[0].kind is inspect.Parameter.VAR_POSITIONAL)


def _ends_training(module: Any) -> bool:
    """Whether ``eval`` can be called as torch's own is."""
    try:
        inspect.signature(module.eval).bind()
    except (TypeError, ValueError):
        return False
    return True


def _parameters(method: Any) -> list[inspect.Parameter]:
    """None of what cannot be called (``self.train = True``)."""
    try:
        return list(inspect.signature(method).parameters.values())
    except (TypeError, ValueError):
        return []
