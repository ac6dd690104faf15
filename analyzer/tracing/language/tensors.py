"""Tensors by their shapes, and the shape objects that programs read from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from analyzer.tracing.paths.symbols import Site
from analyzer.validity.terms import Poly, Term

# What elements mean in a run on made-up numbers: computed as the program does; near to that, or drawn as it draws;
# drawn for floats that are not computed, whose range is another; drawn for integers, which may be none of theirs.
COMPUTED, ESTIMATED, DRAWN, INVENTED = range(4)


class Shape:
    """The dimensions of a tensor; while the rank is unknown, the sizes that were looked at from either end."""

    __slots__ = ("back", "dims", "front", "rank", "vague")

    def __init__(self, dims: Sequence[Term] | None = None, vague: bool = False) -> None:
        self.vague = vague  # lost by this analysis, not open in the program
        self.dims: tuple[Term, ...] | None = None if dims is None else tuple(dims)
        self.front: dict[int, Term] = {}
        self.back: dict[int, Term] = {}
        self.rank: Poly | None = None

    def state(self) -> Any:
        return self.dims, dict(self.front), dict(self.back), self.rank

    @property
    def kind(self) -> str:
        """What the symbols of its dimensions stand for: see `Known`."""
        return "lost" if self.vague else "dim"

    @property
    def least(self) -> int:
        """A caller gives something along each axis; what is lost may hold nothing."""
        return 0 if self.vague else 1

    def restore(self, state: Any) -> None:
        self.dims, front, back, self.rank = state
        self.front, self.back = dict(front), dict(back)

    def __repr__(self) -> str:
        if self.dims is not None:
            return show_shape(self.dims)
        return f"[…, {self.back[-1]}]" if -1 in self.back else "[unknown rank]"


def show_shape(dims: Iterable[Term]) -> str:
    return "[" + ", ".join(str(d) for d in dims) + "]"


class Storage:
    """What tensors that may share their elements have in common: how often something was written into it."""

    __slots__ = ("known", "writes")

    def __init__(self) -> None:
        self.known = False  # elements of one of them have been known
        self.writes = 0

    def state(self) -> Any:
        return self.writes

    def restore(self, state: Any) -> None:
        self.writes = state


@dataclass(frozen=True, slots=True)
class Making:
    """How a tensor was made: the `name` of a function or method, `args` with the tensor whose method it is first.

    `writes`: into its memory until then; `index`: of several results; `owner`: a layer that was called.
    """

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    writes: int = 0
    index: int = 0
    owner: Any = None

    @property
    def short(self) -> str:
        return self.name.rpartition(".")[2]


class Tensor:
    """A tensor or array by its shape.

    Immutable but for `shape`, which is refined as more becomes known, and for what torch changes in place.
    """

    __slots__ = (
        "_known",
        "array",
        "dtype",
        "framework",
        "graph",
        "making",
        "meaning",
        "memory",
        "name",
        "operation",
        "places",
        "scalar",
        "shape",
        "site",
        "sources",
        "strides",
        "tags",
        "written",
    )

    def __init__(
        self,
        shape: Sequence[Term] | Shape | None,
        dtype: str | None = None,
        framework: str = "torch",
        *,
        site: Site | None = None,
        name: str = "",
        value: Any = None,
        sources: tuple[Tensor, ...] = (),
        graph: bool = False,
        tags: frozenset[str] = frozenset(),
    ) -> None:
        self.shape = shape if isinstance(shape, Shape) else Shape(shape)
        self.dtype = dtype
        self.framework = framework
        self.site = site
        self.name = name  # the operator or name that made it
        self.memory: Storage = (
            sources[0].memory if len(sources) == 1 else Storage()
        )  # made of one alone, it may be a view of it
        self._known: Any = None
        self.value = value  # elements of a small tensor of whole numbers or truths: a term, or a (nested) tuple
        self.sources = sources  # operands, for the slice behind a session run
        self.graph = graph  # built now, run later: its conditions are checked at each run
        self.places: tuple[Site, ...] = ()  # the lines of the call that made the layer it comes from
        self.making: Making | None = None  # None: given to the program, or made in a way that nobody noted
        self.operation = 0  # the application that made it; its conditions carry the same number
        self.strides: tuple[Term, ...] | None = None  # torch: the layout in memory, None if not known
        self.array: Any = None  # its elements, in a run on made-up numbers
        self.meaning = COMPUTED  # of them
        self.scalar = False  # whether it is known to be a number of NumPy, which is no array
        self.written = False  # the program's text decides its elements
        self.tags = tags  # "batch-first", "softmax", "placeholder", "variable" …

    def state(self) -> Any:
        return self.shape, self.dtype, self.strides, self._known, self.array, self.memory

    def restore(self, state: Any) -> None:
        self.shape, self.dtype, self.strides, self._known, self.array, self.memory = state

    @property
    def value(self) -> Any:
        """Its elements as far as they are known; nothing is known of them once their memory was written."""
        return None if self._known is None or self._known[1] != self.memory.writes else self._known[0]

    @value.setter
    def value(self, elements: Any) -> None:
        self._known = None if elements is None else (elements, self.memory.writes)
        self.memory.known = self.memory.known or elements is not None

    @property
    def origin(self) -> str:
        """Of what is read from its elements: see `Unknown`."""
        return "imprecise" if self.written else "data"

    @property
    def dims(self) -> tuple[Term, ...] | None:
        return self.shape.dims

    def __repr__(self) -> str:
        return f"{self.name or 'tensor'}{self.shape!r}"


class Size(tuple[Any, ...]):
    """A shape object of known rank: ``torch.Size``, ``tf.TensorShape``, ``ndarray.shape``."""

    __slots__ = ()


@dataclass(eq=False, slots=True)
class OpenSize:
    """The shape object of a tensor whose rank is not known."""

    tensor: Tensor
