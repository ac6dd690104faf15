"""What library names do: dispatch from values to the rules of the families beside this module."""

from __future__ import annotations

import ast
import string
from collections.abc import Callable
from typing import Any

from analyzer.frameworks.api_tables import framework_data
from analyzer.tracing.language.dictionary_objects import plain_list, store_of
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.iterator_values import Lazy
from analyzer.tracing.language.known_types import returned, value_of
from analyzer.tracing.language.memory import write, write_results
from analyzer.tracing.language.own_paths import function_place, place_of, stands
from analyzer.tracing.language.tensor_objects import asked, dispatched, is_asked, unwrapped
from analyzer.tracing.language.tensors import OpenSize, Size, Tensor
from analyzer.tracing.language.values import (
    Api,
    Instance,
    Layer,
    ListV,
    Object,
    SuperV,
    Unknown,
    Value,
    holds_objects,
)
from analyzer.tracing.operators import elementwise
from analyzer.tracing.operators.flags import flag_values
from analyzer.tracing.operators.keras_configurations import made_of_configuration
from analyzer.tracing.operators.keras_second_names import own_keras_name
from analyzer.tracing.operators.layer_attributes import layer_attribute, layer_attribute_deleted, layer_attribute_set
from analyzer.tracing.operators.layer_making import make_layer, open_sequence
from analyzer.tracing.operators.layers import call_layer
from analyzer.tracing.operators.layers import layer_method as run
from analyzer.tracing.operators.module_states import named_buffers, state_of
from analyzer.tracing.operators.modules import (
    call_library_instance,
    initialise_instance,
    instance_attribute,
    instance_method,
    super_method,
    unbound_method,
)  # fmt: skip
from analyzer.tracing.operators.objects import call_object, object_method
from analyzer.tracing.operators.optimizers import named_parameters
from analyzer.tracing.operators.scipy_second_names import own_scipy_name
from analyzer.tracing.operators.table import rules, run_entry
from analyzer.tracing.operators.tensors import tensor_attribute, tensor_method
from analyzer.tracing.operators.tf_second_names import own_tf_name
from analyzer.tracing.operators.torch_constraints import ARE_DISCRETE, EVENT_DIMS
from analyzer.tracing.operators.torch_distribution_rules import METHODS, is_distribution
from analyzer.tracing.operators.torch_hook_rules import hooks_of_all
from analyzer.tracing.operators.torch_modules import is_module
from analyzer.tracing.operators.torch_second_names import own_in_place, own_kernel, own_name
from analyzer.tracing.operators.typed import call_typed
from analyzer.tracing.operators.written import mark, told_by_call
from analyzer.tracing.paths.attained import record
from analyzer.tracing.paths.tracer import Tracer

__all__ = [
    "call_api",
    "call_layer",
    "call_library_instance",
    "call_method",
    "call_object",
    "constant_of",
    "elementwise",
    "initialise_instance",
    "instance_attribute",
    "layer_attribute",
    "layer_attribute_deleted",
    "layer_attribute_set",
    "public_names",
    "shape_of",
    "tensor_attribute",
]

_CONSTANTS: dict[str, Value] = {
    "numpy.pi": 3.141592653589793, "math.pi": 3.141592653589793, "numpy.e": 2.718281828459045,
    "math.e": 2.718281828459045, "sys.version_info.major": 3,
    "numpy.inf": float("inf"), "math.inf": float("inf"),
    "torch.inf": float("inf"), "torch.nan": float("nan"), "torch.e": 2.718281828459045, "math.tau": 6.283185307179586,
    **{f"string.{name}": text for name, text in vars(string).items() if isinstance(text, str) and name[0] != "_"},
    "numpy.nan": float("nan"), "math.nan": float("nan"), "typing.TYPE_CHECKING": False, "torch.pi": 3.141592653589793,
    **EVENT_DIMS, **ARE_DISCRETE,
}  # fmt: skip


def constant_of(tr: Tracer, api: Api) -> Value:
    """The value of a library constant, or None."""
    if api.name in _CONSTANTS:
        return _CONSTANTS[api.name]
    if (table := hooks_of_all(tr, api.name)) is not None:
        return table
    if api.name in ("tf.app.flags.FLAGS", "tf.flags.FLAGS", "absl.flags.FLAGS"):
        return flag_values(tr)
    if api.name in _NEWEST:
        said = tr.shared.versions.get("torch")
        return _NEWEST[api.name] if said is None else ".".join(map(str, (*said, 0, 0)[:3]))
    return None


# What a program that asks for its framework's version reads where the repository says nothing: a recent one, as an
# installation of today has it.
_NEWEST = {"torch.__version__": "2.6.0", "torch.version.__version__": "2.6.0"}


