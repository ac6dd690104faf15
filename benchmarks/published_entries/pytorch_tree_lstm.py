"""Entry points of pytorch-tree-lstm: its memory over trees, batched as its helpers do, with losses of the README."""

import torch
from treelstm import TreeLSTM, batch_tree_input, calculate_evaluation_orders, unbatch_tree_tensor

TREES = [[0, 1], [0, 2], [2, 3], [2, 4]], [[0, 1], [1, 2]], [[0, 1], [0, 2], [0, 3]]


def _batch(trees=TREES):
    made = []
    for edges in trees:
        nodes = max(child for _, child in edges) + 1
        orders = [torch.from_numpy(order) for order in calculate_evaluation_orders(edges, nodes)]
        features = {"features": torch.randn(nodes, 6), "adjacency_list": torch.tensor(edges)}
        made.append({**features, "node_order": orders[0], "edge_order": orders[1]})
    batch = batch_tree_input(made)
    return tuple(batch[name] for name in ("features", "node_order", "adjacency_list", "edge_order")), batch[
        "tree_sizes"
    ]


class _Nodes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.memory, self.output, self.loss = TreeLSTM(6, 8), torch.nn.Linear(8, 1), torch.nn.BCEWithLogitsLoss()

    def forward(self, features, node_order, edges, edge_order, labels):
        hidden, _ = self.memory(features, node_order, edges, edge_order)
        return self.loss(self.output(hidden), labels)


def nodes():
    batch, sizes = _batch()
    return _Nodes(), (*batch, (torch.rand(sum(sizes), 1) > 0.5).float())


class _Roots(torch.nn.Module):
    """The class of each tree, which its first node knows."""

    def __init__(self, sizes):
        super().__init__()
        self.sizes, self.memory = sizes, TreeLSTM(6, 8)
        self.output, self.loss = torch.nn.Linear(8, 3), torch.nn.CrossEntropyLoss()

    def forward(self, features, node_order, edges, edge_order, labels):
        hidden, _ = self.memory(features, node_order, edges, edge_order)
        roots = torch.stack([tree[0] for tree in unbatch_tree_tensor(hidden, self.sizes)])
        return self.loss(self.output(roots), labels)


def roots():
    batch, sizes = _batch()
    return _Roots(sizes), (*batch, torch.tensor([2, 0, 1]))


def one_tree():
    return TreeLSTM(6, 8), _batch(TREES[:1])[0]
