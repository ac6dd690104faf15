"""What a trace keeps: the activations on its stack, and what all paths of one file share."""

from __future__ import annotations

import ast
import io
import time
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path as FilePath
from typing import Any

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.contracts.annotations import ObservedCall
from analyzer.tracing.imports.repository_files import Written, written_in
from analyzer.tracing.imports.summaries import Summaries
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Class, DictV, Function, Scope, Unknown, Value
from analyzer.tracing.paths.paths import OutOfBudget
from analyzer.tracing.paths.problems import Diagnostic, Place, PyRaise, key_of, weight
from analyzer.tracing.paths.remembered import Learned, Memory
from analyzer.tracing.paths.solver import Effort
from analyzer.tracing.paths.symbols import Site, SymbolFacts

MOST_STEPS = 360_000  # of a script up to a thousand lines; a second sees a hundred thousand
IMPORT_STEPS = 180_000  # of all imports of a file, beside the budget of its own code
IMPORT_RESERVE = 40_000  # with which the modules go on that import one that has spent those
MOST_SECONDS = 6.0  # of processor time, so that a file with its checks, on a crowded machine too, stays below ten


def comments_in(file: FilePath | bytes) -> dict[int, str]:
    """Line → comment, of the comments of a file, or of its content, that hold a list in brackets.

    Empty where it cannot be read.
    """
    try:
        text = file if isinstance(file, bytes) else file.read_bytes()
        if b"#" not in text:
            return {}
        tokens = list(tokenize.tokenize(io.BytesIO(text).readline))
    except (OSError, SyntaxError, tokenize.TokenError, UnicodeDecodeError):
        return {}
    return {t.start[0]: t.string for t in tokens if t.type == tokenize.COMMENT and ("(" in t.string or "[" in t.string)}


class Leaving:
    """Calls what is given on leaving a block; not where the host gives up a suspended body, at whatever time."""

    __slots__ = ("_undo",)

    def __init__(self, undo: Callable[[], object]) -> None:
        self._undo = undo

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is not GeneratorExit:
            self._undo()


@dataclass
class Frame:
    """One activation of a function, class body or module."""

    scope: Scope
    path: str
    name: str = "<module>"
    owner: Class | None = None
    first: Value = None  # self or cls
    function: Function | None = None
    cut: bool = False  # a loop of it was not followed to its end
    given_out: int = 0  # elements, of a generator
    leaving: bool = False  # nobody looks at further elements
    endless: int = 0  # enclosing loops of which nobody knows how many rounds they have
    forever: int = 0  # and those that have rounds without end
    vague: int = 0  # and those of them whose round stands for others
    further: int = 0  # and those of them in a round that may never come: one before it stood for all
    handled: tuple[PyRaise, ...] = ()  # exceptions whose handlers are run
    replacing: int = 0  # enclosing blocks that define themselves what a package would give that may be absent
    pending: int = 0  # enclosing blocks that do something when they are left
    line: int = 0
    methods: list[Function] = field(default_factory=list)  # that a class body defines
    sizes: dict[str, Any] | None = None  # that its annotations name
    documented: dict[str, Any] | None = None  # that its docstring names
    commented: dict[str, Any] = field(default_factory=dict)  # that its comments name
    given: tuple[Value, ...] = ()  # the arguments of the call


