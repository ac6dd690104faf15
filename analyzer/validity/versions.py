"""Which framework version has what, and which version a project asks for.

The tables hold what a model description can name: layers, and hyperparameters of layers, with the release that brought
them (release notes of PyTorch, TensorFlow and Keras). What is not listed is taken to be older than anyone's version.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from analyzer.validity.spec import Category, Requirement, Rule

Version = tuple[int, ...]

SINCE = Rule(
    "since-version",
    Category.IMPROPER_VALUE,
    "{what} came with {framework} {since}; the version is {version}",
)

LAYERS: Mapping[tuple[str, str], Version] = {
    ("torch", "scaled_dot_product_attention"): (2, 0),
    ("torch", "RMSNorm"): (2, 4),
    ("keras", "MultiHeadAttention"): (2, 4),
    ("keras", "GroupNormalization"): (2, 11),
    ("keras", "UnitNormalization"): (2, 9),
}
HYPERPARAMETERS: Mapping[tuple[str, str, str], Version] = {
    ("torch", "LSTM", "proj_size"): (1, 8),
    ("torch", "MultiheadAttention", "batch_first"): (1, 9),
    ("torch", "TransformerEncoderLayer", "batch_first"): (1, 9),
    ("torch", "TransformerDecoderLayer", "batch_first"): (1, 9),
    ("torch", "TransformerEncoderLayer", "norm_first"): (1, 10),
    ("torch", "TransformerDecoderLayer", "norm_first"): (1, 10),
    ("torch", "CrossEntropyLoss", "label_smoothing"): (1, 10),
    ("torch", "GELU", "approximate"): (1, 12),
    ("torch", "LayerNorm", "bias"): (2, 1),
    ("torch", "scaled_dot_product_attention", "enable_gqa"): (2, 5),
}
# Values that an older version of the hyperparameter did not know.
VALUES: Mapping[tuple[str, str, str], tuple[tuple[str, ...], Version]] = {
    ("torch", f"Conv{n}d", "padding"): (("same", "valid"), (1, 9)) for n in (1, 2, 3)
}
PACKAGES: Mapping[str, tuple[str, ...]] = {"torch": ("torch",), "keras": ("keras", "tensorflow"), "tf": ("tensorflow",)}


def missing(framework: str, operator: str, given: Mapping[str, Any], version: Version | None) -> Requirement | None:
    """What a layer uses that its framework's version does not have yet; None where the version is not known."""
    if version is None:
        return None
    needs: list[tuple[str, Version]] = []
    if (framework, operator) in LAYERS:
        needs.append((f"`{operator}`", LAYERS[framework, operator]))
    for name, value in given.items():
        key = (framework, operator, name)
        if key in HYPERPARAMETERS:
            needs.append((f"`{name}` of {operator}", HYPERPARAMETERS[key]))
        if key in VALUES and value in VALUES[key][0]:
            needs.append((f"`{name}: {value}` of {operator}", VALUES[key][1]))
    for what, since in needs:
        if version < since:
            facts = {"what": what, "framework": framework, "since": _dotted(since), "version": _dotted(version)}
            return Requirement(SINCE, False, facts)
    return None


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))


@dataclass(frozen=True)
class Pins:
    """The versions a project's requirements ask for, by package name."""

    versions: Mapping[str, Version]

    def of(self, framework: str) -> Version | None:
        """The version of a framework: what is pinned, or the oldest that is allowed."""
        return next((self.versions[p] for p in PACKAGES.get(framework, ()) if p in self.versions), None)


_LINE = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*([^;#]*)")
_BOUND = re.compile(r"(==|~=|>=)\s*([0-9]+(?:\.[0-9]+)*)")


def pins_of(lines: Iterable[str]) -> Pins:
    """Requirement lines (``torch==2.1.0``, ``keras>=3,<4 ; python_version > "3.9"``); others are passed over."""
    found: dict[str, Version] = {}
    for line in lines:
        match = _LINE.match(line)
        bounds = _BOUND.findall(match[2]) if match else []
        if match and bounds:
            exact = [text for sign, text in bounds if sign != ">="]
            name = match[1].lower().replace("_", "-")
            found[name] = tuple(int(part) for part in (exact or [bounds[0][1]])[0].split("."))
    return Pins(found)


def requirement_lines(name: str, text: str) -> tuple[str, ...]:
    """The requirement lines of a ``requirements.txt`` or a ``pyproject.toml``; none where it cannot be read."""
    if not name.endswith(".toml"):
        return tuple(text.splitlines())
    try:
        project = tomllib.loads(text).get("project", {})
    except tomllib.TOMLDecodeError:
        return ()
    lines = project.get("dependencies", []) if isinstance(project, dict) else []
    return tuple(line for line in lines if isinstance(line, str))
