"""What tracing believes of expressions, against their values in real runs of programs that come with packages.

    python benchmarks/tracing_recorded.py FOLDER --seed SEED [--dependencies FOLDER] [--packages N] [--programs 4]
                                          [--seconds S] [--kept FILE] [--made FILE ...]

FOLDER holds one folder for each package, unpacked; FILEs of mutants (`tracing_unseen`) have programs that were found
to run. A program of a package that runs as it stands (`published_drivers`) is run again in a forked child with a
recorder around every expression of the package and of the program, then traced with its package, nothing executed.
Where tracing has met no branch that it could not decide, or has taken the side that the run takes, the value that it
gives an expression has to be one of those recorded at the same place; and a place that it comes to has to be one that
was run. The first that differ of each program are told, as are errors claimed of it: it runs, so they are false.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import json
import pickle
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.language.container_values import DictV, ListV, SetV
from analyzer.tracing.language.evaluation import EXPRESSIONS
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Instance, Layer, Unknown
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.tracing import explore
from analyzer.validity.terms import Cond, Poly
from benchmarks.published_drivers import DRIVER, Program, drawn, import_frameworks, programs, run, source_root
from benchmarks.tracing_unseen import read

RECORDER = "__assay_recorded__"
RECORDED = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp,
            ast.IfExp, ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp, ast.Set, ast.SetComp)  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOAD = ast.Load()
MOST_VALUES = 60  # of one expression; with more it is compared no longer
MOST_TRIED = 10  # programs of one package
DEPTH = 3  # of containers
LONG = 60  # of a container whose elements are compared
MOST_TOLD = 4  # beliefs of one program that differ: others follow from these
SECONDS = 8  # of processor time, of a program that is recorded

Place = tuple[str, int, int, int, int, str]  # file, where an expression begins and ends, its kind
Described = tuple[Any, ...]  # a value in the words of both sides: its kind, and what is known of it
Branches = tuple[tuple[tuple[str, int, int], bool], ...]  # where something was decided that is not known, and how
Belief = tuple[Place, Described, Branches, int]  # the last: of which path
ANY: Described = ("any",)


# --------------------------------------------------------------------------------------------- the real run


class Instrument(ast.NodeTransformer):
    """A call of the recorder around each expression that is read."""

    def __init__(self, path: str) -> None:
        self.path = path

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.pattern):
            return node
        if isinstance(node, (ast.AnnAssign, ast.arg, ast.FunctionDef, ast.AsyncFunctionDef)):
            for field in ("annotation", "returns"):  # which may be read as text
                if (kept := getattr(node, field, None)) is not None:
                    setattr(node, field, None if field == "returns" else ast.Constant(None))
                    made: Any = self.generic_visit(node)
                    setattr(made, field, kept)
                    return made
        made = self.generic_visit(node)
        if not isinstance(node, RECORDED) or not isinstance(getattr(node, "ctx", LOAD), ast.Load):
            return made
        key: Any = place(self.path, node)
        call = ast.Call(ast.Name(RECORDER, ast.Load()), [ast.Constant(key), made], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def place(path: str, node: ast.expr) -> Place:
    return (path, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, type(node).__name__)


def recording() -> dict[Place, list[Described] | None]:
    """From here on instrumented code fills this: place -> the values in order, None for too many."""
    found: dict[Place, list[Described] | None] = {}

    def recorder(key: Place, value: Any) -> Any:
        known = found.setdefault(key, [])
        if known is not None:
            if len(known) < MOST_VALUES:
                known.append(described(value))
            else:
                found[key] = None
        return value

    setattr(builtins, RECORDER, recorder)
    return found


def record(root: str, text: str, file: str) -> None:
    """Run the program and write what its expressions were."""
    found = recording()

    def instrumented(loader: SourceFileLoader, data: Any, path: Any, *rest: Any, **more: Any) -> Any:
        name = str(path)
        if not name.startswith(f"{root}/") or not isinstance(data, bytes):
            return compiled(loader, data, path, *rest, **more)
        tree = Instrument(name[len(root) + 1 :]).visit(ast.parse(data))
        return compile(tree, name, "exec", dont_inherit=True)

    compiled = SourceFileLoader.source_to_code
    SourceFileLoader.source_to_code = instrumented  # type: ignore[assignment,method-assign]
    sys.pycache_prefix = tempfile.mkdtemp()  # what was compiled before is not instrumented
    main = sys.modules["__main__"]
    name = f"{root}/{DRIVER}"
    exec(compile(Instrument(DRIVER).visit(ast.parse(text)), name, "exec", dont_inherit=True), main.__dict__)
    Path(file).write_bytes(pickle.dumps(found))


def described(value: Any, depth: int = DEPTH) -> Described:
    """A real value."""
    try:
        return _described(value, depth)
    except Exception:  # a class of the package's own answers as it likes
        return ANY


def _described(value: Any, depth: int) -> Described:
    import numpy as np

    if value is None or type(value) in (bool, int, float, str):
        return ("is", value)
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    if isinstance(value, (np.ndarray, np.generic)) or (hasattr(value, "shape") and hasattr(value, "dtype")):
        if library == "numpy":
            small = value.size <= 16 and value.dtype.kind in "iub"
            return ("tensor", "numpy", tuple(value.shape), str(value.dtype), value.tolist() if small else None)
        if library == "torch":
            small = value.numel() <= 16 and str(value.dtype) in ("torch.int64", "torch.int32", "torch.bool")
            elements = value.detach().tolist() if small and value.device.type == "cpu" else None
            return ("tensor", "torch", tuple(value.shape), str(value.dtype).rpartition(".")[2], elements)
        if library in ("tensorflow", "keras"):
            sizes = None if value.shape is None else tuple(value.shape)
            return ("tensor", library, sizes, getattr(value.dtype, "name", value.dtype), None)
        return ANY
    if kind.__name__ == "TensorShape":
        return ("tuple", *(("is", n) for n in value.as_list())) if value.rank is not None else ANY
    if isinstance(value, (tuple, list)):
        kind_name = "tuple" if isinstance(value, tuple) else "list"
        if not depth or len(value) > LONG:
            return (kind_name, len(value), None)
        return (kind_name, len(value), tuple(described(v, depth - 1) for v in value))
    if kind is dict:
        if not depth or len(value) > LONG:
            return ("dict", len(value), None)
        return ("dict", len(value), tuple((described(k, 0), described(v, depth - 1)) for k, v in value.items()))
    if kind in (set, frozenset):
        return ("set", len(value), None)
    return ("object", tuple(k.__name__ for k in kind.__mro__))


# --------------------------------------------------------------------------------------------- what tracing believes


def believed(value: Any, depth: int = DEPTH) -> Described:
    """A traced value."""
    if value is None or type(value) in (bool, int, float, str):
        return ("is", value)
    if isinstance(value, Poly):
        return ("integer",)
    if isinstance(value, Cond):
        return ("truth",)
    if isinstance(value, Tensor):
        dims = value.dims
        sizes = None if dims is None else tuple(d if isinstance(d, int) else None for d in dims)
        return ("tensor", value.framework, sizes, value.dtype, _elements(value.value))
    if isinstance(value, Unknown):
        return believed(value.value[0], depth) if value.value is not None else ANY
    if isinstance(value, SetV):
        return ANY if value.open else ("set", len(value.items), None)
    if (type(value).__mro__[-2] is tuple and not hasattr(value, "_fields")) or type(value) is tuple:
        return _sequence("tuple", list(value), depth)
    if isinstance(value, ListV):
        return ("list", None, None) if value.open or value.choices else _sequence("list", value.items, depth)
    if isinstance(value, DictV):
        if value.open or value.choices or type(value) is not DictV:
            return ANY
        if not depth or len(value.items) > LONG:
            return ("dict", len(value.items), None)
        items = ((believed(k, 0), believed(v, depth - 1)) for k, v in value.items.items())
        return ("dict", len(value.items), tuple(items))
    if isinstance(value, Instance):
        return ("object", value.cls.name)
    if isinstance(value, Layer) and value.name.startswith(("torch.nn.", "keras.layers.", "tensorflow.keras.layers.")):
        return ("object", value.name.rpartition(".")[2])
    return ANY


def _sequence(kind: str, items: list[Any], depth: int) -> Described:
    if not depth or len(items) > LONG:
        return (kind, len(items), None)
    return (kind, len(items), tuple(believed(v, depth - 1) for v in items))


def _elements(value: Any) -> Any:
    """Elements of a tensor, with None for those that are no numbers."""
    if isinstance(value, (tuple, list)):
        return [_elements(v) for v in value]
    return value if isinstance(value, (int, bool)) else None


def agree(belief: Described, real: Described) -> bool:
    """Whether a belief may be true of a real value."""
    if ANY in (belief, real):
        return True
    kind, of = belief[0], real[0]
    if kind == "is":
        if of == "is":
            return _same(belief[1], real[1])
        if of == "tensor" and belief[1] is not None and not isinstance(belief[1], str):  # a number of NumPy
            return real[2] in ((), None) and (real[4] is None or _same(belief[1], real[4]))
        return (
            of == "object"
            and isinstance(belief[1], (str, int, float))
            and any(n in real[1] for n in ("str", "int", "float", "Enum"))
        )
    if kind == "integer":
        return (of == "is" and isinstance(real[1], int)) or (of == "tensor" and not real[2]) or of == "object"
    if kind == "truth":
        return (of == "is" and isinstance(real[1], bool)) or (of == "tensor" and not real[2]) or of == "object"
    if kind == "tensor":
        return _tensors(belief, real)
    if kind == "object":
        return of != "object" or bool(belief[1] in real[1])
    if of != kind:
        return bool(of == "object")
    if belief[1] is not None and belief[1] != real[1]:
        return False
    if belief[2] is None or real[2] is None:
        return True
    if kind == "dict":
        return all(agree(k, m) and agree(v, w) for (k, v), (m, w) in zip(belief[2], real[2], strict=True))
    return all(map(agree, belief[2], real[2]))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= 1e-6 * abs(other) or (one != one and other != other)
    return type(one) is type(other) and one == other


def _tensors(belief: Described, real: Described) -> bool:
    if real[0] == "is":  # a scalar that a library gives as a number of Python
        return not isinstance(real[1], (str, type(None))) and belief[2] in (None, ())
    if real[0] != "tensor":
        return bool(real[0] == "object")
    _, framework, sizes, dtype, elements = belief
    if (framework == "numpy") != (real[1] == "numpy") or (framework == "torch") != (real[1] == "torch"):
        return False
    if sizes is not None and real[2] is not None:
        if len(sizes) != len(real[2]):
            return False
        if any(a != b for a, b in zip(sizes, real[2], strict=True) if a is not None and b is not None):
            return False
    if dtype is not None and isinstance(real[3], str) and dtype != real[3].replace("bool_", "bool"):
        return False
    return elements is None or real[4] is None or _equal_elements(elements, real[4])


def _equal_elements(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal_elements, one, other))
    return one is None or bool(one == other)


def _kept_to(tr: Tracer) -> bool:
    """Whether what is believed here holds for this run: nothing was guessed, left open or tried out."""
    if tr.sampler is not None or tr.speculating or tr.doubts or tr.in_definition or tr.made_up or not tr.defaults:
        return False
    if tr.path.guessed:
        return False
    return not any(f.endless or f.forever or f.vague or f.cut for f in tr.frames)


def beliefs(root: Path, text: str) -> tuple[list[Belief], list[str]]:
    """What tracing believes of each expression of the program, in its order; and the errors that it claims."""
    found: list[Belief] = []
    rules = dict(EXPRESSIONS)
    last: tuple[list[object], Branches] = ([], ())

    def watched(rule: Callable[[Tracer, Any], Any]) -> Callable[[Tracer, Any], Any]:
        def watch(tr: Tracer, node: Any) -> Any:
            value = rule(tr, node)
            nonlocal last
            if tr.frames and isinstance(getattr(node, "ctx", LOAD), ast.Load) and _kept_to(tr):
                decided = tr.path.decisions
                if last[0] != decided:
                    sites = (((d.site.path, d.site.line, d.site.column), d.taken) for d in decided)
                    last = list(decided), tuple(sites)
                found.append((place(tr.frames[-1].path, node), believed(value), last[1], id(tr)))
            return value

        return watch

    EXPRESSIONS.update({kind: watched(rule) for kind, rule in rules.items() if kind in RECORDED})
    try:
        shared = explore(root, DRIVER, ast.parse(text), Versions())
    finally:
        EXPRESSIONS.update(rules)
    errors = [
        f"{'PROVED' if p.proved else 'possible'} {p.site.path}:{p.site.line} {p.rule} {p.message} [{p.tier}]"
        for p in shared.problems.values()
        if p.level == "error"
    ]
    return found, errors


# --------------------------------------------------------------------------------------------- both


@dataclass(frozen=True)
class Compared:
    """What came of one program. `held`: beliefs that a run confirms; `differing`: those that it does not, first ones"""

    package: str
    kind: str
    name: str
    seconds: float
    held: int
    known: int  # of them those that say something
    differing: tuple[str, ...]
    errors: tuple[str, ...]
    text: str


def compared(package: str, root: Path, program: Program, also: Path | None) -> Compared | str:
    """How tracing and a run of the program agree; a text: why it does not run."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "recorded"
        text = f"from benchmarks.tracing_recorded import record\nrecord({str(root)!r}, {program.text!r}, {str(file)!r})"
        outcome = run(root, text, also, watch=False, seconds=SECONDS)
        if outcome.error is not None or not file.exists():
            return outcome.error or "nothing recorded"
        real: dict[Place, list[Described] | None] = pickle.loads(file.read_bytes())
    started = time.process_time()
    found, errors = beliefs(root, program.text)
    seconds = time.process_time() - started
    if {key[0] for key in real} <= {DRIVER}:
        return "nothing of the package is run"
    held, known, told = held_against(found, real, root)
    return Compared(package, program.kind, program.name, round(seconds, 2), held, known, told, tuple(errors),
                    program.text)  # fmt: skip


