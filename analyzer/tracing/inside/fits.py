"""Sizes that were made up, fitted to what a program asks of them.

A program that was given a table of 7 columns and says that it wants 13 is given 13: what fails then fails with data as
it wants them. Which of the made-up sizes is meant is read off two attempts in which each has another value: the size in
conflict that grows with one of them is made of it, the one that stays is the program's.
"""

from __future__ import annotations

import re
from typing import Any

from .conflicts import conflict

RANKS = (2, 3, 4)  # of an array that is not here, its rows among them
_SPLITS = re.compile(r"(?<![a-zA-Z])(train(ing)?|test(ing)?|val(id(ation)?)?|dev|eval)(?![a-zA-Z])", re.IGNORECASE)
# What an operator asks of one size exactly: where two sizes may also be stretched to each other nothing is fitted.
_ASKS = re.compile(
    r"cannot be multiplied|same reduction dim|channels|running_mean|equal to input_size|normalized_shape"
    r"|expected axis -1|In\[0\]|Dimensions must be equal, but are \d+ and \d+ for .*MatMul|expected shape="
)
_RESHAPED = (
    re.compile(r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)"),
    re.compile(r"cannot reshape array of size (\d+) into shape \(([-\d, ]+)\)"),
)


def of_any_split(name: str) -> str:
    """The name of an array or a table without that of a split, whose parts have the same sizes; numbered files too."""
    return re.sub(r"(^|(?<=/))\d+(?=\.\w+$)", "", _SPLITS.sub("", name))


def fitted(result: dict[str, Any], varied: dict[str, Any]) -> dict[str, int]:
    """The made-up size that has to be another one, and which; none where the two failures do not tell."""
    if result["status"] != "failed" or varied["status"] != "failed":
        return {}
    message, other = result["error"]["message"], varied["error"]["message"]
    sizes = {n: v for n, v in result["sizes"].items() if varied["sizes"].get(n, v) != v}
    pairs = {n: (v, varied["sizes"][n]) for n, v in sizes.items()}
    if _ASKS.search(message):
        first, second = _numbers(conflict(message)), _numbers(conflict(other))
        return _of_two(first, second, pairs)
    return _of_a_reshape(message, pairs)


def _numbers(found: tuple[str, ...] | None) -> list[int]:
    """The sizes of a conflict between two."""
    numbers = [int(n) for text in (found or ())[1:] for n in text.split(",")[-1:] if n.strip().isdigit()]
    return numbers if len(numbers) == 2 else []


def _of_two(first: list[int], second: list[int], pairs: dict[str, tuple[int, int]]) -> dict[str, int]:
    changed = [place for place in range(len(first)) if second and first[place] != second[place]]
    if len(changed) != 1:
        return {}
    wanted, made = first[1 - changed[0]], (first[changed[0]], second[changed[0]])
    found: dict[str, int] = {}
    same = [name for name, pair in pairs.items() if pair == made]
    for name, (one, two) in pairs.items():
        times, rest = divmod(made[1] - made[0], two - one)
        size, left = divmod(wanted - made[0] + times * one, times) if times else (0, 1)
        if rest == 0 and left == 0 and times > 0 and size > 0 and (not same or name in same):
            found[name] = size
    return found if len(found) == 1 else {}


def _of_a_reshape(message: str, pairs: dict[str, tuple[int, int]]) -> dict[str, int]:
    """Elements of one row: the product of a shape whose first size is left open. Of an array of rank 2 alone."""
    for form in _RESHAPED:
        found = form.search(message)
        if found is None:
            continue
        texts = found.groups() if form is _RESHAPED[0] else found.groups()[::-1]
        sizes = [int(n) for n in texts[0].split(",") if n.strip()]
        each, elements = 1, int(texts[1])
        for size in sizes:
            each *= size if size > 0 else 1
        flat = [n for n in pairs if n.endswith(":1") and f"{n[:-1]}2" not in pairs]
        names = [n for n in flat if elements % pairs[n][0] == 0]
        if len(names) == 1 and each > 1:
            return {names[0]: each}
    return {}
