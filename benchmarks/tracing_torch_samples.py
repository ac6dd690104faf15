"""PyTorch's own samples of its modules and operators, run and traced: shapes, element types and refusals.

    python benchmarks/tracing_torch_samples.py --modules [--names LSTM,GRU] [--show 2]
    python benchmarks/tracing_torch_samples.py --operators [--most 25] [--types float32,int64]

Each sample (`torch.testing._internal`: `module_db`, `op_db`, with their error inputs) becomes a program of a few lines
that makes the tensors by shape and element type. The program is run, and traced without running it; each tensor of the
result counts once. What cannot be written as text is left out, and so is what fails for the numbers alone: the sample
itself worked. Runs our own generated text only.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import types
import unittest
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

SEED = 0
MOST_ELEMENTS = 12  # of a tensor of integers that is written element by element
HEAD = "import torch\nfrom torch import inf, nan, device\ntorch.manual_seed(0)\n"
EQUAL, UNTYPED, UNKNOWN, WRONG, FALSE, REFUSED, MISSED = (
    "known and equal", "equal, element type not known", "not known", "WRONG", "FALSE ERROR", "refused by both",
    "missed refusal",
)  # fmt: skip


class NotWritten(Exception):
    """A value that has no text."""


@dataclass
class Program:
    """The text of one sample; `refused`: PyTorch says that it must fail."""

    lines: list[str]
    refused: bool = False

    def tensor(self, value: Any) -> str:
        import torch

        dense = value.layout == torch.strided and value.device.type == "cpu"
        if not dense or value.is_quantized or value.is_nested or type(value) not in _PLAIN():
            raise NotWritten
        name, shape, kind = f"x{len(self.lines)}", tuple(value.shape), str(value.dtype)
        whole = not value.dtype.is_floating_point and not value.dtype.is_complex
        if whole and value.numel() <= MOST_ELEMENTS and 0 not in shape:
            made = f"torch.tensor({value.tolist()}, dtype={kind})"
        elif whole and value.dtype != torch.bool and value.numel():
            made = f"torch.randint({int(value.min())}, {int(value.max()) + 1}, {shape}, dtype={kind})"
        elif value.dtype.is_floating_point:
            made = f"torch.rand({shape}, dtype={kind})"
        else:
            made = f"torch.ones({shape}, dtype={kind})"
        self.lines.append(f"{name} = {made}")
        return name

    def text(self, value: Any) -> str:
        import torch

        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, torch.nn.Module):
            raise NotWritten
        if value is None or value is Ellipsis or isinstance(value, (bool, int, float, complex, str)):
            return repr(value)
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return str(value)
        if isinstance(value, slice):
            return f"slice({value.start}, {value.stop}, {value.step})"
        if isinstance(value, list):
            return f"[{', '.join(self.text(v) for v in value)}]"
        if isinstance(value, tuple):
            return f"({''.join(self.text(v) + ', ' for v in value)})"
        if isinstance(value, dict):
            return f"{{{', '.join(f'{self.text(k)}: {self.text(v)}' for k, v in value.items())}}}"
        if getattr(torch.nn.functional, getattr(value, "__name__", "?"), None) is value:
            return f"torch.nn.functional.{value.__name__}"
        raise NotWritten

    def arguments(self, args: Iterable[Any], kwargs: dict[str, Any]) -> str:
        return ", ".join([*(self.text(a) for a in args), *(f"{k}={self.text(v)}" for k, v in kwargs.items())])

    def __str__(self) -> str:
        return HEAD + "\n".join(self.lines) + "\n"


def _PLAIN() -> tuple[type, ...]:
    import torch

    return torch.Tensor, torch.nn.Parameter


def module_programs(names: set[str]) -> Iterator[tuple[str, Program]]:
    """One for each module input of `module_db`, in training and in evaluation."""
    import torch
    from torch.testing._internal.common_modules import module_db

    for info in module_db:
        name = info.module_cls.__name__
        if names and name not in names:
            continue
        given: dict[str, Any] = {"device": "cpu", "dtype": torch.float32, "requires_grad": False}
        samples = [
            (s, training, False) for training in (True, False)
            for s in info.module_inputs_func(info, training=training, **given)
        ]  # fmt: skip
        if info.module_error_inputs_func is not None:
            errors = info.module_error_inputs_func(info, training=True, **given)
            samples += [(e.module_error_input, True, True) for e in errors]
        for sample, training, refused in samples:
            program = Program([], refused)
            try:
                made = sample.constructor_input
                making = program.arguments(made.args, made.kwargs)
                program.lines.append(f"m = torch.nn.{name}({making}){'' if training else '.eval()'}")
                if sample.forward_input is not None:
                    called = sample.forward_input
                    program.lines.append(f"y = m({program.arguments(called.args, called.kwargs)})")
            except NotWritten:
                continue
            yield f"nn.{name}", program


def operator_programs(names: set[str], most: int, kinds: list[str]) -> Iterator[tuple[str, Program]]:
    """For each sample of `op_db` a call of the function and of the method; of the first one by its other names too."""
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    for info in op_db:
        if names and info.name not in names:
            continue
        spellings = [s for s in (f"torch.{info.name}", *(f"torch.{a}" for a in _others(info))) if _exists(s)]
        method = info.name if hasattr(torch.Tensor, info.name) else None
        for kind in kinds:
            dtype = getattr(torch, kind)
            if dtype not in info.dtypes:
                continue
            for place, (sample, refused) in enumerate(_samples(info, dtype, most)):
                calls = spellings if not place else spellings[:1]
                for spelling in (*calls, *([None] if method else ())):
                    program = Program([], refused)
                    try:
                        given = program.text(sample.input)
                        rest = program.arguments(sample.args, sample.kwargs)
                    except NotWritten:
                        break
                    if spelling is None and not given.startswith("x"):
                        continue
                    every = f"{given}, {rest}" if rest else given
                    program.lines.append(
                        f"y = {given}.{method}({rest})" if spelling is None else f"y = {spelling}({every})"
                    )
                    label = f"Tensor.{method}" if spelling is None else spelling.removeprefix("torch.")
                    yield label, program


def _others(info: Any) -> list[str]:
    return [alias.name for alias in info.aliases if not alias.name.endswith("_") and "__" not in alias.name]


def _exists(spelling: str) -> bool:
    import torch

    found: Any = torch
    for part in spelling.split(".")[1:]:
        found = getattr(found, part, None)
    return callable(found)


def _samples(info: Any, dtype: Any, most: int) -> Iterator[tuple[Any, bool]]:
    import torch

    torch.manual_seed(SEED)
    try:
        for sample in islice(info.sample_inputs("cpu", dtype), most):
            yield sample, False
        if info.error_inputs_func is not None:
            for error in islice(info.error_inputs("cpu"), most):
                yield error.sample_input, True
    except Exception as error:
        print(f"no samples of {info.name}: {type(error).__name__}")


def leaves(value: Any, path: str = "y") -> Iterator[tuple[str, Any]]:
    """The tensors of a result, each by the expression that takes it out."""
    import torch

    if isinstance(value, torch.Tensor):
        yield path, value
    elif isinstance(value, (tuple, list)):
        for index, part in enumerate(value):
            yield from leaves(part, f"{path}[{index}]")


def judged(program: Program) -> Iterator[tuple[str, str]]:
    """The verdict on each tensor of the result, or on the refusal, with what differs."""
    scope: dict[str, Any] = {}
    text, refused, results = str(program), None, []
    try:
        exec(text, scope)
        results = list(leaves(scope.get("y")))
    except Exception as error:
        refused = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:150]}"
        if not program.refused:
            return  # of the numbers: the sample itself worked
    first = text.count("\n") + 1
    text += "".join(f"r{place} = {path}\n" for place, (path, _) in enumerate(results))
    shared = explore(Path("/nonexistent"), "main.py", ast.parse(text), Versions())
    errors = [p for p in shared.problems.values() if p.level == "error"]
    if refused is not None:
        yield (REFUSED, "") if errors else (MISSED, refused)
        return
    if errors:
        yield FALSE, f"{'certain' if errors[0].certain else 'possible'}: {errors[0].message}"
        return
    for place, (path, real) in enumerate(results):
        found = [t for (_, line, _), tensors in shared.assigned.items() if line == first + place for t in tensors]
        shapes = {t.dims for t in found}
        kinds = {t.dtype for t in found}
        wanted = str(real.dtype).removeprefix("torch.")
        sizes = next(iter(shapes), None)
        if kinds - {None, wanted} or (sizes is not None and _differs(sizes, tuple(real.shape))):
            yield WRONG, f"{path}: {found[0].dtype}{sizes}, not {wanted}{tuple(real.shape)}"
        elif len(shapes) != 1 or sizes != tuple(real.shape):
            yield UNKNOWN, f"{path}: {sizes} for {wanted}{tuple(real.shape)}"
        else:
            yield (EQUAL if kinds == {wanted} else UNTYPED), ""


def _differs(found: tuple[Any, ...], real: tuple[int, ...]) -> bool:
    return len(found) != len(real) or any(isinstance(a, int) and a != b for a, b in zip(found, real, strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", action="store_true")
    parser.add_argument("--operators", action="store_true")
    parser.add_argument("--names", default="", help="only these, by commas")
    parser.add_argument("--most", type=int, default=25, help="samples of an operator and element type")
    parser.add_argument("--types", default="float32,int64", help="element types of operators' samples")
    parser.add_argument("--show", type=int, default=0, help="programs of each verdict and name")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    # PyTorch's module of test helpers asks for this package, whose comparisons none of the samples uses.
    stand_in = types.ModuleType("expecttest")
    stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    sys.modules.setdefault("expecttest", stand_in)
    names = {n for n in chosen.names.split(",") if n}
    print(f"seed {SEED}, at most {chosen.most} samples of an operator, of {chosen.types}")
    failed = False
    for wanted, title, programs in (
        (chosen.modules, "modules", module_programs(names)),
        (chosen.operators, "operators", operator_programs(names, chosen.most, chosen.types.split(","))),
    ):
        if wanted:
            failed = _study(title, programs, chosen.show) or failed
    return 1 if failed else 0


def _study(title: str, programs: Iterator[tuple[str, Program]], show: int) -> bool:
    counts: Counter[str] = Counter()
    by_name: dict[str, Counter[str]] = defaultdict(Counter)
    shown: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, program in programs:
        for verdict, said in judged(program):
            counts[verdict] += 1
            by_name[verdict][name] += 1
            example = re.sub(r"\[[^\]]{200,}\]", "[…]", "; ".join(program.lines)) + f"\n        {said}"
            if len(shown[verdict, name]) < show and example not in shown[verdict, name]:
                shown[verdict, name].append(example)
    print(f"{title}: {counts.total()} results")
    for verdict in (EQUAL, UNTYPED, UNKNOWN, WRONG, FALSE, REFUSED, MISSED):
        print(f"  {verdict}: {counts[verdict]}")
        if verdict not in (EQUAL, REFUSED):
            for name, count in by_name[verdict].most_common():
                print(f"    {count} {name}")
                for example in shown[verdict, name]:
                    print(f"      {example}")
    return bool(counts[WRONG] + counts[FALSE])


if __name__ == "__main__":
    sys.exit(main())
