"""The tables of TensorFlow's operators in `analyzer/loading`, from an installed TensorFlow.

python -m scripts.tensorflow_tables
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from analyzer.loading.tensorflow_operators import operator_from_proto

FOLDER = Path(__file__).resolve().parents[1] / "analyzer" / "loading"
MACHINERY = ("_", "Xla", "TPU", "Tpu", "Mlir", "Dataset", "DataService", "Experimental")


def registered() -> list[Any]:
    """Every operator of TensorFlow's registry as its ``OpDef`` message."""
    import tensorflow as tf  # noqa: F401  registers the operators
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session

    found = op_def_pb2.OpList.FromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return sorted(found.op, key=lambda op: str(op.name))


def signatures(operators: list[Any]) -> str:
    """Outputs, and attributes that a file may leave out."""
    lines = []
    for proto in operators:
        if proto.name.startswith(MACHINERY):
            continue
        operator = operator_from_proto(proto)
        outputs = [
            [o.name, o.dtype, *([o.count, o.many] if o.many else [o.count] if o.count else [])]
            for o in operator.outputs
        ]
        defaults = [[key, kind, value] for key, (kind, value) in operator.defaults.items()]
        lines.append(f"{json.dumps(proto.name)}:{json.dumps([outputs, defaults], separators=(',', ':'))}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def states(operators: list[Any]) -> str:
    """Which operators are stateful."""
    named = {
        "stateful": [op.name for op in operators if op.is_stateful],
        "stateless": [op.name for op in operators if not op.is_stateful],
    }
    return json.dumps(named, indent=0) + "\n"


if __name__ == "__main__":
    every = registered()
    (FOLDER / "tensorflow_operators.json").write_text(signatures(every), encoding="utf-8")
    (FOLDER / "tensorflow_stateful.json").write_text(states(every), encoding="utf-8")
