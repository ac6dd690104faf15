"""What nobody gave and a script asks for, made up: folders of pictures, arguments. Told with every result.

What is made up has other sizes in the run `varied`; a failure counts if it is the same there, message and all.
"""

from __future__ import annotations

import ast
import functools
import io
import os
import re
import tempfile
from typing import Any

from .records import named_keys

PICTURES = 600  # in a folder, shared among its classes
_COUNTS = re.compile(
    r"(num|n|nb|no)?_?(of_)?(out_?)?(class(es)?|labels|categories)(_?(num|count|nb|n))?", re.IGNORECASE
)


def declared_classes(root: str, script: str) -> int | None:
    """How many classes the script says that there are, in one number: ``CLASSES = 5``, ``Net(num_classes=5)``,
    ``add_argument("--num-classes", default=5)``."""
    try:
        with open(os.path.join(root, script), "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
    found = {n for node in ast.walk(tree) for n in _declared(node)}
    return found.pop() if len(found) == 1 else None


def _declared(node: ast.AST) -> list[int]:
    if isinstance(node, ast.Assign):
        pairs = [(t, v) for target in node.targets for t, v in _pairs(target, node.value)]
        return [n for target, value in pairs for n in _number(getattr(target, "id", ""), value)]
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return _number(getattr(node.target, "id", ""), node.value)
    if isinstance(node, ast.Call):
        found = [n for k in node.keywords for n in _number(k.arg or "", k.value)]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            names = [str(a.value).lstrip("-") for a in node.args if isinstance(a, ast.Constant)]
            defaults = [k.value for k in node.keywords if k.arg == "default"]
            found += [n for name in names for value in defaults for n in _number(name.replace("-", "_"), value)]
        return found
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return []  # a default that callers may overrule
    return []


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts))  # noqa: B905
    return [(target, value)]


def _number(name: str, value: ast.expr) -> list[int]:
    if _COUNTS.fullmatch(name) and isinstance(value, ast.Constant) and type(value.value) is int and value.value > 1:
        return [value.value]
    return []