Real = Mapping[Place, list[Described] | None]


def held_against(found: list[Belief], real: Real, root: Path) -> tuple[int, int, tuple[str, ...]]:
    """How many beliefs the run confirms, how many of them say something, and the first that it does not confirm."""
    truths = _truths(real)
    found = [b for b in found if all(truths.get(site) == {taken} for site, taken in b[2])]
    counts = Counter((key, path) for key, _, _, path in found)
    files = {key[0] for key in real}
    met: Counter[tuple[Place, int]] = Counter()
    told: list[str] = []
    held = known = 0
    for key, belief, _, path in found:
        number, values = met[key, path], real.get(key)
        met[key, path] += 1
        if key[0] not in files or (key in real and values is None):
            continue
        if values is None:
            if belief == ANY or not _ran_around(root, key, real):  # a decorator may have compiled the function anew
                continue
            told.append(f"{key[0]}:{key[1]}:{key[2]} {key[5]} is never run; {belief}")
            continue
        in_order = len(values) == counts[key, path]
        right = agree(belief, values[number]) if in_order else any(agree(belief, v) for v in values)
        held, known = held + right, known + (right and belief != ANY)
        if not right:
            other = values[number] if in_order else list(dict.fromkeys(map(str, values)))[:3]
            told.append(f"{key[0]}:{key[1]}:{key[2]} {key[5]} believed {belief}, is {other}"[:600])
    return held, known, tuple(dict.fromkeys(told))[:MOST_TOLD]


