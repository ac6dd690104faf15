"""GraphDef files, binary (``.pb``) and text (``.pbtxt``), read without TensorFlow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from analyzer.graph import Graph
from analyzer.loading import pbtxt
from analyzer.loading.files import out_of_memory, read_file, shown
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.tensorflow_graph import convert
from analyzer.loading.tensorflow_nodes import (
    Attribute,
    Node,
    ParsedGraphDef,
    attribute_from_proto,
    program_from_proto,
    split_inputs,
)
from analyzer.loading.tensorflow_schema import message_class
from analyzer.problem import TargetProblem

# What TensorFlow's own printer writes: two spaces a level, one field a line. Other spellings take the slower parser.
_BLOCK = re.compile(r"(\w+) \{\n(.*?)^\}\n?", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(
    r'  (name|op|input|device): "([^"\\\n]*)"\n'
    r'|  attr \{\n    key: "([^"\\\n]*)"\n    value \{\n((?:      .*\n)*)    \}\n  \}\n'
    r"|  (?!attr)\w+ \{\n(?:    .*\n)*  \}\n"
)


def read_program(path: Path, limits: Limits = DEFAULT) -> ParsedGraphDef:
    """The nodes and functions of a GraphDef file, its form found by looking at it.

    Raises:
        TargetProblem: damaged, truncated, too large.
    """
    data = read_file(path, limits)
    try:
        return parse_program(data, limits)
    except DecodeError as error:
        if out_of_memory(error):
            raise MemoryError from None
        raise TargetProblem(f"{shown(path)} is not a valid GraphDef; it is damaged or cut off ({error}).") from None
    except (pbtxt.TextProblem, UnicodeDecodeError) as error:
        raise TargetProblem(f"{shown(path)} is not a valid GraphDef in text form: {error}.") from None
    except TargetProblem as error:
        raise TargetProblem(f"{shown(path)}: {error}") from None


def parse_program(data: bytes, limits: Limits = DEFAULT) -> ParsedGraphDef:
    """Like `read_program` from bytes; lets `DecodeError` and `TextProblem` through."""
    if is_text(data[:4096]):
        if len(data) > limits.text_size:
            raise TargetProblem("the text form is too large; save the graph in binary form.")
        return parse_text(data.decode("utf-8"), limits)
    return program_from_proto(message_class("GraphDef", raw=True).FromString(data), limits)


def is_text(head: bytes) -> bool:
    """Whether `head` begins a GraphDef in text form."""
    return re.match(rb"(?:\s|#[^\n]*\n)*(?:node|library|versions|version)\s*[:{<]", head) is not None


def parse_text(text: str, limits: Limits = DEFAULT) -> ParsedGraphDef:
    """A GraphDef in text form.

    Raises:
        pbtxt.TextProblem: with the line of the mistake.
    """
    nodes: list[Node] = []
    seen: dict[str, Attribute] = {}
    rest: list[str] = []
    position = 0
    text = text if text.endswith("\n") else text + "\n"
    while position < len(text):
        block = _BLOCK.match(text, position)
        if block is None:
            return _parse_any(text, limits)
        if block.group(1) == "node":
            node = _node(block.group(2), limits, seen)
            if node is None:
                return _parse_any(text, limits)
            nodes.append(node)
        else:
            rest.append(block.group())
        position = block.end()
    program = _parse_any("".join(rest), limits)
    program.nodes = nodes
    return program


def _node(body: str, limits: Limits, seen: dict[str, Attribute]) -> Node | None:
    """A node as TensorFlow prints it; None if it is written in another way."""
    name = op = ""
    inputs: list[str] = []
    attributes: dict[str, Attribute] = {}
    covered = 0
    for item in _ITEM.finditer(body):
        if item.start() != covered:
            return None
        covered = item.end()
        field, text, key, value = item.groups()
        if key is not None:
            attribute = seen.get(value)
            if attribute is None:
                try:
                    proto = pbtxt.parse(value, message_class("AttrValue")(), enumerator)
                except pbtxt.TextProblem:
                    return None  # the general parser says the line
                attribute = seen[value] = attribute_from_proto(proto, limits)
            attributes[key] = attribute
        elif field == "input":
            inputs.append(text)
        elif field == "name":
            name = text
        elif field == "op":
            op = text
    if covered != len(body):
        return None
    data, controls = split_inputs(inputs)
    return Node(name, op, data, controls, attributes)


def _parse_any(text: str, limits: Limits) -> ParsedGraphDef:
    proto: Any = pbtxt.parse(text, message_class("GraphDef")(), enumerator)
    return program_from_proto(message_class("GraphDef", raw=True).FromString(proto.SerializeToString()), limits)


_NAMES = (
    *("INVALID", "FLOAT", "DOUBLE", "INT32", "UINT8", "INT16", "INT8", "STRING", "COMPLEX64", "INT64", "BOOL", "QINT8"),
    *("QUINT8", "QINT32", "BFLOAT16", "QINT16", "QUINT16", "UINT16", "COMPLEX128", "HALF", "RESOURCE", "VARIANT"),
    *("UINT32", "UINT64", "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT8_E4M3FNUZ", "FLOAT8_E4M3B11FNUZ"),
    *("FLOAT8_E5M2FNUZ", "INT4", "UINT4", "INT2", "UINT2"),
)
_ENUMERATORS = {f"DT_{name}": number for number, name in enumerate(_NAMES)}


def enumerator(name: str) -> int | None:
    """The number of an enumerator of ``DataType``."""
    if name.endswith("_REF") and name[:-4] in _ENUMERATORS:
        return _ENUMERATORS[name[:-4]] + 100
    return _ENUMERATORS.get(name)


def read_graphdef(path: Path, limits: Limits = DEFAULT) -> Graph:
    """The graph of a GraphDef file.

    Raises:
        TargetProblem: see `read_program` and `tensorflow_graph.convert`.
    """
    program = read_program(path, limits)
    if not program.nodes:
        raise TargetProblem(f"{shown(path)} has no nodes.")
    try:
        return convert(program, limits)
    except TargetProblem as error:
        raise TargetProblem(f"{shown(path)}: {error}") from None