class Inventions:
    """What is made up for one attempt, and what of it was asked for (`told`)."""

    def __init__(
        self,
        root: str,
        script: str,
        varied: bool,
        filled: bool = False,
        rank: int = 2,
        labels: bool = True,
        fits: Any = None,
    ) -> None:  # fmt: skip
        self.told: list[str] = []
        self.rank = rank  # of arrays that are not here
        self.labels = labels  # those that are named like labels have no other axis
        self.labelled = False  # there is such a one
        self.arrays = False  # such arrays were asked for
        self.sizes: dict[str, int] = {}  # those that were made up, by what they are sizes of
        self._fits: dict[str, int] = dict(fits or {})  # those that the program has asked for
        self._root = root
        self.filled = filled  # arguments that may stay None and name data are given too
        self.optional = False  # there are such arguments, and they stayed None
        self.contents = False  # of files, not only their sizes, is made up what nobody gave
        self.declared = declared_classes(root, script)
        self._varied = varied
        self._pictures: dict[tuple[str, ...], str] = {}  # by the names of classes
        self._texts: dict[tuple[str, ...], str] = {}

    def tell(self, what: str) -> None:
        if what not in self.told:
            self.told.append(what)

    def size(self, name: str, usual: int = 0, varied: int = 0) -> int:
        """A size that nobody gave: what the program has asked for, or one that is another in a varied attempt.

        Where none is given it is one that no other size is, in either attempt.
        """
        name = name.replace(self._root + os.sep, "")  # each attempt has another folder
        if name not in self.sizes:
            usual, varied = usual or 37 + 6 * len(self.sizes), varied or 43 + 10 * len(self.sizes)
            self.sizes[name] = self._fits.get(name, varied if self._varied else usual)
        return self.sizes[name]

    @functools.cached_property
    def keys(self) -> tuple[str, ...]:
        """What records of the project are asked for."""
        return named_keys(self._root)

    def pictures(self, classes: Any = None) -> str:
        """A folder with a folder of grey pictures for each class; of the names that the script gives, if it does."""
        names = self._classes(classes)
        if names not in self._pictures:
            written = io.BytesIO()
            self.picture(mask=self._varied).save(written, "JPEG")  # its reader says how many colours it wants
            self._pictures[names] = self._written(names, written.getvalue(), ".jpg")
        self.tell("pictures in a folder")
        return self._pictures[names]

    def texts(self, classes: Any = None) -> str:
        """A folder with a folder of texts for each class."""
        names = self._classes(classes)
        if names not in self._texts:
            words = " ".join(f"word{number}" for number in range(40 - 9 * self._varied)).encode()
            self._texts[names] = self._written(names, words, ".txt")
        self.contents = True
        self.tell("texts in a folder")
        return self._texts[names]

    def class_names(self) -> list[str]:
        """What a folder holds that is not here, if it has a folder for each class: no more is known of it."""
        self.contents = True
        self.tell("pictures in a folder")
        return list(self._classes(None))

    def _classes(self, classes: Any) -> tuple[str, ...]:
        count = self.declared or (5 if self._varied else 3)
        return tuple(str(c) for c in classes or ()) or tuple(f"class_{number:04d}" for number in range(count))

    def picture(self, mask: bool = False) -> Any:
        """A picture that is not here. Nobody says whether it has colours: in a varied run it is the other way."""
        from PIL import Image  # type: ignore[import-not-found,unused-ignore]

        size = (333, 290) if self._varied else (320, 275)
        return Image.new("L", size, 1) if mask is not self._varied else Image.new("RGB", size, (1, 2, 1))

    def _written(self, names: tuple[str, ...], content: bytes, ending: str) -> str:
        folder = tempfile.mkdtemp(prefix="made-up-")
        for name in names:
            os.makedirs(os.path.join(folder, name))
            for each in range(max(1, (PICTURES + 37 * self._varied) // len(names))):
                with open(os.path.join(folder, name, f"{each:04d}{ending}"), "wb") as file:
                    file.write(content)
        return folder

    @property
    def varied(self) -> bool:
        return self._varied

    def answer(self) -> InventedText:
        """What a person would type: a number, or what the program asks whether it is."""
        self.tell("an answer typed by a person")
        return InventedText(self.argument("int"))

    def argument(self, kind: str) -> int | float:
        """A number that nobody gave."""
        number = 12 if self._varied else 8
        return number if kind == "int" else number / 100


class InventedText(str):
    """A text that nobody gave: it is what the program first asks whether it is."""

    _is: str | None = None

    def __eq__(self, other: object) -> bool:
        if self._is is None and type(other) is str and other:
            self._is = other
        return str.__eq__(self, other) if self._is is None or not isinstance(other, str) else self._is == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def _same(self) -> InventedText:
        return self

    lower = upper = strip = _same  # type: ignore[assignment]


class InventedNumber(float):
    """A number of a tensor without values: to print it, log it or add it up decides nothing.

    A whole number made of it is perhaps a size (`decided`).
    """

    _progress: Any = None

    def of(self, progress: Any) -> InventedNumber:
        self._progress = progress
        return self


def _telling(name: str) -> Any:
    plain = getattr(float, name)

    def method(self: InventedNumber, *args: Any) -> Any:
        if self._progress is not None:
            self._progress.decided = True
        return plain(self, *args)

    return method


def _computing(name: str) -> Any:
    plain = getattr(float, name)

    def method(self: InventedNumber, *args: Any) -> Any:
        result = plain(self, *args)
        return InventedNumber(result).of(self._progress) if type(result) is float else result

    return method


_DECIDE = ("__int__", "__trunc__", "__round__", "__floor__", "__ceil__", "__floordiv__", "__mod__")
_COMPUTE = (
    "__add__", "__sub__", "__mul__", "__truediv__", "__pow__", "__neg__", "__abs__", "__pos__", "__radd__", "__rsub__",
    "__rmul__", "__rtruediv__", "__rpow__",
)  # fmt: skip
for _name in _DECIDE:
    if hasattr(float, _name):  # Python 3.8 lacks two
        setattr(InventedNumber, _name, _telling(_name))
for _name in _COMPUTE:
    setattr(InventedNumber, _name, _computing(_name))
InventedNumber.__hash__ = float.__hash__  # type: ignore[method-assign]