def public_names(module: str) -> list[str]:
    """What `from module import *` brings, as far as the tables know, and what the framework's own names are."""
    prefix = module + "."
    ruled = {name[len(prefix) :] for name in rules() if name.startswith(prefix) and "." not in name[len(prefix) :]}
    home, _, inner = module.partition(".")
    if home not in _FRAMEWORKS or not inner:
        return sorted(ruled)
    framework = _FRAMEWORKS[home]
    own = framework_data(framework)["modules"].get(f"{framework}.{inner}", ())
    return sorted(ruled | {name for name in own if name[0] != "_"})


_FRAMEWORKS = {"keras": "keras", "torch": "torch", "tf": "tensorflow"}  # whose modules hold what they are named for


def shape_of(tr: Tracer, value: Value) -> Value:
    if isinstance(value, Tensor):
        return Size(value.dims) if value.dims is not None else OpenSize(value)
    if isinstance(value, (ListV, tuple)):
        return ListV([shape_of(tr, v) for v in (value.items if isinstance(value, ListV) else value)])
    if isinstance(value, Unknown):
        return OpenSize(tr.tensor_of(value, "tf"))
    return tr.unknown("a shape")


def call_api(
    tr: Tracer,
    api: Api,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    node: ast.Call | None = None,
    open_args: bool = False,
) -> Value:
    """Call a library name."""
    if is_asked(api.name) and not open_args:
        if (owner := asked(args, kwargs)) is not None:
            return dispatched(tr, owner, api, args, kwargs, node)
        if api.name.startswith("torch.Tensor.") and args and isinstance(args[0], Tensor) and api.name not in rules():
            return call_method(tr, args[0], api.name.rpartition(".")[2], args[1:], kwargs, node, False)
    args = unwrapped(api.name, args)
    if api.name.startswith("tf."):
        name = own_tf_name(api.name, rules())
    elif api.name.startswith("keras."):
        name = own_keras_name(api.name, rules())
    elif api.name.startswith("scipy."):
        name = own_scipy_name(api.name, rules())
    else:
        name = own_in_place(own_name(own_kernel(api.name, rules())), rules())
    if name != api.name and name.startswith("torch.Tensor.") and args and isinstance(args[0], Tensor) and not open_args:
        return call_method(tr, args[0], name.rpartition(".")[2], args[1:], kwargs, node, False)
    if name.startswith(_OF_ARRAYS):
        args = tuple(plain_list(tr, a) for a in args)
    told = not open_args and told_by_call(name, args, kwargs)
    value = _call_api(tr, Api(name, api.variant), args, kwargs, node, open_args)
    record(name, args, kwargs, value)
    if told:
        mark(value)
    if tr.sampler is not None and not open_args:
        value = tr.sampler.call(api.name, args, kwargs, value)
    if writes_first(api.name) and args and isinstance(args[0], Tensor):
        write(tr, args[0], followed=False)
    write_results(tr, kwargs, value)
    return value


def _call_api(
    tr: Tracer, api: Api, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None, open_args: bool
) -> Value:
    entry = rules().get(api.name)
    of_object = entry is None or api.name.endswith(".__init__")  # whose entry tells how the layer is made
    if of_object and not open_args and (base := _of_base(api.name, args)) is not None:
        tr.shared.known_calls[api.name] += 1
        return super_method(tr, base, api.name.rpartition(".")[2], args[1:], kwargs, node)
    if entry is None and not open_args and (method := unbound_method(tr, api.name, args)) is not None:
        tr.shared.known_calls[api.name] += 1
        return call(tr, method, args[1:], kwargs, node)
    if entry is None or open_args:
        made = open_sequence(tr, api, node) if open_args else make_layer(tr, api, args, kwargs, node)
        if made is None and not open_args and not kwargs:
            made = made_of_configuration(tr, api, args, node)
        if made is None and not open_args:
            made = _by_type(tr, api, args, kwargs, node)
        if made is not None:
            tr.shared.known_calls[api.name] += 1
            return made
        return _unknown_api(tr, api, (*args, *kwargs.values()))
    tr.shared.known_calls[api.name] += 1
    return run_entry(tr, entry, api.name, args, kwargs, node, api.variant)


_OF_ARRAYS = ("torch.", "numpy.", "tf.", "keras.", "scipy.", "einops.", "jax.")


def _of_base(name: str, args: tuple[Value, ...]) -> SuperV | None:
    """`nn.Linear.__init__(self, …)`: a method of a library's class, asked for by the class's own name."""
    home, _, method = name.rpartition(".")
    first = args[0] if args else None
    followed = (
        method in ("__init__", "forward")
        or (is_distribution(home) and method in METHODS)
        or (home.startswith("keras.") and method in ("build", "call"))
    )
    if not followed or not isinstance(first, Instance) or home not in first.cls.library_bases:
        return None
    return SuperV(first.cls, first)


