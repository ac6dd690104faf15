"""Readers of configurations: `json.load`, PyYAML and OmegaConf, on texts that are known and files of the repository."""

from __future__ import annotations

from analyzer.tracing.imports.configurations import (
    as_configuration,
    as_mapping,
    from_values,
    is_mapping,
    plain_content,
    to_values,
)
from analyzer.tracing.language.builtins.files import configuration_text, placed_text, text_of
from analyzer.tracing.language.own_paths import place_of
from analyzer.tracing.language.plain_data import NotPlain, as_value
from analyzer.tracing.language.values import Api, DictV, ListV, Value
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.problems import PyRaise


@operator("json.load json.loads yaml.load yaml.safe_load yaml.full_load", "stream *rest")
def load(op: Op, stream: Value, rest: tuple[Value, ...]) -> Value:
    """PyYAML's loaders agree on what the safe one reads; what it does not read is not known."""
    form = "json" if op.name.startswith("json.") else "yaml"
    if stream is None and op.name == "json.loads":
        raise PyRaise("TypeError", "the JSON object must be str, bytes or bytearray, not NoneType")
    text = text_of(stream)
    hook = op.extra.get("object_pairs_hook")
    ordered = hook is None or (isinstance(hook, Api) and hook.name.endswith(".OrderedDict"))
    if text is None or not ordered or set(op.extra) - {"Loader", "object_pairs_hook"}:
        return op.tr.unknown_call(op.name)
    try:
        return as_value(plain_content(text, form))
    except (NotPlain, TypeError, ValueError):
        return op.tr.unknown_call(op.name)


@operator("omegaconf.OmegaConf.load", "file")
def load_configuration(op: Op, file: Value) -> Value:
    text = placed_text(op.tr, place_of(file)) if place_of(file) else configuration_text(op.tr, file)
    try:
        content = None if text is None else plain_content(text, "yaml")
    except ValueError:
        content = None
    return as_configuration(content) if isinstance(content, dict) else op.tr.unknown_call(op.name)


@operator("omegaconf.OmegaConf.create omegaconf.DictConfig omegaconf.ListConfig", "obj=None *rest")
def made_configuration(op: Op, obj: Value, rest: tuple[Value, ...]) -> Value:
    if isinstance(obj, (DictV, ListV)) and not rest:
        return from_values(obj)
    return as_mapping({}) if obj is None and not rest else op.tr.unknown_call(op.name)


@operator("omegaconf.OmegaConf.to_container omegaconf.OmegaConf.to_object", "cfg *rest")
def plain_configuration(op: Op, cfg: Value, rest: tuple[Value, ...]) -> Value:
    return to_values(cfg) if is_mapping(cfg) or isinstance(cfg, ListV) else op.tr.unknown_call(op.name)
