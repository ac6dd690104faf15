"""Programs that make an object of a published class and call it, where nobody has written one: as a first test would.

Arguments without a default are guessed from their names and annotations, inputs are tried one after the other, and what
runs is a program. Classes are layers and models of PyTorch and Keras, functions those with an annotated tensor.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

SIZE = 16  # of whatever is a size of no telling name
_NUMBERS = (  # by the name of a parameter, the first that fits
    (r"kernel|window|patch", 3), (r"head", 2), (r"layer|depth|block|repeat|stage|num_iter|order", 2),
    (r"stride|dilation|group|padding", 1), (r"class|label|n_out|out_dim", 10),
    (r"vocab|embeddings|tokens|codebook", 32), (r"image|img|resolution|height|width", 32), (r"max|len", 64),
)  # fmt: skip
_MODULES = re.compile(r"module|model|net$|encoder|decoder|backbone|layer$|fn$")
_ACTIVATIONS = re.compile(r"activation|^act|nonlin")
_INPUTS = {
    "torch": (
        "torch.randn(2, 16)", "torch.randn(2, 8, 16)", "torch.randn(2, 3, 32, 32)", "torch.randn(2, 16, 8, 8)",
        "torch.randn(2, 16, 8)", "torch.randint(0, 8, (2, 8))", "torch.randn(2, 1, 28, 28)", "torch.randn(16)",
        "torch.randn(1, 3, 224, 224)", "torch.randn(2, 16, 4, 4, 4)", "torch.randn(2, 1, 4000)", "torch.randn(16, 16)",
    ),
    "tf": (
        "tf.random.normal((2, 16))", "tf.random.normal((2, 8, 16))", "tf.random.normal((2, 8, 8, 16))",
        "tf.random.normal((2, 32, 32, 3))", "tf.zeros((2, 8), tf.int32)",
    ),
}  # fmt: skip
SECONDS_EACH = 3.0  # of one class or function
MOST = 6  # programs of one package


def candidates(root: Path, files: list[Path]) -> list[tuple[str, str]]:
    """(module, name) of public classes of layers, and of functions with an annotated tensor."""
    found = []
    for file in files:
        relative = file.relative_to(root)
        try:
            tree = ast.parse(file.read_text(encoding="utf-8", errors="replace"))
        except (SyntaxError, ValueError, RecursionError):
            continue
        parts = relative.with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_") and _fits(node):
                found.append((module, node.name))
    return found


def _fits(node: ast.ClassDef | ast.FunctionDef) -> bool:
    if isinstance(node, ast.ClassDef):
        return any(isinstance(n, ast.FunctionDef) and n.name in ("forward", "call") for n in node.body)
    given = node.args.posonlyargs + node.args.args
    return bool(given) and any(a.annotation is not None and "Tensor" in ast.unparse(a.annotation) for a in given)


def probe(wanted: list[tuple[str, str]], file: str) -> None:
    """Append to the file, as JSON, each program that was found to run. Called in a child process."""
    for module, name in wanted:
        text = _found(module, name)
        if text is not None:
            with open(file, "a", encoding="utf-8") as out:
                print(json.dumps([f"{module}:{name}", text]), file=out, flush=True)


class _Late(Exception):
    pass


def _late(*_: object) -> None:
    raise _Late


def _found(module: str, name: str) -> str | None:
    before = signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS_EACH)
    try:
        thing = getattr(importlib.import_module(module), name)
        if getattr(thing, "__module__", None) == module:
            return next((text for text in islice(_texts(thing, module, name), 24) if _runs(text)), None)
    except (Exception, SystemExit):
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return None


def _runs(text: str) -> bool:
    try:
        exec(compile(text, "candidate", "exec"), {"__name__": "__main__"})
    except _Late:
        raise
    except (Exception, SystemExit):
        return False
    return True


def _texts(thing: object, module: str, name: str) -> Iterator[str]:
    """Programs to try: the object with guessed arguments, called with one input after the other."""
    if inspect.isclass(thing):
        mro = [f"{c.__module__}.{c.__name__}" for c in thing.__mro__]
        torch, keras = "torch.nn.modules.module.Module" in mro, any(c.startswith("keras.") for c in mro)
        if not torch and not keras:
            return
        method = thing.forward if torch else thing.call
        called = [p for p in list(inspect.signature(method).parameters.values())[1:] if _needed(p)]
        made = ", ".join(f"{p.name}={_guess(p)}" for p in inspect.signature(thing).parameters.values() if _needed(p))
        head, calling = f"model = {name}({made})\n", "model"
    else:
        torch, head, calling = True, "", name
        called = [p for p in inspect.signature(thing).parameters.values() if _needed(p)]  # type: ignore[arg-type]
    for given in _INPUTS["torch" if torch else "tf"]:
        values = ", ".join(given if _takes_tensor(p) else f"{p.name}={_guess(p)}" for p in called)
        library = "import torch\n" if torch else "import tensorflow as tf\n"
        with suppress(ValueError):
            yield f"{library}from {module} import {name}\n\n{head}output = {calling}({values})\n"


def _needed(p: inspect.Parameter) -> bool:
    return p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)


def _takes_tensor(p: inspect.Parameter) -> bool:
    told = "" if p.annotation is p.empty else str(p.annotation)
    return p.kind is not p.KEYWORD_ONLY and (not told or "Tensor" in told or "Float[" in told)


def _guess(p: inspect.Parameter) -> str:
    told = "" if p.annotation is p.empty else getattr(p.annotation, "__name__", None) or str(p.annotation)
    name = p.name.lower()
    number = next((n for pattern, n in _NUMBERS if re.search(pattern, name)), SIZE)
    if re.search(r"[Ll]ist|[Ss]equence|[Tt]uple", told):
        return f"[{number}, {number}]"
    if "int" in told:
        return str(number)
    if "float" in told or re.search(r"drop|rate|alpha|beta|gamma|eps|temperature|^p$|prob|ratio|scale", name):
        return "0.1"
    if "bool" in told:
        return "True"
    if _ACTIVATIONS.search(name) or "Callable" in told:
        return "torch.nn.ReLU()"
    if "Module" in told or _MODULES.search(name):
        return f"torch.nn.Linear({SIZE}, {SIZE})"
    return str(number)
