"""Seeds that are shown to be defects by plain runs of their framework, before anything is analysed.

A seed is harmful if its author's witness, with inputs and weights inside their ranges, makes the loss or a gradient of
a weight not finite, goes on doing so at weights moved by a thousandth of their range, and does not harm the repaired
twin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.seeded.kinds import Kind, kinds_of

SEEDS = 40  # of the weights and of what a witness draws
MOVES = 6  # of the weights around a witness; half of them must fail as well
HEADS = {
    "torch": "import torch\nimport torch.nn.functional as F\nfrom torch import nn",
    "tensorflow": "import tensorflow as tf",
    "keras": "import keras\nimport tensorflow as tf\nfrom keras import layers, ops",
}
BASES = {"torch": "nn.Module", "tensorflow": "tf.Module", "keras": "layers.Layer"}
METHODS = {"torch": "forward", "tensorflow": "__call__", "keras": "call"}


@dataclass(frozen=True)
class Seed:
    """A module with a defect, its repair, and the witness's lines."""

    framework: str
    kind: Kind
    inputs: tuple[tuple[str, str], ...]
    witness: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.kind.name

    def text(self, repaired: bool) -> str:
        kind, framework = self.kind, self.framework
        label = self.name.title().replace("_", "")
        lines = [*HEADS[framework].split("\n"), "", "", f"class {label}({BASES[framework]}):"]
        lines += ["    def __init__(self):", "        super().__init__()", *(f"        {line}" for line in kind.setup)]
        lines += ["", f"    def {METHODS[framework]}(self, {', '.join(n for n, _ in self.inputs)}):"]
        body = [*kind.shared_before]
        body += kind.repaired if repaired else (f"{kind.defective}  # defect",)
        lines += [f"        {line}" for line in (*body, *kind.shared_after)]
        if not any(line.startswith("term = ") for line in (*body, *kind.shared_after)):
            raise ValueError(self.name)
        lines += ["        return term", "", "", "def build():"]
        examples = ", ".join(f"{name!r}: {example}" for name, example in self.inputs)
        if framework == "torch":
            lines += ["    torch.manual_seed(0)", f"    return {label}(), {{{examples}}}"]
        elif framework == "tensorflow":
            lines += ["    tf.random.set_seed(0)", f"    return {label}(), tuple({{{examples}}}.values())"]
        else:
            lines += ["    keras.utils.set_random_seed(0)", f"    examples = {{{examples}}}"]
            lines += ["    inputs = {name: keras.Input(x.shape[1:], name=name) for name, x in examples.items()}"]
            lines += [f"    return keras.Model(inputs, {label}()(*inputs.values()))"]
        return "\n".join((*lines, ""))

    def line(self) -> int:
        return next(i for i, row in enumerate(self.text(False).split("\n"), 1) if row.endswith("# defect"))


def seeds_of(text: str) -> Iterator[Seed]:
    for block in text.strip().removeprefix("= ").split("\n= "):
        heading, *lines = block.split("\n")
        name, given = heading.split(" | ")
        framework, name = name.split() if " " in name else ("torch", name)
        inputs = tuple((n, example) for n, example in (part.split(": ", 1) for part in given.split("; ")))
        witness = tuple(line[2:] for line in lines if line.startswith("% "))
        (kind,) = kinds_of(f"@ own {name}\n" + "\n".join(x for x in lines if not x.startswith("% ")))
        yield Seed(framework, kind, inputs, witness)


def harm(seed: Seed, ranges: Mapping[str, tuple[float, float]]) -> str:
    """An empty string for a harmful seed with a sound twin; what is wrong with the seed otherwise."""
    why = "the witness does no harm"
    for number in range(SEEDS):
        defective, repaired = (Case.of(seed, twin, number) for twin in (False, True))
        given = defective.witness(seed.witness)
        outside = defective.outside(given, ranges)
        if outside:
            return outside
        if not defective.fails(given):
            continue
        if not _in_general(defective, given, number):
            why = "harm at exact weights alone"
            continue
        repaired.become(defective)
        return "the repaired twin fails there" if repaired.fails(given) else ""
    return why


def _in_general(case: Case, given: Mapping[str, Any], number: int) -> bool:
    return case.at_start or sum(case.fails(given, moved=100 * number + i) for i in range(MOVES)) >= MOVES // 2


