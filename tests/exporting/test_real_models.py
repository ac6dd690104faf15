"""Models nobody here wrote: exported and loaded whole. `benchmarks/exports.py` does this for many more."""

from __future__ import annotations

from collections import Counter

import pytest

from analyzer.graph import layer_of, location_of

T5 = """
    import torch
    from torch import nn
    from transformers import T5Config, T5Model


    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            sizes = dict(d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, vocab_size=50)
            self.inner = T5Model(T5Config(use_cache=False, **sizes))

        def forward(self, input_ids, decoder_input_ids):
            return self.inner(input_ids=input_ids, decoder_input_ids=decoder_input_ids, return_dict=False)[0]


    def build():
        return Model().eval(), (torch.ones(2, 6, dtype=torch.long), torch.ones(2, 4, dtype=torch.long))
"""

MOBILE = """
    import keras


    def build():
        return keras.applications.MobileNetV2((64, 64, 3), alpha=0.35, weights=None, classes=5)
"""


@pytest.mark.study
def test_t5_of_transformers(project, export_entry):
    pytest.importorskip("transformers")
    project.write("entry.py", T5)
    graph = export_entry("entry.py:build")
    operators = Counter(n.op_type for n in graph.nodes())
    assert operators["MatMul"] >= 10
    assert operators["Softmax"] == 3  # encoder, decoder, and between them
    assert "inner.encoder.block.0.layer.0.SelfAttention.q" in {layer_of(n) for n in graph.nodes()}
    assert all(location_of(n).path == "entry.py" for n in graph.nodes() if location_of(n))
    assert "transformers" in graph.versions


def test_mobilenet_of_keras_applications(project, export_entry):
    pytest.importorskip("keras")
    project.write("entry.py", MOBILE)
    graph = export_entry("entry.py:build")
    operators = Counter(n.op_type for n in graph.nodes())
    assert operators["DepthwiseConv2dNative"] == 17
    assert {layer_of(n) for n in graph.nodes()} >= {"block_1_depthwise", "Conv1", "predictions"}
    values = [v for v in graph.graph.initializers.values() if v.const_value is not None]
    assert len(values) > 200
    (softmax,) = [n for n in graph.nodes() if n.op_type == "Softmax"]
    assert softmax.outputs[0].shape is not None
    assert softmax.outputs[0].shape[1] == 5
