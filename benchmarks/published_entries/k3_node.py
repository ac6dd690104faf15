"""Entry points of k3-node: its networks of graphs, small, with a loss of labels of nodes, of graphs and of links."""

import k3_node.layers as gnn_layers
import keras
import tensorflow as tf
from k3_node.models import GIN


class _Nodes(tf.Module):
    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second
        self.loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def __call__(self, nodes, edges, labels):
        hidden = keras.ops.relu(self.first(nodes, edges))
        return self.loss(labels, self.second(hidden, edges))


def _graph():
    edges = tf.constant([[0, 1, 2, 3, 1], [1, 2, 3, 0, 3]], dtype=tf.int64)
    return tf.random.normal((5, 6)), edges, tf.constant([0, 2, 1, 1, 0])


def convolved():
    return _Nodes(gnn_layers.GCNConv(6, 8), gnn_layers.GCNConv(8, 3)), _graph()


def attended():
    return _Nodes(gnn_layers.GATv2Conv(6, 4, heads=2), gnn_layers.GATv2Conv(8, 3, heads=1)), _graph()


def sampled():
    return _Nodes(gnn_layers.SAGEConv(6, 8), gnn_layers.SAGEConv(8, 3)), _graph()


class _Graphs(tf.Module):
    def __init__(self):
        super().__init__()
        self.model, self.head = GIN(6, 8, num_layers=2), keras.layers.Dense(2)
        self.loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def __call__(self, nodes, edges, graphs, labels):
        hidden = gnn_layers.global_add_pool(self.model(nodes, edges), graphs, size=2)
        return self.loss(labels, self.head(hidden))


def graphs():
    nodes, edges, _ = _graph()
    return _Graphs(), (nodes, edges, tf.constant([0, 0, 1, 1, 1], dtype=tf.int64), tf.constant([1, 0]))


class _Links(tf.Module):
    """Whether two nodes are linked, by the product of what they became."""

    def __init__(self):
        super().__init__()
        self.first, self.second = gnn_layers.GCNConv(6, 8), gnn_layers.GCNConv(8, 4)

    def __call__(self, nodes, edges, pairs, linked):
        hidden = self.second(keras.ops.relu(self.first(nodes, edges)), edges)
        logits = tf.reduce_sum(tf.gather(hidden, pairs[0]) * tf.gather(hidden, pairs[1]), axis=-1)
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(linked, logits))


def links():
    nodes, edges, _ = _graph()
    return _Links(), (nodes, edges, tf.constant([[0, 2, 4], [1, 0, 3]]), tf.constant([1.0, 0.0, 0.0]))
