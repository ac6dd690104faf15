"""Objects of Keras that say how a weight begins, what it costs and which values it may take."""

from __future__ import annotations

import ast
import re
from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, DictV, Function, Instance, Object, Value
from analyzer.tracing.operators.keras_custom_objects import named, registered
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import Tracer

SETTING = "setting of weights"
CLASSES = {
    "initializers": (
        "Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity LecunNormal LecunUniform Ones Orthogonal "
        "OrthogonalInitializer RandomNormal RandomUniform TruncatedNormal VarianceScaling Zeros STFT"
    ),
    "regularizers": "L1 L2 L1L2 OrthogonalRegularizer",
    "constraints": "MaxNorm MinMaxNorm NonNeg UnitNorm",
}
_SHORT = {
    "initializers": {
        "normal": "RandomNormal", "uniform": "RandomUniform", "zero": "Zeros", "one": "Ones",
        "orthogonal": "Orthogonal", "IdentityInitializer": "Identity", "stft": "STFT",
    },
    "regularizers": {"l1": "L1", "l2": "L2", "l1_l2": "L1L2", "l1l2": "L1L2"},
    "constraints": {"maxnorm": "MaxNorm", "nonneg": "NonNeg", "unitnorm": "UnitNorm"},
}  # fmt: skip
# The parameters of a constructor that may be given by their place.
_PLACES = {
    "L1": ("l1",), "L2": ("l2",), "L1L2": ("l1", "l2"), "MaxNorm": ("max_value", "axis"), "UnitNorm": ("axis",),
    "MinMaxNorm": ("min_value", "max_value", "rate", "axis"), "Constant": ("value",),
    "RandomNormal": ("mean", "stddev", "seed"), "RandomUniform": ("minval", "maxval", "seed"),
    "TruncatedNormal": ("mean", "stddev", "seed"), "VarianceScaling": ("scale", "mode", "distribution", "seed"),
    "Orthogonal": ("gain", "seed"), "Identity": ("gain",),
    **{f"{name}{law}": ("seed",) for name in ("Glorot", "He", "Lecun") for law in ("Normal", "Uniform")},
}  # fmt: skip


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


NAMES = {
    home: {
        **_SHORT[home],
        **{name: name for name in names.split()},
        **{_snake(name): name for name in names.split() if name not in ("L1", "L2", "L1L2", "STFT")},
    }
    for home, names in CLASSES.items()
}


def names_of(home: str) -> list[str]:
    """Under which names a module of Keras has its classes."""
    return list(NAMES[home])


def setting_of(home: str, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], site: Site) -> Object:
    given: dict[str, Any] = dict(zip(_PLACES.get(name, ()), args, strict=False)) | kwargs
    return Object(SETTING, given, {"home": home, "name": name}, site)


def made_of(tr: Tracer, home: str, identifier: Value, node: ast.Call | None) -> Value:
    """What `get` gives: of a name or plain data a new object, of a class one of it, else what it is given."""
    if identifier is None:
        return None
    if isinstance(identifier, str):
        own = registered(tr, identifier)
        if own is not None:
            return call(tr, own, (), {}, node) if type(own).__name__ == "Class" else own
        name = NAMES[home].get(identifier)
        return _not_known(tr, home) if name is None else setting_of(home, name, (), {}, tr.site(node))
    if isinstance(identifier, DictV):
        return _of_data(tr, home, identifier, node)
    if isinstance(identifier, Api) and NAMES[home].get(identifier.name.rpartition(".")[2]) is not None:
        return call(tr, identifier, (), {}, node)
    return call(tr, identifier, (), {}, node) if type(identifier).__name__ == "Class" else identifier


def _of_data(tr: Tracer, home: str, data: DictV, node: ast.Call | None) -> Value:
    name, config = data.items.get("class_name"), data.items.get("config")
    if data.lost or not isinstance(name, str):
        return _not_known(tr, home)
    given = config.items if isinstance(config, DictV) and not config.lost else None
    own = registered(tr, name)
    if type(own).__name__ == "Class" and isinstance(config, DictV):
        return call(tr, get_attribute(tr, own, "from_config"), (config,), {}, node)
    known = NAMES[home].get(name)
    if known is None or given is None or not all(isinstance(key, str) for key in given):
        return _not_known(tr, home)
    return setting_of(home, known, (), dict(given), tr.site(node))


def _not_known(tr: Tracer, home: str) -> Value:
    return tr.unknown(f"one of keras.{home}", "imprecise", pytype="object")


def setting_as_data(tr: Tracer, setting: Value, node: ast.Call | None) -> Value:
    """The class's name with the configuration; of a function its name."""
    if isinstance(setting, Object) and setting.kind == SETTING:
        return DictV({"class_name": setting.data["name"], "config": DictV(setting.attrs, bool(setting.attrs))}, True)
    if isinstance(setting, Instance):
        config = call(tr, get_attribute(tr, setting, "get_config"), (), {}, node)
        return DictV({"class_name": setting.cls.name, "config": config}, True)
    if isinstance(setting, Function):
        return named(setting)
    return tr.unknown("a setting as plain data", "foreign", pytype="object")


def call_setting(tr: Tracer, owner: Object, args: tuple[Value, ...], kwargs: dict[str, Value], node: Any) -> Value:
    """An initialiser makes a tensor of a shape, a regulariser a number of a tensor, a constraint one like it."""
    home = owner.data["home"]
    if home == "initializers":
        shape = args[0] if args else kwargs.get("shape")
        kind = kwargs.get("dtype", args[1] if len(args) > 1 else None)
        return call(tr, Api("tf.zeros"), (shape,), {} if kind is None else {"dtype": kind}, node)
    source = args[0] if args else next(iter(kwargs.values()), None)
    if not isinstance(source, Tensor):
        return tr.unknown("what a setting gives", "imprecise")
    dims = () if home == "regularizers" else source.dims
    return Tensor(dims, source.dtype, "tf", site=tr.site(node), sources=(source,), graph=source.graph)


def setting_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: Any
) -> Value:
    if name in ("__call__", "call"):
        return call_setting(tr, owner, args, kwargs, node)
    if name == "get_config":
        return DictV(owner.attrs, bool(owner.attrs))
    if name == "clone":
        return Object(SETTING, dict(owner.attrs), dict(owner.data), owner.site)
    return tr.unknown(f"{owner.data['name']}.{name}", "imprecise")
