"""PyTorch Lightning: hyperparameters that a module keeps, and a trainer, which runs a module's steps on its data."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.repeated_calls import callbacks_in, called_again
from analyzer.tracing.language.values import Instance, ListV, Object, Value
from analyzer.tracing.operators.data import representative
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.tracer import Tracer

_STEPS = {  # of a trainer's method: a module's step, and who gives its data
    "fit": (("training_step", "train_dataloader", "train_dataloaders"),
            ("validation_step", "val_dataloader", "val_dataloaders")),
    "validate": (("validation_step", "val_dataloader", "dataloaders"),),
    "test": (("test_step", "test_dataloader", "dataloaders"),),
    "predict": (("predict_step", "predict_dataloader", "dataloaders"),),
}  # fmt: skip


@operator("pytorch_lightning.Trainer lightning.Trainer lightning.pytorch.Trainer", "*args")
def trainer(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("trainer", data={"callbacks": op.extra.get("callbacks")}, site=op.where)


def save_hyperparameters(tr: Tracer, owner: Instance, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
    """`self.hparams`: the constructor's arguments, all or those that are named."""
    names = {k: v for k, v in tr.frame.scope.names.items() if v is not owner and not k.startswith("__")}
    if args and all(isinstance(a, str) for a in args):
        names = {k: v for k, v in names.items() if k in args}
    for ignored in _texts(kwargs.get("ignore")):
        names.pop(ignored, None)
    function = tr.frame.scope.names.get("kwargs")
    names.update({str(k): v for k, v in getattr(function, "items", {}).items()} if function is not None else {})
    tr.touch(owner)
    owner.attrs["hparams"] = Object("namespace", names, {"open": bool(args)})


def _texts(value: Value) -> list[str]:
    items: Any = value.items if isinstance(value, ListV) else value if isinstance(value, (tuple, list)) else [value]
    return [i for i in items if isinstance(i, str)]


def trainer_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    """`fit` and its like: one batch of the data through the module's step."""
    model = args[0] if args else kwargs.get("model")
    if name not in _STEPS or not isinstance(model, Instance):
        return tr.unknown(f"trainer.{name}()", "foreign")
    if name == "fit" and model.cls.find("configure_optimizers") is not None:
        call(tr, get_attribute(tr, model, "configure_optimizers", node), (), {}, node)
    module = kwargs.get("datamodule")
    for place, (step, hook, word) in enumerate(_STEPS[name], start=1):
        if model.cls.find(step) is None:
            continue
        data = kwargs.get(word, args[place] if place < len(args) else None)
        source = data if isinstance(data, Instance) and data.cls.find(hook) else module or model
        if isinstance(source, Instance) and source.cls.find(hook) is not None and (data is None or source is data):
            for made in ("prepare_data", "setup") if source is not model else ():
                if source.cls.find(made) is not None:
                    call(tr, get_attribute(tr, source, made, node), ("fit",) if made == "setup" else (), {}, node)
            data = call(tr, get_attribute(tr, source, hook, node), (), {}, node)
        batch = representative(tr, data) if isinstance(data, Object) else None
        if batch is not None:
            call(tr, get_attribute(tr, model, step, node), (batch, 0), {}, node)
    called_again(tr, [model, module, *callbacks_in(owner.data.get("callbacks"))])
    return None
