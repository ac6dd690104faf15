"""Objects of traced classes that inherit from library classes: nn.Module, keras.Model, Dataset, LightningModule."""

from __future__ import annotations

import ast

from analyzer.tracing.language.dictionary_objects import container_method
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.mapping_methods import ABSTRACT
from analyzer.tracing.language.tensor_objects import TENSOR
from analyzer.tracing.language.values import (
    CHILDREN,
    Api,
    Bound,
    DictV,
    Function,
    Instance,
    Layer,
    ListV,
    Native,
    Object,
    SuperV,
    Value,
)
from analyzer.tracing.operators import keras_models, keras_own_weights, optimizers
from analyzer.tracing.operators.convolution_sizes import SIZES_OF_CONVOLUTIONS, of_base, of_convolution
from analyzer.tracing.operators.keras_attention import attention_part
from analyzer.tracing.operators.keras_building import build
from analyzer.tracing.operators.keras_graphs import WEIGHTS_BY_NAME, base_config, weight_by_name
from analyzer.tracing.operators.layer_attributes import layer_attribute, register_tensor
from analyzer.tracing.operators.layer_making import knows_arguments, make_layer
from analyzer.tracing.operators.layer_parameters import has_parameter
from analyzer.tracing.operators.layers import call_layer
from analyzer.tracing.operators.lightning_rules import save_hyperparameters
from analyzer.tracing.operators.module_states import demand_fitting, take_state
from analyzer.tracing.operators.module_types import open_types
from analyzer.tracing.operators.parts_of_layers import makes_anew, part_of
from analyzer.tracing.operators.registered_tensors import registered_tensors
from analyzer.tracing.operators.test_case_rules import assertion, is_assertion
from analyzer.tracing.operators.torch_distribution_rules import HELD, is_distribution
from analyzer.tracing.operators.torch_distribution_rules import inherited as inherited_distribution
from analyzer.tracing.operators.torch_hook_rules import table_of_hooks
from analyzer.tracing.operators.torch_modes import change_modes, mode_of
from analyzer.tracing.operators.torch_modules import (
    add_module,
    children_by_name,
    children_of,
    find_submodule,
    find_tensor,
    is_hook,
    is_module,
    loaded_keys,
    named_children,
    named_modules,
    register_hook,
)
from analyzer.tracing.paths.tracer import Tracer

_SELF = {
    "to",
    "cuda",
    "cpu",
    "train",
    "eval",
    "float",
    "half",
    "double",
    "requires_grad_",
    "apply",
    "share_memory",
    "compile_",
}
_METHODS = _SELF | {
    "parameters", "named_parameters", "state_dict", "load_state_dict", "modules", "named_modules", "children",
    "named_children",
    "zero_grad", "register_buffer", "register_parameter", "add_module", "register_module",
    "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
    "register_full_backward_pre_hook", "buffers", "named_buffers",
    "compile", "fit", "predict", "evaluate", "summary", "save", "save_weights", "load_weights", "add_weight",
    "add_loss", "build",
    "get_config", "log", "log_dict", "save_hyperparameters", "post_init", "init_weights", "get_weights",
    "set_weights", "count_params",
    "train_on_batch", "test_on_batch", "add_metric", "get_layer", "type", "extra_repr", "freeze", "append",
    "extend", "insert",
    "items", "keys", "values", "forward", "call", "predict_on_batch", "get_parameter", "get_buffer", "get_submodule",
}  # fmt: skip