def _truths(real: Real) -> dict[tuple[str, int, int], set[bool | None]]:
    """Whether what begins at a place was true, each time that it was run; None where that is not known."""
    longest: dict[tuple[str, int, int], Place] = {}
    for key in real:
        if key[5] not in ("BoolOp", "IfExp"):
            longest[key[:3]] = max(longest.get(key[:3], key), key, key=lambda k: k[3:5])
    return {at: {None} if (of := real[key]) is None else {_truth(v) for v in of} for at, key in longest.items()}


def _truth(real: Described) -> bool | None:
    if real[0] in ("is", "tuple", "list", "dict", "set"):
        return len(real) > 1 and bool(real[1])
    return bool(real[4]) if real[0] == "tensor" and real[2] == () and real[4] is not None else None


def _ran_around(root: Path, key: Place, real: Mapping[Place, object]) -> bool:
    """Whether something of the innermost function around a place was run, or of the module outside of functions."""
    file = root / key[0]
    if not file.is_file():
        return True  # the program itself
    tree = ast.parse(file.read_bytes())
    inner = [n for n in ast.walk(tree) if isinstance(n, FUNCTIONS) and n.body[0].lineno <= key[1] <= _end(n)]
    if not inner:
        return True
    around = max(inner, key=lambda n: n.body[0].lineno)
    return any(k[0] == key[0] and around.body[0].lineno <= k[1] <= _end(around) for k in real)


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def material(arguments: argparse.Namespace) -> Iterator[tuple[str, Path, list[Program]]]:
    """Each package, its root and programs: those that were found to run, else those that it brings, by the seed."""
    if arguments.made:
        known: dict[Path, dict[str, Program]] = {}
        for mutant in (m for file in arguments.made for m in read(file)):
            if (root := Path(mutant.root)).is_dir():
                known.setdefault(root, {})[mutant.driver] = Program(mutant.kind, mutant.path, mutant.driver)
        for root, found in known.items():
            yield str(root), root.resolve(), list(found.values())
        return
    for package in drawn(arguments.folder.resolve(), arguments.seed)[: arguments.packages]:
        yield package.name, source_root(package).resolve(), programs(package, arguments.seed, written=True)[:MOST_TRIED]


