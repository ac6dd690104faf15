"""Second names of torch: what the documentation calls an alias of a function that the tables know, and its kernels."""

from __future__ import annotations

from collections.abc import Container

from analyzer.frameworks.api_tables import framework_data

_ALIASES = """
    absolute abs | arccos acos | arcsin asin | arctan atan | arctan2 atan2 | multiply mul | subtract sub | divide div
    greater_equal ge | greater gt | less_equal le | less lt | not_equal ne | negative neg
    linalg.matmul matmul | group_norm nn.functional.group_norm | layer_norm nn.functional.layer_norm
    rms_norm nn.functional.rms_norm | special.multigammaln mvlgamma | special.logit logit
    orgqr linalg.householder_product
"""
# Modules whose names stand in the one above too: ``torch.utils.data.sampler.RandomSampler``.
_HOMES = {
    **{f"torch.utils.data.{part}": "torch.utils.data" for part in ("dataset", "dataloader", "sampler", "distributed")},
    "torch.utils.data._utils.collate": "torch.utils.data",
    **dict.fromkeys((f"torch.optim.{part}" for part in (
        "adadelta", "adagrad", "adam", "adamw", "adamax", "asgd", "lbfgs", "nadam", "radam", "rmsprop", "rprop", "sgd",
        "sparse_adam")), "torch.optim"),
    "torch.random": "torch",
    "functorch": "torch.func",  # its older home
    **dict.fromkeys(("torch.nn.Parameter", "torch.nn.parameter.Parameter"), "torch.Tensor"),  # methods of the base
    "torch.autograd.profiler": "torch.profiler",
    "torch.nn.utils.clip_grad": "torch.nn.utils",
    "torch.nn.utils.convert_parameters": "torch.nn.utils",
    "torch.nn.utils.fusion": "torch.nn.utils",
    "torch.nn.modules.batchnorm.SyncBatchNorm": "torch.nn.SyncBatchNorm",
    "torch.cuda.amp.grad_scaler": "torch.cuda.amp",
    "torch.amp.grad_scaler": "torch.amp",
}  # fmt: skip
_OWN = dict(pair.split() for line in _ALIASES.strip().splitlines() for pair in line.split("|"))


def own_name(name: str) -> str:
    """``torch.mul`` for ``torch.multiply``; a name that is no alias stays."""
    module, _, short = name.rpartition(".")
    if module in _HOMES:
        name = f"{_HOMES[module]}.{short}"
    home, _, last = name.partition(".")
    return f"torch.{_OWN[last]}" if home == "torch" and last in _OWN else name


def is_of_class(classes: tuple[str, ...], asked: str) -> bool | None:
    """Whether an object of a class of PyTorch with these bases is one of a class; None where that is no one of it."""
    if own_name(asked) in classes:
        return True
    return False if asked.startswith("torch.") else None


def own_method(name: str) -> str:
    """``mul_`` for ``multiply_``."""
    plain = name.removesuffix("_")
    own = _OWN.get(plain, plain)
    return own + name[len(plain) :] if "." not in own else name


_KERNELS = "torch.ops.aten."
_OTHERWISE = frozenset(("stft", "istft"))  # kernels that take something else than the functions of their names


def own_in_place(name: str, known: Container[str]) -> str:
    """``torch.Tensor.clamp_`` for ``torch.clamp_``: the method of that name, where the tables know no function."""
    home, _, short = name.rpartition(".")
    if home != "torch" or not short.endswith("_") or short.startswith("_") or name in known:
        return name
    return f"torch.Tensor.{short}" if short in framework_data("torch")["attributes"]["torch.Tensor"] else name


def own_kernel(name: str, known: Container[str]) -> str:
    """``torch.sum`` for ``torch.ops.aten.sum.dim_IntList``, ``torch.Tensor.view`` where it is a method alone.

    The kernel takes what the function takes, in its order. A name of which the tables know neither stays.
    """
    short = name[len(_KERNELS) :].partition(".")[0] if name.startswith(_KERNELS) else ""
    if short == "" or short in _OTHERWISE:
        return name
    if (of_kernel := f"{_KERNELS}{short}") in known:
        return of_kernel
    if short in framework_data("torch")["modules"]["torch"]:
        return f"torch.{short}"
    return f"torch.Tensor.{short}" if f"Tensor.{short}" in known else name
