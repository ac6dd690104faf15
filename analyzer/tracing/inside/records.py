"""Texts of records that are not here (`.jsonl`, `.json`, `.csv`), made up with the keys that the project's code names.

A record has every key that code asks one for (`row["text"]`, `example.get("label")`); what it holds goes by the key's
name. Numbers, words, classes and rows are others in a varied attempt.
"""

from __future__ import annotations

import ast
import itertools
import json
import os
import re
from typing import Any

from .fits import of_any_split

ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
ROWS = (260, 301)
OTHERS = (7, 11)  # columns of a table beside those that are named
MOST_FILES, MOST_KEYS = 60, 60
_TEXTS = re.compile(
    r"text|review|comment|sentence|title|tweet|question|content|description|message|article|document|summary|prompt"
    r"|response|answer|instruction|output|premise|hypothesis|caption|source|target_text|passage|query|abstract|word",
    re.IGNORECASE,
)
_KINDS = re.compile(
    r"label|target|class|categor|outcome|sentiment|rating|stars|intent|digit|^y$|_id$|^id$|survived", re.IGNORECASE
)
_TOKENS = re.compile(r"^(tokens|words|ner_tags|pos_tags|tags)$")
_FILES = re.compile(r"file|path|image|img|wav|audio", re.IGNORECASE)
_SETTINGS = re.compile(r"conf|cfg|vocab|param|setting|args|meta|stat|class|label|index|map|token|dict", re.IGNORECASE)
_WORDS = ("the", "a", "film", "that", "nobody", "saw", "was", "good", "and", "long", "as", "they", "say", "of", "it")


def of_settings(file: Any) -> bool:
    """Whether a file is named like one that holds no records."""
    name = os.path.basename(str(file))
    return name.lower().endswith(".json") and _SETTINGS.search(name) is not None


def named_keys(root: str) -> tuple[str, ...]:
    """The constant texts that the project's code asks something for, in the order of the files' names."""
    found: dict[str, None] = {}
    folders = sorted(os.walk(root))
    files = (os.path.join(folder, n) for folder, _, names in folders for n in sorted(names) if n.endswith(".py"))
    for path in itertools.islice(files, MOST_FILES):
        try:
            with open(path, "rb") as file:
                tree = ast.parse(file.read())
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            key = _key(node)
            if isinstance(key, str) and key and len(key) < 40 and key not in _OF_MODELS:
                found[key] = None
    return tuple(found)[:MOST_KEYS]


# What models, tokenizers and checkpoints name, not the rows of data.
_OF_MODELS = frozenset((
    "input_ids", "attention_mask", "token_type_ids", "labels", "pixel_values", "loss", "logits", "model", "optimizer",
    "state_dict", "model_state_dict", "epoch", "scheduler", "train", "test", "validation", "val", "params", "lr",
))  # fmt: skip


def _key(node: ast.AST) -> Any:
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Constant):
        return node.slice.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        return getattr(node.args[0], "value", None)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rename_column":
        return getattr(node.args[0], "value", None) if node.args else None
    return None


def cell(key: str, row: int, varied: bool, classes: int | None) -> Any:
    """What a record holds under a key."""
    known = len(_WORDS) - 4 * varied
    words = [_WORDS[(row + 3 * place) % known] for place in range(9 + 4 * varied + row % 23)]
    if _TOKENS.match(key):
        return [(row + place) % 3 for place in range(len(words))] if "_tags" in key else words
    if _KINDS.search(key):
        return row % (classes or (3 if varied else 2))
    if _FILES.search(key):
        return f"{row:04d}.jpg"
    return " ".join(words) if _TEXTS.search(key) else (row * 7 + 11 * varied) % (97 - 8 * varied)


def record(keys: tuple[str, ...], row: int, varied: bool, classes: int | None) -> dict[str, Any]:
    return {key: cell(key, row, varied, classes) for key in keys}


def text(path: str, inventions: Any) -> str:
    """The text of such a file."""
    varied, keys = inventions.varied, inventions.keys
    rows = [record(keys, row, varied, inventions.declared) for row in range(ROWS[varied])]
    path = path.lower()
    if path.endswith(".json"):
        return json.dumps(rows)
    if path.endswith((".csv", ".tsv")):
        mark = "\t" if path.endswith(".tsv") else ","
        others = inventions.size(f"columns of {of_any_split(path)}", *OTHERS)
        table = [[*keys, *(f"column_{n}" for n in range(others))]]
        for number, each in enumerate(rows):
            numbers = (str((number * 7 + 3 * place) % 89 / 10) for place in range(others))
            table.append([*map(_flat, each.values()), *numbers])
        return "\n".join(mark.join(line) for line in table) + "\n"
    return "\n".join(json.dumps(each) for each in rows) + "\n"


def _flat(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
