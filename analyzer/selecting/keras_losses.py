"""The loss that ``compile`` gives a Keras model, as a model of the inputs and a target.

Keras's own losses are guarded; what a project writes itself is what fails. The text is only read.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

# Targets to try: a value for each result, then the number of a class.
_TARGETS = (
    ("model.output_shape[1:]", "np.random.rand(2, *model.output_shape[1:])"),
    ("model.output_shape[1:-1], dtype='int64'", "np.zeros((2, *model.output_shape[1:-1]), dtype='int64')"),
)
_INPUT = "np.random.rand(2, *model.input_shape[1:])"


@dataclass(frozen=True, slots=True)
class CompiledLoss:
    """The loss that the statement at `line` gives to the model that a variable holds."""

    expression: ast.expr
    line: int

    @property
    def needed(self) -> set[str]:
        own = {n.arg for n in ast.walk(self.expression) if isinstance(n, ast.arg)}  # of a lambda
        return {n.id for n in ast.walk(self.expression) if isinstance(n, ast.Name)} - own

    @property
    def text(self) -> str:
        """What can be called."""
        written = ast.unparse(self.expression)
        return f"({written})" if isinstance(self.expression, ast.Lambda) else written

    def bodies(self, lines: Sequence[str], model: str, loss: str, home: str) -> tuple[tuple[str, ...], ...]:
        """Ways to write the entry point behind `lines`, after which the variable `model` holds the model.

        `loss` is an expression that gives the function, `home` the statement that imports ``keras``.
        """
        named = () if model == "model" else (f"model = {model}",)
        head = ("import numpy as np", home, *lines, *named)
        return tuple(
            (
                *head,
                f"target = keras.Input({shape})",
                f"loss = keras.layers.Lambda(lambda pair: {loss}(*pair))([target, model.outputs[0]])",
                f"batch = {_INPUT}, {example}",
                "return keras.Model([model.inputs[0], target], loss), batch",
            )
            for shape, example in _TARGETS
        )


def compiled_loss(statements: Sequence[ast.stmt], model: str, framework: Collection[str]) -> CompiledLoss | None:
    """The loss that one of `statements` gives to the variable `model`, unless it is the framework's own."""
    for call in _calls(statements):
        if not (isinstance(call.func, ast.Attribute) and ast.unparse(call.func) == f"{model}.compile"):
            continue
        given = {k.arg: k.value for k in call.keywords if k.arg}
        loss = given.get("loss", call.args[1] if len(call.args) > 1 else None)
        if isinstance(loss, ast.Name | ast.Lambda | ast.Call):
            found = CompiledLoss(loss, call.lineno)
            return found if found.needed - {*framework} else None
    return None


def returned_names(function: ast.FunctionDef) -> set[str]:
    """The variables that a function returns."""
    return {n.value.id for n in ast.walk(function) if isinstance(n, ast.Return) and isinstance(n.value, ast.Name)}


def home_of(tree: ast.Module) -> str:
    """The statement that imports the ``keras`` that a file uses."""
    modules = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
    heads = {name.partition(".")[0] for name in modules}
    if "tf_keras" in heads:
        return "import tf_keras as keras"
    return "import keras" if "keras" in heads or "tensorflow" not in heads else "from tensorflow import keras"


def _calls(statements: Sequence[ast.stmt]) -> Iterator[ast.Call]:
    for statement in statements:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.Call))
