"""What a Python expression can evaluate to without being run.

Plain objects stand for themselves: ``int``, ``float``, ``str``, ``bool``, ``None``, ``bytes``, ``tuple``.
A symbolic integer is a `Poly`, a symbolic condition a `Cond` (both of `analyzer.validity.terms`). Everything else is a
class of this module. Mutable values implement `state` / `restore` so that a branch or a loop round can be undone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from analyzer.tracing.language.container_values import DefaultDict as DefaultDict
from analyzer.tracing.language.container_values import DequeV as DequeV
from analyzer.tracing.language.container_values import DictV as DictV
from analyzer.tracing.language.container_values import KeysV as KeysV
from analyzer.tracing.language.container_values import ListV as ListV
from analyzer.tracing.language.container_values import SetV as SetV
from analyzer.tracing.language.container_values import TupleV as TupleV
from analyzer.tracing.language.container_values import open_like as open_like
from analyzer.tracing.language.iterator_values import Iterator_ as Iterator_
from analyzer.tracing.language.iterator_values import Lazy as Lazy
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.yields import body_suspends
from analyzer.tracing.paths.symbols import Site
from analyzer.validity.terms import Poly, Term

Value = Any


class Fields(tuple[Any, ...]):
    """A named tuple of a library: ``torch.max(x, 1).values``."""

    names: tuple[str, ...]

    def __new__(cls, items: Iterable[Any], names: Sequence[str]) -> Fields:
        made = super().__new__(cls, items)
        made.names = tuple(names)
        return made


FREE = frozenset(("flag", "param", "batch", "data"))  # origins of a choice whose sides are all possible


COMPUTING = {"forward": ("torch.",), "call": ("keras.", "tensorflow.")}  # by the `__call__` of a library's class
CHILDREN = "its children"  # the attribute under which a container of modules keeps them: no program has such a name


class Unknown:
    """A value nobody can know here. Two looks at the same attribute or item of it give the same unknown.

    `origin`: ``flag`` (a user's choice), ``param`` (an argument of an uncalled function), ``data`` (what a file, a
    random generator or a tensor's elements give), ``foreign`` (the result of a call that is not understood),
    ``imprecise`` (this analysis lost track). Nothing that rests on one of the last two is proved.
    """

    __slots__ = (
        "attrs",
        "default",
        "element",
        "excluded",
        "factors",
        "items",
        "kind",
        "label",
        "origin",
        "owner",
        "parts",
        "place",
        "pytype",
        "reason",
        "tensor",
        "term",
        "truth",
        "value",
    )

    def __init__(self, reason: str = "", origin: str = "imprecise", label: str = "", pytype: str = "") -> None:
        self.reason, self.origin, self.label, self.pytype = reason, origin, label, pytype
        self.attrs: dict[str, Value] = {}
        self.items: dict[Any, Value] = {}
        self.term: Term | None = None
        self.tensor: Tensor | None = None
        self.truth: bool | None = None
        self.value: tuple[Value] | None = None  # decided on this path to be this constant
        self.excluded: list[Value] = []
        self.default: Value = None
        self.element: Tensor | None = None  # what tells its value: of a number that is read from a tensor or drawn
        self.factors: tuple[Value, ...] = ()  # what it was computed of
        self.parts = 0  # of so many a function was asked for, which may give fewer
        self.owner: Unknown | None = None  # whose attribute it is
        self.kind = ""  # its type, see `known_types`; ``def str`` is a method that gives a text
        self.place = ""  # where in the repository a path leads, see `own_paths`

    def state(self) -> Any:
        return (
            dict(self.attrs), dict(self.items), self.term, self.tensor, self.truth, self.value, list(self.excluded),
            self.pytype,
        )  # fmt: skip

    def restore(self, state: Any) -> None:
        attrs, items, self.term, self.tensor, self.truth, self.value, excluded, self.pytype = state
        self.attrs, self.items, self.excluded = dict(attrs), dict(items), list(excluded)

    @property
    def known_source(self) -> bool:
        """Whether it is known who decides the value, so that every value is possible."""
        return self.origin in FREE

    def __repr__(self) -> str:
        return f"<unknown {self.label or self.reason}>"


class Address(Unknown):
    """What `id` tells of an object: a number that nobody knows, equal to that of the same object alone."""

    __slots__ = ("of",)

    def __init__(self, of: Value) -> None:
        super().__init__("what tells an object from others", pytype="int")
        self.of = of


class OneOfTwo(Unknown):
    """What `id` tells of a tensor: that of another may be the same, where this analysis has two values for one."""

    __slots__ = ("of",)

    def __init__(self, of: Value) -> None:
        super().__init__("what tells a tensor from others", pytype="int")
        self.of = of


class Scope:
    """Names of one function, class or module body; `parent` is the enclosing scope of a closure.

    `passing`: of a comprehension, in which `:=` names something in the body around it.
    """

    __slots__ = ("globals", "inside", "names", "nonlocals", "parent", "passing")

    def __init__(self, parent: Scope | None = None, globals: Scope | None = None) -> None:
        self.names: dict[str, Value] = {}
        self.parent = parent
        self.globals = globals if globals is not None else self
        self.nonlocals: dict[str, Scope] = {}
        self.inside: tuple[object, ...] = ()  # see `Tracer.made`
        self.passing = False

    def state(self) -> Any:
        return dict(self.names)

    def restore(self, state: Any) -> None:
        self.names = dict(state)


@dataclass(eq=False, slots=True)
class Function:
    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    path: str
    defaults: tuple[Value, ...] = ()
    kw_defaults: dict[str, Value] = field(default_factory=dict)
    owner: Class | None = None
    kind: str = ""  # staticmethod, classmethod, property, contextmanager
    setter: Function | None = None
    decorated: bool = False  # by a decorator that is not known
    called: bool = False
    options: dict[str, Value] = field(default_factory=dict)  # parameters that a command-line decorator fills
    compiled: bool = False  # by tf.function
    command: bool = False  # of a command line: what it is called with is no argument of its own
    instead: bool = False  # of what a package has that is absent here, and may be there elsewhere
    remembers: bool = False  # by functools.cache: called again with the same arguments, it gives the same object
    imitates: Function | None = None  # what `@wraps` says that it stands for
    own_gradient: bool = False  # it gives its value and the function of its gradient: callers see the value alone
    wrapped: Function | None = None  # what a library's decorator has made this of
    versions: ListV | None = None  # of a generic function: pairs of a type and what is called for it

    @property
    def generator(self) -> bool:
        return body_suspends(self.node)


class Class:
    """A class of the traced source. `bases` may hold `Api` values: classes of libraries."""

    __slots__ = (
        "bases",
        "by_fields",
        "called",
        "dataclass",
        "fields",
        "generated",
        "metaclass",
        "mro",
        "name",
        "node",
        "ordered",
        "path",
        "scope",
        "tuple",
    )

    def __init__(self, name: str, bases: tuple[Value, ...], scope: Scope, node: ast.ClassDef, path: str) -> None:
        self.name, self.bases, self.scope, self.node, self.path = name, bases, scope, node, path
        self.dataclass = self.tuple = False  # tuple: a named tuple, whose fields are its elements in order
        self.ordered = False  # whether `@dataclass(order=True)` compares its objects by their fields
        self.by_fields = False  # whether its objects are equal where their fields are
        self.fields: dict[str, Object] | None = None  # those that attrs has found
        self.called = self.generated = False  # generated: a decorator has written its `__init__`
        self.metaclass: Class | None = None  # that its own statement names, where its classes hold what they bind
        self.mro: list[Value] = _linearize(self)

    def find(self, name: str, after: Class | None = None) -> tuple[Value, Class] | None:
        order = self.mro
        start = order.index(after) + 1 if after in order else 0
        for cls in order[start:]:
            if isinstance(cls, Class) and name in cls.scope.names:
                return cls.scope.names[name], cls
            if name == "__init__" and isinstance(cls, Class) and cls.generated:
                return None  # those of its bases are not called
        return None

    @property
    def library_bases(self) -> list[str]:
        return [b.name for b in self.mro if isinstance(b, Api)]

    @property
    def computing(self) -> tuple[str, ...]:
        """The methods that the `__call__` of its library asks; both where that is not known."""
        asked = [n for n, homes in COMPUTING.items() if any(b.startswith(homes) for b in self.library_bases)]
        return tuple(asked or COMPUTING)

    @property
    def closed(self) -> bool:
        """Whether every base is known to us."""
        return not any(isinstance(b, Unknown) for b in self.mro)

    def __repr__(self) -> str:
        return f"<class {self.name}>"


def field_names(cls: Class) -> list[str]:
    """The fields of a dataclass or of a class of attrs, those of its bases first."""
    if (told := next((c.fields for c in cls.mro if isinstance(c, Class) and c.fields is not None), None)) is not None:
        return list(told)
    found: dict[str, None] = {}
    own = [c for c in cls.mro if isinstance(c, Class) and (c.tuple or not cls.tuple)]
    for base in own[-1:] if cls.tuple else reversed(own):  # heirs of a named tuple have no fields of their own
        declared = base.scope.names.get("__annotations__", {}).items()
        found.update((name, None) for name, annotation in declared if not _is_no_field(annotation))
    return list(found)


def _is_no_field(annotation: ast.expr) -> bool:
    """Whether it stands for the class alone, for the constructor alone, or tells how fields behind it are given."""
    return any(word in ast.unparse(annotation) for word in ("ClassVar", "InitVar", "KW_ONLY"))


def _linearize(cls: Class) -> list[Value]:
    sequences = [list(b.mro) if isinstance(b, Class) else [b] for b in cls.bases] + [list(cls.bases)]
    result: list[Value] = [cls]
    while any(sequences):
        sequences = [s for s in sequences if s]
        head = next((s[0] for s in sequences if not any(s[0] in t[1:] for t in sequences)), sequences[0][0])
        result.append(head)
        for sequence in sequences:
            if head in sequence:
                sequence.remove(head)
    return result


METACLASS = "a class with a metaclass"  # the reason of the unknown that stands among the bases of one
REPLACED = "replaced"  # the option of a function for which a decorator that nobody has followed may have put another
REGISTERED = "classes that are registered"  # the reason of one that others were registered for
STORE = "__stored__"  # the attribute of an object that holds the dictionary which it inherits from


class Instance:
    """An object of a traced class. `open`: attributes may exist that were not seen being set. `given`: as of a list."""

    __slots__ = ("attrs", "built", "cls", "given", "inside", "open", "site")

    def __init__(self, cls: Class, site: Site | None = None) -> None:
        self.cls, self.site = cls, site
        self.inside: tuple[object, ...] = ()  # see `Tracer.made`
        self.attrs: dict[str, Value] = {}
        self.open = self.given = False
        self.built = False  # Keras: build() has run

    def state(self) -> Any:
        return dict(self.attrs), self.open, self.built, self.cls, self.given

    def restore(self, state: Any) -> None:
        attrs, self.open, self.built, self.cls, self.given = state
        self.attrs = dict(attrs)

    def __repr__(self) -> str:
        return f"<{self.cls.name} object>"


class Layer:
    """A layer object of a library (``nn.Linear(…)``, ``keras.layers.Dense(…)``): its class and hyperparameters."""

    __slots__ = ("args", "attrs", "built", "name", "nodes", "site")

    def __init__(
        self, name: str, args: dict[str, Value], site: Site | None, nodes: dict[str, ast.expr] | None = None
    ) -> None:
        self.name, self.args, self.site = name, args, site
        self.nodes = nodes or {}  # the source expression of each hyperparameter
        self.attrs: dict[str, Value] = {}
        self.built: dict[str, Any] = {}  # sizes fixed by the first call

    def state(self) -> Any:
        return dict(self.attrs), dict(self.built), self.name

    def restore(self, state: Any) -> None:
        self.attrs, self.built, self.name = dict(state[0]), dict(state[1]), state[2]

    def __repr__(self) -> str:
        return f"<{self.name.rpartition('.')[2]}>"


def holds_objects(value: Value) -> bool:
    """Whether it is an object or a layer, or a container that holds one: what it is given to may call its methods."""
    held = value.items.values() if isinstance(value, DictV) else value.items if isinstance(value, ListV) else ()
    held = value if type(value) is tuple else held
    return isinstance(value, (Instance, Layer)) or any(isinstance(v, (Instance, Layer)) for v in held)


@dataclass(frozen=True, slots=True)
class Api:
    """A name of a library: ``torch.nn.functional.relu``. `variant` is ``v1`` below ``tensorflow.compat.v1``."""

    name: str
    variant: str = ""

    @property
    def constant(self) -> bool:
        """Whether it is written as a constant of a library, whose value is not known here."""
        return "." in self.name and self.name.rpartition(".")[2].isupper()

    def __repr__(self) -> str:
        return self.name


@dataclass(eq=False, slots=True)
class Module:
    """A module of the traced repository."""

    name: str
    path: str
    scope: Scope
    complete: bool = True


@dataclass(eq=False, slots=True)
class Bound:
    """A method with its object. `function` is a `Function`, or the name of a method of a library object."""

    owner: Value
    function: Function | str
    cls: Class | None = None


@dataclass(eq=False, slots=True)
class Native:
    """A function modelled here: `run(call)` gives its value. `any_number`: also with arguments of unknown number."""

    name: str
    run: Callable[[Any], Value]
    any_number: bool = False


@dataclass(eq=False, slots=True)
class Partial:
    function: Value
    args: tuple[Value, ...]
    kwargs: dict[str, Value]
    method: bool = False  # of the object whose attribute it is


@dataclass(eq=False, slots=True)
class SuperV:
    cls: Class
    owner: Value


COMPLETE = "complete"  # in the data of an object: it has no attribute but those that were seen being set


@dataclass(eq=False, slots=True)
class Object:
    """An object of a modelled library class: a session, an argument parser, a data loader."""

    kind: str
    attrs: dict[str, Value] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    site: Site | None = None

    def state(self) -> Any:
        return dict(self.attrs), {
            k: list(v) if isinstance(v, list) else dict(v) if isinstance(v, dict) else v for k, v in self.data.items()
        }

    def restore(self, state: Any) -> None:
        self.attrs, self.data = dict(state[0]), dict(state[1])


@dataclass(eq=False, slots=True)
class SliceV:
    start: Value = None
    stop: Value = None
    step: Value = None


def is_term(value: Value) -> bool:
    return isinstance(value, Poly) or (isinstance(value, int) and not isinstance(value, bool))
