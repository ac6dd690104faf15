"""Entry points from what people already wrote: a README, test or example that makes a model and calls it.

Of such code the statements that the call rests on are kept, and become a function without arguments that gives the
model and its example inputs. The text is only read; what comes of it is run where entry points are.
"""

from __future__ import annotations

import ast
import copy
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analyzer.selecting.entry_helpers import helpers
from analyzer.selecting.model_code import ModelClass, ModelCode, Source, framework_names, runs_when_imported

_STATEMENTS = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
MOST_STATEMENTS = 40  # a longer example is a program, not an example
_GIVEN: tuple[list[str], ...] = ([], ["self"], ["args"], ["argv"], ["_"])  # parameters of a test, and of a program
EXAMPLES = 3  # of one model: where the first is older than the model, another may fit


@dataclass(frozen=True, slots=True)
class ExampleCall:
    """A call of a model that the repository itself shows. `body` are the lines of the function that repeats it."""

    name: str  # of the function
    model: ModelClass
    path: str  # where it stands
    line: int
    body: tuple[str, ...]
    inferred: bool = False  # no example: the inputs are what the layers suggest (`inferred_inputs`)
    told: tuple[tuple[str, ...], ...] = ()  # bodies with the inputs that the layers suggest, likelier ones first
    losses: Mapping[tuple[str, ...], tuple[tuple[str, ...], ...]] = field(default_factory=dict)  # with each of them
    calling: Mapping[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)  # of such a body one that calls
    loop: int = 0  # line of the training loop
    # With inputs that nothing suggests: they count only where tracing refuses the last one.
    tried: tuple[tuple[str, ...], ...] = ()
    control: tuple[str, ...] = ()
    certain: bool = True  # the model is known to take the inputs: an example says so, or tracing
    fails: str = ""  # why the example cannot work, where tracing proves it: it is older than the model, say


def examples_by_model(code: ModelCode) -> tuple[tuple[ExampleCall, ...], ...]:
    """The first examples of each model class, at most `EXAMPLES`, READMEs before tests and other code."""
    classes = {c.name: c for c in code.classes}
    found: dict[tuple[str, str], list[ExampleCall]] = {}
    for source in sorted(code.sources, key=pages_first):
        for call in _of_source(source, classes):
            found.setdefault((call.model.name, call.model.path), []).append(call)
    return tuple(tuple(calls[:EXAMPLES]) for calls in found.values())


def example_calls(code: ModelCode) -> tuple[ExampleCall, ...]:
    """The first example of each model class, each with a name of its own."""
    names: set[str] = set()
    return tuple(with_own_name(calls[0], names) for calls in examples_by_model(code))


def written(calls: Sequence[ExampleCall]) -> str:
    """A module with one entry point a call."""
    functions = []
    for call in calls:
        where = f"{_plain(call.path)}:{call.line}"
        fitting = "sizes that its layers take" if call.certain else "a guess from its layers: correct them"
        said = f"({where}); its inputs are {fitting}" if call.inferred else f"as in {where}"
        said = f"{call.model.name} {said}" if call.inferred else f"{call.model.name}, {said}"
        lines = [f"def {call.name}():", f'    """{said}."""']
        functions.append("\n".join([*lines, *(f"    {line}" for line in _once_imported(call.body))]))
    needed = helpers(line for call in calls for line in call.body)
    head = '"""Entry points for Assay: each gives a model and example inputs. Made by `assay init`; edit freely."""'
    return "\n\n\n".join([f"{head}\n{needed}".rstrip(), *functions]) + "\n"


def _once_imported(body: Sequence[str]) -> Iterator[str]:
    seen: set[str] = set()
    for line in body:
        if line not in seen:
            yield line
        if line.startswith(("import ", "from ")):
            seen.add(line)


def _plain(text: str) -> str:
    """A path as part of a docstring: no quote, backslash or control character."""
    return re.sub(r'["\\\\]|[^ -~]', "?", text)


