"""Entry points of tf-raft: its updates of the flow between frames, small and full, under the loss of their sequence."""

import sys
import types

import tensorflow as tf

for _name in ("tf_raft", "tf_raft.layers", "tf_raft.losses"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from tf_raft.layers.update import BasicUpdateBlock, SmallUpdateBlock  # noqa: E402
from tf_raft.losses.losses import end_point_error, sequence_loss  # noqa: E402


class _Flow(tf.Module):
    """Steps of a flow, as the network takes them with one volume of correlations."""

    def __init__(self, block):
        super().__init__()
        self.block = block

    def flows(self, state, context, correlations):
        flow, flows = tf.zeros((*state.shape[:3], 2)), []
        for _ in range(2):
            state, _, change = self.block([tf.tanh(state), tf.nn.relu(context), correlations, flow])
            flow = flow + change
            flows.append(flow)
        return flows

    def __call__(self, state, context, correlations, wanted, valid):
        return sequence_loss((wanted, valid), self.flows(state, context, correlations))


def _made(model, filters):
    state, context = tf.random.normal((1, 4, 4, filters)), tf.random.normal((1, 4, 4, filters))
    wanted, valid = 3.0 * tf.random.normal((1, 4, 4, 2)), tf.random.uniform((1, 4, 4)) > 0.2
    inputs = state, context, tf.random.normal((1, 4, 4, 9)), wanted, valid
    model(*inputs)
    return model, inputs


def small():
    return _made(_Flow(SmallUpdateBlock(filters=8)), 8)


def full():
    return _made(_Flow(BasicUpdateBlock(filters=8)), 8)


class _Errors(_Flow):
    def __call__(self, state, context, correlations, wanted, valid):
        return end_point_error((wanted, valid), self.flows(state, context, correlations)[-1])["epe"]


def errors():
    return _made(_Errors(SmallUpdateBlock(filters=6)), 6)
