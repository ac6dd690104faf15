"""Files that a script looks for and does not find: what it asked for, and pictures that are made up in their place."""

from __future__ import annotations

import builtins
import glob
import io
import os
import pathlib
import re
from typing import Any

from . import records
from .made_up import InventedText

PICTURES = (".jpg", ".jpeg", ".png", ".bmp")
TEXTS = (".txt",)
SEARCHES = ("glob.glob", "pathlib.Path.glob", "pathlib.Path.rglob", "os.walk")  # audit events
FOUND = 160  # pictures that are made up where a pattern finds none
# What a program says of data that are none: no number, a zero, or a word for it.
_EMPTY = re.compile(r"(?<![\d.])0(?![\d.])|empt|at least one|zero|out of range|no (file|image|data)", re.IGNORECASE)
_AXES = re.compile(r"(dim(ension)?|axis|batch|argument|arg|position|layer|Input|tensor)s? 0", re.IGNORECASE)

_MASKS = re.compile(
    r"mask|label|seg|annot|\bgts?\b|target|trimap", re.IGNORECASE
)  # such pictures hold numbers of classes


def of_nothing(message: str) -> bool:
    """Whether an error may be for want of any data."""
    text = _AXES.sub("", message)
    return _EMPTY.search(text) is not None or not re.search(r"(?<![A-Za-z_])\d", text)


class FileSearches:
    """Patterns that the project's own code looked for, and that no file goes with.

    Heard as audit events, so nothing that looks for files is changed.
    """

    def __init__(self, root: str) -> None:
        self.root, self._asking = root, False
        self.nothing: list[str] = []

    def heard(self, event: str, given: tuple[Any, ...], frame: Any) -> None:
        if self._asking or not self._of_project(frame):
            return
        self._asking = True
        try:
            if event == "os.walk":
                pattern, found = str(given[0]), os.path.isdir(given[0])
            else:
                pattern = str(given[0]) if event == "glob.glob" else os.path.join(str(given[0]), str(given[1]))
                found = self._any(event, given)
        except Exception:  # whatever the script searches with, which it is told itself: to hear of it must not end it
            return
        finally:
            self._asking = False
        if not found:
            self.nothing.append(pattern.replace(self.root + os.sep, ""))

    def _any(self, event: str, given: tuple[Any, ...]) -> bool:
        if event == "glob.glob":
            return next(glob.iglob(given[0], recursive=bool(given[1])), None) is not None
        search = pathlib.Path.glob if event == "pathlib.Path.glob" else pathlib.Path.rglob
        return next(iter(search(pathlib.Path(given[0]), given[1])), None) is not None

    def _of_project(self, frame: Any) -> bool:
        for _ in range(6):
            if frame is None:
                return False
            name = frame.f_code.co_filename
            if name.startswith(self.root + os.sep):
                return True
            frame = frame.f_back
        return False


def made_up_files(progress: Any) -> dict[str, Any]:
    """Adapters for what reads pictures, by module."""
    return {
        "glob": lambda glob: _globs(glob, progress),
        "os": lambda module: _listed(module, progress),
        "pathlib": lambda pathlib: _paths(pathlib, progress),
        "PIL.Image": lambda module: _opened(module, "open", progress, _pillow),
        "cv2": lambda module: _opened(module, "imread", progress, _opencv),
    }


def absent(path: Any, endings: tuple[str, ...]) -> bool:
    """Whether a path names a file of such a kind, or is an argument that nobody gave, and no file is there."""
    named = isinstance(path, (str, os.PathLike)) and os.fspath(path)
    of_kind = isinstance(path, InventedText) or str(named).lower().endswith(endings)
    return bool(named) and of_kind and not os.path.exists(named)


def _globs(glob: Any, progress: Any) -> None:
    """A pattern of pictures of which there is none finds made-up ones, in a folder that is not here either."""
    plain = glob.glob

    def found(pathname: Any, *args: Any, **options: Any) -> Any:
        names = plain(pathname, *args, **options)
        folder, pattern = os.path.split(str(pathname))
        if names or glob.has_magic(folder) or not progress.asked_by_project():
            return names
        return [os.path.join(folder, name) for name in _invented(folder, pattern, progress)]

    glob.glob = found