def _of_source(source: Source, classes: dict[str, ModelClass]) -> Iterator[ExampleCall]:
    trees = [source.tree] if source.file is None else [source.tree, source.file]
    local = {n.name for tree in trees for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    importable = set() if any(map(runs_when_imported, trees)) and source.path.endswith(".py") else local
    seen: list[ast.stmt] = (
        [n for n in source.file.body if isinstance(n, ast.Import | ast.ImportFrom)] if source.file else []
    )
    torch = frozenset().union(*(framework_names(tree, ("torch",)) for tree in trees))
    for before, block in straight_line(source.tree, seen):
        models: dict[str, ModelClass] = {}
        for at, statement in enumerate([*before, *block]):
            for call in _calls(statement) if at >= len(before) else ():
                if isinstance(call.func, ast.Name):
                    held = models.get(call.func.id)
                else:
                    held = _made(call.func, models, classes, local, source)  # `Net()(x)`
                if held is None or not (call.args or call.keywords):
                    continue
                body = _slice([*before, *block][:at], call, importable, source, held)
                if body is not None:
                    yield ExampleCall(snake(held.name), held, source.path, source.line + call.lineno - 1, body)
            target = assigned(statement)
            made = getattr(statement, "value", None)
            if target and isinstance(made, ast.Call):
                model = _made(made, models, classes, local, source)
                if model is None and is_sequential(made, torch):
                    model = ModelClass(target, source.path, source.line + made.lineno - 1, "torch", ())
                if model is not None:
                    models[target] = model
                else:
                    models.pop(target, None)


_KEEPING = frozenset({"to", "cpu", "cuda", "eval", "train", "float", "double", "half", "requires_grad_"})


def _made(
    value: ast.expr, models: dict[str, ModelClass], classes: dict[str, ModelClass], local: set[str], source: Source
) -> ModelClass | None:
    """The class of the model that an expression gives: ``Net()``, ``nets.Net(3).to(device).eval()``, ``net.cuda()``.

    `models` are the variables that hold one.
    """
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _KEEPING:
        value = value.func.value
        if isinstance(value, ast.Name):
            return models.get(value.id)
    if not isinstance(value, ast.Call):
        return None
    found = classes.get(ast.unparse(value.func).rpartition(".")[2])
    return found if found is not None and (found.name not in local or found.path == source.path) else None


def is_sequential(call: ast.Call, torch: frozenset[str]) -> bool:
    """``nn.Sequential(…)``, a model without a class of its own, by a name that an import of torch binds."""
    dotted = ast.unparse(call.func)
    return dotted.rpartition(".")[2] == "Sequential" and dotted.partition(".")[0] in torch and bool(call.args)


class WithoutAccelerator(ast.NodeTransformer):
    """Examples are repeated where no GPU need be: ``.cuda()`` goes, and ``"cuda:0"`` is ``"cpu"``."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        moved = isinstance(node.func, ast.Attribute) and node.func.attr == "cuda"
        return node.func.value if moved and isinstance(node.func, ast.Attribute) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return node.body if ast.dump(node.body) == ast.dump(node.orelse) else node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        is_device = isinstance(node.value, str) and re.fullmatch(r"cuda(:\d+)?", node.value)
        return ast.Constant("cpu") if is_device else node


def straight_line(tree: ast.Module, seen: list[ast.stmt]) -> Iterator[tuple[list[ast.stmt], list[ast.stmt]]]:
    """Straight-line code with what runs before it: the module's own, and that of each function that needs no argument.

    What its arguments are by default is assigned first, where the function returns nothing: it is a program, then. One
    of the parsed command line alone counts too. `seen` runs before all of it: the imports of the file whose docstring
    it stands in.
    """
    yield seen, tree.body
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]  # a test may be a method
        for function in inner:
            if isinstance(function, ast.FunctionDef):
                if [a.arg for a in function.args.args] in _GIVEN:
                    yield tree.body, function.body
                elif (settings := _settings(function)) is not None:
                    yield tree.body, [*settings, *function.body]
        if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
            yield tree.body, node.body


def _settings(function: ast.FunctionDef) -> list[ast.stmt] | None:
    """The defaults of a program's arguments, assigned; None where one has none, or something is returned."""
    given = function.args
    if given.vararg or given.kwarg or len(given.defaults) < len(given.posonlyargs) + len(given.args):
        return None
    if any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function)):
        return None
    pairs = [*zip((*given.posonlyargs, *given.args), given.defaults, strict=True)]
    pairs += [(a, d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is not None]
    if len(pairs) < len(given.defaults) + len(given.kwonlyargs):
        return None
    return [ast.copy_location(ast.Assign([ast.Name(a.arg, ast.Store())], d), function) for a, d in pairs]


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Assert):
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.Call))


