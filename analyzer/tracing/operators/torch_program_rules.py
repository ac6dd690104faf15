"""torch: files, devices, packed sequences, wrappers."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call, iterate, seen
from analyzer.tracing.language.known_types import DEVICE, OTHER_CLASS, PARALLEL
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, Instance, Layer, Native, Object, Partial, Value, is_term
from analyzer.tracing.operators.element_types import default_float
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.packed import padded
from analyzer.tracing.operators.table import Op, operator

_TIMES = {"_single": 1, "_pair": 2, "_triple": 3, "_quadruple": 4}


@operator(
    (
        "torch.load torch.jit.load torch.hub.load torch.device torch.no_grad "
        "torch.set_grad_enabled torch.enable_grad torch.autocast torch.inference_mode torch.cuda.amp.autocast "
        "torch.amp.autocast torch.autograd.no_grad torch.cuda.device torch.cuda.stream "
        "torch.get_default_device torch.random.fork_rng"
    ),
    "*args",
)
def outside(op: Op, args: tuple[Value, ...]) -> Value:
    op.tr.autocasting = op.tr.autocasting or op.short == "autocast"
    op.tr.types_open = op.tr.types_open or op.tr.autocasting
    literal = op.name == "torch.device" and bool(args) and isinstance(args[0], str)
    own = op.name == "torch.load" and (_reads_own(args) or "torch.save" in op.tr.machine)
    device = op.name == "torch.device"
    found = op.tr.unknown(op.short, "imprecise" if literal or own else "data", op.short, "object" if device else "")
    found.kind = DEVICE if device else ""
    if found.kind and args and isinstance(args[0], str):
        kind, _, number = args[0].partition(":")
        given = args[1] if len(args) > 1 else int(number) if number.isdigit() else None
        found.attrs |= {"type": kind, "index": given}
    if found.kind and op.tr.sampler is not None:
        found.attrs |= {"type": "cpu", "index": None}
    return found


@operator("torch.Generator", "device=None")
def generator(op: Op, device: Value) -> Value:
    """An object: to give it a seed gives itself."""
    made = op.tr.unknown("a generator", "data", "Generator", "object")
    place = op.tr.unknown("a device", "data", "device", "object")
    place.kind = DEVICE
    made.attrs |= {"manual_seed": Native("manual_seed", lambda c: made), "device": place}
    return made


def _reads_own(args: tuple[Value, ...]) -> bool:
    """Whether it reads from the program's memory."""
    return bool(args) and isinstance(args[0], (Object, Instance))


@operator(
    ("torch.manual_seed torch.cuda.manual_seed torch.save torch.set_num_threads torch.cuda.manual_seed_all"),
    "*args",
)
def nothing(op: Op, args: tuple[Value, ...]) -> Value:
    if op.name == "torch.save":
        op.tr.machine[op.name] = op.tr.unknown("whether a file is the program's own")
    return op.tr.unknown("a generator", pytype="object") if op.short == "manual_seed" else None


@operator("torch.get_default_dtype", "")
def default_type(op: Op) -> Value:
    """That of new tensors; who uses a definition that nothing calls may have set another."""
    kind = None if op.tr.types_open else default_float(op.tr)
    return op.tr.unknown("an element type", "data", "dtype") if kind is None else Api(f"torch.{kind}")


@operator("torch.set_default_dtype torch.set_default_tensor_type", "kind")
def set_default_type(op: Op, kind: Value) -> Value:
    op.tr.machine["floatx"] = op.tr.unknown("a setting", "foreign", "floatx", "str")
    op.tr.types_open = True
    return None


@operator("torch.nn.utils.rnn.pack_padded_sequence", "input lengths batch_first=False enforce_sorted=True")
def pack(op: Op, input: Value, lengths: Value, batch_first: Value, enforce_sorted: Value) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is not None and found.dims is None:
        op.tr.set_rank(found, 3)  # what recurrent layers read: examples, steps, features
    if found is None:
        return input
    return Tensor(found.shape, found.dtype, "torch", site=op.where, sources=(found,), name=found.name, tags=found.tags)


@operator("torch.nn.utils.rnn.pad_packed_sequence", "sequence batch_first=False padding_value=0.0 total_length=None")
def unpack(op: Op, sequence: Value, batch_first: Value, padding_value: Value, total_length: Value) -> Value:
    return padded(op, sequence, batch_first, total_length), op.tr.unknown("lengths")


