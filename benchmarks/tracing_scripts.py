"""Random model scripts: a chain of random steps, now and then with a wrong number, laid out as people write models.

The generator runs each step while it writes it, on tensors of the shape at hand, so the next step knows what it gets.
A step that fails ends the chain. `tracing_scripts_torch` and `tracing_scripts_keras` hold the steps.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_ELEMENTS = 6000
CARELESS = 0.10  # share of numbers that go wrong in a careless script


@dataclass(frozen=True)
class Step:
    """One line of a model. `layer` is what `{l}` in `use` stands for: built once, applied to `{x}`."""

    use: str
    layer: str = ""
    plain: bool = False  # `use` is just "{l}({x})", so the layer may stand in a sequence
    again: bool = False  # may be repeated in a loop


@dataclass
class Draw:
    """Random choices of one script."""

    rng: random.Random
    careless: bool
    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    mistakes: int = 0

    def off(self, value: int, lowest: int = 1) -> int:
        """`value`, or in a careless script sometimes a wrong one."""
        if self.careless and self.rng.random() < CARELESS:
            self.mistakes += 1
            return max(lowest, value + self.rng.choice([-1, 1, 2, max(1, value)]))
        return value

    def slip(self) -> bool:
        """Whether to make a mistake of another kind here."""
        return self.careless and self.rng.random() < CARELESS

    def pick(self, *choices: Any) -> Any:
        return self.rng.choice(choices)

    def axis(self, rank: int) -> int:
        """An axis of a tensor, counted from either end."""
        if self.slip():
            return self.rng.choice([rank, -rank - 1])
        return self.rng.randrange(-rank, rank)


StepMaker = Callable[[Draw], Step | None]


@dataclass
class Text:
    """Lines of a script under construction."""

    lines: list[str] = field(default_factory=list)

    def add(self, *lines: str, indent: int = 0) -> None:
        self.lines += [" " * 4 * indent + line for line in lines]

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"


def chain(
    draw: Draw, makers: Sequence[StepMaker], environment: dict[str, Any], count: int, start: str
) -> list[tuple[Step, tuple[int, ...]]]:
    """Steps with the shape each receives; the last may fail. `start` makes `x` in `environment`."""
    exec(start, environment)
    steps: list[tuple[Step, tuple[int, ...]]] = []
    for _ in range(40):
        if len(steps) >= count:
            break
        x = environment["x"]
        if not hasattr(x, "shape"):
            break
        draw.shape = tuple(int(d) if d is not None else -1 for d in x.shape)
        draw.dtype = str(getattr(x.dtype, "name", x.dtype)).removeprefix("torch.")
        step = draw.rng.choice(makers)(draw)
        if step is None:
            continue
        steps.append((step, draw.shape))
        try:
            exec(f"x = {inline(step)}", environment)
        except Exception:
            break
        if not hasattr(environment["x"], "shape") or size(environment["x"].shape) > MOST_ELEMENTS:
            break
    return steps


def size(shape: Any) -> int:
    total = 1
    for d in shape:
        total *= 2 if d is None else int(d)
    return total


def inline(step: Step, name: str = "x") -> str:
    """The step as one expression that builds its layer on the spot."""
    return step.use.replace("{l}", step.layer).replace("{x}", name)


def applied(step: Step, layer: str, name: str = "x") -> str:
    """The step with its layer under a name."""
    return step.use.replace("{l}", layer).replace("{x}", name)