def assigned(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return None


def _slice(
    before: Sequence[ast.stmt], call: ast.Call, local: set[str], source: Source, model: ModelClass
) -> tuple[str, ...] | None:
    """The statements that `call` rests on, and a last one that gives model and inputs; None where more is needed."""
    call = WithoutAccelerator().visit(copy.deepcopy(call))
    lines = statements_behind(before, {n.id for n in ast.walk(call) if isinstance(n, ast.Name)}, local, source)
    return None if lines is None else (*lines, _result(call, model))


def statements_behind(
    before: Sequence[ast.stmt], needed: set[str], local: set[str], source: Source
) -> tuple[str, ...] | None:
    """The statements of `before` that the names `needed` rest on, as lines; None where more is needed.

    `local` are the names that the file defines: they are imported from it.
    """
    kept: list[ast.stmt] = []
    for statement in reversed(before):
        binds = bound(statement)
        if not ((isinstance(statement, _STATEMENTS) and binds & needed) or _adds_to(statement) in needed):
            continue
        statement = WithoutAccelerator().visit(copy.deepcopy(statement))
        kept.append(_only(statement, needed))
        needed = needed - binds
        needed |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    missing = needed - set(dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__)
    first = []
    if missing & local:  # defined beside the call: imported from there
        module = module_of(source.path)
        if module is None:
            return None
        first = [f"from {module} import {', '.join(sorted(missing & local))}"]
        missing -= local
    if missing or len(kept) > MOST_STATEMENTS or any(isinstance(s, ast.ImportFrom) and s.level for s in kept):
        return None
    lines = [line for s in reversed(kept) for line in ast.unparse(s).splitlines()]
    if any(DOWNLOADS.search(line) for line in lines):
        return None
    return (*first, *lines)


def module_of(path: str) -> str | None:
    """The name by which a file is imported; None where it has none."""
    if not path.endswith(".py"):
        return None
    module = re.sub(r"^src\.|\.__init__$", "", path[: -len(".py")].replace("/", "."))
    named = all(part.isidentifier() and not keyword.iskeyword(part) for part in module.split("."))
    return module if named else None


def _adds_to(statement: ast.stmt) -> str | None:
    """The variable that a statement adds a layer to: ``model`` of ``model.add(…)``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "add"):
        return None
    return call.func.value.id if isinstance(call.func.value, ast.Name) else None


DOWNLOADS = re.compile(  # needs what is not at hand
    r"pretrained|download|requests\.|urlopen|open\(|\.load\(|load_data\(|read_csv\("
)


def _only(statement: ast.stmt, needed: set[str]) -> ast.stmt:
    """Of an import the names that are needed."""
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return statement
    names = [a for a in statement.names if (a.asname or a.name).partition(".")[0] in needed]
    if isinstance(statement, ast.Import):
        return ast.Import(names=names)
    return ast.ImportFrom(module=statement.module, names=names, level=statement.level)


def bound(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _result(call: ast.Call, model: ModelClass) -> str:
    name = ast.unparse(call.func)
    settings = [k for k in call.keywords if k.arg is None or _is_setting(k.value)]
    plain = [a for a in call.args if not _is_setting(a)]
    if not settings and len(plain) == len(call.args):
        if not call.keywords:
            comma = "," if len(call.args) == 1 else ""
            return f"return {name}, ({', '.join(map(ast.unparse, call.args))}{comma})"
        if not call.args:
            given = ", ".join(f"{k.arg!r}: {ast.unparse(k.value)}" for k in call.keywords)
            return f"return {name}, {{{given}}}"
    if model.framework != "torch":
        return f"return {name}"
    tensors = [*plain, *(k.value for k in call.keywords if k not in settings)]
    names = iter(f"x{i}" for i in range(len(tensors)))
    inner = [ast.unparse(a) if _is_setting(a) else next(names) for a in call.args]
    inner += [ast.unparse(k) if k in settings else f"{k.arg}={next(names)}" for k in call.keywords]
    bound = "".join(f", x{i}" for i in range(len(tensors)))
    given = ", ".join(ast.unparse(t) for t in tensors)
    comma = "," if len(tensors) == 1 else ""
    return f"return _Call({name}, lambda model{bound}: model({', '.join(inner)})), ({given}{comma})"


def _is_setting(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant)


def snake(name: str) -> str:
    return (
        re.sub(r"(?<=[A-Za-z0-9])(?=[A-Z][a-z]{2})|(?<=[a-z0-9])(?=[A-Z][a-z])", "_", name).lower().strip("_")
        or "model"
    )


def pages_first(source: Source) -> tuple[bool, int, str]:
    """The order in which sources are looked through: what is written for readers, then what stands near the root."""
    return not source.path.endswith((".md", ".rst")), source.path.count("/"), source.path


def with_own_name(call: ExampleCall, names: set[str]) -> ExampleCall:
    """`call` under a name that is not among `names`, which it joins."""
    name, number = call.name, 2
    while name in names or keyword.iskeyword(name):
        name, number = f"{call.name}_{number}", number + 1
    names.add(name)
    return replace(call, name=name)
