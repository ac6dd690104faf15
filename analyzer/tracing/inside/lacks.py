"""What a machine lacks, told from what is wrong with a program, by the exception that a script ended with."""

from __future__ import annotations

import ast
import errno
import linecache
import os
import re
from typing import Any

from .assertions import of_results
from .size_conditions import asks_for_sizes

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMEWORKS = ("/torch/", "/keras/", "/tf_keras/", "/tensorflow/")
# What a library says of a folder that is not there, may not be written, or holds no more.
_OF_FILES = (
    *map(os.strerror, (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EFBIG, errno.ENOENT)),
    "Parent directory", "unexpected pos",
)  # fmt: skip
_OF_DEVICES = re.compile(r"cuda|nvidia|nccl|\b(mps backend|hip|xla|gpus?|triton)\b", re.IGNORECASE)

# What a library says of a search that found nothing, or of a folder without what it looks for.
_OF_SEARCHES = re.compile(
    r"\bno (valid |such )?(files?|images?|pictures|samples|videos|texts) (\w+ )?(match|found|in\b|were)|found (no|0) "
    r"(valid )?(files?|images?)|couldn't find any (class|file|image)",
    re.IGNORECASE,
)

# What `torch.distributed` says where no launcher has started the script.
_OF_LAUNCHERS = re.compile(r"environment variable (\w+) expected, but not set")


def lack(error: BaseException, own: list[Any], last: Any, *, nothing_left_out: bool) -> str | None:
    """What the machine lacks, in words; None where the program itself is wrong.

    `own` are the frames of the project's code, `last` is the innermost of all. A run with nothing left out has no other
    reason for what a library stumbles over than what it was given.
    """
    kind, text = type(error).__name__, str(error) or type(error).__name__
    if isinstance(error, ModuleNotFoundError):
        return "the package `%s`, which is not installed" % (error.name or text)
    if isinstance(error, ImportError):
        return f"an import that does not work with the installed versions ({text[:120]})"
    if own and own[-1] != last and _of_an_import(error, own[-1]):
        return f"a library that can be imported here ({kind}: {text[:120]})"
    if isinstance(error, (OSError, EOFError)) or any(word in text for word in _OF_FILES):
        return f"a file or the network ({kind}: {text[:120]})"
    if own[-1:] != [last] and _OF_SEARCHES.search(text):
        return f"files ({kind}: {text[:120]})"
    if own[-1:] != [last] and any(isinstance(e, OSError) for e in _behind(error)):
        return f"a file or the network ({kind}: {text[:120]})"
    if kind.startswith("Dist") and "torch" in type(error).__module__:
        return "several processes that talk to each other"
    if isinstance(error, MemoryError) or "allocate memory" in text or kind == "ResourceExhaustedError":
        return "more memory than is allowed"
    launched = _OF_LAUNCHERS.search(text)
    if launched is not None:
        return f"the environment variable '{launched.group(1)}'"
    if _OF_DEVICES.search(text):
        return f"a device that is not here ({text[:100]})"
    if isinstance(error, KeyError) and last is not None and last.filename.endswith(("os.py", "<frozen os>")):
        return f"the environment variable {text}"
    if isinstance(error, AttributeError) and text.startswith("module "):
        return f"a name that the installed version does not have ({text[:120]})"
    if isinstance(error, TypeError) and "unexpected keyword argument" in text and own[-1:] == [last]:
        return f"an argument that the installed version does not take ({text[:120]})"
    if own and last is not None and own[-1] != last and not _refusal(error) and not nothing_left_out:
        return f"a library that gets on without what was left out ({kind}: {text[:80]})"
    if "__assay_" in text or (last is not None and last.filename.startswith(HERE)):
        return f"something that was left out ({kind})"
    if own and own[-1] == last and _by_itself(error, last, nothing_left_out):
        return f"it refuses to go on by itself ({kind}: {text[:120]})"
    return None


def _of_an_import(error: BaseException, line: Any) -> bool:
    """Whether a library failed while it was imported, or says that it is for want of an import."""
    if (line.line or "").lstrip().startswith(("import ", "from ")):
        return True
    return isinstance(error, RuntimeError) and isinstance(error.__cause__, ImportError)


