"""PyTorch's own optimizers: objects whose groups hold the parameters that they were given."""

from __future__ import annotations

from analyzer.tracing.language.values import DictV, Object, Value
from analyzer.tracing.operators.optimizers import groups_of
from analyzer.tracing.operators.table import Op, operator


@operator(
    (
        "torch.optim.Adam torch.optim.AdamW torch.optim.SGD torch.optim.RMSprop torch.optim.Adagrad "
        "torch.optim.Adadelta torch.optim.Adamax torch.optim.LBFGS torch.optim.NAdam torch.optim.RAdam "
        "torch.optim.Rprop torch.optim.ASGD torch.optim.SparseAdam torch.optim.Adafactor torch.optim.Muon"
    ),
    "params *rest",
)
def optimizer(op: Op, params: Value, rest: tuple[Value, ...]) -> Value:
    """Its settings are open: a schedule may change them."""
    groups = groups_of(op.tr, params, DictV({}, True))
    for group in groups.items:
        group.items = {name: value for name, value in group.items.items() if name == "params" or isinstance(value, str)}
    return Object("optimizer", {"param_groups": groups}, site=op.where)
