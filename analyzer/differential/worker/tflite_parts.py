"""Parts of a TensorFlow Lite file: the operations between two sets of its tensors, as a file of their own."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from .contract import EngineError


class Parts:
    """A file taken apart once; parts share what they do not change with it. Tensors are told by their index."""

    def __init__(self, content: bytes) -> None:
        from tensorflow.lite.python import schema_py_generated as schema

        self.model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
        names = {number: name for name, number in vars(schema.BuiltinOperator).items() if isinstance(number, int)}
        codes = [names.get(max(c.builtinCode, c.deprecatedBuiltinCode), "CUSTOM") for c in self.model.operatorCodes]
        self.graph = self.model.subgraphs[0]
        self.operations = [
            (codes[o.opcodeIndex], _indices(o.inputs), _indices(o.outputs)) for o in self.graph.operators
        ]
        self.makers = {tensor: number for number, (_, _, made) in enumerate(self.operations) for tensor in made}
        self.inputs = set(_indices(self.graph.inputs))

    def extract(self, given: Sequence[int], wanted: Sequence[int]) -> bytes:
        """The smallest file that computes `wanted` from `given`. Raises `EngineError` where they do not suffice."""
        import flatbuffers

        needed: set[int] = set()
        queue = [tensor for tensor in wanted if tensor not in given]
        while queue:
            tensor = queue.pop()
            if tensor in self.inputs:
                raise EngineError("unreplayed", "what is fed does not suffice for this part")
            number = self.makers.get(tensor)
            if number is not None and number not in needed:
                needed.add(number)
                queue.extend(i for i in self.operations[number][1] if i not in given)
        graph = copy.copy(self.graph)
        graph.inputs, graph.outputs = list(given), list(wanted)
        graph.operators = [self.graph.operators[number] for number in sorted(needed)]
        model = copy.copy(self.model)
        model.subgraphs, model.signatureDefs, model.metadata = [graph, *self.model.subgraphs[1:]], [], []
        used = {i for number in needed for i in self.operations[number][1]} | set(given) | set(wanted)
        kept = {self.graph.tensors[i].buffer for i in used}
        kept |= {t.buffer for other in self.model.subgraphs[1:] for t in other.tensors}
        model.buffers = [b if index in kept else type(b)() for index, b in enumerate(self.model.buffers)]
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def _indices(tensors: Any) -> list[int]:
    """-1 stands for an operand that is left out."""
    return [int(tensor) for tensor in tensors if tensor >= 0] if tensors is not None else []
