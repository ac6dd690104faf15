"""Entry points of treenet: memory over batches of trees, as in its tests, with a loss of what the trees are."""

import torch
from treenet import TreeEncoder, TreeLSTM, TreeNet


def _trees():
    encoder = TreeEncoder(lambda node: node[0], lambda node: node[1])
    first = ((0.1, 0.2, 0.3), [((0.4, 0.5, 0.6), []), ((0.7, 0.8, 0.9), [])])
    second = ((1.1, 1.2, 1.3), [((1.4, 1.5, 1.6), [((1.7, 1.8, 1.9), [])])])
    return encoder.encode_batch([first, second, ((0.2, 0.1, 0.4), [])])


def memory():
    return TreeLSTM(3, 5, 2), _trees()


class _Sum(torch.nn.Module):
    """What a node is and the sum of its children, through one layer."""

    def __init__(self):
        super().__init__()
        self.own, self.children_of = torch.nn.Linear(3, 4), torch.nn.Linear(4, 4, bias=False)

    def forward(self, inputs, children, arities):
        return torch.tanh(self.own(inputs) + self.children_of(sum(children)))


def own_unit():
    return TreeNet(4, 2, _Sum()), _trees()


class _Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.trees, self.head = TreeLSTM(3, 5, 2), torch.nn.Linear(5, 3)

    def forward(self, inputs, arities, labels):
        return torch.nn.functional.cross_entropy(self.head(self.trees(inputs, arities)), labels)


def classifier():
    return _Classifier(), (*_trees(), torch.tensor([0, 2, 1]))