def _behind(error: BaseException) -> list[BaseException]:
    """The exceptions that this one was raised for, or while they were handled."""
    found: list[BaseException] = []
    earlier = error.__cause__ or error.__context__
    while earlier is not None and earlier not in found:
        found.append(earlier)
        earlier = earlier.__cause__ or earlier.__context__
    return found


def _refusal(error: BaseException) -> bool:
    """Whether a library says with it that it was given something wrong; other errors inside it are confusion."""
    if isinstance(error, (UnboundLocalError, NameError, AttributeError, RecursionError, KeyError, NotImplementedError)):
        return False
    refusals = (RuntimeError, ValueError, TypeError, IndexError, ZeroDivisionError, ArithmeticError)
    return isinstance(error, refusals) or type(error).__name__.endswith(("Error", "Exception"))


# ------------------------------------------------------------------------- what a program refuses by itself


def _by_itself(error: BaseException, last: Any, nothing_left_out: bool) -> bool:
    """Whether the project's own `raise` or `assert` ended the script, and not for the sizes of something.

    What it raises because an operator has refused something is the operator's refusal. Where nothing was left out, an
    assertion about what the program has computed is its failure: the numbers are those of any run.
    """
    try:
        tree = ast.parse("".join(linecache.getlines(last.filename)))
    except (SyntaxError, ValueError, RecursionError):
        return (last.line or "").lstrip().startswith(("raise", "assert"))
    path = _path_to(tree, last.lineno)
    if not path:
        return False
    if isinstance(path[-1], ast.Raise) and any(isinstance(node, ast.ExceptHandler) for node in path):
        earlier = error.__cause__ or error.__context__
        return earlier is None or lack(earlier, [last], None, nothing_left_out=True) is not None
    conditions = [node.test for node in path if isinstance(node, (ast.If, ast.Assert))]
    functions = [n for n in path if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    if not conditions:
        return True
    names = _names(error, last)
    if _of_sizes(conditions[-1], functions[-1] if functions else None, names):
        return False
    asserts = isinstance(path[-1], ast.Assert)
    return not (nothing_left_out and asserts and of_results(conditions[-1], [tree, *functions], names))


def _path_to(tree: ast.Module, line: int) -> list[ast.AST]:
    """The statements around the `raise` or `assert` of a line, outermost first, and itself."""
    found: list[ast.AST] = []

    def inside(node: ast.AST, above: list[ast.AST]) -> None:
        for below in ast.iter_child_nodes(node):
            if isinstance(below, (ast.stmt, ast.ExceptHandler)) and below.lineno <= line <= (below.end_lineno or 0):
                path = [*above, below]
                if isinstance(below, (ast.Raise, ast.Assert)):
                    found[:] = path
                inside(below, path)

    inside(tree, [])
    return found


def _names(error: BaseException, last: Any) -> dict[str, Any]:
    trace, names = error.__traceback__, {}
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == last.filename and trace.tb_lineno == last.lineno:
            names = {**trace.tb_frame.f_globals, **trace.tb_frame.f_locals}
        trace = trace.tb_next
    return names


def _of_sizes(condition: ast.expr, function: Any, names: dict[str, Any]) -> bool:
    """Whether it asks for sizes, or compares two."""
    if asks_for_sizes(condition, function):
        return True
    compared = [n for n in ast.walk(condition) if isinstance(n, ast.Compare)]
    return any(_compares_sizes([c.left, *c.comparators], names) for c in compared)


def _compares_sizes(operands: list[ast.expr], names: dict[str, Any]) -> bool:
    """Whether two of the operands are no constants, and all of them integers, or rows of integers."""
    named = (ast.Name, ast.Tuple, ast.List)  # `-1` and `10**6` are constants too
    if sum(any(isinstance(n, named) for n in ast.walk(o)) for o in operands) < 2:
        return False
    for operand in operands:
        if any(isinstance(n, (ast.Call, ast.Await, ast.Yield, ast.NamedExpr, ast.Lambda)) for n in ast.walk(operand)):
            return False
        try:
            value = eval(compile(ast.Expression(operand), "<condition>", "eval"), names)  # the script's own code
        except Exception:
            return False
        if not _sizes(value):
            return False
    return True


def _sizes(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return bool(value) and all(_sizes(v) for v in value)
    return isinstance(value, int) and not isinstance(value, bool)