def _listed(module: Any, progress: Any) -> None:
    """A folder that is not here and that the project lists is one of folders of pictures, one for each class."""
    plain = module.listdir

    def listdir(path: Any = ".") -> Any:
        named = isinstance(path, (str, os.PathLike)) and os.fspath(path)
        if not named or os.path.exists(path) or not progress.asked_by_project():
            return plain(path)
        return progress.inventions.class_names()

    module.listdir = listdir


def _paths(pathlib: Any, progress: Any) -> None:
    def searching(plain: Any) -> Any:
        def found(self: Any, pattern: Any, *args: Any, **options: Any) -> Any:
            names = list(plain(self, pattern, *args, **options))
            if not names and progress.asked_by_project():
                names = [self / name for name in _invented(str(self), str(pattern), progress)]
            return iter(names)

        return found

    for name in ("glob", "rglob"):
        setattr(pathlib.Path, name, searching(getattr(pathlib.Path, name)))


def _invented(folder: str, pattern: str, progress: Any) -> list[str]:
    """Names of pictures that a pattern would find in a folder that is not here."""
    ending = next((e for e in (*PICTURES, ".npy") if pattern.lower() == f"*{e}"), None)
    if ending is None or os.path.isdir(folder):
        return []
    progress.inventions.tell("arrays in a folder" if ending == ".npy" else "pictures in a folder")
    return [f"{number:04d}{ending}" for number in range(FOUND + 37 * progress.inventions.varied)]


def _opened(module: Any, name: str, progress: Any, made: Any) -> None:
    plain = getattr(module, name)

    def read(path: Any, *args: Any, **options: Any) -> Any:
        if not absent(path, PICTURES) or not progress.missed_by_project():
            return plain(path, *args, **options)
        progress.inventions.tell("pictures that are not here")
        return made(progress.inventions.picture(_MASKS.search(os.fspath(path)) is not None), args, options)

    setattr(module, name, read)


def _pillow(picture: Any, args: Any, options: Any) -> Any:
    return picture


def _opencv(picture: Any, args: Any, options: Any) -> Any:
    import numpy

    array = numpy.array(picture)[:, :, ::-1].copy()
    flag = options.get("flags", args[0] if args else 1)
    return array if flag != 0 else array[:, :, 0].copy()


def texts_made_up(progress: Any) -> None:
    """A text that is not here and that the project's own code reads is a made-up one: its contents decide nothing."""
    plain, plain_path, plain_text = builtins.open, pathlib.Path.open, pathlib.Path.read_text

    def made(file: Any) -> Any:
        progress.inventions.contents = True
        name = os.path.basename(str(file))
        progress.inventions.tell(f"the text {name}")
        if name.lower().endswith(records.ENDINGS):
            return io.StringIO(records.text(str(file), progress.inventions))
        return io.StringIO(text(progress.inventions.varied))

    def asked(file: Any, mode: str) -> bool:
        if records.of_settings(file):
            return False
        return mode in ("r", "rt") and absent(file, TEXTS + records.ENDINGS) and bool(progress.missed_by_project(3))

    def read(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        return made(file) if asked(file, mode) else plain(file, mode, *args, **options)

    def opened(self: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        return made(self) if asked(self, mode) else plain_path(self, mode, *args, **options)

    def read_text(self: Any, *args: Any, **options: Any) -> Any:
        return made(self).read() if asked(self, "r") else plain_text(self, *args, **options)

    builtins.open = read
    pathlib.Path.open, pathlib.Path.read_text = opened, read_text  # type: ignore[method-assign]


def text(varied: bool) -> str:
    """Lines of words, each in two halves that a tab divides."""
    letters = "abcdefghijklmnopqrstuvwxyz"[: 26 - 3 * varied]
    words = [
        letters[i % len(letters)] * (1 + i % 4) + letters[(3 * i + 1) % len(letters)] for i in range(300 + 41 * varied)
    ]
    lines = []
    for number in range(900 + 87 * varied):
        picked = [words[(number * 7 + 11 * place) % len(words)] for place in range(6 + number % 9)]
        half = len(picked) // 2
        lines.append(f"{' '.join(picked[:half]).capitalize()} .\t{' '.join(picked[half:])} .")
    return "\n".join(lines) + "\n"