@operator(
    (
        "torch.jit.script torch.compile torch.jit.ignore torch.nn.DataParallel "
        "torch.nn.parallel.DistributedDataParallel "
        "torch.nn.utils.parametrizations.weight_norm torch.nn.utils.parametrizations.spectral_norm "
        "torch.nn.utils.parametrizations.orthogonal torch.nn.utils.parametrize.remove_parametrizations"
    ),
    "module=None *rest",
)
def transparent(op: Op, module: Value, rest: tuple[Value, ...]) -> Value:
    if module is None and op.name in ("torch.compile", "torch.jit.ignore"):
        return Partial(Api(op.name), (), dict(op.extra))  # a decorator
    if isinstance(module, Layer) and op.name != "torch.jit.ignore":
        op.tr.touch(module)
        module.attrs[OTHER_CLASS] = True
    if isinstance(module, (Layer, Instance)) and op.short.endswith("DataParallel"):
        op.tr.touch(module)
        module.attrs[PARALLEL] = True
    return module


_COMPILERS = ("is_scripting", "is_tracing", "is_compiling", "is_dynamo_compiling", "is_exporting")


@operator(
    (
        "torch.cuda.is_available torch.backends.mps.is_available torch.backends.mps.is_built torch.xpu.is_available "
        "torch.backends.cudnn.is_available torch.distributed.is_available torch.distributed.is_initialized "
        "torch.jit.is_scripting torch.jit.is_tracing torch.compiler.is_compiling torch._dynamo.is_compiling "
        "torch.compiler.is_dynamo_compiling torch.compiler.is_exporting torch._dynamo.is_exporting"
    ),
    "",
)
def machine(op: Op) -> Value:
    """What the machine has stays as it is: asked again, a run gets the same answer."""
    if op.tr.sampler is not None:
        return False  # one run is followed, on a machine without accelerators
    found = op.tr.machine.get(op.name)
    if found is None:
        found = op.tr.machine[op.name] = op.tr.unknown("what the machine has", "data", op.short, "bool")
        if op.short in _COMPILERS:
            found.default = False  # a program that compiles nothing
    return found


@operator("torch.cuda.device_count torch.cuda.get_device_properties torch.cuda.get_device_capability", "*device")
def devices(op: Op, device: tuple[Value, ...]) -> Value:
    found = op.tr.machine.get(op.name)
    if found is None:
        kind = "int" if op.short == "device_count" else ""
        found = op.tr.machine[op.name] = op.tr.unknown("what the machine has", "data", op.short, kind)
        if kind:
            found.term = op.tr.fresh(op.short, "machine", 0)
    return found


_OF_CHECKPOINT = ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop")


@operator("torch.utils.checkpoint.checkpoint", "function *args")
def checkpointed(op: Op, function: Value, args: tuple[Value, ...]) -> Value:
    """The function is called; what it keeps for the way back is another matter."""
    given = {name: value for name, value in op.extra.items() if name not in _OF_CHECKPOINT}
    return call(op.tr, function, args, given)


@operator("torch.utils.checkpoint.checkpoint_sequential", "functions segments input *rest")
def checkpointed_sequence(op: Op, functions: Value, segments: Value, input: Value, rest: tuple[Value, ...]) -> Value:
    parts, endless = iterate(op.tr, functions, op.node)
    if endless or rest:
        return op.tr.unknown(op.short)
    for part in parts:
        input = call(op.tr, part, (input,), {})
    return input


@operator(
    (
        "torch.nn.modules.utils._single torch.nn.modules.utils._pair torch.nn.modules.utils._triple "
        "torch.nn.modules.utils._quadruple"
    ),
    "x",
)
def repeated(op: Op, x: Value) -> Value:
    """One setting for each axis: private in torch, and what published layers of convolutions begin with."""
    setting = plain(op.tr, x)
    if isinstance(setting, tuple):
        return setting
    known = is_term(setting) or isinstance(setting, float | str)
    return (setting,) * _TIMES[op.short] if known else op.tr.unknown(op.short, "data")


@operator(
    "torch.utils.tensorboard.SummaryWriter torch.utils.tensorboard.writer.SummaryWriter tensorboardX.SummaryWriter",
    "*args",
)
def summary_writer(op: Op, args: tuple[Value, ...]) -> Value:
    """Writes what it is given to a file: each of its methods gives None."""
    return Object("writer")


@operator("torch.ops.load_library", "path")
def load_library(op: Op, path: Value) -> Value:
    return None


FUTURE = "future"  # the kind of what a function called beside the program is waited for by


@operator("torch.jit.fork torch.jit._fork", "func *args")
def fork(op: Op, func: Value, args: tuple[Value, ...]) -> Value:
    """Called beside the program: what waits for it has its value."""
    return Object(FUTURE, data={"value": call(op.tr, func, args, dict(op.extra), op.node)}, site=op.where)


@operator("torch.jit.wait torch.jit._wait", "future")
def wait(op: Op, future: Value) -> Value:
    if isinstance(future, Object) and future.kind == FUTURE:
        return seen(future.data["value"])
    return op.tr.unknown("what was waited for")