@dataclass
class Case:
    """One built twin; weights are kept as NumPy arrays beside it."""

    framework: str
    model: Any
    module: Any  # what the witness calls `self`
    names: dict[str, Any]
    examples: dict[str, Any]
    start: list[Any]
    at_start: bool = True

    @classmethod
    def of(cls, seed: Seed, repaired: bool, number: int) -> Case:
        names: dict[str, Any] = {}
        exec(compile(seed.text(repaired), seed.name, "exec"), names)
        _reseed(seed.framework, number, names)
        built = names["build"]()
        _reseed(seed.framework, number, names)
        label = seed.name.title().replace("_", "")
        examples = {n: eval(example, names) for n, example in seed.inputs}
        if seed.framework == "keras":
            case = cls("keras", built, next(x for x in built.layers if type(x).__name__ == label), names, examples, [])
        else:
            module = names[label]()
            case = cls(seed.framework, module, module, names, examples, [])
        if seed.framework == "tensorflow":
            case.model(*examples.values())
        case.start = case.weights()
        return case

    def variables(self) -> list[Any]:
        if self.framework == "torch":
            return [w for w in self.model.parameters() if w.requires_grad]
        return list(self.model.trainable_variables)

    def weights(self) -> list[Any]:
        return [w.detach().numpy().copy() if self.framework == "torch" else w.numpy() for w in self.variables()]

    def set(self, arrays: list[Any]) -> None:
        for variable, array in zip(self.variables(), arrays, strict=True):
            if self.framework == "torch":
                import torch

                variable.data = torch.from_numpy(array.copy())
            else:
                variable.assign(array)

    def become(self, other: Case) -> None:
        self.set(other.weights())

    def witness(self, lines: tuple[str, ...]) -> dict[str, Any]:
        """The inputs after the witness's lines, which may also set weights."""
        scope = {**self.names, **self.examples, "self": self.module}
        code = compile("\n".join(lines), "witness", "exec")
        if self.framework == "torch":
            import torch

            with torch.no_grad():
                exec(code, scope)
        else:
            exec(code, scope)
        self.at_start = all((a == b).all() for a, b in zip(self.weights(), self.start, strict=True))
        return {n: scope[n] for n in self.examples}

    def outside(self, given: Mapping[str, Any], ranges: Mapping[str, tuple[float, float]]) -> str:
        """The input or weight that the witness sets outside its range, if any."""
        for name, tensor in given.items():
            low, high = ranges.get(name, (-100, 100))
            array = tensor.numpy()
            if array.shape != self.examples[name].numpy().shape:
                return f"{name} has another shape"
            if array.dtype.kind == "f" and (array.min() < low or array.max() > high):
                return f"{name} is outside its range"
        for first, now in zip(self.start, self.weights(), strict=True):
            low, high = float(first.min()), float(first.max())
            room = (high - low) or abs(low) or 1.0
            if now.min() < low - room or now.max() > high + room:
                return "a weight is outside its range"
        return ""

    def fails(self, given: Mapping[str, Any], moved: int | None = None) -> bool:
        """Whether the loss or a weight's gradient is not finite; with `moved` at weights moved at random."""
        import numpy as np

        before = self.weights()
        if moved is not None:
            draw = np.random.default_rng(moved)
            room = [float(w.max() - w.min()) or float(abs(w).max()) or 1.0 for w in self.start]
            steps = [1e-3 * r * draw.uniform(-1, 1, w.shape) for r, w in zip(room, before, strict=True)]
            self.set([(w + s).astype(w.dtype) for w, s in zip(before, steps, strict=True)])
        values = self._torch(given) if self.framework == "torch" else self._tensorflow(given)
        self.set(before)
        return not all(bool(np.isfinite(v).all()) for v in values)

    def _torch(self, given: Mapping[str, Any]) -> list[Any]:
        self.model.zero_grad()
        loss = self.model(**given)
        loss.backward()
        return [loss.detach().numpy(), *(w.grad.numpy() for w in self.variables() if w.grad is not None)]

    def _tensorflow(self, given: Mapping[str, Any]) -> list[Any]:
        import tensorflow as tf

        with tf.GradientTape() as tape:
            loss = self.model(dict(given)) if self.framework == "keras" else self.model(*given.values())
        found = tape.gradient(loss, self.variables())
        return [loss.numpy(), *(g.numpy() for g in found if g is not None)]


def _reseed(framework: str, number: int, names: Mapping[str, Any]) -> None:
    if framework == "torch":
        names["torch"].manual_seed(number)
    else:
        names["tf"].random.set_seed(number)
    if framework == "keras":
        names["keras"].utils.set_random_seed(number)