@dataclass
class Shared:
    """What all paths of one file share."""

    root: FilePath
    versions: Versions
    sources: dict[str, ast.Module] = field(default_factory=dict)
    problems: dict[tuple[Any, ...], Diagnostic] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    cut_short: Counter[str] = field(default_factory=Counter)  # pieces whose budget is spent, by what they are of
    unknown_calls: Counter[str] = field(default_factory=Counter)
    known_calls: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    effort: Effort = field(default_factory=Effort)  # on conflicts
    contracts: Effort = field(default_factory=lambda: Effort(200_000))  # on what users' values are forced to
    batches: Effort = field(default_factory=lambda: Effort(200_000))  # on sizes that only fit by being the same
    most_steps: int = MOST_STEPS
    share: int | None = None  # of `most_steps` for the piece that is followed: further paths end where it is spent
    scale: float = 1.0  # by which the length of the file makes budgets larger
    asks_values: bool = False  # a branch or a size rests on the elements of tensors, or on chance
    ran_out: bool = False  # of steps or of time, somewhere
    cut: bool = False  # whether that left out paths of the script
    path: str = ""  # of the file
    written: set[str] = field(default_factory=set)  # names of files that the program opens to write
    memory: Memory | None = None  # of the text before, while it is edited
    ends: float = field(default_factory=lambda: time.process_time() + MOST_SECONDS)
    unmergeable: Learned = field(default_factory=Learned)  # branches whose sides differ
    kept: dict[Any, Any] = field(default_factory=dict)  # modules that were followed, see `kept_modules`
    packages: dict[str, Unknown] = field(default_factory=dict)  # whether those are there that programs try to import
    lazy: dict[str, Any] = field(default_factory=dict)  # modules of large libraries, see `lazy_modules`
    set_on_libraries: DictV = field(default_factory=DictV)  # full name -> what the program has put there itself
    summaries: Summaries | None = field(default_factory=Summaries)  # of calls of large libraries
    too_long: Learned = field(default_factory=Learned)  # functions of libraries that spent their budget
    kept_symbols: dict[str, SymbolFacts] = field(default_factory=dict)  # of all of them
    import_steps: int = IMPORT_STEPS
    import_reserve: int = IMPORT_RESERVE
    operations: Iterator[int] = field(default_factory=lambda: count(1))  # numbers of operator applications
    files: dict[tuple[Any, ...], FilePath | None] = field(default_factory=dict)  # where modules were found
    listed: dict[FilePath, frozenset[str]] = field(default_factory=dict)  # what may be a module in a folder
    passed: set[Place] = field(default_factory=set)  # on a path that no error ends there
    seen: set[Place] = field(default_factory=set)  # and with operands of known shapes
    seen_nth: set[Place] = field(default_factory=set)  # the same, each with how often it went well there before
    passed_times: Counter[Place] = field(default_factory=Counter)  # how often at most on one path
    passed_samples: set[Place] = field(default_factory=set)  # and on a path of made-up numbers
    passed_cut: Counter[Place] = field(default_factory=Counter)  # and how often on one cut by its budget
    observed: dict[str, dict[int, list[ObservedCall]]] | None = (
        None  # path -> line of a function -> its calls, where wanted
    )
    fed_ranks: dict[Site, int | None] = field(default_factory=dict)  # of placeholders without a shape; None: several
    results: list[Value] = field(default_factory=list)  # of the model that an entry point gives, one a path
    reached: set[str] = field(default_factory=set)  # file and line of classes and functions that were called
    read: set[str] = field(default_factory=set)  # and of those looked into otherwise; line `*`: the whole file
    assigned: dict[tuple[str, int, int], list[Tensor]] = field(default_factory=dict)  # by file, line, name's end

    def assign(self, path: str, target: ast.Name, tensor: Tensor) -> None:
        """Remember which tensors a name stands for, for the hints of an editor; a few paths are enough."""
        known = self.assigned.setdefault((path, target.lineno, target.end_col_offset or 0), [])
        if len(known) < 8:
            known.append(tensor)

    @cached_property
    def names_written(self) -> Written:
        """What the repository's files write of attributes and classes."""
        return written_in(self.root)

    comments: dict[str, dict[int, str]] = field(default_factory=dict)  # path -> line -> text

    def comments_of(self, path: str) -> dict[int, str]:
        """The comments of a file that name sizes, by line."""
        if path not in self.comments:
            self.comments[path] = comments_in(self.root / path)
        return self.comments[path]

    def keep(self, problem: Diagnostic) -> None:
        """Of two verdicts on one place the more certain one is kept."""
        key = key_of(problem)
        old = self.problems.get(key)
        if old is None or weight(problem) > weight(old):
            self.problems[key] = problem

    def late(self) -> bool:
        """Whether the file's time is over."""
        return time.process_time() > self.ends

    def be_in_time(self) -> None:
        """Call before work that takes long and no steps. Raises OutOfBudget."""
        if self.late():
            self.ran_out = True
            raise OutOfBudget

    def __post_init__(self) -> None:
        for other in (self.contracts, self.batches):
            other.formulas, other.variables = self.effort.formulas, self.effort.variables
