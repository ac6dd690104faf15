"""`pandas` in a dry run: a table that is not here has the columns that the script names, and others besides; one of
numbers that NumPy reads has as many as it asks for, or an unknown number.

How many others there are hangs on the attempt, as the rows do: what fails for that is not the same in another one.
"""

from __future__ import annotations

import os
import re
from typing import Any

from .absent_files import absent
from .fits import of_any_split

ROWS, OTHERS = (620, 711), (7, 11)  # of an attempt, and of a varied one
ENDINGS = (".csv", ".tsv", ".txt", ".data", ".csv.gz", ".xlsx", ".xls", ".parquet")
TABLES = (".csv", ".tsv", ".txt", ".data", ".dat")
_WORDS = re.compile(r"text|review|comment|sentence|title|tweet|question|content|description|message", re.IGNORECASE)
_KINDS = re.compile(r"label|target|class|species|categor|outcome|survived|digit|^y$|_id$|^id$", re.IGNORECASE)


def adapters(progress: Any) -> dict[str, Any]:
    return {"pandas": lambda pandas: _tables(pandas, progress), "numpy": lambda numpy: _numbers(numpy, progress)}


def _others(path: Any, progress: Any) -> int:
    """How many columns a table has that nobody names."""
    return int(progress.inventions.size(f"columns of {of_any_split(os.fspath(path))}", *OTHERS))


def _numbers(numpy: Any, progress: Any) -> None:
    """Tables of numbers in texts; of other types nothing is made up."""
    varied = progress.inventions.varied

    def reading(plain: Any) -> Any:
        def read(path: Any, dtype: Any = float, *args: Any, **options: Any) -> Any:
            kinds = {"names", "converters", "unpack", "max_rows"} & set(options)
            numbers = dtype is not None and numpy.dtype(dtype).kind in "fiu"
            if args or kinds or not numbers or not absent(path, TABLES) or not progress.missed_by_project():
                return plain(path, dtype, *args, **options)
            progress.inventions.contents = True
            progress.inventions.tell("the rows of a table")
            asked = options.get("usecols")
            columns = 1 if isinstance(asked, int) else len(asked) if asked is not None else _others(path, progress)
            table = numpy.arange(ROWS[varied] * columns).reshape(ROWS[varied], columns) * 7 % (97 - 8 * varied)
            return (table[:, 0] if isinstance(asked, int) else table).astype(dtype)

        return read

    for name in ("loadtxt", "genfromtxt"):
        setattr(numpy, name, reading(getattr(numpy, name)))


def _tables(pandas: Any, progress: Any) -> None:
    import numpy

    varied = progress.inventions.varied
    rows = ROWS[varied]

    def cells(name: Any, count: int) -> Any:
        seed = sum(map(ord, str(name)))
        numbers = (numpy.arange(count) * 7 + seed) % (97 - 8 * varied)
        if _WORDS.search(str(name)):
            more = " and more" * (1 + varied)
            return [f"a text of {number} and {number % 7} words{more}" for number in numbers]
        if _KINDS.search(str(name)):
            return numbers % (3 if varied else 2)
        return numbers / 10

    class MadeUpTable(pandas.DataFrame):  # type: ignore[misc]
        @property
        def _constructor(self) -> Any:
            return MadeUpTable

        def __getitem__(self, key: Any) -> Any:
            self._named(key)
            return super().__getitem__(key)

        def drop(self, labels: Any = None, *args: Any, **options: Any) -> Any:
            if options.get("columns") is not None:
                self._named(options["columns"])
            elif (args[:1] or (options.get("axis"),))[0] in (1, "columns"):
                self._named(labels)
            return super().drop(labels, *args, **options)

        def _named(self, key: Any) -> None:
            for name in [key] if isinstance(key, str) else key if isinstance(key, list) else []:
                if isinstance(name, str) and name not in self.columns:
                    pandas.DataFrame.__setitem__(self, name, cells(name, len(self)))

    def reading(plain: Any) -> Any:
        def read(path: Any, *args: Any, **options: Any) -> Any:
            given = {"header", "names", "chunksize", "iterator", "usecols"} & set(options)
            names: Any = options.get("names") or options.get("usecols")
            by_name = isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
            if not absent(path, ENDINGS) or not progress.missed_by_project() or (given and not by_name):
                return plain(path, *args, **options)
            progress.inventions.contents = True
            progress.inventions.tell("the rows of a table")
            columns = list(names) if by_name else [f"column_{number}" for number in range(_others(path, progress))]
            return MadeUpTable({name: cells(name, rows) for name in columns})

        return read

    for name in ("read_csv", "read_table", "read_excel", "read_parquet"):
        if hasattr(pandas, name):
            setattr(pandas, name, reading(getattr(pandas, name)))
