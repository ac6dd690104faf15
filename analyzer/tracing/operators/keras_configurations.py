"""What a layer or model of Keras tells as its configuration, and what another one is made of it."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.values import Api, Class, DictV, Instance, Layer, ListV, Object, Value
from analyzer.tracing.operators.layer_making import home_of, make_layer
from analyzer.tracing.paths.tracer import Tracer

_MODELS = ("keras.Model", "keras.models.Model", "keras.Sequential", "keras.models.Sequential")


class Configured(DictV):
    """A configuration that remembers whose it is: a model, or an object of a class of the program."""

    __slots__ = ("owner",)

    def __init__(self, owner: Value, items: dict[Any, Value] | None = None, open: bool = False) -> None:
        super().__init__(items, open)
        self.owner = owner

    def twin(self) -> DictV:
        found = Configured(self.owner, self.items, self.open)
        found.given = self.given
        return found


def model_configuration(model: Object) -> DictV:
    """What `get_config` of a model gives, as `to_json` does a text: a description of all its layers."""
    return Configured(copied_model(model), None, True)


def copied_model(model: Object) -> Object:
    """A model of the same layers, with weights of its own."""
    data = {k: ListV(v.items, v.open) if isinstance(v, ListV) else v for k, v in model.data.items()}
    return Object(model.kind, dict(model.attrs), data, model.site)


def made_of_configuration(tr: Tracer, api: Api, args: tuple[Value, ...], node: ast.Call | None) -> Value | None:
    """`layers.Dense.from_config(config)`, None of any other name: a layer made with what another one was made with."""
    home, _, method = api.name.rpartition(".")
    if method != "from_config" or not args:
        return None
    config = args[0]
    if home in _MODELS:
        kept = isinstance(config, Configured) and isinstance(config.owner, Object) and not config.given
        return copied_model(config.owner) if kept else None
    found = home_of(home)
    if found is None or found[0] != "keras" or not isinstance(config, DictV) or config.given or config.lost:
        return None
    return _layer(tr, home, config, node)


def _layer(tr: Tracer, name: str, config: DictV, node: ast.Call | None) -> Value | None:
    named = all(isinstance(key, str) and key != "*" for key in config.items)
    return make_layer(tr, Api(name), (), dict(config.items), node) if named else None


def serialized(tr: Tracer, layer: Value, node: ast.Call | None) -> Value | None:
    """The class's name and the configuration of a layer or model, None of anything else."""
    if isinstance(layer, Object) and layer.kind in ("model", "sequential"):
        return Configured(copied_model(layer), None, True)
    if not isinstance(layer, (Layer, Instance)):
        return None
    config = call(tr, get_attribute(tr, layer, "get_config"), (), {}, node)
    if not isinstance(config, DictV):
        return None
    if isinstance(layer, Instance):
        return Configured(layer.cls, {"class_name": layer.cls.name, "config": config}, True)
    return DictV({"class_name": layer.name.rpartition(".")[2], "config": config}, True)


def deserialized(tr: Tracer, config: Value, node: ast.Call | None) -> Value | None:
    """What is made of it again, None where that is not known."""
    if not isinstance(config, DictV) or config.given:
        return None
    owner = config.owner if isinstance(config, Configured) else None
    if isinstance(owner, Object):
        return copied_model(owner)
    name, inner = config.items.get("class_name"), config.items.get("config")
    if isinstance(owner, Class):
        return call(tr, get_attribute(tr, owner, "from_config"), (inner,), {}, node) if name == owner.name else None
    if not isinstance(name, str) or not isinstance(inner, DictV) or inner.given or inner.lost:
        return None
    found = f"keras.layers.{name}"
    return _layer(tr, found, inner, node) if home_of(found) is not None else None