def writes_first(name: str) -> bool:
    """Whether a function writes into its first argument: ``torch.relu_``, ``nn.init.zeros_``, ``np.copyto``."""
    home, _, short = name.rpartition(".")
    in_place = short.endswith("_") if home.startswith("torch") else short == "at" and home.startswith(_OF_UFUNCS)
    return in_place or name in _WRITING_FIRST


_WRITING_FIRST = frozenset((
    "numpy.copyto", "numpy.put", "numpy.place", "numpy.putmask", "numpy.fill_diagonal", "numpy.put_along_axis",
))  # fmt: skip
_OF_UFUNCS = ("numpy.", "scipy.special.")  # whose functions of elements write with `at`


_FUNCTION_HOMES = ("torch.nn.functional.", "torch.special.", "torch._C._nn.", "torch.")


def _by_type(tr: Tracer, api: Api, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None) -> Value:
    """A function that has a refinement type of its own name: its operands first, then its hyperparameters in order."""
    home = next((h for h in _FUNCTION_HOMES if api.name.startswith(h)), None)
    if home is None or "." in api.name[len(home) :]:
        return None

    return call_typed(tr, "torch", api.name[len(home) :], api.name, args, kwargs, node)


_QUIET = (
    "logging.", "warnings.", "os.", "sys.", "time.", "json.", "random.seed", "torch.manual_seed", "torch.cuda.",
    "torch.backends.",
    "matplotlib.", "tqdm.", "wandb.", "collections.", "typing.", "torch.distributed.", "pathlib.", "shutil.",
    "pickle.", "re.", "datetime.",
)  # fmt: skip


def _unknown_api(tr: Tracer, api: Api, args: tuple[Value, ...]) -> Value:
    kind = returned(api.name)
    if not api.name.startswith(_QUIET):
        counts = tr.shared.unknown_calls if kind is None else tr.shared.known_calls
        counts[api.name] += 1
        tr.modes_origin = tr.modes_origin or ("imprecise" if any(map(holds_objects, args)) else "")
    tr.forget(found for a in args if not isinstance(found := store_of(tr, a) or a, Instance))
    if not api.name.startswith((*_QUIET, *_OF_ARRAYS)):
        tr.give(args)
    last = api.name.rpartition(".")[2]
    if last.endswith(("Error", "Exception", "Warning")):
        return Api(api.name)
    if api.name.startswith("os.path.") and len(args) == 1 and stands(tr.shared.root, api.name, place_of(args[0])):
        return True
    if kind is not None:
        found = value_of(kind, f"result of {api.name}", "foreign", f"{last}()")
        if isinstance(found, Unknown):
            found.place = function_place(api.name, args)
        return found
    return Unknown(
        f"result of {api.name}",
        "foreign" if not api.name.startswith(("torch.", "tf.", "keras.", "numpy.")) else "imprecise",
        f"{last}()",
    )


def call_method(
    tr: Tracer,
    owner: Value,
    name: str,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    node: ast.Call | None,
    open_args: bool,
) -> Value:
    """A method of a library object."""
    if open_args:
        tr.shared.unknown_calls[f"{name}(*…)"] += 1
        return (
            Tensor(None, None, owner.framework, graph=owner.graph, sources=(owner,))
            if isinstance(owner, Tensor)
            else tr.unknown(f"{name}()")
        )
    handlers: list[tuple[type, Callable[..., Any]]] = [
        (Tensor, tensor_method),
        (Layer, layer_method),
        (Object, object_method),
        (Instance, instance_method),
    ]
    if isinstance(owner, SuperV):
        return super_method(tr, owner, name, args, kwargs, node)
    if name in ("parameters", "named_parameters") and is_module(owner) and tr.knows_objects:
        tr.shared.known_calls[f"Module.{name}"] += 1
        held = named_parameters(tr, owner)
        return held if name == "named_parameters" else ListV([p for _, p in held.items], held.open)
    if name == "state_dict" and is_module(owner) and tr.knows_objects and not args and not kwargs:
        tr.shared.known_calls[f"Module.{name}"] += 1
        return state_of(tr, owner)
    if name in ("buffers", "named_buffers") and is_module(owner) and tr.knows_objects and not args and not kwargs:
        tr.shared.known_calls[f"Module.{name}"] += 1
        kept = named_buffers(tr, owner)
        return kept if name == "named_buffers" else ListV([b for _, b in kept.items], kept.open)
    for kind, handler in handlers:
        if isinstance(owner, kind):
            value = handler(tr, owner, name, args, kwargs, node)
            given = isinstance(owner, Object) and owner.kind in _GIVING
            return value if given else record(f"{name}()", args, kwargs, value, derived=True)
    if isinstance(owner, Lazy):
        tr.forget([owner])
    return tr.unknown(f"{name}()")


_GIVING = frozenset(("loader", "dataset", "tfdataset", "data", "session"))  # what is outside, or computed from it


def layer_method(
    tr: Tracer, owner: Layer, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    return run(tr, owner, name, args, kwargs, node)
