"""Entry points of kdp: its layers of rows, which gate, select, attend, embed and send features to experts, trained."""

import sys
import types

import tensorflow as tf

for _name in ("kdp", "kdp.layers"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from kdp.layers.numerical_embedding_layer import NumericalEmbedding  # noqa: E402
from kdp.layers.tabular_attention_layer import TabularAttention  # noqa: E402
from kdp.layers.transformer_block_layer import TransformerBlock  # noqa: E402
from kdp.layers.variable_selection_layer import VariableSelection  # noqa: E402
from kdp.moe import FeatureMoE  # noqa: E402


class _Trained(tf.Module):
    """A layer on rows, then one unit and the error of a class."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = [*layers, tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)]
        self.loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    def given(self, rows):
        for layer in self.layers:
            rows = layer(rows)
        return rows

    def __call__(self, rows, labels):
        return self.loss(labels, self.given(rows))


def _made(model, *shape):
    inputs = tf.random.normal((4, *shape)), tf.constant([[1.0], [0.0], [0.0], [1.0]])
    model(*inputs)
    return model, inputs


class _Selected(_Trained):
    def given(self, rows):
        select, *layers = self.layers
        rows, weights = select(tf.unstack(rows, axis=1))
        for layer in layers:
            rows = layer(rows)
        return rows + 0.0 * tf.reduce_sum(weights)


def selected():
    return _made(_Selected(VariableSelection(nr_features=3, units=8)), 3, 4)


def attended():
    return _made(_Trained(TabularAttention(num_heads=2, d_model=8)), 5, 6)


def embedded():
    return _made(_Trained(NumericalEmbedding(embedding_dim=4, num_bins=5)), 6)


def transformed():
    return _made(_Trained(TransformerBlock(dim_model=8, num_heads=2, ff_units=8)), 3, 8)


def experts():
    return _made(_Trained(FeatureMoE(num_experts=3, expert_dim=8, expert_hidden_dims=[8], sparsity=2)), 4, 6)
