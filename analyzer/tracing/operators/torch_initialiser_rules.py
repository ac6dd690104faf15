"""torch.nn.init: functions that fill a tensor and give it back."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator

_COUNTING = ("xavier_", "kaiming_", "orthogonal")
_AXES: dict[str, tuple[int, int]] = {"eye": (2, 2), "sparse": (2, 2), "dirac": (3, 5)}
_MOST = 64  # axes of a tensor


@operator(
    (
        "torch.nn.init.normal_ torch.nn.init.xavier_uniform_ torch.nn.init.xavier_normal_ torch.nn.init.uniform_ "
        "torch.nn.init.constant_ torch.nn.init.ones_ torch.nn.init.zeros_ torch.nn.init.eye_ torch.nn.init.dirac_ "
        "torch.nn.init.kaiming_uniform_ torch.nn.init.kaiming_normal_ torch.nn.init.trunc_normal_ "
        "torch.nn.init.orthogonal_ torch.nn.init.sparse_ torch.nn.init.xavier_uniform torch.nn.init.xavier_normal "
        "torch.nn.init.kaiming_normal torch.nn.init.kaiming_uniform torch.nn.init.normal torch.nn.init.uniform "
        "torch.nn.init.constant torch.nn.init.orthogonal"
    ),
    "tensor=None *rest",
)
def initialised(op: Op, tensor: Value, rest: tuple[Value, ...]) -> Value:
    """Those that count inputs and outputs need two axes or more, and some as many as matrices or kernels have."""
    name = op.short.rstrip("_")
    least, most = _AXES.get(name, (2 if name.startswith(_COUNTING) else 0, _MOST))
    if isinstance(tensor, Tensor) and tensor.dims is not None:
        nothing = name.startswith("kaiming") and 0 in tensor.dims  # which is given back as it is
        if not nothing and not least <= len(tensor.dims) <= most:
            needed = f"{least} axes or more" if most == _MOST else f"{least} to {most} axes"
            fail(op, "rank", f"{needed} are needed, and the tensor has the shape {show_shape(tensor.dims)}", (tensor,))
    return tensor
