"""`docs/configuration.md`, made from the schema.

``python -m scripts.configuration_page > docs/configuration.md``
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from analyzer.configuration.schemas import schema

EXAMPLE = """\
version: 1
targets:
  - id: vae-loss
    entry: models/vae.py:build        # a callable that returns (module, example inputs)
    inputs:
      x: {shape: [batch, 784], dtype: float32, range: [0, 1]}
    parameters:
      "decoder.*weight": [-2, 2]
    symbols: {batch: [2, 512]}
    backends: [onnxruntime, torch]
  - path: exports/classifier.onnx
rules:
  numerical/gradient-of-sqrt-at-zero: warning
suppressions:
  - rule: numerical/exp-overflow
    layer: decoder
    reason: logits are clamped by the data loader
    until: 2027-01-31
fail-on: confirmed
"""


def configuration_page() -> str:
    """The reference of `.assay.yml` as Markdown."""
    config = schema("config")
    lines = [
        "# Configuration: `.assay.yml`",
        "",
        "Everything is optional but `version`. Without `targets`, Assay finds models by their content.",
        "Mistakes are refused with file, line and the mended form. For completion in an editor, put",
        "`# yaml-language-server: $schema=` with the path of `analyzer/configuration/schemas/config.schema.json` on",
        "the first line.",
        "",
        "```yaml",
        *EXAMPLE.splitlines(),
        "```",
        "",
        "<!-- made from config.schema.json by `python -m scripts.configuration_page` -->",
        "",
        "## Top level",
        "",
        *_table(config, config),
    ]
    titles = {"target": "A target", "environment": "An environment", "suppression": "A suppression"}
    for name, title in titles.items():
        lines += ["", f"## {title}", "", *_table(config["$defs"][name], config)]
    lines += ["", "## An input of a target", "", *_table(_input(config), config)]
    lines += ["", "## Thresholds", "", *_table(config["properties"]["thresholds"], config)]
    lines += ["", "## Drift of a changed model", "", *_table(config["properties"]["drift"], config)]
    return "\n".join(lines) + "\n"


def _input(config: Mapping[str, Any]) -> Mapping[str, Any]:
    inputs: Mapping[str, Any] = config["$defs"]["target"]["properties"]["inputs"]["additionalProperties"]
    return inputs


def _table(part: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[str]:
    yield "| key | what it is | value |"
    yield "|---|---|---|"
    for key, value in part["properties"].items():
        value = _resolve(value, root)
        default = f" Default: `{_plain(value['default'])}`." if "default" in value else ""
        needed = " Required." if key in part.get("required", ()) else ""
        text = f"{value.get('description', '')}{default}{needed}".replace("|", "\\|")
        yield f"| `{key}` | {text} | {_kind(value, root)} |"


def _resolve(value: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in value:
        return value
    target: Mapping[str, Any] = root["$defs"][value["$ref"].rpartition("/")[2]]
    return {**target, **{k: v for k, v in value.items() if k != "$ref"}}


def _kind(value: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    value = _resolve(value, root)
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        return ", ".join(f"`{choice}`" for choice in value["enum"] if choice is not False)
    names = {
        "object": "mapping",
        "array": "list",
        "string": "text",
        "number": "number",
        "integer": "whole number",
        "null": "null",
    }
    kinds = value["type"] if isinstance(value.get("type"), list) else [value.get("type", "")]
    text = " or ".join(names.get(kind, kind) for kind in kinds)
    if value.get("minItems") == 2 and value.get("maxItems") == 2:
        return "`[low, high]`"
    if kinds == ["array"]:
        return f"list of {_kind(value['items'], root)}"
    if kinds == ["object"] and isinstance(value.get("additionalProperties"), dict):
        return f"mapping to {_kind(value['additionalProperties'], root)}"
    return text


def _plain(value: Any) -> str:
    return "[" + ", ".join(map(str, value)) + "]" if isinstance(value, list) else str(value)


if __name__ == "__main__":
    print(configuration_page(), end="")