def compare_all(arguments: argparse.Namespace) -> None:
    kept = arguments.kept
    have = {json.loads(line)["package"] for line in kept.read_text().splitlines()} if kept and kept.exists() else set()
    ends = time.monotonic() + arguments.seconds
    totals: Counter[str] = Counter()
    for name, root, brought in material(arguments):
        if name in have:
            continue
        if time.monotonic() > ends:
            break
        done, why = 0, Counter[str]()
        for program in brought:
            if done == arguments.programs or any(n > 1 and w.startswith("no module") for w, n in why.items()):
                break
            found = compared(name, root, program, arguments.dependencies)
            if isinstance(found, str):
                why[found[:60]] += 1
                continue
            done += 1
            totals.update(programs=1, held=found.held, known=found.known, differing=bool(found.differing))
            totals.update(f"{e.split()[0]} errors" for e in found.errors)
            print(f"{found.package} {found.kind} {found.name}: {found.held} held, {found.known} known, "
                  f"{found.seconds} s", flush=True)  # fmt: skip
            for line in (*found.differing, *found.errors):
                print(f"    {line}", flush=True)
            if kept:
                with kept.open("a") as out:
                    print(json.dumps(asdict(found)), file=out)
        if not done:
            print(f"skipped {name}: {why.most_common(3) or 'no program'}", flush=True)
        totals.update(packages=bool(done))
    print(dict(totals))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path())
    parser.add_argument("--seed", default="0")
    parser.add_argument("--made", type=Path, nargs="*", help="mutants (`tracing_unseen`): their programs, unchanged")
    parser.add_argument("--dependencies", type=Path, help="a folder of packages that the programs import")
    parser.add_argument("--packages", type=int, default=1000, help="of these, in the order of the draw")
    parser.add_argument("--programs", type=int, default=4, help="of one package that run")
    parser.add_argument("--seconds", type=float, default=3600.0, help="after which no further package is begun")
    parser.add_argument("--kept", type=Path, help="write what came of each program here, and go on from it")
    arguments = parser.parse_args()
    import_frameworks()
    compare_all(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
