"""Whether PyTorch itself finds the gradients of a module undefined on the example that its entry point gives.

What an operator's derivative makes of ordinary numbers may be no number although every result is finite: ten billion
thrice in a chain of quotients times a 0. The module is run as it stands, in training mode if it is in that.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Mapping
from typing import Any

from . import example_loss
from .failure import Project

SECONDS = 3.0  # of processor time of a forward run: longer ones are not run again with gradients
_FUNCTION = re.compile(r"Function '(\w+)' returned nan values")
_FRAME = re.compile(r'File "([^"\n]+)", line (\d+)')


def modes(module: Any) -> dict[Any, bool]:
    """Which parts are in training mode."""
    return {part: part.training for part in module.modules()}


def undefined(
    module: Any, training: Mapping[Any, bool], args: Any, kwargs: Any, project: Project, torch: Any
) -> dict[str, Any]:
    """The backward function that first makes NaN of a finite loss, the line of its forward call, and how many weights
    get one; of a loss that is not finite itself what makes it so; empty where neither is, or where it cannot be told.
    """
    before = modes(module)
    try:
        for part, mode in training.items():
            part.training = mode
        with torch.random.fork_rng(devices=[]), torch.enable_grad(), warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            return _undefined(module, args, kwargs, project, torch, said)
    except Exception:  # whatever another run of a module meets: nothing is told
        return {}
    finally:
        for part, mode in before.items():
            part.training = mode


def _undefined(module: Any, args: Any, kwargs: Any, project: Project, torch: Any, said: list[Any]) -> dict[str, Any]:
    weights = [w for w in module.parameters() if w.requires_grad]
    began = time.process_time()
    made = module(*args, **kwargs)
    total = _total(made, torch)
    if not weights or time.process_time() - began > SECONDS:
        return {}
    if total is None:
        infinite = any(not bool(torch.isfinite(x)) for x in example_loss.losses(made, torch))
        return example_loss.origin(module, args, kwargs, project, torch) if infinite else {}
    found = torch.autograd.grad(total, weights, allow_unused=True)
    bad = sum(bool(torch.isnan(g).any()) for g in found if g is not None)
    if not bad:
        return {}
    try:
        with torch.autograd.set_detect_anomaly(True):
            torch.autograd.grad(_total(module(*args, **kwargs), torch), weights, allow_unused=True)
    except RuntimeError as error:
        function = _FUNCTION.search(str(error))
        calls = [str(w.message) for w in said if "Traceback of forward call" in str(w.message)]
        frames = _FRAME.findall(calls[-1]) if calls else []
        place = project.innermost((name, int(line)) for name, line in reversed(frames))
        if function is not None and place is not None:
            return {"function": function.group(1), "place": list(place), "weights": bad, "of": len(weights)}
    return {}


def _total(made: Any, torch: Any) -> Any:
    """The sum of the losses among the results, single numbers, or of all of them; None if it is not finite."""
    leaves = [x for x in torch.utils._pytree.tree_leaves(made) if isinstance(x, torch.Tensor)]
    floating = [x for x in leaves if x.is_floating_point() and x.requires_grad]
    chosen = [x for x in floating if x.dim() == 0] or floating
    if not chosen or not all(bool(torch.isfinite(x).all()) for x in chosen):
        return None
    total = sum(x.double().sum() for x in chosen)
    return total if bool(torch.isfinite(total)) else None