def initialise_instance(tr: Tracer, instance: Instance, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
    """`__init__` of the library base: a subclass of a real layer is that layer too."""
    if any(base in optimizers.BASES for base in instance.cls.library_bases):
        optimizers.initialise(tr, instance, args, kwargs)
        return
    if kwargs.get("dtype") is not None:
        tr.touch(instance)
        instance.attrs[keras_models.TYPE] = kwargs["dtype"]
    maker = container_method(tr, instance, "__init__")
    if maker is not None:
        call(tr, maker, args, kwargs)
        return
    if TENSOR in instance.attrs:
        return
    for base in instance.cls.library_bases:
        if is_distribution(base):
            tr.touch(instance)
            instance.attrs[HELD], instance.open = call(tr, Api(base), args, kwargs), True
            return
        if base in ("torch.nn.Module", "keras.Model", "keras.layers.Layer", "keras.Layer", "object") or "." not in base:
            continue  # builtin exceptions have no dot
        convolution = of_base(base, args, kwargs)
        if convolution is not None:
            layer = make_layer(tr, Api(convolution[0]), (), convolution[1])
            if layer is not None:
                layer.attrs.update(convolution[2])
        else:
            layer = make_layer(tr, Api(base), args, kwargs)
        if layer is not None and not knows_arguments(layer):
            instance.open = True  # its arguments came through `*args`
            return
        if layer is not None:
            tr.touch(instance)
            instance.attrs["__layer__"] = layer
            if CHILDREN in layer.attrs:
                instance.attrs[CHILDREN] = layer.attrs[CHILDREN]
            for name in dict.fromkeys((*layer.args, *SIZES_OF_CONVOLUTIONS)):
                size = of_convolution(layer, name)
                value = layer.args.get(name) if size is None else size
                kept = name != "bias" and not makes_anew(layer, name)  # the parameter, not the switch
                if kept and (name in layer.args or size is not None):
                    instance.attrs.setdefault(name, value)
            for name, value in layer.attrs.items():
                if name not in (CHILDREN, "name", "bias") and not makes_anew(layer, name):
                    instance.attrs.setdefault(name, value)
            return
        if base not in ("torch.utils.data.Dataset", *ABSTRACT):
            instance.open = True
    if "keras.Model" in instance.cls.library_bases and ("inputs" in kwargs or len(args) == 2):
        tr.touch(instance)
        instance.open = True
        instance.attrs["__layer__"] = call(tr, Api("keras.Model"), args, kwargs)  # a functional model by inheritance


def instance_attribute(tr: Tracer, instance: Instance, name: str, inherited: bool = False) -> Value:
    """An attribute that a library base provides, or None."""
    bases = instance.cls.library_bases
    if not bases:
        return None
    if is_assertion(bases, name):
        return Bound(instance, name)
    if (distribution := inherited_distribution(instance, name)) is not None:
        return distribution.attrs[name] if name in distribution.attrs else Bound(distribution, name)
    if name == "inv" and not _TRANSFORMS.isdisjoint(bases) and (found := instance.cls.find("_inverse")) is not None:
        return Bound(instance, found[0], found[1])
    if name == "training":
        return instance.attrs["training"] if "training" in instance.attrs else mode_of(tr, instance)
    layer = instance.attrs.get("__layer__")
    if isinstance(layer, Layer) and (name in ("weight", "bias") or has_parameter(layer, name)):
        return layer_attribute(tr, layer, name)
    if isinstance(layer, Layer) and name in WEIGHTS_BY_NAME and (weight := weight_by_name(layer, name)) is not None:
        return weight
    if isinstance(layer, Layer) and (of_layer := part_of(tr, layer, name)) is not None:
        return of_layer
    part = attention_part(instance, layer, name) if isinstance(layer, Layer) else None
    if part is not None:
        return part
    if isinstance(layer, Object) and layer.kind == "model":
        known = layer.attrs.get(name, keras_models.model_attribute(layer, name))
        if known is not None:
            return known
    of_a_dict = name in ("update", "pop", "clear") and children_by_name(instance) is not None
    if (
        name in _METHODS
        or of_a_dict
        or (inherited and name in ("forward", "call", "__call__", "__init__", "__getattr__", "__setattr__"))
    ):
        return Bound(instance if not inherited else SuperV(instance.cls, instance), name)
    if name in keras_own_weights.LISTS:
        return keras_own_weights.own_weights(tr, instance, name)
    if name == "_modules":
        return children_of(instance)
    if name in ("_parameters", "_buffers"):
        return registered_tensors(tr, instance, name)
    if (hooks := table_of_hooks(tr, instance, name)) is not None:
        return hooks
    return None


def unbound_method(tr: Tracer, name: str, args: tuple[Value, ...]) -> Value:
    """`nn.Linear.train(module, …)`: the module's own method that this class of the library has; None for others."""
    home, _, method = name.rpartition(".")
    first = args[0] if args else None
    if not home.startswith("torch.nn.") or method.startswith("_") or not isinstance(first, (Layer, Instance)):
        return None
    if not is_module(first) or (home == "torch.nn.Module" and method == "forward"):
        return None
    if isinstance(first, Layer):
        return Bound(first, method) if home in (first.name, "torch.nn.Module") else None
    if home not in (*first.cls.library_bases, "torch.nn.Module"):
        return None
    if method == "reset_parameters" and home != "torch.nn.Module":  # which the constructor of the class asks for too
        return Native(method, lambda c: None)
    return instance_attribute(tr, first, method, inherited=True)


_TRANSFORMS = frozenset(("torch.distributions.Transform", "torch.distributions.transforms.Transform"))


def call_library_instance(
    tr: Tracer, owner: Instance, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    layer = owner.attrs.get("__layer__")
    if isinstance(layer, Layer):
        if "training" in owner.attrs:
            tr.touch(layer)
            layer.attrs["training"] = owner.attrs["training"]  # of the object, which the program sets
        return call_layer(tr, layer, args, kwargs, node)
    if isinstance(layer, Object) and layer.kind == "model":
        return call(tr, layer, args, kwargs, node)
    if not _TRANSFORMS.isdisjoint(owner.cls.library_bases) and (found := owner.cls.find("_call")) is not None:
        return call(tr, Bound(owner, found[0], found[1]), args, kwargs, node)
    tr.shared.unknown_calls[f"{owner.cls.name}()"] += 1
    return tr.unknown(f"result of calling a {owner.cls.name}")


def super_method(
    tr: Tracer, owner: SuperV, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    """`super().name(…)` where the next class is a library's."""
    instance = owner.owner
    if not isinstance(instance, Instance):
        return tr.unknown(f"super().{name}()")
    if name == "__init__":
        initialise_instance(tr, instance, args, kwargs)
        return None
    if name == "__call__":
        for method in instance.cls.computing:
            found = instance.cls.find(method)
            if found is not None and isinstance(found[0], Function):
                return call(tr, Bound(instance, found[0], found[1]), args, kwargs, node)
    if name in ("forward", "call", "__call__"):
        return call_library_instance(tr, instance, args, kwargs, node)
    return instance_method(tr, instance, name, args, kwargs, node)


def instance_method(
    tr: Tracer, owner: Instance, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    if is_assertion(owner.cls.library_bases, name):
        tr.shared.known_calls["TestCase." + name] += 1
        return assertion(tr, name, args)
    if (distribution := inherited_distribution(owner, name)) is not None:
        return call(tr, Bound(distribution, name), args, kwargs, node)
    if name in _SELF:
        tr.types_open = tr.types_open or name in ("to", "half", "double", "bfloat16", "type")
        if is_module(owner):
            change_modes(tr, owner, name, args, kwargs)
            open_types(owner, name, args, kwargs)
        return owner
    if name == "register_buffer" or name == "register_parameter":
        register_tensor(tr, owner, args, kwargs, name == "register_parameter")
        return None
    if name in ("add_module", "register_module"):
        return add_module(tr, owner, args, kwargs)
    if name == "save_hyperparameters":
        return save_hyperparameters(tr, owner, args, kwargs)
    if name == "add_weight":
        return keras_models.add_weight(tr, owner, args, kwargs, node)
    if name == "get_config" and tuple(owner.cls.library_bases) == ("keras.layers.Layer",):
        return base_config(tr)
    if name in ("compile", "fit", "evaluate", "predict", "train_on_batch"):
        return keras_models.model_method(tr, owner, name, args, kwargs, node)
    items = owner.attrs.get(CHILDREN)
    if isinstance(items, (ListV, DictV)) and name in (
        "append", "extend", "insert", "items", "keys", "values", "update", "pop", "clear",
    ):  # fmt: skip
        return call(tr, Bound(items, name), args, kwargs, node)
    if name in ("modules", "named_modules") and is_module(owner) and tr.knows_objects:
        named = named_modules(owner)
        return named if name == "named_modules" else ListV([module for _, module in named.items], named.open)
    if name in ("parameters", "named_parameters", "state_dict", "modules", "named_modules", "buffers"):
        return tr.unknown(f"{name}()", "foreign")
    if name in ("children", "named_children"):
        found = list(named_children(owner))
        return ListV([v for _, v in found] if name == "children" else found, owner.open)
    if is_hook(name) and args:
        return register_hook(tr, owner, name, args, kwargs)
    if name == "get_submodule" and args and isinstance(args[0], str):
        child = find_submodule(owner, args[0])
        return child if child is not None else tr.unknown("a submodule")
    if name == "load_state_dict" and is_module(owner):
        demand_fitting(tr, owner, args, kwargs, node)
        take_state(tr, owner)
        return loaded_keys()
    if name == "load_state_dict":
        return None
    if name in ("get_parameter", "get_buffer") and is_module(owner):
        return find_tensor(tr, owner, args[0] if args else kwargs.get("target"))
    layer = owner.attrs.get("__layer__")
    if name == "build" and isinstance(layer, Layer) and layer.name.startswith("keras.layers."):
        build(tr, layer, args[0] if args else kwargs.get("input_shape"), tr.site(node).line)
        return None
    if name in (
        "build",
        "summary",
        "log",
        "log_dict",
        "zero_grad",
        "post_init",
        "init_weights",
        "save",
    ):
        return None
    if name in ("forward", "call"):
        return call_library_instance(tr, owner, args, kwargs, node)
    return tr.unknown(f"{name}()")
